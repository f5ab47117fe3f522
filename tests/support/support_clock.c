// SPDX-License-Identifier: BSD-2-Clause
#include "support_clock.h"

#include <string.h>

static int64_t read_utc(void *ctx)
{
    return ((struct support_time *)ctx)->utc;
}

static int64_t read_monotonic(void *ctx)
{
    return ((struct support_time *)ctx)->monotonic;
}

struct clock support_clock(struct support_time *time)
{
    return (struct clock){read_utc, read_monotonic, time};
}

static struct support_time stopped = {SUPPORT_UTC_US, SUPPORT_UTC_US};
const struct clock SUPPORT_STOPPED = {read_utc, read_monotonic, &stopped};

static void fill_counting(void *ctx, void *out, size_t size)
{
    struct support_chance *chance = ctx;
    for (size_t i = 0; i < size; i++) {
        if (++chance->next == 0)
            chance->next = 1;
        ((uint8_t *)out)[i] = chance->next;
    }
}

struct random support_random(struct support_chance *chance)
{
    return (struct random){fill_counting, chance};
}

static void fill_constant(void *ctx, void *out, size_t size)
{
    memset(out, *(uint8_t *)ctx, size);
}

struct random support_constant(uint8_t *octet)
{
    return (struct random){fill_constant, octet};
}

static uint8_t same = 0x5A;
const struct random SUPPORT_SAME = {fill_constant, &same};
