// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/heartbeat.h"

#include "base/memory.h"
#include "base/text.h"
#include "daemon/gateway.h"
#include "daemon/loop.h"
#include "pipeline/pipeline.h"

#include <event2/event.h>
#include <inttypes.h>

void heartbeat_describe(const struct heartbeat *heartbeat, char *out, size_t size)
{
    struct text t = text_in(out, size);
    text_addf(&t, "%" PRIu64 " event%s in %u s, ", heartbeat->events,
              heartbeat->events == 1 ? "" : "s", heartbeat->period_s);
    if (heartbeat->failing > 0)
        text_addf(&t, "%zu of %zu receivers failing, ", heartbeat->failing, heartbeat->receivers);
    else
        text_add(&t, "no receiver failing, ");
    text_addf(&t, "the subnet manager %s", heartbeat->sm_answers ? "answers" : "does not answer");
}

static size_t heartbeat_count_failing(const struct gateway *g)
{
    size_t failing = 0;
    for (size_t i = 0; i < g->parts.receiver_count; i++) {
        struct receiver_status status;
        receiver_get_status(g->receivers[i], &status);
        failing += status.problem[0] != '\0';
    }
    return failing;
}

static void heartbeat_emit(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct gateway *g = ctx;
    const uint64_t before = g->heartbeat_events;
    struct event_builder_occurrence o = {.type = CATALOGUE_HEARTBEAT};
    struct pipeline_counters counters;
    struct sa_status sa;
    pipeline_get_counters(g->parts.pipeline, &counters);
    sa_client_status(g->parts.client, &sa);
    heartbeat_describe(
        &(struct heartbeat){.events = counters.events > before ? counters.events - before : 0,
                            .period_s = g->parts.conf->heartbeat_s,
                            .receivers = g->parts.receiver_count,
                            .failing = heartbeat_count_failing(g),
                            .sm_answers = sa.sm_answers},
        o.reason, sizeof o.reason);
    pipeline_put_occurrence(g->parts.pipeline, &o, 0);
    g->heartbeat_events = counters.events + 1;
}

void heartbeat_start(struct gateway *gateway)
{
    const struct timeval period = {.tv_sec = gateway->conf->heartbeat_s};
    heartbeat_stop(gateway);
    if (period.tv_sec == 0)
        return;
    gateway->heartbeat =
        memory_need(event_new(loop_base(gateway->loop), -1, EV_PERSIST, heartbeat_emit, gateway));
    event_add(gateway->heartbeat, &period);
}

void heartbeat_stop(struct gateway *gateway)
{
    if (gateway->heartbeat)
        event_free(gateway->heartbeat);
    gateway->heartbeat = NULL;
}
