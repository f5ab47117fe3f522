// SPDX-License-Identifier: BSD-2-Clause
// Remembers Notices about changes of the fabric for two minutes, finds the Notice of a change, and
// holds traps until a sweep explains the traps. Pipeline's thread.
// Decides: Which Notice does a change of the fabric explain?
// Decides: When is a trap told that a sweep may explain?
#pragma once

#include "pipeline/emitter.h"
#include "topology/changes.h"

enum {
    SEEN_NOTICES_MAX = 512,   // remembered; the oldest are forgotten first
    SEEN_NOTICES_AGE_S = 120, // a change explains no older Notice
};

// How long a trap waits for a sweep; with a node that waits to join, JOINED_HOLD_US more.
#define SEEN_NOTICES_HOLD_US (INT64_C(15) * 1000000)

struct seen_notice {
    uint16_t trap, lid;
    uint64_t guid; // of the subject: a port, or a switch
    int64_t time_us;
    char id[EVENT_ID_SIZE];
    bool held;      // the event awaits a sweep
    int64_t number; // of the event, if held; 0: not known yet
    int64_t since;  // monotonic
};

// Zero to begin, but for `emitter`.
struct seen_notices {
    struct emitter *emitter;
    struct seen_notice all[SEEN_NOTICES_MAX];
    size_t next;
    size_t held; // of `all`
};

// Remembers the event of a Notice. `swept`: sweeps come, and the traps 64, 65 and 128 are marked as
// events awaiting the next sweep.
void seen_notices_add(struct seen_notices *notices, struct event *event, bool swept);

// Notes the number of the event added last in the journal.
void seen_notices_number(struct seen_notices *notices, int64_t number);

// After a kill, takes up the held traps of the journal (held_traps.h). The journal is readable.
void seen_notices_restore(struct seen_notices *notices);

// Judges the held traps by a sweep that began at `begun_us` (UTC). A link that waits may tell more
// at the next sweep. A link that waited in the snapshot before, and went, explains the trap: the
// alarm about the link stands. `before` may be NULL.
void seen_notices_judge(struct seen_notices *notices, const struct changes *changes,
                        const struct fabric *before, int64_t begun_us, bool complete);

// Tells of the traps without an explanation in SEEN_NOTICES_HOLD_US; `all`: of all held traps.
void seen_notices_tell_late(struct seen_notices *notices, bool all);

// The identifier of the event explained by the change; empty: no event.
const char *seen_notices_of_change(const struct seen_notices *notices, const struct change *change);
