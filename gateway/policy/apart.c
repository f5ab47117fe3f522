// SPDX-License-Identifier: BSD-2-Clause
#include "policy/apart.h"

#include "policy/reasons.h"

#include <string.h>

void apart_set_cause(struct alarm_state *state, const char *cause_id, bool anew)
{
    if (anew || strcmp(state->cause_id, cause_id) != 0) {
        state->apart_due = cause_id[0] != '\0';
        state->apart = state->apart != 0 ? APART_SEVERAL : 0;
    }
    snprintf(state->cause_id, sizeof state->cause_id, "%s", cause_id);
}

bool apart_is_open(const struct policy *policy, const struct alarm_state *state)
{
    return state->apart_due && policy->options.has_filters && (policy->active || state->apart == 0);
}

// Whether they were notified by this event, before a restart, of the same root cause.
static bool apart_has_notified(const struct alarm_state *t, const struct event *event)
{
    return event->apart && strcmp(event->cause_id, t->cause_id) == 0;
}

bool apart_may_notify(struct policy *policy, struct alarm_state *state, const struct event *event,
                      const struct rule_decision *verdict, int64_t *until)
{
    int64_t end;
    state->apart_due = state->apart_due && !apart_has_notified(state, event);
    if (!state->apart_due || !policy->options.has_filters || !reasons_cause(policy, state))
        return false;
    if (reasons_restrain(policy, state, event, verdict, false, &end) == POLICY_PASSES)
        return true;
    *until = end < *until ? end : *until;
    return false;
}

// Notes that they are notified, by whichever gateway.
static void note_apart(struct alarm_state *t, int64_t cause_number)
{
    t->apart = t->apart == 0 || t->apart == cause_number ? cause_number : APART_SEVERAL;
}

void apart_notify(const struct policy *policy, struct alarm_state *state, struct event *event)
{
    event->cause_number = reasons_cause(policy, state)->last_number;
    event->apart = policy->active;
    state->apart_due = !policy->active;
    state->apart_ours |= policy->active;
    note_apart(state, event->cause_number);
}

void apart_expect(const struct policy *policy, struct alarm_state *state)
{
    note_apart(state, reasons_cause(policy, state)->last_number);
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
    state->apart = 0;
    state->apart_due = state->apart_ours = false;
}

void apart_end(const struct policy *policy, struct alarm_state *state, const struct event *raise,
               struct event *clear)
{
    const bool ours = state->apart_ours || (raise && raise->apart);
    clear->cause_number = state->apart > 0 ? state->apart : 0;
    clear->apart = state->apart != 0 && (policy->active || ours);
    apart_forget(state);
}
