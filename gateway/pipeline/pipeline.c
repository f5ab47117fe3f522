// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/pipeline.h"

#include "base/memory.h"
#include "base/ring.h"
#include "base/thread.h"
#include "ib/repeats.h"
#include "model/catalogue.h"
#include "model/fabric_record.h"
#include "pipeline/restore.h"
#include "pipeline/unreliable_links.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const int64_t IDLE_US = CLOCK_US_PER_S / 2; // cursors are saved at least this often

// An item of the queue: exactly one of the first seven members is not NULL.
struct item {
    struct sa_report *report;
    struct event_builder_occurrence *occurrence;
    struct fabric *fabric;
    struct counter_reading *reading;
    struct call *call;
    struct test_event *test;
    struct error_details_list *details;
    uint64_t subnet_prefix; // of the occurrence
};

// A call, with its item. Both are on the caller's stack: the caller waits for the end of the call.
struct call {
    struct item item;
    void (*function)(void *ctx, const struct pipeline_context *inside);
    void *ctx;
    bool done;
};

struct pipeline {
    struct pipeline_options options;
    struct event_builder builder; // has the latest subnet prefix
    struct ring *queue;
    pthread_t thread;
    struct repeats repeats;
    struct correlator *correlator;
    struct policy *policy;
    struct unreliable_links unreliable_links;
    const struct event *given;           // the event that policy processes now; NULL: none
    const struct journal_report *origin; // of `given`
    enum pipeline_role role;             // for the present item
    bool fabric_saved;                   // the current fabric is saved in the journal
    size_t uncommitted;                  // events since the last commit
    bool in_sweep;                       // its changes, and its snapshot, are appended now
    bool recall;                         // the journal was read late, and policy has yet to be told
    bool wants_sweep;                    // an event of this batch says that the fabric changed
    atomic_bool active;                  // as `role`, for other threads
    atomic_uint_fast64_t events, repeated, beats;
    struct event_counts counts;
    pthread_mutex_t lock; // over the members below
    pthread_cond_t called;
    struct policy_counters policy_counters; // as of the last batch
};

// What the journal knows of the time before.
static void recall(struct pipeline *p)
{
    restore_policy(p->options.journal, p->policy, p->builder.clock);
    if (p->options.thresholds)
        restore_thresholds(p->options.journal, p->options.thresholds);
    if (p->options.error_rates)
        restore_error_rates(p->options.journal, p->options.error_rates);
    if (p->options.congestion)
        restore_congestion(p->options.journal, p->options.congestion);
    unreliable_links_restore(&p->unreliable_links, p->builder.clock);
}

static void pipeline_commit(struct pipeline *p)
{
    journal_commit(p->options.journal);
    p->uncommitted = 0;
    p->recall |= journal_was_read_late(p->options.journal);
}

// Policy has the alarms of the journal now.
static void pipeline_end_expected(struct pipeline *p)
{
    correlator_end_expected(p->correlator, &p->builder);
    if (p->uncommitted > 0)
        pipeline_commit(p);
}

// Between items: at a commit, policy may be in the middle of an event.
static void recall_late(struct pipeline *p)
{
    if (!p->recall)
        return;
    p->recall = false;
    recall(p);
    pipeline_end_expected(p);
    if (p->options.read_late)
        p->options.read_late(p->options.ctx);
}

// Sets the role, and tells policy.
static void set_role(struct pipeline *p, enum pipeline_role role)
{
    p->role = role;
    atomic_store(&p->active, role == PIPELINE_ACTIVE);
    policy_set_active(p->policy, role == PIPELINE_ACTIVE, clock_monotonic(p->builder.clock));
}

// Whether the event is sent as gswEventTrap: it is about a switch, and severe enough.
static bool is_event_trap(const struct pipeline *p, const struct event *event)
{
    return event->switch_guid != 0 && p->options.event_trap_level &&
           severity_event_level(event->severity) <=
               p->options.event_trap_level(p->options.ctx, event->switch_guid);
}

// Writes an event that policy passes on to the journal. Commits after PIPELINE_BATCH_MAX events, as
// one item can cause far more; those of a sweep wait for its snapshot, as far as memory allows.
static void pipeline_pass(void *ctx, struct event *event)
{
    static const struct journal_report NONE;
    struct pipeline *p = ctx;
    bool given = event == p->given;
    event->event_trap = is_event_trap(p, event);
    journal_append(p->options.journal, event, given ? p->origin : &NONE);
    event_counts_add(&p->counts, event);
    unreliable_links_note(&p->unreliable_links, event, p->builder.clock);
    atomic_fetch_add(&p->events, 1);
    if (++p->uncommitted >= (p->in_sweep ? PIPELINE_SWEEP_MAX : PIPELINE_BATCH_MAX))
        pipeline_commit(p);
}

// Reads an event that policy suppressed back from the journal.
static struct event *pipeline_read(void *ctx, int64_t number)
{
    const struct pipeline *p = ctx;
    return journal_find(p->options.journal, number);
}

static void pipeline_stamp(void *ctx, struct event *event)
{
    const struct pipeline *p = ctx;
    event_builder_stamp(&p->builder, event);
}

static void log_event(const struct pipeline *p, const struct event *event)
{
    log_debug(p->options.log, "event %s %s made: %s%s", event->id, event->type->name, event->text,
              p->role == PIPELINE_ACTIVE ? "" : "; this gateway is not active");
}

// Hands an event to policy, and takes over the reference.
static void pipeline_append(struct pipeline *p, struct event *event,
                            const struct journal_report *report)
{
    log_event(p, event);
    if (!event->test)
        p->wants_sweep |= correlator_note_event(p->correlator, event);
    p->given = event;
    p->origin = report;
    policy_process(p->policy, event, clock_monotonic(p->builder.clock));
    p->given = NULL;
    event_unref(event);
}

static void handle_event(void *ctx, struct event *event)
{
    pipeline_append(ctx, event, &(struct journal_report){0});
}

static struct event *make_event(const struct pipeline *p, const struct sa_report *report)
{
    if (report->malformed)
        return event_builder_from_malformed(&p->builder, report->from.lid, report->reason,
                                            report->mad, report->size);
    return event_builder_from_notice(&p->builder, mad_notice(report->mad));
}

// The digest by which repeats are recognised: of the Notice, or of a whole malformed MAD. Nothing
// guarantees that the octets after the Notice are the same in a repeat.
static uint64_t pipeline_digest_of(const struct sa_report *report, uint64_t tid)
{
    if (report->malformed)
        return repeats_digest(report->from.lid, tid, report->mad, report->size);
    return repeats_digest(report->from.lid, tid, mad_notice(report->mad), NOTICE_SIZE);
}

static void log_report(const struct pipeline *p, const struct journal_report *report,
                       const char *outcome)
{
    log_debug(p->options.log, "Report of LID %u, TransactionID 0x%08" PRIx32 ": %s", report->lid,
              (uint32_t)report->tid, outcome);
}

// Acknowledge the Report after the next commit.
static void handle_report(struct pipeline *p, const struct sa_report *report)
{
    struct mad_header h = {0};
    mad_read_header(report->mad, report->size, &h);
    const struct journal_report origin = {
        .lid = report->from.lid, .tid = h.tid, .digest = pipeline_digest_of(report, h.tid)};
    // Its arrival counts: a commit may have taken longer than the memory of repeats.
    int64_t at = report->arrived_at;
    if (repeats_seen(&p->repeats, origin.lid, origin.tid, origin.digest, at)) {
        log_report(p, &origin, "a repeat: acknowledged, not recorded");
        atomic_fetch_add(&p->repeated, 1);
        return;
    }
    p->builder.subnet_prefix = report->subnet_prefix;
    log_report(p, &origin, report->malformed ? "malformed" : "handled");
    pipeline_append(p, make_event(p, report), &origin);
    repeats_remember(&p->repeats, origin.lid, origin.tid, origin.digest, at);
}

static void handle_occurrence(struct pipeline *p, const struct item *item)
{
    if (item->subnet_prefix != 0)
        p->builder.subnet_prefix = item->subnet_prefix;
    handle_event(p, event_builder_from_occurrence(&p->builder, item->occurrence));
}

// Gives the current fabric to the journal to save.
static void save_fabric(struct pipeline *p)
{
    struct fabric *fabric = topology_current(p->options.topology);
    size_t size;
    uint8_t *record = fabric_record_write(fabric, &size);
    journal_save_snapshot(p->options.journal,
                          &(struct journal_snapshot){.time_us = fabric->time_us,
                                                     .digest = fabric_record_digest(record, size),
                                                     .nodes = fabric->node_count,
                                                     .links = fabric_count_links(fabric)},
                          record, size);
    free(record);
    fabric_unref(fabric);
    p->fabric_saved = true;
}

static enum pipeline_role role_now(struct pipeline *p, const struct fabric *fabric)
{
    return p->options.role ? p->options.role(p->options.ctx, fabric) : PIPELINE_ACTIVE;
}

static uint32_t pipeline_count_pkey_tables(const struct pipeline *p)
{
    struct fabric *fabric = topology_current(p->options.topology);
    const uint32_t count = fabric ? fabric->pkey_table_count : 0;
    fabric_unref(fabric);
    return count;
}

// A snapshot that leaves the role unknown is dropped, and changes no role.
static void handle_fabric(struct pipeline *p, struct fabric *fabric)
{
    const enum pipeline_role role = role_now(p, fabric);
    log_debug(p->options.log, "snapshot of %u nodes, %s", (unsigned)fabric->node_count,
              role == PIPELINE_UNKNOWN ? "dropped: it shows no master subnet manager" : "handled");
    if (role == PIPELINE_UNKNOWN) {
        fabric_unref(fabric);
    } else {
        set_role(p, role);
        p->builder.subnet_prefix = fabric->subnet_prefix;
        p->in_sweep = true;
        const uint32_t tables = pipeline_count_pkey_tables(p);
        bool changed = correlator_take_snapshot(p->correlator, &p->builder, fabric);
        // The first table of a port is no change, but what the next ones are compared with.
        changed |= pipeline_count_pkey_tables(p) != tables;
        if (changed || (!p->fabric_saved && topology_has_base(p->options.topology)))
            save_fabric(p);
        p->in_sweep = false;
    }
    set_role(p, role_now(p, NULL));
}

static void run_call(struct pipeline *p, struct call *call)
{
    call->function(call->ctx,
                   &(struct pipeline_context){.builder = &p->builder,
                                              .policy = p->policy,
                                              .now_us = clock_monotonic(p->builder.clock),
                                              .take = handle_event,
                                              .pipeline = p});
    pthread_mutex_lock(&p->lock);
    call->done = true;
    pthread_cond_broadcast(&p->called);
    pthread_mutex_unlock(&p->lock);
}

static void handle_item(struct pipeline *p, const struct item *item)
{
    if (item->reading)
        log_debug(p->options.log, "counter reading of %u ports", (unsigned)item->reading->count);
    if (item->occurrence)
        handle_occurrence(p, item);
    else if (item->fabric)
        handle_fabric(p, item->fabric);
    else if (item->reading)
        correlator_take_reading(p->correlator, &p->builder, item->reading);
    else if (item->details)
        correlator_take_details(p->correlator, &p->builder, item->details);
    else
        handle_event(p, test_event_make(&p->builder, item->test));
    free(item->occurrence);
    free(item->test);
    free(item->reading);
    free(item->details);
}

static void publish_counters(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    policy_get_counters(p->policy, &p->policy_counters);
    pthread_mutex_unlock(&p->lock);
}

// Handles `first` and the items that wait already, commits, and acknowledges the Reports among
// them.
static void handle_batch(struct pipeline *p, struct item *first)
{
    struct sa_report *to_answer[PIPELINE_BATCH_MAX];
    size_t answers = 0;
    struct item *item = first;
    set_role(p, role_now(p, NULL));
    for (size_t n = 0; item; item = ++n < PIPELINE_BATCH_MAX ? ring_pop(p->queue, 0) : NULL) {
        if (item->call) {
            run_call(p, item->call);
            continue; // its item is the caller's
        }
        if (item->report) {
            handle_report(p, item->report);
            to_answer[answers++] = item->report;
        } else {
            handle_item(p, item);
        }
        free(item);
    }
    pipeline_commit(p);
    if (answers > 0)
        log_debug(p->options.log, "committed; %zu Reports are acknowledged", answers);
    for (size_t i = 0; i < answers; i++) {
        p->options.acknowledge(p->options.ctx, to_answer[i]);
        free(to_answer[i]);
    }
    if (p->wants_sweep)
        log_debug(p->options.log, "asking for a sweep: an event says that the fabric changed");
    if (p->wants_sweep && p->options.request_sweep)
        p->options.request_sweep(p->options.ctx);
    p->wants_sweep = false;
    publish_counters(p);
}

// Does the work of policy that is due, such as the end of a storm.
static void pipeline_tick(struct pipeline *p)
{
    int64_t now = clock_monotonic(p->builder.clock);
    set_role(p, role_now(p, NULL)); // it may change without an item
    correlator_tell_held(p->correlator, &p->builder, false);
    unreliable_links_update(&p->unreliable_links, &p->builder);
    if (policy_due(p->policy) > now && p->uncommitted == 0)
        return;
    policy_tick(p->policy, now);
    pipeline_commit(p);
    publish_counters(p);
}

static int64_t until_due(const struct pipeline *p)
{
    int64_t due = policy_due(p->policy), now = clock_monotonic(p->builder.clock);
    if (due <= now)
        return 0;
    return due - now < IDLE_US ? due - now : IDLE_US;
}

// Lets policy pass on its last events: the next run does not go on with its counts.
static void pipeline_end_run(struct pipeline *p)
{
    set_role(p, role_now(p, NULL));
    correlator_tell_held(p->correlator, &p->builder, true);
    policy_end(p->policy, clock_monotonic(p->builder.clock));
    pipeline_commit(p);
    publish_counters(p);
}

static void *pipeline_run(void *arg)
{
    struct pipeline *p = arg;
    struct item *item;
    pipeline_end_expected(p);
    while ((item = ring_pop(p->queue, until_due(p))) != NULL || !ring_closed(p->queue)) {
        atomic_fetch_add(&p->beats, 1);
        if (item)
            handle_batch(p, item);
        pipeline_tick(p);
        // Without items, commit the journal's own work, such as cursors and events about its state.
        if (!item && journal_has_work(p->options.journal))
            pipeline_commit(p);
        recall_late(p);
    }
    while ((item = ring_pop(p->queue, 0)) != NULL)
        handle_batch(p, item); // put after the last pop and before the close
    pipeline_end_run(p);
    return NULL;
}

struct restore {
    struct pipeline *pipeline;
    int64_t utc, monotonic;
};

static void restore_report(void *ctx, const struct journal_report *report, int64_t utc_us)
{
    struct restore *r = ctx;
    if (utc_us > r->utc)
        return; // the clock was set back since: the Report's age is unknown
    repeats_remember(&r->pipeline->repeats, report->lid, report->tid, report->digest,
                     r->monotonic - (r->utc - utc_us));
}

// Restores the Reports that were committed shortly before the restart: the subnet manager may
// repeat them, as it may not have received our answers.
static void restore_reports(struct pipeline *p)
{
    struct restore r = {p, clock_utc(p->builder.clock), clock_monotonic(p->builder.clock)};
    journal_each_recent_report(p->options.journal, r.utc - REPEATS_MEMORY_US, restore_report, &r);
}

static void pipeline_read_counters(void *ctx, const uint64_t *switches, size_t count)
{
    const struct pipeline *p = ctx;
    if (p->options.read_counters)
        p->options.read_counters(p->options.ctx, switches, count);
}

static void pipeline_read_details(void *ctx, const struct error_details_list *list)
{
    const struct pipeline *p = ctx;
    p->options.read_details(p->options.ctx, list);
}

static void pipeline_make_parts(struct pipeline *p)
{
    const struct policy_sink sink = {.stamp = pipeline_stamp,
                                     .pass = pipeline_pass,
                                     .read = pipeline_read,
                                     .ctx = p,
                                     .log = p->options.log};
    repeats_init(&p->repeats, p->builder.random);
    p->queue = ring_new(PIPELINE_QUEUE_MAX + PIPELINE_OTHERS_MAX);
    p->policy = policy_new(&p->options.policy, &sink, p->builder.random);
    const struct correlator_options correlator = {
        .topology = p->options.topology,
        .thresholds = p->options.thresholds,
        .error_rates = p->options.error_rates,
        .congestion = p->options.congestion,
        .policy = p->policy,
        .journal = p->options.journal,
        .emit = handle_event,
        .read_counters = pipeline_read_counters,
        .read_details = p->options.read_details ? pipeline_read_details : NULL,
        .ctx = p,
        .log = p->options.log,
        .age_us = p->options.alarm_age_us,
        .no_counters = p->options.no_counters,
        .expectation = p->options.expectation};
    p->correlator = correlator_new(&correlator);
    p->unreliable_links = (struct unreliable_links){.history = p->options.link_history,
                                                    .topology = p->options.topology,
                                                    .journal = p->options.journal,
                                                    .emit = handle_event,
                                                    .ctx = p,
                                                    .log = p->options.log};
}

struct pipeline *pipeline_start(const struct pipeline_options *options, struct error *err)
{
    struct pipeline *p = memory_zeroed(1, sizeof *p);
    p->options = *options;
    p->builder = options->builder;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->called, NULL);
    pipeline_make_parts(p);
    restore_reports(p);
    recall(p);
    const int rc = thread_start(&p->thread, "pipeline", pipeline_run, p);
    if (rc == 0)
        return p;
    error_set(err, "cannot start the pipeline: %s", strerror(rc));
    pipeline_free(p);
    return NULL;
}

// Copies the content into the queue, if more than `spare` places are free. The spare places are for
// items that are sent only once (PIPELINE_OTHERS_MAX) and for calls (PIPELINE_CALLS_MAX). False:
// there is no room, and the content stays the caller's.
static bool pipeline_put(struct pipeline *p, const struct item *content, size_t spare)
{
    struct item *item = memory_get(sizeof *item);
    *item = *content;
    if (ring_push(p->queue, item, spare))
        return true;
    free(item);
    return false;
}

bool pipeline_put_report(struct pipeline *pipeline, struct sa_report *report)
{
    return pipeline_put(pipeline, &(struct item){.report = report}, PIPELINE_OTHERS_MAX);
}

void pipeline_put_occurrence(struct pipeline *pipeline,
                             const struct event_builder_occurrence *occurrence,
                             uint64_t subnet_prefix)
{
    if (!pipeline)
        return;
    struct event_builder_occurrence *copy = memory_get(sizeof *copy);
    *copy = *occurrence;
    if (pipeline_put(pipeline, &(struct item){.occurrence = copy, .subnet_prefix = subnet_prefix},
                     PIPELINE_CALLS_MAX))
        return;
    free(copy);
    if (!ring_closed(pipeline->queue))
        log_write(pipeline->options.log, LOG_LEVEL_ERROR,
                  "the event %s (%s) is lost: the queue is full",
                  catalogue_get(occurrence->type)->name, occurrence->reason);
}

bool pipeline_put_test_event(struct pipeline *pipeline, const struct test_event *test)
{
    struct test_event *copy = memory_get(sizeof *copy);
    *copy = *test;
    if (pipeline_put(pipeline, &(struct item){.test = copy}, PIPELINE_CALLS_MAX))
        return true;
    free(copy);
    return false;
}

void pipeline_put_fabric(struct pipeline *pipeline, struct fabric *fabric)
{
    if (!pipeline_put(pipeline, &(struct item){.fabric = fabric}, PIPELINE_CALLS_MAX))
        fabric_unref(fabric);
}

void pipeline_put_counters(struct pipeline *pipeline, struct counter_reading *reading)
{
    if (!pipeline_put(pipeline, &(struct item){.reading = reading}, PIPELINE_CALLS_MAX))
        free(reading);
}

void pipeline_put_details(struct pipeline *pipeline, struct error_details_list *list)
{
    if (!pipeline_put(pipeline, &(struct item){.details = list}, PIPELINE_CALLS_MAX))
        free(list);
}

bool pipeline_call(struct pipeline *pipeline,
                   void (*call)(void *ctx, const struct pipeline_context *inside), void *ctx)
{
    struct call waiting = {.function = call, .ctx = ctx};
    waiting.item.call = &waiting;
    if (!ring_push(pipeline->queue, &waiting.item, 0))
        return false;
    pthread_mutex_lock(&pipeline->lock);
    while (!waiting.done)
        pthread_cond_wait(&pipeline->called, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
    return true;
}

void pipeline_change_alarm_age(const struct pipeline_context *inside, int64_t age_us)
{
    const struct pipeline *p = inside->pipeline;
    correlator_change_age(p->correlator, age_us);
}

void pipeline_change_counters(const struct pipeline_context *inside, bool no_counters)
{
    const struct pipeline *p = inside->pipeline;
    correlator_change_counters(p->correlator, no_counters);
}

void pipeline_change_expectation(const struct pipeline_context *inside,
                                 const struct expectation *expectation)
{
    const struct pipeline *p = inside->pipeline;
    correlator_change_expectation(p->correlator, inside->builder, expectation);
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
    repeats_clear(&pipeline->repeats);
    policy_free(pipeline->policy);
    correlator_free(pipeline->correlator);
    ring_free(pipeline->queue);
    pthread_cond_destroy(&pipeline->called);
    pthread_mutex_destroy(&pipeline->lock);
    free(pipeline);
}

bool pipeline_is_active(const struct pipeline *pipeline)
{
    return pipeline && atomic_load(&pipeline->active);
}

uint64_t pipeline_progress(struct pipeline *pipeline)
{
    return atomic_load(&pipeline->beats);
}

void pipeline_get_counters(struct pipeline *pipeline, struct pipeline_counters *out)
{
    out->events = atomic_load(&pipeline->events);
    out->repeated = atomic_load(&pipeline->repeated);
    out->queued = ring_count(pipeline->queue);
    pthread_mutex_lock(&pipeline->lock);
    out->policy = pipeline->policy_counters;
    pthread_mutex_unlock(&pipeline->lock);
    correlator_get_unwatched(pipeline->correlator, &out->unwatched);
}

struct accumulated_counters *pipeline_accumulated(struct pipeline *pipeline)
{
    return correlator_accumulated(pipeline->correlator);
}

struct measured_errors *pipeline_measured_errors(struct pipeline *pipeline)
{
    return correlator_measured_errors(pipeline->correlator);
}

const struct event_counts *pipeline_event_counts(const struct pipeline *pipeline)
{
    return &pipeline->counts;
}
