// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/open_alarms.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/wire.h"
#include "model/fabric_builder.h"
#include "topology/root_causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Pieces of memory for texts, the newest first; none of them moves.
struct open_alarm_texts {
    struct open_alarm_texts *next;
    size_t used;
    char octets[1 << 16];
};

struct collection {
    struct open_alarms *alarms;
    const struct catalogue_entry *type; // of the last alarm, as many alarms have the same
};

// A copy of the text, the list's.
static const char *keep_text(struct open_alarms *alarms, const char *text)
{
    struct open_alarm_texts *piece = alarms->texts;
    const size_t size = strlen(text) + 1;
    if (!piece || sizeof piece->octets - piece->used < size) {
        piece = memory_get(sizeof *piece);
        piece->next = alarms->texts;
        piece->used = 0;
        alarms->texts = piece;
    }
    char *copy = piece->octets + piece->used;
    piece->used += size;
    return memcpy(copy, text, size);
}

// Many alarms in a row have the same root cause.
static const char *keep_cause(struct open_alarms *alarms, const char *cause_id)
{
    const char *last = alarms->count > 0 ? alarms->all[alarms->count - 1].cause_id : "";
    return strcmp(last, cause_id) == 0 ? last : keep_text(alarms, cause_id);
}

static void open_alarms_make_room(struct open_alarms *list)
{
    if (list->count < list->room)
        return;
    list->room = list->room > 0 ? list->room * 2 : 64;
    list->all = memory_resize(list->all, list->room, sizeof *list->all);
}

static const struct catalogue_entry *collection_find_type(struct collection *c, const char *name)
{
    if (!c->type || strcmp(c->type->name, name) != 0)
        c->type = catalogue_find(name);
    return c->type;
}

static void collect_alarm(void *ctx, const struct alarm *alarm)
{
    struct collection *c = ctx;
    struct open_alarm a = {.last_sequence = alarm->last_sequence, .raised_us = alarm->raised_us};
    if (!alarm_key_read(alarm->key, &a.what))
        return;
    a.key = keep_text(c->alarms, alarm->key);
    a.event_id = keep_text(c->alarms, alarm->event_id);
    a.cause_id = keep_cause(c->alarms, alarm->cause_id);
    a.type = collection_find_type(c, alarm->type);
    open_alarms_make_room(c->alarms);
    c->alarms->all[c->alarms->count++] = a;
}

static void index_end(struct open_alarms *alarms, uint64_t guid, uint8_t port, size_t alarm)
{
    alarms->ends[alarms->end_count++] =
        (struct open_alarm_end){.guid = guid, .port = port, .alarm = (uint32_t)alarm};
}

static int compare_ends(const void *a, const void *b)
{
    const struct open_alarm_end *m = a, *n = b;
    if (m->guid != n->guid)
        return m->guid < n->guid ? -1 : 1;
    return m->port - n->port;
}

static void index_ends(struct open_alarms *alarms)
{
    alarms->ends = memory_zeroed(2 * alarms->count, sizeof *alarms->ends);
    for (size_t i = 0; i < alarms->count; i++) {
        const struct alarm_key *what = &alarms->all[i].what;
        if (what->kind == ALARM_KEY_NODE)
            index_end(alarms, what->guid, 0, i);
        if (what->kind != ALARM_KEY_LINK)
            continue;
        index_end(alarms, what->guid, what->port, i);
        index_end(alarms, what->peer_guid, what->peer_port, i);
    }
    qsort(alarms->ends, alarms->end_count, sizeof *alarms->ends, compare_ends);
}

// The last octets of an identifier, in which those of a gateway differ.
static uint64_t end_of_id(const char *id)
{
    const size_t length = strlen(id), size = length < 8 ? length : 8;
    return wire_get((const uint8_t *)id + length - size, size);
}

static int compare_ids(const void *a, const void *b, void *ctx)
{
    const struct open_alarms *alarms = ctx;
    const struct open_alarm_id *m = a, *n = b;
    if (m->end != n->end)
        return m->end < n->end ? -1 : 1;
    return strcmp(alarms->all[m->alarm].event_id, alarms->all[n->alarm].event_id);
}

static void index_ids(struct open_alarms *alarms)
{
    alarms->by_id = memory_zeroed(alarms->count, sizeof *alarms->by_id);
    for (size_t i = 0; i < alarms->count; i++)
        alarms->by_id[i] =
            (struct open_alarm_id){.end = end_of_id(alarms->all[i].event_id), .alarm = (uint32_t)i};
    qsort_r(alarms->by_id, alarms->count, sizeof *alarms->by_id, compare_ids, alarms);
}

void open_alarms_collect(struct open_alarms *alarms, struct journal *journal)
{
    struct collection c = {.alarms = alarms};
    *alarms = (struct open_alarms){0};
    journal_each_alarm(journal, collect_alarm, &c);
    index_ends(alarms);
    index_ids(alarms);
}

void open_alarms_clear(struct open_alarms *alarms)
{
    free(alarms->all);
    free(alarms->ends);
    free(alarms->by_id);
    while (alarms->texts) {
        struct open_alarm_texts *next = alarms->texts->next;
        free(alarms->texts);
        alarms->texts = next;
    }
    *alarms = (struct open_alarms){0};
}

// The graph of what is missing: the missing nodes, and those of the fabric that they hung on.

struct graph {
    const struct open_alarms *alarms;
    const struct fabric *fabric;
    struct fabric_builder *builder;
};

static uint8_t type_of_node(const struct open_alarm *alarm)
{
    if (alarm->type == catalogue_get(CATALOGUE_SWITCH_REMOVED))
        return FABRIC_SWITCH;
    return alarm->type == catalogue_get(CATALOGUE_ROUTER_REMOVED) ? FABRIC_ROUTER : FABRIC_CA;
}

static void add_missing_nodes(const struct graph *g)
{
    for (size_t i = 0; i < g->alarms->count; i++) {
        const struct open_alarm *a = &g->alarms->all[i];
        const struct fabric_node node = {.guid = a->what.guid, .type = type_of_node(a)};
        if (a->what.kind == ALARM_KEY_NODE && !a->ended)
            fabric_builder_node(g->builder, &node);
    }
}

// The builder's number of a link's end. FABRIC_NONE: it is neither missing nor in the fabric.
static uint32_t graph_end(const struct graph *g, uint64_t guid)
{
    uint32_t number = fabric_builder_find(g->builder, guid);
    uint32_t node = number == FABRIC_NONE ? fabric_find_node(g->fabric, guid) : FABRIC_NONE;
    if (node == FABRIC_NONE)
        return number;
    const struct fabric_node stub = {.guid = guid, .type = g->fabric->nodes[node].type};
    return fabric_builder_node(g->builder, &stub);
}

static void add_missing_links(const struct graph *g)
{
    for (size_t i = 0; i < g->alarms->count; i++) {
        const struct open_alarm *a = &g->alarms->all[i];
        if (a->what.kind != ALARM_KEY_LINK || a->ended)
            continue;
        uint32_t node = graph_end(g, a->what.guid), peer = graph_end(g, a->what.peer_guid);
        if (node != FABRIC_NONE && peer != FABRIC_NONE)
            fabric_builder_link(g->builder, node, a->what.port, peer, a->what.peer_port);
    }
}

static struct fabric *build_graph(struct graph *g)
{
    g->builder = fabric_builder_new();
    add_missing_nodes(g);
    add_missing_links(g);
    return fabric_builder_finish(g->builder, 0, 0, true);
}

static bool is_missing_switch(const struct fabric *graph, const uint32_t *present, uint32_t node)
{
    return present[node] == FABRIC_NONE && graph->nodes[node].type == FABRIC_SWITCH;
}

// Numbers the islands of missing nodes: switches that are connected by missing links, not through a
// node of the fabric, a host or a router; and the others, each with its root cause. `island` is
// zeroed.
static void find_islands(const struct fabric *graph, const uint32_t *present, const uint32_t *root,
                         uint32_t *island)
{
    uint32_t number = 1;
    uint32_t *queue = memory_zeroed(graph->node_count, sizeof *queue);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!is_missing_switch(graph, present, i) || island[i] != 0)
            continue;
        uint32_t first = 0, end = 0;
        queue[end++] = i;
        island[i] = number;
        while (first < end) {
            const struct fabric_node *n = &graph->nodes[queue[first++]];
            for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
                const uint32_t peer = graph->ports[k].peer_node;
                if (peer == FABRIC_NONE || !is_missing_switch(graph, present, peer) ||
                    island[peer] != 0)
                    continue;
                island[peer] = number;
                queue[end++] = peer;
            }
        }
        number++;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (present[i] == FABRIC_NONE && graph->nodes[i].type != FABRIC_SWITCH)
            island[i] = root[i] != i ? island[root[i]] : number++;
    }
    free(queue);
}

// What is found of the graph's nodes, by their indices.
struct findings {
    uint32_t *present; // index in the fabric, or FABRIC_NONE
    uint32_t *root;    // index in the graph
    uint32_t *island;
    uint32_t *alarm_of; // index of the alarm
};

static void findings_make_room(struct findings *f, size_t nodes)
{
    f->present = memory_zeroed(nodes, sizeof *f->present);
    f->root = memory_zeroed(nodes, sizeof *f->root);
    f->island = memory_zeroed(nodes, sizeof *f->island);
    f->alarm_of = memory_zeroed(nodes, sizeof *f->alarm_of);
}

static void findings_clear(struct findings *f)
{
    free(f->present);
    free(f->root);
    free(f->island);
    free(f->alarm_of);
}

static void apply_findings(struct open_alarms *alarms, const struct fabric *graph,
                           const struct findings *f)
{
    for (size_t i = 0; i < alarms->count; i++) {
        const struct open_alarm *a = &alarms->all[i];
        if (a->what.kind == ALARM_KEY_NODE && !a->ended)
            f->alarm_of[fabric_find_node(graph, a->what.guid)] = (uint32_t)i;
    }
    for (size_t i = 0; i < alarms->count; i++) {
        struct open_alarm *a = &alarms->all[i];
        if (a->what.kind != ALARM_KEY_NODE || a->ended)
            continue;
        const uint32_t node = fabric_find_node(graph, a->what.guid);
        // A node that is there has no root; its alarm could not end yet.
        a->root = f->root[node] != FABRIC_NONE ? f->alarm_of[f->root[node]] : (uint32_t)i;
        a->island = f->island[node];
    }
}

void open_alarms_find_roots(struct open_alarms *alarms, const struct fabric *fabric)
{
    struct graph g = {.alarms = alarms, .fabric = fabric};
    struct findings f = {0};
    struct fabric *graph = build_graph(&g);
    findings_make_room(&f, graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++)
        f.present[i] = fabric_find_node(fabric, graph->nodes[i].guid);
    root_causes_find(graph, f.present, f.root);
    find_islands(graph, f.present, f.root, f.island);
    apply_findings(alarms, graph, &f);
    findings_clear(&f);
    fabric_unref(graph);
}

const struct open_alarm *open_alarms_find_id(const struct open_alarms *alarms, const char *id)
{
    const uint64_t end = end_of_id(id);
    size_t at;
    SEARCH_FIRST(at, 0, alarms->count, alarms->by_id[at].end < end);
    for (; at < alarms->count && alarms->by_id[at].end == end; at++) {
        const struct open_alarm *a = &alarms->all[alarms->by_id[at].alarm];
        if (strcmp(a->event_id, id) == 0)
            return a->ended ? NULL : a;
    }
    return NULL;
}

const struct open_alarm *open_alarms_find_link(const struct open_alarms *alarms, uint64_t guid,
                                               uint8_t port)
{
    const struct open_alarm_end wanted = {.guid = guid, .port = port};
    size_t at;
    SEARCH_FIRST(at, 0, alarms->end_count, compare_ends(&alarms->ends[at], &wanted) < 0);
    // A port may be an end of several missing links, one after the other.
    for (; at < alarms->end_count && compare_ends(&alarms->ends[at], &wanted) == 0; at++) {
        const struct open_alarm *a = &alarms->all[alarms->ends[at].alarm];
        if (!a->ended)
            return a;
    }
    return NULL;
}

const struct open_alarm *open_alarms_find_node(const struct open_alarms *alarms, uint64_t guid)
{
    return open_alarms_find_link(alarms, guid, 0);
}
