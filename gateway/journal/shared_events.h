// SPDX-License-Identifier: BSD-2-Clause
// Events that a receiver has just read from the file, or unpacked, kept for the other receivers:
// when many receivers lag, each event is read and decoded about once, and not once for each
// receiver. Bounded; a receiver reads the missing events from memory or the file.
#pragma once

#include "model/event.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARED_EVENTS_MAX = 2048 }; // 3,200 octets each

struct journal_item;

// Any thread may call the functions except the first two. The lock is taken last.
struct shared_events {
    pthread_mutex_t lock;
    struct event *events[SHARED_EVENTS_MAX]; // by number modulo SHARED_EVENTS_MAX
};

void shared_events_begin(struct shared_events *shared);
void shared_events_end(struct shared_events *shared);

// Keeps the events of the items, which have their numbers; each event takes the place of an older
// event. Takes references.
void shared_events_keep(struct shared_events *shared, const struct journal_item *items, size_t n);

// Finds the events after `after` in the order of numbers, at most `n`, up to the first missing
// event. Returns the number of events; the references are the caller's.
size_t shared_events_find(struct shared_events *shared, int64_t after, struct journal_item *items,
                          size_t n);

// Drops the events up to `through`.
void shared_events_forget(struct shared_events *shared, int64_t through);

// The same, unless another thread has the lock: then nothing happens. For a thread that must not
// wait for a receiver: the kernel may stop the receiver's thread at any place for long.
void shared_events_try_to_forget(struct shared_events *shared, int64_t through);
