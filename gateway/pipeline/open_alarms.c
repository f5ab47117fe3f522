// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/open_alarms.h"

#include "base/memory.h"
#include "base/search.h"
#include "model/fabric_builder.h"
#include "topology/root_causes.h"

#include <stdlib.h>

static void open_alarms_index_end(struct open_alarms *alarms, uint64_t guid, uint8_t port,
                                  size_t alarm)
{
    alarms->ends[alarms->end_count++] =
        (struct open_alarm_end){.guid = guid, .port = port, .alarm = (uint32_t)alarm};
}

static int open_alarms_compare_ends(const void *a, const void *b)
{
    const struct open_alarm_end *m = a, *n = b;
    if (m->guid != n->guid)
        return m->guid < n->guid ? -1 : 1;
    return m->port - n->port;
}

static void open_alarms_index_ends(struct open_alarms *alarms)
{
    alarms->ends = memory_zeroed(2 * alarms->count, sizeof *alarms->ends);
    for (size_t i = 0; i < alarms->count; i++) {
        const struct alarm_key *what = &alarms->all[i].what;
        if (what->kind == ALARM_KEY_NODE)
            open_alarms_index_end(alarms, what->guid, 0, i);
        if (what->kind != ALARM_KEY_LINK)
            continue;
        open_alarms_index_end(alarms, what->guid, what->port, i);
        open_alarms_index_end(alarms, what->peer_guid, what->peer_port, i);
    }
    qsort(alarms->ends, alarms->end_count, sizeof *alarms->ends, open_alarms_compare_ends);
}

void open_alarms_collect(struct open_alarms *alarms, struct policy *policy)
{
    size_t count;
    struct policy_alarm *all = policy_list_alarms(policy, &count);
    *alarms = (struct open_alarms){.all = memory_zeroed(count, sizeof *alarms->all)};
    for (size_t i = 0; i < count; i++) {
        struct open_alarm *a = &alarms->all[alarms->count];
        struct alarm_key cause;
        a->is = all[i];
        a->cause = a->is.cause_key && alarm_key_read(a->is.cause_key, &cause) ? cause.guid : 0;
        alarms->count += alarm_key_read(all[i].key, &a->what);
    }
    free(all);
    open_alarms_index_ends(alarms);
}

void open_alarms_clear(struct open_alarms *alarms)
{
    free(alarms->all);
    free(alarms->ends);
}

// The graph of missing things: the missing nodes, and their neighbours in the fabric.

struct graph {
    const struct open_alarms *alarms;
    const struct fabric *fabric;
    struct fabric_builder *builder;
};

static uint8_t open_alarms_type_of_node(const struct open_alarm *alarm)
{
    if (alarm->is.type == catalogue_get(CATALOGUE_SWITCH_REMOVED))
        return FABRIC_SWITCH;
    return alarm->is.type == catalogue_get(CATALOGUE_ROUTER_REMOVED) ? FABRIC_ROUTER : FABRIC_CA;
}

// Returns false if there are more missing nodes than a fabric may have.
static bool open_alarms_add_missing_nodes(const struct graph *g)
{
    for (size_t i = 0; i < g->alarms->count; i++) {
        const struct open_alarm *a = &g->alarms->all[i];
        const struct fabric_node node = {.guid = a->what.guid, .type = open_alarms_type_of_node(a)};
        if (a->what.kind == ALARM_KEY_NODE && !a->is.ended &&
            fabric_builder_node(g->builder, &node) == FABRIC_NONE)
            return false;
    }
    return true;
}

// The builder's number of a link's end. Returns FABRIC_NONE if the end is neither missing nor in
// the fabric, or there is no room.
static uint32_t graph_end(const struct graph *g, uint64_t guid)
{
    uint32_t number = fabric_builder_find(g->builder, guid);
    uint32_t node = number == FABRIC_NONE ? fabric_find_node(g->fabric, guid) : FABRIC_NONE;
    if (node == FABRIC_NONE)
        return number;
    const struct fabric_node stub = {.guid = guid, .type = g->fabric->nodes[node].type};
    return fabric_builder_node(g->builder, &stub);
}

// Returns false if there are more missing links than a fabric may have.
static bool open_alarms_add_missing_links(const struct graph *g)
{
    for (size_t i = 0; i < g->alarms->count; i++) {
        const struct open_alarm *a = &g->alarms->all[i];
        if (a->what.kind != ALARM_KEY_LINK || a->is.ended)
            continue;
        uint32_t node = graph_end(g, a->what.guid), peer = graph_end(g, a->what.peer_guid);
        if (node != FABRIC_NONE && peer != FABRIC_NONE &&
            !fabric_builder_link(g->builder, node, a->what.port, peer, a->what.peer_port))
            return false;
    }
    return true;
}

static struct fabric *open_alarms_build_graph(struct graph *g)
{
    g->builder = fabric_builder_new();
    if (open_alarms_add_missing_nodes(g) && open_alarms_add_missing_links(g))
        return fabric_builder_finish(g->builder, 0, 0, true);
    fabric_builder_free(g->builder);
    return NULL;
}

static bool open_alarms_is_missing_switch(const struct fabric *graph, const uint32_t *present,
                                          uint32_t node)
{
    return present[node] == FABRIC_NONE && graph->nodes[node].type == FABRIC_SWITCH;
}

// What is found of the graph's nodes, by their indices. An island is the nodes that lead to the
// same index: an entry has the index of another node of its island, and at the end its own.
struct findings {
    uint32_t *present; // index in the fabric, or FABRIC_NONE
    uint32_t *root;    // index in the graph
    uint32_t *island;
    uint32_t *alarm_of; // index of the alarm
};

static uint32_t findings_island(const struct findings *f, uint32_t node)
{
    while (f->island[node] != node)
        node = f->island[node] = f->island[f->island[node]];
    return node;
}

// Joins the missing switches that missing links connect, not through a node of the fabric, a host
// or a router. A host or a router belongs to its root cause.
static void open_alarms_find_islands(const struct fabric *graph, const struct findings *f)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const bool follows = f->present[i] == FABRIC_NONE && graph->nodes[i].type != FABRIC_SWITCH;
        f->island[i] = follows ? f->root[i] : i;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct fabric_node *n = &graph->nodes[i];
        const uint32_t ports = open_alarms_is_missing_switch(graph, f->present, i) ? n->ports : 0;
        for (uint32_t k = n->first_port; k < n->first_port + ports; k++) {
            const uint32_t peer = graph->ports[k].peer_node;
            if (peer != FABRIC_NONE && open_alarms_is_missing_switch(graph, f->present, peer))
                f->island[findings_island(f, i)] = findings_island(f, peer);
        }
    }
}

static void open_alarms_apply_findings(struct open_alarms *alarms, const struct fabric *graph,
                                       const struct findings *f)
{
    for (size_t i = 0; i < alarms->count; i++) {
        const struct open_alarm *a = &alarms->all[i];
        if (a->what.kind == ALARM_KEY_NODE && !a->is.ended)
            f->alarm_of[fabric_find_node(graph, a->what.guid)] = (uint32_t)i;
    }
    for (size_t i = 0; i < alarms->count; i++) {
        struct open_alarm *a = &alarms->all[i];
        if (a->what.kind != ALARM_KEY_NODE || a->is.ended)
            continue;
        const uint32_t node = fabric_find_node(graph, a->what.guid);
        // A node that is there has no root; its alarm could not end yet.
        a->root = f->root[node] != FABRIC_NONE ? f->alarm_of[f->root[node]] : (uint32_t)i;
        a->island = findings_island(f, node);
    }
}

bool open_alarms_find_roots(struct open_alarms *alarms, const struct fabric *fabric)
{
    struct graph g = {.alarms = alarms, .fabric = fabric};
    struct fabric *graph = open_alarms_build_graph(&g);
    if (!graph)
        return false;
    const size_t nodes = graph->node_count;
    uint32_t *room = memory_zeroed(4 * nodes, sizeof *room);
    const struct findings f = {room, room + nodes, room + 2 * nodes, room + 3 * nodes};
    for (uint32_t i = 0; i < graph->node_count; i++)
        f.present[i] = fabric_find_node(fabric, graph->nodes[i].guid);
    root_causes_find(graph, f.present, f.root);
    open_alarms_find_islands(graph, &f);
    open_alarms_apply_findings(alarms, graph, &f);
    free(room);
    fabric_unref(graph);
    return true;
}

const struct open_alarm *open_alarms_find_link(const struct open_alarms *alarms, uint64_t guid,
                                               uint8_t port)
{
    const struct open_alarm_end wanted = {.guid = guid, .port = port};
    size_t at;
    SEARCH_FIRST(at, 0, alarms->end_count,
                 open_alarms_compare_ends(&alarms->ends[at], &wanted) < 0);
    // A port may be an end of several missing links.
    for (; at < alarms->end_count && open_alarms_compare_ends(&alarms->ends[at], &wanted) == 0;
         at++) {
        const struct open_alarm *a = &alarms->all[alarms->ends[at].alarm];
        if (!a->is.ended)
            return a;
    }
    return NULL;
}

const struct open_alarm *open_alarms_find_node(const struct open_alarms *alarms, uint64_t guid)
{
    return open_alarms_find_link(alarms, guid, 0);
}
