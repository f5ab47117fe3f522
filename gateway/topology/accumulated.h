// SPDX-License-Identifier: BSD-2-Clause
// Accumulated counters: each counter of each port summed over the readings, in 64 bits. A sum goes
// on growing when the port's own counter is reset or full. It begins with the value of the first
// reading.
//
// Decides: How is a counter counted that was reset or is full?
#pragma once

#include "model/counter.h"

#define ACCUMULATED_KEEP_US                                                                        \
    (INT64_C(86400) * 1000000) // a port that is missing for longer is forgotten

// The sums after one reading; immutable and counted. A port takes some 50 octets, as most counters
// of most ports are 0.
struct accumulated_counters;

// Returns the sums of `old` with a reading added. `old` may be NULL and stays the caller's. A value
// that fell was reset: it counts from zero. A full counter adds nothing. A counter that changed
// between its native size and 64 bits adds nothing until the next reading. A port that is missing
// from the reading keeps its sums for ACCUMULATED_KEEP_US. Returns one reference, the caller's.
struct accumulated_counters *accumulated_with(const struct accumulated_counters *old,
                                              const struct counter_reading *reading);
struct accumulated_counters *
accumulated_ref(struct accumulated_counters *accumulated);        // any thread, here and below
void accumulated_unref(struct accumulated_counters *accumulated); // NULL is allowed

// False: the port was not read. Any thread; `accumulated` may be NULL.
bool accumulated_find(const struct accumulated_counters *accumulated, uint64_t node_guid,
                      uint8_t port, uint64_t out[COUNTER_COUNT]);

// The sum of a cause of COUNTER_RCV_ERRORS or COUNTER_XMIT_DISCARDS, by its place in struct
// error_details: 0 to 5. It begins with the first details that the port told. False: the port has
// told none, as its errors did not grow, or as it has no such attribute. Any thread; `accumulated`
// may be NULL.
bool accumulated_find_cause(const struct accumulated_counters *accumulated, uint64_t node_guid,
                            uint8_t port, enum counter counter, unsigned cause, uint64_t *out);

// When the sums of a port began, in UTC: with the first reading of the port, or of the port after
// its sums were forgotten. 0: with the first reading of all ports, or the port was not read. Any
// thread; `accumulated` may be NULL.
int64_t accumulated_began_at(const struct accumulated_counters *accumulated, uint64_t node_guid,
                             uint8_t port);

// As accumulated_find, with the values of the port's last reading.
bool accumulated_find_last(const struct accumulated_counters *accumulated, uint64_t node_guid,
                           uint8_t port, struct counter_sample *out);

// Walks over the ports, ascending by node and port, with the values of the last reading that had
// the port. Set `accumulated` (may be NULL) and leave the rest zero to begin.
struct accumulated_walk {
    const struct accumulated_counters *accumulated;
    size_t place, at;
    bool missing; // set by accumulated_next: the last reading lacked the port
};
bool accumulated_next(struct accumulated_walk *walk,
                      struct counter_sample *out); // false: there are no more
// The same with the sums as values.
bool accumulated_next_sums(struct accumulated_walk *walk, struct counter_sample *out);
