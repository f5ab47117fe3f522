// SPDX-License-Identifier: BSD-2-Clause
// What the sweeper has to tell besides the fabric: sweeps that reached a limit, from the first one
// to the first that does not; and GUIDs that answer at two places, once for each. Pure. For one
// thread.
#ifndef IBTRAPD_IB_SWEEP_FINDINGS_H
#define IBTRAPD_IB_SWEEP_FINDINGS_H

#include "ib/sweep.h"

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
