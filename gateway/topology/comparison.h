// SPDX-License-Identifier: BSD-2-Clause
// Two snapshots side by side, and the tools to describe their differences. The steps in compare.h
// decide which differences are changes.
#pragma once

#include "model/names.h"
#include "topology/alarm_key.h"
#include "topology/changes.h"
#include "topology/diff.h"
#include "topology/planes.h"

// One of the two snapshots. Arrays are by the index of its nodes or ports.
struct comparison_side {
    const struct fabric *fabric;
    const struct systems *systems;
    const struct comparison_side *other;
    uint32_t *counterpart; // index of the same node on the other side, or FABRIC_NONE
    uint32_t alone;        // number of nodes without a counterpart
    uint32_t *node_change; // index of the change that adds, removes or moves the node, or its
                           // I/O unit; FABRIC_NONE: no such change
    uint32_t *port_change; // index of the change that adds, removes or moves the port, or moves its
                           // link; FABRIC_NONE: no such change
    bool *touched;         // the port differs, or its node has no counterpart
    uint32_t *ports;       // the touched ports, ascending
    uint32_t port_count;
};

struct comparison {
    struct comparison_side before, after;
    const struct names *names; // may be NULL
    struct changes *out;
    struct diff_item *items; // the differences that are not about ports
    uint32_t item_count, item_capacity;
};

// Compares the two snapshots, which outlive the comparison. Set `names` and `out` and leave the
// rest zero to begin.
void comparison_open(struct comparison *t, const struct systems *before,
                     const struct systems *after);
void comparison_close(struct comparison *t);

// Adds a change without a cause and sets `index` (may be NULL) to its index. The change is valid
// until the next change is added.
struct change *comparison_add_change(struct comparison *t, enum catalogue_event type,
                                     uint32_t *index);

// The event about a node of that type.
enum node_fate { NODE_REMOVED, NODE_ADDED, NODE_MOVED, NODE_MISSING };
enum catalogue_event comparison_node_event(uint8_t type, enum node_fate fate);

// The same port on the other side, or FABRIC_NONE.
uint32_t comparison_counterpart_port(const struct comparison_side *side, uint32_t port);
// The same port on the other side if it is linked to the same port there, else FABRIC_NONE.
uint32_t comparison_counterpart_link(const struct comparison_side *side, uint32_t port);

// Whether a port of the earlier snapshot is linked in the later one, to whatever port.
bool comparison_is_in_use(const struct comparison *t, uint32_t port);

bool comparison_is_switch(const struct fabric *fabric, uint32_t node);
bool comparison_is_linked(const struct fabric *fabric, uint32_t port);
uint32_t comparison_first_linked(const struct fabric *fabric, uint32_t node); // or FABRIC_NONE
bool comparison_has_capability(const struct fabric *fabric, uint32_t port,
                               enum fabric_capability capability); // false if it is not known
// The subject of a link's changes: the switch's port if one end is a switch, otherwise the port of
// the smaller node GUID, then of the smaller number.
uint32_t comparison_first_end(const struct fabric *fabric, uint32_t port, uint32_t peer);
bool comparison_is_alone(const struct comparison_side *side, uint32_t node); // has no counterpart
uint32_t comparison_earlier(uint32_t change_a, uint32_t change_b);           // FABRIC_NONE is last
bool comparison_is_move(const struct comparison *t, uint32_t change); // false for FABRIC_NONE

// The node's uplink, or FABRIC_NONE: its first linked port. For a switch: the first port that is
// linked to another switch, preferring a switch of both snapshots.
uint32_t comparison_uplink(const struct comparison_side *side, uint32_t node);

// The GUID of the port's node, if that is a switch or router; else of the node at the other end of
// the link, if that is a switch or router; else 0.
uint64_t comparison_switch_guid(const struct fabric *fabric, uint32_t port);

// Sets the change's switch: the node of the subject or the peer, or 0.
void comparison_set_switch(struct change *change);
// Sets the change's subject to the port, its peer to the other end of the link, and its switch.
void comparison_describe_link(const struct fabric *fabric, uint32_t port, const struct names *names,
                              struct change *change);
// The key of the alarm about missing planes.
void comparison_planes_key(char out[EVENT_KEY_SIZE], const struct fabric *fabric,
                           const struct planes *planes);
// The change about the planes of a port (planes.h): link-degraded or link-restored.
void comparison_describe_planes(const struct fabric *fabric, const struct planes *planes,
                                const struct names *names, struct change *change);
// All planes of a port came or went: the first change tells their number, and is the cause of the
// further changes. `index`: of the change. A change with a cause stays unchanged.
void comparison_join_planes(struct comparison_side *side, uint32_t port, uint32_t index,
                            struct change *change);
// Sets the change's subject to the node, its peer to the other end of the uplink, and its switch.
void comparison_set_subject_node(const struct comparison *t, const struct comparison_side *side,
                                 uint32_t node, struct change *change);

// Says in the change where the subject's port of the first snapshot was: `former`, and as the
// reason "port 3 of leaf1 (LID 2)".
void comparison_set_former(const struct comparison *t, uint32_t port, struct change *change);

// The alarm key of the port's link, or of its rate.
struct alarm_key comparison_link(const struct fabric *fabric, uint32_t port,
                                 enum alarm_key_kind kind);
void comparison_link_key(char out[EVENT_KEY_SIZE], enum alarm_key_kind kind,
                         const struct fabric *fabric, uint32_t port);
// Sets the alarm key of something that a GUID names.
void comparison_guid_key(char out[EVENT_KEY_SIZE], enum alarm_key_kind kind, uint64_t guid);

// Adds to the change's reason if the port at that end is disabled now, that is, turned off by the
// subnet manager or by hand (IBA 14.2.5.6, PortPhysicalState), and not down for want of a
// neighbour.
void comparison_add_disabled(const struct comparison *t, const struct endpoint *end,
                             struct change *change);
