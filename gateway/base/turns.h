// SPDX-License-Identifier: BSD-2-Clause
// Turns with the processors: of the many threads that have work, only as many do it at a time as
// there are processors. The kernel would let all of them run by turns of its own, stop one while it
// holds a lock, and let a thread that needs this lock, or only a processor, wait for the rest.
//
// A turn is a courtesy, not a lock: a thread that keeps its turn for too long, because a peer lets
// it wait, no longer counts, and the next thread goes on. So nobody waits for a thread that hangs.
#ifndef IBTRAPD_BASE_TURNS_H
#define IBTRAPD_BASE_TURNS_H

#include <stddef.h>
#include <stdint.h>

struct turns;

// A turn that a thread has.
struct turn {
    size_t place;
    uint64_t number; // 0: none
};

// How many processors this process may use, at least 1.
size_t turns_processors(void);

// Makes turns for `at_a_time` threads, at least 1. A turn counts for `us` microseconds.
struct turns *turns_make(size_t at_a_time, int64_t us);

// No call may be under way. NULL is allowed.
void turns_free(struct turns *turns);

// Waits for a turn. Threads get theirs in the order in which they came. With NULL each has one at
// once. Any thread; it must not have one yet.
struct turn turns_take(struct turns *turns);

// Gives the turn back, whether it still counts or not. Any thread.
void turns_give(struct turns *turns, struct turn turn);

#endif
