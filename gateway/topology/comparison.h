// The parts of changes_between: two snapshots side by side, and who tells what of them.
#ifndef IBTRAPD_TOPOLOGY_COMPARISON_H
#define IBTRAPD_TOPOLOGY_COMPARISON_H

#include "topology/changes.h"
#include "topology/diff.h"

// One of the two snapshots. Arrays are by the index of its nodes or ports.
struct comparison_side {
    const struct fabric *fabric;
    uint32_t *counterpart; // the node's index on the other side; FABRIC_NONE: it is not there
    uint32_t alone;        // how many nodes are without a counterpart
    uint32_t *node_change; // that tells of the node's coming, going or moving; FABRIC_NONE: none
    uint32_t *port_change; // the same of a port
    bool *touched;         // the port differs, or is of a node without a counterpart
    uint32_t *ports;       // the touched ones, ascending
    uint32_t port_count;
};

struct comparison {
    struct comparison_side before, after;
    const struct names *names;
    struct changes *out;
    struct diff_item *items; // differences that are not of ports
    uint32_t item_count, item_capacity;
    struct change spare; // is written to when memory is short
};

// A new change without a cause; valid until the next one. Its index goes to `index`, if that is not
// NULL. When memory is short: the spare one, of index FABRIC_NONE, and the changes are marked as
// cut.
struct change *comparison_add_change(struct comparison *t, enum catalogue_event type,
                                     uint32_t *index);

// The same port on the other side, or FABRIC_NONE.
uint32_t comparison_counterpart_port(const struct comparison_side *side,
                                     const struct comparison_side *other, uint32_t port);
// The same, if it has the same link.
uint32_t comparison_counterpart_link(const struct comparison_side *side,
                                     const struct comparison_side *other, uint32_t port);

bool comparison_is_switch(const struct fabric *fabric, uint32_t node);
bool comparison_is_linked(const struct fabric *fabric, uint32_t port);
bool comparison_is_alone(const struct comparison_side *side, uint32_t node); // has no counterpart
uint32_t comparison_earlier(uint32_t change_a, uint32_t change_b);    // FABRIC_NONE comes last
bool comparison_is_move(const struct comparison *t, uint32_t change); // false for FABRIC_NONE

// The port by which a node hangs on others, or FABRIC_NONE: its first linked one; of a switch the
// first that leads to another switch, better to one that is on both sides.
uint32_t comparison_uplink(const struct comparison_side *side, uint32_t node);

// Of the switch that a port is of, or else is linked to; 0: neither is one.
uint64_t comparison_switch_guid(const struct fabric *fabric, uint32_t port);

void comparison_set_subject_port(const struct comparison *t, const struct comparison_side *side,
                                 uint32_t port,
                                 struct change *change); // subject, peer and switch
void comparison_set_subject_node(
    const struct comparison *t, const struct comparison_side *side, uint32_t node,
    struct change *change); // subject, the place where it hangs as peer, switch

// Adds the name, or the GUID of one without a name.
void comparison_add_name(struct text *text, const struct endpoint *who);
// Adds "port 3 of leaf1".
void comparison_add_place(struct text *text, const struct comparison *t,
                          const struct comparison_side *side, uint32_t port);

// "link <guid>/<port>-<guid>/<port>" after `prefix`; the end of the smaller GUID first.
void comparison_link_key(char key[EVENT_KEY_SIZE], const char *prefix, const struct fabric *fabric,
                         uint32_t port);
void comparison_guid_key(char key[EVENT_KEY_SIZE], const char *kind, uint64_t guid);

// In this order: what comes first can be the cause of what follows.
void compare_nodes(struct comparison *t);    // gone, come, moved
void compare_ports(struct comparison *t);    // further ports of CAs and routers: gone, come, moved
void compare_links(struct comparison *t);    // moved, down, up, degraded, restored
void compare_names(struct comparison *t);    // renamed, other LIDs
void compare_services(struct comparison *t); // subnet managers, I/O units and controllers

#endif
