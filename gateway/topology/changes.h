// SPDX-License-Identifier: BSD-2-Clause
// Compares two snapshots of the fabric: which nodes, ports, links and services came, went, moved or
// changed, and which of these changes is the root cause of which others. Pure.
//
// Read change.h for the result, changes.c for the order of the steps, compare.h for each step, and
// comparison.h for the tools that the steps share.
#ifndef IBTRAPD_TOPOLOGY_CHANGES_H
#define IBTRAPD_TOPOLOGY_CHANGES_H

#include "model/names.h"
#include "topology/change.h"

// Adds the changes to `out`, root causes before their consequences, in an order that depends on the
// two snapshots only. A link is there when both of its ports name each other; port states do not
// matter. A silent node, and a port whose PortInfo is not known, is no change. `names` may be NULL.
void changes_between(const struct fabric *before, const struct fabric *after,
                     const struct names *names, struct changes *out);

// Adds a failover if `after` has a master subnet manager and that is not `former`. changes_between
// does this for two snapshots that both have a master. Call it for a master that was remembered
// from an earlier snapshot.
void changes_add_failover(const struct fabric *after, const struct endpoint *former,
                          const struct names *names, struct changes *out);

void changes_clear(struct changes *changes); // frees the list and zeroes the struct

#endif
