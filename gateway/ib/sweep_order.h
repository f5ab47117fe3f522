// SPDX-License-Identifier: BSD-2-Clause
// Whose turn it is when all nodes of a fabric are asked. At each node, the branches behind its
// ports take turns, as in a sweep (ib/sweep_branches.h). So the nodes behind a lying switch,
// however many, and whatever their GUIDs, delay those of another branch at most by as many nodes as
// that other branch has. Pure.
#ifndef IBTRAPD_IB_SWEEP_ORDER_H
#define IBTRAPD_IB_SWEEP_ORDER_H

#include "model/fabric.h"

// Returns the indices of all nodes, the one with that LID first; those that no link leads to from
// there come last. Free them with free(3).
uint32_t *sweep_order_nodes(const struct fabric *fabric, uint16_t own_lid);

#endif
