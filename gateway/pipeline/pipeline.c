// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/pipeline.h"

#include "base/memory.h"
#include "base/ring.h"
#include "base/thread.h"
#include "ib/reports.h"
#include "model/catalogue.h"
#include "model/fabric_record.h"
#include "pipeline/counter_alarms.h"
#include "pipeline/unreliable_links.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const int64_t IDLE_US = CLOCK_US_PER_S / 2; // cursors are saved at least this often
// The other thread leads after this time if a thread that commits hangs, and no item comes.
static const int64_t FOLLOW_US = 2 * CLOCK_US_PER_S;
static const int64_t STOP_US = 5 * CLOCK_US_PER_S; // for the thread that commits

struct call {
    void (*function)(void *ctx, const struct pipeline_context *inside);
    void *ctx;
    bool done;
};

// An item of the queue, which owns its content, but for a call: the caller has that on its stack,
// as the caller waits for the end of the call.
struct item {
    enum { REPORT, OCCURRENCE, FABRIC, READING, REASONS, REGISTERS, TEST_EVENT, CALL } kind;
    union {
        void *content;
        struct sa_report *report;
        struct event_builder_occurrence *occurrence;
        struct fabric *fabric;
        struct counter_reading *reading;
        struct link_reasons *reasons;
        struct device_readings *registers;
        struct test_event *test;
        struct call *call;
    };
    uint64_t subnet_prefix; // of an occurrence; 0: not known
};

// The Reports that one of the threads answers after its next commit.
struct batch {
    struct pipeline *pipeline;
    struct sa_report *reports[PIPELINE_BATCH_MAX];
    size_t count; // the other thread may answer the Reports, with the pipeline's lock
};

// Two threads take turns. The leader makes events of the items. Once the file is free, the leader
// notes what is to be written, resigns, writes it and answers its batch. Meanwhile the other thread
// leads. So the next events are made while the disk works, and a Report that comes alone wakes up
// one thread only.
//
// The other thread is woken up only for a crowd: to make fewer events takes less time than to wake
// up a thread for them, and a commit takes all that wait at its begin.
enum { PIPELINE_THREADS = 2, PIPELINE_CROWD = 64 };

struct pipeline {
    struct pipeline_options options;
    struct ring *queue;
    pthread_t threads[PIPELINE_THREADS];
    struct batch batches[PIPELINE_THREADS];
    size_t joinable; // threads
    struct repeats repeats;
    struct random_pool random; // of the identifiers of events
    struct emitter emitter;
    struct correlator *correlator;
    struct unreliable_links unreliable_links;
    enum pipeline_role role; // for the present item
    bool fabric_saved;       // the current fabric is saved in the journal
    bool wants_sweep;        // an event of this batch says that the fabric changed
    atomic_bool active;      // as `role`, for other threads
    atomic_uint_fast64_t events, repeated, beats;
    struct event_counts counts;
    bool begun, ended; // the run

    pthread_mutex_t lock;                   // over the members below
    pthread_cond_t called;                  // a call is done, or a thread has ended
    size_t running;                         // threads
    struct policy_counters policy_counters; // as of the last batch
};

// What the journal knows of the time before.
static void pipeline_recall(struct pipeline *p)
{
    emitter_restore(&p->emitter);
    counter_alarms_restore(&p->emitter, p->options.correlator.watch);
    unreliable_links_restore(&p->unreliable_links);
    correlator_restore_held(p->correlator);
}

// Policy has the alarms of the journal now.
static void pipeline_end_unseen(struct pipeline *p)
{
    correlator_end_unseen(p->correlator);
    if (p->emitter.uncommitted > 0)
        emitter_commit(&p->emitter);
}

// Between items: at a commit, the correlator may be in the middle of a sweep.
static void pipeline_recall_late(struct pipeline *p)
{
    if (!journal_was_read_late(p->options.journal))
        return;
    pipeline_recall(p);
    pipeline_end_unseen(p);
    if (p->options.read_late)
        p->options.read_late(p->options.ctx);
}

// Sets the role, and tells policy.
static void pipeline_set_role(struct pipeline *p, enum pipeline_role role)
{
    p->role = role;
    p->emitter.active = role == PIPELINE_ACTIVE;
    atomic_store(&p->active, role == PIPELINE_ACTIVE);
    policy_set_active(p->emitter.policy, role == PIPELINE_ACTIVE, emitter_now(&p->emitter));
}

static void pipeline_look(void *ctx, struct event *event)
{
    struct pipeline *p = ctx;
    // An event that is about a switch, and severe enough, is sent as gswEventTrap.
    event->event_trap = event->switch_guid != 0 && p->options.event_trap_level &&
                        severity_event_level(event->severity) <=
                            p->options.event_trap_level(p->options.ctx, event->switch_guid);
    event_counts_add(&p->counts, event);
    unreliable_links_note(&p->unreliable_links, event);
    atomic_fetch_add(&p->events, 1);
}

// Reads an event that policy suppressed back from the journal.
static struct event *pipeline_read(void *ctx, int64_t number)
{
    const struct pipeline *p = ctx;
    return journal_find(p->options.journal, number);
}

static void pipeline_explain(void *ctx, const char *key, const char *cause_id,
                             enum policy_reason reason)
{
    const struct pipeline *p = ctx;
    journal_explain_alarm(p->options.journal, key, cause_id, policy_reason_word(reason));
}

static void pipeline_stamp(void *ctx, struct event *event)
{
    const struct pipeline *p = ctx;
    event_builder_stamp(&p->emitter.builder, event);
}

static struct event *pipeline_make_event(const struct pipeline *p, const struct sa_report *report)
{
    if (report->malformed)
        return event_builder_from_malformed(&p->emitter.builder, report->from.lid, report->reason,
                                            report->mad, report->size);
    return event_builder_from_notice(&p->emitter.builder, mad_notice(report->mad));
}

// The digest by which repeats are recognised: of the Notice, or of a whole malformed MAD. Nothing
// guarantees that the octets after the Notice are the same in a repeat.
static uint64_t pipeline_digest_of(const struct sa_report *report, uint64_t tid)
{
    if (report->malformed)
        return repeats_digest(report->from.lid, tid, report->mad, report->size);
    return repeats_digest(report->from.lid, tid, mad_notice(report->mad), NOTICE_SIZE);
}

static void pipeline_log_report(const struct pipeline *p, const struct journal_report *report,
                                const char *outcome)
{
    log_debug(p->options.log, "Report of LID %u, TransactionID 0x%08" PRIx32 ": %s", report->lid,
              (uint32_t)report->tid, outcome);
}

// Acknowledge the Report after the next commit.
static void pipeline_handle_report(struct pipeline *p, const struct sa_report *report)
{
    struct mad_header h = {0};
    mad_read_header(report->mad, report->size, &h);
    const struct journal_report origin = {
        .lid = report->from.lid, .tid = h.tid, .digest = pipeline_digest_of(report, h.tid)};
    // Its arrival counts: a commit may have taken longer than the memory of repeats.
    int64_t at = report->arrived_at;
    if (repeats_seen(&p->repeats, origin.lid, origin.tid, origin.digest, at)) {
        pipeline_log_report(p, &origin, "a repeat: acknowledged, not recorded");
        atomic_fetch_add(&p->repeated, 1);
        return;
    }
    p->emitter.builder.subnet_prefix = report->subnet_prefix;
    pipeline_log_report(p, &origin, report->malformed ? "malformed" : "handled");
    struct event *event = pipeline_make_event(p, report);
    const bool noted = correlator_note_event(p->correlator, event);
    p->wants_sweep |= noted;
    emitter_emit_report(&p->emitter, event_ref(event), &origin);
    if (noted)
        correlator_note_number(p->correlator, event);
    event_unref(event);
    repeats_remember(&p->repeats, origin.lid, origin.tid, origin.digest, at);
}

// Gives the current fabric to the journal to save, without the nodes that wait to join: a restart
// tells of these.
static void pipeline_save_fabric(struct pipeline *p)
{
    const struct systems *joined = topology_joined(p->options.topology);
    struct fabric *fabric =
        joined ? fabric_ref(joined->fabric) : topology_current(p->options.topology);
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

static enum pipeline_role pipeline_role_now(struct pipeline *p, const struct fabric *fabric)
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

// Answers the Reports of a batch, which are committed.
static void pipeline_answer(struct pipeline *p, struct batch *batch)
{
    struct sa_report *reports[PIPELINE_BATCH_MAX];
    pthread_mutex_lock(&p->lock);
    const size_t count = batch->count;
    memcpy(reports, batch->reports, count * sizeof(struct sa_report *));
    batch->count = 0;
    pthread_mutex_unlock(&p->lock);
    if (count > 0)
        log_debug(p->options.log, "committed; %zu Reports are acknowledged", count);
    for (size_t i = 0; i < count; i++) {
        p->options.acknowledge(p->options.ctx, reports[i]);
        free(reports[i]);
    }
}

// Commits as the leader. Afterwards the events of both batches are committed: if the disk of the
// other thread hangs, the journal is degraded now.
static void pipeline_commit(struct pipeline *p)
{
    emitter_commit(&p->emitter);
    for (size_t i = 0; i < PIPELINE_THREADS; i++)
        pipeline_answer(p, &p->batches[i]);
}

// A snapshot that leaves the role unknown is dropped, and changes no role.
static void pipeline_handle_fabric(struct pipeline *p, struct fabric *fabric)
{
    const enum pipeline_role role = pipeline_role_now(p, fabric);
    log_debug(p->options.log, "snapshot of %u nodes, %s", (unsigned)fabric->node_count,
              role == PIPELINE_UNKNOWN ? "dropped: it shows no master subnet manager" : "handled");
    if (role == PIPELINE_UNKNOWN) {
        fabric_unref(fabric);
    } else {
        pipeline_commit(p); // the events of the sweep take all of the journal's memory
        pipeline_set_role(p, role);
        p->emitter.builder.subnet_prefix = fabric->subnet_prefix;
        p->emitter.in_sweep = true;
        const uint32_t tables = pipeline_count_pkey_tables(p);
        bool changed = correlator_take_snapshot(p->correlator, fabric);
        // The first table of a port is no change, but what the next ones are compared with.
        changed |= pipeline_count_pkey_tables(p) != tables;
        if (changed || (!p->fabric_saved && topology_has_base(p->options.topology)))
            pipeline_save_fabric(p);
        p->emitter.in_sweep = false;
    }
    pipeline_set_role(p, pipeline_role_now(p, NULL));
}

static void pipeline_run_call(struct pipeline *p, struct call *call)
{
    call->function(call->ctx, &(struct pipeline_context){.builder = &p->emitter.builder,
                                                         .policy = p->emitter.policy,
                                                         .now_us = emitter_now(&p->emitter),
                                                         .emitter = &p->emitter,
                                                         .correlator = p->correlator});
    emitter_work(&p->emitter, emitter_now(&p->emitter));
    pthread_mutex_lock(&p->lock);
    call->done = true;
    pthread_cond_broadcast(&p->called);
    pthread_mutex_unlock(&p->lock);
}

// Handles an item, and frees the item's content, but for a Report.
static void pipeline_handle_item(struct pipeline *p, const struct item *item)
{
    switch (item->kind) {
    case REPORT:
        pipeline_handle_report(p, item->report);
        return;
    case CALL:
        pipeline_run_call(p, item->call);
        return;
    case FABRIC:
        pipeline_handle_fabric(p, item->fabric);
        return;
    case OCCURRENCE:
        if (item->subnet_prefix != 0)
            p->emitter.builder.subnet_prefix = item->subnet_prefix;
        emitter_emit(&p->emitter,
                     event_builder_from_occurrence(&p->emitter.builder, item->occurrence));
        break;
    case READING:
        log_debug(p->options.log, "counter reading of %u ports", (unsigned)item->reading->count);
        correlator_take_reading(p->correlator, item->reading);
        break;
    case REASONS:
        correlator_take_reasons(p->correlator, item->reasons);
        break;
    case REGISTERS:
        correlator_take_registers(p->correlator, item->registers);
        break;
    case TEST_EVENT:
        emitter_emit(&p->emitter, test_event_make(&p->emitter.builder, item->test));
        break;
    }
    free(item->content);
}

static void pipeline_publish_counters(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    policy_get_counters(p->emitter.policy, &p->policy_counters);
    pthread_mutex_unlock(&p->lock);
}

// Whether a batch may get another item, after `handled` items.
static bool batch_has_room(const struct batch *batch, size_t handled)
{
    return batch->count < PIPELINE_BATCH_MAX && handled < PIPELINE_BATCH_MAX;
}

// Handles `item` and the items that wait already.
static void pipeline_handle_items(struct pipeline *p, struct item *item, struct batch *batch)
{
    pipeline_set_role(p, pipeline_role_now(p, NULL));
    for (size_t n = 0; item; item = batch_has_room(batch, ++n) ? ring_pop(p->queue, 0, 1) : NULL) {
        pipeline_handle_item(p, item);
        if (item->kind == REPORT)
            batch->reports[batch->count++] = item->report;
        free(item);
    }
    if (p->wants_sweep)
        log_debug(p->options.log, "asking for a sweep: an event says that the fabric changed");
    if (p->wants_sweep && p->options.request_sweep)
        p->options.request_sweep(p->options.ctx);
    p->wants_sweep = false;
    pipeline_publish_counters(p);
}

// Does the due work of policy, such as the end of a storm.
static void pipeline_tick(struct pipeline *p)
{
    int64_t now = emitter_now(&p->emitter);
    pipeline_set_role(p, pipeline_role_now(p, NULL)); // it may change without an item
    journal_follow_clock(p->options.journal);
    correlator_tell_held(p->correlator, false);
    if (correlator_wants_sweep(p->correlator) && p->options.request_sweep)
        p->options.request_sweep(p->options.ctx);
    unreliable_links_update(&p->unreliable_links);
    if (policy_due(p->emitter.policy) > now)
        return;
    emitter_work(&p->emitter, now);
    pipeline_publish_counters(p);
}

static int64_t pipeline_until_due(const struct pipeline *p)
{
    int64_t due = policy_due(p->emitter.policy), now = emitter_now(&p->emitter);
    if (due <= now)
        return 0;
    return due - now < IDLE_US ? due - now : IDLE_US;
}

// Lets policy pass on its last events: the next run does not go on with its counts.
static void pipeline_end_run(struct pipeline *p)
{
    pipeline_set_role(p, pipeline_role_now(p, NULL));
    correlator_tell_held(p->correlator, true);
    policy_end(p->emitter.policy, emitter_now(&p->emitter));
    emitter_work(&p->emitter, emitter_now(&p->emitter));
    pipeline_commit(p);
    pipeline_publish_counters(p);
    p->ended = true;
}

// Whether there is something to commit, if only the journal's own work: cursors, or events about
// its state.
static bool pipeline_has_work(const struct pipeline *p, const struct batch *batch)
{
    return batch->count > 0 || p->emitter.uncommitted > 0 || journal_has_work(p->options.journal);
}

// Handles what comes next. Returns whether an item came.
static bool pipeline_step(struct pipeline *p, struct batch *batch)
{
    // With a batch that waits for the file, wakes up for many items only, or for the file.
    const size_t at_least = batch->count > 0 ? PIPELINE_CROWD : 1;
    struct item *item = ring_pop(p->queue, pipeline_until_due(p), at_least);
    atomic_fetch_add(&p->beats, 1);
    if (item)
        pipeline_handle_items(p, item, batch);
    else if (ring_closed(p->queue) && ring_count(p->queue) == 0) // an item may have come before
        pipeline_end_run(p);
    pipeline_tick(p);
    pipeline_recall_late(p);
    return item != NULL;
}

// Leads until there is something to commit and the file is free: true, and the caller ends the
// commit. While the other thread works with the file, the batch grows. The leader waits for that
// thread only when the batch is full, or when nothing more comes. False: the run has ended.
static bool pipeline_lead(struct pipeline *p, struct batch *batch)
{
    if (!p->begun)
        pipeline_end_unseen(p);
    p->begun = true;
    while (!p->ended) {
        const bool came = pipeline_step(p, batch);
        if (!came && !pipeline_has_work(p, batch))
            continue;
        const bool wait = !came || batch->count == PIPELINE_BATCH_MAX;
        const enum journal_turn turn = journal_begin_commit(p->options.journal, wait);
        if (turn == JOURNAL_TAKEN) {
            p->emitter.uncommitted = 0;
            return true;
        }
        if (turn == JOURNAL_AWAY)
            pipeline_commit(p);
    }
    return false;
}

static void *pipeline_run(void *arg)
{
    struct batch *batch = arg;
    struct pipeline *p = batch->pipeline;
    bool commits = true;
    while (commits) {
        if (!ring_lead(p->queue, FOLLOW_US))
            continue;
        commits = pipeline_lead(p, batch);
        ring_resign(p->queue);
        if (!commits)
            break;
        journal_end_commit(p->options.journal);
        pipeline_answer(p, batch);
        ring_wake(p->queue);
    }
    pthread_mutex_lock(&p->lock);
    p->running--;
    pthread_cond_broadcast(&p->called);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

// Restores a Report that was committed shortly before the restart: if the subnet manager did not
// receive the answer, the Report comes again.
static void pipeline_restore_report(void *ctx, const struct journal_report *report, int64_t utc_us)
{
    struct pipeline *p = ctx;
    const int64_t age_us = clock_utc(p->emitter.builder.clock) - utc_us;
    if (age_us >= 0) // else the clock was set back since: the Report's age is unknown
        repeats_remember(&p->repeats, report->lid, report->tid, report->digest,
                         emitter_now(&p->emitter) - age_us);
}

static void pipeline_make_parts(struct pipeline *p)
{
    const struct policy_sink sink = {.stamp = pipeline_stamp,
                                     .read = pipeline_read,
                                     .explain = pipeline_explain,
                                     .ctx = p,
                                     .log = p->options.log};
    repeats_init(&p->repeats, p->options.builder.random);
    p->queue = ring_new(PIPELINE_QUEUE_MAX + PIPELINE_OTHERS_MAX, PIPELINE_CROWD);
    p->emitter =
        (struct emitter){.builder = p->options.builder,
                         .policy = policy_new(&p->options.policy, &sink, p->options.builder.random),
                         .journal = p->options.journal,
                         .topology = p->options.topology,
                         .log = p->options.log,
                         .look = pipeline_look,
                         .ctx = p};
    random_pool_init(&p->random, p->options.builder.random);
    p->emitter.builder.random = &p->random.random;
    p->options.correlator.emitter = &p->emitter;
    p->options.correlator.ctx = p->options.ctx;
    p->correlator = correlator_new(&p->options.correlator);
    p->unreliable_links =
        (struct unreliable_links){.history = p->options.link_history, .emitter = &p->emitter};
}

// Returns 0 or an error number. Then some threads may run.
static int pipeline_start_threads(struct pipeline *p)
{
    int rc = 0;
    for (size_t i = 0; i < PIPELINE_THREADS && rc == 0; i++) {
        p->batches[i].pipeline = p;
        pthread_mutex_lock(&p->lock);
        rc = thread_start(&p->threads[i], "pipeline", pipeline_run, &p->batches[i]);
        p->running += rc == 0;
        pthread_mutex_unlock(&p->lock);
        p->joinable += rc == 0;
    }
    return rc;
}

struct pipeline *pipeline_start(const struct pipeline_options *options, struct error *err)
{
    struct pipeline *p = memory_zeroed(1, sizeof *p);
    p->options = *options;
    pthread_mutex_init(&p->lock, NULL);
    clock_condition_init(&p->called);
    pipeline_make_parts(p);
    const int64_t since_us = clock_utc(p->emitter.builder.clock) - REPEATS_MEMORY_US;
    journal_each_recent_report(p->options.journal, since_us, pipeline_restore_report, p);
    pipeline_recall(p);
    const int rc = pipeline_start_threads(p);
    if (rc == 0)
        return p;
    error_set(err, "cannot start the pipeline: %s", strerror(rc));
    pipeline_stop(p);
    pipeline_free(p);
    return NULL;
}

// Puts the item into the queue, if more than `spare` places are free. The spare places are for
// items that are sent only once (PIPELINE_OTHERS_MAX) and for calls (PIPELINE_CALLS_MAX). Returns
// false if there is no room: the content stays the caller's.
static bool pipeline_put(struct pipeline *p, struct item content, size_t spare)
{
    struct item *item = memory_get(sizeof *item);
    *item = content;
    if (ring_push(p->queue, item, spare))
        return true;
    free(item);
    return false;
}

// Takes over the content, which was made with malloc. Without room the content is freed.
static bool pipeline_hand_over(struct pipeline *p, struct item content)
{
    const bool done = pipeline_put(p, content, PIPELINE_CALLS_MAX);
    if (!done)
        free(content.content);
    return done;
}

bool pipeline_put_report(struct pipeline *pipeline, struct sa_report *report)
{
    return pipeline_put(pipeline, (struct item){.kind = REPORT, .report = report},
                        PIPELINE_OTHERS_MAX);
}

void pipeline_put_occurrence(struct pipeline *pipeline,
                             const struct event_builder_occurrence *occurrence,
                             uint64_t subnet_prefix)
{
    if (!pipeline)
        return;
    const struct item item = {.kind = OCCURRENCE,
                              .content = memory_copy_octets(occurrence, sizeof *occurrence),
                              .subnet_prefix = subnet_prefix};
    if (!pipeline_hand_over(pipeline, item) && !ring_closed(pipeline->queue))
        log_write(pipeline->options.log, LOG_LEVEL_ERROR,
                  "the event %s (%s) is lost: the queue is full",
                  catalogue_get(occurrence->type)->name, occurrence->reason);
}

bool pipeline_put_test_event(struct pipeline *pipeline, const struct test_event *test)
{
    return pipeline_hand_over(
        pipeline,
        (struct item){.kind = TEST_EVENT, .content = memory_copy_octets(test, sizeof *test)});
}

void pipeline_put_fabric(struct pipeline *pipeline, struct fabric *fabric)
{
    const struct item item = {.kind = FABRIC, .fabric = fabric};
    if (!pipeline_put(pipeline, item, PIPELINE_CALLS_MAX))
        fabric_unref(fabric);
}

void pipeline_put_counters(struct pipeline *pipeline, struct counter_reading *reading)
{
    pipeline_hand_over(pipeline, (struct item){.kind = READING, .reading = reading});
}

void pipeline_put_reasons(struct pipeline *pipeline, struct link_reasons *list)
{
    pipeline_hand_over(pipeline, (struct item){.kind = REASONS, .reasons = list});
}

void pipeline_put_registers(struct pipeline *pipeline, struct device_readings *readings)
{
    pipeline_hand_over(pipeline, (struct item){.kind = REGISTERS, .registers = readings});
}

bool pipeline_call(struct pipeline *pipeline,
                   void (*call)(void *ctx, const struct pipeline_context *inside), void *ctx)
{
    struct call waiting = {.function = call, .ctx = ctx};
    if (!pipeline_put(pipeline, (struct item){.kind = CALL, .call = &waiting}, 0))
        return false;
    pthread_mutex_lock(&pipeline->lock);
    while (!waiting.done)
        pthread_cond_wait(&pipeline->called, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
    return true;
}

// Waits for the end of the threads. False: one hangs in the journal, and lives on.
static bool pipeline_wait_for_threads(struct pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->running == PIPELINE_THREADS)
        pthread_cond_wait(&p->called, &p->lock);
    CLOCK_AWAIT(&p->called, &p->lock, STOP_US, p->running == 0);
    const bool all = p->running == 0;
    pthread_mutex_unlock(&p->lock);
    return all;
}

bool pipeline_stop(struct pipeline *pipeline)
{
    ring_close(pipeline->queue);
    if (!pipeline_wait_for_threads(pipeline))
        return false;
    for (size_t i = 0; i < pipeline->joinable; i++)
        pthread_join(pipeline->threads[i], NULL);
    return true;
}

void pipeline_free(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    repeats_clear(&pipeline->repeats);
    policy_free(pipeline->emitter.policy);
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

struct correlator *pipeline_correlator(const struct pipeline *pipeline)
{
    return pipeline->correlator;
}

const struct event_counts *pipeline_event_counts(const struct pipeline *pipeline)
{
    return &pipeline->counts;
}
