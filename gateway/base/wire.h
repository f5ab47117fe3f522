// SPDX-License-Identifier: BSD-2-Clause
// Reads and writes big-endian integers at any alignment.
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint64_t wire_get(const uint8_t *p, size_t octets)
{
    uint64_t value = 0;
    for (size_t i = 0; i < octets; i++)
        value = value << 8 | p[i];
    return value;
}

static inline uint16_t wire_get16(const uint8_t *p)
{
    return (uint16_t)wire_get(p, 2);
}

static inline uint32_t wire_get24(const uint8_t *p)
{
    return (uint32_t)wire_get(p, 3);
}

static inline uint32_t wire_get32(const uint8_t *p)
{
    return (uint32_t)wire_get(p, 4);
}

static inline uint64_t wire_get64(const uint8_t *p)
{
    return wire_get(p, 8);
}

// Writes the low `octets` octets of `value`. Of more than eight octets, the first ones become zero.
static inline void wire_put(uint8_t *p, size_t octets, uint64_t value)
{
    for (size_t i = octets; i-- > 0; value >>= 8)
        p[i] = (uint8_t)value;
}
