// When to sweep: periodically, when something happened and has settled, once more after a look that
// was not complete. Pure: time is an argument, in microseconds.
#ifndef IBTRAPD_IB_SWEEP_SCHEDULE_H
#define IBTRAPD_IB_SWEEP_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum { SWEEP_SCHEDULE_SETTLES_MAX = 10 }; // so many settling times a burst can put a sweep off

struct sweep_schedule {
    int64_t interval_us, settle_us;
    int64_t next_at; // without anything happening
    bool at_once;    // whatever else
    bool poked;
    int64_t first_poke, last_poke; // since the last sweep began
    bool is_second; // the sweep that next_at is for, or that is under way, is a second look
};

// The first sweep is due at once.
void sweep_schedule_init(struct sweep_schedule *s, int64_t interval_us, int64_t settle_us,
                         int64_t now);

// When the next one is due.
int64_t sweep_schedule_due(const struct sweep_schedule *s);

void sweep_schedule_trigger(struct sweep_schedule *s, int64_t now);
void sweep_schedule_now(struct sweep_schedule *s); // without settling

// One begins, and ends. What pokes meanwhile has a sweep of its own.
void sweep_schedule_begin(struct sweep_schedule *s, int64_t now);
void sweep_schedule_end(struct sweep_schedule *s, int64_t now, bool complete);

#endif
