// A bounded queue of pointers between threads.
#ifndef IBTRAPD_BASE_RING_H
#define IBTRAPD_BASE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

// `capacity` pointers at most, at least 1. NULL when memory is short.
struct ring *ring_new(size_t capacity);

// No other call may be under way; what is still inside stays the caller's. NULL is allowed.
void ring_free(struct ring *ring);

// Any thread. Leaves `spare` places free. False when there is no other, or the ring is closed; the
// pointer then stays the caller's.
bool ring_push(struct ring *ring, void *item, size_t spare);

// Waits up to `timeout_us` microseconds (0: not at all; negative: for ever) for an item. NULL when
// there was none, or when the ring is closed and empty.
void *ring_pop(struct ring *ring, int64_t timeout_us);

// No more pushes; those who wait wake up. What is inside can still be popped.
void ring_close(struct ring *ring);

size_t ring_count(struct ring *ring);
bool ring_closed(struct ring *ring);

#endif
