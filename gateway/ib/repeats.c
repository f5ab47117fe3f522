// SPDX-License-Identifier: BSD-2-Clause
#include "ib/repeats.h"

#include "base/hash.h"

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

// Hashes all three with the table's secret. The digest, which the journal stores, is made without a
// secret, and others know sender and TransactionID.
static uint64_t repeats_secret_digest(const struct repeats *r, uint16_t lid, uint64_t tid,
                                      uint64_t digest)
{
    const uint64_t all[] = {lid, tid, digest};
    return hash_digest(&r->reports, all, sizeof all);
}

bool repeats_seen(const struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now)
{
    struct hash_node *node = hash_find(&r->reports, repeats_secret_digest(r, lid, tid, digest));
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
    hash_add(&r->reports, &report->node, repeats_secret_digest(r, lid, tid, digest));
}
