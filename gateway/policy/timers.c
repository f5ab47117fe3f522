// SPDX-License-Identifier: BSD-2-Clause
#include "policy/timers.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void timers_init(struct timers *timers, size_t capacity)
{
    *timers = (struct timers){.heap = memory_get(capacity * sizeof(struct timer *)),
                              .capacity = capacity};
}

void timers_clear(struct timers *timers)
{
    free(timers->heap);
    *timers = (struct timers){0};
}

// Places count from 1; the parent of n is n / 2.

static void timers_put(struct timers *timers, struct timer *timer, size_t place)
{
    timers->heap[place - 1] = timer;
    timer->place = place;
}

static struct timer *timers_at(const struct timers *timers, size_t place)
{
    return timers->heap[place - 1];
}

static void timers_move_up(struct timers *timers, struct timer *timer)
{
    size_t place = timer->place;
    for (; place > 1 && timers_at(timers, place / 2)->due > timer->due; place /= 2)
        timers_put(timers, timers_at(timers, place / 2), place);
    timers_put(timers, timer, place);
}

static void timers_move_down(struct timers *timers, struct timer *timer)
{
    size_t place = timer->place;
    for (size_t child; (child = place * 2) <= timers->count; place = child) {
        if (child < timers->count &&
            timers_at(timers, child + 1)->due < timers_at(timers, child)->due)
            child++;
        if (timers_at(timers, child)->due >= timer->due)
            break;
        timers_put(timers, timers_at(timers, child), place);
    }
    timers_put(timers, timer, place);
}

void timers_set(struct timers *timers, struct timer *timer, int64_t due)
{
    if (due == INT64_MAX) {
        timers_drop(timers, timer);
        return;
    }
    timer->due = due;
    if (timer->place == 0) {
        assert(timers->count < timers->capacity);
        timers_put(timers, timer, ++timers->count);
    }
    timers_move_up(timers, timer);
    timers_move_down(timers, timer);
}

void timers_drop(struct timers *timers, struct timer *timer)
{
    if (timer->place == 0)
        return;
    struct timer *last = timers_at(timers, timers->count--);
    if (last != timer) {
        timers_put(timers, last, timer->place);
        timers_move_up(timers, last);
        timers_move_down(timers, last);
    }
    timer->place = 0;
}

struct timer *timers_first(const struct timers *timers)
{
    return timers->count > 0 ? timers_at(timers, 1) : NULL;
}

int64_t timers_due(const struct timers *timers)
{
    return timers->count > 0 ? timers_at(timers, 1)->due : INT64_MAX;
}
