// SPDX-License-Identifier: BSD-2-Clause
// Chooses the snapshot for a request: a walk is to see one moment. A request does not name its
// walk, but a walk asks for the successor of the last answered name. So the snapshot of an answered
// name also answers the request for the successor, for a while. Of several such snapshots, the
// cache prefers a snapshot whose walk has stopped at the name. A later request, for instance of a
// manager that polls for new rows, opens a new snapshot.
// Decides: How long does a walk of an SNMP manager keep its snapshot?
#pragma once

#include "agent/snapshot.h"
#include "agentx/value.h"
#include "base/random.h"

// FRESH: a new walk may use a snapshot of this age if nothing has changed since.
// KEEP: the longest pause of a walk; then a snapshot without requests is dropped.
// REPEAT: how long a walk may repeat a request after the walk went on, in case the answer was lost.
// REPEAT is less than the interval at which managers poll.
#define WALK_CACHE_FRESH_US  (1 * CLOCK_US_PER_S)
#define WALK_CACHE_KEEP_US   (20 * CLOCK_US_PER_S)
#define WALK_CACHE_REPEAT_US (4 * CLOCK_US_PER_S)

enum {
    WALK_CACHE_SNAPSHOTS_MAX =
        8, // a snapshot without a walk makes room first, then the least recently used
    WALK_CACHE_NAMES = 16384, // latest answered names, of all snapshots
};

struct walk_cache;

// The cache is for one thread. `source`, `events` and `random` outlive the cache. `events` may be
// NULL: then snapshots have no events.
struct walk_cache *walk_cache_new(const struct snapshot_source *source,
                                  struct snapshot_events *events, const struct random *random);
void walk_cache_free(struct walk_cache *cache); // NULL is allowed

// The names of the next calls are in the context `context`; 0, the first value, is the gateway's
// own context. Walks in different contexts have nothing to do with each other.
void walk_cache_enter(struct walk_cache *cache, uint64_t context);

// Both return a snapshot that is valid until the next call of either; take a reference to use the
// snapshot for longer. Both return NULL if the journal cannot be read now.
struct agent_snapshot *walk_cache_begin(struct walk_cache *cache); // as of now
// The snapshot that answers a request for the successor of the name.
struct agent_snapshot *walk_cache_follow(struct walk_cache *cache, const struct agentx_oid *name);

// The number of a snapshot of this cache, counted from 1. 0: the cache has dropped the snapshot, or
// the snapshot is NULL.
uint64_t walk_cache_number(const struct walk_cache *cache, const struct agent_snapshot *snapshot);

// Call this after an answer from the snapshot with the name.
void walk_cache_remember(struct walk_cache *cache, const struct agent_snapshot *snapshot,
                         const struct agentx_oid *name);

// Drops the snapshots that had no request for WALK_CACHE_KEEP_US. Returns when to call this again,
// in monotonic microseconds; INT64_MAX: not before there is another snapshot.
int64_t walk_cache_expire(struct walk_cache *cache);
