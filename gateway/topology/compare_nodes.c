// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include "topology/root_causes.h"

// Nodes that are on one side only.
struct group {
    struct comparison *t;
    struct comparison_side *side;
    bool gone; // the nodes went; false: they came
    struct root_causes causes;
};

static void group_add_node(const struct group *g, uint32_t node)
{
    struct change *change =
        comparison_add_change(g->t,
                              comparison_node_event(g->side->fabric->nodes[node].type,
                                                    g->gone ? NODE_REMOVED : NODE_ADDED),
                              &g->side->node_change[node]);
    comparison_set_subject_node(g->t, g->side, node, change);
    comparison_guid_key(change->alarm_key, ALARM_KEY_NODE, g->side->fabric->nodes[node].guid);
    const uint32_t root = g->causes.root[node];
    root_causes_add_parts(&g->causes, node, g->t->names, change);
    if (root == node)
        root_causes_add_nodes(&g->causes, node, g->t->names,
                              g->gone ? ROOT_CAUSES_WENT : ROOT_CAUSES_CAME, change);
    else
        change->cause = g->side->node_change[root];
    if (g->gone && root == node)
        comparison_add_disabled(g->t, &change->peer, change);
}

static void group_add_nodes(const struct group *g, bool roots, bool switches)
{
    for (uint32_t i = 0; i < g->side->fabric->node_count; i++) {
        const uint32_t root = g->causes.root[i];
        if (root != FABRIC_NONE && (root == i) == roots &&
            comparison_is_switch(g->side->fabric, i) == switches)
            group_add_node(g, i);
    }
}

static void group_add(struct comparison *t, struct comparison_side *side, bool gone)
{
    struct group g = {.t = t, .side = side, .gone = gone};
    if (side->alone == 0)
        return;
    root_causes_open(&g.causes, side->systems, side->counterpart);
    group_add_nodes(&g, true, true);
    group_add_nodes(&g, true, false);
    group_add_nodes(&g, false, true);
    group_add_nodes(&g, false, false);
    root_causes_close(&g.causes);
}

// Whether the port's link shows the place of its node. A link to a host that came, went or moved
// does not: the host may have moved instead of the node.
static bool compare_nodes_says_where(const struct comparison_side *side, uint32_t port)
{
    uint32_t peer = side->fabric->ports[port].peer_node;
    if (peer == FABRIC_NONE)
        return false;
    return comparison_is_switch(side->fabric, peer) || side->node_change[peer] == FABRIC_NONE;
}

// Whether the former port at the other end still leads to the same node.
static bool compare_nodes_is_still_there(const struct comparison *t, uint32_t port)
{
    uint32_t place = comparison_counterpart_port(&t->before, fabric_peer(t->before.fabric, port));
    if (place == FABRIC_NONE)
        return false;
    return t->after.fabric->ports[place].peer_node ==
           t->before.counterpart[fabric_node_of_port(t->before.fabric, port)];
}

// Whether a port that showed the place of its node is linked elsewhere, by its new link.
static bool compare_nodes_is_elsewhere(const struct comparison *t, uint32_t port)
{
    uint32_t now = comparison_counterpart_port(&t->before, port);
    return now != FABRIC_NONE && compare_nodes_says_where(&t->after, now);
}

static bool compare_nodes_has_place(const struct comparison_side *side, uint32_t node)
{
    const struct fabric_node *n = &side->fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (compare_nodes_says_where(side, i))
            return true;
    }
    return false;
}

// A node has moved if none of its links is in its former place. Of a host or router, each port has
// to be elsewhere: a port with an unplugged cable is missing, and the other ports have moved by
// themselves.
static bool compare_nodes_has_moved(const struct comparison *t, uint32_t node)
{
    const struct fabric_node *n = &t->before.fabric->nodes[node];
    bool was_linked = false;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (!compare_nodes_says_where(&t->before, i))
            continue;
        if (compare_nodes_is_still_there(t, i) ||
            (n->type != FABRIC_SWITCH && !compare_nodes_is_elsewhere(t, i)))
            return false;
        was_linked = true;
    }
    return was_linked && compare_nodes_has_place(&t->after, t->before.counterpart[node]);
}

// The first removal among the node's former neighbours, if all of them are gone; else FABRIC_NONE.
static uint32_t compare_nodes_cause_of_move(const struct comparison *t, uint32_t node)
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

static void compare_nodes_add_move(struct comparison *t, uint32_t node)
{
    const struct fabric *before = t->before.fabric;
    uint32_t counterpart = t->before.counterpart[node], index;
    struct change *change = comparison_add_change(
        t, comparison_node_event(before->nodes[node].type, NODE_MOVED), &index);
    comparison_set_subject_node(t, &t->after, counterpart, change);
    change->cause = compare_nodes_cause_of_move(t, node);
    comparison_set_former(t, comparison_uplink(&t->before, node), change);
    t->before.node_change[node] = index;
    t->after.node_change[counterpart] = index;
}

static void compare_nodes_add_moves(struct comparison *t, bool switches)
{
    uint32_t last = FABRIC_NONE;
    for (uint32_t i = 0; i < t->before.port_count; i++) {
        uint32_t node = fabric_node_of_port(t->before.fabric, t->before.ports[i]);
        if (node == last || t->before.counterpart[node] == FABRIC_NONE)
            continue;
        last = node;
        if (comparison_is_switch(t->before.fabric, node) == switches &&
            compare_nodes_has_moved(t, node))
            compare_nodes_add_move(t, node);
    }
}

void compare_nodes(struct comparison *t)
{
    group_add(t, &t->before, true);
    group_add(t, &t->after, false);
    compare_nodes_add_moves(t, false);
    compare_nodes_add_moves(t, true);
}
