// SPDX-License-Identifier: BSD-2-Clause
#include "topology/diff.h"

#include <string.h>

struct walk {
    const struct fabric *before, *after;
    void (*each)(void *ctx, const struct diff_item *item);
    void *ctx;
};

static void diff_report(const struct walk *w, enum diff_kind kind, uint32_t before, uint32_t after)
{
    const struct diff_item item = {kind, before, after, FABRIC_NONE, FABRIC_NONE};
    w->each(w->ctx, &item);
}

static bool diff_same_node(const struct fabric_node *a, const struct fabric_node *b)
{
    return a->system_guid == b->system_guid && a->type == b->type &&
           a->port_count == b->port_count && a->vendor == b->vendor && a->device == b->device &&
           a->revision == b->revision && a->silent == b->silent &&
           strcmp(a->description, b->description) == 0;
}

static bool diff_same_values(const struct fabric_port *a, const struct fabric_port *b)
{
    return a->known == b->known && a->silent == b->silent && a->guid == b->guid &&
           a->lid == b->lid && a->lmc == b->lmc && a->state == b->state &&
           a->physical == b->physical && a->width_active == b->width_active &&
           a->width_enabled == b->width_enabled && a->width_supported == b->width_supported &&
           a->speed_active == b->speed_active && a->speed_enabled == b->speed_enabled &&
           a->speed_supported == b->speed_supported && a->capabilities == b->capabilities;
}

void diff_match_nodes(const struct fabric *before, const struct fabric *after, uint32_t *there,
                      uint32_t *back)
{
    uint32_t i = 0, j = 0;
    while (i < before->node_count && j < after->node_count) {
        const uint64_t a = before->nodes[i].guid, b = after->nodes[j].guid;
        if (a == b && there[i] == FABRIC_NONE && back[j] == FABRIC_NONE) {
            there[i] = j;
            back[j] = i;
        }
        i += a <= b;
        j += b <= a;
    }
}

bool diff_same_peer(const struct fabric *a, const struct fabric_port *port_a,
                    const struct fabric *b, const struct fabric_port *port_b)
{
    if (port_a->peer_node == FABRIC_NONE || port_b->peer_node == FABRIC_NONE)
        return port_a->peer_node == port_b->peer_node;
    return port_a->peer_port == port_b->peer_port &&
           a->nodes[port_a->peer_node].guid == b->nodes[port_b->peer_node].guid;
}

// Compares the ports of a node that is in both snapshots.
static void diff_walk_ports(const struct walk *w, uint32_t node_before, uint32_t node_after)
{
    uint32_t i = w->before->nodes[node_before].first_port;
    uint32_t j = w->after->nodes[node_after].first_port;
    uint32_t end_i = i + w->before->nodes[node_before].ports;
    uint32_t end_j = j + w->after->nodes[node_after].ports;
    struct diff_item item = {.before_node = node_before, .after_node = node_after};
    while (i < end_i || j < end_j) {
        const struct fabric_port *a = i < end_i ? &w->before->ports[i] : NULL;
        const struct fabric_port *b = j < end_j ? &w->after->ports[j] : NULL;
        bool in_a = a && (!b || a->number <= b->number);
        bool in_b = b && (!a || b->number <= a->number);
        item.before = in_a ? i++ : FABRIC_NONE;
        item.after = in_b ? j++ : FABRIC_NONE;
        item.kind = !in_b ? DIFF_PORT_REMOVED : !in_a ? DIFF_PORT_ADDED : DIFF_PORT_ALTERED;
        if (!in_a || !in_b || !diff_same_values(a, b) || !diff_same_peer(w->before, a, w->after, b))
            w->each(w->ctx, &item);
    }
}

static void diff_walk_nodes(const struct walk *w)
{
    uint32_t i = 0, j = 0;
    while (i < w->before->node_count || j < w->after->node_count) {
        const struct fabric_node *a = i < w->before->node_count ? &w->before->nodes[i] : NULL;
        const struct fabric_node *b = j < w->after->node_count ? &w->after->nodes[j] : NULL;
        if (!b || (a && a->guid < b->guid)) {
            diff_report(w, DIFF_NODE_REMOVED, i++, FABRIC_NONE);
        } else if (!a || b->guid < a->guid) {
            diff_report(w, DIFF_NODE_ADDED, FABRIC_NONE, j++);
        } else {
            if (!diff_same_node(a, b))
                diff_report(w, DIFF_NODE_ALTERED, i, j);
            diff_walk_ports(w, i++, j++);
        }
    }
}

static bool diff_same_sm(const struct walk *w, const struct fabric_sm *a, const struct fabric_sm *b)
{
    return w->before->nodes[a->node].guid == w->after->nodes[b->node].guid && a->port == b->port &&
           a->lid == b->lid && a->priority == b->priority && a->state == b->state;
}

static void diff_walk_sms(const struct walk *w)
{
    uint32_t i = 0, j = 0;
    while (i < w->before->sm_count || j < w->after->sm_count) {
        const struct fabric_sm *a = i < w->before->sm_count ? &w->before->sms[i] : NULL;
        const struct fabric_sm *b = j < w->after->sm_count ? &w->after->sms[j] : NULL;
        if (!b || (a && a->guid < b->guid)) {
            diff_report(w, DIFF_SM_REMOVED, i++, FABRIC_NONE);
        } else if (!a || b->guid < a->guid) {
            diff_report(w, DIFF_SM_ADDED, FABRIC_NONE, j++);
        } else {
            if (!diff_same_sm(w, a, b))
                diff_report(w, DIFF_SM_ALTERED, i, j);
            i++;
            j++;
        }
    }
}

// Orders controllers by the node's GUID, then the slot.
static int diff_compare_places(const struct walk *w, const struct fabric_controller *a,
                               const struct fabric_controller *b)
{
    if (!a)
        return 1;
    if (!b)
        return -1;
    uint64_t node_a = w->before->nodes[a->node].guid, node_b = w->after->nodes[b->node].guid;
    if (node_a != node_b)
        return node_a < node_b ? -1 : 1;
    return a->slot - b->slot;
}

static void diff_walk_controllers(const struct walk *w)
{
    uint32_t i = 0, j = 0, end_i = w->before->controller_count, end_j = w->after->controller_count;
    while (i < end_i || j < end_j) {
        const struct fabric_controller *a = i < end_i ? &w->before->controllers[i] : NULL;
        const struct fabric_controller *b = j < end_j ? &w->after->controllers[j] : NULL;
        int order = diff_compare_places(w, a, b);
        if (order == 0 && a->guid == b->guid && strcmp(a->name, b->name) == 0) {
            i++;
            j++;
            continue;
        }
        if (order <= 0)
            diff_report(w, DIFF_CONTROLLER_REMOVED, i++, FABRIC_NONE);
        if (order >= 0)
            diff_report(w, DIFF_CONTROLLER_ADDED, FABRIC_NONE, j++);
    }
}

void diff_fabrics(const struct fabric *before, const struct fabric *after,
                  void (*each)(void *ctx, const struct diff_item *item), void *ctx)
{
    const struct walk w = {before, after, each, ctx};
    diff_walk_nodes(&w);
    diff_walk_sms(&w);
    diff_walk_controllers(&w);
}
