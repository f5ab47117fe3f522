// SPDX-License-Identifier: BSD-2-Clause
#include "web/scrape.h"

#include "base/memory.h"
#include "control/handlers.h"
#include "install.h"
#include "metrics/metrics.h"
#include "metrics/port_metrics.h"
#include "topology/describe.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t scrape_cpu(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0)
        return -1;
    return (int64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
           used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static void scrape_memory(int64_t *resident, int64_t *virtual_size)
{
    *resident = *virtual_size = -1;
    FILE *file = fopen("/proc/self/statm", "re"); // both in pages
    int64_t all, in_memory;
    if (file && fscanf(file, "%" SCNd64 " %" SCNd64, &all, &in_memory) == 2) {
        *virtual_size = all * sysconf(_SC_PAGESIZE);
        *resident = in_memory * sysconf(_SC_PAGESIZE);
    }
    if (file)
        fclose(file);
}

static int64_t scrape_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return -1;
    int64_t count = -1; // the directory's own
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void scrape_process(struct process_use *out)
{
    struct rlimit limit;
    out->cpu_us = scrape_cpu();
    scrape_memory(&out->resident_bytes, &out->virtual_bytes);
    out->descriptors = scrape_descriptors();
    out->descriptors_limit = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (int64_t)limit.rlim_cur : -1;
}

static void scrape_receivers(const struct parts *parts, struct metrics_receiver *out)
{
    for (size_t i = 0; i < parts->receiver_count; i++) {
        const struct sink *sink = receiver_sink(parts->receivers[i]);
        out[i] = (struct metrics_receiver){
            .name = sink->name, .kind = sink->kind, .times = receiver_times(parts->receivers[i])};
        receiver_get_status(parts->receivers[i], &out[i].status);
    }
}

static void scrape_parts(const struct parts *parts, struct metrics *out)
{
    *out = (struct metrics){.release = INSTALL_VERSION,
                            .fabric = parts->fabric_name,
                            .now_us = clock_utc(&clock_system),
                            .started_us = parts->started_utc_us,
                            .uptime_us = clock_now() - parts->started_at,
                            .events = pipeline_event_counts(parts->pipeline),
                            .commits = journal_commit_times(parts->journal),
                            .receiver_count = parts->receiver_count};
    sa_client_status(parts->client, &out->agent);
    pipeline_get_counters(parts->pipeline, &out->pipeline);
    journal_get_status(parts->journal, &out->journal);
    journal_count_alarms(parts->journal, &out->alarms);
    out->active = pipeline_is_active(parts->pipeline);
    scrape_process(&out->process);
}

static char *scrape_write_text(const struct metrics *metrics, size_t *size)
{
    char *text = NULL;
    FILE *out = memory_need(open_memstream(&text, size));
    metrics_write(out, metrics);
    fclose(out);
    return memory_need(text);
}

enum {
    SCRAPE_ALARMS_MAX = 5000, // active ones; to look through more of them would stop the loop
    SCRAPE_NAMED_MAX = 200,
};

struct scrape_alarms {
    struct worst_alarms worst;
    struct metrics_alarm named[SCRAPE_NAMED_MAX];
    size_t count;
};

// Finds the open ones of the worst alarms.
static struct scrape_alarms *scrape_find_alarms(const struct parts *parts, uint64_t active)
{
    struct scrape_alarms *s = memory_zeroed(1, sizeof *s);
    struct systems *systems = topology_systems(parts->topology);
    struct names *names = topology_names(parts->topology);
    char label[NAMES_NAME_SIZE];
    worst_alarms_find(parts->journal, NULL, active <= SCRAPE_ALARMS_MAX ? SCRAPE_NAMED_MAX : 0,
                      &s->worst);
    for (size_t i = 0; i < s->worst.count; i++) {
        const struct alarm *alarm = s->worst.all[i];
        const uint32_t node =
            systems ? fabric_find_node(systems->fabric, alarm->node_guid) : FABRIC_NONE;
        if (alarm_standing(alarm, catalogue_find(alarm->type)) != ALARM_OPEN)
            continue;
        if (node != FABRIC_NONE)
            snprintf(s->named[s->count].node, sizeof s->named->node, "%s",
                     describe_label(systems->fabric, node, FABRIC_NONE, names, label));
        s->named[s->count++].alarm = alarm;
    }
    names_unref(names);
    systems_unref(systems);
    return s;
}

static char *scrape_gateway(const struct parts *parts, size_t *size)
{
    struct sweeper_status sweep;
    struct reads_counters reads;
    struct health health;
    struct metrics metrics;
    struct maintenance *windows = memory_zeroed(1, sizeof *windows);
    struct metrics_receiver *receivers = memory_zeroed(parts->receiver_count, sizeof *receivers);
    scrape_parts(parts, &metrics);
    scrape_receivers(parts, receivers);
    struct scrape_alarms *alarms = scrape_find_alarms(parts, metrics.journal.alarms);
    metrics.named = alarms->named;
    metrics.named_count = alarms->count;
    metrics.receivers = receivers;
    parts_windows(parts, windows);
    metrics.windows = windows;
    parts_judge(parts, &health);
    for (enum health_about about = 0; about < HEALTH_VERDICTS; about++)
        metrics.verdicts[about] = health.of[about].state;
    if (parts->sweeper) {
        sweeper_get_status(parts->sweeper, &sweep);
        metrics.sweep = &sweep;
    }
    if (parts->demand) {
        reads_get_counters(parts->demand, &reads);
        metrics.reads = &reads;
    }
    char *text = scrape_write_text(&metrics, size);
    worst_alarms_free(&alarms->worst);
    free(alarms);
    free(windows);
    free(receivers);
    return text;
}

// Scrapes.

enum { PIECE_SIZE = 2 * PORT_METRICS_ROOM };

struct scrape {
    char *gateway;       // the first piece
    size_t gateway_size; // 0: it was taken
    char *piece;         // PIECE_SIZE octets; NULL: no ports are told of
    struct port_metrics ports;
};

static void scrape_begin_ports(struct scrape *scrape, const struct parts *parts)
{
    const enum conf_port_metrics wanted = parts->conf->metrics.ports;
    const bool read = parts->conf->counters.ports != COUNTERS_OFF; // else they are old
    if (wanted == CONF_PORT_METRICS_OFF)
        return;
    scrape->piece = memory_get(PIECE_SIZE);
    port_metrics_begin(
        &scrape->ports,
        &(struct port_metrics_source){
            .systems = topology_systems(parts->topology),
            .names = topology_names(parts->topology),
            .accumulated =
                read ? correlator_accumulated(pipeline_correlator(parts->pipeline)) : NULL,
            .errors =
                read ? correlator_measured_errors(pipeline_correlator(parts->pipeline)) : NULL,
            .devices = parts->devices,
            .traffic = wanted == CONF_PORT_METRICS_ALL});
}

static void scrape_end(void *ctx)
{
    struct scrape *scrape = ctx;
    if (scrape->piece)
        port_metrics_end(&scrape->ports);
    free(scrape->piece);
    free(scrape->gateway);
    free(scrape);
}

static void *scrape_begin(void *ctx)
{
    const struct parts *parts = ctx;
    struct scrape *scrape = memory_zeroed(1, sizeof *scrape);
    scrape->gateway = scrape_gateway(parts, &scrape->gateway_size);
    scrape_begin_ports(scrape, parts);
    return scrape;
}

static bool scrape_next(void *ctx, const char **text, size_t *size)
{
    struct scrape *scrape = ctx;
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

static bool scrape_judge(void *ctx, bool ready, char *out, size_t size)
{
    struct health health;
    struct text t = text_in(out, size);
    parts_judge(ctx, &health);
    health_add_line(&health, HEALTH_OF_GATEWAY, &t);
    text_add(&t, "\n");
    return ready ? health.ready : health.of[HEALTH_OF_GATEWAY].state != HEALTH_CRITICAL;
}

const struct web_source SCRAPE_SOURCE = {scrape_begin, scrape_next, scrape_end, scrape_judge};
