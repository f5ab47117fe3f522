// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver.h"

#include "base/backoff.h"
#include "base/thread.h"
#include "model/catalogue.h"

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
    unsigned refusals;             // how often the receiver refused it
};

struct receiver {
    struct sink sink;
    struct receiver_options options;
    int handle; // of its cursor in the journal
    pthread_t thread;

    // Used by the thread only.
    bool is_open;
    unsigned failures;         // in a row
    unsigned refused_in_a_row; // events given up since it last took one
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
    pthread_mutex_t lock;        // guards the members below
    pthread_cond_t has_ended;
    bool ended; // the thread
    bool left;  // nobody waits for the thread any longer
    struct receiver_status status;
    struct outcomes outcomes;
};

static struct entry *receiver_at(struct receiver *receiver, size_t i)
{
    return &receiver->under_way[(receiver->head + i) % UNDER_WAY_MAX];
}

static void receiver_settle_entry(struct entry *e, enum receiver_outcome outcome)
{
    e->state = DONE;
    e->outcome = outcome;
}

static int64_t receiver_now_of(const struct receiver *receiver)
{
    return clock_monotonic(receiver->options.clock);
}

// Status.

static void receiver_add_count(struct receiver *receiver, uint64_t *counter, uint64_t n)
{
    pthread_mutex_lock(&receiver->lock);
    *counter += n;
    pthread_mutex_unlock(&receiver->lock);
}

// `tell`: a problem is told to other receivers and in the log.
static void receiver_set_problem(struct receiver *receiver, const char *problem, bool tell)
{
    pthread_mutex_lock(&receiver->lock);
    bool was_well = receiver->status.problem[0] == '\0', is_well = problem[0] == '\0';
    bool left = receiver->left;
    uint64_t dropped = receiver->status.dropped;
    receiver->status.failed += !is_well;
    receiver->status.failures = receiver->failures;
    if (was_well != is_well)
        receiver->status.changed_at = receiver_now_of(receiver);
    snprintf(receiver->status.problem, sizeof receiver->status.problem, "%s", problem);
    pthread_mutex_unlock(&receiver->lock);
    const char *name = receiver->sink.name;
    if (left)
        return;
    if (!is_well && tell && (was_well || !receiver->notified_failing)) {
        log_write(receiver->options.log, LOG_LEVEL_WARNING, "receiver %s: %s; its events wait",
                  name, problem);
        receiver->notified_failing = true;
        receiver->options.change(receiver->options.ctx, name, RECEIVER_FAILING, problem, dropped);
    }
    if (receiver->notified_failing && is_well) {
        log_write(receiver->options.log, LOG_LEVEL_INFO, "receiver %s works again", name);
        receiver->notified_failing = false;
        receiver->options.change(receiver->options.ctx, name, RECEIVER_BACK,
                                 "it takes events again", dropped);
    }
}

// Failing.

static void close_receiver(struct receiver *receiver)
{
    if (receiver->is_open)
        receiver->sink.close(receiver->sink.self);
    receiver->is_open = false;
    for (size_t i = 0; i < receiver->handed; i++) {
        if (receiver_at(receiver, i)->state == PENDING)
            receiver_at(receiver, i)->state = WAITING;
    }
    receiver->handed = receiver->pending = 0;
}

// The event that the receiver has refused, or NULL: it failed otherwise.
static struct entry *find_refused(struct receiver *receiver)
{
    int n = receiver->sink.refused ? receiver->sink.refused(receiver->sink.self) : -1;
    for (size_t i = 0; n >= 0 && i < receiver->count && i <= receiver->handed; i++) {
        const bool passed = receiver_at(receiver, i)->state == PENDING || i == receiver->handed;
        if (passed && n-- == 0)
            return receiver_at(receiver, i);
    }
    return NULL;
}

static void note_refusal(struct receiver *receiver, const struct entry *e, const char *problem)
{
    log_write(receiver->options.log, LOG_LEVEL_WARNING,
              "receiver %s: gave up number %lld (%s), which it refused %u times: %s",
              receiver->sink.name, (long long)e->sequence, e->event->type->name, e->refusals,
              problem);
    pthread_mutex_lock(&receiver->lock);
    receiver->status.refused++;
    receiver->status.dropped++;
    outcomes_remember_refusal(&receiver->outcomes, e->sequence, e->refusals, problem);
    pthread_mutex_unlock(&receiver->lock);
}

// Counts a refusal. True: it was the last one that counts, and the event is given up.
static bool receiver_refuse(struct receiver *receiver, struct entry *e, const char *problem)
{
    if (++e->refusals < RECEIVER_ATTEMPTS_MAX)
        return false;
    note_refusal(receiver, e, problem);
    receiver_settle_entry(e, RECEIVER_GIVEN_UP);
    return true;
}

// A receiver that refuses an event is not failing: it is, once it refuses the next one, too. Then
// the attempts stay as rare as they have become, so that little is given up until it is repaired.
static void receiver_fail(struct receiver *receiver, const struct error *err)
{
    struct entry *refused = receiver->is_open ? find_refused(receiver) : NULL;
    const bool tell = !refused || receiver->refused_in_a_row > 0;
    const bool given_up = refused && receiver_refuse(receiver, refused, err->text);
    const int64_t now = receiver_now_of(receiver);
    close_receiver(receiver);
    receiver->failures++;
    receiver->refused_in_a_row += given_up;
    receiver->retry_at = given_up ? now
                                  : now + backoff_us(receiver->failures, RETRY_FIRST_US,
                                                     RETRY_LAST_US, receiver->options.random);
    receiver->has_problem = true;
    log_debug(receiver->options.log, "%s: %s; failure %u in a row, tried again in %lld ms",
              receiver->sink.name, err->text, receiver->failures,
              (long long)(receiver->retry_at - now) / CLOCK_US_PER_MS);
    receiver_set_problem(receiver, given_up && !tell ? "" : err->text, tell);
}

// The receiver has confirmed an event: it works. Sending an event to it does not show that.
static void succeed(struct receiver *receiver)
{
    receiver->failures = receiver->refused_in_a_row = 0;
    if (receiver->has_problem)
        receiver_set_problem(receiver, "", false);
    receiver->has_problem = false;
}

// Retiring.

static void remember(struct receiver *receiver, const struct entry *e)
{
    int64_t now = clock_utc(receiver->options.clock);
    pthread_mutex_lock(&receiver->lock);
    outcomes_remember(&receiver->outcomes, e->sequence, e->outcome, now);
    pthread_mutex_unlock(&receiver->lock);
}

// A receiver that was left behind may have a successor, whose cursor it is.
static void advance(struct receiver *receiver, int64_t through)
{
    pthread_mutex_lock(&receiver->lock);
    if (!receiver->left)
        journal_advance(receiver->options.journal, receiver->handle, through);
    pthread_mutex_unlock(&receiver->lock);
    log_debug(receiver->options.log, "%s: cursor moved to number %lld", receiver->sink.name,
              (long long)through);
}

static void retire(struct receiver *receiver)
{
    int64_t through = 0;
    while (receiver->count > 0 && receiver_at(receiver, 0)->state == DONE) {
        through = receiver_at(receiver, 0)->sequence;
        if (!receiver_at(receiver, 0)->had)
            remember(receiver, receiver_at(receiver, 0));
        event_unref(receiver_at(receiver, 0)->event);
        receiver->head = (receiver->head + 1) % UNDER_WAY_MAX;
        receiver->count--;
        if (receiver->handed > 0)
            receiver->handed--;
    }
    if (through > 0)
        advance(receiver, through);
}

static void count_delivered(struct receiver *receiver, size_t n)
{
    int64_t now = receiver_now_of(receiver);
    pthread_mutex_lock(&receiver->lock);
    receiver->status.sent += n;
    receiver->status.delivered_at = now;
    pthread_mutex_unlock(&receiver->lock);
}

static void finish_oldest_pending(struct receiver *receiver, size_t n)
{
    count_delivered(receiver, n);
    log_debug(receiver->options.log, "%s: confirmed %zu of %zu in flight", receiver->sink.name, n,
              receiver->pending);
    receiver->pending -= n;
    for (size_t i = 0; n > 0; i++) {
        if (receiver_at(receiver, i)->state == PENDING) {
            receiver_at(receiver, i)->state = DONE;
            receiver_at(receiver, i)->outcome = RECEIVER_DELIVERED;
            n--;
        }
    }
}

// Reading.

// Continues at the cursor that the journal, once readable, found in the file: an earlier one than
// this receiver began with.
static void go_back(struct receiver *receiver)
{
    close_receiver(receiver);
    while (receiver->count > 0)
        event_unref(receiver_at(receiver, --receiver->count)->event);
    receiver->had_through =
        journal_had_through(receiver->options.journal, receiver->handle, &receiver->had_after);
    receiver->read_through = journal_cursor(receiver->options.journal, receiver->handle);
    journal_note_read(receiver->options.journal, receiver->handle, receiver->read_through);
    atomic_store(&receiver->flush_through,
                 0); // earlier flushes do not apply to the events found now
}

static struct entry make_entry(const struct receiver *receiver, const struct journal_item *item)
{
    bool had = item->sequence > receiver->had_after && item->sequence <= receiver->had_through;
    return (struct entry){.sequence = item->sequence,
                          .event = item->event,
                          .state = item->event && !had ? WAITING : DONE,
                          .outcome = RECEIVER_GIVEN_UP,
                          .had = had};
}

// Counts the events before this number that expired unread.
static void count_expired(struct receiver *receiver, int64_t sequence)
{
    int64_t gone = journal_between(receiver->options.journal, receiver->read_through, sequence);
    if (gone == 0)
        return;
    receiver_add_count(receiver, &receiver->status.dropped, (uint64_t)gone);
    log_write(receiver->options.log, LOG_LEVEL_ERROR,
              "receiver %s: %lld events expired from the journal before delivery",
              receiver->sink.name, (long long)gone);
}

// Reads further events from the journal, READ_AHEAD at most. True: there may be more.
static bool read_more(struct receiver *receiver)
{
    struct journal_item items[READ_AHEAD];
    size_t n = journal_read(receiver->options.journal, receiver->read_through, items, READ_AHEAD);
    if (journal_cursor_was_set_back(receiver->options.journal, receiver->handle)) {
        while (n > 0)
            event_unref(items[--n].event);
        go_back(receiver);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        if (items[i].sequence > receiver->read_through + 1)
            count_expired(receiver, items[i].sequence);
        receiver->read_through = items[i].sequence;
        receiver_add_count(receiver, &receiver->status.dropped, items[i].event == NULL);
        *receiver_at(receiver, receiver->count++) = make_entry(receiver, &items[i]);
    }
    if (n > 0)
        journal_note_read(receiver->options.journal, receiver->handle, receiver->read_through);
    return n == READ_AHEAD;
}

// Passing events to the sink.

// Whether the rate allows another event.
static bool has_token(struct receiver *receiver, int64_t now)
{
    if (receiver->options.rate <= 0)
        return true;
    double burst = receiver->options.burst > 0 ? receiver->options.burst : 1;
    receiver->tokens +=
        (double)(now - receiver->tokens_at) / (double)CLOCK_US_PER_S * receiver->options.rate;
    receiver->tokens_at = now;
    if (receiver->tokens > burst)
        receiver->tokens = burst;
    return receiver->tokens >= 1;
}

static void consume_token(struct receiver *receiver)
{
    if (receiver->options.rate > 0)
        receiver->tokens -= 1;
}

static bool is_too_late(struct receiver *receiver, const struct entry *e)
{
    int64_t age = clock_utc(receiver->options.clock) - e->event->time_us;
    return e->sequence <= atomic_load(&receiver->flush_through) ||
           (receiver->options.age_max_us > 0 && age > receiver->options.age_max_us);
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

static const char *refusal_of_filter(struct receiver *receiver, const struct event *event)
{
    pthread_mutex_lock(&receiver->filter_lock);
    const char *item = filter_refusal(&receiver->options.filter, event);
    pthread_mutex_unlock(&receiver->filter_lock);
    return item;
}

// Whether the event clears an alarm from before the receiver's filter was in force. The receiver
// may have that alarm, so it gets the clear.
static bool clears_older_alarm(const struct receiver *receiver, const struct event *event)
{
    return event_alarm(event) == ALARM_CLEARS && event->cleared_number > 0 &&
           event->cleared_number <=
               journal_filter_since(receiver->options.journal, receiver->handle);
}

const char *receiver_refusal(struct receiver *receiver, const struct event *event)
{
    if (event->suppressed[0] != '\0')
        return "suppressed";
    if (event->only_receiver[0] != '\0' && strcmp(event->only_receiver, receiver->sink.name) != 0)
        return "a test of another receiver";
    const char *item = refusal_of_filter(receiver, event);
    return item && !clears_older_alarm(receiver, event) ? item : NULL;
}

// Skips an event that the filter refuses or that is given up. True: skipped.
static bool skip(struct receiver *receiver, struct entry *e)
{
    const char *refusal = receiver_refusal(receiver, e->event);
    bool wanted = !refusal;
    if (wanted && !is_too_late(receiver, e))
        return false;
    log_debug(receiver->options.log, "%s: number %lld (%s) is not sent: %s", receiver->sink.name,
              (long long)e->sequence, e->event->id,
              wanted ? "given up, too old or flushed" : refusal);
    receiver_add_count(receiver, wanted ? &receiver->status.dropped : &receiver->status.filtered,
                       1);
    receiver_settle_entry(e, wanted ? RECEIVER_GIVEN_UP : RECEIVER_FILTERED);
    return true;
}

static void note_attempt(struct receiver *receiver, struct entry *e, enum sink_result result)
{
    bool took = result == SINK_DONE || result == SINK_PENDING;
    pthread_mutex_lock(&receiver->lock);
    receiver->status.repeated += e->tried;
    receiver->status.handed += took && !e->handed;
    pthread_mutex_unlock(&receiver->lock);
    e->tried = true;
    e->handed |= took;
    if (took)
        histogram_add(&receiver->times, clock_utc(receiver->options.clock) - e->event->time_us);
}

static const char *const RESULT_WORDS[] = {
    [SINK_DONE] = "handed over and sent",
    [SINK_PENDING] = "handed over, not confirmed yet",
    [SINK_SKIPPED] = "skipped: nothing in it is for this receiver",
    [SINK_FAILED] = "not handed over",
};

// False: not handed over; sets `*pause`: how long to wait before the next attempt.
static bool hand_over(struct receiver *receiver, struct entry *e, int64_t *pause)
{
    struct error err;
    enum sink_result result = receiver->sink.send(receiver->sink.self, e->event, &err);
    *pause = BLOCKED_US;
    if (result == SINK_BLOCKED)
        return false;
    consume_token(receiver);
    note_attempt(receiver, e, result);
    log_debug(receiver->options.log, "%s: number %lld (%s) %s", receiver->sink.name,
              (long long)e->sequence, e->event->id, RESULT_WORDS[result]);
    switch (result) {
    case SINK_DONE:
        receiver_settle_entry(e, RECEIVER_SENT);
        count_delivered(receiver, 1);
        succeed(receiver);
        break;
    case SINK_SKIPPED:
        receiver_settle_entry(e, RECEIVER_FILTERED);
        receiver_add_count(receiver, &receiver->status.filtered, 1);
        break;
    case SINK_PENDING:
        e->state = PENDING;
        receiver->pending++;
        break;
    default:
        receiver_fail(receiver, &err);
        *pause = receiver->retry_at - receiver_now_of(receiver);
        return false;
    }
    receiver->handed++;
    return true;
}

static bool open_receiver(struct receiver *receiver, int64_t now)
{
    struct error err;
    if (receiver->is_open)
        return true;
    if (now < receiver->retry_at)
        return false;
    receiver->is_open = receiver->sink.open(receiver->sink.self, &err);
    if (receiver->is_open)
        log_debug(receiver->options.log, "%s: opened in %lld us", receiver->sink.name,
                  (long long)(receiver_now_of(receiver) - now));
    else
        receiver_fail(receiver, &err);
    return receiver->is_open;
}

// Whether it sends no further event, as its successor will.
static bool is_ending(const struct receiver *receiver, int64_t now)
{
    return atomic_load(&receiver->stop) && now >= atomic_load(&receiver->stop_by);
}

// Passes the events under way to the sink, until the stop's time is over. Returns how long to wait
// before the next call; 0: not at all.
static int64_t hand_over_all(struct receiver *receiver)
{
    while (receiver->handed < receiver->count) {
        struct entry *e = receiver_at(receiver, receiver->handed);
        int64_t now = receiver_now_of(receiver);
        if (is_ending(receiver, now))
            return BLOCKED_US;
        if (e->state == DONE || skip(receiver, e)) {
            receiver->handed++;
            continue;
        }
        if (atomic_load(&receiver->paused))
            return BLOCKED_US;
        if (receiver->sink.in_flight_max > 0 && receiver->pending >= receiver->sink.in_flight_max)
            return BLOCKED_US;
        if (!open_receiver(receiver, now))
            return receiver->retry_at > now ? receiver->retry_at - now : 0;
        if (!has_token(receiver, now))
            return (int64_t)(CLOCK_US_PER_S / receiver->options.rate) + 1;
        int64_t pause;
        if (!hand_over(receiver, e, &pause))
            return pause;
    }
    return 0;
}

static void collect_acknowledgements(struct receiver *receiver, int timeout_ms)
{
    struct error err;
    int n = receiver->sink.wait(receiver->sink.self, timeout_ms, &err);
    if (n < 0) {
        receiver_fail(receiver, &err);
    } else if (n > 0) {
        finish_oldest_pending(receiver, (size_t)n);
        succeed(receiver);
    }
}

// The loop.

static bool all_delivered(struct receiver *receiver)
{
    return receiver->count == 0 &&
           receiver->read_through >= journal_last(receiver->options.journal);
}

static bool go_on(struct receiver *receiver)
{
    if (!atomic_load(&receiver->stop))
        return true;
    int64_t now = receiver_now_of(receiver), stop_by = atomic_load(&receiver->stop_by);
    if (!is_ending(receiver, now))
        return !all_delivered(receiver);
    return receiver->pending > 0 && !receiver->has_problem && now - RECEIVER_CONFIRM_US < stop_by;
}

static void note_oldest(struct receiver *receiver)
{
    const struct event *oldest = receiver->count > 0 ? receiver_at(receiver, 0)->event : NULL;
    atomic_store(&receiver->oldest_us, oldest ? oldest->time_us : 0);
}

// Waits for an event in the journal and reads it. Called when no event is under way.
static bool read_next(struct receiver *receiver)
{
    if (!journal_wait(receiver->options.journal, receiver->read_through, IDLE_US, &receiver->stop))
        return false;
    bool more = read_more(receiver);
    if (receiver->count == 0 && !more)
        clock_sleep(BLOCKED_US); // the disk fails; a later read may work
    return more;
}

static void step(struct receiver *receiver)
{
    bool has_room = UNDER_WAY_MAX - receiver->count >= READ_AHEAD;
    bool more = receiver->count == 0 ? read_next(receiver) : has_room && read_more(receiver);
    note_oldest(receiver);
    int64_t pause = hand_over_all(receiver);
    if (receiver->pending > 0) {
        bool stuck = pause > 0 || (receiver->handed == receiver->count && !more);
        collect_acknowledgements(receiver, stuck ? ACKNOWLEDGEMENT_WAIT_MS : 0);
    } else if (pause > 0) {
        clock_sleep(pause < BLOCKED_US ? pause : BLOCKED_US);
    }
    retire(receiver);
    note_oldest(receiver);
}

static void *receiver_run(void *arg)
{
    struct receiver *receiver = arg;
    while (go_on(receiver))
        step(receiver);
    close_receiver(receiver);
    pthread_mutex_lock(&receiver->lock);
    receiver->ended = true;
    pthread_cond_signal(&receiver->has_ended);
    pthread_mutex_unlock(&receiver->lock);
    return NULL;
}

static void receiver_free(struct receiver *receiver)
{
    guid_set_unref(receiver->options.filter.trap_group);
    pthread_cond_destroy(&receiver->has_ended);
    pthread_mutex_destroy(&receiver->filter_lock);
    pthread_mutex_destroy(&receiver->lock);
    free(receiver);
}

struct receiver *receiver_start(const struct sink *sink, const struct receiver_options *options,
                                struct error *err)
{
    struct receiver *receiver = calloc(1, sizeof *receiver);
    if (!receiver) {
        error_set(err, "out of memory");
        return NULL;
    }
    receiver->sink = *sink;
    receiver->options = *options;
    receiver->has_problem = receiver->notified_failing = options->was_failing;
    receiver->tokens = options->burst;
    receiver->tokens_at = clock_monotonic(options->clock);
    atomic_init(&receiver->paused, options->carried.paused);
    atomic_init(&receiver->flush_through, options->carried.flush_through);
    receiver->handle = options->backlog
                           ? journal_receiver_with_backlog(options->journal, sink->name)
                           : journal_receiver(options->journal, sink->name);
    if (receiver->handle < 0) {
        error_set(err, "too many receivers");
        free(receiver);
        return NULL;
    }
    journal_note_filter(options->journal, receiver->handle, filter_digest(&options->filter));
    if (options->section != 0)
        journal_note_section(options->journal, receiver->handle, options->section);
    receiver->read_through = journal_cursor(options->journal, receiver->handle);
    receiver->had_through =
        journal_had_through(options->journal, receiver->handle, &receiver->had_after);
    guid_set_ref(receiver->options.filter.trap_group);
    pthread_mutex_init(&receiver->lock, NULL);
    pthread_mutex_init(&receiver->filter_lock, NULL);
    clock_condition_init(&receiver->has_ended);
    char name[THREAD_NAME_SIZE];
    snprintf(name, sizeof name, "to %s", sink->name);
    int rc = thread_start(&receiver->thread, name, receiver_run, receiver);
    if (rc == 0)
        return receiver;
    error_set(err, "cannot start the thread of receiver %s: %s", sink->name, strerror(rc));
    receiver_free(receiver);
    return NULL;
}

void receiver_request_stop(struct receiver *receiver, int64_t stop_by)
{
    atomic_store(&receiver->stop_by, stop_by);
    atomic_store(&receiver->stop, true);
    journal_wake(receiver->options.journal);
}

static bool receiver_await_end(struct receiver *receiver, int64_t patience_us)
{
    const struct timespec deadline = clock_deadline(patience_us);
    int rc = 0;
    pthread_mutex_lock(&receiver->lock);
    while (!receiver->ended && rc == 0)
        rc = pthread_cond_timedwait(&receiver->has_ended, &receiver->lock, &deadline);
    bool ended = receiver->ended;
    receiver->left = !ended;
    pthread_mutex_unlock(&receiver->lock);
    return ended;
}

bool receiver_finish(struct receiver *receiver, int64_t patience_us)
{
    if (!receiver_await_end(receiver, patience_us))
        return false;
    pthread_join(receiver->thread, NULL);
    for (size_t i = 0; i < receiver->count; i++)
        event_unref(receiver_at(receiver, i)->event);
    receiver->sink.free(receiver->sink.self);
    receiver_free(receiver);
    return true;
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

struct receiver_carried receiver_carried(const struct receiver *receiver)
{
    return (struct receiver_carried){atomic_load(&receiver->paused),
                                     atomic_load(&receiver->flush_through)};
}

struct receiver_event_outcome receiver_outcome_of(struct receiver *receiver, int64_t sequence)
{
    struct receiver_event_outcome result = {.outcome = RECEIVER_WAITING};
    pthread_mutex_lock(&receiver->lock);
    const bool known = outcomes_find(&receiver->outcomes, sequence, &result);
    pthread_mutex_unlock(&receiver->lock);
    if (!known && sequence <= journal_cursor(receiver->options.journal, receiver->handle))
        result.outcome = RECEIVER_PASSED;
    return result;
}

void receiver_get_status(struct receiver *receiver, struct receiver_status *out)
{
    int64_t cursor = journal_cursor(receiver->options.journal, receiver->handle);
    pthread_mutex_lock(&receiver->lock);
    *out = receiver->status; // read after the cursor: the counts include all events up to it
    pthread_mutex_unlock(&receiver->lock);
    out->paused = atomic_load(&receiver->paused);
    out->confirms = receiver->sink.in_flight_max > 0;
    out->cursor = cursor;
    struct journal *journal = receiver->options.journal;
    out->lag = journal_between(journal, cursor, journal_last(journal) + 1);
    out->oldest_us = atomic_load(&receiver->oldest_us);
}

const struct histogram *receiver_times(const struct receiver *receiver)
{
    return &receiver->times;
}
