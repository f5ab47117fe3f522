// SPDX-License-Identifier: BSD-2-Clause
#include "policy/decide.h"

#include "model/catalogue.h"
#include "policy/apart.h"
#include "policy/notify.h"
#include "policy/pending.h"
#include "policy/reasons.h"

#include <stdlib.h>
#include <string.h>

// Notes in the clear of an alarm of which receivers were notified what they need to know of it.
static void decide_note_end(struct policy *p, struct alarm_state *t, struct event *clear)
{
    const bool same_nodes = clear->type->category == CATEGORY_LINK || event_is_own(clear);
    const bool matters = t->apart != 0 || (told_is_raised(t->told) && !same_nodes);
    struct event *raise = matters ? pending_last(p, t) : NULL;
    notify_refer_to_nodes(clear, raise);
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

// Whether the other gateway may have notified receivers of an alarm that this one suppressed:
// shortly after a handover, if it saw the alarm when this one did not, or had no reason of its own.
// What both saw, both suppressed.
static bool decide_may_be_known(const struct policy *p, const struct alarm_state *t)
{
    const int64_t taken_over = p->handover_until - POLICY_HANDOVER_US;
    const bool local = t->first_reason == POLICY_MAINTENANCE || t->first_reason == POLICY_SHELVED;
    return p->now < p->handover_until && (t->raised_at >= taken_over || local);
}

// Decides about the clear of an alarm of which this gateway did not notify receivers.
static enum policy_reason decide_unknown_clear(struct policy *p, struct alarm_state *t,
                                               struct event *event)
{
    if (!decide_may_be_known(p, t) || event_is_own(event))
        return POLICY_NEVER_NOTIFIED;
    event->clears_id[0] = '\0';
    if (reasons_in_storm(p, event))
        return POLICY_STORM;
    notify_record(p, t, event);
    return told_is_elsewhere(t->told) ? POLICY_STANDBY : POLICY_PASSES;
}

// Suppresses an event whose state receivers know already.
static enum policy_reason decide_known(struct policy *p, struct alarm_state *t, struct event *event,
                                       bool changed)
{
    if (changed && t->flap && t->flap->on) {
        t->flap->suppressed++;
        alarm_states_set_last(p->states, t, event);
        t->pending = false;
        return POLICY_FLAPPING;
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
    return told_is_elsewhere(t->told) ? POLICY_STANDBY : POLICY_PASSES;
}

// Notes that the event raises the alarm, for the first time or again.
static void decide_note_raise(struct policy *p, struct alarm_state *t, const struct event *event)
{
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

static enum policy_reason decide_alarm(struct policy *p, struct alarm_state *t, struct event *event,
                                       const struct rule_decision *verdict)
{
    int64_t until;
    const bool raises = event->type->alarm == ALARM_RAISES;
    const bool changed = raises != t->raised;
    if (raises)
        decide_note_raise(p, t, event);
    const enum policy_reason silent = reasons_silence(p, t, event, verdict, true, &until);
    if (raises && changed) {
        t->first_reason = silent;
        alarm_states_set_raised_id(p->states, t, event->id);
    }
    t->raised = raises;
    t->reason = silent;
    if (!raises) {
        notify_refer_to_raise(t, event);
        decide_note_end(p, t, event);
    }
    if (changed && silent == POLICY_PASSES && t->first_reason == POLICY_PASSES &&
        !event_is_own(event))
        decide_note_change(p, t, event);
    const bool worse = raises && told_is_raised(t->told) && event->severity < t->notified_severity;
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
    if (maintenance_until(p->maintenance, event, p->now) > p->now)
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
        (!t || (!t->raised && !told_is_raised(t->told)))) // it clears no alarm
        return decide_alone(p, event, &verdict);
    if (!t)
        t = alarm_states_get(p->states, event->alarm_key);
    if (!t) {
        p->counters.overflowed++;
        p->left_out |= role == ALARM_RAISES;
        return decide_alone(p, event, &verdict);
    }
    const enum policy_reason reason = decide_alarm(p, t, event, &verdict);
    pending_schedule(p, t);
    return reason;
}
