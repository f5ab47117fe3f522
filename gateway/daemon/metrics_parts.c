#include "daemon/metrics_parts.h"

#include "daemon/control.h"
#include "daemon/metrics.h"
#include "daemon/role.h"
#include "install.h"

#include <stdio.h>
#include <stdlib.h>

static void take_receivers(const struct control *c, struct metrics_receiver *out)
{
    for (size_t i = 0; i < c->delivery_count; i++) {
        const struct receiver *receiver = delivery_receiver(c->deliveries[i]);
        out[i] = (struct metrics_receiver){.name = receiver->name,
                                           .kind = receiver->kind,
                                           .times = delivery_times(c->deliveries[i])};
        delivery_get_status(c->deliveries[i], &out[i].status);
    }
}

static void take_parts(const struct control *c, struct metrics *out)
{
    *out = (struct metrics){.release = INSTALL_VERSION,
                            .now_us = clock_utc(&clock_system),
                            .uptime_us = clock_monotonic(&clock_system) - c->started_at,
                            .events = pipeline_event_counts(c->pipeline),
                            .commits = journal_commit_times(c->journal),
                            .receiver_count = c->delivery_count};
    sa_agent_status(c->agent, &out->agent);
    pipeline_get_counters(c->pipeline, &out->pipeline);
    journal_get_status(c->journal, &out->journal);
    out->active = role_of_port(c->conf, &out->agent) == PIPELINE_ACTIVE;
}

static char *write_text(const struct metrics *metrics, size_t *size)
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
    const struct control *c = ctx;
    struct sweeper_status sweep;
    struct metrics metrics;
    struct metrics_receiver *receivers = calloc(c->delivery_count + 1, sizeof *receivers);
    if (!receivers)
        return NULL;
    take_parts(c, &metrics);
    take_receivers(c, receivers);
    metrics.receivers = receivers;
    if (c->sweeper) {
        sweeper_get_status(c->sweeper, &sweep);
        metrics.sweep = &sweep;
    }
    char *text = write_text(&metrics, size);
    free(receivers);
    return text;
}
