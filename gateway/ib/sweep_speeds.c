// SPDX-License-Identifier: BSD-2-Clause
#include "base/memory.h"
#include "ib/smp_decode.h"
#include "ib/sweep_ask.h"
#include "ib/sweep_branches.h"

#include <stdlib.h>

static const uint32_t SPEEDS_EXTENDED = 1u << 31;
enum { SPEEDS_VENDOR_MELLANOX = 0x0002c9 };
enum { SPEEDS_PLAIN = FABRIC_SDR | FABRIC_DDR | FABRIC_QDR };

struct speeds {
    struct sweep *sweep;
    struct fabric_builder *builder;
    const struct sweep_branches *branches;
    struct sweep_part part;
};

// The tag of a request.
struct speeds_query {
    uint32_t branch; // the route to the node
    uint8_t port;
    bool is_extended; // PortInfo; else Mellanox's ExtendedPortInfo
};

static request_done sweep_speeds_handle;

static enum smp_attribute sweep_speeds_attribute(const struct speeds_query *query)
{
    return query->is_extended ? SMP_PORT_INFO : SMP_MELLANOX_PORT_INFO;
}

static void sweep_speeds_make(void *ctx, const void *tag, uint8_t *mad)
{
    const struct speeds *s = ctx;
    const struct speeds_query *query = tag;
    uint8_t path[SMP_HOPS_MAX];
    const uint8_t hops = sweep_branches_path(s->branches, query->branch, path);
    const uint64_t mkey = mkeys_find(
        s->sweep->mkeys, sweep_branches_port_guid(s->branches, query->branch), s->sweep->mkey);
    smp_make_get(mad, mkey, sweep_speeds_attribute(query),
                 query->port | (query->is_extended ? SPEEDS_EXTENDED : 0), path, hops);
}

static bool sweep_speeds_is_up(const struct fabric_port *port)
{
    return port && port->known && port->number > 0 && port->state > FABRIC_DOWN;
}

// Whether a port of the node lacks the node's extended speeds.
static bool sweep_speeds_lacks_extended(const struct speeds *s, uint32_t node,
                                        const struct fabric_port *port)
{
    const bool is_switch = fabric_builder_get(s->builder, node)->type == FABRIC_SWITCH;
    const struct fabric_port *mask =
        is_switch ? fabric_builder_get_port(s->builder, node, 0) : port;
    return mask && mask->detail.extends && !(port->speed_supported & ~SPEEDS_PLAIN);
}

// Finds the first port of the node from `number` on, up to `last`, that needs a query. False: none
// does.
static bool sweep_speeds_find(const struct speeds *s, uint32_t branch, unsigned number,
                              unsigned last, struct speeds_query *out)
{
    const uint32_t node = sweep_branches_node(s->branches, branch);
    const struct fabric_node *n = fabric_builder_get(s->builder, node);
    for (; number <= last; number++) {
        const struct fabric_port *port = fabric_builder_get_port(s->builder, node, (uint8_t)number);
        if (!sweep_speeds_is_up(port))
            continue;
        *out = (struct speeds_query){branch, (uint8_t)number,
                                     sweep_speeds_lacks_extended(s, node, port)};
        if (out->is_extended ||
            (n->vendor == SPEEDS_VENDOR_MELLANOX && port->speed_active == FABRIC_QDR))
            return true;
    }
    return false;
}

// The known port, if the port had the same link before; else NULL.
static const struct fabric_port *sweep_speeds_before(const struct speeds *s, uint32_t node,
                                                     const struct fabric_port *port)
{
    const struct fabric *known = s->sweep->known;
    const uint32_t n =
        known ? fabric_find_node(known, fabric_builder_get(s->builder, node)->guid) : FABRIC_NONE;
    const uint32_t p = n != FABRIC_NONE ? fabric_find_port(known, n, port->number) : FABRIC_NONE;
    if (p == FABRIC_NONE || port->peer_node == FABRIC_NONE)
        return NULL;
    const struct fabric_port *before = &known->ports[p];
    const bool same = before->peer_node != FABRIC_NONE && before->peer_port == port->peer_port &&
                      known->nodes[before->peer_node].guid ==
                          fabric_builder_get(s->builder, port->peer_node)->guid;
    return same ? before : NULL;
}

// Keeps the speeds known before of those ports of the node that need a query, and get no answer.
static void sweep_speeds_keep(const struct speeds *s, uint32_t branch, unsigned number,
                              unsigned last)
{
    struct speeds_query query;
    const uint32_t node = sweep_branches_node(s->branches, branch);
    for (; sweep_speeds_find(s, branch, number, last, &query); number = query.port + 1U) {
        struct fabric_port *port = fabric_builder_get_port(s->builder, node, query.port);
        const struct fabric_port *before = sweep_speeds_before(s, node, port);
        if (!before || port->speed_active != FABRIC_QDR ||
            !(before->speed_supported & ~SPEEDS_PLAIN))
            continue;
        port->speed_active = before->speed_active;
        port->speed_enabled = before->speed_enabled;
        port->speed_supported = before->speed_supported;
    }
}

// Asks about the first port of the node that needs a query.
static void sweep_speeds_ask(struct speeds *s, uint32_t branch, unsigned number, unsigned last)
{
    struct speeds_query query;
    if (s->sweep->overflow.happened) {
        sweep_speeds_keep(s, branch, number, last);
        return;
    }
    if (!sweep_speeds_find(s, branch, number, last, &query))
        return;
    requests_add(s->part.batch, &(struct mad_request){.agent = MAD_AGENT_SMP,
                                                      .to = {.lid = 0xFFFF},
                                                      .make = sweep_speeds_make,
                                                      .done = sweep_speeds_handle,
                                                      .ctx = s,
                                                      .tag = &query,
                                                      .tag_size = sizeof query});
}

static void sweep_speeds_take(struct speeds *s, const struct speeds_query *query,
                              const uint8_t *data)
{
    struct fabric_port seen;
    const uint32_t node = sweep_branches_node(s->branches, query->branch);
    struct fabric_port *port = fabric_builder_get_port(s->builder, node, query->port);
    if (!query->is_extended) {
        smp_add_mellanox_speeds(data, port);
        return;
    }
    const bool external = fabric_builder_get(s->builder, node)->type == FABRIC_SWITCH;
    smp_read_port_info(data, external ? FABRIC_SWITCH : FABRIC_CA, query->port, &seen);
    port->speed_active = seen.speed_active;
    port->speed_enabled = seen.speed_enabled;
    port->speed_supported = seen.speed_supported;
}

static void sweep_speeds_handle(void *ctx, const void *tag, const struct request_answer *answer)
{
    struct speeds *s = ctx;
    const struct speeds_query *query = tag;
    const struct fabric_node *node =
        fabric_builder_get(s->builder, sweep_branches_node(s->branches, query->branch));
    const uint8_t *data = smp_answer(answer->mad, answer->size, sweep_speeds_attribute(query));
    const unsigned last = node->type == FABRIC_SWITCH ? node->port_count : query->port;
    if (!data) {
        sweep_speeds_keep(s, query->branch, query->port, last);
        return;
    }
    sweep_speeds_take(s, query, data);
    sweep_speeds_ask(s, query->branch, query->port + 1U, last);
}

// Begins with each switch, by the first route to it, and with each port of another node.
static void sweep_speeds_begin(struct speeds *s, bool *begun)
{
    for (uint32_t i = 0; i < sweep_branches_count(s->branches); i++) {
        const uint32_t node = sweep_branches_node(s->branches, i);
        if (node == SWEEP_BRANCHES_NONE)
            continue;
        const struct fabric_node *n = fabric_builder_get(s->builder, node);
        if (n->type == FABRIC_SWITCH && !begun[node])
            sweep_speeds_ask(s, i, 1, n->port_count);
        begun[node] = true;
        for (unsigned p = 1; n->type != FABRIC_SWITCH && p <= n->port_count; p++) {
            const struct fabric_port *port = fabric_builder_get_port(s->builder, node, (uint8_t)p);
            if (port && port->guid == sweep_branches_port_guid(s->branches, i))
                sweep_speeds_ask(s, i, p, p);
        }
    }
}

bool sweep_speeds(struct sweep *sweep, struct fabric_builder *builder,
                  const struct sweep_branches *branches, struct error *err)
{
    struct speeds s = {
        .sweep = sweep, .builder = builder, .branches = branches, .part = {.sweep = sweep}};
    // No more nodes than branches were found.
    bool *begun = memory_zeroed(sweep_branches_count(branches), sizeof *begun);
    const bool complete = sweep->complete;
    sweep_part_begin(&s.part);
    sweep_speeds_begin(&s, begun);
    const bool ok = sweep_part_end(&s.part, err);
    sweep->complete = complete; // nodes and links are known without
    free(begun);
    return ok;
}
