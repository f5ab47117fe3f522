// SPDX-License-Identifier: BSD-2-Clause
// Compares the fabric with the fabric that an operator expects: missing nodes and links, cables
// that lead elsewhere, slower links, unexpected nodes and links. Pure.
//
// Decides: Which present node is an expected node?
#pragma once

#include "model/fabric.h"
#include "model/names.h"
#include "topology/alarm_key.h"
#include "topology/changes.h"

// The expected fabric, and the way to find its nodes; counted. Any thread may read the fabric;
// expectation_compare notes the nodes that are there: one thread calls this function.
struct expectation;

// Takes over the reference to `expected`. `by_name`: a node with the expected name is the expected
// node, with any GUID. The GUID finds a node in three cases: its name is empty; its name is not
// unique in the expected fabric or in the present fabric; no node has its name. A node without a
// GUID (model/topology_csv.h) is always found by its name, of any type. A switch is also found by
// the machine's part of its name, as leaf1 in "MF0;leaf1:MQM9700/U1". `host_names`: the patterns of
// the expected systems (model/systems.h).
struct expectation *expectation_new(struct fabric *expected, bool by_name,
                                    const struct filter_list *host_names);
struct expectation *expectation_ref(struct expectation *expectation); // NULL is allowed, as below
void expectation_unref(struct expectation *expectation);

// A difference: a change with the type of the difference.
// - A missing node: `peer` is the place where the node should hang. `reason` names what is in that
//   place, and the nodes that are missing with the node. If the way to the present nodes leads
//   through missing switches, the node is a consequence: `cause` is the number of the root cause's
//   difference, from 0 (topology/root_causes.h).
// - A missing or misplaced link, if both of its nodes are there. The subject of a misplaced link is
//   the end that is connected to `peer` now; `reason` is the place where the link should lead. The
//   present link of that end is no further difference.
// - A link below its expected width or speed; `reason` has both rates.
// - An unexpected node or link. Links of an unexpected node are no further differences. Nodes that
//   are connected through an unexpected switch are consequences of the switch. A table of names
//   lacks the aggregation nodes of its switches, and they are expected.
// The alarm key is the name of the type, and the key of the node, or of the link as the fabric
// names its ends (alarm_key.h). In the key a missing node without a GUID has its made number; the
// subject has the GUID that the node had when it was there last.
// `unseen`: the sweep was not complete and cannot tell. A node there did not answer, or nobody
// knows the rate of the link.
typedef void expectation_each(void *ctx, const struct change *difference, bool unseen);

// Where the links of the present fabric should lead. Any thread.
struct expected_links {
    const struct expectation *expectation;
    const struct fabric *now;
    const struct names *names; // may be NULL
    uint32_t *wanted;          // by node of `now`: the expected node; FABRIC_NONE: none
};
void expected_links_open(struct expected_links *links, const struct expectation *expectation,
                         const struct fabric *now, const struct names *names);
void expected_links_close(struct expected_links *links);

// Describes the other end of the port's expected link, as the expected fabric knows it. False: no
// link is expected. `is_there`: the link leads there.
bool expected_links_find(const struct expected_links *links, uint32_t node, uint8_t port,
                         struct endpoint *out, bool *is_there);

// Calls `each` for every difference, root causes before their consequences, in an order that
// depends on both fabrics and their systems only. `names` may be NULL. Linear, but for the search
// by name.
void expectation_compare(struct expectation *expectation, const struct systems *now,
                         const struct names *names, expectation_each *each, void *ctx);
