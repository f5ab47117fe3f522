// The parts of changes_between: two snapshots side by side, and who tells what of them.
#ifndef IBTRAPD_TOPOLOGY_TELL_H
#define IBTRAPD_TOPOLOGY_TELL_H

#include "topology/changes.h"
#include "topology/diff.h"

// One of the two snapshots. Arrays are by the index of its nodes or ports.
struct tell_side {
    const struct fabric *fabric;
    uint32_t *twin;        // the node's index on the other side; FABRIC_NONE: it is not there
    uint32_t alone;        // how many nodes are without a twin
    uint32_t *node_change; // that tells of the node's coming, going or moving; FABRIC_NONE: none
    uint32_t *port_change; // the same of a port
    bool *touched;         // the port differs, or is of a node without a twin
    uint32_t *ports;       // the touched ones, ascending
    uint32_t port_count;
};

struct tell {
    struct tell_side before, after;
    const struct names *names;
    struct changes *out;
    struct diff_item *items; // differences that are not of ports
    uint32_t item_count, item_capacity;
    struct change spare; // is written to when memory is short
};

// A new change without a cause; valid until the next one. Its index goes to `index`, if that is not
// NULL. When memory is short: the spare one, of index FABRIC_NONE, and the changes are marked as
// cut.
struct change *tell_add(struct tell *t, enum catalogue_event type, uint32_t *index);

// The same port on the other side, or FABRIC_NONE.
uint32_t tell_twin_port(const struct tell_side *side, const struct tell_side *other, uint32_t port);
// The same, if it has the same link.
uint32_t tell_twin_link(const struct tell_side *side, const struct tell_side *other, uint32_t port);

bool tell_is_switch(const struct fabric *fabric, uint32_t node);
bool tell_is_linked(const struct fabric *fabric, uint32_t port);
bool tell_is_alone(const struct tell_side *side, uint32_t node); // has no twin
uint32_t tell_earlier(uint32_t change_a, uint32_t change_b);     // FABRIC_NONE comes last
bool tell_is_move(const struct tell *t, uint32_t change);        // false for FABRIC_NONE

// The port by which a node hangs on others, or FABRIC_NONE: its first linked one; of a switch the
// first that leads to another switch, better to one that is on both sides.
uint32_t tell_hanging_port(const struct tell_side *side, uint32_t node);

// Of the switch that a port is of, or else is linked to; 0: neither is one.
uint64_t tell_switch_guid(const struct fabric *fabric, uint32_t port);

void tell_subject_port(const struct tell *t, const struct tell_side *side, uint32_t port,
                       struct change *change); // subject, peer and switch
void tell_subject_node(const struct tell *t, const struct tell_side *side, uint32_t node,
                       struct change *change); // subject, the place where it hangs as peer, switch

// Adds the name, or the GUID of one without a name.
void tell_add_name(struct text *text, const struct endpoint *who);
// Adds "port 3 of leaf1".
void tell_add_place(struct text *text, const struct tell *t, const struct tell_side *side,
                    uint32_t port);

// "link <guid>/<port>-<guid>/<port>" after `prefix`; the end of the smaller GUID first.
void tell_link_key(char key[EVENT_KEY_SIZE], const char *prefix, const struct fabric *fabric,
                   uint32_t port);
void tell_guid_key(char key[EVENT_KEY_SIZE], const char *kind, uint64_t guid);

// In this order: what comes first can be the cause of what follows.
void tell_nodes(struct tell *t);    // gone, come, moved
void tell_ports(struct tell *t);    // further ports of CAs and routers: gone, come, moved
void tell_links(struct tell *t);    // moved, down, up, degraded, restored
void tell_names(struct tell *t);    // renamed, other LIDs
void tell_services(struct tell *t); // subnet managers, I/O units and controllers

#endif
