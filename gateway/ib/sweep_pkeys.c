// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_pkeys.h"

#include "base/memory.h"
#include "ib/smp_decode.h"
#include "ib/sweep_batch.h"

#include <stdlib.h>
#include <string.h>

// A port whose table is read, block by block. `pkeys` has what was read so far; of a table that is
// not read whole, nothing is kept.
struct sweep_pkeys_port {
    uint32_t node;
    uint16_t lid;  // of the port that answers
    uint64_t guid; // the same
    uint8_t number, switch_port;
    uint16_t entries, read; // of the table
    uint16_t *pkeys;
};

struct sweep_pkeys {
    const struct sweep *sweep;
    struct fabric_builder *builder;
    struct batch *batch;
    struct sweep_pkeys_port *ports;
    uint32_t count, capacity;
};

// Which ports.

uint16_t sweep_pkeys_entries(const struct fabric_node *node, uint8_t port)
{
    const uint32_t entries = node->type == FABRIC_SWITCH && port != 0
                                 ? fabric_switch_info(node, SWITCH_INFO_PARTITION_ENFORCEMENT_CAP)
                                 : node->partition_cap;
    return (uint16_t)(entries < FABRIC_PORT_PKEYS_MAX ? entries : FABRIC_PORT_PKEYS_MAX);
}

// The port that answers for a port of the node: of a switch, port 0. NULL: none does.
static const struct fabric_port *sweep_pkeys_answering(const struct sweep_pkeys *s, uint32_t node,
                                                       const struct fabric_port *port)
{
    const bool is_switch = fabric_builder_get(s->builder, node)->type == FABRIC_SWITCH;
    if (is_switch && port->number != 0)
        port = fabric_builder_get_port(s->builder, node, 0);
    else if (!is_switch && port->state != FABRIC_ACTIVE)
        return NULL;
    return port && port->lid != 0 ? port : NULL;
}

static void sweep_pkeys_add(void *ctx, uint32_t number, struct fabric_port *port)
{
    struct sweep_pkeys *s = ctx;
    const struct fabric_node *node = fabric_builder_get(s->builder, number);
    const uint16_t entries = sweep_pkeys_entries(node, port->number);
    const bool external = node->type == FABRIC_SWITCH && port->number != 0;
    const struct fabric_port *answering = sweep_pkeys_answering(s, number, port);
    if (entries == 0 || node->silent || !answering || (external && port->state != FABRIC_ACTIVE))
        return;
    if (s->count == s->capacity) {
        s->capacity = s->capacity > 0 ? s->capacity * 2 : 64;
        s->ports = memory_resize(s->ports, s->capacity, sizeof *s->ports);
    }
    s->ports[s->count++] = (struct sweep_pkeys_port){.node = number,
                                                     .lid = answering->lid,
                                                     .guid = answering->guid,
                                                     .number = port->number,
                                                     .switch_port = external ? port->number : 0,
                                                     .entries = entries};
}

// Reading.

static struct sweep_pkeys_port *sweep_pkeys_port(const struct sweep_pkeys *s, const void *tag)
{
    uint32_t at;
    memcpy(&at, tag, sizeof at);
    return &s->ports[at];
}

static void sweep_pkeys_make(void *ctx, const void *tag, size_t tag_size, uint8_t *mad)
{
    (void)tag_size;
    const struct sweep_pkeys *s = ctx;
    const struct sweep_pkeys_port *port = sweep_pkeys_port(s, tag);
    const uint32_t modifier = (uint32_t)port->switch_port << 16 | port->read / SMP_PKEYS;
    smp_make_lid_get(mad, mkeys_find(s->sweep->mkeys, port->guid, s->sweep->mkey), SMP_PKEY_TABLE,
                     modifier);
}

static batch_done sweep_pkeys_handle;

static void sweep_pkeys_ask(struct sweep_pkeys *s, uint32_t at, bool next)
{
    batch_add(s->batch, &(struct batch_request){.agent = MAD_AGENT_SMP_LID,
                                                .to = {.lid = s->ports[at].lid},
                                                .make = sweep_pkeys_make,
                                                .next = next,
                                                .done = sweep_pkeys_handle,
                                                .ctx = s,
                                                .tag = &at,
                                                .tag_size = sizeof at});
}

static void sweep_pkeys_drop(struct sweep_pkeys_port *port)
{
    free(port->pkeys);
    port->pkeys = NULL;
}

// Asks for the next block, until the table is whole. The blocks of one port come before the next
// port, so that few tables are in memory half read.
static void sweep_pkeys_handle(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                               size_t size)
{
    (void)tag_size;
    struct sweep_pkeys *s = ctx;
    struct sweep_pkeys_port *port = sweep_pkeys_port(s, tag);
    const uint8_t *data = smp_answer(answer, size, SMP_PKEY_TABLE);
    if (!data) {
        sweep_pkeys_drop(port);
        return;
    }
    port->pkeys = memory_resize(port->pkeys, port->read + SMP_PKEYS, sizeof *port->pkeys);
    smp_read_pkeys(data, port->pkeys + port->read);
    port->read += SMP_PKEYS;
    if (port->read < port->entries) {
        sweep_pkeys_ask(s, (uint32_t)(port - s->ports), true);
        return;
    }
    fabric_builder_pkeys(s->builder, port->node, port->number, port->pkeys, port->entries);
    sweep_pkeys_drop(port);
}

static bool sweep_pkeys_ask_all(struct sweep_pkeys *s, struct sweep *sweep, struct error *err)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t guid = fabric_builder_get(s->builder, s->ports[i].node)->guid;
        sweep_pkeys_ask(s, i, sweep_batch_knows(sweep, guid));
    }
    return sweep_batch_run(sweep, s->batch, err);
}

static bool sweep_pkeys_read(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct sweep_pkeys s = {.sweep = sweep, .builder = builder, .batch = sweep_batch_new(sweep)};
    fabric_builder_each_port(builder, sweep_pkeys_add, &s);
    const bool ok = sweep_pkeys_ask_all(&s, sweep, err);
    batch_free(s.batch);
    for (uint32_t i = 0; i < s.count; i++)
        sweep_pkeys_drop(&s.ports[i]);
    free(s.ports);
    return ok;
}

void sweep_pkeys_keep(const struct fabric *known, struct fabric_builder *builder)
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
    const bool complete = sweep->complete, ok = sweep_pkeys_read(sweep, builder, err);
    sweep->complete = complete;
    sweep_pkeys_keep(sweep->known, builder);
    return ok;
}
