#include "daemon/pipeline.h"

#include "base/ring.h"
#include "ib/repeats.h"
#include "model/fabric_record.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const int64_t IDLE_US = CLOCK_US_PER_S / 2; // cursors are saved at least this often

// One of the first four is there.
struct item {
    struct sa_report *report;
    struct maker_occurrence *occurrence;
    struct fabric *fabric;
    struct counter_reading *reading;
    uint64_t subnet_prefix; // of the occurrence
};

struct pipeline {
    struct pipeline_options options;
    struct maker maker; // with the subnet prefix as last seen
    struct ring *queue;
    pthread_t thread;
    struct repeats repeats;
    struct observer *observer;
    enum pipeline_role role; // while an item is handled
    bool fabric_saved;       // since the start
    size_t uncommitted;      // events
    bool look;               // something in this batch tells that the fabric changed
    atomic_uint_fast64_t events, repeated, beats;
};

static void commit(struct pipeline *p)
{
    journal_commit(p->options.journal);
    p->uncommitted = 0;
}

// Takes over the event; NULL is allowed and false then. No more than a batch waits for a commit,
// however much a sweep found.
static bool append(struct pipeline *p, struct event *event, const struct journal_report *report)
{
    if (!event)
        return false;
    if (p->role != PIPELINE_ACTIVE)
        snprintf(event->held, sizeof event->held, "standby");
    p->look |= observer_note(p->observer, event);
    journal_append(p->options.journal, event, report);
    event_release(event);
    atomic_fetch_add(&p->events, 1);
    if (++p->uncommitted >= PIPELINE_BATCH_MAX)
        commit(p);
    return true;
}

static void take_event(void *ctx, struct event *event)
{
    append(ctx, event, &(struct journal_report){0});
}

static struct event *make_event(const struct pipeline *p, const struct sa_report *report)
{
    if (report->malformed)
        return maker_from_malformed(&p->maker, report->from.lid, report->reason, report->mad,
                                    report->size);
    return maker_from_notice(&p->maker, mad_notice(report->mad));
}

// Of the Notice alone where there is one: what stands behind it is nobody's to vouch for.
static uint64_t digest_of(const struct sa_report *report, uint64_t tid)
{
    if (report->malformed)
        return repeats_digest(report->from.lid, tid, report->mad, report->size);
    return repeats_digest(report->from.lid, tid, mad_notice(report->mad), NOTICE_SIZE);
}

// True when the report may be answered once the journal is committed.
static bool handle_report(struct pipeline *p, const struct sa_report *report)
{
    struct mad_header h = {0};
    mad_read_header(report->mad, report->size, &h);
    const struct journal_report origin = {
        .lid = report->from.lid,
        .tid = h.tid,
        .digest = digest_of(report, h.tid)};
    int64_t now = clock_monotonic(p->maker.clock);
    if (repeats_seen(&p->repeats, origin.lid, origin.tid, origin.digest, now)) {
        atomic_fetch_add(&p->repeated, 1);
        return true;
    }
    p->maker.subnet_prefix = report->subnet_prefix;
    if (!append(p, make_event(p, report), &origin))
        return false; // no memory: the SM sends it again
    repeats_remember(&p->repeats, origin.lid, origin.tid, origin.digest, now);
    return true;
}

static void handle_occurrence(struct pipeline *p, const struct item *item)
{
    if (item->subnet_prefix != 0)
        p->maker.subnet_prefix = item->subnet_prefix;
    take_event(p, maker_from_occurrence(&p->maker, item->occurrence));
}

static void save_fabric(struct pipeline *p)
{
    struct fabric *fabric = topology_current(p->options.topology);
    size_t size;
    uint8_t *record = fabric ? fabric_record_write(fabric, &size) : NULL;
    if (record)
        journal_save_fabric(p->options.journal,
                            &(struct journal_fabric){.time_us = fabric->time_us,
                                                     .digest = fabric_record_digest(record, size),
                                                     .nodes = fabric->node_count,
                                                     .links = fabric_count_links(fabric)},
                            record, size);
    free(record);
    fabric_release(fabric);
}

static enum pipeline_role role_now(struct pipeline *p, const struct fabric *fabric)
{
    return p->options.role ? p->options.role(p->options.ctx, fabric) : PIPELINE_ACTIVE;
}

static void handle_fabric(struct pipeline *p, struct fabric *fabric)
{
    enum pipeline_role outside = p->role;
    p->role = role_now(p, fabric);
    if (p->role == PIPELINE_UNKNOWN) {
        fabric_release(fabric);
    } else {
        p->maker.subnet_prefix = fabric->subnet_prefix;
        if (observer_fabric(p->observer, &p->maker, fabric) || !p->fabric_saved)
            save_fabric(p);
        p->fabric_saved = true;
    }
    p->role = outside;
}

static void handle_item(struct pipeline *p, const struct item *item)
{
    if (item->occurrence)
        handle_occurrence(p, item);
    else if (item->fabric)
        handle_fabric(p, item->fabric);
    else if (item->reading)
        observer_counters(p->observer, &p->maker, item->reading);
    free(item->occurrence);
    free(item->reading);
}

// Handles `first` and what else waits already; no item waits for another to come.
static void handle_batch(struct pipeline *p, struct item *first)
{
    struct sa_report *to_answer[PIPELINE_BATCH_MAX];
    size_t answers = 0;
    struct item *item = first;
    p->role = role_now(p, NULL);
    for (size_t n = 0; item; item = ++n < PIPELINE_BATCH_MAX ? ring_pop(p->queue, 0) : NULL) {
        if (!item->report)
            handle_item(p, item);
        else if (handle_report(p, item->report))
            to_answer[answers++] = item->report;
        else
            free(item->report);
        free(item);
    }
    commit(p);
    for (size_t i = 0; i < answers; i++) {
        p->options.acknowledge(p->options.ctx, to_answer[i]);
        free(to_answer[i]);
    }
    if (p->look && p->options.look)
        p->options.look(p->options.ctx);
    p->look = false;
}

static void *run(void *arg)
{
    struct pipeline *p = arg;
    struct item *item;
    while ((item = ring_pop(p->queue, IDLE_US)) != NULL || !ring_closed(p->queue)) {
        atomic_fetch_add(&p->beats, 1);
        if (item)
            handle_batch(p, item);
        // The journal may have more to say (cursors, its own failing): until it is quiet or degraded.
        if (!item && journal_has_work(p->options.journal))
            journal_commit(p->options.journal);
    }
    while ((item = ring_pop(p->queue, 0)) != NULL)
        handle_batch(p, item); // put between the last look and the end
    return NULL;
}

struct recall {
    struct pipeline *pipeline;
    int64_t utc, monotonic;
};

static void recall_report(void *ctx, const struct journal_report *report, int64_t utc_us)
{
    struct recall *r = ctx;
    if (utc_us > r->utc)
        return; // from before the clock was set back: nobody knows how long ago
    repeats_remember(&r->pipeline->repeats, report->lid, report->tid, report->digest,
                     r->monotonic - (r->utc - utc_us));
}

// Reports that were answered, or not quite, before a restart may come again.
static void recall_reports(struct pipeline *p)
{
    struct recall r = {p, clock_utc(p->maker.clock), clock_monotonic(p->maker.clock)};
    journal_each_recent_report(p->options.journal, r.utc - REPEATS_MEMORY_US, recall_report, &r);
}

struct pipeline *pipeline_start(const struct pipeline_options *options, struct error *err)
{
    struct pipeline *p = calloc(1, sizeof *p);
    struct ring *queue = ring_new(PIPELINE_QUEUE_MAX);
    struct observer *observer = observer_new(&(struct observer_options){.topology = options->topology,
                                                                        .thresholds = options->thresholds,
                                                                        .emit = take_event,
                                                                        .ctx = p});
    int rc = 0;
    if (p && queue && observer) {
        p->options = *options;
        p->maker = options->maker;
        p->queue = queue;
        p->observer = observer;
        recall_reports(p);
        rc = pthread_create(&p->thread, NULL, run, p);
        if (rc == 0)
            return p;
    }
    error_set(err, "cannot start the pipeline: %s", rc ? strerror(rc) : "out of memory");
    observer_free(observer);
    ring_free(queue);
    free(p);
    return NULL;
}

static bool put(struct pipeline *p, const struct item *content)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        return false;
    *item = *content;
    if (ring_push(p->queue, item))
        return true;
    free(item);
    return false;
}

bool pipeline_put_report(struct pipeline *pipeline, struct sa_report *report)
{
    return put(pipeline, &(struct item){.report = report});
}

void pipeline_put_occurrence(struct pipeline *pipeline, const struct maker_occurrence *occurrence,
                             uint64_t subnet_prefix)
{
    struct maker_occurrence *copy = malloc(sizeof *copy);
    if (!copy)
        return;
    *copy = *occurrence;
    if (!put(pipeline, &(struct item){.occurrence = copy, .subnet_prefix = subnet_prefix}))
        free(copy);
}

void pipeline_put_fabric(struct pipeline *pipeline, struct fabric *fabric)
{
    if (!put(pipeline, &(struct item){.fabric = fabric}))
        fabric_release(fabric);
}

void pipeline_put_counters(struct pipeline *pipeline, struct counter_reading *reading)
{
    if (!put(pipeline, &(struct item){.reading = reading}))
        free(reading);
}

void pipeline_stop(struct pipeline *pipeline)
{
    ring_close(pipeline->queue);
    pthread_join(pipeline->thread, NULL);
}

void pipeline_free(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    observer_free(pipeline->observer);
    ring_free(pipeline->queue);
    free(pipeline);
}

uint64_t pipeline_beats(struct pipeline *pipeline)
{
    return atomic_load(&pipeline->beats);
}

void pipeline_get_counters(struct pipeline *pipeline, struct pipeline_counters *out)
{
    out->events = atomic_load(&pipeline->events);
    out->repeated = atomic_load(&pipeline->repeated);
}
