// Which counters grow too fast: each reading is compared with the one before. Pure, but for its
// memory of what is reached; the last values are in the sums.
#ifndef IBTRAPD_TOPOLOGY_THRESHOLDS_H
#define IBTRAPD_TOPOLOGY_THRESHOLDS_H

#include "topology/accumulated.h"

struct threshold_change {
    uint64_t node_guid;
    uint8_t port;
    enum counter counter;
    bool reached;           // otherwise cleared
    uint64_t before, after; // the counter's values
};

struct thresholds;

// limits: growth from one reading to the next at which a counter is told of; 0: never. NULL: out of
// memory.
struct thresholds *thresholds_new(const uint64_t limits[COUNTER_ERRORS]);
void thresholds_change(struct thresholds *thresholds, const uint64_t limits[COUNTER_ERRORS]);
void thresholds_free(struct thresholds *thresholds); // NULL is allowed

// A threshold that was reached when the gateway ended: to be called before the first update. It is
// cleared like any other, at the second reading of the port at the earliest. False: out of memory.
bool thresholds_restore(struct thresholds *thresholds, uint64_t node_guid, uint8_t port,
                        enum counter counter);

// Compares with what each port had before, and calls `each` by node, port and counter. `before`:
// the sums without this reading; NULL for the first. A counter is told of when it reaches its
// threshold, and cleared at the first reading in which it grew less, or for which there is no limit
// any more. A value that fell was reset by somebody: it counts from zero. One that sticks at its
// limit does not grow; its alarm stays. LocalLinkIntegrityErrors and ExcessiveBufferOverrunErrors
// are told of at each reading in which they grew enough, and never cleared: they stand for traps
// 129 and 130. A port that is missing from a reading keeps its last values for a day; when it is
// forgotten (ACCUMULATED_KEEP_US), what it had reached is cleared. A port that changes between
// native and 64-bit counters begins anew. False: out of memory, nothing was compared.
bool thresholds_update(struct thresholds *thresholds, const struct accumulated_counters *before,
                       const struct counter_reading *reading,
                       void (*each)(void *ctx, const struct threshold_change *change), void *ctx);

#endif
