// SPDX-License-Identifier: BSD-2-Clause
// What a picture of the fabric consists of.
#ifndef IBTRAPD_PICTURE_PARTS_H
#define IBTRAPD_PICTURE_PARTS_H

#include "model/fabric.h"
#include "model/names.h"

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
    bool shown; // false: it is a host that is folded into the count of its switch
    bool edge;  // it is a switch of layer 1, see picture_new
    enum picture_state state;
    uint32_t layer; // hosts and routers 0, switches 1 and up
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

#endif
