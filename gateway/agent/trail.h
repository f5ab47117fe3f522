// Which view answers. A request does not say to which walk it belongs, but a walk goes on from the
// name that it was last answered: the view that answered this name answers what follows it, for a
// while. When several did, a walk that stands there comes before those that went on. Who asks later
// for what follows a name, as a manager does that looks for new rows, begins anew and sees them.
#ifndef IBTRAPD_AGENT_TRAIL_H
#define IBTRAPD_AGENT_TRAIL_H

#include "agent/view.h"
#include "agentx/value.h"

// How long a view of what did not change is as good as new; how long a walk may pause, and a view
// is kept that nobody asks; and how long a walk that went on may ask the same once more, as the
// answer was lost: shorter than managers poll.
#define TRAIL_FRESH_US  (1 * CLOCK_US_PER_S)
#define TRAIL_KEEP_US   (20 * CLOCK_US_PER_S)
#define TRAIL_REPEAT_US (4 * CLOCK_US_PER_S)

enum {
    TRAIL_VIEWS = 8,     // what nobody walks makes room first, then what was asked the longest ago
    TRAIL_NAMES = 16384, // that are remembered, of all views
};

struct trail;

// One thread. Both outlive it. NULL: out of memory.
struct trail *trail_new(const struct view_source *source, struct view_events *events);
void trail_free(struct trail *trail); // NULL is allowed

// Both: a view, valid until the next of these calls; for longer, keep it. NULL: out of memory.
struct view *trail_begin(struct trail *trail); // as things are now
// What follows the name.
struct view *trail_follow(struct trail *trail, const struct agentx_oid *name);

// The view answered with that name.
void trail_remember(struct trail *trail, const struct view *view, const struct agentx_oid *name);

// Drops the views that were not asked for a while. Returns when to call this again, in monotonic
// microseconds; INT64_MAX: not before there is another view.
int64_t trail_expire(struct trail *trail);

#endif
