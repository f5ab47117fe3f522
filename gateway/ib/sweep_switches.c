// SPDX-License-Identifier: BSD-2-Clause
#include "ib/smp_decode.h"
#include "ib/sweep_batch.h"

#include <string.h>

struct asker {
    const struct sweep *sweep;
    struct fabric_builder *builder;
    struct batch *batch;
};

// What the switch said to an earlier sweep.
static void sweep_switches_keep(const struct asker *asker, struct fabric_node *node)
{
    const struct fabric *known = asker->sweep->known;
    const uint32_t before = known ? fabric_find_node(known, node->guid) : FABRIC_NONE;
    if (before != FABRIC_NONE)
        node->switch_info = known->nodes[before].switch_info;
}

static void sweep_switches_handle(void *ctx, const void *tag, size_t tag_size,
                                  const uint8_t *answer, size_t size)
{
    const struct asker *asker = ctx;
    uint32_t number;
    memcpy(&number, tag, tag_size);
    struct fabric_node *node = fabric_builder_get(asker->builder, number);
    const uint8_t *data = smp_answer(answer, size, SMP_SWITCH_INFO);
    if (data)
        smp_read_switch_info(data, &node->switch_info);
}

static void sweep_switches_ask_port(void *ctx, uint32_t number, struct fabric_port *port)
{
    struct asker *asker = ctx;
    struct fabric_node *node = fabric_builder_get(asker->builder, number);
    if (node->type != FABRIC_SWITCH || port->number != 0)
        return;
    sweep_switches_keep(asker, node);
    if (port->lid == 0 || node->silent)
        return;
    uint8_t mad[MAD_SIZE];
    const uint64_t mkey = mkeys_find(asker->sweep->mkeys, port->guid, asker->sweep->mkey);
    smp_make_lid_get(mad, mkey, SMP_SWITCH_INFO, 0);
    batch_add(asker->batch,
              &(struct batch_request){.agent = MAD_AGENT_SMP_LID,
                                      .to = {.lid = port->lid},
                                      .mad = mad,
                                      .next = sweep_batch_knows(asker->sweep, node->guid),
                                      .done = sweep_switches_handle,
                                      .ctx = asker,
                                      .tag = &number,
                                      .tag_size = sizeof number});
}

bool sweep_switches(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct asker asker = {.sweep = sweep, .builder = builder, .batch = sweep_batch_new(sweep)};
    const bool complete = sweep->complete;
    fabric_builder_each_port(builder, sweep_switches_ask_port, &asker);
    const bool ok = sweep_batch_run(sweep, asker.batch, err);
    batch_free(asker.batch);
    sweep->complete = complete;
    return ok;
}
