// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_batch.h"

struct batch *sweep_batch_new(const struct sweep *sweep)
{
    uint32_t first_tid;
    sweep->random->fill(sweep->random->ctx, &first_tid, sizeof first_tid);
    return batch_new(&sweep->batch, first_tid);
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
    return ok;
}
