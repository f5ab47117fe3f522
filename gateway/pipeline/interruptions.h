// SPDX-License-Identifier: BSD-2-Clause
// Finds links that went down and came up again before a sweep. Trap 128 names the switch and no
// port, and the sweep after the trap shows no change. LinkDownedCounter of the port grew.
// Pipeline's thread.
//
// Decides: When is a link interrupted, although each sweep saw the link up?
// Decides: When are the counters of a switch read before their time?
#pragma once

#include "model/event.h"
#include "topology/accumulated.h"
#include "topology/changes.h"

enum { INTERRUPTIONS_SWITCHES_MAX = 64 }; // suspected at a time; further switches are ignored
#define INTERRUPTIONS_AGE_US (120 * INT64_C(1000000)) // a switch is suspected for so long at most

// A switch whose trap 128 no change has explained yet.
struct interruptions_suspect {
    uint64_t guid;
    int64_t time_us; // UTC, of its last trap
    bool judged;     // a sweep that began later showed no change
    bool read;       // its counters were read since
    char id[EVENT_ID_SIZE];
};

// Starts zeroed.
struct interruptions {
    struct interruptions_suspect suspects[INTERRUPTIONS_SWITCHES_MAX];
    size_t count;
};

// Notes a trap 128 of a switch that is known. Ignores other events.
void interruptions_note(struct interruptions *interruptions, const struct event *event);

// A complete sweep.
struct interruptions_sweep {
    const struct changes *changes;
    const struct fabric *now, *joined; // joined.h
    int64_t begun_us;                  // UTC
};

// Judges by a sweep. Forgets the switches that a change is about. Leaves the switches whose trap
// came during the sweep, or with a link that waits, to the next sweep. Writes the others to `out`,
// as their counters have to be read, and returns their number.
size_t interruptions_judge(struct interruptions *interruptions,
                           const struct interruptions_sweep *sweep,
                           uint64_t out[INTERRUPTIONS_SWITCHES_MAX]);

// A port whose link was interrupted.
struct interruptions_found {
    uint64_t node_guid;
    uint8_t port;
    uint64_t times;         // by which its LinkDownedCounter grew
    const char *related_id; // of the trap's event
};

// Compares the counters before and after a reading. Calls `each` for the judged switches' ports
// whose LinkDownedCounter grew, and forgets the switches that the reading has.
void interruptions_find(struct interruptions *interruptions, const struct counter_reading *reading,
                        const struct accumulated_counters *before,
                        const struct accumulated_counters *after,
                        void (*each)(void *ctx, const struct interruptions_found *found),
                        void *ctx);
