// SPDX-License-Identifier: BSD-2-Clause
// Finds the nodes of one fabric in another, by GUID, or by name. Pure.
#ifndef IBTRAPD_TOPOLOGY_EXPECTATION_MATCH_H
#define IBTRAPD_TOPOLOGY_EXPECTATION_MATCH_H

#include "model/fabric.h"
#include "model/names.h"

// Sets there[i] to the index in `now` of node i of `expected`, and wanted[j] the other way; or to
// FABRIC_NONE. `by_name` (expectation.h): first by the names that `names` (may be NULL) has for the
// nodes of `now`, then by their descriptions, and last by GUID.
void expectation_match(bool by_name, const struct fabric *expected, const struct fabric *now,
                       const struct names *names, uint32_t *there, uint32_t *wanted);

#endif
