// What the counters of every port have come to: sums of 64 bits that go on when a native counter is
// reset, and that keep what they had when one is full. They begin with the first reading's values.
#ifndef IBTRAPD_TOPOLOGY_ACCUMULATED_H
#define IBTRAPD_TOPOLOGY_ACCUMULATED_H

#include "model/counter.h"

#define ACCUMULATED_KEEP_US                                                                        \
    (INT64_C(86400) * 1000000) // a port that is missing so long is forgotten

// Immutable, counted: as of the last reading. Most counters of most ports stand at 0, so a port
// takes some 50 octets.
struct accumulated_counters;

// `old` (may be NULL; keeps its reference) with a reading added. A value that fell was reset by
// somebody: it counts from zero. One that is full adds nothing. A counter that changes between its
// native size and 64 bits adds nothing, either, until the next reading. A port that is missing from
// the reading keeps its sums for a day. One reference, the caller's. NULL: out of memory.
struct accumulated_counters *accumulated_with(const struct accumulated_counters *old,
                                              const struct counter_reading *reading);
struct accumulated_counters *
accumulated_ref(struct accumulated_counters *accumulated);        // any thread, as is the next
void accumulated_unref(struct accumulated_counters *accumulated); // NULL is allowed

// False: the port was not read. Any thread; `sums` may be NULL.
bool accumulated_find(const struct accumulated_counters *accumulated, uint64_t node_guid,
                      uint8_t port, uint64_t out[COUNTER_COUNT]);

// What each port had in the last reading that had it, ascending by node and port. Begins with the
// others zero; `sums` may be NULL.
struct accumulated_walk {
    const struct accumulated_counters *accumulated;
    size_t place, at;
};
bool accumulated_next(struct accumulated_walk *walk,
                      struct counter_sample *out); // false: there are no more

#endif
