// SPDX-License-Identifier: BSD-2-Clause
// A bounded queue of pointers between threads.
#ifndef IBTRAPD_BASE_RING_H
#define IBTRAPD_BASE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

// Makes a ring for `capacity` pointers, at least 1.
struct ring *ring_new(size_t capacity);

// No other call may be under way. Does not free the items. NULL is allowed.
void ring_free(struct ring *ring);

// Adds an item, unless fewer than `spare` places would stay free. False: there is no such place, or
// the ring is closed; the item stays the caller's. Any thread.
bool ring_push(struct ring *ring, void *item, size_t spare);

// Removes the oldest item; waits for one for up to `timeout_us` microseconds (0: not at all;
// negative: for ever). NULL: there was none, or the ring is closed and empty.
void *ring_pop(struct ring *ring, int64_t timeout_us);

// Refuses further items and wakes up all waiting threads. ring_pop still returns the items inside.
void ring_close(struct ring *ring);

size_t ring_count(struct ring *ring);
bool ring_closed(struct ring *ring);

#endif
