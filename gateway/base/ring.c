// SPDX-License-Identifier: BSD-2-Clause
#include "base/ring.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>

struct ring {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    size_t capacity, head, count;
    bool closed;
    void *slots[];
};

struct ring *ring_new(size_t capacity)
{
    struct ring *ring = memory_zeroed(1, sizeof *ring + capacity * sizeof(void *));
    ring->capacity = capacity;
    pthread_mutex_init(&ring->lock, NULL);
    clock_condition_init(&ring->filled);
    return ring;
}

void ring_free(struct ring *ring)
{
    if (!ring)
        return;
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

bool ring_push(struct ring *ring, void *item, size_t spare)
{
    pthread_mutex_lock(&ring->lock);
    bool room = !ring->closed && ring->count + spare < ring->capacity;
    if (room) {
        ring->slots[(ring->head + ring->count) % ring->capacity] = item;
        ring->count++;
    }
    pthread_mutex_unlock(&ring->lock);
    if (room)
        pthread_cond_signal(
            &ring->filled); // without the lock, so that the woken thread need not wait for it
    return room;
}

void *ring_pop(struct ring *ring, int64_t timeout_us)
{
    struct timespec deadline = {0};
    if (timeout_us >= 0)
        deadline = clock_deadline(timeout_us);
    void *item = NULL;
    pthread_mutex_lock(&ring->lock);
    while (ring->count == 0 && !ring->closed && timeout_us != 0) {
        int rc = timeout_us < 0 ? pthread_cond_wait(&ring->filled, &ring->lock)
                                : pthread_cond_timedwait(&ring->filled, &ring->lock, &deadline);
        if (rc != 0)
            break;
    }
    if (ring->count > 0)
        item = ring_pop_oldest(ring);
    pthread_mutex_unlock(&ring->lock);
    return item;
}

void ring_close(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    ring->closed = true;
    pthread_cond_broadcast(&ring->filled);
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
