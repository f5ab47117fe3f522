// SPDX-License-Identifier: BSD-2-Clause
// Tells that Reports got lost before this program could read them. OpenSM numbers the Reports to
// all subscribers together, in the lower half of the TransactionID (osm_inform.c). So where they
// came one after the other for a while, nobody else gets any, and a gap that the SM's repeats do
// not fill is a loss. Pure. For one thread.
#ifndef IBTRAPD_IB_REPORT_GAPS_H
#define IBTRAPD_IB_REPORT_GAPS_H

#include <stdint.h>

enum { REPORT_GAPS_WINDOW = 1 << 16, REPORT_GAPS_LEARN = 32 };

// Zero-initialise it, also when another SM numbers the Reports.
struct report_gaps {
    uint64_t seen[REPORT_GAPS_WINDOW / 64]; // by number, the latest ones
    uint32_t highest;                       // number
    uint32_t in_order;                      // so many came without a gap; 0: none came
    uint32_t missing;                       // in the gap that is judged next
    uint32_t judged_below;                  // the number that ended it
    uint32_t later;                         // missing in those after it
    int64_t judge_at;                       // monotonic microseconds; 0: there is no gap
};

// A Report with that TransactionID arrived.
void report_gaps_note(struct report_gaps *gaps, uint32_t tid, int64_t now);

// How many Reports are missing, once for each gap, two to four seconds after it: the SM repeats a
// Report for less.
uint32_t report_gaps_judge(struct report_gaps *gaps, int64_t now);

#endif
