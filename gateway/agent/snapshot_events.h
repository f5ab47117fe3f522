// Which of the journal's events are about which switch: for gswEventTable, and for what is counted
// from events. All views share it: of each switch a view shows the latest up to its own last event.
// The agent's thread only; it goes on reading where it left off.
#ifndef IBTRAPD_AGENT_SNAPSHOT_EVENTS_H
#define IBTRAPD_AGENT_SNAPSHOT_EVENTS_H

#include "agent/snapshot.h"

enum {
    SNAPSHOT_EVENTS_PER_SWITCH_MAX = 512, // that a view shows; as many later ones leave them alone
    SNAPSHOT_EVENTS_READ_MAX = 65536,     // read at a time: what is further behind is left out
    SNAPSHOT_EVENTS_SWITCHES_MAX = 65536,
};

struct snapshot_events *snapshot_events_new(void);         // NULL: out of memory
void snapshot_events_free(struct snapshot_events *events); // NULL is allowed

// Reads what came since the last time; at the first time, the latest there are. False: memory was
// too short for all of it; the next time it goes on from there.
bool snapshot_events_update(struct snapshot_events *events, struct journal *journal);

// How many of a switch's events the view shows: what the journal dropped since is none of them.
uint32_t snapshot_events_count(const struct agent_snapshot *snapshot, uint64_t guid);

// Since the oldest event that was read: requests with a wrong key that the switch met.
uint64_t snapshot_events_bad_mkey(const struct snapshot_events *events, uint64_t guid);
uint64_t snapshot_events_bad_bkey(const struct snapshot_events *events, uint64_t guid);

// The first switch whose GUID is `guid` or greater. False: there is none.
bool snapshot_events_switch(const struct snapshot_events *events, uint64_t guid, uint64_t *found);

// The first of a switch's events that the view shows, of that number or a later one. Its number; 0:
// there is none. The event is a reference, the caller's.
int64_t snapshot_events_find(const struct agent_snapshot *snapshot, uint64_t guid, int64_t sequence,
                             struct event **event);

// The first event of that number or a later one that is there and can be read: while the disk
// fails, one in memory. Its number; 0: there is none. The event is a reference, the caller's. Any
// thread.
int64_t snapshot_events_read_next(struct journal *journal, int64_t sequence, struct event **event);

// The event of that number. A reference, the caller's; NULL: it is gone, or cannot be read. Any
// thread.
struct event *snapshot_events_read(struct journal *journal, int64_t sequence);

#endif
