// SPDX-License-Identifier: BSD-2-Clause
#include "ib/reports.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdbool.h>
#include <string.h>

// Repeats.

void repeats_init(struct repeats *r, const struct random *random)
{
    hash_init(&r->reports, REPEATS_MAX, random);
}

void repeats_clear(struct repeats *r)
{
    hash_clear(&r->reports);
    r->count = 0;
}

uint64_t repeats_digest(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size)
{
    return digest_add(DIGEST_OF_NOTHING ^ tid ^ ((uint64_t)lid << 48), content, size);
}

// Hashes all three with the table's secret. The digest alone has no secret, because the journal
// stores the digest, and others know sender and TransactionID.
static uint64_t reports_secret_digest(const struct repeats *r, uint16_t lid, uint64_t tid,
                                      uint64_t digest)
{
    const uint64_t all[] = {lid, tid, digest};
    return hash_digest(&r->reports, all, sizeof all);
}

bool repeats_seen(const struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now)
{
    struct hash_node *node = hash_find(&r->reports, reports_secret_digest(r, lid, tid, digest));
    for (; node; node = hash_find_next(node)) {
        const struct repeats_report *report = HASH_THING(node, struct repeats_report, node);
        if (report->lid == lid && report->tid == tid)
            return now - report->at < REPEATS_MEMORY_US;
    }
    return false;
}

void repeats_remember(struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now)
{
    struct repeats_report *report = &r->ring[r->count++ % REPEATS_MAX];
    if (hash_is_full(&r->reports)) // the oldest makes room
        hash_remove(&r->reports, &report->node);
    report->tid = tid;
    report->at = now;
    report->lid = lid;
    hash_add(&r->reports, &report->node, reports_secret_digest(r, lid, tid, digest));
}

// Gaps.

// A number further ahead than AHEAD_MAX comes from a restarted SM.
enum { REPORT_GAPS_AHEAD_MAX = 1 << 24 };
static const int64_t REPORT_GAPS_WAIT_US = 2 * CLOCK_US_PER_S;

static bool reports_gaps_has(const struct report_gaps *gaps, uint32_t tid)
{
    return gaps->seen[tid % REPORT_GAPS_WINDOW / 64] >> tid % 64 & 1;
}

static void reports_gaps_set(struct report_gaps *gaps, uint32_t tid, bool seen)
{
    const uint64_t bit = UINT64_C(1) << tid % 64;
    uint64_t *word = &gaps->seen[tid % REPORT_GAPS_WINDOW / 64];
    *word = seen ? *word | bit : *word & ~bit;
}

static void reports_gaps_begin(struct report_gaps *gaps, uint32_t tid)
{
    memset(gaps, 0, sizeof *gaps);
    memset(gaps->seen, 0xFF, sizeof gaps->seen); // what came before is not missed
    gaps->highest = tid;
    gaps->in_order = 1;
}

// A number below the highest one: a repeat, or one that was late.
static void reports_gaps_note_late(struct report_gaps *gaps, uint32_t tid)
{
    if (gaps->highest - tid >= REPORT_GAPS_WINDOW) {
        reports_gaps_begin(gaps, tid);
    } else if (!reports_gaps_has(gaps, tid)) {
        uint32_t *missing =
            gaps->judged_below - tid <= UINT32_MAX / 2 ? &gaps->missing : &gaps->later;
        reports_gaps_set(gaps, tid, true);
        *missing -= *missing > 0;
    }
}

static void reports_begin_gap(struct report_gaps *gaps, uint32_t tid, uint32_t missing, int64_t now)
{
    if (gaps->judge_at != 0) {
        gaps->later += missing;
        return;
    }
    gaps->missing = missing;
    gaps->judged_below = tid;
    gaps->judge_at = now + REPORT_GAPS_WAIT_US;
}

void report_gaps_note(struct report_gaps *gaps, uint32_t tid, int64_t now)
{
    const uint32_t ahead = tid - gaps->highest; // modulo 2^32
    if (gaps->in_order > 0 && ahead > UINT32_MAX / 2) {
        reports_gaps_note_late(gaps, tid);
        return;
    }
    if (gaps->in_order == 0 || ahead > REPORT_GAPS_AHEAD_MAX) {
        reports_gaps_begin(gaps, tid);
        return;
    }
    if (ahead == 0)
        return;
    for (uint32_t i = 1; i < ahead && i <= REPORT_GAPS_WINDOW; i++)
        reports_gaps_set(gaps, gaps->highest + i, false);
    if (ahead > 1 && gaps->in_order >= REPORT_GAPS_LEARN)
        reports_begin_gap(gaps, tid, ahead - 1, now);
    gaps->in_order = ahead > 1 ? 1 : gaps->in_order + (gaps->in_order < REPORT_GAPS_LEARN);
    gaps->highest = tid;
    reports_gaps_set(gaps, tid, true);
}

uint32_t report_gaps_judge(struct report_gaps *gaps, int64_t now)
{
    if (gaps->judge_at == 0 || now < gaps->judge_at)
        return 0;
    const uint32_t missing = gaps->missing;
    gaps->missing = gaps->later;
    gaps->judged_below = gaps->highest;
    gaps->later = 0;
    gaps->judge_at = gaps->missing > 0 ? now + REPORT_GAPS_WAIT_US : 0;
    return missing;
}
