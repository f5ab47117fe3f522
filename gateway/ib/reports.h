// SPDX-License-Identifier: BSD-2-Clause
// Recognises repeated Reports and missing Reports. The SM sends a Report up to four times, 200 ms
// apart, until it gets the ReportResp (OpenSM, osm_vendor_ibumad_sa). The repeats have the same
// sender, TransactionID and content.
// Decides: Which Report is a repeat of another Report?
// Decides: When does ibtrapd say that Reports got lost?
#pragma once

#include "base/hash.h"

#include <stdint.h>

// Repeats.

enum { REPEATS_MAX = 65536, REPEATS_MEMORY_US = 5000000 };

// Remembers the last REPEATS_MAX Reports. A restarted SM uses its TransactionIDs again; a new
// Report is nevertheless never taken for a repeat, since content and age count, too.
struct repeats {
    struct repeats_report {
        struct hash_node node; // its digest covers the content
        uint64_t tid;
        int64_t at; // monotonic microseconds: when it arrived
        uint16_t lid;
    } ring[REPEATS_MAX]; // by number
    uint64_t count;      // Reports remembered so far; the number of the next one
    struct hash reports;
};

// `r` is zero-initialised, or cleared.
void repeats_init(struct repeats *r, const struct random *random);
void repeats_clear(struct repeats *r); // a zero-initialised one is allowed

// The digest of a Report: of its sender, TransactionID and content.
uint64_t repeats_digest(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size);

// Whether a Report that arrives at `now` repeats a Report of the last REPEATS_MEMORY_US.
bool repeats_seen(const struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest,
                  int64_t now);

void repeats_remember(struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now);

// Gaps. OpenSM numbers the Reports to all subscribers together, in the lower half of the
// TransactionID (osm_inform.c). So if the numbers followed each other for a while, nobody else gets
// Reports, and a gap that the SM's repeats do not fill is a loss.

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
