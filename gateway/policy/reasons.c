// SPDX-License-Identifier: BSD-2-Clause
#include "policy/reasons.h"

#include <string.h>

const char *policy_reason_word(enum policy_reason reason)
{
    static const char *const WORDS[POLICY_REASON_COUNT] = {
        [POLICY_PASSES] = "",
        [POLICY_DISABLED] = EVENT_DISABLED,
        [POLICY_MAINTENANCE] = EVENT_MAINTENANCE,
        [POLICY_SHELVED] = EVENT_SHELVED,
        [POLICY_CONSEQUENCE] = "consequence",
        [POLICY_AWAITS_SWEEP] = "awaits-sweep",
        [POLICY_DUPLICATE] = EVENT_DUPLICATE,
        [POLICY_NEVER_NOTIFIED] = EVENT_NEVER_NOTIFIED,
        [POLICY_FLAPPING] = "flapping",
        [POLICY_HOLD_DOWN] = "hold-down",
        [POLICY_STORM] = "storm",
        [POLICY_STANDBY] = EVENT_STANDBY,
    };
    return WORDS[reason];
}

enum policy_reason policy_reason_find(const char *word)
{
    enum policy_reason found = POLICY_PASSES;
    for (enum policy_reason r = POLICY_PASSES; r < POLICY_REASON_COUNT; r++)
        found = strcmp(policy_reason_word(r), word) == 0 ? r : found;
    return found;
}

void reasons_note(const struct policy *p, struct alarm_state *t, enum policy_reason reason)
{
    const bool tells = t->raised && t->reason != reason && p->sink.explain;
    t->reason = reason;
    if (tells)
        p->sink.explain(p->sink.ctx, t->key, t->cause_id, reason);
}

enum { CAUSES_MAX = 8 }; // in a chain: a link's port, the switch, the root cause of the switch

// The active root cause of which receivers hear: no rule disables the root cause, or the root cause
// has a root cause itself of which receivers hear. Returns NULL if there is none.
static const struct alarm_state *reasons_cause(const struct policy *p, const struct alarm_state *t)
{
    for (int i = 0; i < CAUSES_MAX; i++) {
        t = alarm_states_find_raised(p->states, t->cause_id);
        if (!t || told_is_raised(t->told) || t->reason != POLICY_DISABLED)
            return t;
    }
    return NULL;
}

// A root cause still counts at the first check after it was cleared, since consequences may
// clear a little later.
static bool reasons_cause_counts(const struct policy *p, struct alarm_state *t, bool arrives)
{
    const bool active = reasons_cause(p, t);
    if (!active && alarm_states_find_raised(p->states, t->cause_id))
        return false; // nobody hears of the root cause
    const bool counts = arrives || active || !t->cause_cleared;
    t->cause_cleared = !arrives && !active;
    return counts;
}

static bool reasons_has_active_cause(const struct policy *p, const struct alarm_state *t)
{
    return t->raised && p->options.suppress_consequences && reasons_cause(p, t);
}

int64_t reasons_until_unread(const struct policy *p, const struct alarm_state *t)
{
    if (reasons_has_active_cause(p, t))
        return p->now + REASONS_CAUSE_US;
    const int64_t storm = t->last || !t->last_type ? 0 : storms_of(p->storms, t->last_type);
    return storm > p->now ? storm : 0;
}

enum policy_reason reasons_silence(struct policy *p, struct alarm_state *t,
                                   const struct event *event, const struct rule_decision *verdict,
                                   bool arrives, int64_t *until)
{
    *until = INT64_MAX;
    if (event->type->alarm == ALARM_CLEARS)
        return verdict->enabled || told_is_raised(t->told) ? POLICY_PASSES : POLICY_DISABLED;
    if (!verdict->enabled)
        return POLICY_DISABLED;
    *until = event_is_own(event) ? 0 : maintenance_until(&p->maintenance, event, p->now);
    if (*until > p->now)
        return POLICY_MAINTENANCE;
    *until = t->shelved_until;
    if (*until > p->now)
        return POLICY_SHELVED;
    *until = p->now + REASONS_CAUSE_US;
    if (p->options.suppress_consequences && t->cause_id[0] != '\0' &&
        reasons_cause_counts(p, t, arrives))
        return POLICY_CONSEQUENCE;
    return POLICY_PASSES;
}

enum policy_reason reasons_restrain(struct policy *p, const struct alarm_state *t,
                                    const struct event *event, const struct rule_decision *verdict,
                                    bool arrives, int64_t *until)
{
    *until = INT64_MAX;
    if (alarm_states_flap(t)->on)
        return POLICY_FLAPPING;
    *until = t->raised_at + verdict->hold_down_us;
    if (t->raised && *until > p->now)
        return POLICY_HOLD_DOWN;
    if (event_is_own(event))
        return POLICY_PASSES;
    // An alarm that grows while a storm suppresses the alarm counts once.
    const bool grown = t->pending && t->reason == POLICY_STORM && event->parts_changed > 0 &&
                       event->type->alarm == ALARM_RAISES;
    const bool counted = !arrives || grown;
    const bool storm = counted ? storms_of(p->storms, event->type) != 0
                               : storms_suppress(p->storms, event, p->now);
    *until = storm ? storms_of(p->storms, event->type) : event->hold_until_us;
    return storm ? POLICY_STORM : *until > p->now ? POLICY_HOLD_DOWN : POLICY_PASSES;
}

void apart_set_cause(struct alarm_state *state, const char *cause_id, bool anew)
{
    if (anew || strcmp(state->cause_id, cause_id) != 0)
        state->apart_due = cause_id[0] != '\0';
    snprintf(state->cause_id, sizeof state->cause_id, "%s", cause_id);
}

bool apart_is_open(const struct policy *policy, const struct alarm_state *state)
{
    return state->apart_due && policy->options.has_filters && (policy->active || !state->apart);
}

// Whether this event notified receivers apart, before a restart, with the same root cause.
static bool reasons_apart_has_notified(const struct alarm_state *t, const struct event *event)
{
    return event->apart && strcmp(event->cause_id, t->cause_id) == 0;
}

bool apart_may_notify(struct policy *policy, struct alarm_state *state, const struct event *event,
                      const struct rule_decision *verdict, int64_t *until)
{
    int64_t end;
    state->apart_due = state->apart_due && !reasons_apart_has_notified(state, event);
    if (!state->apart_due || !policy->options.has_filters || !reasons_cause(policy, state))
        return false;
    if (reasons_restrain(policy, state, event, verdict, false, &end) == POLICY_PASSES)
        return true;
    *until = end < *until ? end : *until;
    return false;
}

void apart_notify(const struct policy *policy, struct alarm_state *state, struct event *event)
{
    event->cause_number = reasons_cause(policy, state)->last_number;
    event->apart = policy->active;
    state->apart_due = !policy->active;
    state->apart_ours |= policy->active;
    state->apart = true;
}

void apart_expect(struct alarm_state *state)
{
    state->apart = true;
}

void apart_take(struct policy *policy, struct alarm_state *state, struct event *event,
                const struct rule_decision *verdict, int64_t *until)
{
    const struct alarm_state *cause = reasons_cause(policy, state);
    event->cause_number = cause ? cause->last_number : 0;
    if (apart_may_notify(policy, state, event, verdict, until))
        apart_notify(policy, state, event);
}

void apart_forget(struct alarm_state *state)
{
    state->apart = state->apart_due = state->apart_ours = false;
}

void apart_end(const struct policy *policy, struct alarm_state *state, const struct event *raise,
               struct event *clear)
{
    const bool ours = state->apart_ours || (raise && raise->apart);
    clear->apart = state->apart && (policy->active || ours);
    apart_forget(state);
}
