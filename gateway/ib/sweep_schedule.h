// SPDX-License-Identifier: BSD-2-Clause
// Decides when to sweep: periodically, when triggers have settled, and once more after an
// incomplete sweep. Pure; times are monotonic microseconds.
#ifndef IBTRAPD_IB_SWEEP_SCHEDULE_H
#define IBTRAPD_IB_SWEEP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum { SWEEP_SCHEDULE_SETTLES_MAX = 10 }; // settling times by which triggers can delay a sweep

struct sweep_schedule {
    int64_t interval_us, settle_us;
    int64_t next_at; // of the next sweep without a trigger
    bool at_once;    // sweep now
    bool triggered;  // since the last sweep began
    int64_t first_trigger, last_trigger;
    bool is_second; // the sweep at next_at, or the one under way, repeats an incomplete one
};

// The first sweep is due at once.
void sweep_schedule_init(struct sweep_schedule *s, int64_t interval_us, int64_t settle_us,
                         int64_t now);

// The time of the next sweep.
int64_t sweep_schedule_due(const struct sweep_schedule *s);

// Something happened: sweep when it has settled.
void sweep_schedule_trigger(struct sweep_schedule *s, int64_t now);
void sweep_schedule_now(struct sweep_schedule *s); // sweep at once

// A sweep begins, and ends. A trigger in between causes a sweep of its own.
void sweep_schedule_begin(struct sweep_schedule *s, int64_t now);
void sweep_schedule_end(struct sweep_schedule *s, int64_t now, bool complete);

#endif
