// SPDX-License-Identifier: BSD-2-Clause
// Detects flapping: an alarm that changes often, until it settles.
#ifndef IBTRAPD_POLICY_FLAP_H
#define IBTRAPD_POLICY_FLAP_H

#include "policy/options.h"

struct flap {
    int64_t at[POLICY_FLAP_CHANGES_MAX]; // times of the last changes, in a ring
    uint64_t changes;                    // since it last settled
    bool on;                             // it flaps
    bool announced;                      // the event `flapping` was made
    bool told;                           // receivers got it
    int64_t last;                        // time of the last change
    int64_t since_us;                    // UTC, of the change with which flapping began
    int64_t number;                      // of the event `flapping`, in the journal; 0: none
    uint64_t suppressed;                 // events, since the last `flapping`
    char id[EVENT_ID_SIZE];              // of the event `flapping`; empty: another gateway sent it
    enum severity severity;              // of that event, as is the next
    enum category category;
};

// Made with the second of two changes; the first was at `first_us`.
struct flap *flap_new(int64_t first_us);

// Records a change; flapping begins when there were enough of them.
void flap_note(struct flap *flap, const struct policy_options *options, const struct event *event,
               int64_t now_us);

// The time at which the alarm will have settled, unless it changes again: at once, if flapping is
// not detected any more.
int64_t flap_end(const struct flap *flap, const struct policy_options *options);

#endif
