// SPDX-License-Identifier: BSD-2-Clause
// Turns with the processors: when many threads have work, the number of threads that work at a time
// is the number of processors. The kernel would let all threads run by turns of its own, and stop a
// thread that holds a lock. Threads that need this lock, or only a processor, would then wait for
// all others.
//
// A turn is a courtesy, not a lock. If a thread keeps its turn for too long, because a peer lets
// the thread wait, the turn no longer counts, and the next thread goes on. No thread waits for a
// thread that hangs.
//
// Decides: How many threads of receivers work at a time?
#pragma once

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

// Waits for a turn. Threads get turns in the order of their calls. With NULL each thread has a turn
// at once. Any thread that has no turn yet.
struct turn turns_take(struct turns *turns);

// Gives the turn back, whether it still counts or not. Any thread.
void turns_give(struct turns *turns, struct turn turn);
