// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_order.h"

#include "base/memory.h"

#include <stdlib.h>

enum { BRANCHES_MAX = 256 }; // ports of a node

// The tree of shortest paths from the own node. Each node has a list of the nodes behind it, which
// begins with itself.
struct sweep_order {
    const struct fabric *fabric;
    uint32_t *reached;     // the nodes in the order in which they were reached; those that one node
    uint32_t count;        // leads to follow each other
    uint32_t *first, *end; // of them, in `reached`, by node; FABRIC_NONE: not reached
    uint32_t *next;        // in the list, by node
    uint32_t *last;        // of the list, by node
};

// The branches of a node that have nodes left.
struct sweep_order_turns {
    uint32_t nodes[BRANCHES_MAX], last[BRANCHES_MAX];
    uint32_t count;
};

// `first` is FABRIC_NONE for a node that was not reached.
static void sweep_order_reach(struct sweep_order *o, uint32_t root)
{
    for (uint32_t i = 0; i < o->fabric->node_count; i++)
        o->first[i] = FABRIC_NONE;
    o->reached[o->count++] = root;
    o->first[root] = 0;
    for (uint32_t at = 0; at < o->count; at++) {
        const uint32_t node = o->reached[at];
        const struct fabric_node *n = &o->fabric->nodes[node];
        o->first[node] = o->count;
        for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
            const uint32_t peer = o->fabric->ports[i].peer_node;
            if (peer == FABRIC_NONE || o->first[peer] != FABRIC_NONE)
                continue;
            o->first[peer] = 0;
            o->reached[o->count++] = peer;
        }
        o->end[node] = o->count;
    }
}

static void sweep_order_begin_turns(const struct sweep_order *o, uint32_t node,
                                    struct sweep_order_turns *turns)
{
    turns->count = 0;
    for (uint32_t i = o->first[node]; i < o->end[node] && turns->count < BRANCHES_MAX; i++) {
        turns->nodes[turns->count] = o->reached[i];
        turns->last[turns->count++] = o->last[o->reached[i]];
    }
}

// Makes the list of a node from those of the nodes that it leads to. What is left of one list, when
// the others have ended, is joined as a whole: so all lists together take n log n steps.
static void sweep_order_join(struct sweep_order *o, uint32_t node)
{
    struct sweep_order_turns turns;
    uint32_t last = node;
    sweep_order_begin_turns(o, node, &turns);
    while (turns.count > 1) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < turns.count; i++) {
            const uint32_t taken = turns.nodes[i], rest = o->next[taken];
            o->next[last] = taken;
            last = taken;
            if (taken == turns.last[i])
                continue;
            turns.nodes[left] = rest;
            turns.last[left++] = turns.last[i];
        }
        turns.count = left;
    }
    if (turns.count == 1) {
        o->next[last] = turns.nodes[0];
        last = turns.last[0];
    }
    o->last[node] = last;
}

// Writes the list, and the nodes that were not reached, over `reached`.
static void sweep_order_write(struct sweep_order *o, uint32_t root)
{
    uint32_t n = 0;
    for (uint32_t node = root;; node = o->next[node]) {
        o->reached[n++] = node;
        if (node == o->last[root])
            break;
    }
    for (uint32_t i = 0; i < o->fabric->node_count; i++) {
        if (o->first[i] == FABRIC_NONE)
            o->reached[n++] = i;
    }
}

uint32_t *sweep_order_nodes(const struct fabric *fabric, uint16_t own_lid)
{
    const size_t size = ((size_t)fabric->node_count + 1) * sizeof(uint32_t);
    struct sweep_order o = {.fabric = fabric,
                            .reached = memory_get(size),
                            .first = memory_get(size),
                            .end = memory_get(size),
                            .next = memory_get(size),
                            .last = memory_get(size)};
    const uint32_t port = fabric_find_lid(fabric, own_lid);
    const uint32_t root = port == FABRIC_NONE ? 0 : fabric_node_of_port(fabric, port);
    if (fabric->node_count > 0) {
        sweep_order_reach(&o, root);
        for (uint32_t i = o.count; i-- > 0;)
            sweep_order_join(&o, o.reached[i]);
        sweep_order_write(&o, root);
    }
    free(o.first);
    free(o.end);
    free(o.next);
    free(o.last);
    return o.reached;
}
