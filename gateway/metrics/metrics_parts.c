// SPDX-License-Identifier: BSD-2-Clause
#include "metrics/metrics_parts.h"

#include "health/health_parts.h"
#include "install.h"
#include "metrics/metrics.h"
#include "pipeline/role.h"

#include <stdio.h>
#include <stdlib.h>

static void read_receivers(const struct metrics_parts *parts, struct metrics_receiver *out)
{
    for (size_t i = 0; i < parts->receiver_count; i++) {
        const struct sink *sink = receiver_sink(parts->receivers[i]);
        out[i] = (struct metrics_receiver){
            .name = sink->name, .kind = sink->kind, .times = receiver_times(parts->receivers[i])};
        receiver_get_status(parts->receivers[i], &out[i].status);
    }
}

static void read_parts(const struct metrics_parts *parts, struct metrics *out)
{
    *out = (struct metrics){.release = INSTALL_VERSION,
                            .now_us = clock_utc(&clock_system),
                            .started_us = parts->started_utc_us,
                            .uptime_us = clock_monotonic(&clock_system) - parts->started_at,
                            .events = pipeline_event_counts(parts->pipeline),
                            .commits = journal_commit_times(parts->journal),
                            .receiver_count = parts->receiver_count};
    sa_client_status(parts->client, &out->agent);
    pipeline_get_counters(parts->pipeline, &out->pipeline);
    journal_get_status(parts->journal, &out->journal);
    out->active = pipeline_is_active(parts->pipeline);
    process_use_read(&out->process);
}

static char *metrics_parts_write_text(const struct metrics *metrics, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    metrics_write(out, metrics);
    bool ok = !ferror(out);
    if (fclose(out) == 0 && ok)
        return text;
    free(text);
    return NULL;
}

char *metrics_parts_render(void *ctx, size_t *size)
{
    const struct metrics_parts *parts = ctx;
    struct sweeper_status sweep;
    struct metrics metrics;
    struct metrics_receiver *receivers = calloc(parts->receiver_count + 1, sizeof *receivers);
    if (!receivers)
        return NULL;
    read_parts(parts, &metrics);
    read_receivers(parts, receivers);
    metrics.receivers = receivers;
    if (parts->sweeper) {
        sweeper_get_status(parts->sweeper, &sweep);
        metrics.sweep = &sweep;
    }
    char *text = metrics_parts_write_text(&metrics, size);
    free(receivers);
    return text;
}

bool metrics_parts_judge(void *ctx, bool ready, char *out, size_t size)
{
    const struct metrics_parts *p = ctx;
    struct health health;
    struct text t = text_in(out, size);
    if (!health_parts_read(&(struct health_parts){.conf = p->conf,
                                                  .started_at = p->started_at,
                                                  .journal = p->journal,
                                                  .pipeline = p->pipeline,
                                                  .client = p->client,
                                                  .sweeper = p->sweeper,
                                                  .receivers = p->receivers,
                                                  .receiver_count = p->receiver_count,
                                                  .reload_refused = *p->refused_us != 0},
                           &health)) {
        text_add(&t, "ibtrapd is out of memory.\n");
        return false;
    }
    health_add_line(&health, &t);
    text_add(&t, "\n");
    return ready ? health.ready : health.state != HEALTH_CRITICAL;
}
