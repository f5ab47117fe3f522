// SPDX-License-Identifier: BSD-2-Clause
// What the two ways to read P_Key tables share.
#ifndef IBTRAPD_IB_SWEEP_PKEYS_H
#define IBTRAPD_IB_SWEEP_PKEYS_H

#include "model/fabric_builder.h"

// How many entries of the table of that port are read; 0: it has no table, or that is not known.
uint16_t sweep_pkeys_entries(const struct fabric_node *node, uint8_t port);

// Gives each port that was not read the table that it had before. `known` may be NULL.
void sweep_pkeys_keep(const struct fabric *known, struct fabric_builder *builder);

#endif
