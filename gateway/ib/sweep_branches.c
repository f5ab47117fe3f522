// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_branches.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static const uint32_t NONE = SWEEP_BRANCHES_NONE;
enum { FIRST = 0 };
enum { TURN_US = 50, PATIENCE_US = 5000, PASSES_MAX = 1000000 };

struct branch {
    uint64_t port_guid;
    uint64_t turns; // taken, turns of the branches behind included
    uint32_t above; // in whose circle the branch waits: the parent, or the group of strangers there
    uint32_t node;
    uint32_t next;   // in a circle, or in the list of postponed branches
    uint32_t latest; // the last branch in the circle of waiting branches behind; NONE: none waits
    uint32_t passes; // turns to pass
    uint32_t strangers; // the group of those behind it; NONE: it has none
    uint16_t in_flight; // queries without an answer
    uint8_t port, hops;
    uint8_t next_port, last_port; // to query; none if next_port is greater
    bool ask_node, ask_name, ask_ports;
    bool ask_again;  // for the node, when nothing is in flight
    bool is_waiting; // the branch is in the circle of the branch above
    bool was_postponed;
    bool is_group; // of strangers: a branch without queries between the strangers and the branch of
                   // their node
};

struct sweep_branches {
    struct branch *all;
    uint32_t count, capacity;
    uint32_t postponed; // a list; NONE: empty
};

struct sweep_branches *sweep_branches_new(void)
{
    struct sweep_branches *branches = memory_zeroed(1, sizeof *branches);
    branches->postponed = NONE;
    return branches;
}

void sweep_branches_free(struct sweep_branches *branches)
{
    if (branches)
        free(branches->all);
    free(branches);
}

// Waiting for a turn.

static bool sweep_branches_has_query(const struct branch *b)
{
    return b->ask_node || b->ask_name || b->ask_ports || (b->ask_again && b->in_flight == 0);
}

// Puts the branch at the end of the circle above.
static void sweep_branches_enter(struct sweep_branches *branches, uint32_t branch)
{
    struct branch *b = &branches->all[branch], *parent = &branches->all[b->above];
    if (parent->latest == NONE) {
        b->next = branch;
    } else {
        b->next = branches->all[parent->latest].next;
        branches->all[parent->latest].next = branch;
    }
    parent->latest = branch;
    b->is_waiting = true;
}

// Makes the branch, and all branches on the way there, wait for a turn.
static void sweep_branches_wake(struct sweep_branches *branches, uint32_t branch)
{
    while (branch != FIRST && !branches->all[branch].is_waiting) {
        sweep_branches_enter(branches, branch);
        branch = branches->all[branch].above;
    }
}

// Takes the branch of the next turn out of the circle of `parent`, which is not empty: the next
// branch without a turn to pass, or the next branch if all have to pass.
static uint32_t sweep_branches_leave(struct sweep_branches *branches, struct branch *parent)
{
    struct branch *all = branches->all;
    const uint32_t begin = all[parent->latest].next;
    uint32_t at = begin;
    while (all[at].passes > 0) {
        all[at].passes--;
        parent->latest = at;
        at = all[at].next;
        if (at == begin)
            break;
    }
    if (at == parent->latest)
        parent->latest = NONE;
    else
        all[parent->latest].next = all[at].next;
    all[at].is_waiting = false;
    return at;
}

// Queueing.

// Adds a branch outside of all circles.
static uint32_t sweep_branches_append(struct sweep_branches *branches, const struct branch *added)
{
    MEMORY_MAKE_ROOM(branches->all, branches->count, branches->capacity);
    branches->all[branches->count] = *added;
    branches->all[branches->count].latest = branches->all[branches->count].strangers = NONE;
    return branches->count++;
}

uint32_t sweep_branches_add(struct sweep_branches *branches, uint32_t parent, uint8_t port)
{
    assert((parent == NONE) == (branches->count == 0));
    const uint8_t hops = parent == NONE ? 0 : (uint8_t)(branches->all[parent].hops + 1);
    assert(hops <= SMP_HOPS_MAX);
    const struct branch added = {
        .above = parent, .node = NONE, .port = port, .hops = hops, .ask_node = true};
    uint32_t branch = sweep_branches_append(branches, &added);
    sweep_branches_wake(branches, branch);
    return branch;
}

// Moves a branch, which does not wait, into the group of strangers of its node. Branches behind a
// stranger need no further group.
static void sweep_branches_join_strangers(struct sweep_branches *branches, uint32_t branch)
{
    const uint32_t at = branches->all[branch].above;
    const struct branch node = branches->all[at];
    uint32_t group = node.strangers;
    if (node.above != NONE && branches->all[node.above].is_group)
        return;
    if (group == NONE) {
        const struct branch added = {
            .above = at, .node = node.node, .hops = node.hops, .is_group = true};
        group = sweep_branches_append(branches, &added);
        branches->all[at].strangers = group;
    }
    branches->all[branch].above = group;
}

void sweep_branches_answered(struct sweep_branches *branches, uint32_t branch, uint32_t node,
                             uint64_t port_guid, bool is_stranger)
{
    struct branch *b = &branches->all[branch];
    assert(!b->is_waiting && b->latest == NONE);
    b->node = node;
    b->port_guid = port_guid;
    if (is_stranger && b->above != NONE)
        sweep_branches_join_strangers(branches, branch);
}

void sweep_branches_ask_name(struct sweep_branches *branches, uint32_t branch)
{
    branches->all[branch].ask_name = true;
    sweep_branches_wake(branches, branch);
}

void sweep_branches_ask_ports(struct sweep_branches *branches, uint32_t branch, uint8_t first,
                              uint8_t last)
{
    struct branch *b = &branches->all[branch];
    b->next_port = first;
    b->last_port = last;
    b->ask_ports = first <= last;
    sweep_branches_wake(branches, branch);
}

void sweep_branches_ask_again(struct sweep_branches *branches, uint32_t branch)
{
    branches->all[branch].ask_again = true;
    if (sweep_branches_has_query(&branches->all[branch]))
        sweep_branches_wake(branches, branch);
}

bool sweep_branches_postpone(struct sweep_branches *branches, uint32_t branch)
{
    struct branch *b = &branches->all[branch];
    assert(!b->is_waiting && b->latest == NONE);
    if (b->was_postponed)
        return false;
    b->was_postponed = true;
    b->next = branches->postponed;
    branches->postponed = branch;
    return true;
}

static void sweep_branches_resume(struct sweep_branches *branches)
{
    while (branches->postponed != NONE) {
        uint32_t branch = branches->postponed;
        branches->postponed = branches->all[branch].next;
        branches->all[branch].ask_node = true;
        sweep_branches_wake(branches, branch);
    }
}

// Taking turns.

static struct sweep_branches_query sweep_branches_take(struct branch *b, uint32_t branch)
{
    struct sweep_branches_query query = {.branch = branch};
    b->in_flight++;
    if (b->ask_node) {
        b->ask_node = false;
        query.is_node = true;
    } else if (b->ask_name) {
        b->ask_name = false;
    } else if (b->ask_ports) {
        query.is_port = true;
        query.port = b->next_port;
        b->ask_ports = b->next_port++ < b->last_port;
    } else {
        b->ask_again = false;
        query.is_node = true;
    }
    return query;
}

// Goes from turn to turn to the branch that has a query. Branches on the way leave their circles,
// and enter the circles again at the end if a query is left.
bool sweep_branches_next(struct sweep_branches *branches, bool all_answered,
                         struct sweep_branches_query *out)
{
    if (branches->count == 0)
        return false;
    uint32_t at = FIRST;
    struct branch *b = &branches->all[at];
    if (!sweep_branches_has_query(b) && b->latest == NONE && all_answered)
        sweep_branches_resume(branches);
    while (!sweep_branches_has_query(b) && b->latest != NONE) {
        at = sweep_branches_leave(branches, b);
        b = &branches->all[at];
    }
    if (!sweep_branches_has_query(b))
        return false;
    *out = sweep_branches_take(b, at);
    for (; at != NONE; at = b->above) {
        b = &branches->all[at];
        b->turns++;
        if (at != FIRST && (sweep_branches_has_query(b) || b->latest != NONE))
            sweep_branches_enter(branches, at);
    }
    return true;
}

void sweep_branches_waited(struct sweep_branches *branches, uint32_t branch, int64_t us)
{
    const int64_t turns = us / TURN_US;
    branches->all[branch].in_flight--;
    if (sweep_branches_has_query(&branches->all[branch]))
        sweep_branches_wake(branches, branch);
    if (us < PATIENCE_US)
        return;
    for (uint32_t at = branch; at != NONE; at = branches->all[at].above) {
        struct branch *b = &branches->all[at];
        b->turns += (uint64_t)turns;
        b->passes = turns < PASSES_MAX - b->passes ? b->passes + (uint32_t)turns : PASSES_MAX;
    }
}

// Reading.

uint32_t sweep_branches_count(const struct sweep_branches *branches)
{
    return branches->count;
}

struct sweep_branch sweep_branches_at(const struct sweep_branches *branches, uint32_t branch)
{
    const struct branch *b = &branches->all[branch];
    const bool in_group = b->above != NONE && branches->all[b->above].is_group;
    return (struct sweep_branch){.port_guid = b->port_guid,
                                 .parent = in_group ? branches->all[b->above].above : b->above,
                                 .node = b->node,
                                 .port = b->port,
                                 .hops = b->hops};
}

uint8_t sweep_branches_path(const struct sweep_branches *branches, uint32_t branch,
                            uint8_t path[SMP_HOPS_MAX])
{
    struct sweep_branch b = sweep_branches_at(branches, branch);
    const uint8_t hops = b.hops;
    for (; b.hops > 0; b = sweep_branches_at(branches, b.parent))
        path[b.hops - 1] = b.port;
    return hops;
}

// The branch behind `at` with most turns; NONE: there is none. `total`: the turns of all.
static uint32_t sweep_branches_largest_behind(const struct sweep_branches *branches, uint32_t at,
                                              uint64_t *total)
{
    uint32_t largest = NONE;
    *total = 0;
    for (uint32_t i = FIRST + 1; i < branches->count; i++) {
        const struct branch *b = &branches->all[i];
        if (b->above != at)
            continue;
        *total += b->turns;
        if (largest == NONE || branches->all[largest].turns < b->turns)
            largest = i;
    }
    return largest;
}

uint32_t sweep_branches_largest(const struct sweep_branches *branches,
                                bool (*is_known)(void *ctx, uint32_t node), void *ctx)
{
    uint32_t at = FIRST;
    while (branches->all[at].node != NONE && is_known(ctx, branches->all[at].node)) {
        uint64_t turns;
        uint32_t next = sweep_branches_largest_behind(branches, at, &turns);
        if (at != FIRST)
            turns = branches->all[at].turns;
        if (next == NONE || branches->all[next].turns <= turns / 2)
            break;
        at = next;
    }
    return at;
}
