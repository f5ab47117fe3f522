// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_health.h"

#include "base/random.h"
#include "model/catalogue.h"

#include <stdio.h>

static const int64_t RETRY_FIRST_US = CLOCK_US_PER_S / 2, RETRY_LAST_US = 30 * CLOCK_US_PER_S;

// `tell`: a problem is told to other receivers and in the log.
static void receiver_set_problem(struct receiver *receiver, const char *problem, bool tell)
{
    pthread_mutex_lock(&receiver->lock);
    bool was_well = receiver->status.problem[0] == '\0', is_well = problem[0] == '\0';
    bool left = receiver->left;
    const uint64_t dropped = receiver->counts.dropped;
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
        log_condition(receiver->options.log, LOG_LEVEL_WARNING, "receiver %s: %s%s", name, problem,
                      receiver->sink.keep ? "" : "; its events wait");
        receiver->notified_failing = true;
        receiver->options.change(receiver->options.ctx, name, RECEIVER_FAILING, problem, dropped);
    }
    if (receiver->notified_failing && is_well) {
        log_condition(receiver->options.log, LOG_LEVEL_INFO, "receiver %s works again", name);
        receiver->notified_failing = false;
        receiver->options.change(receiver->options.ctx, name, RECEIVER_BACK,
                                 "it takes events again", dropped);
    }
}

void receiver_health_close(struct receiver *receiver)
{
    if (receiver->is_open)
        receiver->sink.close(receiver->sink.self);
    receiver->is_open = false;
    tickets_take_all_back(&receiver->tickets);
}

static void receiver_note_refusal(struct receiver *receiver, const struct ticket *e,
                                  const char *problem)
{
    log_write(receiver->options.log, LOG_LEVEL_WARNING,
              "receiver %s: gave up number %lld (%s), which it refused %u times: %s",
              receiver->sink.name, (long long)e->sequence, e->event->type->name, e->refusals,
              problem);
    pthread_mutex_lock(&receiver->lock);
    receiver->status.refused++;
    receiver_count(&receiver->counts.dropped, 1);
    outcomes_remember_refusal(&receiver->outcomes, e->sequence, e->refusals, problem);
    pthread_mutex_unlock(&receiver->lock);
}

// Counts a refusal. Returns whether the refusal was the last one, so that the event is given up.
static bool receiver_refuse(struct receiver *receiver, struct ticket *e, const char *problem)
{
    if (++e->refusals < RECEIVER_ATTEMPTS_MAX)
        return false;
    receiver_note_refusal(receiver, e, problem);
    receiver_end(e, RECEIVER_GIVEN_UP);
    return true;
}

void receiver_health_fail(struct receiver *receiver, const struct error *err)
{
    struct ticket *refused = tickets_refused(&receiver->tickets);
    const bool tell = !refused || receiver->refused_in_a_row > 0;
    const bool given_up = refused && receiver_refuse(receiver, refused, err->text);
    const int64_t now = receiver_now_of(receiver);
    receiver_health_close(receiver);
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

void receiver_health_fall_behind(struct receiver *receiver, const struct error *err)
{
    receiver->failures++;
    receiver->has_problem = true;
    log_debug(receiver->options.log, "%s: %s", receiver->sink.name, err->text);
    receiver_set_problem(receiver, err->text, true);
}

void receiver_health_succeed(struct receiver *receiver)
{
    receiver->failures = receiver->refused_in_a_row = 0;
    if (atomic_load(&receiver->recalled) && atomic_exchange(&receiver->recalled, false))
        receiver->has_problem = receiver->notified_failing = true;
    if (receiver->has_problem)
        receiver_set_problem(receiver, "", false);
    receiver->has_problem = false;
}
