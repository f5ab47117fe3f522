// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

// The end that becomes the subject of a link's changes: the switch's port if one end is a switch,
// otherwise the port of the smaller node GUID, then of the smaller number.
static uint32_t first_end(const struct fabric *fabric, uint32_t port, uint32_t peer)
{
    bool is_switch = comparison_is_switch(fabric, fabric_node_of_port(fabric, port));
    bool is_peer_switch = comparison_is_switch(fabric, fabric_node_of_port(fabric, peer));
    if (is_switch != is_peer_switch)
        return is_switch ? port : peer;
    return port < peer ? port : peer;
}

// Calls `each` once for every link with an end that differs.
static void each_link(struct comparison *t, struct comparison_side *side,
                      void (*each)(struct comparison *t, struct comparison_side *side,
                                   uint32_t port, uint32_t peer))
{
    for (uint32_t i = 0; i < side->port_count; i++) {
        uint32_t port = side->ports[i], peer = fabric_peer(side->fabric, port);
        if (peer == FABRIC_NONE || (peer < port && side->touched[peer]))
            continue;
        uint32_t first = first_end(side->fabric, port, peer);
        each(t, side, first, first == port ? peer : port);
    }
}

// The first change that explains why a link came or went.
static uint32_t cause_of_link(const struct comparison_side *side, uint32_t port, uint32_t peer)
{
    uint32_t nodes = comparison_earlier(side->node_change[fabric_node_of_port(side->fabric, port)],
                                        side->node_change[fabric_node_of_port(side->fabric, peer)]);
    return comparison_earlier(nodes,
                              comparison_earlier(side->port_change[port], side->port_change[peer]));
}

// The port that this one was linked to before; FABRIC_NONE: none.
static uint32_t former_peer(const struct comparison *t, uint32_t port)
{
    uint32_t counterpart = comparison_counterpart_port(&t->after, &t->before, port);
    return counterpart != FABRIC_NONE ? fabric_peer(t->before.fabric, counterpart) : FABRIC_NONE;
}

static void add_moved_link(struct comparison *t, struct comparison_side *after, uint32_t port,
                           uint32_t peer)
{
    if (comparison_counterpart_link(after, &t->before, port) != FABRIC_NONE ||
        cause_of_link(after, port, peer) != FABRIC_NONE)
        return;
    uint32_t kept = former_peer(t, port) != FABRIC_NONE ? port : peer;
    uint32_t former = former_peer(t, kept);
    if (former == FABRIC_NONE)
        return;
    uint32_t index;
    struct change *change = comparison_add_change(t, CATALOGUE_LINK_MOVED, &index);
    comparison_set_subject_port(t, after, kept, change);
    struct text text = text_in(change->reason, sizeof change->reason);
    comparison_add_place(&text, t, &t->before, former);
    after->port_change[kept] = index;
    t->before.port_change[comparison_counterpart_port(after, &t->before, kept)] = index;
}

static void add_link(struct comparison *t, const struct comparison_side *side, uint32_t port,
                     uint32_t peer, enum catalogue_event type)
{
    struct change *change = comparison_add_change(t, type, NULL);
    comparison_set_subject_port(t, side, port, change);
    change->cause = cause_of_link(side, port, peer);
    if (type == CATALOGUE_LINK_UP || !comparison_is_move(t, change->cause))
        comparison_link_key(change->alarm_key, "", side->fabric, port);
}

static void add_link_down(struct comparison *t, struct comparison_side *before, uint32_t port,
                          uint32_t peer)
{
    if (comparison_counterpart_link(before, &t->after, port) == FABRIC_NONE)
        add_link(t, before, port, peer, CATALOGUE_LINK_DOWN);
}

static void add_link_up(struct comparison *t, struct comparison_side *after, uint32_t port,
                        uint32_t peer)
{
    if (comparison_counterpart_link(after, &t->before, port) == FABRIC_NONE)
        add_link(t, after, port, peer, CATALOGUE_LINK_UP);
}

// The rate of a link, and the best one that both ends support and are set to.
struct rate {
    bool known, degraded;
    uint8_t width, best_width;
    uint16_t speed, best_speed;
};

// The widths that the port supports and is set to: a port that was set to less than it supports is
// not degraded. `width_enabled` is 0 if it was never set.
static uint8_t wanted_width(const struct fabric_port *port)
{
    uint8_t both = port->width_supported & port->width_enabled;
    return both ? both : port->width_supported;
}

static uint16_t wanted_speed(const struct fabric_port *port)
{
    uint16_t both = port->speed_supported & port->speed_enabled;
    return both ? both : port->speed_supported;
}

static struct rate rate_of(const struct fabric *fabric, uint32_t port, uint32_t peer)
{
    const struct fabric_port *a = &fabric->ports[port], *b = &fabric->ports[peer];
    struct rate rate = {
        .width = a->width_active,
        .best_width = fabric_best_width(wanted_width(a), wanted_width(b)),
        .speed = a->speed_active,
        .best_speed = fabric_best_speed(wanted_speed(a), wanted_speed(b)),
    };
    rate.known = a->known && b->known && rate.width != 0 && rate.speed != 0;
    rate.degraded = rate.known && (fabric_lanes(rate.width) < fabric_lanes(rate.best_width) ||
                                   rate.speed < rate.best_speed);
    return rate;
}

static void add_rate(struct comparison *t, struct comparison_side *after, uint32_t port,
                     uint32_t peer)
{
    struct rate now = rate_of(after->fabric, port, peer), then = {0};
    uint32_t counterpart = comparison_counterpart_link(after, &t->before, port);
    if (counterpart != FABRIC_NONE)
        then = rate_of(t->before.fabric, counterpart, fabric_peer(t->before.fabric, counterpart));
    if (!now.known || now.degraded == then.degraded)
        return;
    struct change *change = comparison_add_change(
        t, now.degraded ? CATALOGUE_LINK_DEGRADED : CATALOGUE_LINK_RESTORED, NULL);
    comparison_set_subject_port(t, after, port, change);
    comparison_link_key(change->alarm_key, "rate ", after->fabric, port);
    struct text text = text_in(change->reason, sizeof change->reason);
    fabric_add_rate(&text, now.width, now.speed);
    if (now.degraded) {
        text_add(&text, " instead of ");
        fabric_add_rate(&text, now.best_width, now.best_speed);
    }
}

void compare_links(struct comparison *t)
{
    each_link(t, &t->after, add_moved_link);
    each_link(t, &t->before, add_link_down);
    each_link(t, &t->after, add_link_up);
    each_link(t, &t->after, add_rate);
}
