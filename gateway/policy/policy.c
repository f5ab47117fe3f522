// SPDX-License-Identifier: BSD-2-Clause
#include "policy/policy.h"

#include "base/clock.h"
#include "base/memory.h"
#include "model/catalogue.h"
#include "policy/decide.h"
#include "policy/notify.h"
#include "policy/reasons.h"
#include "policy/summaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How long an alarm that has to be sent again waits for the sweep that confirms the alarm.
static const int64_t CONFIRM_US = 120 * CLOCK_US_PER_S;

// How many checks of an alarm state policy_next does before it returns NULL: these take some
// milliseconds. A check that reads an event back counts more.
enum { ROUND_EFFORT = 4096 };

static void policy_report_repeated(void *ctx, const struct duplicates_account *account)
{
    notify_summary(ctx, summaries_repeated(account));
}

static void policy_report_storm(void *ctx, const struct storm_account *account)
{
    notify_summary(ctx, summaries_storm(account));
}

// Takes over the journal's number of the event that policy_next returned last. By the number,
// policy reads the event back.
static void policy_take_number(struct policy *p)
{
    struct event *event = p->handed;
    p->handed = NULL;
    if (!event)
        return;
    struct alarm_state *t = alarm_states_find(p->states, event->test ? "" : event->alarm_key);
    if (t)
        t->last_number = event->number;
    event_unref(event);
}

static void policy_tell_decision(const struct policy *p, const struct event *event)
{
    if (log_is_debug(p->sink.log))
        policy_log_decision(p->sink.log, event, alarm_states_find(p->states, event->alarm_key),
                            p->now);
}

void policy_process(struct policy *policy, struct event *event, int64_t now_us)
{
    policy->now = now_us;
    policy_take_number(policy);
    const enum policy_reason reason = decide_event(policy, event);
    notify_suppress(event, reason);
    if (reason == POLICY_PASSES)
        notify_refer_to_cause(policy, event);
    policy->counters.reasons[reason]++;
    policy_tell_decision(policy, event);
    notify_list(policy, event);
}

// Work that is due.

static void policy_begin_round(struct policy *p)
{
    storms_tick(p->storms, p->now);
    duplicates_tick(p->duplicates, p->options.repeat_window_us, p->now);
    p->effort = ROUND_EFFORT;
}

// Checks alarm states until a check lists an event.
static void policy_check_due(struct policy *p)
{
    while (p->list_count == 0 && timers_due(&p->timers) <= p->now && p->blocked_until <= p->now &&
           p->effort > 0) {
        pending_spend(p, 1);
        if (!check_state(p, (struct alarm_state *)timers_first(&p->timers)))
            return;
    }
}

struct event *policy_next(struct policy *policy, int64_t now_us)
{
    policy->now = now_us;
    policy_take_number(policy);
    if (!policy->in_round)
        policy_begin_round(policy);
    policy_check_due(policy);
    policy->in_round = policy->list_count > 0;
    if (!policy->in_round) {
        policy->list_first = 0;
        return NULL;
    }
    policy->list_count--;
    policy->handed = policy->listed[policy->list_first++];
    return policy->handed;
}

int64_t policy_due(const struct policy *policy)
{
    if (policy->list_count > 0)
        return policy->now;
    const int64_t of_storms = storms_due(policy->storms);
    const int64_t of_duplicates = duplicates_due(policy->duplicates);
    int64_t due = timers_due(&policy->timers);
    if (due < policy->blocked_until)
        due = policy->blocked_until;
    due = of_storms < due ? of_storms : due;
    return of_duplicates < due ? of_duplicates : due;
}

void policy_end(struct policy *policy, int64_t now_us)
{
    policy->now = now_us;
    storms_end(policy->storms);
    duplicates_end(policy->duplicates);
    alarm_states_each(policy->states, check_at_end, policy);
}

// Changes by operators and at restarts.

void policy_change_options(struct policy *policy, const struct policy_options *options,
                           int64_t now_us)
{
    rules_free(policy->rules);
    policy->rules = rules_new(options->rules, options->rule_count);
    policy->options = *options;
    policy->options.rules = NULL;
    policy->now = now_us;
    alarm_states_each(policy->states, pending_reconsider, policy);
}

// Converts a UTC time of the past to policy's clock. After the clock was set back, the time is now.
static int64_t policy_to_past(const struct policy *p, int64_t utc_us, int64_t now_utc_us)
{
    return now_utc_us > utc_us ? p->now - (now_utc_us - utc_us) : p->now;
}

static bool policy_restore_flapping(struct policy *p, const struct alarm *alarm, int64_t utc_us)
{
    struct alarm_state *t =
        alarm_states_get(p->states, alarm->key + strlen(SUMMARIES_FLAPPING), true);
    if (!t)
        return false;
    if (!t->flap)
        t->flap = memory_zeroed(1, sizeof *t->flap);
    t->flap->told = alarm->notified != ALARM_NOT_NOTIFIED;
    if (alarm->over) { // settled; the other gateway was to say so
        t->settled_elsewhere =
            alarm->notified == ALARM_END_ELSEWHERE ? policy_to_past(p, alarm->last_us, utc_us) : 0;
        pending_schedule(p, t);
        return true;
    }
    t->flap->on = t->flap->announced = true;
    t->flap->last = p->now;
    t->flap->since_us = alarm->raised_us;
    t->flap->severity = alarm->severity;
    t->flap->category = alarm->category;
    snprintf(t->flap->id, sizeof t->flap->id, "%s", alarm->notified_id);
    if (t->last_number == 0)
        t->last_number = alarm->last_sequence; // an event about the same link or node
    pending_schedule(p, t);
    return true;
}

// The journal knows what receivers were told. If the alarm's state differs, the event is pending at
// once.
static void policy_restore_state(struct policy *p, struct alarm_state *t, const struct alarm *alarm,
                                 int64_t utc_us)
{
    static const enum told TOLD[] = {[ALARM_NOT_NOTIFIED] = TOLD_NOTHING,
                                     [ALARM_NOTIFIED] = TOLD_RAISED,
                                     [ALARM_NOTIFIED_ELSEWHERE] = TOLD_RAISED_ELSEWHERE,
                                     [ALARM_END_ELSEWHERE] = TOLD_END_ELSEWHERE};
    t->raised = !alarm->over;
    t->raised_at = policy_to_past(p, alarm->raised_us, utc_us);
    t->since_us = alarm->raised_us;
    t->type = catalogue_find(alarm->type);
    t->category = alarm->category;
    t->told = TOLD[alarm->notified];
    t->notified_at = policy_to_past(p, alarm->last_us, utc_us);
    t->reason = policy_reason_find(alarm->suppressed);
    t->severity = t->notified_severity = alarm->severity;
    t->shelved_until =
        alarm->shelved_until_us > utc_us ? p->now + (alarm->shelved_until_us - utc_us) : 0;
    t->last_number = alarm->last_sequence;
    snprintf(t->notified_id, sizeof t->notified_id, "%s", alarm->notified_id);
    snprintf(t->cause_id, sizeof t->cause_id, "%s", alarm->cause_id);
    alarm_states_set_raised_id(p->states, t, alarm->event_id);
    t->apart_due = t->raised && !told_is_raised(t->told) && t->cause_id[0];
    t->apart = t->apart_due && (alarm->told_sequence != 0 || p->options.has_partner);
    t->told_parts = UINT16_MAX;
    t->pending = t->raised != told_is_raised(t->told) ||
                 (t->raised && (t->reason == POLICY_HOLD_DOWN || t->reason == POLICY_STORM));
    t->last_type = t->pending && t->raised ? t->type : NULL;
    t->check_at = p->now;
    pending_schedule(p, t);
}

bool policy_restore_alarm(struct policy *policy, const struct alarm *alarm, int64_t utc_us,
                          int64_t now_us)
{
    policy->now = now_us;
    if (strncmp(alarm->key, SUMMARIES_FLAPPING, strlen(SUMMARIES_FLAPPING)) == 0)
        return policy_restore_flapping(policy, alarm, utc_us);
    struct alarm_state *t = alarm_states_get(policy->states, alarm->key, true);
    policy->left_out |= !t;
    if (t)
        policy_restore_state(policy, t, alarm, utc_us);
    return t != NULL;
}

// Sends again what another gateway was to send: that gateway may have failed, or may have had a
// reason to suppress the event, such as a maintenance window, that this gateway does not know.
static void policy_send_again(void *ctx, struct alarm_state *t)
{
    struct policy *p = ctx;
    if (t->flap && t->flap->on && t->flap->told && t->flap->id[0] == '\0')
        t->flap->announced = false;
    if (pending_flap_in_handover(p, t))
        notify_settled(p, t, NULL);
    t->settled_elsewhere = 0;
    const bool elsewhere = told_is_elsewhere(t->told);
    const bool recent = t->raised ? told_is_raised(t->told) : pending_in_handover(p, t);
    t->told = told_at_takeover(t->told, recent);
    if (elsewhere && recent) {
        t->pending = true;
        t->apart_due = t->raised && t->cause_id[0] != '\0';
        t->last_type = t->raised ? t->type : NULL;
        t->check_at = p->now + CONFIRM_US;
    }
    if (t->apart_due && !p->options.has_partner)
        pending_reconsider(p, t);
    pending_schedule(p, t);
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
    alarm_states_each(policy->states, policy_send_again, policy);
}

static void policy_confirm_state(void *ctx, struct alarm_state *t)
{
    if (told_is_again(t->told) || t->apart_due)
        pending_reconsider(ctx, t);
}

void policy_confirm(struct policy *policy, int64_t now_us)
{
    policy->now = now_us;
    if (policy->active && now_us < policy->handover_until)
        alarm_states_each(policy->states, policy_confirm_state, policy);
}

bool policy_is_raised(const struct policy *policy, const char *key)
{
    const struct alarm_state *t = alarm_states_find(policy->states, key);
    return t && t->raised;
}

bool policy_state(struct policy *policy, const char *key)
{
    struct alarm_state *t = alarm_states_find(policy->states, key);
    if (t)
        t->stated = true;
    return t && t->raised;
}

static void policy_describe_alarm(const struct policy *p, const struct alarm_state *t,
                                  struct policy_alarm *out)
{
    const struct alarm_state *cause =
        t->cause_id[0] != '\0' ? alarm_states_find_raised(p->states, t->cause_id) : NULL;
    *out = (struct policy_alarm){.key = t->key,
                                 .type = t->type,
                                 .event_id = t->raised_id,
                                 .cause_id = t->cause_id,
                                 .cause_key = cause ? cause->key : NULL,
                                 .reason = t->reason,
                                 .stated = t->stated,
                                 .last_number = t->last_number,
                                 .since_us = t->since_us,
                                 .raised_at_us = t->raised_at};
}

bool policy_find_alarm(const struct policy *policy, const char *key, struct policy_alarm *out)
{
    const struct alarm_state *t = alarm_states_find(policy->states, key);
    if (t && t->raised)
        policy_describe_alarm(policy, t, out);
    return t && t->raised;
}

struct alarm_of_type {
    const struct catalogue_entry *type;
    const struct alarm_state *found;
};

static void policy_take_alarm_of(void *ctx, struct alarm_state *t)
{
    struct alarm_of_type *search = ctx;
    if (t->raised && t->type == search->type && !search->found)
        search->found = t;
}

bool policy_find_alarm_of(const struct policy *policy, const struct catalogue_entry *type,
                          struct policy_alarm *out)
{
    struct alarm_of_type search = {.type = type};
    alarm_states_each(policy->states, policy_take_alarm_of, &search);
    if (search.found)
        policy_describe_alarm(policy, search.found, out);
    return search.found != NULL;
}

struct listing {
    const struct policy *policy;
    struct policy_alarm *all;
    size_t count;
};

static void policy_list_alarm(void *ctx, struct alarm_state *t)
{
    struct listing *listing = ctx;
    if (t->raised)
        policy_describe_alarm(listing->policy, t, &listing->all[listing->count++]);
    t->stated = false;
}

struct policy_alarm *policy_list_alarms(struct policy *policy, size_t *count)
{
    struct listing listing = {.policy = policy};
    listing.all = memory_zeroed(alarm_states_count(policy->states), sizeof *listing.all);
    alarm_states_each(policy->states, policy_list_alarm, &listing);
    *count = listing.count;
    return listing.all;
}

bool policy_left_out_alarms(struct policy *policy)
{
    const bool left_out = policy->left_out;
    policy->left_out = false;
    return left_out;
}

bool policy_has_room(const struct policy *policy)
{
    return !alarm_states_are_full(policy->states);
}

bool policy_singles_out(const struct policy *policy, const struct event *event, int64_t now_us)
{
    const struct alarm_state *t = alarm_states_find(policy->states, event->alarm_key);
    return !policy->options.suppress_consequences ||
           rules_evaluate(policy->rules, event).rule[0] != '\0' ||
           maintenance_until(&policy->maintenance, event, now_us) > now_us ||
           (t && t->shelved_until > now_us);
}

void policy_set_cause(struct policy *policy, const char *key, const char *cause_key, int64_t now_us)
{
    struct alarm_state *t = alarm_states_find(policy->states, key);
    const struct alarm_state *cause =
        cause_key ? alarm_states_find(policy->states, cause_key) : NULL;
    if (!t)
        return;
    policy->now = now_us;
    apart_set_cause(t, cause && cause->raised ? cause->raised_id : "", false);
    if (t->raised && policy->sink.explain)
        policy->sink.explain(policy->sink.ctx, key, t->cause_id, t->reason);
    pending_reconsider(policy, t);
}

static bool policy_clear_flapping(struct policy *p, const char *key, const char *reason)
{
    struct alarm_state *t = alarm_states_find(p->states, key);
    if (!t || !alarm_states_flap(t)->on)
        return false;
    notify_settled(p, t, reason);
    pending_schedule(p, t);
    return true;
}

bool policy_clear_alarm(struct policy *policy, const char *key, const char *reason, int64_t now_us)
{
    policy->now = now_us;
    if (strncmp(key, SUMMARIES_FLAPPING, strlen(SUMMARIES_FLAPPING)) == 0)
        return policy_clear_flapping(policy, key + strlen(SUMMARIES_FLAPPING), reason);
    struct alarm_state *t = alarm_states_find(policy->states, key);
    if (!t || !t->raised)
        return false;
    struct event *last = pending_last(policy, t);
    struct event *event = summaries_cleared(t, last, reason);
    event_unref(last);
    policy->sink.stamp(policy->sink.ctx, event);
    policy_process(policy, event, now_us);
    event_unref(event);
    return true;
}

bool policy_shelve(struct policy *policy, const char *key, int64_t until_us, int64_t now_us)
{
    struct alarm_state *t = alarm_states_get(policy->states, key, false);
    if (!t)
        return false;
    policy->now = now_us;
    t->shelved_until = until_us;
    pending_reconsider(policy, t);
    return true;
}

bool policy_start_maintenance(struct policy *policy, const struct maintenance_window *window,
                              int64_t now_us)
{
    policy->now = now_us;
    const bool ok = maintenance_start(&policy->maintenance, window, now_us);
    alarm_states_each(policy->states, pending_reconsider,
                      policy); // the window may be shorter than before
    return ok;
}

bool policy_stop_maintenance(struct policy *policy, const char *name, int64_t now_us)
{
    policy->now = now_us;
    const bool ok = maintenance_stop(&policy->maintenance, name);
    alarm_states_each(policy->states, pending_reconsider, policy);
    return ok;
}

void policy_get_counters(const struct policy *policy, struct policy_counters *out)
{
    *out = policy->counters;
}

// Making and freeing.

struct policy *policy_new(const struct policy_options *options, const struct policy_sink *sink,
                          const struct random *random)
{
    const size_t alarms_max = options->alarms_max ? options->alarms_max : POLICY_ALARMS_MAX;
    const size_t pending_max = options->pending_max ? options->pending_max : POLICY_PENDING_MAX;
    struct policy *p = memory_zeroed(1, sizeof *p);
    p->options = *options;
    p->options.rules = NULL;
    p->sink = *sink;
    p->rules = rules_new(options->rules, options->rule_count);
    p->states = alarm_states_new(alarms_max, pending_max, random);
    p->duplicates = duplicates_new(policy_report_repeated, p, random);
    p->storms = storms_new(&p->options, policy_report_storm, p);
    timers_init(&p->timers, POLICY_ALARMS_MAX);
    return p;
}

void policy_free(struct policy *policy)
{
    if (!policy)
        return;
    while (policy->list_count > 0)
        event_unref(policy->listed[policy->list_first + --policy->list_count]);
    free(policy->listed);
    event_unref(policy->handed);
    rules_free(policy->rules);
    alarm_states_free(policy->states);
    timers_clear(&policy->timers);
    duplicates_free(policy->duplicates);
    storms_free(policy->storms);
    free(policy);
}
