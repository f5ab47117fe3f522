// SPDX-License-Identifier: BSD-2-Clause
#include "policy/decide.h"

#include "base/clock.h"
#include "policy/notify.h"
#include "policy/reasons.h"
#include "policy/summaries.h"

#include <stdlib.h>
#include <string.h>

static void decide_note_end(struct policy *p, struct alarm_state *t, struct event *clear)
{
    struct event *raise = t->apart && !p->active ? pending_last(p, t) : NULL;
    apart_end(p, t, raise, clear);
    event_unref(raise);
}

// Counts a change towards flapping. One change alone takes no further memory: masses of alarms are
// raised once.
static void decide_note_change(struct policy *p, struct alarm_state *t, const struct event *event)
{
    const bool lately = t->changed && p->now - t->changed_at <= p->options.flap_within_us;
    if (t->flap && !t->flap->on && !lately && t->settled_elsewhere == 0) {
        free(t->flap);
        t->flap = NULL;
    }
    if (!t->flap && lately)
        t->flap = flap_new(t->changed_at);
    if (t->flap)
        flap_note(t->flap, &p->options, event, p->now);
    t->changed = true;
    t->changed_at = p->now;
}

// Whether the other gateway may have notified receivers of an alarm that this gateway suppressed:
// shortly after a handover, if only the other gateway saw the alarm raised, or only this gateway
// had a reason. Otherwise both gateways suppressed the alarm.
static bool decide_may_be_known(const struct policy *p, const struct alarm_state *t)
{
    const int64_t taken_over = p->handover_until - POLICY_HANDOVER_US;
    const bool local = t->first_reason == POLICY_MAINTENANCE || t->first_reason == POLICY_SHELVED;
    return p->now < p->handover_until && (t->raised_at >= taken_over || local);
}

// Decides about the clear of an alarm after this gateway did not notify receivers of the raise.
static enum policy_reason decide_unknown_clear(struct policy *p, struct alarm_state *t,
                                               struct event *event)
{
    if (!decide_may_be_known(p, t) || event_is_own(event))
        return POLICY_NEVER_NOTIFIED;
    event->clears_id[0] = '\0';
    if (storms_suppress(p->storms, event, p->now))
        return POLICY_STORM;
    notify_record(p, t, event);
    return told_reason(t->told);
}

// Suppresses an event that tells receivers nothing new.
static enum policy_reason decide_known(struct policy *p, struct alarm_state *t, struct event *event,
                                       bool changed)
{
    if (changed && t->flap && t->flap->on) {
        t->flap->suppressed++;
        alarm_states_set_last(p->states, t, event);
        t->pending = false;
        return t->reason = POLICY_FLAPPING;
    }
    pending_drop(p, t);
    if (!t->raised)
        return decide_unknown_clear(p, t, event);
    t->duplicates++;
    return POLICY_DUPLICATE;
}

static enum policy_reason decide_unknown(struct policy *p, struct alarm_state *t,
                                         struct event *event, const struct rule_decision *verdict,
                                         enum policy_reason reason, int64_t until)
{
    if (reason == POLICY_PASSES)
        reason = reasons_restrain(p, t, event, verdict, true, &until);
    else if (reason == POLICY_CONSEQUENCE)
        apart_take(p, t, event, verdict, &until);
    t->reason = reason;
    if (reason != POLICY_PASSES) {
        pending_keep(p, t, event, until);
        if (reason == POLICY_FLAPPING)
            t->flap->suppressed++;
        return reason;
    }
    pending_drop(p, t);
    event->repeat_count = t->duplicates;
    t->duplicates = 0;
    notify_record(p, t, event);
    return told_reason(t->told);
}

// Whether more parts of the system are missing than receivers know of. After a restart, the last
// event knows.
static bool decide_says_more(struct policy *p, struct alarm_state *t, const struct event *event)
{
    if (!told_is_raised(t->told) || event->parts_changed == 0)
        return false;
    if (t->told_parts == UINT16_MAX && !t->pending) {
        struct event *last = pending_last(p, t);
        t->told_parts = last ? last->parts_changed : 0;
        event_unref(last);
    }
    const bool more = t->told_parts == UINT16_MAX || event->parts_changed > t->told_parts;
    t->told_parts = more ? t->told_parts : event->parts_changed;
    return more;
}

// Notes that the event raises the alarm, for the first time or again.
static void decide_note_raise(struct policy *p, struct alarm_state *t, struct event *event)
{
    if (t->pending && t->last && t->last->hold_until_us > 0 && event->hold_until_us > 0)
        event->hold_until_us = t->last->hold_until_us;
    apart_set_cause(t, event->cause_id, !t->raised);
    if (!t->raised) {
        t->raised_at = p->now;
        t->since_us = event->time_us;
        alarm_states_move_last(p->states, t);
    }
    t->raised = true;
    t->type = event->type;
    if (!told_is_raised(t->told)) {
        t->category = event->category;
        t->severity = event->severity;
    }
}

// An alarm is over that waited for further adapters: receivers hear of begin and end.
static void decide_tell_held(struct policy *p, struct alarm_state *t)
{
    const bool held = t->raised && !told_is_raised(t->told) && t->pending && t->last &&
                      t->reason == POLICY_HOLD_DOWN && t->last->hold_until_us > p->now;
    if (held)
        notify_late(p, t, t->last);
}

static enum policy_reason decide_alarm(struct policy *p, struct alarm_state *t, struct event *event,
                                       const struct rule_decision *verdict)
{
    int64_t until;
    const bool raises = event->type->alarm == ALARM_RAISES;
    const bool changed = raises != t->raised;
    const bool more = raises && decide_says_more(p, t, event);
    if (raises)
        decide_note_raise(p, t, event);
    else
        decide_tell_held(p, t);
    const enum policy_reason silent = reasons_silence(p, t, event, verdict, true, &until);
    if (raises && changed) {
        t->first_reason = silent;
        alarm_states_set_raised_id(p->states, t, event->id);
    }
    t->raised = raises;
    if (!raises) {
        notify_refer_to_raise(t, event);
        decide_note_end(p, t, event);
    }
    if (changed && silent == POLICY_PASSES && t->first_reason == POLICY_PASSES &&
        !event_is_own(event))
        decide_note_change(p, t, event);
    const bool worse =
        raises && told_is_raised(t->told) && (event->severity < t->notified_severity || more);
    if (alarm_state_is_known(t) && !worse)
        return decide_known(p, t, event, changed);
    return decide_unknown(p, t, event, verdict, silent, until);
}

static enum policy_reason decide_plain(struct policy *p, struct event *event,
                                       const struct rule_decision *verdict)
{
    if (!verdict->enabled)
        return POLICY_DISABLED;
    if (event_is_own(event))
        return POLICY_PASSES;
    if (maintenance_until(&p->maintenance, event, p->now) > p->now)
        return POLICY_MAINTENANCE;
    if (p->options.suppress_consequences && event->cause_id[0] != '\0') {
        event->apart = event->is_part && p->active && storms_of(p->storms, event->type) == 0;
        return POLICY_CONSEQUENCE;
    }
    if (event->awaits_sweep) {
        event->apart = p->active;
        return POLICY_AWAITS_SWEEP;
    }
    if (storms_of(p->storms, event->type) == 0 &&
        duplicates_suppress(p->duplicates, event, p->options.repeat_window_us, p->now))
        return POLICY_DUPLICATE;
    return storms_suppress(p->storms, event, p->now) ? POLICY_STORM : POLICY_PASSES;
}

// Decides about an event without an alarm state.
static enum policy_reason decide_alone(struct policy *p, struct event *event,
                                       const struct rule_decision *verdict)
{
    const enum policy_reason reason = event->test ? POLICY_PASSES : decide_plain(p, event, verdict);
    return reason == POLICY_PASSES && !notify_is_ours(p, event) ? POLICY_STANDBY : reason;
}

enum policy_reason decide_event(struct policy *p, struct event *event)
{
    struct rule_decision verdict;
    notify_judge(p, event, &verdict);
    const enum alarm_role role = event->type->alarm;
    if (event->test || role == ALARM_NONE || event->alarm_key[0] == '\0')
        return decide_alone(p, event, &verdict);
    struct alarm_state *t = alarm_states_find(p->states, event->alarm_key);
    if (role == ALARM_CLEARS &&
        (!t || (!t->raised && !told_is_raised(t->told)))) // nothing to clear
        return decide_alone(p, event, &verdict);
    if (!t)
        t = alarm_states_get(p->states, event->alarm_key, false);
    if (!t) {
        p->counters.overflowed++;
        p->left_out |= role == ALARM_RAISES;
        return decide_alone(p, event, &verdict);
    }
    const enum policy_reason reason = decide_alarm(p, t, event, &verdict);
    pending_schedule(p, t);
    return reason;
}

static const int64_t RETRY_US = CLOCK_US_PER_S; // until the next attempt to read an event back
enum { UNREAD_MAX = 3 };                        // attempts to read an event back
static const uint32_t LATE_RATE = 1000;         // late events per second if storm_rate is 0

static bool decide_check_rate(struct policy *p)
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

// Whether receivers know the alarm's state. Applies the current rules: the rules may have changed
// since the event arrived.
static bool decide_check_is_known(const struct alarm_state *t, const struct event *last,
                                  const struct rule_decision *verdict)
{
    const int severity =
        verdict->severity != POLICY_SAME ? verdict->severity : (int)event_own_severity(last);
    const bool more =
        last->parts_changed > (t->told_parts == UINT16_MAX ? 0 : (unsigned)t->told_parts);
    return alarm_state_is_known(t) &&
           !(t->raised && (more || severity < (int)t->notified_severity));
}

// Sends the pending event `last`, unless a reason still suppresses the event. Returns false if the
// rate of late events allows no event before `blocked_until`.
static bool decide_check_pending_event(struct policy *p, struct alarm_state *t, struct event *last)
{
    int64_t until;
    const struct rule_decision verdict = rules_evaluate(p->rules, last);
    enum policy_reason reason = reasons_silence(p, t, last, &verdict, false, &until);
    if (decide_check_is_known(t, last, &verdict)) {
        log_debug(p->sink.log, "timer of %s: receivers know its state", t->key);
        pending_end(p, t);
        return true;
    }
    if (reason == POLICY_PASSES)
        reason = reasons_restrain(p, t, last, &verdict, false, &until);
    if (reason != POLICY_PASSES)
        reasons_note(p, t, reason);
    if (reason == POLICY_CONSEQUENCE && apart_may_notify(p, t, last, &verdict, &until)) {
        if (p->active && !decide_check_rate(p))
            return false;
        notify_apart(p, t, last);
    }
    if (reason != POLICY_PASSES) {
        policy_log_wait(p->sink.log, t, policy_reason_word(reason), until, p->now);
        t->check_at = until;
        return true;
    }
    if (!decide_check_rate(p))
        return false;
    log_debug(p->sink.log, "timer of %s: sends %s, which no reason suppresses any more", t->key,
              last->id);
    notify_late(p, t, last);
    return true;
}

// The journal cannot read the event: the event is not committed yet, or the disk fails. Tries again
// a few times. Then an event that says less takes the place. Returns as decide_check_pending_event.
static bool decide_check_unread(struct policy *p, struct alarm_state *t)
{
    if (t->unread >= UNREAD_MAX && alarm_state_is_known(t)) {
        pending_end(p, t);
        return true;
    }
    if (t->unread < UNREAD_MAX) {
        t->unread++;
        t->check_at = p->now + RETRY_US;
        return true;
    }
    struct event *lost = summaries_lost(t);
    const bool done = decide_check_pending_event(p, t, lost);
    event_unref(lost);
    return done;
}

// Checks whether the pending event may be sent. False: as decide_check_pending_event.
static bool decide_check_pending(struct policy *p, struct alarm_state *t)
{
    const int64_t until = reasons_until_unread(p, t);
    if (until != 0 && !apart_is_open(p, t)) {
        t->check_at = until;
        return true;
    }
    struct event *last = pending_last(p, t);
    t->unread = last ? 0 : t->unread;
    const bool done = last ? decide_check_pending_event(p, t, last) : decide_check_unread(p, t);
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
    if (t->pending && t->check_at <= p->now && !decide_check_pending(p, t))
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
static bool decide_check_is_restrained(struct policy *p, const struct alarm_state *t,
                                       const struct event *last,
                                       const struct rule_decision *verdict)
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
    if (!decide_check_is_known(t, last, &verdict) &&
        reasons_silence(p, t, last, &verdict, false, &until) == POLICY_PASSES &&
        !decide_check_is_restrained(p, t, last, &verdict))
        notify_late(p, t, last);
    event_unref(last);
    pending_schedule(p, t);
}
