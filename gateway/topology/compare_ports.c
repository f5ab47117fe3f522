// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

// The change that reports that the node at the other end of the port's link came or went;
// FABRIC_NONE: that node is in both snapshots.
static uint32_t cause_at_peer(const struct comparison_side *side, uint32_t port)
{
    uint32_t peer = side->fabric->ports[port].peer_node;
    return comparison_is_alone(side, peer) ? side->node_change[peer] : FABRIC_NONE;
}

static void add_port_alone(struct comparison *t, struct comparison_side *side, uint32_t port,
                           enum catalogue_event type)
{
    struct change *change = comparison_add_change(t, type, &side->port_change[port]);
    comparison_set_subject_port(t, side, port, change);
    change->cause = cause_at_peer(side, port);
    alarm_key_write(change->alarm_key, &(struct alarm_key){.kind = ALARM_KEY_PORT,
                                                           .guid = change->subject.node_guid,
                                                           .port = change->subject.port});
}

static void add_port_moved(struct comparison *t, uint32_t before, uint32_t after)
{
    uint32_t index;
    struct change *change = comparison_add_change(t, CATALOGUE_PORT_MOVED, &index);
    comparison_set_subject_port(t, &t->after, after, change);
    change->cause = cause_at_peer(&t->before, before);
    comparison_set_former(t, before, change);
    t->before.port_change[before] = index;
    t->after.port_change[after] = index;
}

// Whether the port is linked, and its node is a CA or router that is in both snapshots and did not
// move. Sets `node` in any case.
static bool is_of_known_host(const struct comparison_side *side, uint32_t port, uint32_t *node)
{
    *node = fabric_node_of_port(side->fabric, port);
    return comparison_is_linked(side->fabric, port) && !comparison_is_switch(side->fabric, *node) &&
           !comparison_is_alone(side, *node) && side->node_change[*node] == FABRIC_NONE;
}

void compare_ports(struct comparison *t)
{
    uint32_t node;
    for (uint32_t i = 0; i < t->before.port_count; i++) {
        uint32_t port = t->before.ports[i];
        if (!is_of_known_host(&t->before, port, &node))
            continue;
        uint32_t counterpart = comparison_counterpart_port(&t->before, &t->after, port);
        if (counterpart == FABRIC_NONE || !comparison_is_linked(t->after.fabric, counterpart)) {
            if (comparison_first_linked(t->after.fabric, t->before.counterpart[node]) !=
                FABRIC_NONE)
                add_port_alone(t, &t->before, port, CATALOGUE_PORT_REMOVED);
        } else if (comparison_counterpart_link(&t->before, &t->after, port) == FABRIC_NONE) {
            add_port_moved(t, port, counterpart);
        }
    }
    for (uint32_t i = 0; i < t->after.port_count; i++) {
        uint32_t port = t->after.ports[i];
        if (!is_of_known_host(&t->after, port, &node))
            continue;
        uint32_t counterpart = comparison_counterpart_port(&t->after, &t->before, port);
        bool was_linked =
            counterpart != FABRIC_NONE && comparison_is_linked(t->before.fabric, counterpart);
        if (!was_linked &&
            comparison_first_linked(t->before.fabric, t->after.counterpart[node]) != FABRIC_NONE)
            add_port_alone(t, &t->after, port, CATALOGUE_PORT_ADDED);
    }
}
