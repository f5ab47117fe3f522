// SPDX-License-Identifier: BSD-2-Clause
// Reads an input from its beginning; after its end it reads zeroes.
#pragma once

#include "base/wire.h"

#include <string.h>

struct input {
    const uint8_t *p, *end;
};

static inline size_t input_left(const struct input *in)
{
    return (size_t)(in->end - in->p);
}

// Copies at most `size` octets, fills the rest with zeroes, and returns how many it copied.
static inline size_t input_octets(struct input *in, uint8_t *out, size_t size)
{
    size_t n = input_left(in) < size ? input_left(in) : size;
    memset(out, 0, size);
    memcpy(out, in->p, n);
    in->p += n;
    return n;
}

// A big-endian number of up to eight octets.
static inline uint64_t input_number(struct input *in, size_t octets)
{
    uint8_t number[8];
    input_octets(in, number, octets);
    return wire_get(number, octets);
}

// The next octets, preceded by their number (one or two octets). They belong to the input.
static inline const uint8_t *input_part(struct input *in, size_t length_octets, size_t *size)
{
    size_t wanted = (size_t)input_number(in, length_octets);
    const uint8_t *part = in->p;
    *size = wanted < input_left(in) ? wanted : input_left(in);
    in->p += *size;
    return part;
}
