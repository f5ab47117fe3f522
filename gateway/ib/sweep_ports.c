// SPDX-License-Identifier: BSD-2-Clause
// The parts of a sweep that ask ports by LID, once the nodes are found: each part chooses ports and
// attributes, and takes the answers.
#include "base/memory.h"
#include "ib/node_mad.h"
#include "ib/sweep_ask.h"

#include <stdlib.h>

// The question to a port of the node. Nodes that are known are asked first.
static struct sweep_query sweep_ports_query(const struct sweep_part *part, uint32_t node,
                                            const struct fabric_port *port, sweep_take *take,
                                            uint16_t attribute)
{
    const uint64_t guid = fabric_builder_get(part->builder, node)->guid;
    return (struct sweep_query){.take = take,
                                .guid = port->guid,
                                .at = node,
                                .attribute = attribute,
                                .lid = port->lid,
                                .mgmt_class = MAD_CLASS_SMP_LID,
                                .next = sweep_part_known(part, guid) != NULL};
}

// SwitchInfo of every switch.

static void sweep_ports_take_switch(struct sweep_part *part, const struct sweep_query *query,
                                    const struct request_answer *answer)
{
    struct fabric_node *node = fabric_builder_get(part->builder, query->at);
    if (answer->data)
        smp_read_switch_info(answer->data, &node->switch_info);
}

static void sweep_ports_ask_switch(void *ctx, uint32_t number, struct fabric_port *port)
{
    struct sweep_part *part = ctx;
    struct fabric_node *node = fabric_builder_get(part->builder, number);
    if (node->type != FABRIC_SWITCH || port->number != 0)
        return;
    const struct fabric_node *before = sweep_part_known(part, node->guid);
    if (before)
        node->switch_info = before->switch_info;
    const struct sweep_query query =
        sweep_ports_query(part, number, port, sweep_ports_take_switch, SMP_SWITCH_INFO);
    if (port->lid != 0 && !node->silent)
        sweep_part_ask(part, &query);
}

bool sweep_switches(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct sweep_part part = {.sweep = sweep, .builder = builder, .is_optional = true};
    return sweep_part_run(&part, sweep_ports_ask_switch, err);
}

// PortInfo of the ports of hosts and routers that no link leads to. Another port of the node
// answers. A port of a node is asked after the answer of the port before: a node may say that it
// has 254 ports, and answer for none.

static void sweep_ports_ask_next_unlinked(struct sweep_part *part, const struct sweep_query *before)
{
    struct sweep_query next = *before;
    const uint8_t count = fabric_builder_get(part->builder, next.at)->port_count;
    do
        next.modifier++;
    while (next.modifier <= count &&
           fabric_builder_get_port(part->builder, next.at, (uint8_t)next.modifier));
    if (next.modifier <= count)
        sweep_part_ask(part, &next);
}

// PortInfo does not have the GUID of a port that is asked through another port.
static uint64_t sweep_ports_known_guid(const struct sweep_part *part, uint64_t node, uint8_t number)
{
    const struct fabric *known = part->sweep->known;
    const uint32_t port = fabric_find_end(known, node, number);
    return port != FABRIC_NONE ? known->ports[port].guid : 0;
}

// A port that is up, and that no link leads to, belongs to another subnet.
static void sweep_ports_take_unlinked(struct sweep_part *part, const struct sweep_query *query,
                                      const struct request_answer *answer)
{
    const struct fabric_node *node = fabric_builder_get(part->builder, query->at);
    struct fabric_port port;
    if (!answer->data)
        return;
    smp_read_port_info(answer->data, node->type, (uint8_t)query->modifier, &port);
    port.guid = sweep_ports_known_guid(part, node->guid, port.number);
    if (port.state == FABRIC_DOWN && !fabric_builder_port(part->builder, query->at, &port)) {
        part->sweep->full = true;
        requests_end(part->batch);
        return;
    }
    sweep_ports_ask_next_unlinked(part, query);
}

static bool sweep_ports_answers(const struct fabric_port *port)
{
    return port && port->lid != 0 && port->state == FABRIC_ACTIVE;
}

static void sweep_ports_ask_unlinked(void *ctx, uint32_t number, struct fabric_port *port)
{
    struct sweep_part *part = ctx;
    const struct fabric_node *node = fabric_builder_get(part->builder, number);
    bool is_first = node->type != FABRIC_SWITCH && !node->silent && sweep_ports_answers(port);
    for (unsigned i = 1; is_first && i < port->number; i++)
        is_first = !sweep_ports_answers(fabric_builder_get_port(part->builder, number, (uint8_t)i));
    const struct sweep_query query =
        sweep_ports_query(part, number, port, sweep_ports_take_unlinked, SMP_PORT_INFO);
    if (is_first)
        sweep_ports_ask_next_unlinked(part, &query);
}

bool sweep_unlinked_ports(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct sweep_part part = {.sweep = sweep, .builder = builder, .is_optional = true};
    return sweep_part_run(&part, sweep_ports_ask_unlinked, err);
}

// SMInfo of every port with IsSM.

static void sweep_ports_take_manager(struct sweep_part *part, const struct sweep_query *query,
                                     const struct request_answer *answer)
{
    struct fabric_sm sm = {.node = query->at, .port = query->port, .lid = query->lid};
    if (answer->data && smp_read_sm_info(answer->data, &sm) &&
        !fabric_builder_sm(part->builder, &sm)) {
        part->sweep->full = true;
        requests_end(part->batch);
    }
}

// `own`: whose turn it is to be queued: the master, or all others.
static void sweep_ports_ask_manager(void *ctx, uint32_t node, struct fabric_port *port)
{
    struct sweep_part *part = ctx;
    const bool *master = part->own;
    const struct fabric_node *n = fabric_builder_get(part->builder, node);
    struct sweep_query query =
        sweep_ports_query(part, node, port, sweep_ports_take_manager, SMP_SM_INFO);
    query.port = port->number;
    query.next |= *master;
    if ((port->capabilities & FABRIC_IS_SM) && port->lid != 0 && !n->silent &&
        port->state != FABRIC_DOWN && (port->lid == part->sweep->port.sm_lid) == *master)
        sweep_part_ask(part, &query);
}

bool sweep_subnet_managers(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    bool master = false;
    struct sweep_part part = {.sweep = sweep, .builder = builder, .own = &master};
    sweep_part_begin(&part);
    fabric_builder_each_port(builder, sweep_ports_ask_manager, &part);
    master = true; // queued last, and so sent first
    fabric_builder_each_port(builder, sweep_ports_ask_manager, &part);
    return sweep_part_end(&part, err);
}

// IOUnitInfo of every port with IsDeviceManagement, and IOControllerProfile of each controller.

// Far more than a fabric has: a unit can announce 255 controllers, and many liars would leave no
// room.
enum { SWEEP_PORTS_CONTROLLERS_MAX = FABRIC_CONTROLLERS_MAX / 4 };

// `own`: how many controllers were found.
static void sweep_ports_take_controller(struct sweep_part *part, const struct sweep_query *query,
                                        const struct request_answer *answer)
{
    uint32_t *count = part->own;
    struct fabric_controller controller = {.node = query->at, .slot = (uint8_t)query->modifier};
    if (answer->data && gmp_read_controller(answer->data, &controller) &&
        *count < SWEEP_PORTS_CONTROLLERS_MAX &&
        fabric_builder_controller(part->builder, &controller))
        ++*count;
    else
        fabric_builder_get(part->builder, query->at)->unit_silent = true;
}

// Queries for the controllers of a unit come before the next unit; otherwise those for the
// controllers of all units would wait in memory at the same time.
static void sweep_ports_take_unit(struct sweep_part *part, const struct sweep_query *query,
                                  const struct request_answer *answer)
{
    struct fabric_node *node = fabric_builder_get(part->builder, query->at);
    if (!answer->data || !node->unit_silent)
        return; // no valid answer, or another port has answered before
    node->unit_silent = false;
    uint8_t slots[GMP_SLOTS_MAX];
    const size_t count = gmp_read_slots(answer->data, slots);
    struct sweep_query next = *query;
    next.take = sweep_ports_take_controller;
    next.attribute = GMP_IO_CONTROLLER_PROFILE;
    next.next = true;
    for (size_t i = 0; i < count; i++) {
        next.modifier = slots[i];
        sweep_part_ask(part, &next);
    }
}

// All ports of a node belong to one unit. Queries each port, because one answer is enough.
static void sweep_ports_ask_unit(void *ctx, uint32_t node, struct fabric_port *port)
{
    struct sweep_part *part = ctx;
    struct fabric_node *n = fabric_builder_get(part->builder, node);
    if (!(port->capabilities & FABRIC_IS_DM))
        return;
    struct sweep_query query =
        sweep_ports_query(part, node, port, sweep_ports_take_unit, GMP_IO_UNIT_INFO);
    query.mgmt_class = MAD_CLASS_DM;
    n->unit_silent = true; // until a port answers
    if (port->state == FABRIC_ACTIVE && port->lid != 0)
        sweep_part_ask(part, &query);
}

// The controllers that were not queried yet may still be there.
static void sweep_ports_mark_silent(void *ctx, uint32_t node, struct fabric_port *port)
{
    const struct sweep_part *part = ctx;
    if (port->capabilities & FABRIC_IS_DM)
        fabric_builder_get(part->builder, node)->unit_silent = true;
}

bool sweep_io_units(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    uint32_t controllers = 0;
    struct sweep_part part = {.sweep = sweep, .builder = builder, .own = &controllers};
    const bool ok = sweep_part_run(&part, sweep_ports_ask_unit, err);
    if (part.ended)
        fabric_builder_each_port(builder, sweep_ports_mark_silent, &part);
    return ok;
}

// The P_Key tables, block by block.

// A table that is read. `pkeys` has what was read so far; of a table that is not read whole,
// nothing is kept.
struct sweep_ports_table {
    uint32_t node;
    uint8_t port;
    uint16_t entries, read;
    uint16_t *pkeys;
};

struct sweep_ports_tables {
    struct sweep_ports_table *all;
    uint32_t count, capacity;
};

uint16_t sweep_pkey_entries(const struct fabric_node *node, uint8_t port)
{
    const uint32_t entries = node->type == FABRIC_SWITCH && port != 0
                                 ? fabric_switch_info(node, SWITCH_INFO_PARTITION_ENFORCEMENT_CAP)
                                 : node->partition_cap;
    return (uint16_t)(entries < FABRIC_PORT_PKEYS_MAX ? entries : FABRIC_PORT_PKEYS_MAX);
}

static void sweep_ports_drop_table(struct sweep_ports_table *table)
{
    free(table->pkeys);
    table->pkeys = NULL;
}

// Asks for the next block, until the table is whole. The blocks of one port come before the next
// port, because tables half read need memory.
static void sweep_ports_take_pkeys(struct sweep_part *part, const struct sweep_query *query,
                                   const struct request_answer *answer)
{
    const struct sweep_ports_tables *tables = part->own;
    struct sweep_ports_table *table = &tables->all[query->at];
    if (answer->data) {
        table->pkeys = memory_resize(table->pkeys, table->read + SMP_PKEYS, sizeof *table->pkeys);
        smp_read_pkeys(answer->data, table->pkeys + table->read);
        table->read += SMP_PKEYS;
    }
    if (answer->data && table->read < table->entries) {
        struct sweep_query next = *query;
        next.modifier++;
        next.next = true;
        sweep_part_ask(part, &next);
        return;
    }
    if (answer->data)
        fabric_builder_pkeys(part->builder, table->node, table->port, table->pkeys, table->entries);
    sweep_ports_drop_table(table);
}

// Of a switch, port 0 answers for all ports.
static void sweep_ports_ask_pkeys(void *ctx, uint32_t number, struct fabric_port *port)
{
    struct sweep_part *part = ctx;
    struct sweep_ports_tables *tables = part->own;
    const struct fabric_node *node = fabric_builder_get(part->builder, number);
    const uint16_t entries = sweep_pkey_entries(node, port->number);
    const bool external = node->type == FABRIC_SWITCH && port->number != 0;
    const bool manages = node->type == FABRIC_SWITCH && port->number == 0;
    const struct fabric_port *answering =
        external ? fabric_builder_get_port(part->builder, number, 0) : port;
    if (entries == 0 || node->silent || !answering || answering->lid == 0 ||
        (!manages && port->state != FABRIC_ACTIVE))
        return;
    MEMORY_MAKE_ROOM(tables->all, tables->count, tables->capacity);
    tables->all[tables->count] =
        (struct sweep_ports_table){.node = number, .port = port->number, .entries = entries};
    struct sweep_query query =
        sweep_ports_query(part, number, answering, sweep_ports_take_pkeys, SMP_PKEY_TABLE);
    query.at = tables->count++;
    query.modifier = external ? (uint32_t)port->number << 16 : 0;
    sweep_part_ask(part, &query);
}

void sweep_keep_pkeys(const struct fabric *known, struct fabric_builder *builder)
{
    for (uint32_t i = 0; known && i < known->pkey_table_count; i++) {
        const struct fabric_pkey_table *table = &known->pkey_tables[i];
        const uint32_t node = fabric_builder_find(builder, known->nodes[table->node].guid);
        if (node != FABRIC_NONE)
            fabric_builder_pkeys(builder, node, table->port, &known->pkeys[table->first],
                                 table->count);
    }
}

bool sweep_pkeys(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct sweep_ports_tables tables = {0};
    struct sweep_part part = {
        .sweep = sweep, .builder = builder, .is_optional = true, .own = &tables};
    const bool ok = sweep_part_run(&part, sweep_ports_ask_pkeys, err);
    for (uint32_t i = 0; i < tables.count; i++)
        sweep_ports_drop_table(&tables.all[i]);
    free(tables.all);
    sweep_keep_pkeys(sweep->known, builder);
    return ok;
}
