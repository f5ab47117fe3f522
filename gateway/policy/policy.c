// SPDX-License-Identifier: BSD-2-Clause
#include "policy/policy.h"

#include "base/clock.h"
#include "model/catalogue.h"
#include "policy/alarm_states.h"
#include "policy/duplicates.h"
#include "policy/maintenance.h"
#include "policy/policy_log.h"
#include "policy/rules.h"
#include "policy/storms.h"
#include "policy/summaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t CAUSE_US =
    60 * CLOCK_US_PER_S; // interval of the checks whether a root cause is cleared
static const int64_t RATE_US =
    60 * CLOCK_US_PER_S; // a link that came up may be found degraded within this time
static const int64_t RETRY_US = CLOCK_US_PER_S; // next attempt after memory was short
static const uint32_t LATE_RATE = 1000;         // late events per second if storm_rate is 0

struct policy {
    struct policy_options options; // its rules are in `rules`
    struct policy_sink sink;
    struct rules *rules;
    struct alarm_states *states;
    struct timers timers; // of the alarm states
    struct duplicates *duplicates;
    struct storms *storms;
    struct maintenance maintenance;
    int64_t now;          // the time that the current call was given
    int64_t second_began; // late events are limited to a rate
    uint32_t in_second;
    int64_t blocked_until;
    struct policy_counters counters;
};

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
        [POLICY_NEVER_NOTIFIED] = "never-notified",
        [POLICY_FLAPPING] = "flapping",
        [POLICY_HOLD_DOWN] = "hold-down",
        [POLICY_STORM] = "storm",
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

static void policy_emit(struct policy *p, struct event *event)
{
    struct rule_decision verdict;
    judge(p, event, &verdict);
    if (!verdict.enabled)
        suppress(event, POLICY_DISABLED);
    p->sink.stamp(p->sink.ctx, event);
    policy_log_made(p->sink.log, event);
    p->sink.pass(p->sink.ctx, event);
    p->counters.made++;
}

// Sends the event and drops the caller's reference. NULL: it could not be made, out of memory.
static void emit_summary(struct policy *p, struct event *event)
{
    if (!event) {
        p->counters.overflowed++;
        return;
    }
    policy_emit(p, event);
    event_unref(event);
}

static void report_repeated(void *ctx, const struct duplicates_account *account)
{
    emit_summary(ctx, summaries_repeated(account));
}

static void report_storm(void *ctx, const struct storm_account *account)
{
    emit_summary(ctx, summaries_storm(account));
}

static struct storms_options storms_options(const struct policy *p)
{
    return (struct storms_options){.rate = p->options.storm_rate,
                                   .period_us = p->options.storm_period_us};
}

static bool in_storm(struct policy *p, const struct event *event)
{
    const struct storms_options options = storms_options(p);
    return storms_suppress(p->storms, &options, event, p->now);
}

// Events about the gateway itself are few, concern no node, and must not be suppressed.
static bool is_own(const struct event *event)
{
    return event_is_own(event);
}

// Reasons to suppress an alarm.

// A root cause still counts at the first check after it was cleared, since its consequences may
// clear a little later.
static bool cause_counts(const struct policy *p, struct alarm_state *t, const struct event *event)
{
    const bool arrives = event != t->last;
    const bool active = alarm_states_find_raised(p->states, event->cause_id) != NULL;
    const bool counts = arrives || active || !t->cause_cleared;
    t->cause_cleared = !arrives && !active;
    return counts;
}

// Checks for a rule, maintenance, shelving and a root cause, which no summary reports. Sets
// `*until`: when to check again.
static enum policy_reason policy_silence(const struct policy *p, struct alarm_state *t,
                                         const struct event *event,
                                         const struct rule_decision *verdict, int64_t *until)
{
    *until = INT64_MAX;
    if (!verdict->enabled)
        return POLICY_DISABLED;
    if (event->type->alarm == ALARM_CLEARS)
        return POLICY_PASSES;
    *until = is_own(event) ? 0 : maintenance_until(&p->maintenance, event, p->now);
    if (*until > p->now)
        return POLICY_MAINTENANCE;
    *until = t->shelved_until;
    if (*until > p->now)
        return POLICY_SHELVED;
    *until = p->now + CAUSE_US;
    if (p->options.suppress_consequences && event->cause_id[0] != '\0' && cause_counts(p, t, event))
        return POLICY_CONSEQUENCE;
    return POLICY_PASSES;
}

// Checks for flapping, hold-down and a storm. Sets `*until`: when to check again. An arriving event
// counts towards a storm; a pending one waits for the storm's end.
static enum policy_reason restraint(struct policy *p, const struct alarm_state *t,
                                    const struct event *event, const struct rule_decision *verdict,
                                    bool arrives, int64_t *until)
{
    *until = INT64_MAX;
    if (t->flap.on)
        return POLICY_FLAPPING;
    *until = t->raised_at + verdict->hold_down_us;
    if (t->raised && *until > p->now)
        return POLICY_HOLD_DOWN;
    if (is_own(event))
        return POLICY_PASSES;
    const bool storm = arrives ? in_storm(p, event) : storms_of(p->storms, event->type) != 0;
    *until = storms_of(p->storms, event->type);
    return storm ? POLICY_STORM : POLICY_PASSES;
}

// Recording notifications.

static bool keep_for_later(struct policy *p, struct alarm_state *t, struct event *event,
                           int64_t until)
{
    if (!alarm_states_set_last(p->states, t, event)) {
        p->counters.overflowed++;
        return false;
    }
    t->pending = true;
    t->check_at = until;
    return true;
}

static void drop_pending(struct policy *p, struct alarm_state *t)
{
    t->pending = false;
    if (!t->flap.on)
        alarm_states_set_last(p->states, t, NULL);
}

// Records that the event is about to be sent.
static void policy_report(struct alarm_state *t, struct event *event)
{
    event->repeat_count = t->duplicates;
    t->duplicates = 0;
    t->notified = t->raised;
    t->notified_severity = event->severity;
}

static bool is_idle(const struct alarm_state *t)
{
    return !t->raised && !t->notified && !t->pending && !t->flap.on;
}

static int64_t next_check(const struct policy *p, const struct alarm_state *t)
{
    int64_t due = t->pending ? t->check_at : INT64_MAX;
    if (t->flap.on) {
        const int64_t end = t->flap.announced ? flap_end(&t->flap, &p->options) : p->now;
        due = end < due ? end : due;
    }
    if (is_idle(t)) {
        const int64_t calm = t->flap.changes ? t->flap.last + p->options.flap_within_us : p->now;
        due = calm > t->shelved_until ? calm : t->shelved_until;
    }
    return due;
}

static void schedule(struct policy *p, struct alarm_state *t)
{
    timers_set(&p->timers, &t->timer, next_check(p, t));
}

// Deciding about an event.

// Suppresses an event whose state receivers know already.
static enum policy_reason suppress_known(struct policy *p, struct alarm_state *t,
                                         struct event *event, bool changed)
{
    if (t->flap.on && changed) {
        t->flap.suppressed++;
        alarm_states_set_last(p->states, t, event);
        t->pending = false;
        return POLICY_FLAPPING;
    }
    drop_pending(p, t);
    if (!t->raised)
        return POLICY_NEVER_NOTIFIED;
    t->duplicates++;
    return POLICY_DUPLICATE;
}

static enum policy_reason notify_or_suppress(struct policy *p, struct alarm_state *t,
                                             struct event *event,
                                             const struct rule_decision *verdict,
                                             enum policy_reason reason, int64_t until)
{
    if (reason == POLICY_DISABLED && !t->raised) { // receivers will never get this clear
        drop_pending(p, t);
        t->notified = false;
        return reason;
    }
    if (reason == POLICY_PASSES)
        reason = restraint(p, t, event, verdict, true, &until);
    if (reason != POLICY_PASSES && keep_for_later(p, t, event, until)) {
        t->flap.suppressed += reason == POLICY_FLAPPING;
        return reason;
    }
    drop_pending(p, t);
    policy_report(t, event);
    memcpy(t->notified_id, event->id, sizeof t->notified_id);
    return POLICY_PASSES;
}

static enum policy_reason decide_alarm(struct policy *p, struct alarm_state *t, struct event *event,
                                       const struct rule_decision *verdict)
{
    int64_t until;
    const bool raises = event->type->alarm == ALARM_RAISES;
    const bool changed = raises != t->raised;
    const enum policy_reason silent = policy_silence(p, t, event, verdict, &until);
    if (raises && changed) {
        t->raised_at = p->now;
        t->unnotifiable = silent != POLICY_PASSES;
        alarm_states_set_raised_id(p->states, t, event->id);
    }
    t->raised = raises;
    if (!raises)
        memcpy(event->clears_id, t->notified ? t->notified_id : t->raised_id,
               sizeof event->clears_id);
    if (changed && silent == POLICY_PASSES && !t->unnotifiable && !is_own(event))
        flap_note(&t->flap, &p->options, event, p->now);
    const bool worse = raises && t->notified && event->severity < t->notified_severity;
    if (t->raised == t->notified && !worse)
        return suppress_known(p, t, event, changed);
    return notify_or_suppress(p, t, event, verdict, silent, until);
}

static enum policy_reason decide_plain(struct policy *p, struct event *event,
                                       const struct rule_decision *verdict)
{
    if (!verdict->enabled)
        return POLICY_DISABLED;
    if (is_own(event))
        return POLICY_PASSES;
    if (maintenance_until(&p->maintenance, event, p->now) > p->now)
        return POLICY_MAINTENANCE;
    if (p->options.suppress_consequences && event->cause_id[0] != '\0')
        return POLICY_CONSEQUENCE;
    if (storms_of(p->storms, event->type) == 0 &&
        duplicates_suppress(p->duplicates, event, p->options.repeat_window_us, p->now))
        return POLICY_DUPLICATE;
    return in_storm(p, event) ? POLICY_STORM : POLICY_PASSES;
}

// A sweep reports the rate of a link that came up only if the rate is too low. So a rate alarm from
// before the link went down is cleared if no such report follows within RATE_US.
static void end_alarm_of_rate(struct policy *p, const struct event *up)
{
    char key[EVENT_KEY_SIZE];
    if (up->test || up->type != catalogue_get(CATALOGUE_LINK_UP))
        return;
    snprintf(key, sizeof key, "rate %s", up->alarm_key);
    struct alarm_state *t = alarm_states_find(p->states, key);
    struct event *end = t && t->raised ? summaries_full_rate(up, key) : NULL;
    if (!end)
        return;
    t->raised = false;
    if (!t->notified || !keep_for_later(p, t, end, p->now + RATE_US))
        drop_pending(p, t);
    schedule(p, t);
    event_unref(end);
}

static enum policy_reason decide(struct policy *p, struct event *event)
{
    struct rule_decision verdict;
    judge(p, event, &verdict);
    if (event->test)
        return POLICY_PASSES;
    const enum alarm_role role = event->type->alarm;
    if (role == ALARM_NONE || event->alarm_key[0] == '\0')
        return decide_plain(p, event, &verdict);
    struct alarm_state *t = alarm_states_find(p->states, event->alarm_key);
    if (role == ALARM_CLEARS && (!t || (!t->raised && !t->notified))) // it clears no alarm
        return decide_plain(p, event, &verdict);
    if (!t)
        t = alarm_states_get(p->states, event->alarm_key);
    if (!t) {
        p->counters.overflowed++;
        return verdict.enabled ? POLICY_PASSES : POLICY_DISABLED;
    }
    const enum policy_reason reason = decide_alarm(p, t, event, &verdict);
    schedule(p, t);
    return reason;
}

// Updates the alarm state for an event of which another gateway notifies receivers.
static void note_standby(struct policy *p, struct event *event)
{
    const bool raises = event->type->alarm == ALARM_RAISES;
    if (event->test || event->type->alarm == ALARM_NONE || event->alarm_key[0] == '\0')
        return;
    struct alarm_state *t = alarm_states_get(p->states, event->alarm_key);
    if (!t)
        return;
    if (raises && !t->raised)
        alarm_states_set_raised_id(p->states, t, event->id);
    if (!raises)
        memcpy(event->clears_id, t->notified_id, sizeof event->clears_id);
    t->raised = t->notified = raises;
    t->notified_severity = event->severity;
    t->duplicates = 0;
    memcpy(t->notified_id, event->id, sizeof t->notified_id);
    drop_pending(p, t);
    schedule(p, t);
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
    end_alarm_of_rate(policy, event);
    if (event->suppressed[0] != '\0') {
        note_standby(policy, event);
    } else {
        const enum policy_reason reason = decide(policy, event);
        suppress(event, reason);
        policy->counters.reasons[reason]++;
    }
    log_decision(policy, event);
    policy->sink.pass(policy->sink.ctx, event);
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
    struct event *event = summaries_flapping(t, &p->options);
    t->flap.announced = true;
    if (!event)
        return; // the event `settled` then counts these changes, too
    policy_emit(p, event);
    memcpy(t->flap.id, event->id, sizeof t->flap.id);
    t->flap.suppressed = 0;
    event_unref(event);
}

static void announce_settled(struct policy *p, struct alarm_state *t)
{
    emit_summary(p, summaries_settled(t));
    flap_rest(&t->flap);
    if (t->pending)
        t->check_at = p->now;
    else
        drop_pending(p, t);
}

static void notify_late(struct policy *p, struct alarm_state *t)
{
    struct event *event = summaries_late(t);
    if (!event) {
        t->check_at = p->now + RETRY_US;
        return;
    }
    if (!t->raised)
        memcpy(event->clears_id, t->notified_id, sizeof event->clears_id);
    policy_report(t, event);
    policy_emit(p, event);
    t->notified_severity = event->severity;
    memcpy(t->notified_id, event->id, sizeof t->notified_id);
    event_unref(event);
    drop_pending(p, t);
}

// Whether receivers know the alarm's state. Applies the current rules, which may have changed since
// the event arrived.
static bool policy_is_known(const struct alarm_state *t, const struct rule_decision *verdict)
{
    const int severity =
        verdict->severity != POLICY_SAME ? verdict->severity : (int)t->last->type->severity;
    return t->raised == t->notified && !(t->raised && severity < (int)t->notified_severity);
}

// Sends the pending event unless it is still suppressed. False: the rate of late events does not
// allow it before `blocked_until`.
static bool check_pending(struct policy *p, struct alarm_state *t)
{
    int64_t until;
    const struct rule_decision verdict = rules_evaluate(p->rules, t->last);
    enum policy_reason reason = policy_silence(p, t, t->last, &verdict, &until);
    if (reason == POLICY_DISABLED && !t->raised)
        t->notified = false;
    if (policy_is_known(t, &verdict)) {
        log_debug(p->sink.log, "timer of %s: receivers know its state", t->key);
        drop_pending(p, t);
        return true;
    }
    if (reason == POLICY_PASSES)
        reason = restraint(p, t, t->last, &verdict, false, &until);
    if (reason != POLICY_PASSES) {
        policy_log_wait(p->sink.log, t, policy_reason_word(reason), until, p->now);
        t->check_at = until;
        return true;
    }
    if (!may_notify_late(p))
        return false;
    log_debug(p->sink.log, "timer of %s: sends %s, which no reason suppresses any more", t->key,
              t->last->id);
    notify_late(p, t);
    return true;
}

// Does the due work of one alarm state. False: as check_pending.
static bool policy_check_states(struct policy *p, struct alarm_state *t)
{
    if (t->flap.on && !t->flap.announced)
        announce_flapping(p, t);
    if (t->flap.on && flap_end(&t->flap, &p->options) <= p->now)
        announce_settled(p, t);
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
    const struct storms_options options = storms_options(policy);
    policy->now = now_us;
    storms_tick(policy->storms, &options, now_us, report_storm, policy);
    duplicates_tick(policy->duplicates, policy->options.repeat_window_us, now_us);
    while (timers_due(&policy->timers) <= now_us && policy->blocked_until <= now_us) {
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

// Whether a hold-down or a storm still delays `last`. Flapping does not count: the next start
// restores that an alarm flaps, but not its changes since then.
static bool is_restrained_at_the_end(struct policy *p, const struct alarm_state *t,
                                     const struct rule_decision *verdict)
{
    int64_t until;
    const enum policy_reason reason = restraint(p, t, t->last, verdict, false, &until);
    return reason != POLICY_PASSES && reason != POLICY_FLAPPING;
}

static void report_outcome(void *ctx, struct alarm_state *t)
{
    struct policy *p = ctx;
    int64_t until;
    if (!t->pending || !t->notified)
        return;
    const struct rule_decision verdict = rules_evaluate(p->rules, t->last);
    if (!policy_is_known(t, &verdict) &&
        policy_silence(p, t, t->last, &verdict, &until) == POLICY_PASSES &&
        !is_restrained_at_the_end(p, t, &verdict))
        notify_late(p, t);
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

static void reconsider(void *ctx, struct alarm_state *state)
{
    struct policy *p = ctx;
    if (state->pending)
        state->check_at = p->now;
    schedule(p, state);
}

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
    t->flap.on = t->flap.announced = true;
    t->flap.last = p->now;
    snprintf(t->flap.id, sizeof t->flap.id, "%s",
             alarm->notified_id[0] ? alarm->notified_id : alarm->event_id);
    if (alarm->event) {
        t->flap.since_us = alarm->event->since_us;
        if (!t->last)
            alarm_states_set_last(p->states, t, alarm->event);
    }
    schedule(p, t);
    return true;
}

bool policy_restore_alarm(struct policy *policy, const struct policy_restored_alarm *alarm,
                          int64_t now_us)
{
    policy->now = now_us;
    if (strncmp(alarm->key, SUMMARIES_FLAPPING, strlen(SUMMARIES_FLAPPING)) == 0)
        return restore_flapping(policy, alarm);
    struct alarm_state *t = alarm_states_get(policy->states, alarm->key);
    if (!t)
        return false;
    const bool never_notified = alarm->event && alarm->notified_id[0] == '\0';
    t->raised = true;
    t->raised_at = now_us;
    t->notified_severity = alarm->severity;
    t->shelved_until = alarm->shelved_until_us;
    alarm_states_set_raised_id(policy->states, t, alarm->event_id);
    snprintf(t->notified_id, sizeof t->notified_id, "%s",
             alarm->notified_id[0] ? alarm->notified_id : alarm->event_id);
    t->notified = !never_notified || !keep_for_later(policy, t, alarm->event, now_us);
    schedule(policy, t);
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
