// SPDX-License-Identifier: BSD-2-Clause
#include "topology/comparison.h"

#include "base/memory.h"
#include "topology/describe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void comparison_open_side(struct comparison_side *side, const struct systems *systems)
{
    const struct fabric *fabric = systems->fabric;
    side->fabric = fabric;
    side->systems = systems;
    side->counterpart = fabric_indices(fabric->node_count);
    side->node_change = fabric_indices(fabric->node_count);
    side->port_change = fabric_indices(fabric->port_count);
    side->touched = memory_zeroed((size_t)fabric->port_count + 1, sizeof *side->touched);
    side->ports = memory_get(((size_t)fabric->port_count + 1) * sizeof *side->ports);
}

static void comparison_close_side(struct comparison_side *side)
{
    free(side->counterpart);
    free(side->node_change);
    free(side->port_change);
    free(side->touched);
    free(side->ports);
}

static void comparison_touch(struct comparison_side *side, uint32_t port)
{
    side->touched[port] = true;
    side->ports[side->port_count++] = port;
}

static void comparison_touch_all(struct comparison_side *side, uint32_t node)
{
    const struct fabric_node *n = &side->fabric->nodes[node];
    side->alone++;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++)
        comparison_touch(side, i);
}

static void comparison_collect(void *ctx, const struct diff_item *item)
{
    struct comparison *t = ctx;
    switch (item->kind) {
    case DIFF_NODE_REMOVED:
        comparison_touch_all(&t->before, item->before);
        break;
    case DIFF_NODE_ADDED:
        comparison_touch_all(&t->after, item->after);
        break;
    case DIFF_PORT_REMOVED:
    case DIFF_PORT_ADDED:
    case DIFF_PORT_ALTERED:
        if (item->before != FABRIC_NONE)
            comparison_touch(&t->before, item->before);
        if (item->after != FABRIC_NONE)
            comparison_touch(&t->after, item->after);
        break;
    default:
        MEMORY_MAKE_ROOM(t->items, t->item_count, t->item_capacity);
        t->items[t->item_count++] = *item;
    }
}

void comparison_open(struct comparison *t, const struct systems *before,
                     const struct systems *after)
{
    comparison_open_side(&t->before, before);
    comparison_open_side(&t->after, after);
    t->before.other = &t->after;
    t->after.other = &t->before;
    diff_match_nodes(before->fabric, after->fabric, t->before.counterpart, t->after.counterpart);
    diff_fabrics(before->fabric, after->fabric, comparison_collect, t);
}

void comparison_close(struct comparison *t)
{
    comparison_close_side(&t->before);
    comparison_close_side(&t->after);
    free(t->items);
}

struct change *comparison_add_change(struct comparison *t, enum catalogue_event type,
                                     uint32_t *index)
{
    struct changes *out = t->out;
    MEMORY_MAKE_ROOM(out->all, out->count, out->capacity);
    if (index)
        *index = out->count;
    struct change *change = &out->all[out->count++];
    *change = (struct change){.type = type, .cause = FABRIC_NONE};
    return change;
}

enum catalogue_event comparison_node_event(uint8_t type, enum node_fate fate)
{
    static const enum catalogue_event EVENTS[][3] = {
        [NODE_REMOVED] = {CATALOGUE_HOST_REMOVED, CATALOGUE_SWITCH_REMOVED,
                          CATALOGUE_ROUTER_REMOVED},
        [NODE_ADDED] = {CATALOGUE_HOST_ADDED, CATALOGUE_SWITCH_ADDED, CATALOGUE_ROUTER_ADDED},
        [NODE_MOVED] = {CATALOGUE_HOST_MOVED, CATALOGUE_SWITCH_MOVED, CATALOGUE_ROUTER_MOVED},
        [NODE_MISSING] = {CATALOGUE_HOST_MISSING, CATALOGUE_SWITCH_MISSING,
                          CATALOGUE_ROUTER_MISSING},
    };
    return EVENTS[fate][type == FABRIC_SWITCH ? 1 : type == FABRIC_ROUTER ? 2 : 0];
}

uint32_t comparison_counterpart_port(const struct comparison_side *side, uint32_t port)
{
    uint32_t counterpart = side->counterpart[fabric_node_of_port(side->fabric, port)];
    return fabric_find_port(side->other->fabric, counterpart, side->fabric->ports[port].number);
}

uint32_t comparison_counterpart_link(const struct comparison_side *side, uint32_t port)
{
    uint32_t counterpart = comparison_counterpart_port(side, port);
    if (counterpart == FABRIC_NONE || !comparison_is_linked(side->fabric, port))
        return FABRIC_NONE;
    bool same = diff_same_peer(side->fabric, &side->fabric->ports[port], side->other->fabric,
                               &side->other->fabric->ports[counterpart]);
    return same ? counterpart : FABRIC_NONE;
}

bool comparison_is_in_use(const struct comparison *t, uint32_t port)
{
    uint32_t now = comparison_counterpart_port(&t->before, port);
    return now != FABRIC_NONE && comparison_is_linked(t->after.fabric, now);
}

bool comparison_is_switch(const struct fabric *fabric, uint32_t node)
{
    return fabric->nodes[node].type == FABRIC_SWITCH;
}

bool comparison_is_linked(const struct fabric *fabric, uint32_t port)
{
    return fabric->ports[port].peer_node != FABRIC_NONE;
}

bool comparison_has_capability(const struct fabric *fabric, uint32_t port,
                               enum fabric_capability capability)
{
    return fabric->ports[port].known && (fabric->ports[port].capabilities & capability);
}

uint32_t comparison_first_end(const struct fabric *fabric, uint32_t port, uint32_t peer)
{
    bool is_switch = comparison_is_switch(fabric, fabric_node_of_port(fabric, port));
    bool is_peer_switch = comparison_is_switch(fabric, fabric_node_of_port(fabric, peer));
    if (is_switch != is_peer_switch)
        return is_switch ? port : peer;
    return port < peer ? port : peer;
}

bool comparison_is_alone(const struct comparison_side *side, uint32_t node)
{
    return side->counterpart[node] == FABRIC_NONE;
}

uint32_t comparison_earlier(uint32_t change_a, uint32_t change_b)
{
    return change_a < change_b ? change_a : change_b;
}

bool comparison_is_move(const struct comparison *t, uint32_t change)
{
    if (change == FABRIC_NONE)
        return false;
    switch (t->out->all[change].type) {
    case CATALOGUE_SWITCH_MOVED:
    case CATALOGUE_HOST_MOVED:
    case CATALOGUE_ROUTER_MOVED:
    case CATALOGUE_PORT_MOVED:
    case CATALOGUE_LINK_MOVED:
        return true;
    default:
        return false;
    }
}

uint32_t comparison_first_linked(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *n = &fabric->nodes[node];
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (comparison_is_linked(fabric, i))
            return i;
    }
    return FABRIC_NONE;
}

uint32_t comparison_uplink(const struct comparison_side *side, uint32_t node)
{
    const struct fabric_node *n = &side->fabric->nodes[node];
    uint32_t best = comparison_first_linked(side->fabric, node);
    if (n->type != FABRIC_SWITCH || best == FABRIC_NONE)
        return best;
    bool is_best_switch = comparison_is_switch(side->fabric, side->fabric->ports[best].peer_node);
    for (uint32_t i = best; i < n->first_port + n->ports; i++) {
        uint32_t peer = side->fabric->ports[i].peer_node;
        if (peer == FABRIC_NONE || !comparison_is_switch(side->fabric, peer))
            continue;
        if (!comparison_is_alone(side, peer))
            return i;
        if (!is_best_switch)
            best = i;
        is_best_switch = true;
    }
    return best;
}

uint64_t comparison_switch_guid(const struct fabric *fabric, uint32_t port)
{
    uint32_t node = fabric_node_of_port(fabric, port), peer = fabric->ports[port].peer_node;
    if (fabric_is_element(fabric->nodes[node].type))
        return fabric->nodes[node].guid;
    return peer != FABRIC_NONE && fabric_is_element(fabric->nodes[peer].type)
               ? fabric->nodes[peer].guid
               : 0;
}

void comparison_set_switch(struct change *change)
{
    change->switch_guid = fabric_is_element(change->subject.type) ? change->subject.node_guid
                          : fabric_is_element(change->peer.type)  ? change->peer.node_guid
                                                                  : 0;
}

void comparison_describe_link(const struct fabric *fabric, uint32_t port, const struct names *names,
                              struct change *change)
{
    const uint32_t peer = fabric_peer(fabric, port);
    describe_port(fabric, port, names, &change->subject);
    change->switch_guid = comparison_switch_guid(fabric, port);
    if (peer != FABRIC_NONE)
        describe_port(fabric, peer, names, &change->peer);
}

void comparison_planes_key(char out[EVENT_KEY_SIZE], const struct fabric *fabric,
                           const struct planes *planes)
{
    const uint32_t first = planes->ports[0];
    alarm_key_write(
        out, &(struct alarm_key){.kind = ALARM_KEY_PORT,
                                 .about = ALARM_ABOUT_PLANES,
                                 .guid = fabric->nodes[fabric_node_of_port(fabric, first)].guid,
                                 .port = fabric->ports[first].number});
}

void comparison_describe_planes(const struct fabric *fabric, const struct planes *planes,
                                const struct names *names, struct change *change)
{
    const uint32_t port = planes->linked;
    change->type = planes_are_missing(planes) ? CATALOGUE_LINK_DEGRADED : CATALOGUE_LINK_RESTORED;
    comparison_describe_link(fabric, comparison_first_end(fabric, port, fabric_peer(fabric, port)),
                             names, change);
    comparison_planes_key(change->alarm_key, fabric, planes);
    struct text text = text_in(change->reason, sizeof change->reason);
    planes_describe(&text, fabric, planes, names);
}

void comparison_join_planes(struct comparison_side *side, uint32_t port, uint32_t index,
                            struct change *change)
{
    const struct planes planes = planes_of(side->systems, port);
    if (planes.count < 2 || change->cause != FABRIC_NONE)
        return;
    uint32_t *told = &side->port_change[planes.linked];
    if (*told != FABRIC_NONE && *told != index) {
        change->cause = *told;
        return;
    }
    *told = index;
    struct text text = text_in(change->reason, sizeof change->reason);
    text_addf(&text, planes.active == planes.count ? "all %u planes" : "the last of %u planes",
              planes.count);
}

void comparison_set_subject_node(const struct comparison *t, const struct comparison_side *side,
                                 uint32_t node, struct change *change)
{
    const struct fabric *fabric = side->fabric;
    uint32_t port = comparison_uplink(side, node);
    if (port != FABRIC_NONE)
        comparison_describe_link(side->fabric, port, t->names, change);
    if (fabric_is_element(fabric->nodes[node].type))
        change->switch_guid = fabric->nodes[node].guid;
    describe_node(fabric, node, t->names, &change->subject);
    change->uplink = port != FABRIC_NONE ? fabric->ports[port].number : 0;
}

void comparison_set_former(const struct comparison *t, uint32_t port, struct change *change)
{
    const struct fabric *before = t->before.fabric;
    const uint32_t peer = fabric_peer(before, port);
    struct endpoint place;
    if (peer == FABRIC_NONE)
        return;
    describe_port(before, peer, t->names, &place);
    change->former =
        (struct event_former_link){place.node_guid, place.type, before->ports[port].number};
    struct text text = text_in(change->reason, sizeof change->reason);
    describe_add_port(&text, &place);
    if (place.lid != 0)
        text_addf(&text, " (LID %u)", place.lid);
}

struct alarm_key comparison_link(const struct fabric *fabric, uint32_t port,
                                 enum alarm_key_kind kind)
{
    const uint32_t peer = fabric_peer(fabric, port);
    return (struct alarm_key){.kind = kind,
                              .guid = fabric->nodes[fabric_node_of_port(fabric, port)].guid,
                              .port = fabric->ports[port].number,
                              .peer_guid = fabric->nodes[fabric_node_of_port(fabric, peer)].guid,
                              .peer_port = fabric->ports[peer].number};
}

void comparison_link_key(char out[EVENT_KEY_SIZE], enum alarm_key_kind kind,
                         const struct fabric *fabric, uint32_t port)
{
    const struct alarm_key key = comparison_link(fabric, port, kind);
    alarm_key_write(out, &key);
}

void comparison_guid_key(char out[EVENT_KEY_SIZE], enum alarm_key_kind kind, uint64_t guid)
{
    alarm_key_write(out, &(struct alarm_key){.kind = kind, .guid = guid});
}

void comparison_add_disabled(const struct comparison *t, const struct endpoint *end,
                             struct change *change)
{
    enum { DISABLED = 3 };
    const struct fabric *now = t->after.fabric;
    const uint32_t port = fabric_find_end(now, end->node_guid, end->port);
    if (port == FABRIC_NONE || !now->ports[port].known || now->ports[port].physical != DISABLED)
        return;
    struct text text = text_behind(change->reason, sizeof change->reason);
    text_add(&text, text.len > 0 ? "; " : "");
    describe_add_port(&text, end);
    text_add(&text, " is disabled, by the subnet manager or by hand");
}
