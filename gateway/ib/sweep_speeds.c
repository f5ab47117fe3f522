// SPDX-License-Identifier: BSD-2-Clause
#include "base/memory.h"
#include "ib/node_mad.h"
#include "ib/sweep_ask.h"
#include "ib/sweep_branches.h"

#include <stdlib.h>

static const uint32_t SPEEDS_EXTENDED = 1u << 31;
enum { SPEEDS_VENDOR_MELLANOX = 0x0002c9 };
enum { SPEEDS_PLAIN = FABRIC_SDR | FABRIC_DDR | FABRIC_QDR };

static bool sweep_speeds_is_up(const struct fabric_port *port)
{
    return port && port->known && port->number > 0 && port->state > FABRIC_DOWN;
}

// Whether a port of the node lacks the node's extended speeds.
static bool sweep_speeds_lacks_extended(const struct sweep_part *s, uint32_t node,
                                        const struct fabric_port *port)
{
    const bool is_switch = fabric_builder_get(s->builder, node)->type == FABRIC_SWITCH;
    const struct fabric_port *mask =
        is_switch ? fabric_builder_get_port(s->builder, node, 0) : port;
    return mask && mask->detail.extends && !(port->speed_supported & ~SPEEDS_PLAIN);
}

// Finds the first port of the node from `number` on, up to `last`, that needs a query, for PortInfo
// or for Mellanox's ExtendedPortInfo. 0: no port does.
static uint8_t sweep_speeds_find(const struct sweep_part *s, uint32_t branch, unsigned number,
                                 unsigned last, enum smp_attribute *attribute)
{
    const uint32_t node = sweep_branches_at(s->branches, branch).node;
    const struct fabric_node *n = fabric_builder_get(s->builder, node);
    for (; number <= last; number++) {
        const struct fabric_port *port = fabric_builder_get_port(s->builder, node, (uint8_t)number);
        if (!sweep_speeds_is_up(port))
            continue;
        const bool is_extended = sweep_speeds_lacks_extended(s, node, port);
        *attribute = is_extended ? SMP_PORT_INFO : SMP_MELLANOX_PORT_INFO;
        if (is_extended ||
            (n->vendor == SPEEDS_VENDOR_MELLANOX && port->speed_active == FABRIC_QDR))
            return (uint8_t)number;
    }
    return 0;
}

static void sweep_speeds_copy(struct fabric_port *to, const struct fabric_port *from)
{
    to->speed_active = from->speed_active;
    to->speed_enabled = from->speed_enabled;
    to->speed_supported = from->speed_supported;
}

// The known port, if the port had the same link before; else NULL.
static const struct fabric_port *sweep_speeds_before(const struct sweep_part *s, uint32_t node,
                                                     const struct fabric_port *port)
{
    const struct fabric *known = s->sweep->known;
    const struct fabric_node *n = sweep_part_known(s, fabric_builder_get(s->builder, node)->guid);
    const uint32_t p =
        n ? fabric_find_port(known, (uint32_t)(n - known->nodes), port->number) : FABRIC_NONE;
    if (p == FABRIC_NONE || port->peer_node == FABRIC_NONE)
        return NULL;
    const struct fabric_port *before = &known->ports[p];
    const bool same = before->peer_node != FABRIC_NONE && before->peer_port == port->peer_port &&
                      known->nodes[before->peer_node].guid ==
                          fabric_builder_get(s->builder, port->peer_node)->guid;
    return same ? before : NULL;
}

// Keeps the speeds known before of those ports of the node that need a query, and get no answer.
static void sweep_speeds_keep(const struct sweep_part *s, uint32_t branch, unsigned number,
                              unsigned last)
{
    enum smp_attribute ignored;
    const uint32_t node = sweep_branches_at(s->branches, branch).node;
    while ((number = sweep_speeds_find(s, branch, number, last, &ignored)) != 0) {
        struct fabric_port *port = fabric_builder_get_port(s->builder, node, (uint8_t)number++);
        const struct fabric_port *before = sweep_speeds_before(s, node, port);
        if (before && port->speed_active == FABRIC_QDR && (before->speed_supported & ~SPEEDS_PLAIN))
            sweep_speeds_copy(port, before);
    }
}

static sweep_take sweep_speeds_take;

// Asks about the first port of the node that needs a query.
static void sweep_speeds_ask(struct sweep_part *s, uint32_t branch, unsigned number, unsigned last)
{
    enum smp_attribute attribute;
    if (s->sweep->overflow.happened) {
        sweep_speeds_keep(s, branch, number, last);
        return;
    }
    const uint8_t port = sweep_speeds_find(s, branch, number, last, &attribute);
    if (port != 0)
        sweep_part_ask(s, &(struct sweep_query){
                              .take = sweep_speeds_take,
                              .guid = sweep_branches_at(s->branches, branch).port_guid,
                              .at = branch,
                              .modifier = port | (attribute == SMP_PORT_INFO ? SPEEDS_EXTENDED : 0),
                              .attribute = (uint16_t)attribute,
                              .mgmt_class = MAD_CLASS_SMP_DIRECT,
                              .port = port});
}

static void sweep_speeds_take(struct sweep_part *s, const struct sweep_query *query,
                              const struct request_answer *answer)
{
    struct fabric_port seen;
    const uint32_t number = sweep_branches_at(s->branches, query->at).node;
    const struct fabric_node *node = fabric_builder_get(s->builder, number);
    struct fabric_port *port = fabric_builder_get_port(s->builder, number, query->port);
    const bool is_switch = node->type == FABRIC_SWITCH;
    const unsigned last = is_switch ? node->port_count : query->port;
    if (!answer->data) {
        sweep_speeds_keep(s, query->at, query->port, last);
        return;
    }
    if (query->attribute == SMP_PORT_INFO) {
        smp_read_port_info(answer->data, is_switch ? FABRIC_SWITCH : FABRIC_CA, query->port, &seen);
        sweep_speeds_copy(port, &seen);
    } else {
        smp_add_mellanox_speeds(answer->data, port);
    }
    sweep_speeds_ask(s, query->at, query->port + 1U, last);
}

// Begins with each switch, by the first route to it, and with each port of another node.
static void sweep_speeds_begin(struct sweep_part *s, bool *begun)
{
    for (uint32_t i = 0; i < sweep_branches_count(s->branches); i++) {
        const uint32_t node = sweep_branches_at(s->branches, i).node;
        if (node == SWEEP_BRANCHES_NONE)
            continue;
        const struct fabric_node *n = fabric_builder_get(s->builder, node);
        if (n->type == FABRIC_SWITCH && !begun[node])
            sweep_speeds_ask(s, i, 1, n->port_count);
        begun[node] = true;
        for (unsigned p = 1; n->type != FABRIC_SWITCH && p <= n->port_count; p++) {
            const struct fabric_port *port = fabric_builder_get_port(s->builder, node, (uint8_t)p);
            if (port && port->guid == sweep_branches_at(s->branches, i).port_guid)
                sweep_speeds_ask(s, i, p, p);
        }
    }
}

bool sweep_speeds(struct sweep *sweep, struct fabric_builder *builder,
                  struct sweep_branches *branches, struct error *err)
{
    // Nodes and links are known without the speeds.
    struct sweep_part part = {
        .sweep = sweep, .builder = builder, .branches = branches, .is_optional = true};
    // No more nodes than branches were found.
    bool *begun = memory_zeroed(sweep_branches_count(branches), sizeof *begun);
    sweep_part_begin(&part);
    sweep_speeds_begin(&part, begun);
    const bool ok = sweep_part_end(&part, err);
    free(begun);
    return ok;
}
