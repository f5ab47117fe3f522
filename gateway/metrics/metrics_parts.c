// SPDX-License-Identifier: BSD-2-Clause
#include "metrics/metrics_parts.h"

#include "base/memory.h"
#include "install.h"
#include "metrics/metrics.h"
#include "metrics/port_metrics.h"
#include "pipeline/role.h"

#include <stdio.h>
#include <stdlib.h>

static void read_receivers(const struct parts *parts, struct metrics_receiver *out)
{
    for (size_t i = 0; i < parts->receiver_count; i++) {
        const struct sink *sink = receiver_sink(parts->receivers[i]);
        out[i] = (struct metrics_receiver){
            .name = sink->name, .kind = sink->kind, .times = receiver_times(parts->receivers[i])};
        receiver_get_status(parts->receivers[i], &out[i].status);
    }
}

static void read_parts(const struct parts *parts, struct metrics *out)
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
    journal_count_alarms(parts->journal, &out->alarms);
    out->active = pipeline_is_active(parts->pipeline);
    process_use_read(&out->process);
}

static char *metrics_parts_write_text(const struct metrics *metrics, size_t *size)
{
    char *text = NULL;
    FILE *out = memory_need(open_memstream(&text, size));
    metrics_write(out, metrics);
    fclose(out);
    return memory_need(text);
}

static char *render_gateway(const struct parts *parts, size_t *size)
{
    struct sweeper_status sweep;
    struct reads_counters reads;
    struct metrics metrics;
    struct metrics_receiver *receivers = memory_zeroed(parts->receiver_count, sizeof *receivers);
    read_parts(parts, &metrics);
    read_receivers(parts, receivers);
    metrics.receivers = receivers;
    if (parts->sweeper) {
        sweeper_get_status(parts->sweeper, &sweep);
        metrics.sweep = &sweep;
    }
    if (parts->demand) {
        reads_get_counters(parts->demand, &reads);
        metrics.reads = &reads;
    }
    char *text = metrics_parts_write_text(&metrics, size);
    free(receivers);
    return text;
}

// Scrapes.

enum { PIECE_SIZE = 2 * PORT_METRICS_ROOM };

struct metrics_scrape {
    char *gateway;       // the first piece
    size_t gateway_size; // 0: it was taken
    char *piece;         // PIECE_SIZE octets; NULL: no ports are told of
    struct port_metrics ports;
};

static void begin_ports(struct metrics_scrape *scrape, const struct parts *parts)
{
    const enum conf_port_metrics wanted = parts->conf->metrics.ports;
    const bool read = parts->conf->counters.ports != CONF_NO_PORTS; // else they are old
    if (wanted == CONF_PORT_METRICS_OFF)
        return;
    scrape->piece = memory_get(PIECE_SIZE);
    port_metrics_begin(&scrape->ports,
                       &(struct port_metrics_source){
                           .fabric = topology_current(parts->topology),
                           .names = topology_names(parts->topology),
                           .accumulated = read ? pipeline_accumulated(parts->pipeline) : NULL,
                           .errors = read ? pipeline_measured_errors(parts->pipeline) : NULL,
                           .traffic = wanted == CONF_PORT_METRICS_ALL});
}

static void metrics_parts_end(void *ctx)
{
    struct metrics_scrape *scrape = ctx;
    if (scrape->piece)
        port_metrics_end(&scrape->ports);
    free(scrape->piece);
    free(scrape->gateway);
    free(scrape);
}

static void *metrics_parts_begin(void *ctx)
{
    const struct parts *parts = ctx;
    struct metrics_scrape *scrape = memory_zeroed(1, sizeof *scrape);
    scrape->gateway = render_gateway(parts, &scrape->gateway_size);
    begin_ports(scrape, parts);
    return scrape;
}

static bool metrics_parts_next(void *ctx, const char **text, size_t *size)
{
    struct metrics_scrape *scrape = ctx;
    if (scrape->gateway_size > 0) {
        *text = scrape->gateway;
        *size = scrape->gateway_size;
        scrape->gateway_size = 0;
        return scrape->piece != NULL;
    }
    struct text piece = text_in(scrape->piece, PIECE_SIZE);
    const bool more = port_metrics_write(&scrape->ports, &piece);
    *text = piece.buf;
    *size = piece.len;
    return more;
}

const struct metrics_source METRICS_PARTS_SOURCE = {metrics_parts_begin, metrics_parts_next,
                                                    metrics_parts_end};

bool metrics_parts_judge(void *ctx, bool ready, char *out, size_t size)
{
    struct health health;
    struct text t = text_in(out, size);
    parts_judge(ctx, &health);
    health_add_line(&health, &t);
    text_add(&t, "\n");
    return ready ? health.ready : health.state != HEALTH_CRITICAL;
}
