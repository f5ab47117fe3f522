// SPDX-License-Identifier: BSD-2-Clause
#include "model/guid_set.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct guid_set {
    _Atomic unsigned references;
    size_t count;
    uint64_t guids[]; // ascending, without duplicates
};

static int guid_set_compare(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

struct guid_set *guid_set_make(const uint64_t *guids, size_t n)
{
    struct guid_set *set = memory_get(sizeof *set + n * sizeof *guids);
    atomic_init(&set->references, 1);
    set->count = 0;
    if (n > 0)
        memcpy(set->guids, guids, n * sizeof *guids);
    qsort(set->guids, n, sizeof *guids, guid_set_compare);
    for (size_t i = 0; i < n; i++) {
        if (set->count == 0 || set->guids[i] != set->guids[set->count - 1])
            set->guids[set->count++] = set->guids[i];
    }
    return set;
}

struct guid_set *guid_set_ref(struct guid_set *set)
{
    if (set)
        atomic_fetch_add_explicit(&set->references, 1, memory_order_relaxed);
    return set;
}

void guid_set_unref(struct guid_set *set)
{
    if (set && atomic_fetch_sub_explicit(&set->references, 1, memory_order_acq_rel) == 1)
        free(set);
}

bool guid_set_has(const struct guid_set *set, uint64_t guid)
{
    size_t at;
    SEARCH_FIRST(at, 0, set->count, set->guids[at] < guid);
    return at < set->count && set->guids[at] == guid;
}

bool guid_set_equal(const struct guid_set *a, const struct guid_set *b)
{
    return a->count == b->count && memcmp(a->guids, b->guids, a->count * sizeof *a->guids) == 0;
}
