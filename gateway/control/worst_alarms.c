// SPDX-License-Identifier: BSD-2-Clause
#include "control/worst_alarms.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum { WORST_AT_ONCE = 256 };

struct worst_search {
    struct worst_alarms *out;
    size_t most;
    int64_t after, now_us;
};

static bool worst_alarms_is_handled(const struct alarm *a, int64_t now_us)
{
    return a->acknowledged_us != 0 || a->shelved_until_us > now_us;
}

static bool worst_alarms_before(const struct alarm *a, const struct alarm *b, int64_t now_us)
{
    const bool handled_a = worst_alarms_is_handled(a, now_us);
    const bool handled_b = worst_alarms_is_handled(b, now_us);
    if (handled_a != handled_b)
        return handled_b;
    if (a->severity != b->severity)
        return a->severity < b->severity;
    return a->raised_us > b->raised_us;
}

// Alarms are large, and only pointers to them are moved.
static void worst_alarms_take(void *ctx, const struct alarm *alarm)
{
    struct worst_search *s = ctx;
    struct worst_alarms *w = s->out;
    size_t at;
    s->after = alarm->event_sequence;
    SEARCH_FIRST(at, (size_t)0, w->count, !worst_alarms_before(alarm, w->all[at], s->now_us));
    if (at == s->most)
        return;
    const bool full = w->count == s->most;
    struct alarm *place = full ? w->all[w->count - 1] : &w->room[w->count];
    w->count += !full;
    memmove(&w->all[at + 1], &w->all[at], (w->count - 1 - at) * sizeof(struct alarm *));
    *place = *alarm;
    w->all[at] = place;
}

void worst_alarms_find(struct journal *journal, int64_t now_us, size_t most,
                       struct worst_alarms *out)
{
    *out = (struct worst_alarms){.all = memory_zeroed(most, sizeof *out->all),
                                 .room = memory_zeroed(most, sizeof *out->room)};
    struct worst_search search = {.out = out, .most = most, .now_us = now_us};
    while (
        journal_each_alarm_after(journal, search.after, WORST_AT_ONCE, worst_alarms_take, &search))
        ;
}

void worst_alarms_free(struct worst_alarms *worst)
{
    free(worst->all);
    free(worst->room);
}
