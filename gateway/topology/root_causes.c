// SPDX-License-Identifier: BSD-2-Clause
#include "topology/root_causes.h"

#include "base/memory.h"
#include "topology/describe.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 5 }; // nodes that a reason names

// Switches that were reached. The neighbours of those from `first` to `end` are still to be
// visited.
struct queue {
    const struct fabric *fabric;
    const uint32_t *counterpart;
    uint32_t *root;
    uint32_t *switches;
    uint32_t first, end;
};

static void root_causes_reach(struct queue *q, uint32_t node, uint32_t root)
{
    q->root[node] = root;
    if (q->fabric->nodes[node].type == FABRIC_SWITCH)
        q->switches[q->end++] = node;
}

static void root_causes_reach_neighbours(struct queue *q, uint32_t node)
{
    const struct fabric_node *n = &q->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        uint32_t peer = q->fabric->ports[i].peer_node;
        if (peer != FABRIC_NONE && q->counterpart[peer] == FABRIC_NONE &&
            q->root[peer] == FABRIC_NONE)
            root_causes_reach(q, peer, q->root[node]);
    }
}

static void root_causes_drain(struct queue *q)
{
    while (q->first < q->end)
        root_causes_reach_neighbours(q, q->switches[q->first++]);
}

static bool root_causes_is_own(const struct queue *q, uint32_t node)
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
        if (counterpart[i] == FABRIC_NONE && root_causes_is_own(&q, i))
            root_causes_reach(&q, i, i);
    }
    root_causes_drain(&q);
    for (uint32_t i = 0; i < count; i++) {
        bool left = counterpart[i] == FABRIC_NONE && root[i] == FABRIC_NONE;
        if (left && fabric->nodes[i].type == FABRIC_SWITCH) {
            root_causes_reach(&q, i, i);
            root_causes_drain(&q);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (counterpart[i] == FABRIC_NONE && root[i] == FABRIC_NONE)
            root[i] = i;
    }
    free(q.switches);
}

void root_causes_open(struct root_causes *causes, const struct fabric *fabric,
                      const uint32_t *counterpart)
{
    const uint32_t count = fabric->node_count;
    *causes = (struct root_causes){
        .fabric = fabric,
        .root = memory_get(((size_t)count + 1) * sizeof *causes->root),
        .next = memory_get(((size_t)count + 1) * sizeof *causes->next),
    };
    root_causes_find(fabric, counterpart, causes->root);
    for (uint32_t i = 0; i < count; i++)
        causes->next[i] = FABRIC_NONE;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t root = causes->root[i];
        if (root != FABRIC_NONE && root != i) {
            causes->next[i] = causes->next[root];
            causes->next[root] = i;
        }
    }
}

void root_causes_close(struct root_causes *causes)
{
    free(causes->root);
    free(causes->next);
}

void root_causes_add_nodes(const struct root_causes *causes, uint32_t root,
                           const struct names *names, const char *lead, struct change *change)
{
    const uint32_t *next = causes->next;
    uint32_t count = 0, named = 0;
    // NOLINTNEXTLINE(clang-analyzer-core.*): root_causes_open sets `next` of every node
    for (uint32_t i = next[root]; i != FABRIC_NONE; i = next[i])
        count++;
    change->affected = count;
    if (count == 0)
        return;
    struct text t = text_in(change->reason, sizeof change->reason);
    t.len = strlen(change->reason);
    text_addf(&t, "%s%s %u node%s: ", t.len > 0 ? "; " : "", lead, (unsigned)count,
              count == 1 ? "" : "s");
    for (uint32_t i = next[root]; i != FABRIC_NONE && named < NAMED_MAX; i = next[i]) {
        static const char MORE[] = " and 1000000 more";
        char buf[NAMES_NAME_SIZE + 2];
        struct text name = text_in(buf, sizeof buf);
        struct endpoint who;
        describe_node(causes->fabric, i, names, &who);
        text_add(&name, named > 0 ? ", " : "");
        describe_add_name(&name, &who);
        if (t.len + name.len + sizeof MORE > t.size)
            break;
        text_add(&t, buf);
        named++;
    }
    if (named < count)
        text_addf(&t, " and %u more", (unsigned)(count - named));
}
