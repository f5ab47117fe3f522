// SPDX-License-Identifier: BSD-2-Clause
// Finds the root causes among nodes that came or went together: a switch explains the nodes behind
// the switch. Pure.
//
// Decides: Which switch is the root cause of nodes that left together?
#pragma once

#include "model/fabric.h"
#include "model/names.h"
#include "model/systems.h"
#include "topology/changes.h"

// Examines the nodes of one snapshot alone: the nodes with the `counterpart` FABRIC_NONE. Both
// arrays have one entry for each node of the fabric.
//
// Sets `root` to the node's root cause, and to FABRIC_NONE for a node with a counterpart:
// - A node with a link to a node that has a counterpart is its own root cause.
// - Another node's root cause is the nearest switch that is its own root cause; among equally near
//   switches, the switch with the smallest GUID.
// - In an island without such a switch, the switch with the smallest GUID is the root cause of all;
//   without any switch, each node is its own root cause.
// Linear.
void root_causes_find(const struct fabric *fabric, const uint32_t *counterpart, uint32_t *root);

// The nodes of one snapshot alone, by their root causes. The parts of a system that are root causes
// have one root cause: the first of them, a switch if there is one.
struct root_causes {
    const struct systems *systems;
    const struct fabric *fabric; // of the systems
    const uint32_t *counterpart;
    uint32_t *root; // by node: as root_causes_find sets it, but for the other parts of a system
    uint32_t *next; // by node: the next node with the same root cause, ascending by GUID; the root
                    // cause itself begins the list
    bool *is_part;  // by node: would be a root cause without the other parts of its system
};

// Call root_causes_close in the end.
void root_causes_open(struct root_causes *causes, const struct systems *systems,
                      const uint32_t *counterpart);
void root_causes_close(struct root_causes *causes);

// Adds the number of the system's nodes of this kind, switches or others, to the change about one
// of them, and, for a root cause, how many of them are alone: "3 of 8 adapters". If these are
// several, and not all, adds to the reason "gpu17 mlx5_3 on port 12 of leaf4, ...".
void root_causes_add_parts(const struct root_causes *causes, uint32_t node,
                           const struct names *names, struct change *change);

enum root_causes_fate { ROOT_CAUSES_WENT, ROOT_CAUSES_CAME, ROOT_CAUSES_MISSING };

// Adds the nodes behind a root cause to the change about the root cause: their number as
// `affected`, and to the reason "with it went 7 nodes: a, b, c[1-5]" and "18 hosts lost
// one of their adapters: a[01-18]" (name_list.h). The hosts are systems with parts that are not
// alone. `names` may be NULL.
void root_causes_add_nodes(const struct root_causes *causes, uint32_t root,
                           const struct names *names, enum root_causes_fate fate,
                           struct change *change);
