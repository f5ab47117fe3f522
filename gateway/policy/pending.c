// SPDX-License-Identifier: BSD-2-Clause
#include "policy/pending.h"

enum { READ_EFFORT = 32 }; // what reading an event back costs, in checks of an alarm state

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

void pending_spend(struct policy *p, unsigned effort)
{
    p->effort -= effort < p->effort ? effort : p->effort;
}

struct event *pending_read(struct policy *p, int64_t number)
{
    pending_spend(p, READ_EFFORT);
    return p->sink.read && number != 0 ? p->sink.read(p->sink.ctx, number) : NULL;
}

struct event *pending_last(struct policy *p, const struct alarm_state *t)
{
    return t->last ? event_ref(t->last) : pending_read(p, t->last_number);
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

static int64_t pending_later(int64_t a, int64_t b)
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
        due = pending_later(due, t->changed ? t->changed_at + p->options.flap_within_us : 0);
        due = pending_later(due, t->shelved_until);
        due =
            pending_later(due, pending_in_handover(p, t) ? t->notified_at + POLICY_HANDOVER_US : 0);
        due = pending_later(
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
