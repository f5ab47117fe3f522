// SPDX-License-Identifier: BSD-2-Clause
// Lists every difference between two snapshots, in one pass over both. Pure.
#pragma once

#include "model/fabric.h"

enum diff_kind {
    DIFF_NODE_REMOVED, // there are no items for its ports
    DIFF_NODE_ADDED,   // the same
    DIFF_NODE_ALTERED, // another description, type, port count, ids
    DIFF_PORT_REMOVED,
    DIFF_PORT_ADDED,
    DIFF_PORT_ALTERED, // any of its values, or its link: the peer's GUID or port
    DIFF_SM_REMOVED,
    DIFF_SM_ADDED,
    DIFF_SM_ALTERED,
    DIFF_CONTROLLER_REMOVED,
    DIFF_CONTROLLER_ADDED,
};

struct diff_item {
    enum diff_kind kind;
    uint32_t before,
        after; // index into the array that the kind names; FABRIC_NONE where there is none
    uint32_t before_node, after_node; // of a port; FABRIC_NONE for the others
};

// Calls `each` for every difference, in an order that depends on the two snapshots only. Another
// time or completeness is no difference. Linear in the size of both.
void diff_fabrics(const struct fabric *before, const struct fabric *after,
                  void (*each)(void *ctx, const struct diff_item *item), void *ctx);

// Finds the nodes of both snapshots that have the same GUID and no counterpart yet: sets there[i]
// to the index in `after` of node i of `before`, and back[j] the other way. FABRIC_NONE: no
// counterpart.
void diff_match_nodes(const struct fabric *before, const struct fabric *after, uint32_t *there,
                      uint32_t *back);

// Whether the ports are linked to the same port (its node GUID and number), or both to none.
bool diff_same_peer(const struct fabric *a, const struct fabric_port *port_a,
                    const struct fabric *b, const struct fabric_port *port_b);
