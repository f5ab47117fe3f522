// SPDX-License-Identifier: BSD-2-Clause
// Finds counters that grow too fast: compares each reading with the one before. It remembers which
// thresholds are reached, and nothing else: the values before are in the accumulated counters.
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

// `limits`: the growth from one reading to the next at which a counter reaches its threshold; 0:
// never. NULL: out of memory.
struct thresholds *thresholds_new(const uint64_t limits[COUNTER_ERRORS]);
void thresholds_change(struct thresholds *thresholds, const uint64_t limits[COUNTER_ERRORS]);
void thresholds_free(struct thresholds *thresholds); // NULL is allowed

// Restores a threshold that was reached when the gateway ended. The threshold is cleared like any
// other, at the second reading of the port at the earliest. False: out of memory.
bool thresholds_restore(struct thresholds *thresholds, uint64_t node_guid, uint8_t port,
                        enum counter counter);

// Compares a reading with `before`, the accumulated counters without it (NULL for the first
// reading). Calls `each`, in the order of node, port and counter:
// - when a counter reaches its threshold;
// - when the threshold is cleared: the counter grew less in a later reading, or lost its limit;
// - for LocalLinkIntegrityErrors and ExcessiveBufferOverrunErrors at each reading in which they
//   reach their thresholds: they become derived events of traps 129 and 130, which are never
//   cleared.
//
// A value that fell was reset: it counts from zero. A full counter does not grow, and its alarm
// stays. A port that is missing from a reading keeps its last values for ACCUMULATED_KEEP_US; then
// it is forgotten, and its thresholds are cleared. A port that changes between native and 64-bit
// counters begins anew. False: out of memory, and nothing was compared.
bool thresholds_update(struct thresholds *thresholds, const struct accumulated_counters *before,
                       const struct counter_reading *reading,
                       void (*each)(void *ctx, const struct threshold_change *change), void *ctx);

// Takes the memory that the next update needs if it is with that reading, so that it cannot fail.
// False: out of memory.
bool thresholds_reserve(struct thresholds *thresholds, const struct counter_reading *reading);

// Whether that threshold is reached. Call it after an update.
bool thresholds_has_reached(const struct thresholds *thresholds, uint64_t node_guid, uint8_t port,
                            enum counter counter);

// Forgets the thresholds whose alarms do not stand, as `stands` says: somebody cleared them. They
// can be reached again. Call it between two updates.
void thresholds_review(struct thresholds *thresholds,
                       bool (*stands)(void *ctx, const struct threshold_change *reached),
                       void *ctx);

#endif
