// SPDX-License-Identifier: BSD-2-Clause
#include "policy/reasons.h"

#include "base/clock.h"

struct storms_options reasons_storms_options(const struct policy *p)
{
    return (struct storms_options){.rate = p->options.storm_rate,
                                   .period_us = p->options.storm_period_us};
}

bool reasons_in_storm(struct policy *p, const struct event *event)
{
    const struct storms_options options = reasons_storms_options(p);
    return storms_suppress(p->storms, &options, event, p->now);
}

enum { CAUSES_MAX = 8 }; // one behind the other: a link's port, its switch, the root cause of that

const struct alarm_state *reasons_cause(const struct policy *p, const struct alarm_state *t)
{
    for (int i = 0; i < CAUSES_MAX; i++) {
        t = alarm_states_find_raised(p->states, t->cause_id);
        if (!t || told_is_raised(t->told) || t->reason != POLICY_DISABLED)
            return t;
    }
    return NULL;
}

// A root cause still counts at the first check after it was cleared, since its consequences may
// clear a little later.
static bool cause_counts(const struct policy *p, struct alarm_state *t, bool arrives)
{
    const bool active = reasons_cause(p, t);
    if (!active && alarm_states_find_raised(p->states, t->cause_id))
        return false; // nobody hears of it
    const bool counts = arrives || active || !t->cause_cleared;
    t->cause_cleared = !arrives && !active;
    return counts;
}

static bool has_active_cause(const struct policy *p, const struct alarm_state *t)
{
    return t->raised && p->options.suppress_consequences && reasons_cause(p, t);
}

int64_t reasons_until_unread(const struct policy *p, const struct alarm_state *t)
{
    if (has_active_cause(p, t))
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
    *until = event_is_own(event) ? 0 : maintenance_until(p->maintenance, event, p->now);
    if (*until > p->now)
        return POLICY_MAINTENANCE;
    *until = t->shelved_until;
    if (*until > p->now)
        return POLICY_SHELVED;
    *until = p->now + REASONS_CAUSE_US;
    if (p->options.suppress_consequences && t->cause_id[0] != '\0' && cause_counts(p, t, arrives))
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
    const bool storm =
        arrives ? reasons_in_storm(p, event) : storms_of(p->storms, event->type) != 0;
    *until = storms_of(p->storms, event->type);
    return storm ? POLICY_STORM : POLICY_PASSES;
}
