// FNV-1a with 64 bits, to find equal things fast: no proof that they are equal, and no secret is
// safe in it.
#ifndef IBTRAPD_BASE_DIGEST_H
#define IBTRAPD_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_OF_NOTHING UINT64_C(0xcbf29ce484222325)

// The digest of what `digest` is of and of these octets behind it.
static inline uint64_t digest_add(uint64_t digest, const void *octets, size_t size)
{
    const uint8_t *each = octets;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ each[i]) * UINT64_C(0x100000001b3);
    return digest;
}

#endif
