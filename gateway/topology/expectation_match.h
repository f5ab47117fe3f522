// SPDX-License-Identifier: BSD-2-Clause
// Finds the nodes of one fabric in another, by GUID, or by name. Pure.
#ifndef IBTRAPD_TOPOLOGY_EXPECTATION_MATCH_H
#define IBTRAPD_TOPOLOGY_EXPECTATION_MATCH_H

#include "model/fabric.h"
#include "model/names.h"

// Sets there[i] to the index in `now` of node i of `expected`, and wanted[j] the other way; or to
// FABRIC_NONE.
void expectation_match_guids(const struct fabric *expected, const struct fabric *now,
                             uint32_t *there, uint32_t *wanted);

// The same by names (expectation.h): those that `names` (may be NULL) has for the nodes of `now`,
// or their descriptions; by GUIDs for the nodes that have no name in common. False: out of memory.
bool expectation_match_names(const struct fabric *expected, const struct fabric *now,
                             const struct names *names, uint32_t *there, uint32_t *wanted);

#endif
