// SPDX-License-Identifier: BSD-2-Clause
#include "policy/notify.h"

#include "base/memory.h"
#include "policy/reasons.h"
#include "policy/summaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_EFFORT = 32 }; // the cost of reading an event back, in checks of an alarm state

void pending_keep(struct policy *p, struct alarm_state *t, struct event *event, int64_t until)
{
    alarm_states_set_last(p->states, t, event);
    p->counters.read_back += t->last == NULL;
    t->last_type = event->type;
    t->pending = true;
    t->check_at = until;
}

void pending_drop(struct policy *p, struct alarm_state *t)
{
    t->pending = false;
    t->last_type = NULL;
    t->unread = 0;
    if (!alarm_states_flap(t)->on)
        alarm_states_set_last(p->states, t, NULL);
}

void pending_end(struct policy *p, struct alarm_state *t)
{
    pending_drop(p, t);
    reasons_note(p, t, told_reason(t->told));
}

void pending_spend(struct policy *p, unsigned effort)
{
    p->effort -= effort < p->effort ? effort : p->effort;
}

static struct event *notify_pending_read(struct policy *p, int64_t number)
{
    pending_spend(p, READ_EFFORT);
    return p->sink.read && number != 0 ? p->sink.read(p->sink.ctx, number) : NULL;
}

struct event *pending_last(struct policy *p, const struct alarm_state *t)
{
    return t->last ? event_ref(t->last) : notify_pending_read(p, t->last_number);
}

bool pending_in_handover(const struct policy *p, const struct alarm_state *t)
{
    return told_is_elsewhere(t->told) && p->now - t->notified_at < POLICY_HANDOVER_US;
}

bool pending_flap_in_handover(const struct policy *p, const struct alarm_state *t)
{
    return t->settled_elsewhere && p->now - t->settled_elsewhere < POLICY_HANDOVER_US;
}

bool pending_is_idle(const struct alarm_state *t)
{
    return !t->raised && !told_is_raised(t->told) && !t->pending && !alarm_states_flap(t)->on;
}

static int64_t notify_pending_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t pending_next_check(const struct policy *p, const struct alarm_state *t)
{
    const struct flap *flap = alarm_states_flap(t);
    int64_t due = t->pending ? t->check_at : INT64_MAX;
    if (flap->on) {
        const int64_t end = flap->announced ? flap_end(flap, &p->options) : p->now;
        due = end < due ? end : due;
    }
    if (pending_is_idle(t)) {
        due = p->now;
        due = notify_pending_later(due, t->changed ? t->changed_at + p->options.flap_within_us : 0);
        due = notify_pending_later(due, t->shelved_until);
        due = notify_pending_later(
            due, pending_in_handover(p, t) ? t->notified_at + POLICY_HANDOVER_US : 0);
        due = notify_pending_later(
            due, pending_flap_in_handover(p, t) ? t->settled_elsewhere + POLICY_HANDOVER_US : 0);
    }
    return due;
}

void pending_schedule(struct policy *p, struct alarm_state *t)
{
    timers_set(&p->timers, &t->timer, pending_next_check(p, t));
}

void pending_reconsider(void *ctx, struct alarm_state *state)
{
    struct policy *p = ctx;
    if (state->pending)
        state->check_at = p->now;
    pending_schedule(p, state);
}

void notify_judge(const struct policy *p, struct event *event, struct rule_decision *verdict)
{
    *verdict = rules_evaluate(p->rules, event);
    if (verdict->severity != POLICY_SAME)
        event->severity = (enum severity)verdict->severity;
    if (verdict->category != POLICY_SAME)
        event->category = (enum category)verdict->category;
    snprintf(event->rule, sizeof event->rule, "%s", verdict->rule);
}

void notify_suppress(struct event *event, enum policy_reason reason)
{
    snprintf(event->suppressed, sizeof event->suppressed, "%s", policy_reason_word(reason));
}

bool notify_is_ours(const struct policy *p, const struct event *event)
{
    return p->active || event_is_own(event);
}

// An event that policy makes is news for receivers, or an end. If receivers were notified of the
// beginning, no rule suppresses the end, as receivers wait for the end; the gateway that notified
// them sends the end also while that gateway stands by, as the other gateway may not know of the
// beginning. If receivers were not notified of the beginning, receivers do not get the end.
enum notify_kind { NOTIFY_NEWS, NOTIFY_END, NOTIFY_END_OF_OURS, NOTIFY_END_OF_UNKNOWN };

static enum policy_reason notify_reason(const struct policy *p, const struct event *event,
                                        const struct rule_decision *verdict, enum notify_kind kind)
{
    if (!verdict->enabled && (kind == NOTIFY_NEWS || kind == NOTIFY_END_OF_UNKNOWN))
        return POLICY_DISABLED;
    if (kind == NOTIFY_END_OF_UNKNOWN)
        return POLICY_NEVER_NOTIFIED;
    return notify_is_ours(p, event) || kind == NOTIFY_END_OF_OURS ? POLICY_PASSES : POLICY_STANDBY;
}

void notify_list(struct policy *p, struct event *event)
{
    if (p->list_first + p->list_count == p->list_room) {
        p->list_room = 2 * p->list_room + 64;
        p->listed = memory_resize(p->listed, p->list_room, sizeof(struct event *));
    }
    p->listed[p->list_first + p->list_count++] = event_ref(event);
}

static void notify_pass(struct policy *p, struct event *event)
{
    p->sink.stamp(p->sink.ctx, event);
    policy_log_made(p->sink.log, event);
    notify_list(p, event);
    p->counters.made++;
}

static void notify_emit(struct policy *p, struct event *event, enum notify_kind kind)
{
    struct rule_decision verdict;
    notify_judge(p, event, &verdict);
    notify_suppress(event, notify_reason(p, event, &verdict, kind));
    notify_pass(p, event);
}

// Sends the event and drops the caller's reference.
static void notify_send(struct policy *p, struct event *event, enum notify_kind kind)
{
    notify_emit(p, event, kind);
    event_unref(event);
}

void notify_summary(struct policy *p, struct event *event)
{
    notify_send(p, event, NOTIFY_NEWS);
}

// The kind of the next event about the alarm's present state. Call it before the event is sent: to
// send the event changes the alarm's state.
static enum notify_kind notify_end_kind(const struct alarm_state *t)
{
    if (t->raised)
        return NOTIFY_NEWS;
    return told_is_raised(t->told) && !told_is_elsewhere(t->told) ? NOTIFY_END_OF_OURS : NOTIFY_END;
}

void notify_record(struct policy *p, struct alarm_state *t, const struct event *event)
{
    const bool ours = notify_is_ours(p, event) || notify_end_kind(t) == NOTIFY_END_OF_OURS;
    t->told = told_by_event(t->raised, ours);
    t->reason = told_reason(t->told);
    t->notified_at = p->now;
    t->notified_severity = event->severity;
    snprintf(t->notified_id, sizeof t->notified_id, "%s", ours ? event->id : "");
    if (t->raised) {
        t->told_parts = event->parts_changed;
        t->category = event->category;
        t->severity = event->severity;
        apart_forget(t);
    }
}

void notify_refer_to_raise(const struct alarm_state *t, struct event *event)
{
    event->cleared = t->type;
    event->cleared_severity = t->severity;
    event->cleared_category = t->category;
    event_complete_cleared(event);
    memcpy(event->clears_id,
           told_is_raised(t->told) || told_is_again(t->told) ? t->notified_id : t->raised_id,
           sizeof event->clears_id);
}

void notify_refer_to_cause(const struct policy *p, struct event *event)
{
    const struct alarm_state *cause =
        event->cause_id[0] ? alarm_states_find_raised(p->states, event->cause_id) : NULL;
    if (cause)
        snprintf(event->cause_id, sizeof event->cause_id, "%s",
                 told_is_raised(cause->told) ? cause->notified_id : "");
}

void notify_flapping(struct policy *p, struct alarm_state *t)
{
    struct flap *flap = t->flap;
    struct event *last = pending_last(p, t);
    struct event *event = summaries_flapping(t, last, &p->options);
    event_unref(last);
    flap->announced = true;
    notify_emit(p, event, NOTIFY_NEWS);
    flap->severity = event->severity;
    flap->category = event->category;
    flap->told = event->suppressed[0] == '\0' || !notify_is_ours(p, event);
    snprintf(flap->id, sizeof flap->id, "%s", notify_is_ours(p, event) ? event->id : "");
    flap->suppressed = 0;
    event_unref(event);
}

// The kind of the event `settled`. Without an event `flapping`, `settled` alone has the count.
static enum notify_kind notify_settled_kind(const struct flap *flap)
{
    if (!flap->told)
        return flap->announced ? NOTIFY_END_OF_UNKNOWN : NOTIFY_NEWS;
    return flap->id[0] ? NOTIFY_END_OF_OURS : NOTIFY_END;
}

void notify_settled(struct policy *p, struct alarm_state *t, const char *why)
{
    const struct flap *flap = alarm_states_flap(t);
    const enum notify_kind kind = notify_settled_kind(flap);
    struct event *last = pending_last(p, t), *settled = summaries_settled(t, last, why);
    notify_send(p, settled, kind);
    event_unref(last);
    free(t->flap);
    t->flap = NULL;
    t->changed = false;
    t->settled_elsewhere = p->active || kind == NOTIFY_END_OF_OURS ? 0 : p->now;
    if (t->pending)
        t->check_at = p->now;
    else
        pending_end(p, t);
}

void notify_late(struct policy *p, struct alarm_state *t, const struct event *last)
{
    struct event *event = summaries_late(last);
    event->repeat_count = t->duplicates;
    t->duplicates = 0;
    if (!t->raised)
        notify_refer_to_raise(t, event);
    notify_emit(p, event, notify_end_kind(t));
    notify_record(p, t, event);
    event_unref(event);
    pending_drop(p, t);
}

void notify_apart(struct policy *p, struct alarm_state *t, const struct event *last)
{
    struct rule_decision verdict;
    if (!p->active) {
        apart_expect(t);
        return;
    }
    struct event *event = summaries_late(last);
    notify_judge(p, event, &verdict);
    notify_suppress(event, POLICY_CONSEQUENCE);
    memcpy(event->cause_id, t->cause_id, sizeof event->cause_id);
    apart_notify(p, t, event);
    notify_pass(p, event);
    alarm_states_set_last(p->states, t, event);
    event_unref(event);
}
