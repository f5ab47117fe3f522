// SPDX-License-Identifier: BSD-2-Clause
// Compares the fabric with the one that an operator expects: which nodes and links are missing,
// which cables lead elsewhere, which links are slower, and what is there that is not expected.
// Pure.
#ifndef IBTRAPD_TOPOLOGY_EXPECTATION_H
#define IBTRAPD_TOPOLOGY_EXPECTATION_H

#include "model/fabric.h"
#include "model/names.h"
#include "topology/alarm_key.h"
#include "topology/changes.h"

// Immutable: the expected fabric, and how its nodes are found. Any thread.
struct expectation;

// Takes over the reference to `expected`. `by_name`: a node is the one that has
// its name, whatever its GUID; a node whose name is empty, or not unique in the expected fabric or
// in the present one, or that no node has, is found by its GUID.
struct expectation *expectation_new(struct fabric *expected, bool by_name);
void expectation_free(struct expectation *expectation); // NULL is allowed

const struct fabric *expectation_fabric(const struct expectation *expectation);

// A difference: a change whose type says what is wrong.
// - A missing node: `peer` is where it should hang. `reason` says what is there instead, and which
//   nodes are missing with it. A node whose way to the present nodes leads through missing switches
//   is a consequence: `cause` is the number of the root cause's difference, counted from 0
//   (topology/root_causes.h).
// - A missing link, or one that leads elsewhere: told where both of its nodes are there. One that
//   leads elsewhere has as its subject the end that is connected to `peer` now; `reason` is where
//   it should lead. The link that it has now is not told again.
// - A link below its expected width or speed; `reason` has both rates.
// - A node or link that is not expected. Links of such a node are not told. Nodes that are
// connected
//   through an unexpected switch are its consequences.
// The alarm key is the type's name and the key of the node, or of the link as the fabric names its
// ends (alarm_key.h).
// `unseen`: the sweep was not complete and cannot tell, as a node there did not answer, or as
// nobody knows the rate of the link.
typedef void expectation_each(void *ctx, const struct change *difference, bool unseen);

// Calls `each` for every difference, root causes before their consequences, in an order that
// depends on both fabrics only. `names` may be NULL. Linear, but for the search by name.
void expectation_compare(const struct expectation *expectation, const struct fabric *now,
                         const struct names *names, expectation_each *each, void *ctx);

#endif
