// SPDX-License-Identifier: BSD-2-Clause
// Suppresses and counts duplicates: events that repeat an event shortly before.
// Decides: Which events are repeats of each other?
//
// An event and its counterpart (a GID in service, out of service) are one thing with two states. An
// event is a duplicate only of the last state, not of the one before.
#pragma once

#include "base/random.h"
#include "model/event.h"

enum { DUPLICATES_MAX = 8192 }; // things remembered; a further thing replaces the oldest

// The summary of one thing.
struct duplicates_account {
    struct event *last;           // of the suppressed events; NULL: none yet
    uint64_t suppressed;          // at least 1 in a report
    int64_t since_us;             // UTC, of the first suppressed event
    char first_id[EVENT_ID_SIZE]; // of the event that was sent
};

struct duplicates;

// The functions below call `report` with each summary.
struct duplicates *duplicates_new(void (*report)(void *ctx,
                                                 const struct duplicates_account *account),
                                  void *ctx, const struct random *random);
void duplicates_free(struct duplicates *duplicates); // reports nothing; NULL is allowed

// Returns whether the event is a duplicate, and the caller suppresses the event. `window_us` begins
// with the first of the equal events; 0: no event is a duplicate.
bool duplicates_suppress(struct duplicates *duplicates, struct event *event, int64_t window_us,
                         int64_t now_us);

// Reports the summaries that are due: one for each window that had duplicates.
void duplicates_tick(struct duplicates *duplicates, int64_t window_us, int64_t now_us);
int64_t duplicates_due(const struct duplicates *duplicates); // INT64_MAX: no report is due

// Ends every window, reports its summary and forgets all things.
void duplicates_end(struct duplicates *duplicates);
