// SPDX-License-Identifier: BSD-2-Clause
#include "picture/layers.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WISH_STEPS = 64 }; // of a place

// The links between switches, from both ends, by node.
struct layers_graph {
    uint32_t *first, *peers; // those of node i: from peers[first[i]] on, before peers[first[i + 1]]
    uint32_t *queue;
    uint32_t *hosts; // that count for the layer
    uint64_t *wish;  // the middle of the neighbours in the layer below, in steps
};

static bool layers_is_switch(const struct picture *p, uint32_t node)
{
    return p->nodes[node].type == FABRIC_SWITCH;
}

static bool layers_joins(const struct picture *p, const struct picture_link *link)
{
    return layers_is_switch(p, link->node) && layers_is_switch(p, link->peer);
}

static void layers_fill(const struct picture *p, struct layers_graph *g)
{
    for (uint32_t i = 0; i < p->link_count; i++) {
        if (layers_joins(p, &p->links[i])) {
            g->first[p->links[i].node + 1]++;
            g->first[p->links[i].peer + 1]++;
        }
    }
    for (uint32_t i = 0; i < p->node_count; i++)
        g->first[i + 1] += g->first[i];
    memcpy(g->queue, g->first, p->node_count * sizeof *g->queue); // where the next one goes
    for (uint32_t i = 0; i < p->link_count; i++) {
        const struct picture_link *link = &p->links[i];
        if (layers_joins(p, link)) {
            g->peers[g->queue[link->node]++] = link->peer;
            g->peers[g->queue[link->peer]++] = link->node;
        }
    }
}

static void layers_open(const struct picture *p, struct layers_graph *g)
{
    *g = (struct layers_graph){.first = memory_zeroed(p->node_count + 1U, sizeof *g->first),
                               .peers = memory_zeroed(2U * p->link_count, sizeof *g->peers),
                               .queue = memory_zeroed(p->node_count, sizeof *g->queue),
                               .hosts = memory_zeroed(p->node_count, sizeof *g->hosts),
                               .wish = memory_zeroed(p->node_count, sizeof *g->wish)};
    layers_fill(p, g);
}

static void layers_close(struct layers_graph *g)
{
    free(g->first);
    free(g->peers);
    free(g->queue);
    free(g->hosts);
    free(g->wish);
}

// Whether a host is part of the switch, as its aggregation node is.
static bool layers_is_inside(const struct picture *p, uint32_t node, uint32_t at)
{
    if (p->nodes[node].absent || p->nodes[at].absent)
        return false;
    const struct fabric_node *n = &p->fabric->nodes[node];
    return n->system_guid != 0 && n->system_guid == p->fabric->nodes[at].system_guid;
}

static void layers_count_hosts(const struct picture *p, struct layers_graph *g)
{
    for (uint32_t i = 0; i < p->link_count; i++) {
        const uint32_t ends[] = {p->links[i].node, p->links[i].peer};
        for (unsigned e = 0; e < 2; e++) {
            const uint32_t at = ends[e], node = ends[1 - e];
            g->hosts[at] += layers_is_switch(p, at) && p->nodes[node].type == FABRIC_CA &&
                            !layers_is_inside(p, node, at);
        }
    }
}

static bool layers_is_edge(const struct layers_graph *g, uint32_t node)
{
    uint32_t with_more = 0;
    for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++)
        with_more += g->hosts[g->peers[i]] > g->hosts[node];
    return g->hosts[node] > 0 && with_more <= g->hosts[node];
}

static void layers_take(struct picture *p, struct layers_graph *g, uint32_t node, uint32_t layer,
                        uint32_t *count)
{
    if (layer > LAYERS_MAX)
        layer = LAYERS_MAX;
    p->nodes[node].layer = layer;
    p->layers = layer > p->layers ? layer : p->layers;
    g->queue[(*count)++] = node;
}

// Gives a layer to every switch that a path connects with the ones in the queue.
static uint32_t layers_spread(struct picture *p, struct layers_graph *g, uint32_t from,
                              uint32_t count)
{
    for (; from < count; from++) {
        const uint32_t node = g->queue[from];
        for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
            if (p->nodes[g->peers[i]].layer == 0)
                layers_take(p, g, g->peers[i], p->nodes[node].layer + 1, &count);
        }
    }
    return count;
}

// Switches that no path connects with an edge switch are in layer 1.
static void layers_find(struct picture *p, struct layers_graph *g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->node_count; i++) {
        p->nodes[i].edge = layers_is_switch(p, i) && layers_is_edge(g, i);
        if (p->nodes[i].edge)
            layers_take(p, g, i, 1, &count);
    }
    count = layers_spread(p, g, 0, count);
    for (uint32_t i = 0; i < p->node_count; i++) {
        if (layers_is_switch(p, i) && p->nodes[i].layer == 0)
            layers_take(p, g, i, 1, &count);
    }
    p->order_count = count;
}

// Compares two numbers of m and n digits by their values.
static int layers_compare_numbers(const char *a, size_t m, const char *b, size_t n)
{
    for (; m > 0 && *a == '0'; m--)
        a++;
    for (; n > 0 && *b == '0'; n--)
        b++;
    return m != n ? (m < n ? -1 : 1) : memcmp(a, b, m);
}

static size_t layers_count_digits(const char *s)
{
    size_t n = 0;
    while (s[n] >= '0' && s[n] <= '9')
        n++;
    return n;
}

// Compares names such that leaf2 comes before leaf10.
static int layers_compare_names(const char *a, const char *b)
{
    int order = 0;
    while (order == 0 && *a != '\0' && *b != '\0') {
        const size_t m = layers_count_digits(a), n = layers_count_digits(b);
        const bool numbers = m > 0 && n > 0;
        order =
            numbers ? layers_compare_numbers(a, m, b, n) : (unsigned char)*a - (unsigned char)*b;
        a += numbers ? m : 1;
        b += numbers ? n : 1;
    }
    return order != 0 ? order : (*a != '\0') - (*b != '\0');
}

// What the sort compares: qsort has no context.
struct layers_row {
    const struct picture_node *node;
    uint32_t index;
    uint64_t wish;
};

static int layers_compare_rows(const void *a, const void *b)
{
    const struct layers_row *x = a, *y = b;
    if (x->wish != y->wish)
        return x->wish < y->wish ? -1 : 1;
    if ((x->node->name[0] == '\0') != (y->node->name[0] == '\0'))
        return x->node->name[0] == '\0' ? 1 : -1;
    const int order = layers_compare_names(x->node->name, y->node->name);
    if (order != 0)
        return order;
    return x->node->guid < y->node->guid ? -1 : x->node->guid > y->node->guid;
}

// How many switches of the order are in the same layer as the one at `from`.
static uint32_t layers_size(const struct picture *p, uint32_t from)
{
    uint32_t i = from;
    while (i < p->order_count && p->nodes[p->order[i]].layer == p->nodes[p->order[from]].layer)
        i++;
    return i - from;
}

// Puts the switches into the order of their layers.
static void layers_gather(struct picture *p, const struct layers_graph *g)
{
    uint32_t next[LAYERS_MAX + 2] = {0};
    for (uint32_t i = 0; i < p->order_count; i++)
        next[p->nodes[g->queue[i]].layer + 1]++;
    for (size_t layer = 1; layer < LAYERS_MAX + 2; layer++)
        next[layer] += next[layer - 1];
    for (uint32_t i = 0; i < p->order_count; i++)
        p->order[next[p->nodes[g->queue[i]].layer]++] = g->queue[i];
}

// Sets where the neighbours in the layer below are. The places of that layer are final.
static void layers_wish(const struct picture *p, struct layers_graph *g, uint32_t from,
                        uint32_t count)
{
    for (uint32_t k = from; k < from + count; k++) {
        const uint32_t node = p->order[k];
        uint64_t sum = 0, below = 0;
        for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
            if (p->nodes[g->peers[i]].layer + 1 == p->nodes[node].layer) {
                sum += p->nodes[g->peers[i]].place;
                below++;
            }
        }
        g->wish[node] = below > 0 ? sum * WISH_STEPS / below : 0;
    }
}

// Sorts a layer.
static void layers_sort(struct picture *p, const struct layers_graph *g, struct layers_row *rows,
                        uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = p->order[from + i];
        rows[i] = (struct layers_row){&p->nodes[node], node, g->wish[node]};
    }
    qsort(rows, count, sizeof *rows, layers_compare_rows);
    for (uint32_t i = 0; i < count; i++) {
        p->order[from + i] = rows[i].index;
        p->nodes[rows[i].index].place = i;
    }
}

void layers_arrange(struct picture *p)
{
    struct layers_graph g;
    layers_open(p, &g);
    layers_count_hosts(p, &g);
    layers_find(p, &g);
    struct layers_row *rows = memory_get(p->order_count * sizeof *rows);
    p->order = memory_get(p->order_count * sizeof *p->order);
    layers_gather(p, &g);
    for (uint32_t from = 0, count; from < p->order_count; from += count) {
        count = layers_size(p, from);
        layers_wish(p, &g, from, count);
        layers_sort(p, &g, rows, from, count);
    }
    free(rows);
    layers_close(&g);
}
