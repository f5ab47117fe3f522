// SPDX-License-Identifier: BSD-2-Clause
// Events that one receiver has just read from the file, or unpacked, kept for the others: when many
// receivers lag, each event is read and decoded about once, and not once for each of them. Bounded;
// what is not here, a receiver reads itself.
#ifndef IBTRAPD_JOURNAL_SHARED_EVENTS_H
#define IBTRAPD_JOURNAL_SHARED_EVENTS_H

#include "model/event.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARED_EVENTS_MAX = 2048 }; // 3,200 octets each

struct journal_item;

// Any thread may call all but the first two. Its lock is taken last.
struct shared_events {
    pthread_mutex_t lock;
    struct event *events[SHARED_EVENTS_MAX]; // the place of an event follows from its number
};

void shared_events_begin(struct shared_events *shared);
void shared_events_end(struct shared_events *shared);

// Keeps the events of the items, which have their numbers; each takes the place of an older one.
// Takes references.
void shared_events_keep(struct shared_events *shared, const struct journal_item *items, size_t n);

// Finds the events after `after`, one number after the other, at most `n`, until one is missing.
// Returns how many; their references are the caller's.
size_t shared_events_find(struct shared_events *shared, int64_t after, struct journal_item *items,
                          size_t n);

// Lets go of the events up to that number.
void shared_events_forget(struct shared_events *shared, int64_t through);

// The same, unless another thread has the lock: then nothing happens. For a thread that must not
// wait for a receiver, whose thread the kernel may stop at any place for long.
void shared_events_try_to_forget(struct shared_events *shared, int64_t through);

#endif
