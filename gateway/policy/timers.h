// SPDX-License-Identifier: BSD-2-Clause
// A heap of timers, the earliest first.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A member of the timed struct; zero-initialised.
struct timer {
    int64_t due;
    size_t place; // in the heap, from 1; 0: not set
};

struct timers {
    struct timer **heap;
    size_t count, capacity;
};

// Room for `capacity` timers.
void timers_init(struct timers *timers, size_t capacity);
void timers_clear(struct timers *timers);

// Sets or moves the timer; INT64_MAX unsets it.
void timers_set(struct timers *timers, struct timer *timer, int64_t due);
void timers_drop(struct timers *timers, struct timer *timer);

struct timer *timers_first(const struct timers *timers); // NULL: none is set
int64_t timers_due(const struct timers *timers);         // INT64_MAX: none is set
