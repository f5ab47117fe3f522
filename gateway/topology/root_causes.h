// SPDX-License-Identifier: BSD-2-Clause
// Finds the root causes among nodes that came or went together: a switch explains the nodes that
// were connected through it. Pure.
#ifndef IBTRAPD_TOPOLOGY_ROOT_CAUSES_H
#define IBTRAPD_TOPOLOGY_ROOT_CAUSES_H

#include "model/fabric.h"

// Examines the nodes that are in one snapshot only: those with the `counterpart` FABRIC_NONE. Both
// arrays have one entry for each node of the fabric.
//
// Sets `root` to the node's root cause, and to FABRIC_NONE for a node with a counterpart:
// - A node with a link to a node that has a counterpart is its own root cause.
// - Another node's root cause is the nearest switch that is its own root cause; among equally near
//   switches, the one with the smallest GUID.
// - In an island without such a switch, the switch with the smallest GUID is the root cause of all;
//   without any switch, each node is its own.
// Linear.
void root_causes_find(const struct fabric *fabric, const uint32_t *counterpart, uint32_t *root);

#endif
