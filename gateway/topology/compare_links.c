// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include "topology/link_rate.h"

// Calls `each` once for every link with an end that differs.
static void compare_links_each(struct comparison *t, struct comparison_side *side,
                               void (*each)(struct comparison *t, struct comparison_side *side,
                                            uint32_t port, uint32_t peer))
{
    for (uint32_t i = 0; i < side->port_count; i++) {
        uint32_t port = side->ports[i], peer = fabric_peer(side->fabric, port);
        if (peer == FABRIC_NONE || (peer < port && side->touched[peer]))
            continue;
        uint32_t first = comparison_first_end(side->fabric, port, peer);
        each(t, side, first, first == port ? peer : port);
    }
}

// The first change that explains why a link came or went.
static uint32_t compare_links_cause(const struct comparison_side *side, uint32_t port,
                                    uint32_t peer)
{
    uint32_t nodes = comparison_earlier(side->node_change[fabric_node_of_port(side->fabric, port)],
                                        side->node_change[fabric_node_of_port(side->fabric, peer)]);
    return comparison_earlier(nodes,
                              comparison_earlier(side->port_change[port], side->port_change[peer]));
}

// This port before, if it was linked; FABRIC_NONE: it was not.
static uint32_t compare_links_former_port(const struct comparison *t, uint32_t port)
{
    const uint32_t former = comparison_counterpart_port(&t->after, port);
    return fabric_peer(t->before.fabric, former) != FABRIC_NONE ? former : FABRIC_NONE;
}

static void compare_links_add_moved(struct comparison *t, struct comparison_side *after,
                                    uint32_t port, uint32_t peer)
{
    if (comparison_counterpart_link(after, port) != FABRIC_NONE ||
        compare_links_cause(after, port, peer) != FABRIC_NONE)
        return;
    const uint32_t kept = compare_links_former_port(t, port) != FABRIC_NONE ? port : peer;
    const uint32_t former = compare_links_former_port(t, kept);
    if (former == FABRIC_NONE)
        return;
    uint32_t index;
    struct change *change = comparison_add_change(t, CATALOGUE_LINK_MOVED, &index);
    comparison_describe_link(after->fabric, kept, t->names, change);
    comparison_set_former(t, former, change);
    after->port_change[kept] = index;
    t->before.port_change[former] = index;
}

static struct change *compare_links_add(struct comparison *t, struct comparison_side *side,
                                        uint32_t port, uint32_t peer, enum catalogue_event type)
{
    uint32_t index;
    struct change *change = comparison_add_change(t, type, &index);
    comparison_describe_link(side->fabric, port, t->names, change);
    change->cause = compare_links_cause(side, port, peer);
    comparison_join_planes(side, port, index, change);
    comparison_link_key(change->alarm_key, ALARM_KEY_LINK, side->fabric, port);
    return change;
}

// The cause of the present link of a port, or FABRIC_NONE.
static uint32_t compare_links_cause_of_new(const struct comparison *t, uint32_t port)
{
    const uint32_t now = comparison_counterpart_port(&t->before, port);
    const uint32_t peer = fabric_peer(t->after.fabric, now);
    return peer != FABRIC_NONE ? compare_links_cause(&t->after, now, peer) : FABRIC_NONE;
}

// A link went. If nothing else is its cause, the cause of a new link at one of its ends is. A link
// without an end in use is missing, and a move is not its cause.
static void compare_links_add_down(struct comparison *t, struct comparison_side *before,
                                   uint32_t port, uint32_t peer)
{
    if (comparison_counterpart_link(before, port) != FABRIC_NONE)
        return;
    struct change *change = compare_links_add(t, before, port, peer, CATALOGUE_LINK_DOWN);
    comparison_add_disabled(t, &change->subject, change);
    comparison_add_disabled(t, &change->peer, change);
    const bool replaced = comparison_is_in_use(t, port) || comparison_is_in_use(t, peer);
    if (replaced && change->cause == FABRIC_NONE)
        change->cause = comparison_earlier(compare_links_cause_of_new(t, port),
                                           compare_links_cause_of_new(t, peer));
    if (!replaced && comparison_is_move(t, change->cause))
        change->cause = FABRIC_NONE;
}

static void compare_links_add_up(struct comparison *t, struct comparison_side *after, uint32_t port,
                                 uint32_t peer)
{
    if (comparison_counterpart_link(after, port) == FABRIC_NONE)
        compare_links_add(t, after, port, peer, CATALOGUE_LINK_UP);
}

static void compare_links_add_rate(struct comparison *t, struct comparison_side *after,
                                   uint32_t port, uint32_t peer)
{
    struct link_rate now = link_rate_of(after->fabric, port, peer), then = {0};
    uint32_t counterpart = comparison_counterpart_link(after, port);
    if (counterpart != FABRIC_NONE)
        then =
            link_rate_of(t->before.fabric, counterpart, fabric_peer(t->before.fabric, counterpart));
    if (!now.known || now.degraded == then.degraded)
        return;
    struct change *change = comparison_add_change(
        t, now.degraded ? CATALOGUE_LINK_DEGRADED : CATALOGUE_LINK_RESTORED, NULL);
    comparison_describe_link(after->fabric, port, t->names, change);
    comparison_link_key(change->alarm_key, ALARM_KEY_RATE, after->fabric, port);
    struct text text = text_in(change->reason, sizeof change->reason);
    link_rate_describe(&text, &now);
}

void compare_links(struct comparison *t)
{
    compare_links_each(t, &t->after, compare_links_add_moved);
    compare_links_each(t, &t->before, compare_links_add_down);
    compare_links_each(t, &t->after, compare_links_add_up);
    compare_links_each(t, &t->after, compare_links_add_rate);
}
