// Things to look at again at a time, the earliest first.
#ifndef IBTRAPD_POLICY_TIMERS_H
#define IBTRAPD_POLICY_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Part of the thing; zeroed at first.
struct timer {
    int64_t due;
    size_t place; // among those that wait, from 1; 0: does not wait
};

struct timers {
    struct timer **heap;
    size_t count, capacity;
};

// Room for `capacity` timers; false: out of memory.
bool timers_init(struct timers *timers, size_t capacity);
void timers_clear(struct timers *timers);

// At INT64_MAX it does not wait.
void timers_set(struct timers *timers, struct timer *timer, int64_t due);
void timers_drop(struct timers *timers, struct timer *timer);

struct timer *timers_first(const struct timers *timers); // NULL: none waits
int64_t timers_due(const struct timers *timers);         // INT64_MAX: none waits

#endif
