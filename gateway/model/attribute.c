// SPDX-License-Identifier: BSD-2-Clause
#include "model/attribute.h"

#include "base/memory.h"

#include <stdlib.h>

unsigned attribute_bits(unsigned field)
{
    return field & 0xFF;
}

// The number of the field's bit `at`, from the most significant bit of `octets` on.
static unsigned attribute_bit(unsigned first, unsigned field, unsigned at)
{
    return (field >> 8) - first * 8 + at;
}

uint32_t attribute_get(const uint8_t *octets, unsigned first, unsigned field)
{
    uint32_t value = 0;
    for (unsigned at = 0; at < attribute_bits(field); at++) {
        const unsigned bit = attribute_bit(first, field, at);
        value = value << 1 | (octets[bit / 8] >> (7 - bit % 8) & 1);
    }
    return value;
}

void attribute_set(uint8_t *octets, unsigned first, unsigned field, uint32_t value)
{
    for (unsigned at = attribute_bits(field); at-- > 0; value >>= 1) {
        const unsigned bit = attribute_bit(first, field, at);
        const uint8_t mask = (uint8_t)(1u << (7 - bit % 8));
        octets[bit / 8] = (uint8_t)((octets[bit / 8] & ~mask) | (value & 1 ? mask : 0));
    }
}

// Answers of reads on demand.

struct demand_answer *demand_answer_new(size_t count, size_t size)
{
    struct demand_answer *answer = memory_zeroed(1, sizeof *answer + count * size);
    answer->references = 1;
    answer->count = count;
    answer->size = size;
    return answer;
}

struct demand_answer *demand_answer_ref(struct demand_answer *answer)
{
    answer->references++;
    return answer;
}

void demand_answer_unref(struct demand_answer *answer)
{
    if (answer && --answer->references == 0)
        free(answer);
}

const uint8_t *demand_answer_at(const struct demand_answer *answer, size_t at)
{
    return answer->octets + at * answer->size;
}
