// Which view answers. A request does not say to which walk it belongs, but a walk goes on from the
// name that it was last answered: the view that answered this name answers what follows it, for a
// while. When several did, a walk that stands there comes before those that went on. Who asks later
// for what follows a name, as a manager does that looks for new rows, begins anew and sees them.
#ifndef IBTRAPD_AGENT_WALK_CACHE_H
#define IBTRAPD_AGENT_WALK_CACHE_H

#include "agent/snapshot.h"
#include "agentx/value.h"
#include "base/random.h"

// How long a view of what did not change is as good as new; how long a walk may pause, and a view
// is kept that nobody asks; and how long a walk that went on may ask the same once more, as the
// answer was lost: shorter than managers poll.
#define WALK_CACHE_FRESH_US  (1 * CLOCK_US_PER_S)
#define WALK_CACHE_KEEP_US   (20 * CLOCK_US_PER_S)
#define WALK_CACHE_REPEAT_US (4 * CLOCK_US_PER_S)

enum {
    WALK_CACHE_SNAPSHOTS_MAX =
        8, // what nobody walks makes room first, then what was asked the longest ago
    WALK_CACHE_NAMES = 16384, // that are remembered, of all views: the last ones
};

struct walk_cache;

// One thread. Source and events outlive it. NULL: out of memory.
struct walk_cache *walk_cache_new(const struct snapshot_source *source,
                                  struct snapshot_events *events, const struct random *random);
void walk_cache_free(struct walk_cache *cache); // NULL is allowed

// Both: a view, valid until the next of these calls; for longer, keep it. NULL: out of memory.
struct agent_snapshot *walk_cache_begin(struct walk_cache *cache); // as things are now
// What follows the name.
struct agent_snapshot *walk_cache_follow(struct walk_cache *cache, const struct agentx_oid *name);

// The number of a view that one of these gave, counted from 1; 0: it is not held any more, or NULL.
uint64_t walk_cache_number(const struct walk_cache *cache, const struct agent_snapshot *snapshot);

// The view answered with that name.
void walk_cache_remember(struct walk_cache *cache, const struct agent_snapshot *snapshot,
                         const struct agentx_oid *name);

// Drops the views that were not asked for a while. Returns when to call this again, in monotonic
// microseconds; INT64_MAX: not before there is another view.
int64_t walk_cache_expire(struct walk_cache *cache);

#endif
