// SPDX-License-Identifier: BSD-2-Clause
// An index of the journal: the events of each switch, for gswEventTable and the columns with counts
// of events. All snapshots share the index; each snapshot shows a range of the index. The agent's
// thread only.
#pragma once

#include "journal/journal.h"

enum {
    SNAPSHOT_EVENTS_PER_SWITCH_MAX = 512, // in a snapshot; the index has twice as many
    SNAPSHOT_EVENTS_READ_MAX = 65536,     // in one update, which skips older events
    SNAPSHOT_EVENTS_SWITCHES_MAX = 65536,
};

// The events of a snapshot: after < number in the journal <= last.
struct snapshot_events_range {
    int64_t after, last;
};

// The number of an event or alarm in the tables and in notifications: an index of 31 bits. The
// number is the event's number in the journal, until that exceeds EVENT_NUMBER_MAX. From then on
// the tables show the events since the last multiple of 2^31 only.
enum { EVENT_NUMBER_MAX = INT32_MAX };
static inline uint32_t event_number(int64_t sequence)
{
    return (uint32_t)sequence & EVENT_NUMBER_MAX;
}

struct snapshot_events;
struct snapshot_events *snapshot_events_new(void);
void snapshot_events_free(struct snapshot_events *events); // NULL is allowed

// Reads the events since the last update; the first update reads the latest events. Returns false
// if the journal cannot be read now; the next update goes on from there.
bool snapshot_events_update(struct snapshot_events *events, struct journal *journal);

// The number of a switch's events in the range, without the events that the journal has dropped
// since. `events` may be NULL here and below.
uint32_t snapshot_events_count(const struct snapshot_events *events, struct journal *journal,
                               struct snapshot_events_range range, uint64_t guid);

// Sets `found` to the GUID of the first switch or router with events whose GUID is `guid` or
// greater, and `type` to its enum fabric_type, or 0 if that is unknown. False: there is none.
// `events` is not NULL.
bool snapshot_events_switch(const struct snapshot_events *events, uint64_t guid, uint64_t *found,
                            uint8_t *type);

// Finds the first of a switch's events in the range from number `sequence` on. Returns its number;
// 0: there is none. `event` becomes a reference, the caller's.
int64_t snapshot_events_find(const struct snapshot_events *events, struct journal *journal,
                             struct snapshot_events_range range, uint64_t guid, int64_t sequence,
                             struct event **event);

// Reads the first readable event of the journal from number `sequence` on; while the disk fails,
// the first in memory. Returns its number; 0: there is none. `event` becomes a reference, the
// caller's. Any thread.
int64_t snapshot_events_read_next(struct journal *journal, int64_t sequence, struct event **event);
