// SPDX-License-Identifier: BSD-2-Clause
// The rules of sweeps: when a sweep begins, how much it may find and how long it may take, and what
// is told besides the fabric. Pure. For one thread. Decides: When does a sweep begin? Decides: When
// does ibtrapd say that a sweep reached a limit?
#ifndef IBTRAPD_IB_SWEEP_RULES_H
#define IBTRAPD_IB_SWEEP_RULES_H

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

// The limits.

struct sweep_size sweep_limits_measure(const struct fabric *fabric);

// What the limits never exceed, and how long a node takes that does not answer, with as many others
// as are asked at a time.
struct sweep_bounds {
    uint32_t nodes; // 0: there are no limits
    int64_t part_us;
    int64_t silent_us;
};

// Four times the expected size and 1,024 nodes, and the time in which as many nodes as expected do
// not answer, and a minute; at most the bounds, which also hold if no size is expected. So three
// liars can have as many nodes as the whole fabric before the others are too late.
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

// Tells that no sweep reaches a limit any more, as there are none, if one did before.
void sweep_findings_end(struct sweep_findings *findings, const struct sweep_listener *listener);

// Part of a sentence about a sweep that reached a limit.
void sweep_findings_explain(const struct sweep_overflow *overflow,
                            char out[SWEEP_FINDINGS_REASON_SIZE]);

// Sentences about the nodes of `fabric` that have another M_Key than the one they were asked with,
// or may have. Empty: there is none.
void sweep_findings_explain_locked(const struct sweep *sweep, const struct fabric *fabric,
                                   char *out, size_t size);

// The sentence about the P_Key tables for which the snapshot had no room. Empty: there is none.
void sweep_findings_explain_pkeys(const struct fabric *fabric, char *out, size_t size);

#endif
