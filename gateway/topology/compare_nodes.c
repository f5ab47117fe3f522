// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include "base/memory.h"
#include "topology/describe.h"
#include "topology/root_causes.h"

#include <stdlib.h>

enum { NAMED_MAX = 5 }; // affected nodes that a reason names

// Nodes that are on one side only.
struct group {
    struct comparison *t;
    struct comparison_side *side;
    bool gone;      // the nodes went; false: they came
    uint32_t *root; // by node: see root_causes_find
    uint32_t *next; // by node: the next node with the same root cause, ascending by GUID; the root
                    // cause itself begins the list
};

static void make_group(struct group *g)
{
    uint32_t count = g->side->fabric->node_count;
    g->root = memory_get(count * sizeof *g->root);
    g->next = memory_get(count * sizeof *g->next);
    root_causes_find(g->side->fabric, g->side->counterpart, g->root);
    for (uint32_t i = 0; i < count; i++)
        g->next[i] = FABRIC_NONE;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t root = g->root[i];
        if (root != FABRIC_NONE && root != i) {
            g->next[i] = g->next[root];
            g->next[root] = i;
        }
    }
}

// Adds "with it went 7 nodes: a, b, c, d, e and 2 more".
static void add_affected(const struct group *g, uint32_t root, struct change *change)
{
    struct endpoint who;
    uint32_t count = 0, named = 0;
    // NOLINTNEXTLINE(clang-analyzer-core.*): make_group sets `next` of every node
    for (uint32_t i = g->next[root]; i != FABRIC_NONE; i = g->next[i])
        count++;
    change->affected = count;
    if (count == 0)
        return;
    struct text text = text_in(change->reason, sizeof change->reason);
    text_addf(&text, "with it %s %u node%s: ", g->gone ? "went" : "came", count,
              count == 1 ? "" : "s");
    for (uint32_t i = g->next[root]; i != FABRIC_NONE && named < NAMED_MAX; i = g->next[i]) {
        static const char MORE[] = " and 1000000 more";
        char buf[NAMES_NAME_SIZE + 2];
        struct text name = text_in(buf, sizeof buf);
        describe_node(g->side->fabric, i, g->t->names, &who);
        text_add(&name, named > 0 ? ", " : "");
        comparison_add_name(&name, &who);
        if (text.len + name.len + sizeof MORE > text.size)
            break;
        text_add(&text, buf);
        named++;
    }
    if (named < count)
        text_addf(&text, " and %u more", count - named);
}

static enum catalogue_event type_of(const struct group *g, uint32_t node)
{
    switch (g->side->fabric->nodes[node].type) {
    case FABRIC_SWITCH:
        return g->gone ? CATALOGUE_SWITCH_REMOVED : CATALOGUE_SWITCH_ADDED;
    case FABRIC_ROUTER:
        return g->gone ? CATALOGUE_ROUTER_REMOVED : CATALOGUE_ROUTER_ADDED;
    default:
        return g->gone ? CATALOGUE_HOST_REMOVED : CATALOGUE_HOST_ADDED;
    }
}

static void add_one(const struct group *g, uint32_t node)
{
    struct change *change =
        comparison_add_change(g->t, type_of(g, node), &g->side->node_change[node]);
    comparison_set_subject_node(g->t, g->side, node, change);
    comparison_guid_key(change->alarm_key, ALARM_KEY_NODE, g->side->fabric->nodes[node].guid);
    if (g->root[node] == node)
        add_affected(g, node, change);
    else
        change->cause = g->side->node_change[g->root[node]];
    if (g->gone && g->root[node] == node)
        comparison_add_disabled(g->t, &change->peer, change);
}

static void add_those(const struct group *g, bool roots, bool switches)
{
    for (uint32_t i = 0; i < g->side->fabric->node_count; i++) {
        bool is_root = g->root[i] == i;
        if (g->root[i] != FABRIC_NONE && is_root == roots &&
            comparison_is_switch(g->side->fabric, i) == switches)
            add_one(g, i);
    }
}

static void add_group(struct comparison *t, struct comparison_side *side, bool gone)
{
    struct group g = {.t = t, .side = side, .gone = gone};
    if (side->alone == 0)
        return;
    make_group(&g);
    add_those(&g, true, true);
    add_those(&g, true, false);
    add_those(&g, false, true);
    add_those(&g, false, false);
    free(g.root);
    free(g.next);
}

// Whether the port's link shows where its node is. A link to a host that came, went or moved does
// not: the host may have moved instead of the node.
static bool says_where(const struct comparison_side *side, uint32_t port)
{
    uint32_t peer = side->fabric->ports[port].peer_node;
    if (peer == FABRIC_NONE)
        return false;
    return comparison_is_switch(side->fabric, peer) || side->node_change[peer] == FABRIC_NONE;
}

// Whether the port that this one was linked to still leads to the same node.
static bool is_still_there(const struct comparison *t, uint32_t port)
{
    uint32_t place =
        comparison_counterpart_port(&t->before, &t->after, fabric_peer(t->before.fabric, port));
    if (place == FABRIC_NONE)
        return false;
    return t->after.fabric->ports[place].peer_node ==
           t->before.counterpart[fabric_node_of_port(t->before.fabric, port)];
}

// Whether the port that shows where its node was is linked elsewhere, as far as its new link shows.
static bool is_elsewhere(const struct comparison *t, uint32_t port)
{
    uint32_t now = comparison_counterpart_port(&t->before, &t->after, port);
    return now != FABRIC_NONE && says_where(&t->after, now);
}

static bool has_any_place(const struct comparison_side *side, uint32_t node)
{
    const struct fabric_node *n = &side->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (says_where(side, i))
            return true;
    }
    return false;
}

// A node has moved if none of its links is where it was. Of a host or router each port has to be
// elsewhere: a port whose cable was only unplugged is missing, and the others have moved by
// themselves.
static bool has_moved(const struct comparison *t, uint32_t node)
{
    const struct fabric_node *n = &t->before.fabric->nodes[node];
    bool was_linked = false;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (!says_where(&t->before, i))
            continue;
        if (is_still_there(t, i) || (n->type != FABRIC_SWITCH && !is_elsewhere(t, i)))
            return false;
        was_linked = true;
    }
    return was_linked && has_any_place(&t->after, t->before.counterpart[node]);
}

// The first removal among the nodes that it was linked to, if all of them are gone; else
// FABRIC_NONE.
static uint32_t cause_of_move(const struct comparison *t, uint32_t node)
{
    const struct fabric_node *n = &t->before.fabric->nodes[node];
    uint32_t cause = FABRIC_NONE;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        uint32_t peer = t->before.fabric->ports[i].peer_node;
        if (peer == FABRIC_NONE)
            continue;
        if (t->before.counterpart[peer] != FABRIC_NONE)
            return FABRIC_NONE;
        cause = comparison_earlier(cause, t->before.node_change[peer]);
    }
    return cause;
}

static enum catalogue_event type_of_move(const struct fabric *fabric, uint32_t node)
{
    uint8_t type = fabric->nodes[node].type;
    return type == FABRIC_SWITCH   ? CATALOGUE_SWITCH_MOVED
           : type == FABRIC_ROUTER ? CATALOGUE_ROUTER_MOVED
                                   : CATALOGUE_HOST_MOVED;
}

static void add_move(struct comparison *t, uint32_t node)
{
    const struct fabric *before = t->before.fabric;
    uint32_t counterpart = t->before.counterpart[node], index;
    struct change *change = comparison_add_change(t, type_of_move(before, node), &index);
    comparison_set_subject_node(t, &t->after, counterpart, change);
    change->cause = cause_of_move(t, node);
    comparison_set_former(t, comparison_uplink(&t->before, node), change);
    t->before.node_change[node] = index;
    t->after.node_change[counterpart] = index;
}

static void add_moves(struct comparison *t, bool switches)
{
    uint32_t last = FABRIC_NONE;
    for (uint32_t i = 0; i < t->before.port_count; i++) {
        uint32_t node = fabric_node_of_port(t->before.fabric, t->before.ports[i]);
        if (node == last || t->before.counterpart[node] == FABRIC_NONE)
            continue;
        last = node;
        if (comparison_is_switch(t->before.fabric, node) == switches && has_moved(t, node))
            add_move(t, node);
    }
}

void compare_nodes(struct comparison *t)
{
    add_group(t, &t->before, true);
    add_group(t, &t->after, false);
    add_moves(t, false);
    add_moves(t, true);
}
