// SPDX-License-Identifier: BSD-2-Clause
// The branches of a sweep by directed routes, and the order of their turns. A branch is a port with
// everything behind the port: the node at the other end, and the branches of the node's ports. The
// first branch is the own node.
//
// At each node, its branches take turns. A turn is one query. Queries about the node itself come
// first. So a branch without end, made up by a lying switch, costs another branch of N queries a
// delay of N queries at most. A branch that made the sweep wait for an answer passes turns for the
// same time, unless no other branch wants them.
//
// A switch that makes up nodes behind each of its ports has many branches. So all branches of a
// node that lead to strangers (nodes not known before) share the turns of one branch. If nothing
// was known before, nobody is a stranger, and the lies behind each port of the switch delay the
// honest nodes behind the switch.
//
// Pure. For one thread.
#pragma once

#include "ib/node_mad.h"

#include <stdbool.h>
#include <stdint.h>

#define SWEEP_BRANCHES_NONE UINT32_MAX

// A query that has its turn.
struct sweep_branches_query {
    uint32_t branch;
    uint8_t port; // PortInfo: its number
    bool is_node; // NodeInfo
    bool is_port; // PortInfo; neither: NodeDescription
};

struct sweep_branches;
struct sweep_branches *sweep_branches_new(void);
void sweep_branches_free(struct sweep_branches *branches); // NULL is allowed

// Adds the branch at a port of the node that `parent` leads to, and queues the query for NodeInfo
// of the node behind it. SWEEP_BRANCHES_NONE as `parent`: the first branch. Returns the number of
// the branch. The route of `parent` must have room for a further hop.
uint32_t sweep_branches_add(struct sweep_branches *branches, uint32_t parent, uint8_t port);

// The node that the branch leads to has answered: `node` is the caller's number for it, and
// `port_guid` the GUID of its port. Once for each branch, before more about it is queued.
void sweep_branches_answered(struct sweep_branches *branches, uint32_t branch, uint32_t node,
                             uint64_t port_guid, bool is_stranger);

// Queue queries about that node: for its NodeDescription, and for PortInfo of its ports from
// `first` to `last`. Once for each branch.
void sweep_branches_ask_name(struct sweep_branches *branches, uint32_t branch);
void sweep_branches_ask_ports(struct sweep_branches *branches, uint32_t branch, uint8_t first,
                              uint8_t last);

// Queues one more query for NodeInfo, behind the answers to all other queries about the node.
void sweep_branches_ask_again(struct sweep_branches *branches, uint32_t branch);

// Repeats the query for NodeInfo after all others that wait or are to come, once for each branch.
// False: it was repeated before.
bool sweep_branches_postpone(struct sweep_branches *branches, uint32_t branch);

// Takes the query whose turn it is. False: none waits. `all_answered`: no query taken before still
// waits for its answer, and postponed queries may come.
bool sweep_branches_next(struct sweep_branches *branches, bool all_answered,
                         struct sweep_branches_query *out);

// The answer to a query of this branch, or the end of its attempts, took so long. Call the function
// for each query before the query has consequences. Less than some
// milliseconds make no difference; beyond, the branch passes a turn for each 50 us, in which
// another branch has a query answered.
void sweep_branches_waited(struct sweep_branches *branches, uint32_t branch, int64_t us);

// The place of a branch. Branches have the numbers from 0. Some branches stand for the strangers of
// a node: these branches have the number of the node, no port and no GUID.
struct sweep_branch {
    uint64_t port_guid; // of the node's port; 0: the node has not answered
    uint32_t parent;    // SWEEP_BRANCHES_NONE: the first branch
    uint32_t node;      // the number given to sweep_branches_answered; or SWEEP_BRANCHES_NONE
    uint8_t port;       // of the parent's node
    uint8_t hops;
};

uint32_t sweep_branches_count(const struct sweep_branches *branches);
struct sweep_branch sweep_branches_at(const struct sweep_branches *branches, uint32_t branch);

// The directed route of the branch: the ports by which an SMP leaves each node. Returns how many.
uint8_t sweep_branches_path(const struct sweep_branches *branches, uint32_t branch,
                            uint8_t path[SMP_HOPS_MAX]);

// The branch to blame for the cost of the sweep: follows, from the own node on, each branch with
// more than half of the turns of the branch before, passed turns included. The turns of the own
// node do not count: the own node has no port to blame, and a busy host answers itself late. The
// search ends at a node that `is_known` denies. Port 0 stands for the strangers of its parent.
uint32_t sweep_branches_largest(const struct sweep_branches *branches,
                                bool (*is_known)(void *ctx, uint32_t node), void *ctx);
