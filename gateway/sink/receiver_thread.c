// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_private.h"

#include "base/random.h"

#include <stdio.h>
#include <string.h>

void receiver_change_trap_group(struct receiver *receiver, struct guid_set *group)
{
    guid_set_ref(group);
    pthread_mutex_lock(&receiver->filter_lock);
    struct guid_set *old = receiver->options.filter.trap_group;
    receiver->options.filter.trap_group = group;
    pthread_mutex_unlock(&receiver->filter_lock);
    guid_set_unref(old);
}

// What of an event the receiver may know.

const char *receiver_refusal(struct receiver *receiver, const struct event *event)
{
    const bool elsewhere =
        event->only_receiver[0] != '\0' && strcmp(event->only_receiver, receiver->sink.name) != 0;
    return elsewhere ? "a test of another receiver" : audience_refusal(&receiver->audience, event);
}

// Whether the receiver works, and who is told so.

static const int64_t RETRY_FIRST_US = CLOCK_US_PER_S / 2, RETRY_LAST_US = 30 * CLOCK_US_PER_S;

// `tell`: a problem is told to other receivers and in the log.
static void receiver_set_problem(struct receiver *receiver, const char *problem, bool tell)
{
    pthread_mutex_lock(&receiver->lock);
    bool was_well = receiver->status.problem[0] == '\0', is_well = problem[0] == '\0';
    bool left = receiver->left;
    const uint64_t dropped = receiver->counts.dropped;
    receiver->status.failures = receiver->failures;
    if (was_well != is_well)
        receiver->status.changed_at = receiver_now_of(receiver);
    snprintf(receiver->status.problem, sizeof receiver->status.problem, "%s", problem);
    atomic_store(&receiver->hurried, false);
    pthread_mutex_unlock(&receiver->lock);
    const char *name = receiver->sink.name;
    if (left)
        return;
    if (!is_well && tell && (was_well || !receiver->notified_failing)) {
        log_condition(receiver->options.log, LOG_LEVEL_WARNING, "receiver %s: %s%s", name, problem,
                      receiver->sink.keep ? "" : "; its events wait");
        receiver->notified_failing = true;
        receiver->options.change(receiver->options.ctx, name, RECEIVER_FAILING, problem, dropped);
    }
    if (receiver->notified_failing && is_well) {
        log_condition(receiver->options.log, LOG_LEVEL_INFO, "receiver %s works again", name);
        receiver->notified_failing = false;
        const bool waits = receiver->sink.keep || receiver->tickets.count > 0;
        receiver->options.change(receiver->options.ctx, name, RECEIVER_BACK,
                                 waits ? "it takes events again" : "no event waits for it any more",
                                 dropped);
    }
}

static void receiver_count_failed(struct receiver *receiver, unsigned n)
{
    receiver->failures += n;
    pthread_mutex_lock(&receiver->lock);
    receiver->status.failed += n;
    pthread_mutex_unlock(&receiver->lock);
}

// Closes the sink, if the sink is open. The events in flight wait again.
static void receiver_health_close(struct receiver *receiver)
{
    if (receiver->is_open && receiver->sink.close)
        receiver->sink.close(receiver->sink.self);
    receiver->is_open = false;
    tickets_take_all_back(&receiver->tickets);
}

// Closes the sink after a failure, and sets when to try again. An event that is refused while
// others pass does not make the receiver fail.
static void receiver_health_fail(struct receiver *receiver, const struct error *err)
{
    const bool tell = receiver_trial_fail(receiver, tickets_refused(&receiver->tickets), err->text);
    const int64_t now = receiver_now_of(receiver);
    receiver_health_close(receiver);
    receiver_count_failed(receiver, 1);
    receiver->retry_at = now + backoff_us(receiver->failures, RETRY_FIRST_US, RETRY_LAST_US,
                                          receiver->options.random);
    receiver->has_problem = true;
    log_debug(receiver->options.log, "%s: %s; failure %u in a row, tried again in %lld ms",
              receiver->sink.name, err->text, receiver->failures,
              (long long)(receiver->retry_at - now) / CLOCK_US_PER_MS);
    if (receiver->trial.probing) {
        receiver->trial.retry_at = receiver->retry_at;
        receiver->retry_at = now;
    }
    receiver_set_problem(receiver, err->text, tell);
}

// Notes that `keep` failed (sink.h). The sink stays open, and tries the rest again.
static void receiver_health_fall_behind(struct receiver *receiver, const struct error *err)
{
    receiver->has_problem = true;
    log_debug(receiver->options.log, "%s: %s", receiver->sink.name, err->text);
    receiver_set_problem(receiver, err->text, true);
}

// Notes that the receiver took an event, or has the state.
static void receiver_health_succeed(struct receiver *receiver)
{
    receiver->failures = 0;
    if (atomic_load(&receiver->recalled) && atomic_exchange(&receiver->recalled, false))
        receiver->has_problem = receiver->notified_failing = true;
    if (receiver->has_problem)
        receiver_set_problem(receiver, "", false);
    receiver->has_problem = false;
}

// WAITING_MAX: of the events that wait to be sent, no more are read from the journal.
enum { READ_AHEAD = 64, WAITING_MAX = 1024, ACKNOWLEDGEMENT_WAIT_MS = 5 };
static const int64_t BLOCKED_US = CLOCK_US_PER_S / 4, IDLE_US = 2 * CLOCK_US_PER_S;

// Retiring.

// How many of the oldest events are done.
static size_t receiver_count_done(struct receiver *receiver)
{
    size_t n = 0;
    while (n < receiver->tickets.count && receiver_at(receiver, n)->state == TICKET_DONE)
        n++;
    return n;
}

// Remembers what became of those of the n oldest events that are done.
static void receiver_remember(struct receiver *receiver, size_t n)
{
    const int64_t now = clock_utc(receiver->options.clock);
    pthread_mutex_lock(&receiver->lock);
    for (size_t i = 0; i < n; i++) {
        const struct ticket *e = receiver_at(receiver, i);
        const int64_t number = e->event ? e->event->number : e->sequence;
        const size_t at = (size_t)(number % RECEIVER_OUTCOMES_MAX);
        if (e->had || e->state != TICKET_DONE)
            continue;
        receiver->outcomes.all[at].sequence = number;
        receiver->outcomes.all[at].outcome = e->outcome;
        receiver->outcomes.all[at].time_us = now;
    }
    pthread_mutex_unlock(&receiver->lock);
}

// Returns false, and leaves `out` as it is, if the event is not among the latest. Under the lock.
static bool receiver_find_outcome(const struct receiver_outcomes *outcomes, int64_t sequence,
                                  struct receiver_event_outcome *out)
{
    const size_t at = (size_t)(sequence % RECEIVER_OUTCOMES_MAX);
    if (sequence <= 0 || outcomes->all[at].sequence != sequence)
        return false;
    out->outcome = outcomes->all[at].outcome;
    out->time_us = outcomes->all[at].time_us;
    for (size_t i = 0; i < RECEIVER_REFUSALS_KEPT && out->reason[0] == '\0'; i++) {
        if (outcomes->refusals[i].sequence == sequence)
            memcpy(out->reason, outcomes->refusals[i].reason, sizeof out->reason);
    }
    return true;
}

struct receiver_event_outcome receiver_outcome_of(struct receiver *receiver, int64_t sequence)
{
    struct receiver_event_outcome result = {.outcome = RECEIVER_WAITING};
    pthread_mutex_lock(&receiver->lock);
    const bool known = receiver_find_outcome(&receiver->outcomes, sequence, &result);
    pthread_mutex_unlock(&receiver->lock);
    if (!known && sequence <= journal_cursor(receiver->options.journal, receiver->handle))
        result.outcome = RECEIVER_PASSED;
    return result;
}

// No clear refers to a raise that the receiver did not get, also after a restart.
static void receiver_note_unknown(struct receiver *receiver, const struct ticket *e)
{
    const bool gone = e->outcome == RECEIVER_GIVEN_UP && !e->had;
    const int64_t number = e->event ? e->event->number : e->sequence;
    receiver->resync.gave_up |= gone && e->event && e->event->sent_again;
    if (gone && (!e->event || event_alarm(e->event) == ALARM_RAISES) &&
        number > receiver->unknown_through)
        receiver->unknown_through = number;
}

static void receiver_retire(struct receiver *receiver)
{
    struct tickets *t = &receiver->tickets;
    const size_t n = receiver_count_done(receiver);
    if (n == 0)
        return;
    const int64_t through = receiver_at(receiver, n - 1)->sequence;
    receiver_remember(receiver, n);
    for (size_t i = 0; i < n; i++) {
        receiver_note_unknown(receiver, receiver_at(receiver, i));
        event_unref(receiver_at(receiver, i)->event);
    }
    t->count -= n;
    t->first += n;
    t->handed -= n < t->handed ? n : t->handed;
    if (t->count == 0)
        t->base = t->first; // a few events now and then always take the same pages
    receiver_advance(receiver, through);
}

static bool receiver_has_delivered(const struct receiver *receiver)
{
    return atomic_load_explicit(&receiver->counts.delivered_at, memory_order_relaxed) != 0;
}

static void receiver_count_delivered(struct receiver *receiver, size_t n)
{
    const int64_t now = receiver_now_of(receiver);
    receiver_count(&receiver->counts.sent, n);
    if (!receiver_has_delivered(receiver)) {
        pthread_mutex_lock(&receiver->lock);
        receiver->status.changed_at = now;
        pthread_mutex_unlock(&receiver->lock);
    }
    atomic_store_explicit(&receiver->counts.delivered_at, now, memory_order_relaxed);
}

// Counts the events whose tickets the sink has settled.
static void receiver_count_confirmed(struct receiver *receiver)
{
    const size_t n = receiver->tickets.done;
    if (n == 0)
        return;
    receiver->tickets.done = 0;
    receiver_count_delivered(receiver, n);
    receiver_trial_pass(receiver);
    log_debug(receiver->options.log, "%s: confirmed %zu of %zu in flight", receiver->sink.name, n,
              n + receiver->tickets.in_flight);
    if (!receiver->sink.keep)
        receiver_health_succeed(receiver);
}

// Reading.

// Continues at the cursor that the journal, once readable, found in the file: an earlier one than
// this receiver began with.
static void receiver_go_back(struct receiver *receiver)
{
    receiver_health_close(receiver);
    struct tickets *t = &receiver->tickets;
    for (; t->count > 0; t->count--, t->first++)
        event_unref(receiver_at(receiver, 0)->event);
    receiver->had_through =
        journal_had_through(receiver->options.journal, receiver->handle, &receiver->had_after);
    receiver->read_through = journal_cursor(receiver->options.journal, receiver->handle);
    atomic_store(&receiver->flush_through,
                 0); // earlier flushes do not apply to the events found now
}

static struct ticket receiver_make_ticket(const struct receiver *receiver,
                                          const struct journal_item *item)
{
    bool had = item->sequence > receiver->had_after && item->sequence <= receiver->had_through;
    return (struct ticket){.sequence = item->sequence,
                           .event = item->event,
                           .state = item->event && !had ? TICKET_WAITING : TICKET_DONE,
                           .outcome = RECEIVER_GIVEN_UP,
                           .had = had};
}

// Counts the events before this number that expired unread. True: there are some; the receiver is
// brought into line, and reads on at the number.
static bool receiver_pass_expired(struct receiver *receiver, int64_t sequence)
{
    int64_t gone = journal_between(receiver->options.journal, receiver->read_through, sequence);
    if (gone == 0)
        return false;
    receiver_count(&receiver->counts.dropped, (uint64_t)gone);
    journal_note_lost(receiver->options.journal, receiver->handle, gone);
    log_write(
        receiver->options.log, LOG_LEVEL_ERROR,
        "receiver %s: %lld events expired from the journal before delivery; the ends of alarms and "
        "the active alarms are sent again",
        receiver->sink.name, (long long)gone);
    const int64_t had = receiver->read_through;
    receiver->read_through = receiver->unknown_through = sequence - 1;
    receiver_again_begin(receiver, had);
    receiver->read_through = had; // until the ends are done
    return true;
}

// Reads further events from the journal, READ_AHEAD at most. True: there may be more.
static bool receiver_read_more(struct receiver *receiver)
{
    struct journal_item items[READ_AHEAD];
    size_t n = journal_read(receiver->options.journal, receiver->read_through, items, READ_AHEAD);
    if (journal_cursor_was_set_back(receiver->options.journal, receiver->handle)) {
        while (n > 0)
            event_unref(items[--n].event);
        receiver_go_back(receiver);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        if (items[i].sequence > receiver->read_through + 1 &&
            receiver_pass_expired(receiver, items[i].sequence)) {
            while (i < n)
                event_unref(items[i++].event);
            return true;
        }
        receiver->read_through = items[i].sequence;
        receiver_count(&receiver->counts.dropped, items[i].event == NULL);
        *receiver_at(receiver, receiver->tickets.count++) =
            receiver_make_ticket(receiver, &items[i]);
    }
    return n == READ_AHEAD;
}

// Passing events to the sink.

// Whether the rate allows another event.
static bool receiver_has_token(struct receiver *receiver, int64_t now)
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

// Whether the event ends an alarm, or raises an alarm that stands. Without such an event the
// receiver would keep a wrong state.
static bool receiver_tells_state(const struct receiver *receiver, const struct event *event)
{
    const enum alarm_role role = event->test ? ALARM_NONE : event_alarm(event);
    return role == ALARM_CLEARS ||
           (role == ALARM_RAISES &&
            journal_alarm_is_active(receiver->options.journal, event->alarm_key));
}

static bool receiver_is_too_late(struct receiver *receiver, const struct ticket *e)
{
    const int64_t age_max_us = receiver->options.age_max_us;
    const bool late =
        e->sequence <= atomic_load(&receiver->flush_through) ||
        (age_max_us > 0 && clock_utc(receiver->options.clock) - e->event->time_us > age_max_us);
    return late && !e->event->sent_again && !receiver_tells_state(receiver, e->event);
}

// Whether the receiver may lack the event: the event was given up, or came before the receiver had
// its address and was not sent again.
static bool receiver_may_lack(struct receiver *receiver, int64_t number)
{
    const bool unsure =
        number <= receiver->unknown_through ||
        journal_receiver_may_lack(receiver->options.journal, receiver->handle, number);
    if (!unsure && receiver->counts.dropped == 0)
        return false;
    for (size_t i = 0; i < receiver->tickets.count; i++) {
        const struct ticket *e = receiver_at(receiver, i);
        if (e->event && e->event->number == number)
            return e->state == TICKET_DONE && e->outcome == RECEIVER_GIVEN_UP;
    }
    const enum receiver_outcome outcome = receiver_outcome_of(receiver, number).outcome;
    return outcome == RECEIVER_GIVEN_UP ||
           (outcome != RECEIVER_DELIVERED && outcome != RECEIVER_SENT && unsure);
}

// The event as the receiver gets it. A clear does not refer to a raise that the receiver may lack.
static struct event *receiver_view(struct receiver *receiver, struct event *event)
{
    struct event *view = audience_view(&receiver->audience, event);
    if (view->clears_id[0] == '\0' || !receiver_may_lack(receiver, view->told_number))
        return view;
    struct event *copy = audience_without_reference(view);
    event_unref(view);
    return copy;
}

// Skips the event if the filter refuses the event, or if the event is too late. Returns whether the
// event was skipped.
static bool receiver_skip(struct receiver *receiver, struct ticket *e)
{
    const char *refusal = receiver_refusal(receiver, e->event);
    bool wanted = !refusal;
    if (wanted && !receiver_is_too_late(receiver, e)) {
        struct event *view = receiver_view(receiver, e->event);
        event_unref(e->event);
        e->event = view;
        return false;
    }
    log_debug(receiver->options.log, "%s: number %lld (%s) is not sent: %s", receiver->sink.name,
              (long long)e->sequence, e->event->id,
              wanted ? "given up, too old or flushed" : refusal);
    receiver_count(wanted ? &receiver->counts.dropped : &receiver->counts.filtered, 1);
    receiver_end(e, wanted ? RECEIVER_GIVEN_UP : RECEIVER_FILTERED);
    return true;
}

// Gives up what a new flush is about, also behind an event that has to wait.
static void receiver_obey_flush(struct receiver *receiver)
{
    const int64_t through = atomic_load(&receiver->flush_through);
    if (through == receiver->flushed)
        return;
    for (size_t i = 0; i < receiver->tickets.count; i++) {
        struct ticket *e = receiver_at(receiver, i);
        if (e->state == TICKET_WAITING && receiver_is_too_late(receiver, e))
            receiver_skip(receiver, e);
    }
    receiver_remember(receiver, receiver->tickets.count);
    receiver->flushed = through;
}

static void receiver_note_attempt(struct receiver *receiver, struct ticket *e,
                                  enum sink_result result)
{
    bool took = result == SINK_DONE || result == SINK_PENDING;
    receiver_count(&receiver->counts.repeated, e->tried);
    receiver_count(&receiver->counts.handed, took && !e->handed);
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

// Passes the next event to the sink, with a ticket if the sink will settle the ticket.
static enum sink_result receiver_send(struct receiver *receiver, const struct ticket *e,
                                      struct error *err)
{
    struct tickets *t = &receiver->tickets;
    const bool confirms = receiver->sink.in_flight_max > 0;
    if (confirms && !tickets_give(t, t->first + t->handed))
        return SINK_BLOCKED;
    const enum sink_result result = receiver->sink.send(receiver->sink.self, e->event, err);
    if (confirms && result != SINK_PENDING && result != SINK_FAILED)
        tickets_take_back(t);
    return result;
}

// Returns whether the sink accepted the event. If not, sets `*pause`: how long to wait before the
// next attempt.
static bool receiver_hand_over(struct receiver *receiver, struct ticket *e, int64_t *pause)
{
    struct error err;
    enum sink_result result = receiver_send(receiver, e, &err);
    *pause = BLOCKED_US;
    if (result == SINK_BLOCKED)
        return false;
    if (receiver->options.rate > 0)
        receiver->tokens -= 1;
    receiver_note_attempt(receiver, e, result);
    log_debug(receiver->options.log, "%s: number %lld (%s) %s", receiver->sink.name,
              (long long)e->sequence, e->event->id, RESULT_WORDS[result]);
    switch (result) {
    case SINK_DONE:
        receiver_end(e, RECEIVER_SENT);
        receiver_count_delivered(receiver, 1);
        receiver_health_succeed(receiver);
        break;
    case SINK_SKIPPED:
        receiver_end(e, RECEIVER_FILTERED);
        receiver_count(&receiver->counts.filtered, 1);
        break;
    case SINK_PENDING:
        e->outcome = RECEIVER_DELIVERED; // once the ticket is settled
        break;
    default:
        receiver_count_confirmed(receiver);
        receiver_health_fail(receiver, &err);
        *pause = receiver->retry_at - receiver_now_of(receiver);
        return false;
    }
    receiver->tickets.handed++;
    return true;
}

static bool receiver_open(struct receiver *receiver, int64_t now)
{
    struct error err;
    if (receiver->is_open)
        return true;
    if (now < receiver->retry_at && !atomic_load(&receiver->hurried))
        return false;
    receiver->is_open =
        !receiver->sink.open || receiver->sink.open(receiver->sink.self, &receiver->tickets, &err);
    if (receiver->is_open)
        log_debug(receiver->options.log, "%s: opened in %lld us", receiver->sink.name,
                  (long long)(receiver_now_of(receiver) - now));
    else
        receiver_health_fail(receiver, &err);
    return receiver->is_open;
}

// Whether the receiver sends no further event, because the successor will.
static bool receiver_is_ending(const struct receiver *receiver, int64_t now)
{
    return atomic_load(&receiver->stop) && now >= atomic_load(&receiver->stop_by);
}

// Passes the events under way to the sink, until the stop's time is over. Returns how long to wait
// before the next call; 0: not at all.
static int64_t receiver_hand_over_all(struct receiver *receiver)
{
    struct tickets *t = &receiver->tickets;
    receiver_trial_pass(receiver);
    receiver_obey_flush(receiver);
    while (t->handed < t->count) {
        struct ticket *e = receiver_at(receiver, t->handed);
        int64_t now = receiver_now_of(receiver);
        if (receiver_is_ending(receiver, now))
            return BLOCKED_US;
        if (e->state != TICKET_WAITING || receiver_skip(receiver, e) ||
            !receiver_trial_allows(receiver, t->handed)) {
            t->handed++;
            continue;
        }
        if (atomic_load(&receiver->paused))
            return BLOCKED_US;
        if (receiver->sink.in_flight_max > 0 && t->in_flight >= receiver->sink.in_flight_max)
            return BLOCKED_US;
        if (!receiver_open(receiver, now))
            return receiver->retry_at > now ? receiver->retry_at - now : 0;
        if (!receiver_has_token(receiver, now))
            return (int64_t)(CLOCK_US_PER_S / receiver->options.rate) + 1;
        int64_t pause;
        if (!receiver_hand_over(receiver, e, &pause))
            return pause;
    }
    return t->in_flight > 0 ? 0 : receiver_trial_wait(receiver);
}

static void receiver_collect_acknowledgements(struct receiver *receiver, int timeout_ms)
{
    struct error err;
    const bool ok = receiver->sink.wait(receiver->sink.self, timeout_ms, &err);
    receiver_count_confirmed(receiver);
    if (!ok)
        receiver_health_fail(receiver, &err);
}

// The loop.

static bool receiver_all_delivered(struct receiver *receiver)
{
    return receiver->tickets.count == 0 &&
           receiver->read_through >= journal_last(receiver->options.journal);
}

static bool receiver_goes_on(struct receiver *receiver)
{
    if (!atomic_load(&receiver->stop))
        return true;
    int64_t now = receiver_now_of(receiver), stop_by = atomic_load(&receiver->stop_by);
    if (!receiver_is_ending(receiver, now))
        return !receiver_all_delivered(receiver);
    return receiver->tickets.in_flight > 0 && !receiver->has_problem &&
           now - RECEIVER_CONFIRM_US < stop_by;
}

static void receiver_note_oldest(struct receiver *receiver)
{
    const struct event *oldest =
        receiver->tickets.count > 0 ? receiver_at(receiver, 0)->event : NULL;
    atomic_store(&receiver->oldest_us, oldest ? oldest->time_us : 0);
}

// Lets the sink of a state bring its receiver up to date. False: it could not, and wants a pause.
static bool receiver_keep(struct receiver *receiver)
{
    struct error err;
    struct sink_progress progress = {.is_busy = false};
    const int64_t now = receiver_now_of(receiver);
    receiver->is_busy = false;
    if (!receiver->sink.keep || atomic_load(&receiver->paused) ||
        receiver_is_ending(receiver, now) || !receiver_open(receiver, now))
        return !receiver->sink.keep;
    const bool kept = receiver->sink.keep(receiver->sink.self, &progress, &err);
    receiver->is_busy = progress.is_busy;
    receiver_count_failed(receiver, progress.failed);
    if (!kept) {
        receiver_health_fall_behind(receiver, &err);
        return false;
    }
    if (!receiver_has_delivered(receiver))
        receiver_count_delivered(receiver, 0);
    receiver_health_succeed(receiver);
    return true;
}

// Goes on trying a failing receiver for which no event waits, as after a flush: nothing else would
// show that the receiver is back.
static void receiver_try_again(struct receiver *receiver)
{
    const int64_t now = receiver_now_of(receiver);
    const bool fails = receiver->has_problem || atomic_load(&receiver->recalled);
    if (fails && !receiver->sink.keep && receiver_all_delivered(receiver) &&
        !atomic_load(&receiver->paused) && !receiver_is_ending(receiver, now) &&
        receiver_open(receiver, now))
        receiver_health_succeed(receiver);
}

static void receiver_step(struct receiver *receiver)
{
    const struct tickets *t = &receiver->tickets;
    const bool has_room =
        t->count + READ_AHEAD <= TICKETS_MAX &&
        t->count - (receiver->trial.suspect ? 0 : t->handed) + READ_AHEAD <= WAITING_MAX;
    const bool comes = t->count > 0 || receiver_again_waits(receiver) ||
                       journal_wait(receiver->options.journal, receiver->read_through,
                                    receiver->is_busy ? 0 : IDLE_US, &receiver->stop);
    const struct turn turn = turns_take(receiver->options.turns);
    const bool more =
        comes && has_room && (receiver_again_read(receiver) || receiver_read_more(receiver));
    const bool unread = comes && t->count == 0 && !more;
    receiver_note_oldest(receiver);
    int64_t pause = receiver_hand_over_all(receiver);
    const bool kept = receiver_keep(receiver);
    turns_give(receiver->options.turns, turn);
    if (unread) {
        clock_sleep(BLOCKED_US); // the disk fails; a later read may work
    } else if (t->in_flight > 0) {
        bool stuck = pause > 0 || (t->handed == t->count && !more);
        receiver_collect_acknowledgements(receiver, stuck ? ACKNOWLEDGEMENT_WAIT_MS : 0);
    } else if (pause > 0) {
        clock_sleep(pause < BLOCKED_US ? pause : BLOCKED_US);
    }
    if (!kept && !receiver->is_busy)
        clock_sleep(BLOCKED_US);
    receiver_count_confirmed(receiver);
    if (t->in_flight == 0 && receiver->is_open && receiver->sink.idle)
        receiver->sink.idle(receiver->sink.self);
    receiver_retire(receiver);
    receiver_again_end(receiver);
    receiver_note_oldest(receiver);
    receiver_try_again(receiver);
    receiver_trial_tell(receiver, receiver_now_of(receiver));
}

void *receiver_thread_run(void *arg)
{
    struct receiver *receiver = arg;
    while (receiver_goes_on(receiver))
        receiver_step(receiver);
    receiver_health_close(receiver);
    pthread_mutex_lock(&receiver->lock);
    receiver->ended = true;
    pthread_cond_signal(&receiver->has_ended);
    pthread_mutex_unlock(&receiver->lock);
    return NULL;
}
