// SPDX-License-Identifier: BSD-2-Clause
#include "topology/root_causes.h"

#include "base/memory.h"
#include "topology/describe.h"
#include "topology/name_list.h"

#include <stdlib.h>
#include <string.h>

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

// Gives the parts of each system that are root causes one root cause.
static void root_causes_join_parts(struct root_causes *c)
{
    const uint32_t count = c->fabric->node_count;
    uint32_t *first = fabric_indices(c->systems->count);
    for (int switches = 1; switches >= 0; switches--) {
        for (uint32_t i = 0; i < count; i++) {
            const bool is_switch = c->fabric->nodes[i].type == FABRIC_SWITCH;
            if (c->root[i] == i && is_switch == switches && first[c->systems->of[i]] == FABRIC_NONE)
                first[c->systems->of[i]] = i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (c->root[i] == FABRIC_NONE)
            continue;
        const uint32_t joined = first[c->systems->of[c->root[i]]];
        c->is_part[i] = c->root[i] == i && joined != i;
        c->next[i] = joined;
    }
    memcpy(c->root, c->next, count * sizeof *c->root);
    free(first);
}

void root_causes_open(struct root_causes *causes, const struct systems *systems,
                      const uint32_t *counterpart)
{
    const uint32_t count = systems->fabric->node_count;
    *causes = (struct root_causes){
        .systems = systems,
        .fabric = systems->fabric,
        .counterpart = counterpart,
        .root = fabric_indices(count),
        .next = fabric_indices(count),
        .is_part = memory_zeroed((size_t)count + 1, sizeof *causes->is_part),
    };
    root_causes_find(systems->fabric, counterpart, causes->root);
    root_causes_join_parts(causes);
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
    free(causes->is_part);
}

// The parts of the node's system.

static const struct system *root_causes_system(const struct root_causes *c, uint32_t node)
{
    return systems_of(c->systems, node);
}

static uint32_t root_causes_part(const struct root_causes *c, const struct system *s, uint32_t i)
{
    return c->systems->parts[s->first + i];
}

static bool root_causes_is_alone(const struct root_causes *c, uint32_t node)
{
    return c->counterpart[node] == FABRIC_NONE;
}

static uint32_t root_causes_count_alone(const struct root_causes *c, const struct system *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        count += root_causes_is_alone(c, root_causes_part(c, s, i));
    return count;
}

// "gpu17 mlx5_3 on port 12 of leaf4".
static void root_causes_write_place(const struct root_causes *c, uint32_t node,
                                    const struct names *names, struct text *t)
{
    const struct fabric_node *n = &c->fabric->nodes[node];
    struct endpoint who;
    describe_node(c->fabric, node, names, &who);
    describe_add_name(t, &who);
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        const uint32_t peer = fabric_peer(c->fabric, i);
        if (peer == FABRIC_NONE)
            continue;
        describe_port(c->fabric, peer, names, &who);
        text_add(t, " on ");
        describe_add_port(t, &who);
        return;
    }
}

static void root_causes_list_parts(const struct root_causes *c, const struct system *s,
                                   bool switches, const struct names *names, struct text *t)
{
    struct name_list list = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t part = root_causes_part(c, s, i);
        if (!root_causes_is_alone(c, part) ||
            fabric_is_element(c->fabric->nodes[part].type) != switches)
            continue;
        struct text name = text_in(name_list_add(&list), NAMES_NAME_SIZE);
        root_causes_write_place(c, part, names, &name);
    }
    name_list_write(&list, NAME_LIST_FEW, t->size, t);
    name_list_clear(&list);
}

void root_causes_add_parts(const struct root_causes *causes, uint32_t node,
                           const struct names *names, struct change *change)
{
    const struct root_causes *c = causes;
    const struct system *s = root_causes_system(c, node);
    const bool switches = fabric_is_element(c->fabric->nodes[node].type);
    uint16_t alone = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t part = root_causes_part(c, s, i);
        if (fabric_is_element(c->fabric->nodes[part].type) != switches)
            continue;
        change->parts++;
        alone += root_causes_is_alone(c, part);
    }
    change->is_part = c->is_part[node];
    if (c->root[node] != node || change->parts == 1)
        return;
    change->parts_changed = alone;
    if (alone == 1 || alone == change->parts)
        return;
    struct text t = text_behind(change->reason, sizeof change->reason);
    root_causes_list_parts(c, s, switches, names, &t);
}

// The systems behind a root cause. `whole`: those of which no part is left, or of which all parts
// are new; else the others.
struct root_causes_behind {
    const struct root_causes *causes;
    uint32_t root;
    bool whole, boxes; // all are boxes
    uint32_t count;
    bool single; // each has one part that is alone
};

// Whether the node is the first of its system behind the root cause, and its system is one to list.
static bool root_causes_is_listed(const struct root_causes_behind *b, uint32_t node)
{
    const struct root_causes *c = b->causes;
    const struct system *s = root_causes_system(c, node);
    uint32_t i = 0;
    if (s == root_causes_system(c, b->root) ||
        (root_causes_count_alone(c, s) == s->count) != b->whole)
        return false;
    while (c->root[root_causes_part(c, s, i)] != b->root)
        i++;
    return root_causes_part(c, s, i) == node;
}

static void root_causes_count_behind(struct root_causes_behind *b)
{
    const struct root_causes *c = b->causes;
    b->single = b->boxes = true;
    // NOLINTNEXTLINE(clang-analyzer-core.*): root_causes_open sets `next` of every node
    for (uint32_t i = c->next[b->root]; i != FABRIC_NONE; i = c->next[i]) {
        if (!root_causes_is_listed(b, i))
            continue;
        const struct system *s = root_causes_system(c, i);
        b->count++;
        b->single = b->single && root_causes_count_alone(c, s) == 1;
        b->boxes = b->boxes && s->is_box;
    }
}

static void root_causes_name_behind(const struct root_causes_behind *b, const struct names *names,
                                    size_t room, struct text *t)
{
    const struct root_causes *c = b->causes;
    struct name_list list = {0};
    for (uint32_t i = c->next[b->root]; i != FABRIC_NONE; i = c->next[i]) {
        const struct system *s = root_causes_system(c, i);
        struct endpoint who;
        if (!root_causes_is_listed(b, i))
            continue;
        struct text name = text_in(name_list_add(&list), NAMES_NAME_SIZE);
        describe_node(c->fabric, i, names, &who);
        if (s->count > 1 && s->name[0] != '\0')
            text_add(&name, s->name);
        else
            describe_add_name(&name, &who);
    }
    name_list_write(&list, list.count, room, t);
    name_list_clear(&list);
}

static void root_causes_add_whole(const struct root_causes_behind *b, const struct names *names,
                                  enum root_causes_fate fate, size_t room, struct text *t)
{
    static const char *const LEADS[] = {"with it went", "with it came", "missing with it"};
    if (b->count == 0)
        return;
    text_addf(t, "%s%s %u node%s: ", t->len > 0 ? "; " : "", LEADS[fate], (unsigned)b->count,
              b->count == 1 ? "" : "s");
    root_causes_name_behind(b, names, room, t);
}

static void root_causes_add_damaged(const struct root_causes_behind *b, const struct names *names,
                                    enum root_causes_fate fate, struct text *t)
{
    static const char *const VERBS[] = {"lost", "got", "lack"};
    const bool one = b->count == 1;
    if (b->count == 0)
        return;
    text_addf(t, "%s%u %s %s ", t->len > 0 ? "; " : "", (unsigned)b->count,
              b->boxes ? (one ? "switch" : "switches") : (one ? "host" : "hosts"), VERBS[fate]);
    if (b->single)
        text_addf(t, "one of %s ", one ? "its" : "their");
    text_addf(t, "%s: ", b->boxes ? "parts" : "adapters");
    root_causes_name_behind(b, names, t->size, t);
}

void root_causes_add_nodes(const struct root_causes *causes, uint32_t root,
                           const struct names *names, enum root_causes_fate fate,
                           struct change *change)
{
    const struct system *own = root_causes_system(causes, root);
    struct root_causes_behind whole = {.causes = causes, .root = root, .whole = true},
                              damaged = {.causes = causes, .root = root};
    for (uint32_t i = causes->next[root]; i != FABRIC_NONE; i = causes->next[i])
        change->affected += root_causes_system(causes, i) != own;
    if (change->affected == 0)
        return;
    struct text t = text_behind(change->reason, sizeof change->reason);
    root_causes_count_behind(&whole);
    root_causes_count_behind(&damaged);
    // A second list needs room, too.
    root_causes_add_whole(&whole, names, fate, damaged.count > 0 ? t.size / 3 : t.size, &t);
    root_causes_add_damaged(&damaged, names, fate, &t);
}
