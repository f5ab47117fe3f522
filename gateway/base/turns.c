// SPDX-License-Identifier: BSD-2-Clause
#include "base/turns.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

struct place {
    uint64_t number; // of the turn; 0: free
    int64_t until;   // monotonic: when it no longer counts
};

// A thread that waits. The first thread waits for a place, and then wakes the next thread. Each
// other thread waits until it is the first.
struct waiter {
    pthread_cond_t wake;
    TAILQ_ENTRY(waiter) in_order;
};

TAILQ_HEAD(waiters, waiter);

struct turns {
    pthread_mutex_t lock;
    struct waiters waiters;
    uint64_t taken; // numbers given so far
    int64_t us;     // that a turn counts
    size_t count;
    struct place places[];
};

size_t turns_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (size_t)CPU_COUNT(&set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN); // more than a cpu_set_t has
    return online > 0 ? (size_t)online : 1;
}

struct turns *turns_make(size_t at_a_time, int64_t us)
{
    struct turns *turns = memory_zeroed(1, sizeof *turns + at_a_time * sizeof turns->places[0]);
    turns->count = at_a_time;
    turns->us = us;
    TAILQ_INIT(&turns->waiters);
    pthread_mutex_init(&turns->lock, NULL);
    return turns;
}

void turns_free(struct turns *turns)
{
    if (turns)
        pthread_mutex_destroy(&turns->lock);
    free(turns);
}

// The place that is free, or will be first.
static struct place *turns_next_place(struct turns *turns)
{
    struct place *next = &turns->places[0];
    for (size_t i = 1; i < turns->count; i++) {
        if (turns->places[i].until < next->until)
            next = &turns->places[i];
    }
    return next;
}

// How long until a place is free at the latest; 0 or less: one is.
static int64_t turns_time_left(struct turns *turns)
{
    return turns_next_place(turns)->until - clock_now();
}

static void turns_wake_first(struct turns *turns)
{
    struct waiter *first = TAILQ_FIRST(&turns->waiters);
    if (first)
        pthread_cond_signal(&first->wake);
}

// Waits until this thread is the first and a place is free. Call it with the lock held.
static void turns_wait(struct turns *turns)
{
    struct waiter self;
    clock_condition_init(&self.wake);
    TAILQ_INSERT_TAIL(&turns->waiters, &self, in_order);
    while (TAILQ_FIRST(&turns->waiters) != &self)
        pthread_cond_wait(&self.wake, &turns->lock);
    for (int64_t left; (left = turns_time_left(turns)) > 0;) {
        const struct timespec until = clock_deadline(left);
        pthread_cond_timedwait(&self.wake, &turns->lock, &until);
    }
    TAILQ_REMOVE(&turns->waiters, &self, in_order);
    turns_wake_first(turns);
    pthread_cond_destroy(&self.wake);
}

struct turn turns_take(struct turns *turns)
{
    if (!turns)
        return (struct turn){.number = 0};
    pthread_mutex_lock(&turns->lock);
    if (!TAILQ_EMPTY(&turns->waiters) || turns_time_left(turns) > 0)
        turns_wait(turns);
    struct place *place = turns_next_place(turns);
    *place = (struct place){++turns->taken, clock_now() + turns->us};
    const struct turn turn = {(size_t)(place - turns->places), place->number};
    pthread_mutex_unlock(&turns->lock);
    return turn;
}

void turns_give(struct turns *turns, struct turn turn)
{
    if (!turns)
        return;
    pthread_mutex_lock(&turns->lock);
    struct place *place = &turns->places[turn.place];
    if (place->number == turn.number) {
        place->until = 0;
        turns_wake_first(turns);
    }
    pthread_mutex_unlock(&turns->lock);
}
