// SPDX-License-Identifier: BSD-2-Clause
#include "ib/gmp_decode.h"
#include "ib/sweep_batch.h"

#include <string.h>

// Far more than a fabric has: a unit can say that it has 255, and many liars would leave no room.
enum { CONTROLLERS_MAX = FABRIC_CONTROLLERS_MAX / 4 };

struct asker {
    const struct sweep *sweep;
    struct fabric_builder *builder;
    struct batch *batch;
    uint32_t controllers; // found
};

// The destination of a query, and the slot if it is about one.
struct unit {
    uint32_t node;
    uint16_t lid;
    uint8_t slot;
    uint64_t guid; // of the port with that LID
};

// Queries for the controllers of a unit come before the next unit; otherwise those for the
// controllers of all units would wait in memory at the same time.
static void sweep_io_ask(struct asker *asker, const struct unit *unit, enum gmp_attribute attribute,
                         bool next, batch_done *done)
{
    uint8_t mad[MAD_SIZE];
    gmp_make_get(mad, MAD_CLASS_DM, attribute, unit->slot);
    batch_add(asker->batch,
              &(struct batch_request){.agent = MAD_AGENT_DM,
                                      .to = {.lid = unit->lid, .qpn = 1, .guid = unit->guid},
                                      .mad = mad,
                                      .next = next,
                                      .done = done,
                                      .ctx = asker,
                                      .tag = unit,
                                      .tag_size = sizeof *unit});
}

static void handle_controller(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                              size_t size)
{
    struct asker *asker = ctx;
    struct unit unit;
    memcpy(&unit, tag, tag_size);
    struct fabric_controller controller = {.node = unit.node, .slot = unit.slot};
    const uint8_t *data = gmp_answer(answer, size, MAD_CLASS_DM, GMP_IO_CONTROLLER_PROFILE);
    if (!data || !gmp_read_controller(data, &controller) || asker->controllers == CONTROLLERS_MAX)
        fabric_builder_get(asker->builder, unit.node)->unit_silent = true;
    else {
        fabric_builder_controller(asker->builder, &controller);
        asker->controllers++;
    }
}

static void handle_unit(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                        size_t size)
{
    struct asker *asker = ctx;
    struct unit unit;
    memcpy(&unit, tag, tag_size);
    const uint8_t *data = gmp_answer(answer, size, MAD_CLASS_DM, GMP_IO_UNIT_INFO);
    struct fabric_node *node = fabric_builder_get(asker->builder, unit.node);
    if (!data || !node->unit_silent)
        return; // no valid answer, or another port has answered before
    node->unit_silent = false;
    uint8_t slots[GMP_SLOTS_MAX];
    size_t count = gmp_read_slots(data, slots);
    for (size_t i = 0; i < count; i++) {
        unit.slot = slots[i];
        sweep_io_ask(asker, &unit, GMP_IO_CONTROLLER_PROFILE, true, handle_controller);
    }
}

// All ports of a node belong to one unit. Queries each of them, since one answer is enough.
static void sweep_io_ask_port(void *ctx, uint32_t node, struct fabric_port *port)
{
    struct asker *asker = ctx;
    const struct unit unit = {.node = node, .lid = port->lid, .guid = port->guid};
    if (!(port->capabilities & FABRIC_IS_DM))
        return;
    struct fabric_node *n = fabric_builder_get(asker->builder, node);
    n->unit_silent = true; // until a port answers
    if (port->state == FABRIC_ACTIVE && port->lid != 0)
        sweep_io_ask(asker, &unit, GMP_IO_UNIT_INFO, sweep_batch_knows(asker->sweep, n->guid),
                     handle_unit);
}

// The controllers that were not queried yet may still be there.
static void sweep_io_mark_silent(void *ctx, uint32_t node, struct fabric_port *port)
{
    struct asker *asker = ctx;
    if (port->capabilities & FABRIC_IS_DM)
        fabric_builder_get(asker->builder, node)->unit_silent = true;
}

bool sweep_io_units(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct asker asker = {.sweep = sweep, .builder = builder, .batch = sweep_batch_new(sweep)};
    fabric_builder_each_port(builder, sweep_io_ask_port, &asker);
    const bool ok = sweep_batch_run(sweep, asker.batch, err);
    if (batch_was_ended(asker.batch))
        fabric_builder_each_port(builder, sweep_io_mark_silent, &asker);
    batch_free(asker.batch);
    return ok;
}
