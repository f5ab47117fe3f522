// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver.h"

#include "base/backoff.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An event is under way from its reading from the journal until it is retired: the cursor has
// passed it. Events are sent, and retired, in order.
enum { UNDER_WAY_MAX = 1024, READ_AHEAD = 64 };
static const int64_t RETRY_FIRST_US = CLOCK_US_PER_S / 2, RETRY_LAST_US = 30 * CLOCK_US_PER_S;
static const int64_t BLOCKED_US = CLOCK_US_PER_S / 4, IDLE_US = 2 * CLOCK_US_PER_S;
enum { ACKNOWLEDGEMENT_WAIT_MS = 5 };

enum state { WAITING, PENDING, DONE };

struct entry {
    int64_t sequence;
    struct event *event;
    enum state state;
    enum receiver_outcome outcome; // once DONE
    bool had;                      // the receiver had it before the cursor moved backwards
    bool tried, handed;            // passed to the sink before; accepted by it before
};

struct remembered {
    int64_t sequence;
    struct receiver_event_outcome result;
};

struct receiver {
    struct sink sink;
    struct receiver_options options;
    int handle; // of its cursor in the journal
    pthread_t thread;

    // Used by the thread only.
    bool is_open;
    unsigned failures; // in a row
    bool has_problem, notified_failing;
    int64_t retry_at;
    double tokens;
    int64_t tokens_at;
    int64_t read_through;           // the last sequence number read from the journal
    int64_t had_after, had_through; // not sent again after the cursor moved backwards
    struct entry under_way[UNDER_WAY_MAX];
    size_t head, count, pending;
    size_t handed; // entries from the head that are PENDING or DONE

    atomic_bool stop, paused;
    atomic_int_fast64_t stop_by, flush_through;
    atomic_int_fast64_t oldest_us; // of the events under way; 0: there is none
    struct histogram times;
    pthread_mutex_t filter_lock; // guards the filter's trap group
    pthread_mutex_t lock;
    struct receiver_status status;
    struct remembered outcomes[RECEIVER_OUTCOMES_MAX]; // by sequence number modulo the size
};

static struct entry *receiver_at(struct receiver *d, size_t i)
{
    return &d->under_way[(d->head + i) % UNDER_WAY_MAX];
}

static int64_t receiver_now_of(const struct receiver *d)
{
    return clock_monotonic(d->options.clock);
}

// Status.

static void receiver_add_count(struct receiver *d, uint64_t *counter, uint64_t n)
{
    pthread_mutex_lock(&d->lock);
    *counter += n;
    pthread_mutex_unlock(&d->lock);
}

static void receiver_set_problem(struct receiver *d, const char *problem)
{
    pthread_mutex_lock(&d->lock);
    bool was_well = d->status.problem[0] == '\0', is_well = problem[0] == '\0';
    uint64_t dropped = d->status.dropped;
    d->status.failed += !is_well;
    d->status.failures = d->failures;
    if (was_well != is_well)
        d->status.changed_at = receiver_now_of(d);
    snprintf(d->status.problem, sizeof d->status.problem, "%s", problem);
    pthread_mutex_unlock(&d->lock);
    const char *name = d->sink.name;
    if (was_well && !is_well) {
        log_write(d->options.log, LOG_LEVEL_WARNING, "receiver %s: %s; its events wait", name,
                  problem);
        d->notified_failing = true;
        d->options.change(d->options.ctx, name, RECEIVER_FAILING, problem, dropped);
    }
    if (d->notified_failing && is_well) {
        log_write(d->options.log, LOG_LEVEL_INFO, "receiver %s works again", name);
        d->notified_failing = false;
        d->options.change(d->options.ctx, name, RECEIVER_BACK, "it takes events again", dropped);
    }
}

// Failing.

static void close_receiver(struct receiver *d)
{
    if (d->is_open)
        d->sink.close(d->sink.self);
    d->is_open = false;
    for (size_t i = 0; i < d->handed; i++) {
        if (receiver_at(d, i)->state == PENDING)
            receiver_at(d, i)->state = WAITING;
    }
    d->handed = d->pending = 0;
}

static void receiver_fail(struct receiver *d, const struct error *err)
{
    close_receiver(d);
    d->failures++;
    d->retry_at = receiver_now_of(d) +
                  backoff_us(d->failures, RETRY_FIRST_US, RETRY_LAST_US, d->options.random);
    d->has_problem = true;
    log_debug(d->options.log, "%s: %s; failure %u in a row, tried again in %lld ms", d->sink.name,
              err->text, d->failures,
              (long long)(d->retry_at - receiver_now_of(d)) / CLOCK_US_PER_MS);
    receiver_set_problem(d, err->text);
}

// The receiver has confirmed an event: it works. Sending an event to it does not show that.
static void succeed(struct receiver *d)
{
    d->failures = 0;
    if (d->has_problem)
        receiver_set_problem(d, "");
    d->has_problem = false;
}

// Retiring.

static void remember(struct receiver *d, const struct entry *e)
{
    int64_t now = clock_utc(d->options.clock);
    pthread_mutex_lock(&d->lock);
    d->outcomes[e->sequence % RECEIVER_OUTCOMES_MAX] =
        (struct remembered){e->sequence, {e->outcome, now}};
    pthread_mutex_unlock(&d->lock);
}

static void retire(struct receiver *d)
{
    int64_t through = 0;
    while (d->count > 0 && receiver_at(d, 0)->state == DONE) {
        through = receiver_at(d, 0)->sequence;
        if (!receiver_at(d, 0)->had)
            remember(d, receiver_at(d, 0));
        event_unref(receiver_at(d, 0)->event);
        d->head = (d->head + 1) % UNDER_WAY_MAX;
        d->count--;
        if (d->handed > 0)
            d->handed--;
    }
    if (through == 0)
        return;
    journal_advance(d->options.journal, d->handle, through);
    log_debug(d->options.log, "%s: cursor moved to number %lld", d->sink.name, (long long)through);
}

static void count_delivered(struct receiver *d, size_t n)
{
    int64_t now = receiver_now_of(d);
    pthread_mutex_lock(&d->lock);
    d->status.sent += n;
    d->status.delivered_at = now;
    pthread_mutex_unlock(&d->lock);
}

static void finish_oldest_pending(struct receiver *d, size_t n)
{
    count_delivered(d, n);
    log_debug(d->options.log, "%s: confirmed %zu of %zu in flight", d->sink.name, n, d->pending);
    d->pending -= n;
    for (size_t i = 0; n > 0; i++) {
        if (receiver_at(d, i)->state == PENDING) {
            receiver_at(d, i)->state = DONE;
            receiver_at(d, i)->outcome = RECEIVER_DELIVERED;
            n--;
        }
    }
}

// Reading.

// Continues at the cursor that the journal, once readable, found in the file: an earlier one than
// this receiver began with.
static void go_back(struct receiver *d)
{
    close_receiver(d);
    while (d->count > 0)
        event_unref(receiver_at(d, --d->count)->event);
    d->had_through = journal_had_through(d->options.journal, d->handle, &d->had_after);
    d->read_through = journal_cursor(d->options.journal, d->handle);
    atomic_store(&d->flush_through, 0); // earlier flushes do not apply to the events found now
}

static struct entry make_entry(const struct receiver *d, const struct journal_item *item)
{
    bool had = item->sequence > d->had_after && item->sequence <= d->had_through;
    return (struct entry){.sequence = item->sequence,
                          .event = item->event,
                          .state = item->event && !had ? WAITING : DONE,
                          .outcome = RECEIVER_GIVEN_UP,
                          .had = had};
}

// Counts the events before this number that expired unread.
static void count_expired(struct receiver *d, int64_t sequence)
{
    int64_t gone = journal_between(d->options.journal, d->read_through, sequence);
    if (gone == 0)
        return;
    receiver_add_count(d, &d->status.dropped, (uint64_t)gone);
    log_write(d->options.log, LOG_LEVEL_ERROR,
              "receiver %s: %lld events expired from the journal before delivery", d->sink.name,
              (long long)gone);
}

// Reads further events from the journal, READ_AHEAD at most. True: there may be more.
static bool read_more(struct receiver *d)
{
    struct journal_item items[READ_AHEAD];
    size_t n = journal_read(d->options.journal, d->read_through, items, READ_AHEAD);
    if (journal_cursor_was_set_back(d->options.journal, d->handle)) {
        while (n > 0)
            event_unref(items[--n].event);
        go_back(d);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        if (items[i].sequence > d->read_through + 1)
            count_expired(d, items[i].sequence);
        d->read_through = items[i].sequence;
        receiver_add_count(d, &d->status.dropped, items[i].event == NULL);
        *receiver_at(d, d->count++) = make_entry(d, &items[i]);
    }
    return n == READ_AHEAD;
}

// Passing events to the sink.

static bool consume_token(struct receiver *d, int64_t now)
{
    if (d->options.rate <= 0)
        return true;
    double burst = d->options.burst > 0 ? d->options.burst : 1;
    d->tokens += (double)(now - d->tokens_at) / (double)CLOCK_US_PER_S * d->options.rate;
    d->tokens_at = now;
    if (d->tokens > burst)
        d->tokens = burst;
    if (d->tokens < 1)
        return false;
    d->tokens -= 1;
    return true;
}

static void receiver_settle_entry(struct entry *e, enum receiver_outcome outcome)
{
    e->state = DONE;
    e->outcome = outcome;
}

static bool is_too_late(struct receiver *d, const struct entry *e)
{
    int64_t age = clock_utc(d->options.clock) - e->event->time_us;
    return e->sequence <= atomic_load(&d->flush_through) ||
           (d->options.age_max_us > 0 && age > d->options.age_max_us);
}

void receiver_change_trap_group(struct receiver *receiver, struct guid_set *group)
{
    guid_set_ref(group);
    pthread_mutex_lock(&receiver->filter_lock);
    struct guid_set *old = receiver->options.filter.trap_group;
    receiver->options.filter.trap_group = group;
    pthread_mutex_unlock(&receiver->filter_lock);
    guid_set_unref(old);
}

static const char *refusal_of_filter(struct receiver *d, const struct event *event)
{
    pthread_mutex_lock(&d->filter_lock);
    const char *item = filter_refusal(&d->options.filter, event);
    pthread_mutex_unlock(&d->filter_lock);
    return item;
}

const char *receiver_refusal(struct receiver *receiver, const struct event *event)
{
    if (event->suppressed[0] != '\0')
        return "suppressed";
    if (event->only_receiver[0] != '\0' && strcmp(event->only_receiver, receiver->sink.name) != 0)
        return "a test of another receiver";
    return refusal_of_filter(receiver, event);
}

// Skips an event that the filter refuses or that is given up. True: skipped.
static bool skip(struct receiver *d, struct entry *e)
{
    const char *refusal = receiver_refusal(d, e->event);
    bool wanted = !refusal;
    if (wanted && !is_too_late(d, e))
        return false;
    log_debug(d->options.log, "%s: number %lld (%s) is not sent: %s", d->sink.name,
              (long long)e->sequence, e->event->id,
              wanted ? "given up, too old or flushed" : refusal);
    receiver_add_count(d, wanted ? &d->status.dropped : &d->status.filtered, 1);
    receiver_settle_entry(e, wanted ? RECEIVER_GIVEN_UP : RECEIVER_FILTERED);
    return true;
}

static void note_attempt(struct receiver *d, struct entry *e, enum sink_result result)
{
    bool took = result == SINK_DONE || result == SINK_PENDING;
    pthread_mutex_lock(&d->lock);
    d->status.repeated += e->tried;
    d->status.handed += took && !e->handed;
    pthread_mutex_unlock(&d->lock);
    e->tried = true;
    e->handed |= took;
    if (took)
        histogram_add(&d->times, clock_utc(d->options.clock) - e->event->time_us);
}

static const char *const RESULT_WORDS[] = {
    [SINK_DONE] = "handed over and delivered",
    [SINK_PENDING] = "handed over, not confirmed yet",
    [SINK_SKIPPED] = "skipped: nothing in it is for this receiver",
    [SINK_FAILED] = "not handed over",
};

static bool hand_over(struct receiver *d, struct entry *e)
{
    struct error err;
    enum sink_result result = d->sink.send(d->sink.self, e->event, &err);
    note_attempt(d, e, result);
    log_debug(d->options.log, "%s: number %lld (%s) %s", d->sink.name, (long long)e->sequence,
              e->event->id, RESULT_WORDS[result]);
    switch (result) {
    case SINK_DONE:
        receiver_settle_entry(e, RECEIVER_DELIVERED);
        count_delivered(d, 1);
        succeed(d);
        break;
    case SINK_SKIPPED:
        receiver_settle_entry(e, RECEIVER_FILTERED);
        receiver_add_count(d, &d->status.filtered, 1);
        break;
    case SINK_PENDING:
        e->state = PENDING;
        d->pending++;
        break;
    default:
        receiver_fail(d, &err);
        return false;
    }
    d->handed++;
    return true;
}

static bool open_receiver(struct receiver *d, int64_t now)
{
    struct error err;
    if (d->is_open)
        return true;
    if (now < d->retry_at)
        return false;
    d->is_open = d->sink.open(d->sink.self, &err);
    if (d->is_open)
        log_debug(d->options.log, "%s: opened in %lld us", d->sink.name,
                  (long long)(receiver_now_of(d) - now));
    else
        receiver_fail(d, &err);
    return d->is_open;
}

// Passes the events under way to the sink. Returns how long to wait before the next call; 0: not at
// all.
static int64_t hand_over_all(struct receiver *d)
{
    while (d->handed < d->count) {
        struct entry *e = receiver_at(d, d->handed);
        int64_t now = receiver_now_of(d);
        if (e->state == DONE || skip(d, e)) {
            d->handed++;
            continue;
        }
        if (atomic_load(&d->paused))
            return BLOCKED_US;
        if (d->sink.in_flight_max > 0 && d->pending >= d->sink.in_flight_max)
            return BLOCKED_US;
        if (!open_receiver(d, now))
            return d->retry_at > now ? d->retry_at - now : 0;
        if (!consume_token(d, now))
            return (int64_t)(CLOCK_US_PER_S / d->options.rate) + 1;
        if (!hand_over(d, e))
            return d->retry_at - now;
    }
    return 0;
}

static void collect_acknowledgements(struct receiver *d, int timeout_ms)
{
    struct error err;
    int n = d->sink.wait(d->sink.self, timeout_ms, &err);
    if (n < 0) {
        receiver_fail(d, &err);
    } else if (n > 0) {
        finish_oldest_pending(d, (size_t)n);
        succeed(d);
    }
}

// The loop.

static bool all_delivered(struct receiver *d)
{
    return d->count == 0 && d->read_through >= journal_last(d->options.journal);
}

static bool go_on(struct receiver *d)
{
    return !atomic_load(&d->stop) ||
           (!all_delivered(d) && receiver_now_of(d) < atomic_load(&d->stop_by));
}

static void note_oldest(struct receiver *d)
{
    const struct event *oldest = d->count > 0 ? receiver_at(d, 0)->event : NULL;
    atomic_store(&d->oldest_us, oldest ? oldest->time_us : 0);
}

// Waits for an event in the journal and reads it. Called when no event is under way.
static bool read_next(struct receiver *d)
{
    if (!journal_wait(d->options.journal, d->read_through, IDLE_US, &d->stop))
        return false;
    bool more = read_more(d);
    if (d->count == 0 && !more)
        clock_sleep(BLOCKED_US); // the disk fails; a later read may work
    return more;
}

static void step(struct receiver *d)
{
    bool has_room = UNDER_WAY_MAX - d->count >= READ_AHEAD;
    bool more = d->count == 0 ? read_next(d) : has_room && read_more(d);
    note_oldest(d);
    int64_t pause = hand_over_all(d);
    if (d->pending > 0) {
        bool stuck = pause > 0 || (d->handed == d->count && !more);
        collect_acknowledgements(d, stuck ? ACKNOWLEDGEMENT_WAIT_MS : 0);
    } else if (pause > 0) {
        clock_sleep(pause < BLOCKED_US ? pause : BLOCKED_US);
    }
    retire(d);
    note_oldest(d);
}

static void *receiver_run(void *arg)
{
    struct receiver *d = arg;
    while (go_on(d))
        step(d);
    close_receiver(d);
    return NULL;
}

static void free_delivery(struct receiver *d)
{
    guid_set_unref(d->options.filter.trap_group);
    pthread_mutex_destroy(&d->filter_lock);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

struct receiver *receiver_start(const struct sink *sink, const struct receiver_options *options,
                                struct error *err)
{
    struct receiver *d = calloc(1, sizeof *d);
    if (!d) {
        error_set(err, "out of memory");
        return NULL;
    }
    d->sink = *sink;
    d->options = *options;
    d->has_problem = d->notified_failing = options->was_failing;
    d->tokens = options->burst;
    d->tokens_at = clock_monotonic(options->clock);
    d->handle = journal_receiver(options->journal, sink->name);
    if (d->handle < 0) {
        error_set(err, "too many receivers");
        free(d);
        return NULL;
    }
    d->read_through = journal_cursor(options->journal, d->handle);
    d->had_through = journal_had_through(options->journal, d->handle, &d->had_after);
    guid_set_ref(d->options.filter.trap_group);
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->filter_lock, NULL);
    char name[THREAD_NAME_SIZE];
    snprintf(name, sizeof name, "to %s", sink->name);
    int rc = thread_start(&d->thread, name, receiver_run, d);
    if (rc == 0)
        return d;
    error_set(err, "cannot start the thread of receiver %s: %s", sink->name, strerror(rc));
    free_delivery(d);
    return NULL;
}

void receiver_request_stop(struct receiver *receiver, int64_t stop_by)
{
    atomic_store(&receiver->stop_by, stop_by);
    atomic_store(&receiver->stop, true);
    journal_wake(receiver->options.journal);
}

void receiver_finish(struct receiver *receiver)
{
    pthread_join(receiver->thread, NULL);
    for (size_t i = 0; i < receiver->count; i++)
        event_unref(receiver_at(receiver, i)->event);
    receiver->sink.free(receiver->sink.self);
    free_delivery(receiver);
}

const struct sink *receiver_sink(const struct receiver *receiver)
{
    return &receiver->sink;
}

void receiver_reopen(struct receiver *receiver)
{
    if (receiver->sink.reopen)
        receiver->sink.reopen(receiver->sink.self);
}

void receiver_pause(struct receiver *receiver, bool paused)
{
    atomic_store(&receiver->paused, paused);
}

void receiver_flush(struct receiver *receiver)
{
    atomic_store(&receiver->flush_through, journal_last(receiver->options.journal));
}

struct receiver_event_outcome receiver_outcome_of(struct receiver *receiver, int64_t sequence)
{
    pthread_mutex_lock(&receiver->lock);
    struct remembered r = receiver->outcomes[sequence % RECEIVER_OUTCOMES_MAX];
    pthread_mutex_unlock(&receiver->lock);
    if (r.sequence == sequence && sequence > 0)
        return r.result;
    bool over = sequence <= journal_cursor(receiver->options.journal, receiver->handle);
    return (struct receiver_event_outcome){.outcome = over ? RECEIVER_PASSED : RECEIVER_WAITING};
}

const char *receiver_outcome_word(enum receiver_outcome outcome)
{
    static const char *const WORDS[] = {"waiting", "delivered", "filtered", "given up", "passed"};
    return WORDS[outcome];
}

void receiver_get_status(struct receiver *receiver, struct receiver_status *out)
{
    int64_t cursor = journal_cursor(receiver->options.journal, receiver->handle);
    pthread_mutex_lock(&receiver->lock);
    *out = receiver->status; // read after the cursor: the counts include all events up to it
    pthread_mutex_unlock(&receiver->lock);
    out->paused = atomic_load(&receiver->paused);
    out->cursor = cursor;
    struct journal *journal = receiver->options.journal;
    out->lag = journal_between(journal, cursor, journal_last(journal) + 1);
    out->oldest_us = atomic_load(&receiver->oldest_us);
}

const struct histogram *receiver_times(const struct receiver *receiver)
{
    return &receiver->times;
}
