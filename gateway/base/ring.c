// SPDX-License-Identifier: BSD-2-Clause
#include "base/ring.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>

struct ring {
    pthread_mutex_t lock;
    pthread_cond_t filled; // for the leader, or for all if nobody ever leads
    pthread_cond_t vacant; // for those that want to lead
    size_t capacity, crowd, head, count;
    size_t awaited; // items for which the leader waits
    bool closed;
    bool led;   // some thread leads
    bool woken; // the leader need not wait for an item
    void *slots[];
};

struct ring *ring_new(size_t capacity, size_t crowd)
{
    struct ring *ring = memory_zeroed(1, sizeof *ring + capacity * sizeof(void *));
    ring->capacity = capacity;
    ring->crowd = crowd;
    pthread_mutex_init(&ring->lock, NULL);
    clock_condition_init(&ring->filled);
    clock_condition_init(&ring->vacant);
    return ring;
}

void ring_free(struct ring *ring)
{
    if (!ring)
        return;
    pthread_cond_destroy(&ring->vacant);
    pthread_cond_destroy(&ring->filled);
    pthread_mutex_destroy(&ring->lock);
    free(ring);
}

static void *ring_pop_oldest(struct ring *ring)
{
    void *item = ring->slots[ring->head];
    ring->head = (ring->head + 1) % ring->capacity;
    ring->count--;
    return item;
}

// Whether a thread that waits in ring_lead is to be woken. Call it with the lock held.
static bool ring_wants_leader(const struct ring *ring)
{
    return !ring->led && (ring->count >= ring->crowd || ring->closed);
}

bool ring_push(struct ring *ring, void *item, size_t spare)
{
    pthread_mutex_lock(&ring->lock);
    const bool room = !ring->closed && ring->count + spare < ring->capacity;
    if (room) {
        ring->slots[(ring->head + ring->count) % ring->capacity] = item;
        ring->count++;
    }
    const bool awaited = room && ring->count >= ring->awaited;
    const bool wanted = room && ring_wants_leader(ring);
    pthread_mutex_unlock(&ring->lock);
    // Without the lock, so that the woken thread need not wait for the lock.
    if (awaited)
        pthread_cond_signal(&ring->filled);
    if (wanted)
        pthread_cond_signal(&ring->vacant);
    return room;
}

void *ring_pop(struct ring *ring, int64_t timeout_us, size_t at_least)
{
    struct timespec deadline = {0};
    if (timeout_us >= 0)
        deadline = clock_deadline(timeout_us);
    void *item = NULL;
    pthread_mutex_lock(&ring->lock);
    ring->awaited = at_least;
    while (ring->count < at_least && !ring->closed && !ring->woken && timeout_us != 0) {
        int rc = timeout_us < 0 ? pthread_cond_wait(&ring->filled, &ring->lock)
                                : pthread_cond_timedwait(&ring->filled, &ring->lock, &deadline);
        if (rc != 0)
            break;
    }
    ring->woken = false;
    if (ring->count > 0)
        item = ring_pop_oldest(ring);
    pthread_mutex_unlock(&ring->lock);
    return item;
}

bool ring_lead(struct ring *ring, int64_t timeout_us)
{
    const struct timespec deadline = clock_deadline(timeout_us);
    int rc = 0;
    pthread_mutex_lock(&ring->lock);
    bool wanted = !ring->led;
    while (!wanted && rc == 0) {
        rc = pthread_cond_timedwait(&ring->vacant, &ring->lock, &deadline);
        wanted = ring_wants_leader(ring) || (!ring->led && rc != 0);
    }
    ring->led |= wanted;
    pthread_mutex_unlock(&ring->lock);
    return wanted;
}

void ring_resign(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    ring->led = false;
    const bool wanted = ring_wants_leader(ring);
    pthread_mutex_unlock(&ring->lock);
    if (wanted)
        pthread_cond_signal(&ring->vacant);
}

void ring_wake(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    ring->woken = ring->led;
    pthread_mutex_unlock(&ring->lock);
    pthread_cond_signal(&ring->filled);
}

void ring_close(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    ring->closed = true;
    pthread_cond_broadcast(&ring->filled);
    pthread_cond_broadcast(&ring->vacant);
    pthread_mutex_unlock(&ring->lock);
}

size_t ring_count(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    size_t n = ring->count;
    pthread_mutex_unlock(&ring->lock);
    return n;
}

bool ring_closed(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    bool closed = ring->closed;
    pthread_mutex_unlock(&ring->lock);
    return closed;
}
