// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/values.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void values_init(struct values *values)
{
    *values = (struct values){.octets = memory_get(VALUES_SIZE)};
}

void values_free(struct values *values)
{
    free(values->octets);
}

// Where the next value may begin; VALUES_SIZE: nowhere. Without values, at the beginning, so that a
// few values now and then always take the same pages.
static size_t values_place(const struct values *v)
{
    const size_t oldest = v->kept[v->first].begin;
    if (v->count == 0)
        return 0;
    if (v->used <= oldest)
        return oldest - v->used >= VALUE_SIZE_MAX ? v->used : VALUES_SIZE;
    if (VALUES_SIZE - v->used >= VALUE_SIZE_MAX)
        return v->used;
    return oldest >= VALUE_SIZE_MAX ? 0 : VALUES_SIZE;
}

struct text values_room(struct values *values)
{
    const size_t place = values_place(values);
    assert(values->count < KAFKA_IN_FLIGHT_MAX);
    return place < VALUES_SIZE ? text_in(values->octets + place, VALUE_SIZE_MAX)
                               : (struct text){.buf = NULL};
}

void values_keep(struct values *values, const struct text *value, uint64_t ticket)
{
    const size_t begin = (size_t)(value->buf - values->octets);
    const size_t place = (values->first + values->count++) % KAFKA_IN_FLIGHT_MAX;
    values->kept[place].begin = begin;
    values->kept[place].ticket = ticket;
    values->used = begin + value->len;
}

void values_drop(struct values *values, uint64_t oldest)
{
    for (; values->count > 0 && values->kept[values->first].ticket < oldest; values->count--)
        values->first = (values->first + 1) % KAFKA_IN_FLIGHT_MAX;
}
