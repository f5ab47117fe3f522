// SPDX-License-Identifier: BSD-2-Clause
// The events that were produced and are not confirmed yet, numbered from 1.
#ifndef IBTRAPD_KAFKA_WINDOW_H
#define IBTRAPD_KAFKA_WINDOW_H

#include "kafka/options.h"

#include <stdbool.h>
#include <stdint.h>

struct window {
    uint64_t first, next;                // the oldest unconfirmed number; the next one to be given
    bool confirmed[KAFKA_IN_FLIGHT_MAX]; // by number modulo the size
    uint64_t keys[KAFKA_IN_FLIGHT_MAX];  // likewise: digests of the events' keys; 0: no key
};

static inline unsigned window_pending(const struct window *w)
{
    return (unsigned)(w->next - w->first);
}

// Empties the window. Numbers go on, so that a late confirmation of an old one counts for nothing.
static inline void window_clear(struct window *w)
{
    w->next += w->next == 0;
    w->first = w->next;
}

// Gives the next number. Fewer than KAFKA_IN_FLIGHT_MAX may be pending.
static inline uint64_t window_add(struct window *w, uint64_t key)
{
    w->confirmed[w->next % KAFKA_IN_FLIGHT_MAX] = false;
    w->keys[w->next % KAFKA_IN_FLIGHT_MAX] = key;
    return w->next++;
}

// Whether an unconfirmed event has that key.
static inline bool window_has_key(const struct window *w, uint64_t key)
{
    for (uint64_t i = w->first; key != 0 && i < w->next; i++) {
        if (w->keys[i % KAFKA_IN_FLIGHT_MAX] == key && !w->confirmed[i % KAFKA_IN_FLIGHT_MAX])
            return true;
    }
    return false;
}

static inline void window_confirm(struct window *w, uint64_t number)
{
    if (number >= w->first && number < w->next)
        w->confirmed[number % KAFKA_IN_FLIGHT_MAX] = true;
}

// Passes the confirmed events up to the oldest unconfirmed one; returns how many.
static inline int window_pass(struct window *w)
{
    int n = 0;
    for (; w->first < w->next && w->confirmed[w->first % KAFKA_IN_FLIGHT_MAX]; n++)
        w->first++;
    return n;
}

#endif
