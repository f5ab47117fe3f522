// SPDX-License-Identifier: BSD-2-Clause
#include "picture/hosts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int hosts_compare(const void *a, const void *b, void *ctx)
{
    const char *const *names = ctx;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const int order = strcmp(names[i], names[j]);
    return order != 0 ? order : i < j ? -1 : i > j;
}

void hosts_group(const char *const *names, uint32_t count, uint32_t *one, uint32_t *next)
{
    uint32_t *sorted = memory_get(((size_t)count + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = one[i] = i;
        next[i] = UINT32_MAX;
    }
    qsort_r(sorted, count, sizeof *sorted, hosts_compare, (void *)names);
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t before = sorted[i - 1], now = sorted[i];
        if (names[now][0] == '\0' || strcmp(names[before], names[now]) != 0)
            continue;
        one[now] = one[before];
        next[before] = now;
    }
    free(sorted);
}
