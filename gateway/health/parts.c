// SPDX-License-Identifier: BSD-2-Clause
#include "health/parts.h"

#include "base/memory.h"

#include <stdlib.h>

void parts_judge(const struct parts *parts, struct health *out)
{
    struct sa_status sa;
    struct journal_status journal;
    struct sweeper_status sweep;
    struct receiver_status *statuses = memory_zeroed(parts->receiver_count, sizeof *statuses);
    struct health_receiver *receivers = memory_zeroed(parts->receiver_count, sizeof *receivers);
    for (size_t i = 0; i < parts->receiver_count; i++) {
        receiver_get_status(parts->receivers[i], &statuses[i]);
        receivers[i] =
            (struct health_receiver){receiver_sink(parts->receivers[i])->name, &statuses[i]};
    }
    sa_client_status(parts->client, &sa);
    journal_get_status(parts->journal, &journal);
    sweeper_get_status(parts->sweeper, &sweep);
    health_judge(
        &(struct health_facts){.now_us = clock_utc(&clock_system),
                               .uptime_us = clock_now() - parts->started_at,
                               .sa = &sa,
                               .journal = &journal,
                               .sweep = &sweep,
                               .sweep_interval_us = parts->conf->sweep.interval_s * CLOCK_US_PER_S,
                               .receivers = receivers,
                               .receiver_count = parts->receiver_count,
                               .standby = !pipeline_is_active(parts->pipeline),
                               .reload_refused = parts->refusal.time_us != 0},
        out);
    free(statuses);
    free(receivers);
}
