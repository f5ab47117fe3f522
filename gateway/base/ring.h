// SPDX-License-Identifier: BSD-2-Clause
// A bounded queue of pointers between threads. Several threads may take turns to lead: only the
// leader removes items, so that items are handled in their order. While nobody leads, a crowd of
// items wakes up a thread that waits in ring_lead.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

// Makes a ring for `capacity` pointers, at least 1. `crowd`: so many items wake up another thread,
// at least 1.
struct ring *ring_new(size_t capacity, size_t crowd);

// No other call may be under way. Does not free the items. NULL is allowed.
void ring_free(struct ring *ring);

// Adds an item, unless fewer than `spare` places would stay free. False: there is no such place, or
// the ring is closed; the item stays the caller's. Any thread.
bool ring_push(struct ring *ring, void *item, size_t spare);

// Removes the oldest item. Until `at_least` items are there, waits for up to `timeout_us`
// microseconds (0: not at all; negative: for ever). NULL: there was none, ring_wake woke the leader
// up, or the ring is closed and empty.
void *ring_pop(struct ring *ring, int64_t timeout_us, size_t at_least);

// Makes the calling thread the leader: at once if nobody leads, else as soon as there is a crowd
// and nobody leads. False: after `timeout_us` microseconds another thread leads. Any thread; a
// single thread need not lead.
bool ring_lead(struct ring *ring, int64_t timeout_us);

// The leader leads no longer. Wakes up another thread only if there is a crowd.
void ring_resign(struct ring *ring);

// Lets a leader that waits in ring_pop go on with what there is. Any thread.
void ring_wake(struct ring *ring);

// Refuses further items and wakes up all waiting threads. ring_pop still returns the items inside.
void ring_close(struct ring *ring);

size_t ring_count(struct ring *ring);
bool ring_closed(struct ring *ring);
