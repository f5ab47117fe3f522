// SPDX-License-Identifier: BSD-2-Clause
#include "policy/policy.h"

#include "base/clock.h"
#include "model/catalogue.h"
#include "policy/policy_log.h"
#include "policy/reasons.h"
#include "policy/summaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How long alarms that are to be sent again wait for a sweep that confirms them.
static const int64_t CONFIRM_US = 120 * CLOCK_US_PER_S;
static const int64_t RETRY_US = CLOCK_US_PER_S; // next attempt after memory was short
enum { UNREAD_MAX = 3 };                        // attempts to read an event back
static const uint32_t LATE_RATE = 1000;         // late events per second if storm_rate is 0

// How much one policy_tick does, so that it takes some milliseconds at most: as many checks of an
// alarm state, or fewer that read an event back.
enum { TICK_EFFORT = 4096, READ_EFFORT = 32 };

void policy_options_init(struct policy_options *options)
{
    *options = (struct policy_options){.repeat_window_us = 60 * CLOCK_US_PER_S,
                                       .flap_changes = 6,
                                       .flap_within_us = 300 * CLOCK_US_PER_S,
                                       .flap_quiet_us = 300 * CLOCK_US_PER_S,
                                       .storm_rate = 50,
                                       .storm_period_us = 60 * CLOCK_US_PER_S,
                                       .suppress_consequences = true};
}

const char *policy_reason_word(enum policy_reason reason)
{
    static const char *const WORDS[POLICY_REASON_COUNT] = {
        [POLICY_PASSES] = "",
        [POLICY_DISABLED] = "disabled",
        [POLICY_MAINTENANCE] = "maintenance",
        [POLICY_SHELVED] = "shelved",
        [POLICY_CONSEQUENCE] = "consequence",
        [POLICY_DUPLICATE] = "duplicate",
        [POLICY_NEVER_NOTIFIED] = EVENT_NEVER_NOTIFIED,
        [POLICY_FLAPPING] = "flapping",
        [POLICY_HOLD_DOWN] = "hold-down",
        [POLICY_STORM] = "storm",
        [POLICY_STANDBY] = EVENT_STANDBY,
    };
    return WORDS[reason];
}

// Events that policy makes.

static void judge(const struct policy *p, struct event *event, struct rule_decision *verdict)
{
    *verdict = rules_evaluate(p->rules, event);
    if (verdict->severity != POLICY_SAME)
        event->severity = (enum severity)verdict->severity;
    if (verdict->category != POLICY_SAME)
        event->category = (enum category)verdict->category;
    snprintf(event->rule, sizeof event->rule, "%s", verdict->rule);
}

static void suppress(struct event *event, enum policy_reason reason)
{
    snprintf(event->suppressed, sizeof event->suppressed, "%s", policy_reason_word(reason));
}

// Whether this gateway notifies receivers of the event, unless there is a reason not to.
static bool is_ours(const struct policy *p, const struct event *event)
{
    return p->active || event_is_own(event);
}

// What an event that policy makes is for receivers. They wait for the end of what they were
// notified of: no rule suppresses it, and the gateway that notified them sends it also while it
// stands by, as the other one may not know of it.
enum policy_news { NEWS, END, END_OF_OURS };

static void policy_emit(struct policy *p, struct event *event, enum policy_news news)
{
    struct rule_decision verdict;
    judge(p, event, &verdict);
    const bool ours = is_ours(p, event) || news == END_OF_OURS;
    suppress(event, !verdict.enabled && news == NEWS ? POLICY_DISABLED
                    : ours                           ? POLICY_PASSES
                                                     : POLICY_STANDBY);
    p->sink.stamp(p->sink.ctx, event);
    policy_log_made(p->sink.log, event);
    p->sink.pass(p->sink.ctx, event);
    p->counters.made++;
}

// Sends the event and drops the caller's reference. NULL: it could not be made, out of memory.
static void emit_summary(struct policy *p, struct event *event, enum policy_news news)
{
    if (!event) {
        p->counters.overflowed++;
        return;
    }
    policy_emit(p, event, news);
    event_unref(event);
}

static void report_repeated(void *ctx, const struct duplicates_account *account)
{
    emit_summary(ctx, summaries_repeated(account), NEWS);
}

static void report_storm(void *ctx, const struct storm_account *account)
{
    emit_summary(ctx, summaries_storm(account), NEWS);
}

// Recording notifications.

static void keep_for_later(struct policy *p, struct alarm_state *t, struct event *event,
                           int64_t until)
{
    alarm_states_set_last(p->states, t, event);
    p->counters.read_back += t->last == NULL;
    t->last_type = event->type;
    t->pending = true;
    t->check_at = until;
}

static void drop_pending(struct policy *p, struct alarm_state *t)
{
    t->pending = false;
    t->last_type = NULL;
    t->unread = 0;
    if (!alarm_states_flap(t)->on)
        alarm_states_set_last(p->states, t, NULL);
}

// What an event about the alarm's present state is for receivers, before it is sent.
static enum policy_news end_kind(const struct alarm_state *t)
{
    if (t->raised)
        return NEWS;
    return t->notified && !t->elsewhere ? END_OF_OURS : END;
}

// Records that the event, which has its identifier, is sent, by this gateway or by the active one.
static void note_notified(struct policy *p, struct alarm_state *t, const struct event *event)
{
    t->elsewhere = !is_ours(p, event) && end_kind(t) != END_OF_OURS;
    t->notified = t->raised;
    t->notified_at = p->now;
    t->notified_severity = event->severity;
    t->again = false;
    snprintf(t->notified_id, sizeof t->notified_id, "%s", t->elsewhere ? "" : event->id);
    if (t->raised) {
        t->category = event->category;
        t->severity = event->severity;
    }
}

static void spend(struct policy *p, unsigned effort)
{
    p->effort -= effort < p->effort ? effort : p->effort;
}

// The alarm state's last event: a reference, the caller's. NULL: it cannot be read now.
static struct event *last_event(struct policy *p, const struct alarm_state *t)
{
    if (t->last)
        return event_ref(t->last);
    spend(p, READ_EFFORT);
    return p->sink.read && t->last_number ? p->sink.read(p->sink.ctx, t->last_number) : NULL;
}

// Tells the clear which nodes the raise was about, besides the same subject: a node that is back
// may hang on another switch. The ends of a link are the same.
static void note_raised_nodes(struct policy *p, const struct alarm_state *t, struct event *clear)
{
    if (!t->notified || clear->type->category == CATEGORY_LINK || event_is_own(clear))
        return;
    struct event *raise = last_event(p, t);
    if (raise) {
        clear->cleared_peer = raise->peer;
        clear->cleared_switch_guid = raise->switch_guid;
    }
    event_unref(raise);
}

// Tells the event what it clears: receivers know only what was sent to them.
static void refer_to_raise(const struct alarm_state *t, struct event *event)
{
    event->cleared = t->type;
    event->cleared_severity = t->severity;
    event->cleared_category = t->category;
    event_complete_cleared(event);
    memcpy(event->clears_id, t->notified || t->again ? t->notified_id : t->raised_id,
           sizeof event->clears_id);
}

// Names the event of its root cause that receivers got: it may have been sent late, as a copy.
static void refer_to_cause(const struct policy *p, struct event *event)
{
    const struct alarm_state *cause =
        event->cause_id[0] ? alarm_states_find_raised(p->states, event->cause_id) : NULL;
    if (cause)
        memcpy(event->cause_id, cause->notified ? cause->notified_id : "", sizeof event->cause_id);
}

// Whether the active gateway may have failed to send the last event.
static bool is_handover_open(const struct policy *p, const struct alarm_state *t)
{
    return t->elsewhere && p->now - t->notified_at < POLICY_HANDOVER_US;
}

static bool is_flap_open(const struct policy *p, const struct alarm_state *t)
{
    return t->settled_elsewhere && p->now - t->settled_elsewhere < POLICY_HANDOVER_US;
}

static bool is_idle(const struct alarm_state *t)
{
    return !t->raised && !t->notified && !t->pending && !alarm_states_flap(t)->on;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t next_check(const struct policy *p, const struct alarm_state *t)
{
    const struct flap *flap = alarm_states_flap(t);
    int64_t due = t->pending ? t->check_at : INT64_MAX;
    if (flap->on) {
        const int64_t end = flap->announced ? flap_end(flap, &p->options) : p->now;
        due = end < due ? end : due;
    }
    if (is_idle(t)) {
        due = p->now;
        due = later(due, t->changed ? t->changed_at + p->options.flap_within_us : 0);
        due = later(due, t->shelved_until);
        due = later(due, is_handover_open(p, t) ? t->notified_at + POLICY_HANDOVER_US : 0);
        due = later(due, is_flap_open(p, t) ? t->settled_elsewhere + POLICY_HANDOVER_US : 0);
    }
    return due;
}

static void schedule(struct policy *p, struct alarm_state *t)
{
    timers_set(&p->timers, &t->timer, next_check(p, t));
}

static void reconsider(void *ctx, struct alarm_state *state)
{
    struct policy *p = ctx;
    if (state->pending)
        state->check_at = p->now;
    schedule(p, state);
}

// Deciding about an event.

// Counts a change towards flapping. One change alone takes no further memory: masses of alarms are
// raised once.
static void policy_note_change(struct policy *p, struct alarm_state *t, const struct event *event)
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

// Whether the other gateway may have notified receivers of an alarm that this one suppressed:
// shortly after a handover, if it saw the alarm when this one did not, or had no reason of its own.
// What both saw, both suppressed.
static bool may_be_known(const struct policy *p, const struct alarm_state *t)
{
    const int64_t taken_over = p->handover_until - POLICY_HANDOVER_US;
    return p->now < p->handover_until && (t->raised_at >= taken_over || t->local_reason);
}

// Decides about the clear of an alarm of which this gateway did not notify receivers.
static enum policy_reason end_unknown_alarm(struct policy *p, struct alarm_state *t,
                                            struct event *event)
{
    if (!may_be_known(p, t) || event_is_own(event))
        return POLICY_NEVER_NOTIFIED;
    event->clears_id[0] = '\0';
    if (reasons_in_storm(p, event))
        return POLICY_STORM;
    note_notified(p, t, event);
    return t->elsewhere ? POLICY_STANDBY : POLICY_PASSES;
}

// Suppresses an event whose state receivers know already.
static enum policy_reason suppress_known(struct policy *p, struct alarm_state *t,
                                         struct event *event, bool changed)
{
    if (changed && t->flap && t->flap->on) {
        t->flap->suppressed++;
        alarm_states_set_last(p->states, t, event);
        t->pending = false;
        return POLICY_FLAPPING;
    }
    drop_pending(p, t);
    if (!t->raised)
        return end_unknown_alarm(p, t, event);
    t->duplicates++;
    return POLICY_DUPLICATE;
}

static enum policy_reason notify_or_suppress(struct policy *p, struct alarm_state *t,
                                             struct event *event,
                                             const struct rule_decision *verdict,
                                             enum policy_reason reason, int64_t until)
{
    if (reason == POLICY_PASSES)
        reason = reasons_restrain(p, t, event, verdict, true, &until);
    if (reason != POLICY_PASSES) {
        keep_for_later(p, t, event, until);
        if (reason == POLICY_FLAPPING)
            t->flap->suppressed++;
        return reason;
    }
    drop_pending(p, t);
    event->repeat_count = t->duplicates;
    t->duplicates = 0;
    note_notified(p, t, event);
    return t->elsewhere ? POLICY_STANDBY : POLICY_PASSES;
}

// Notes that the event raises the alarm, for the first time or again.
static void note_raise(struct policy *p, struct alarm_state *t, const struct event *event)
{
    if (!t->raised)
        t->raised_at = p->now;
    t->raised = true;
    t->type = event->type;
    if (!t->notified) {
        t->category = event->category;
        t->severity = event->severity;
    }
    memcpy(t->cause_id, event->cause_id, sizeof t->cause_id);
}

static enum policy_reason decide_alarm(struct policy *p, struct alarm_state *t, struct event *event,
                                       const struct rule_decision *verdict)
{
    int64_t until;
    const bool raises = event->type->alarm == ALARM_RAISES;
    const bool changed = raises != t->raised;
    if (raises) {
        note_raise(p, t, event);
        t->disabled = !verdict->enabled;
    }
    const enum policy_reason silent = reasons_silence(p, t, event, verdict, true, &until);
    if (raises && changed) {
        t->unnotifiable = silent != POLICY_PASSES;
        t->local_reason = silent == POLICY_MAINTENANCE || silent == POLICY_SHELVED;
        alarm_states_set_raised_id(p->states, t, event->id);
    }
    t->raised = raises;
    if (!raises) {
        refer_to_raise(t, event);
        note_raised_nodes(p, t, event);
    }
    if (changed && silent == POLICY_PASSES && !t->unnotifiable && !event_is_own(event))
        policy_note_change(p, t, event);
    const bool worse = raises && t->notified && event->severity < t->notified_severity;
    if (t->raised == t->notified && !worse && !t->again)
        return suppress_known(p, t, event, changed);
    return notify_or_suppress(p, t, event, verdict, silent, until);
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
    if (p->options.suppress_consequences && event->cause_id[0] != '\0')
        return POLICY_CONSEQUENCE;
    if (storms_of(p->storms, event->type) == 0 &&
        duplicates_suppress(p->duplicates, event, p->options.repeat_window_us, p->now))
        return POLICY_DUPLICATE;
    return reasons_in_storm(p, event) ? POLICY_STORM : POLICY_PASSES;
}

// Decides about an event that belongs to no alarm that is known.
static enum policy_reason decide_alone(struct policy *p, struct event *event,
                                       const struct rule_decision *verdict)
{
    const enum policy_reason reason = event->test ? POLICY_PASSES : decide_plain(p, event, verdict);
    return reason == POLICY_PASSES && !is_ours(p, event) ? POLICY_STANDBY : reason;
}

static enum policy_reason decide(struct policy *p, struct event *event)
{
    struct rule_decision verdict;
    judge(p, event, &verdict);
    const enum alarm_role role = event->type->alarm;
    if (event->test || role == ALARM_NONE || event->alarm_key[0] == '\0')
        return decide_alone(p, event, &verdict);
    struct alarm_state *t = alarm_states_find(p->states, event->alarm_key);
    if (role == ALARM_CLEARS && (!t || (!t->raised && !t->notified))) // it clears no alarm
        return decide_alone(p, event, &verdict);
    if (!t)
        t = alarm_states_get(p->states, event->alarm_key);
    if (!t) {
        p->counters.overflowed++;
        return decide_alone(p, event, &verdict);
    }
    const enum policy_reason reason = decide_alarm(p, t, event, &verdict);
    schedule(p, t);
    return reason;
}

// Notes the number that the journal gave to the event, by which it can be read back.
static void note_number(struct policy *p, const struct event *event)
{
    struct alarm_state *t = event->test || event->alarm_key[0] == '\0'
                                ? NULL
                                : alarm_states_find(p->states, event->alarm_key);
    if (t)
        t->last_number = event->number;
}

static void log_decision(const struct policy *p, const struct event *event)
{
    if (log_is_debug(p->sink.log))
        policy_log_decision(p->sink.log, event, alarm_states_find(p->states, event->alarm_key),
                            p->now);
}

void policy_process(struct policy *policy, struct event *event, int64_t now_us)
{
    policy_tick(policy, now_us);
    enum policy_reason reason = decide(policy, event);
    suppress(event, reason);
    if (reason == POLICY_PASSES)
        refer_to_cause(policy, event);
    policy->counters.reasons[reason]++;
    log_decision(policy, event);
    policy->sink.pass(policy->sink.ctx, event);
    note_number(policy, event);
    policy_tick(policy, now_us);
}

// Work that is due.

static bool may_notify_late(struct policy *p)
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

static void announce_flapping(struct policy *p, struct alarm_state *t)
{
    struct flap *flap = t->flap;
    struct event *last = last_event(p, t);
    struct event *event = summaries_flapping(t, last, &p->options);
    event_unref(last);
    flap->announced = true;
    if (!event)
        return; // the event `settled` then counts these changes, too
    policy_emit(p, event, NEWS);
    flap->severity = event->severity;
    flap->category = event->category;
    flap->told = event->suppressed[0] == '\0' || !is_ours(p, event);
    snprintf(flap->id, sizeof flap->id, "%s", is_ours(p, event) ? event->id : "");
    flap->suppressed = 0;
    event_unref(event);
}

// `why` is a piece of a sentence; NULL: it was quiet for long enough.
static void announce_settled(struct policy *p, struct alarm_state *t, const char *why)
{
    const struct flap *flap = alarm_states_flap(t);
    const enum policy_news news = !flap->told ? NEWS : flap->id[0] ? END_OF_OURS : END;
    struct event *last = last_event(p, t);
    emit_summary(p, summaries_settled(t, last, why), news);
    event_unref(last);
    free(t->flap);
    t->flap = NULL;
    t->changed = false;
    t->settled_elsewhere = p->active || news == END_OF_OURS ? 0 : p->now;
    if (t->pending)
        t->check_at = p->now;
    else
        drop_pending(p, t);
}

// Sends the last event late.
static void notify_late(struct policy *p, struct alarm_state *t, const struct event *last)
{
    struct event *event = summaries_late(last);
    if (!event) {
        t->check_at = p->now + RETRY_US;
        return;
    }
    event->repeat_count = t->duplicates;
    t->duplicates = 0;
    if (!t->raised)
        refer_to_raise(t, event);
    policy_emit(p, event, end_kind(t));
    note_notified(p, t, event);
    t->last_number = event->number;
    event_unref(event);
    drop_pending(p, t);
}

// Whether receivers know the alarm's state. Applies the current rules, which may have changed since
// the event arrived.
static bool policy_is_known(const struct alarm_state *t, const struct event *last,
                            const struct rule_decision *verdict)
{
    const int severity =
        verdict->severity != POLICY_SAME ? verdict->severity : (int)last->type->severity;
    return t->raised == t->notified && !t->again &&
           !(t->raised && severity < (int)t->notified_severity);
}

// Sends the pending event `last` unless it is still suppressed. False: the rate of late events does
// not allow it before `blocked_until`.
static bool check_event(struct policy *p, struct alarm_state *t, struct event *last)
{
    int64_t until;
    const struct rule_decision verdict = rules_evaluate(p->rules, last);
    if (t->raised)
        t->disabled = !verdict.enabled;
    enum policy_reason reason = reasons_silence(p, t, last, &verdict, false, &until);
    if (policy_is_known(t, last, &verdict)) {
        log_debug(p->sink.log, "timer of %s: receivers know its state", t->key);
        drop_pending(p, t);
        return true;
    }
    if (reason == POLICY_PASSES)
        reason = reasons_restrain(p, t, last, &verdict, false, &until);
    if (reason != POLICY_PASSES) {
        policy_log_wait(p->sink.log, t, policy_reason_word(reason), until, p->now);
        t->check_at = until;
        return true;
    }
    if (!may_notify_late(p))
        return false;
    log_debug(p->sink.log, "timer of %s: sends %s, which no reason suppresses any more", t->key,
              last->id);
    notify_late(p, t, last);
    return true;
}

// The journal cannot read the event. It may not be committed yet, or the disk fails: so try again a
// few times. Then an event that says less takes its place. False: as check_event.
static bool check_unread(struct policy *p, struct alarm_state *t)
{
    if (t->unread >= UNREAD_MAX && t->raised == t->notified && !t->again) {
        drop_pending(p, t);
        return true;
    }
    struct event *lost = t->unread >= UNREAD_MAX ? summaries_lost(t) : NULL;
    if (!lost) {
        if (t->unread < UNREAD_MAX)
            t->unread++;
        t->check_at = p->now + RETRY_US;
        return true;
    }
    const bool done = check_event(p, t, lost);
    event_unref(lost);
    return done;
}

// Checks whether the pending event may be sent. False: as check_event.
static bool check_pending(struct policy *p, struct alarm_state *t)
{
    const int64_t until = reasons_until_unread(p, t);
    if (until != 0) {
        t->check_at = until;
        return true;
    }
    struct event *last = last_event(p, t);
    t->unread = last ? 0 : t->unread;
    const bool done = last ? check_event(p, t, last) : check_unread(p, t);
    event_unref(last);
    return done;
}

// Does the due work of one alarm state. False: as check_pending.
static bool policy_check_states(struct policy *p, struct alarm_state *t)
{
    if (t->flap && t->flap->on && !t->flap->announced)
        announce_flapping(p, t);
    if (t->flap && t->flap->on && flap_end(t->flap, &p->options) <= p->now)
        announce_settled(p, t, NULL);
    if (t->pending && t->check_at <= p->now && !check_pending(p, t))
        return false;
    if (is_idle(t) && next_check(p, t) <= p->now) {
        log_debug(p->sink.log, "timer of %s: dropped its state, as it is not raised", t->key);
        timers_drop(&p->timers, &t->timer);
        alarm_states_forget(p->states, t);
        return true;
    }
    schedule(p, t);
    return true;
}

void policy_tick(struct policy *policy, int64_t now_us)
{
    const struct storms_options options = reasons_storms_options(policy);
    policy->now = now_us;
    storms_tick(policy->storms, &options, now_us, report_storm, policy);
    duplicates_tick(policy->duplicates, policy->options.repeat_window_us, now_us);
    policy->effort = TICK_EFFORT;
    while (timers_due(&policy->timers) <= now_us && policy->blocked_until <= now_us &&
           policy->effort > 0) {
        spend(policy, 1);
        if (!policy_check_states(policy, (struct alarm_state *)timers_first(&policy->timers)))
            break;
    }
}

int64_t policy_due(const struct policy *policy)
{
    const int64_t of_storms = storms_due(policy->storms);
    const int64_t of_duplicates = duplicates_due(policy->duplicates);
    int64_t due = timers_due(&policy->timers);
    if (due < policy->blocked_until)
        due = policy->blocked_until;
    due = of_storms < due ? of_storms : due;
    return of_duplicates < due ? of_duplicates : due;
}

// Whether a hold-down or a storm still delays the event. Flapping does not count: the next start
// restores that an alarm flaps, but not its changes since then.
static bool is_restrained_at_the_end(struct policy *p, const struct alarm_state *t,
                                     const struct event *last, const struct rule_decision *verdict)
{
    int64_t until;
    const enum policy_reason reason = reasons_restrain(p, t, last, verdict, false, &until);
    return reason != POLICY_PASSES && reason != POLICY_FLAPPING;
}

static void report_outcome(void *ctx, struct alarm_state *t)
{
    struct policy *p = ctx;
    int64_t until;
    struct event *last = t->pending && t->notified ? last_event(p, t) : NULL;
    if (!last)
        return;
    const struct rule_decision verdict = rules_evaluate(p->rules, last);
    if (!policy_is_known(t, last, &verdict) &&
        reasons_silence(p, t, last, &verdict, false, &until) == POLICY_PASSES &&
        !is_restrained_at_the_end(p, t, last, &verdict))
        notify_late(p, t, last);
    event_unref(last);
    schedule(p, t);
}

void policy_end(struct policy *policy, int64_t now_us)
{
    policy->now = now_us;
    storms_end(policy->storms, report_storm, policy);
    duplicates_end(policy->duplicates);
    alarm_states_each(policy->states, report_outcome, policy);
}

// Changes by operators and at restarts.

bool policy_change_options(struct policy *policy, const struct policy_options *options,
                           int64_t now_us)
{
    struct rules *rules = rules_new(options->rules, options->rule_count);
    if (!rules)
        return false;
    rules_free(policy->rules);
    policy->rules = rules;
    policy->options = *options;
    policy->options.rules = NULL;
    policy->now = now_us;
    alarm_states_each(policy->states, reconsider, policy);
    return true;
}

static bool restore_flapping(struct policy *p, const struct policy_restored_alarm *alarm)
{
    struct alarm_state *t = alarm_states_get(p->states, alarm->key + strlen(SUMMARIES_FLAPPING));
    if (!t)
        return false;
    if (!t->flap)
        t->flap = calloc(1, sizeof *t->flap);
    if (!t->flap)
        return false;
    t->flap->told = alarm->notified != ALARM_NOT_NOTIFIED;
    if (alarm->over) { // it has settled; the other gateway was to say so
        t->settled_elsewhere = alarm->notified == ALARM_END_ELSEWHERE ? alarm->last_at_us : 0;
        schedule(p, t);
        return true;
    }
    t->flap->on = t->flap->announced = true;
    t->flap->last = p->now;
    t->flap->since_us = alarm->since_us;
    t->flap->severity = alarm->severity;
    t->flap->category = alarm->category;
    snprintf(t->flap->id, sizeof t->flap->id, "%s", alarm->notified_id);
    if (t->last_number == 0)
        t->last_number = alarm->last_number; // an event about the same link or node
    schedule(p, t);
    return true;
}

// What the journal says of an alarm is what receivers were told. Where that is not so any more, the
// event is pending at once.
bool policy_restore_alarm(struct policy *policy, const struct policy_restored_alarm *alarm,
                          int64_t now_us)
{
    policy->now = now_us;
    if (strncmp(alarm->key, SUMMARIES_FLAPPING, strlen(SUMMARIES_FLAPPING)) == 0)
        return restore_flapping(policy, alarm);
    struct alarm_state *t = alarm_states_get(policy->states, alarm->key);
    if (!t)
        return false;
    t->raised = !alarm->over;
    t->raised_at = alarm->raised_at_us;
    t->type = alarm->type;
    t->category = alarm->category;
    t->notified = alarm->notified == ALARM_NOTIFIED || alarm->notified == ALARM_NOTIFIED_ELSEWHERE;
    t->notified_at = alarm->last_at_us;
    t->elsewhere =
        alarm->notified == ALARM_NOTIFIED_ELSEWHERE || alarm->notified == ALARM_END_ELSEWHERE;
    t->severity = t->notified_severity = alarm->severity;
    t->shelved_until = alarm->shelved_until_us;
    t->last_number = alarm->last_number;
    snprintf(t->notified_id, sizeof t->notified_id, "%s", alarm->notified_id);
    snprintf(t->cause_id, sizeof t->cause_id, "%s", alarm->cause_id);
    alarm_states_set_raised_id(policy->states, t, alarm->event_id);
    t->pending = t->raised != t->notified;
    t->last_type = t->pending && t->raised ? t->type : NULL;
    t->check_at = now_us;
    schedule(policy, t);
    return true;
}

// Sends again what another gateway was to send: it may have failed, or have had a reason to
// suppress it that this gateway does not know, such as a maintenance window.
static void send_again(void *ctx, struct alarm_state *t)
{
    struct policy *p = ctx;
    if (t->flap && t->flap->on && t->flap->told && t->flap->id[0] == '\0')
        t->flap->announced = false;
    if (is_flap_open(p, t))
        announce_settled(p, t, NULL);
    t->settled_elsewhere = 0;
    if (t->elsewhere && (t->raised ? t->notified : is_handover_open(p, t))) {
        t->again = t->pending = true;
        t->last_type = t->raised ? t->type : NULL;
        t->check_at = p->now + CONFIRM_US;
    }
    t->elsewhere = false;
    schedule(p, t);
}

void policy_set_active(struct policy *policy, bool active, int64_t now_us)
{
    if (policy->active == active)
        return;
    policy->now = now_us;
    policy->active = active;
    if (!active)
        return;
    policy->handover_until = policy->options.has_partner ? now_us + POLICY_HANDOVER_US : now_us;
    alarm_states_each(policy->states, send_again, policy);
}

static void confirm(void *ctx, struct alarm_state *t)
{
    if (t->again)
        reconsider(ctx, t);
}

void policy_confirm(struct policy *policy, int64_t now_us)
{
    policy->now = now_us;
    if (policy->active && now_us < policy->handover_until)
        alarm_states_each(policy->states, confirm, policy);
}

bool policy_is_raised(const struct policy *policy, const char *key)
{
    const struct alarm_state *t = alarm_states_find(policy->states, key);
    return t && t->raised;
}

int64_t policy_age_of(const struct policy *policy, const char *key, int64_t now_us)
{
    const struct alarm_state *t = alarm_states_find(policy->states, key);
    return t && t->raised ? now_us - t->raised_at : 0;
}

bool policy_has_room(const struct policy *policy)
{
    return !alarm_states_are_full(policy->states);
}

enum policy_cause policy_cause_of(const struct policy *policy, const char *key)
{
    const struct alarm_state *t = alarm_states_find(policy->states, key);
    if (!t || !t->raised || t->cause_id[0] == '\0')
        return POLICY_NO_CAUSE;
    return alarm_states_find_raised(policy->states, t->cause_id) ? POLICY_CAUSE_ACTIVE
                                                                 : POLICY_CAUSE_CLEARED;
}

void policy_set_cause(struct policy *policy, const char *key, const char *cause_key, int64_t now_us)
{
    struct alarm_state *t = alarm_states_find(policy->states, key);
    const struct alarm_state *cause =
        cause_key ? alarm_states_find(policy->states, cause_key) : NULL;
    if (!t)
        return;
    policy->now = now_us;
    snprintf(t->cause_id, sizeof t->cause_id, "%s", cause && cause->raised ? cause->raised_id : "");
    reconsider(policy, t);
}

static bool clear_flapping(struct policy *p, const char *key, const char *reason)
{
    struct alarm_state *t = alarm_states_find(p->states, key);
    if (!t || !alarm_states_flap(t)->on)
        return false;
    announce_settled(p, t, reason);
    schedule(p, t);
    return true;
}

bool policy_clear_alarm(struct policy *policy, const char *key, const char *reason, int64_t now_us)
{
    policy->now = now_us;
    if (strncmp(key, SUMMARIES_FLAPPING, strlen(SUMMARIES_FLAPPING)) == 0)
        return clear_flapping(policy, key + strlen(SUMMARIES_FLAPPING), reason);
    struct alarm_state *t = alarm_states_find(policy->states, key);
    if (!t || !t->raised)
        return false;
    struct event *last = last_event(policy, t);
    struct event *event = summaries_cleared(t, last, reason);
    event_unref(last);
    if (!event)
        return false;
    policy->sink.stamp(policy->sink.ctx, event);
    policy_process(policy, event, now_us);
    event_unref(event);
    return true;
}

bool policy_shelve(struct policy *policy, const char *key, int64_t until_us, int64_t now_us)
{
    struct alarm_state *t = alarm_states_get(policy->states, key);
    if (!t)
        return false;
    policy->now = now_us;
    t->shelved_until = until_us;
    reconsider(policy, t);
    return true;
}

bool policy_start_maintenance(struct policy *policy, const struct policy_maintenance *window,
                              int64_t now_us)
{
    policy->now = now_us;
    const bool ok = maintenance_start(&policy->maintenance, window, now_us);
    alarm_states_each(policy->states, reconsider, policy); // the window may be shorter than before
    return ok;
}

bool policy_stop_maintenance(struct policy *policy, const char *name, int64_t now_us)
{
    policy->now = now_us;
    const bool ok = maintenance_stop(&policy->maintenance, name);
    alarm_states_each(policy->states, reconsider, policy);
    return ok;
}

size_t policy_each_maintenance(const struct policy *policy, int64_t now_us,
                               void (*each)(void *ctx, const struct policy_maintenance *window),
                               void *ctx)
{
    return maintenance_each(&policy->maintenance, now_us, each, ctx);
}

void policy_get_counters(const struct policy *policy, struct policy_counters *out)
{
    *out = policy->counters;
}

// Making and freeing.

struct policy *policy_new(const struct policy_options *options, const struct policy_sink *sink,
                          const struct random *random)
{
    struct policy *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->options = *options;
    p->options.rules = NULL;
    p->sink = *sink;
    p->rules = rules_new(options->rules, options->rule_count);
    p->states = alarm_states_new(random);
    p->duplicates = duplicates_new(report_repeated, p, random);
    p->storms = storms_new();
    if (p->rules && p->states && p->duplicates && p->storms &&
        timers_init(&p->timers, POLICY_ALARMS_MAX))
        return p;
    policy_free(p);
    return NULL;
}

void policy_free(struct policy *policy)
{
    if (!policy)
        return;
    rules_free(policy->rules);
    alarm_states_free(policy->states);
    timers_clear(&policy->timers);
    duplicates_free(policy->duplicates);
    storms_free(policy->storms);
    free(policy);
}
