// SPDX-License-Identifier: BSD-2-Clause
#include "policy/check.h"

#include "base/clock.h"
#include "model/catalogue.h"
#include "policy/apart.h"
#include "policy/notify.h"
#include "policy/pending.h"
#include "policy/policy_log.h"
#include "policy/reasons.h"
#include "policy/summaries.h"

static const int64_t RETRY_US = CLOCK_US_PER_S; // until the next attempt to read an event back
enum { UNREAD_MAX = 3 };                        // attempts to read an event back
static const uint32_t LATE_RATE = 1000;         // late events per second if storm_rate is 0

static bool check_rate(struct policy *p)
{
    const uint32_t rate = p->options.storm_rate ? p->options.storm_rate : LATE_RATE;
    if (p->now - p->second_began >= CLOCK_US_PER_S || p->in_second == 0) {
        p->second_began = p->now;
        p->in_second = 0;
    }
    if (p->in_second < rate) {
        p->in_second++;
        return true;
    }
    p->blocked_until = p->second_began + CLOCK_US_PER_S;
    return false;
}

// Whether receivers know the alarm's state. Applies the current rules, which may have changed since
// the event arrived.
static bool check_is_known(const struct alarm_state *t, const struct event *last,
                           const struct rule_decision *verdict)
{
    const int severity =
        verdict->severity != POLICY_SAME ? verdict->severity : (int)last->type->severity;
    return alarm_state_is_known(t) && !(t->raised && severity < (int)t->notified_severity);
}

// Sends the pending event `last` unless it is still suppressed. False: the rate of late events does
// not allow it before `blocked_until`.
static bool check_pending_event(struct policy *p, struct alarm_state *t, struct event *last)
{
    int64_t until;
    const struct rule_decision verdict = rules_evaluate(p->rules, last);
    enum policy_reason reason = reasons_silence(p, t, last, &verdict, false, &until);
    if (check_is_known(t, last, &verdict)) {
        log_debug(p->sink.log, "timer of %s: receivers know its state", t->key);
        pending_drop(p, t);
        return true;
    }
    if (reason == POLICY_PASSES)
        reason = reasons_restrain(p, t, last, &verdict, false, &until);
    t->reason = reason;
    if (reason == POLICY_CONSEQUENCE && apart_may_notify(p, t, last, &verdict, &until)) {
        if (p->active && !check_rate(p))
            return false;
        notify_apart(p, t, last);
    }
    if (reason != POLICY_PASSES) {
        policy_log_wait(p->sink.log, t, policy_reason_word(reason), until, p->now);
        t->check_at = until;
        return true;
    }
    if (!check_rate(p))
        return false;
    log_debug(p->sink.log, "timer of %s: sends %s, which no reason suppresses any more", t->key,
              last->id);
    notify_late(p, t, last);
    return true;
}

// The journal cannot read the event. It may not be committed yet, or the disk fails: so try again a
// few times. Then an event that says less takes its place. False: as check_pending_event.
static bool check_unread(struct policy *p, struct alarm_state *t)
{
    if (t->unread >= UNREAD_MAX && alarm_state_is_known(t)) {
        pending_drop(p, t);
        return true;
    }
    if (t->unread < UNREAD_MAX) {
        t->unread++;
        t->check_at = p->now + RETRY_US;
        return true;
    }
    struct event *lost = summaries_lost(t);
    const bool done = check_pending_event(p, t, lost);
    event_unref(lost);
    return done;
}

// Checks whether the pending event may be sent. False: as check_pending_event.
static bool check_pending(struct policy *p, struct alarm_state *t)
{
    const int64_t until = reasons_until_unread(p, t);
    if (until != 0 && !apart_is_open(p, t)) {
        t->check_at = until;
        return true;
    }
    struct event *last = pending_last(p, t);
    t->unread = last ? 0 : t->unread;
    const bool done = last ? check_pending_event(p, t, last) : check_unread(p, t);
    event_unref(last);
    return done;
}

bool check_state(struct policy *p, struct alarm_state *t)
{
    if (t->flap && t->flap->on && !t->flap->announced) {
        notify_flapping(p, t);
        pending_schedule(p, t);
        return true; // the next check needs the number of the event
    }
    if (t->flap && t->flap->on && flap_end(t->flap, &p->options) <= p->now)
        notify_settled(p, t,
                       p->options.flap_changes > 0 ? NULL : "flapping is not detected any more");
    if (t->pending && t->check_at <= p->now && !check_pending(p, t))
        return false;
    if (pending_is_idle(t) && pending_next_check(p, t) <= p->now) {
        log_debug(p->sink.log, "timer of %s: dropped its state, as it is not raised", t->key);
        timers_drop(&p->timers, &t->timer);
        alarm_states_forget(p->states, t);
        return true;
    }
    pending_schedule(p, t);
    return true;
}

// Whether a hold-down or a storm still delays the event. Flapping does not count: the next start
// restores that an alarm flaps, but not its changes since then.
static bool check_is_restrained(struct policy *p, const struct alarm_state *t,
                                const struct event *last, const struct rule_decision *verdict)
{
    int64_t until;
    const enum policy_reason reason = reasons_restrain(p, t, last, verdict, false, &until);
    return reason != POLICY_PASSES && reason != POLICY_FLAPPING;
}

void check_at_end(void *ctx, struct alarm_state *t)
{
    struct policy *p = ctx;
    int64_t until;
    struct event *last = t->pending && told_is_raised(t->told) ? pending_last(p, t) : NULL;
    if (!last)
        return;
    const struct rule_decision verdict = rules_evaluate(p->rules, last);
    if (!check_is_known(t, last, &verdict) &&
        reasons_silence(p, t, last, &verdict, false, &until) == POLICY_PASSES &&
        !check_is_restrained(p, t, last, &verdict))
        notify_late(p, t, last);
    event_unref(last);
    pending_schedule(p, t);
}
