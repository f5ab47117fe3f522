// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_schedule.h"

static int64_t sweep_schedule_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void sweep_schedule_init(struct sweep_schedule *s, int64_t interval_us, int64_t settle_us,
                         int64_t now)
{
    *s =
        (struct sweep_schedule){.interval_us = interval_us, .settle_us = settle_us, .next_at = now};
}

static int64_t settled_at(const struct sweep_schedule *s)
{
    return sweep_schedule_earlier(s->last_trigger + s->settle_us,
                                  s->first_trigger + SWEEP_SCHEDULE_SETTLES_MAX * s->settle_us);
}

int64_t sweep_schedule_due(const struct sweep_schedule *s)
{
    if (s->at_once)
        return 0;
    return s->triggered ? sweep_schedule_earlier(s->next_at, settled_at(s)) : s->next_at;
}

void sweep_schedule_trigger(struct sweep_schedule *s, int64_t now)
{
    if (!s->triggered)
        s->first_trigger = now;
    s->last_trigger = now;
    s->triggered = true;
}

void sweep_schedule_now(struct sweep_schedule *s)
{
    s->at_once = true;
}

void sweep_schedule_begin(struct sweep_schedule *s, int64_t now)
{
    s->is_second = s->is_second && !s->triggered;
    s->triggered = s->at_once = false;
    s->next_at = now + s->interval_us;
}

void sweep_schedule_end(struct sweep_schedule *s, int64_t now, bool complete)
{
    s->is_second = !complete && !s->is_second;
    // Leaves settle_us between sweeps that take longer than the interval.
    if (s->is_second || s->next_at < now + s->settle_us)
        s->next_at = now + s->settle_us;
}
