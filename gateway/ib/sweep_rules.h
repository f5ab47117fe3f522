// SPDX-License-Identifier: BSD-2-Clause
// The rules of sweeps: the schedule, the limits of size and time, and the findings that are told
// besides the fabric. Pure. For one thread.
// Decides: When does a sweep begin?
// Decides: When does ibtrapd say that a sweep reached a limit?
#pragma once

#include "ib/sweep.h"
#include "model/fabric.h"

#include <stdbool.h>
#include <stdint.h>

// The schedule.

enum { SWEEP_SCHEDULE_SETTLES_MAX = 10 }; // settling times by which triggers can delay a sweep

struct sweep_schedule {
    int64_t interval_us, settle_us;
    int64_t next_at; // of the next sweep without a trigger
    bool at_once;    // sweep now
    bool triggered;  // since the last sweep began
    int64_t first_trigger, last_trigger;
    bool is_second;    // the sweep at next_at, or the sweep under way, repeats an incomplete sweep
    uint32_t inactive; // links that the last sweep found inactive
    int64_t rose_at;   // more links became inactive
    int64_t pause_us;  // before the next sweep, while links may come up
};

// The first sweep is due at once.
void sweep_schedule_init(struct sweep_schedule *s, int64_t interval_us, int64_t settle_us,
                         int64_t now);

// The time of the next sweep.
int64_t sweep_schedule_due(const struct sweep_schedule *s);

// Something happened: sweep when it has settled.
void sweep_schedule_trigger(struct sweep_schedule *s, int64_t now);
void sweep_schedule_now(struct sweep_schedule *s); // sweep at once

// A sweep begins, and ends. A trigger in between causes a sweep of its own. When more links are
// `inactive` than before, further sweeps come soon, each after twice the pause, up to the interval:
// the subnet manager makes a link ACTIVE without a trap.
void sweep_schedule_begin(struct sweep_schedule *s, int64_t now);
void sweep_schedule_end(struct sweep_schedule *s, int64_t now, bool complete, uint32_t inactive);

// The limits.

struct sweep_size sweep_limits_measure(const struct fabric *fabric);

// The upper bounds of the limits, and the time that a silent node costs if as many silent nodes are
// asked at a time as the options allow.
struct sweep_bounds {
    uint32_t nodes; // 0: there are no limits
    int64_t part_us;
    int64_t silent_us;
};

// Returns four times the expected size and 1,024 nodes. The time is a minute and the time of
// silence of all expected nodes. The bounds limit both, and hold alone if no size is expected. So
// three liars can each have the size of the whole fabric before honest nodes are too late.
struct sweep_limits sweep_limits_for(const struct sweep_size *expected,
                                     const struct sweep_bounds *bounds);

// The findings.

enum { SWEEP_FINDINGS_REASON_SIZE = 256 };

// The functions get part of a sentence.
struct sweep_listener {
    void (*overflow)(void *ctx, bool over, const char *reason); // NULL: nobody wants to know
    void (*twin)(void *ctx, const char *reason);                // NULL, too
    void *ctx;
};

struct sweep_findings {
    bool over;
    struct {
        struct sweep_twin twin;
        bool told;
    } twins[SWEEP_TWINS_MAX]; // of the last sweep
    size_t twin_count;
};

// Tells about a sweep that found `fabric`. `next`: the limits of the next one; if they are higher
// than the limit that this sweep reached, the fabric has grown, and there is nothing to tell yet. A
// GUID at two places is told when two sweeps in a row found it there: a node may move during a
// sweep.
void sweep_findings_tell(struct sweep_findings *findings, const struct sweep *sweep,
                         const struct sweep_limits *next, const struct fabric *fabric,
                         const struct sweep_listener *listener);

// Tells the end of an overflow, because there are no sweeps any more.
void sweep_findings_end(struct sweep_findings *findings, const struct sweep_listener *listener);

// Part of a sentence about a sweep that reached a limit.
void sweep_findings_explain(const struct sweep_overflow *overflow,
                            char out[SWEEP_FINDINGS_REASON_SIZE]);

// Sentences about the nodes of `fabric` for which the M_Key of the queries is wrong, or may be
// wrong. Empty: there is none.
void sweep_findings_explain_locked(const struct sweep *sweep, const struct fabric *fabric,
                                   char *out, size_t size);

// The sentence about the P_Key tables for which the snapshot had no room. Empty: there is none.
void sweep_findings_explain_pkeys(const struct fabric *fabric, char *out, size_t size);
