// SPDX-License-Identifier: BSD-2-Clause
// What became of the latest events at a receiver, for `ibtrapctl explain`. The caller locks.
#ifndef IBTRAPD_SINK_OUTCOMES_H
#define IBTRAPD_SINK_OUTCOMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RECEIVER_OUTCOMES_MAX = 2048, // latest events whose outcome is kept
    RECEIVER_REFUSALS_KEPT = 16,  // latest events that the receiver refused, with the reason
    RECEIVER_REASON_SIZE = 256,
};

// The outcome of an event at a receiver.
enum receiver_outcome {
    RECEIVER_WAITING,   // not sent, or not confirmed
    RECEIVER_DELIVERED, // the receiver has confirmed it
    RECEIVER_FILTERED,  // it did not pass the receiver's filter
    RECEIVER_GIVEN_UP,  // too old, or flushed, or refused too often
    RECEIVER_PASSED,    // unknown: too long ago, or before this start
    RECEIVER_SENT,      // the kernel took it; this receiver confirms nothing
};

struct receiver_event_outcome {
    enum receiver_outcome outcome;
    int64_t time_us; // UTC; 0: not known
    // The reason, if the event was given up after refusals and is among the latest of these; else
    // empty.
    char reason[RECEIVER_REASON_SIZE];
};

struct outcomes {
    struct {
        int64_t sequence, time_us; // UTC
        enum receiver_outcome outcome;
    } all[RECEIVER_OUTCOMES_MAX]; // by sequence number modulo the size
    struct {
        int64_t sequence;
        char reason[RECEIVER_REASON_SIZE];
    } refusals[RECEIVER_REFUSALS_KEPT]; // a ring
    size_t refusal_count;
};

void outcomes_remember(struct outcomes *outcomes, int64_t sequence, enum receiver_outcome outcome,
                       int64_t utc_us);

// Remembers why the receiver refused an event, so many times.
void outcomes_remember_refusal(struct outcomes *outcomes, int64_t sequence, unsigned times,
                               const char *problem);

// False: the event is not among the latest, and `out` is unchanged.
bool outcomes_find(const struct outcomes *outcomes, int64_t sequence,
                   struct receiver_event_outcome *out);

const char *outcomes_word(enum receiver_outcome outcome); // such as "delivered"

#endif
