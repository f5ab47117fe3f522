// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_batch.h"

struct batch *sweep_batch_new(const struct sweep *sweep)
{
    uint32_t first_tid;
    sweep->random->fill(sweep->random->ctx, &first_tid, sizeof first_tid);
    struct batch_options options = sweep->batch;
    if (sweep->limits.part_us > 0)
        options.end_at = clock_monotonic(options.clock) + sweep->limits.part_us;
    return batch_new(&options, first_tid);
}

bool sweep_batch_knows(const struct sweep *sweep, uint64_t guid)
{
    return sweep->known && fabric_find_node(sweep->known, guid) != FABRIC_NONE;
}

bool sweep_batch_run(struct sweep *sweep, struct batch *batch, struct error *err)
{
    bool ok = batch_run(batch, err);
    struct batch_counters counters;
    batch_get_counters(batch, &counters);
    sweep->counters.requests += counters.requests;
    sweep->counters.sent += counters.sent;
    sweep->counters.answered += counters.answered;
    sweep->counters.given_up += counters.given_up;
    sweep->complete = sweep->complete && !batch_was_ended(batch);
    return ok &&
           (!sweep->full ||
            error_set(err, "the fabric has more than ibtrapd has room for: %d nodes, %d ports",
                      FABRIC_NODES_MAX, FABRIC_PORTS_MAX));
}
