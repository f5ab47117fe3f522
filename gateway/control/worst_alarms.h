// SPDX-License-Identifier: BSD-2-Clause
// The worst of the active alarms, of which there may be half a million.
#ifndef IBTRAPD_CONTROL_WORST_ALARMS_H
#define IBTRAPD_CONTROL_WORST_ALARMS_H

#include "journal/journal.h"

struct worst_alarms {
    struct alarm **all; // in order: those that nobody works on, then those that are acknowledged or
                        // shelved; of each the most severe first, of one severity the newest first
    size_t count;
    struct alarm *room; // the same in no order
};

// Finds the worst ones, `most` at most. `now_us`: UTC, until when a shelving counts. Takes a
// microsecond for each active alarm. Free `out`.
void worst_alarms_find(struct journal *journal, int64_t now_us, size_t most,
                       struct worst_alarms *out);
void worst_alarms_free(struct worst_alarms *worst);

#endif
