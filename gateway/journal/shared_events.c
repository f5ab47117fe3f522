// SPDX-License-Identifier: BSD-2-Clause
#include "journal/shared_events.h"

#include "journal/journal.h"

enum { AT_ONCE = 64 }; // references dropped after one turn with the lock

static struct event **shared_events_place(struct shared_events *shared, int64_t number)
{
    return &shared->events[(uint64_t)number % SHARED_EVENTS_MAX];
}

void shared_events_begin(struct shared_events *shared)
{
    *shared = (struct shared_events){.events = {NULL}};
    pthread_mutex_init(&shared->lock, NULL);
}

void shared_events_end(struct shared_events *shared)
{
    shared_events_forget(shared, INT64_MAX);
    pthread_mutex_destroy(&shared->lock);
}

// Drops the last reference without the lock: nobody waits for free.
static void shared_events_keep_some(struct shared_events *shared, const struct journal_item *items,
                                    size_t n)
{
    struct event *old[AT_ONCE];
    pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < n; i++) {
        struct event **place = shared_events_place(shared, items[i].sequence);
        old[i] = items[i].event ? *place : NULL;
        if (items[i].event)
            *place = event_ref(items[i].event);
    }
    pthread_mutex_unlock(&shared->lock);
    for (size_t i = 0; i < n; i++)
        event_unref(old[i]);
}

void shared_events_keep(struct shared_events *shared, const struct journal_item *items, size_t n)
{
    for (size_t done = 0; done < n; done += AT_ONCE)
        shared_events_keep_some(shared, items + done, n - done < AT_ONCE ? n - done : AT_ONCE);
}

size_t shared_events_find(struct shared_events *shared, int64_t after, struct journal_item *items,
                          size_t n)
{
    size_t count = 0;
    pthread_mutex_lock(&shared->lock);
    for (; count < n; count++) {
        const int64_t number = after + 1 + (int64_t)count;
        struct event *event = *shared_events_place(shared, number);
        if (!event || event->number != number)
            break;
        items[count] = (struct journal_item){number, event_ref(event)};
    }
    pthread_mutex_unlock(&shared->lock);
    return count;
}

// Call the function with the lock held; the function gives the lock back.
static void shared_events_drop(struct shared_events *shared, int64_t through)
{
    struct event *old[SHARED_EVENTS_MAX];
    size_t n = 0;
    for (size_t at = 0; at < SHARED_EVENTS_MAX; at++) {
        struct event **place = &shared->events[at];
        if (*place && (*place)->number <= through) {
            old[n++] = *place;
            *place = NULL;
        }
    }
    pthread_mutex_unlock(&shared->lock);
    while (n > 0)
        event_unref(old[--n]);
}

void shared_events_forget(struct shared_events *shared, int64_t through)
{
    pthread_mutex_lock(&shared->lock);
    shared_events_drop(shared, through);
}

void shared_events_try_to_forget(struct shared_events *shared, int64_t through)
{
    if (pthread_mutex_trylock(&shared->lock) == 0)
        shared_events_drop(shared, through);
}
