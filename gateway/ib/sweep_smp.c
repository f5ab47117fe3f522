// SPDX-License-Identifier: BSD-2-Clause
#include "ib/smp_decode.h"
#include "ib/sweep_batch.h"

#include <assert.h>
#include <string.h>

enum { LINK_UP = 5, LINK_ERROR_RECOVERY = 6 }; // PortPhysicalState

// The tag of a request. It contains the whole directed route, so that no other table has to.
struct probe {
    enum smp_attribute attribute;
    uint64_t port_guid; // of the port that answered for the node
    uint32_t node;      // the queried one; NodeInfo: the one before it; FABRIC_NONE: none
    uint8_t port;       // PortInfo: its number; NodeInfo: the port of `node` that leads to it
    uint8_t hops;
    uint8_t path[SMP_HOPS_MAX]; // ports by which the SMP leaves each node
};
static_assert(sizeof(struct probe) <= BATCH_TAG_MAX, "a request carries one");

struct walk {
    struct sweep *sweep;
    struct fabric_builder *builder;
    struct batch *batch;
    bool conflict;  // answers contradict each other
    bool nameless;  // a NodeDescription is missing
    bool uncertain; // a port is silent, or not known
    bool no_memory;
    uint32_t own_node; // FABRIC_NONE: it did not answer
    uint8_t own_port;
};

// Requests.

// Whether the node behind a port is known, because the link was found from its other end.
static bool sweep_smp_is_known(const struct walk *walk, const struct probe *probe)
{
    return probe->attribute == SMP_NODE_INFO && probe->node != FABRIC_NONE &&
           fabric_builder_get_port(walk->builder, probe->node, probe->port)->peer_node !=
               FABRIC_NONE;
}

static bool sweep_smp_make(void *ctx, const void *tag, size_t tag_size, uint8_t *mad)
{
    const struct walk *walk = ctx;
    struct probe probe;
    memcpy(&probe, tag, tag_size);
    if (sweep_smp_is_known(walk, &probe))
        return false;
    uint32_t modifier = probe.attribute == SMP_PORT_INFO ? probe.port : 0;
    smp_make_get(mad, walk->sweep->mkey, probe.attribute, modifier, probe.path, probe.hops);
    return true;
}

// Queries about a known node come before the search for further nodes; otherwise the requests for
// the ports of all nodes would wait in memory at the same time.
static void sweep_smp_ask(struct walk *walk, struct probe probe, enum smp_attribute attribute,
                          batch_done *done)
{
    probe.attribute = attribute;
    if (!batch_add(walk->batch, &(struct batch_request){.agent = MAD_AGENT_SMP,
                                                        .to = {.lid = 0xFFFF},
                                                        .make = sweep_smp_make,
                                                        .next = attribute != SMP_NODE_INFO,
                                                        .done = done,
                                                        .ctx = walk,
                                                        .tag = &probe,
                                                        .tag_size = sizeof probe}))
        walk->no_memory = true;
}

static batch_done sweep_smp_handle_node, sweep_smp_handle_port, handle_description;

static void sweep_smp_ask_port(struct walk *walk, struct probe probe, uint8_t number)
{
    probe.port = number;
    sweep_smp_ask(walk, probe, SMP_PORT_INFO, sweep_smp_handle_port);
}

static void ask_ports(struct walk *walk, const struct probe *probe)
{
    for (unsigned i = 0; i <= fabric_builder_get(walk->builder, probe->node)->port_count; i++)
        sweep_smp_ask_port(walk, *probe, (uint8_t)i);
}

// Marks the port as silent: the node behind it does not answer. The port was added before.
static void set_silent(struct walk *walk, uint32_t node, uint8_t number)
{
    fabric_builder_get_port(walk->builder, node, number)->silent = true;
}

static void ask_behind(struct walk *walk, struct probe probe)
{
    if (probe.hops == SMP_HOPS_MAX) {
        set_silent(walk, probe.node, probe.port);
        return;
    }
    probe.path[probe.hops++] = probe.port;
    sweep_smp_ask(walk, probe, SMP_NODE_INFO, sweep_smp_handle_node);
}

// NodeInfo.

// A node and its port that answered, from NodeInfo.
struct found {
    struct fabric_node node;
    uint64_t port_guid;
    uint8_t port;
    uint32_t number; // of the node; FABRIC_NONE: not seen before
};

static bool is_free_for(const struct walk *walk, uint32_t node, uint8_t number, uint32_t peer,
                        uint8_t peer_port)
{
    const struct fabric_port *port = fabric_builder_get_port(walk->builder, node, number);
    return !port || port->peer_node == FABRIC_NONE ||
           (port->peer_node == peer && port->peer_port == peer_port);
}

// Whether the answer fits the earlier ones. It does not if two nodes have one GUID, or if cables
// are moved during the sweep.
static bool sweep_smp_fits(const struct walk *walk, const struct probe *probe,
                           const struct found *found)
{
    if (found->number != FABRIC_NONE) {
        const struct fabric_node *known = fabric_builder_get(walk->builder, found->number);
        if (known->type != found->node.type || known->port_count != found->node.port_count)
            return false;
    }
    if (probe->node == FABRIC_NONE)
        return true;
    return found->port > 0 &&
           is_free_for(walk, probe->node, probe->port, found->number, found->port) &&
           (found->number == FABRIC_NONE ||
            is_free_for(walk, found->number, found->port, probe->node, probe->port));
}

static void visit(struct walk *walk, struct probe *probe, const struct found *found)
{
    bool is_new = found->number == FABRIC_NONE;
    uint32_t number = fabric_builder_node(walk->builder, &found->node);
    if (number == FABRIC_NONE ||
        (probe->node != FABRIC_NONE &&
         !fabric_builder_link(walk->builder, probe->node, probe->port, number, found->port))) {
        walk->no_memory = true;
        return;
    }
    if (probe->node == FABRIC_NONE) {
        walk->own_node = number;
        walk->own_port = found->port;
    }
    probe->node = number;
    probe->port_guid = found->port_guid;
    if (is_new)
        sweep_smp_ask(walk, *probe, SMP_NODE_DESCRIPTION, handle_description);
    if (found->node.type != FABRIC_SWITCH)
        sweep_smp_ask_port(walk, *probe, found->port);
    else if (is_new)
        ask_ports(walk, probe);
}

static void sweep_smp_handle_node(void *ctx, const void *tag, size_t tag_size,
                                  const uint8_t *answer, size_t size)
{
    struct walk *walk = ctx;
    struct probe probe;
    struct found found;
    memcpy(&probe, tag, tag_size);
    const uint8_t *data = smp_answer(answer, size, SMP_NODE_INFO);
    bool ok = data && smp_read_node_info(data, &found.node, &found.port_guid, &found.port);
    if (ok)
        found.number = fabric_builder_find(walk->builder, found.node.guid);
    if (ok && sweep_smp_fits(walk, &probe, &found)) {
        visit(walk, &probe, &found);
        return;
    }
    walk->conflict = walk->conflict || ok;
    if (probe.node != FABRIC_NONE)
        set_silent(walk, probe.node, probe.port);
}

// PortInfo.

static bool sweep_smp_is_up(const struct fabric_port *port)
{
    return port->state > FABRIC_DOWN || port->physical == LINK_UP ||
           port->physical == LINK_ERROR_RECOVERY;
}

// Whether to search behind the port: its link is up, its other end is not known, and it belongs to
// a switch or to the own node, since other nodes do not forward SMPs.
static bool leads_on(const struct walk *walk, const struct probe *probe,
                     const struct fabric_port *port)
{
    bool is_switch = fabric_builder_get(walk->builder, probe->node)->type == FABRIC_SWITCH;
    return port->number > 0 && (is_switch || probe->hops == 0) && sweep_smp_is_up(port) &&
           port->peer_node == FABRIC_NONE;
}

static void sweep_smp_handle_port(void *ctx, const void *tag, size_t tag_size,
                                  const uint8_t *answer, size_t size)
{
    struct walk *walk = ctx;
    struct probe probe;
    memcpy(&probe, tag, tag_size);
    uint8_t type = fabric_builder_get(walk->builder, probe.node)->type;
    // A port that did not answer may be up, and counts as silent.
    struct fabric_port port = {.number = probe.port, .silent = probe.port > 0};
    const uint8_t *data = smp_answer(answer, size, SMP_PORT_INFO);
    if (data)
        smp_read_port_info(data, type, probe.port, &port);
    if (type != FABRIC_SWITCH || port.number == 0)
        port.guid = probe.port_guid;
    if (!fabric_builder_port(walk->builder, probe.node, &port))
        walk->no_memory = true;
    else if (leads_on(walk, &probe, fabric_builder_get_port(walk->builder, probe.node, probe.port)))
        ask_behind(walk, probe);
}

// NodeDescription.

static void handle_description(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                               size_t size)
{
    struct walk *walk = ctx;
    struct probe probe;
    memcpy(&probe, tag, tag_size);
    const uint8_t *data = smp_answer(answer, size, SMP_NODE_DESCRIPTION);
    if (data)
        smp_read_description(data, fabric_builder_get(walk->builder, probe.node)->description);
    else
        walk->nameless = true;
}

// The whole sweep.

// A port that seemed silent may have been found from its other end.
static void sweep_smp_check_port(void *ctx, uint32_t node, struct fabric_port *port)
{
    (void)node;
    struct walk *walk = ctx;
    port->silent = port->silent && port->peer_node == FABRIC_NONE;
    walk->uncertain = walk->uncertain || !port->known || port->silent;
}

// False with a sentence: the own port is down or silent, so that the sweep says nothing about the
// fabric.
static bool check_own_port(const struct walk *walk, struct error *err)
{
    if (walk->own_node == FABRIC_NONE)
        return error_set(err, "the own port does not answer directed-route SMPs");
    const struct fabric_port *port =
        fabric_builder_get_port(walk->builder, walk->own_node, walk->own_port);
    return !port->known || sweep_smp_is_up(port) || error_set(err, "the own port is down");
}

bool sweep_smp(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct walk walk = {.sweep = sweep,
                        .builder = builder,
                        .batch = sweep_batch_new(sweep),
                        .own_node = FABRIC_NONE};
    if (!walk.batch)
        return error_set(err, "out of memory");
    const struct probe own = {.node = FABRIC_NONE};
    sweep_smp_ask(&walk, own, SMP_NODE_INFO, sweep_smp_handle_node);
    bool ok = sweep_batch_run(sweep, walk.batch, err);
    batch_free(walk.batch);
    if (ok && walk.no_memory)
        ok = error_set(err, "out of memory");
    ok = ok && check_own_port(&walk, err);
    fabric_builder_each_port(builder, sweep_smp_check_port, &walk);
    sweep->complete = sweep->complete && !walk.conflict && !walk.nameless && !walk.uncertain;
    return ok;
}
