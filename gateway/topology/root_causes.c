// SPDX-License-Identifier: BSD-2-Clause
#include "topology/root_causes.h"

#include "base/memory.h"

#include <stdlib.h>

// Switches that were reached. The neighbours of those from `first` to `end` are still to be
// visited.
struct queue {
    const struct fabric *fabric;
    const uint32_t *counterpart;
    uint32_t *root;
    uint32_t *switches;
    uint32_t first, end;
};

static void reach(struct queue *q, uint32_t node, uint32_t root)
{
    q->root[node] = root;
    if (q->fabric->nodes[node].type == FABRIC_SWITCH)
        q->switches[q->end++] = node;
}

static void reach_neighbours(struct queue *q, uint32_t node)
{
    const struct fabric_node *n = &q->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        uint32_t peer = q->fabric->ports[i].peer_node;
        if (peer != FABRIC_NONE && q->counterpart[peer] == FABRIC_NONE &&
            q->root[peer] == FABRIC_NONE)
            reach(q, peer, q->root[node]);
    }
}

static void root_causes_drain(struct queue *q)
{
    while (q->first < q->end)
        reach_neighbours(q, q->switches[q->first++]);
}

static bool is_own_root_cause(const struct queue *q, uint32_t node)
{
    const struct fabric_node *n = &q->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        uint32_t peer = q->fabric->ports[i].peer_node;
        if (peer != FABRIC_NONE && q->counterpart[peer] != FABRIC_NONE)
            return true;
    }
    return false;
}

void root_causes_find(const struct fabric *fabric, const uint32_t *counterpart, uint32_t *root)
{
    uint32_t count = fabric->node_count;
    struct queue q = {fabric, counterpart, root, memory_get((count + 1) * sizeof(uint32_t)), 0, 0};
    for (uint32_t i = 0; i < count; i++)
        root[i] = FABRIC_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (counterpart[i] == FABRIC_NONE && is_own_root_cause(&q, i))
            reach(&q, i, i);
    }
    root_causes_drain(&q);
    for (uint32_t i = 0; i < count; i++) {
        bool left = counterpart[i] == FABRIC_NONE && root[i] == FABRIC_NONE;
        if (left && fabric->nodes[i].type == FABRIC_SWITCH) {
            reach(&q, i, i);
            root_causes_drain(&q);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (counterpart[i] == FABRIC_NONE && root[i] == FABRIC_NONE)
            root[i] = i;
    }
    free(q.switches);
}
