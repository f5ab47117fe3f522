// SPDX-License-Identifier: BSD-2-Clause
// FNV-1a with 64 bits, to find equal things quickly. Equal digests do not prove equality, and a
// digest protects no secret.
#ifndef IBTRAPD_BASE_DIGEST_H
#define IBTRAPD_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_OF_NOTHING UINT64_C(0xcbf29ce484222325)

// Extends a digest by these octets.
static inline uint64_t digest_add(uint64_t digest, const void *octets, size_t size)
{
    const uint8_t *each = octets;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ each[i]) * UINT64_C(0x100000001b3);
    return digest;
}

#endif
