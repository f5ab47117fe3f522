#include "ib/repeats.h"

// FNV-1a, 64 bits.
uint64_t repeats_digest(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ tid ^ ((uint64_t)lid << 48);
    for (size_t i = 0; i < size; i++)
        h = (h ^ content[i]) * UINT64_C(0x100000001b3);
    return h;
}

bool repeats_seen(const struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now)
{
    size_t i = digest % REPEATS_SLOTS;
    return r->slots[i].used && now - r->slots[i].at < REPEATS_MEMORY_US && r->slots[i].lid == lid &&
           r->slots[i].tid == tid && r->slots[i].digest == digest;
}

void repeats_remember(struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now)
{
    size_t i = digest % REPEATS_SLOTS;
    r->slots[i].tid = tid;
    r->slots[i].digest = digest;
    r->slots[i].at = now;
    r->slots[i].lid = lid;
    r->slots[i].used = true;
}
