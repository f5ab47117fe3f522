#include "ib/repeats.h"

#include "base/digest.h"

uint64_t repeats_digest(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size)
{
    return digest_add(DIGEST_OF_NOTHING ^ tid ^ ((uint64_t)lid << 48), content, size);
}

bool repeats_seen(const struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now)
{
    uint64_t n = r->last[digest % REPEATS_BUCKETS];
    while (n > 0 && r->count - n < REPEATS_MAX) {
        size_t i = n % REPEATS_MAX;
        if (r->ring[i].lid == lid && r->ring[i].tid == tid && r->ring[i].digest == digest)
            return now - r->ring[i].at < REPEATS_MEMORY_US;
        n = r->ring[i].before;
    }
    return false;
}

void repeats_remember(struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now)
{
    uint64_t *last = &r->last[digest % REPEATS_BUCKETS];
    size_t i = ++r->count % REPEATS_MAX;
    r->ring[i].tid = tid;
    r->ring[i].digest = digest;
    r->ring[i].at = now;
    r->ring[i].before = *last;
    r->ring[i].lid = lid;
    *last = r->count;
}
