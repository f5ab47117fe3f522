// SPDX-License-Identifier: BSD-2-Clause
// The fabric as a picture: its nodes in layers, its links, and the state of both by active alarms.
// Pure. The same fabric, names, alarms and options give the same octets (dot.h, svg.h).
// Decides: What is laid out where in a picture?
#pragma once

#include "model/fabric.h"
#include "model/names.h"
#include "model/systems.h"
#include "topology/alarm_key.h"

// From good to bad.
enum picture_state {
    PICTURE_GOOD,
    PICTURE_MISSING,  // expected and not there
    PICTURE_DEGRADED, // slower or narrower than possible or expected
    PICTURE_FAULT,    // with another alarm of severity warning or worse
    PICTURE_STATES,
};

struct picture_node {
    uint64_t guid;
    const char *name; // valid while the fabric, the names and the picture are; empty: no name
    char *own_name;   // the picture's copy of the `name` of an absent or nameless node, or NULL
    char *system;     // of an absent node: the picture's copy of the name of its host, or NULL
    uint32_t one;     // the adapter of the same host that is drawn for all; or the node itself
    uint32_t next;    // the next adapter that the node stands for; FABRIC_NONE: none
    uint8_t type;     // enum fabric_type
    bool absent;      // named by alarms, and not in the fabric
    bool silent;
    bool shown;               // false: a host, folded into the count of its switch
    bool edge;                // a switch of layer 1, see picture_finish
    enum picture_state state; // by alarms about the node itself
    enum picture_state whole; // the worst of the node and its links to `home`
    enum picture_state near;  // the worst of its links
    uint32_t layer;           // hosts and routers 0, switches 1 and up
    uint32_t place; // from 0: of a switch in its layer; of a shown node of layer 0 at its home, in
                    // the order of the home's ports
    uint32_t home;  // of layer 0: the switch where the node is drawn; FABRIC_NONE: no link
    // Of a switch: its links to nodes of layer 0, and its links to folded nodes.
    uint32_t hosts, folded;
    // Of a home: its shown nodes; its troubled nodes. A node is troubled if the node or a link of
    // the node is not good.
    uint32_t shown_hosts, troubled_hosts;
};

struct picture_link {
    uint32_t node, peer; // indices of nodes; the node of the higher layer comes first
    uint8_t port, peer_port;
    bool absent; // named by alarms, and not in the fabric
    enum picture_state state;
    uint8_t width; // a bit, like the width of a port of the fabric; 0: unknown
    uint16_t speed;
};

struct picture {
    const struct fabric *fabric; // the caller's; fabric and names outlive the picture
    const struct names *names;
    const struct systems *systems; // of the fabric; NULL: none
    bool show_hosts;
    struct picture_node *nodes; // the nodes of the fabric, in its order, then the absent nodes
    uint32_t node_count, node_room;
    struct picture_link *links; // the links of the fabric, then the absent links
    uint32_t link_count, link_room, present_links;
    uint32_t *link_of; // by the fabric's ports; FABRIC_NONE: the port has no link
    uint32_t layers;   // the highest layer
    uint32_t *order;   // the switches by layer and place
    uint32_t order_count;
    bool cut; // the picture lacks some absent nodes or links
};

// Whether the link is drawn: both nodes are shown.
static inline bool picture_shows(const struct picture *p, const struct picture_link *link)
{
    return p->nodes[link->node].shown && p->nodes[link->peer].shown;
}

enum {
    PICTURE_ABSENT_MAX = 1024,  // absent nodes, and absent links
    PICTURE_TROUBLED_HOSTS = 4, // shown at a switch while hosts are folded
    PICTURE_LAYERS_MAX = 32,    // the last layer has the farther switches, too
    PICTURE_NAME_SIZE = FABRIC_DESCRIPTION_SIZE,
};

// Begins a picture. `names` and `systems` may be NULL; the systems of another fabric count as NULL.
// A host with several adapters is one box at the switch of its first link, with a line to each
// other switch. Folded hosts are counted at their switches. The troubled hosts of a switch are
// shown nevertheless if they are few.
struct picture *picture_new(const struct fabric *fabric, const struct names *names,
                            const struct systems *systems, bool show_hosts);
void picture_free(struct picture *picture); // NULL is allowed

// Adds an active alarm by its key and the name of the raising event. Only alarms about nodes, ports
// and links change the picture. An alarm that follows from another is shown as missing at most, so
// that the cause stands out. Before picture_finish.
void picture_add_alarm(struct picture *picture, const char *key, const char *event, bool follows);

// Names an absent node and its host, unless the node has a name. Before picture_finish.
void picture_name_absent(struct picture *picture, uint64_t guid, const char *name,
                         const char *system);

// Finds the node, port or link in an alarm's key. Some keys begin with words, for instance the keys
// of counters. False: the key names no node, port or link.
bool picture_read_key(const char *key, struct alarm_key *out);

// Arranges the picture. A switch is in layer 1 if:
// - the switch has hosts; a node of the switch's own system, for instance its aggregation node, is
//   no host here
// - and the switch has at least as many hosts as neighbours with more hosts: a spine does not
// become
//   a leaf by the host of a subnet manager.
// The layer of another switch is its distance from layer 1, plus 1.
void picture_finish(struct picture *picture);

// How many switches of the order, from `from` to `end`, are in the layer of the first of them.
uint32_t picture_layer_size(const struct picture *picture, uint32_t from, uint32_t end);

// The name of the node; without a name, its GUID as 0x and 16 digits.
void picture_name(const struct picture_node *node, char out[PICTURE_NAME_SIZE]);

// "good", "missing", "degraded", "fault"
const char *picture_state_word(enum picture_state state);
