// SPDX-License-Identifier: BSD-2-Clause
#include "ib/smp_decode.h"
#include "ib/sweep_batch.h"

#include <string.h>

struct asker {
    struct sweep *sweep;
    struct fabric_builder *builder;
    struct batch *batch;
    bool master; // whose turn it is to be queued: the master, or all others
};

static void handle_sm_info(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                           size_t size)
{
    struct asker *asker = ctx;
    struct fabric_sm sm;
    memcpy(&sm, tag, tag_size);
    const uint8_t *data = smp_answer(answer, size, SMP_SM_INFO);
    if (data && smp_read_sm_info(data, &sm) && !fabric_builder_sm(asker->builder, &sm)) {
        asker->sweep->full = true;
        batch_end(asker->batch);
    }
}

static void sweep_managers_ask_port(void *ctx, uint32_t node, struct fabric_port *port)
{
    struct asker *asker = ctx;
    const struct fabric_node *n = fabric_builder_get(asker->builder, node);
    if (!(port->capabilities & FABRIC_IS_SM) || port->lid == 0 || n->silent)
        return;
    if ((port->lid == asker->sweep->port.sm_lid) != asker->master)
        return;
    const struct fabric_sm sm = {.node = node, .port = port->number, .lid = port->lid};
    uint8_t mad[MAD_SIZE];
    const uint64_t mkey = mkeys_find(asker->sweep->mkeys, port->guid, asker->sweep->mkey);
    smp_make_lid_get(mad, mkey, SMP_SM_INFO, 0);
    batch_add(asker->batch, &(struct batch_request){
                                .agent = MAD_AGENT_SMP_LID,
                                .to = {.lid = port->lid},
                                .mad = mad,
                                .next = asker->master || sweep_batch_knows(asker->sweep, n->guid),
                                .done = handle_sm_info,
                                .ctx = asker,
                                .tag = &sm,
                                .tag_size = sizeof sm});
}

bool sweep_subnet_managers(struct sweep *sweep, struct fabric_builder *builder, struct error *err)
{
    struct asker asker = {.sweep = sweep, .builder = builder, .batch = sweep_batch_new(sweep)};
    fabric_builder_each_port(builder, sweep_managers_ask_port, &asker);
    asker.master = true; // queued last, and so sent first
    fabric_builder_each_port(builder, sweep_managers_ask_port, &asker);
    const bool ok = sweep_batch_run(sweep, asker.batch, err);
    batch_free(asker.batch);
    return ok;
}
