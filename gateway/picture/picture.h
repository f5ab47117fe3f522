// SPDX-License-Identifier: BSD-2-Clause
// The fabric as a picture: its nodes in layers, its links, and what the active alarms say of both.
// Pure. The same fabric, names, alarms and options give the same octets (dot.h, svg.h).
#ifndef IBTRAPD_PICTURE_PICTURE_H
#define IBTRAPD_PICTURE_PICTURE_H

#include "model/fabric.h"
#include "model/names.h"
#include "topology/alarm_key.h"

// From good to bad.
enum picture_state {
    PICTURE_GOOD,
    PICTURE_MISSING,  // expected and not there
    PICTURE_DEGRADED, // slower or narrower than it could or should be
    PICTURE_FAULT,    // any other alarm of severity warning or worse
    PICTURE_STATES,
};

struct picture_node {
    uint64_t guid;
    const char *name; // lives as long as the fabric and the names; empty: it has none
    char *own_name;   // the picture's: what `name` is of an absent node; NULL: it is another
    uint8_t type;     // enum fabric_type
    bool absent;      // alarms name it, and it is not in the fabric
    bool silent;
    bool shown;               // false: it is a host that is folded into the count of its switch
    bool edge;                // it is a switch of layer 1, see picture_new
    enum picture_state state; // by alarms about the node itself
    enum picture_state whole; // the worst of the node and its links to `home`
    enum picture_state near;  // the worst of its links
    uint32_t layer;           // hosts and routers 0, switches 1 and up
    uint32_t place; // among those of its layer, from 0; of layer 0: among those of its home
                    // that are shown, in the order of its ports
    uint32_t home;  // of layer 0: the switch it is drawn at; FABRIC_NONE: it has no link
    // Of a switch: its links to nodes of layer 0, and those of them whose node is folded.
    uint32_t hosts, folded;
    // Of a switch: the nodes it is the home of that are shown; and that are troubled, that is, they
    // or their links are not good.
    uint32_t shown_hosts, troubled_hosts;
};

struct picture_link {
    uint32_t node, peer; // indices of nodes; the one of the higher layer comes first
    uint8_t port, peer_port;
    bool absent; // alarms name it, and it is not in the fabric
    enum picture_state state;
    uint8_t width; // bits, as of a port of the fabric; 0: unknown
    uint16_t speed;
};

struct picture {
    const struct fabric *fabric; // the caller's; it and the names outlive the picture
    const struct names *names;
    bool show_hosts;
    struct picture_node *nodes; // those of the fabric, in its order, then the absent ones
    uint32_t node_count, node_room;
    struct picture_link *links; // those of the fabric, then the absent ones
    uint32_t link_count, link_room, present_links;
    uint32_t *link_of; // by the fabric's ports; FABRIC_NONE: the port has no link
    uint32_t layers;   // the highest layer
    uint32_t *order;   // the switches, layer by layer, each by its place
    uint32_t order_count;
    bool cut; // not all that is absent is in the picture
};

// Whether the link is drawn: its two nodes are shown.
static inline bool picture_shows(const struct picture *p, const struct picture_link *link)
{
    return p->nodes[link->node].shown && p->nodes[link->peer].shown;
}

enum {
    PICTURE_ABSENT_MAX = 1024,  // nodes, and links, that alarms name and the fabric lacks
    PICTURE_TROUBLED_HOSTS = 4, // of a switch that are shown while hosts are folded
    PICTURE_LAYERS_MAX = 32,    // switches that are farther away are in the last layer
    PICTURE_NAME_SIZE = FABRIC_DESCRIPTION_SIZE,
};

// Begins a picture. `names` may be NULL. Folded hosts are counted at their switches; those that
// are troubled are shown nevertheless if they are few.
struct picture *picture_new(const struct fabric *fabric, const struct names *names,
                            bool show_hosts);
void picture_free(struct picture *picture); // NULL is allowed

// Adds what an active alarm says: its key, and the event that raised it. Alarms about something
// else than nodes, ports and links change nothing. Before picture_finish.
void picture_add_alarm(struct picture *picture, const char *key, const char *event);

// Gives an absent node that has no name this one. Before picture_finish.
void picture_name_absent(struct picture *picture, uint64_t guid, const char *name);

// Finds the node, port or link that an alarm's key names, behind the words that some keys begin
// with, such as those of counters. False: it names none.
bool picture_read_key(const char *key, struct alarm_key *out);

// Arranges all that was added. A switch is in layer 1 if it has hosts, unless it has fewer of them
// than neighbours with more of them: a spine does not become a leaf by the host of a subnet
// manager. Nodes that are part of the switch itself, such as its aggregation node, do not count.
// Another switch's layer is one more than its distance from those of layer 1.
void picture_finish(struct picture *picture);

// How many switches of the order, from `from` to `end`, are in the layer of the first of them.
uint32_t picture_layer_size(const struct picture *picture, uint32_t from, uint32_t end);

// The name of the node, or its GUID as 0x and 16 digits if it has none.
void picture_name(const struct picture_node *node, char out[PICTURE_NAME_SIZE]);

// "good", "missing", "degraded", "fault"
const char *picture_state_word(enum picture_state state);

#endif
