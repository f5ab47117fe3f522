// SPDX-License-Identifier: BSD-2-Clause
#include "health/parts.h"

#include "base/memory.h"

#include <stdlib.h>

static void parts_take_window(void *ctx, const struct maintenance_window *window)
{
    struct maintenance *windows = ctx;
    if (windows->count < MAINTENANCE_MAX)
        windows->windows[windows->count++] = *window;
}

void parts_windows(const struct parts *parts, struct maintenance *out)
{
    out->count = 0;
    journal_each_maintenance(parts->journal, parts_take_window, out);
}

void parts_judge(const struct parts *parts, struct health *out)
{
    struct sa_status sa;
    struct alarm_counts alarms;
    struct alarm worst, own;
    struct maintenance *windows = memory_zeroed(1, sizeof *windows);
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
    journal_count_alarms(parts->journal, &alarms);
    const bool is_bad = journal_worst_alarm(parts->journal, ALARM_OPEN, &worst);
    const bool is_ill = journal_worst_alarm(parts->journal, ALARM_OF_GATEWAY, &own);
    parts_windows(parts, windows);
    health_judge(
        &(struct health_facts){.now_us = clock_utc(&clock_system),
                               .uptime_us = clock_now() - parts->started_at,
                               .sa = &sa,
                               .journal = &journal,
                               .sweep = &sweep,
                               .sweep_interval_us = parts->conf->sweep.interval_s * CLOCK_US_PER_S,
                               .receivers = receivers,
                               .receiver_count = parts->receiver_count,
                               .alarms = &alarms,
                               .worst = is_bad ? &worst : NULL,
                               .own = is_ill ? &own : NULL,
                               .windows = windows,
                               .standby = !pipeline_is_active(parts->pipeline),
                               .reload_refused = parts->refusal.time_us != 0},
        out);
    free(windows);
    free(statuses);
    free(receivers);
}
