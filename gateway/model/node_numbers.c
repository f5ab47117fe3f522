// SPDX-License-Identifier: BSD-2-Clause
#include "model/node_numbers.h"

#include "base/memory.h"
#include "base/search.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct node_numbers {
    _Atomic unsigned references;
    size_t count;
    struct node_number all[]; // `count` ascending by number, then the same ascending by GUID
};

static int node_numbers_by_number(const void *a, const void *b)
{
    const struct node_number *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int node_numbers_by_guid(const void *a, const void *b)
{
    const struct node_number *x = a, *y = b;
    return (x->guid > y->guid) - (x->guid < y->guid);
}

// By GUID, and of the same GUID by number.
static int node_numbers_by_both(const void *a, const void *b)
{
    const int order = node_numbers_by_guid(a, b);
    return order != 0 ? order : node_numbers_by_number(a, b);
}

static struct node_numbers *node_numbers_reserve(size_t n)
{
    struct node_numbers *numbers = memory_zeroed(1, sizeof *numbers + 2 * n * sizeof *numbers->all);
    atomic_init(&numbers->references, 1);
    return numbers;
}

// Sorts the first `count` by number, and adds the same sorted by GUID.
static void node_numbers_sort(struct node_numbers *numbers)
{
    struct node_number *by_guid = numbers->all + numbers->count;
    qsort(numbers->all, numbers->count, sizeof *numbers->all, node_numbers_by_number);
    memcpy(by_guid, numbers->all, numbers->count * sizeof *by_guid);
    qsort(by_guid, numbers->count, sizeof *by_guid, node_numbers_by_guid);
}

// Keeps the first of equal numbers. The numbers are sorted by `compare`. Returns how many are left.
static size_t node_numbers_drop_equal(struct node_number *all, size_t n,
                                      int (*compare)(const void *a, const void *b))
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || compare(&all[kept - 1], &all[i]) != 0)
            all[kept++] = all[i];
    }
    return kept;
}

struct node_numbers *node_numbers_of(const struct node_number *list, size_t n)
{
    struct node_numbers *numbers = node_numbers_reserve(n);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (list[i].guid != 0 && list[i].number > 0 && list[i].number <= NODE_NUMBERS_LAST)
            numbers->all[count++] = list[i];
    }
    qsort(numbers->all, count, sizeof *numbers->all, node_numbers_by_both);
    count = node_numbers_drop_equal(numbers->all, count, node_numbers_by_guid);
    qsort(numbers->all, count, sizeof *numbers->all, node_numbers_by_number);
    numbers->count = node_numbers_drop_equal(numbers->all, count, node_numbers_by_number);
    node_numbers_sort(numbers);
    return numbers;
}

// Whether the GUID is among the ascending GUIDs.
static bool node_numbers_is_there(const uint64_t *guids, size_t n, uint64_t guid)
{
    size_t at;
    SEARCH_FIRST(at, 0, n, guids[at] < guid);
    return at < n && guids[at] == guid;
}

// Copies the old numbers into `out`, without the excess: the least numbers of absent nodes.
static void node_numbers_keep(struct node_numbers *out, const struct node_numbers *old,
                              const uint64_t *guids, size_t n, size_t added)
{
    const size_t count = node_numbers_count(old);
    size_t excess = count + added > NODE_NUMBERS_MAX ? count + added - NODE_NUMBERS_MAX : 0;
    for (size_t i = 0; i < count; i++) {
        const bool may_go = i + 1 < count && !node_numbers_is_there(guids, n, old->all[i].guid);
        if (excess > 0 && may_go)
            excess--;
        else
            out->all[out->count++] = old->all[i];
    }
}

// Adds numbers for the nodes without a number. `out` ascends by number, also afterwards unless new
// numbers come from gaps.
static void node_numbers_add(struct node_numbers *out, const struct node_numbers *old,
                             const uint64_t *guids, size_t n)
{
    const size_t kept = out->count;
    uint32_t last = kept > 0 ? out->all[kept - 1].number : 0, least = 0;
    size_t taken = 0; // kept numbers up to `least`
    for (size_t i = 0; i < n; i++) {
        if (guids[i] == 0 || node_numbers_find(old, guids[i]) != 0)
            continue;
        uint32_t number = ++last;
        if (number > NODE_NUMBERS_LAST) {
            last = NODE_NUMBERS_LAST;
            for (least++; taken < kept && out->all[taken].number == least; taken++)
                least++;
            number = least;
        }
        out->all[out->count++] = (struct node_number){number, guids[i]};
    }
}

struct node_numbers *node_numbers_with(struct node_numbers *old, const uint64_t *guids, size_t n)
{
    assert(n <= NODE_NUMBERS_MAX);
    size_t added = 0;
    for (size_t i = 0; i < n; i++)
        added += guids[i] != 0 && node_numbers_find(old, guids[i]) == 0;
    if (added == 0 && old)
        return node_numbers_ref(old);
    struct node_numbers *numbers = node_numbers_reserve(node_numbers_count(old) + added);
    node_numbers_keep(numbers, old, guids, n, added);
    node_numbers_add(numbers, old, guids, n);
    node_numbers_sort(numbers);
    return numbers;
}

struct node_numbers *node_numbers_ref(struct node_numbers *numbers)
{
    atomic_fetch_add_explicit(&numbers->references, 1, memory_order_relaxed);
    return numbers;
}

void node_numbers_unref(struct node_numbers *numbers)
{
    if (numbers && atomic_fetch_sub_explicit(&numbers->references, 1, memory_order_acq_rel) == 1)
        free(numbers);
}

uint32_t node_numbers_find(const struct node_numbers *numbers, uint64_t guid)
{
    if (!numbers)
        return 0;
    const struct node_number *by_guid = numbers->all + numbers->count;
    size_t at;
    SEARCH_FIRST(at, 0, numbers->count, by_guid[at].guid < guid);
    return at < numbers->count && by_guid[at].guid == guid ? by_guid[at].number : 0;
}

size_t node_numbers_count(const struct node_numbers *numbers)
{
    return numbers ? numbers->count : 0;
}

const struct node_number *node_numbers_at(const struct node_numbers *numbers, size_t at)
{
    assert(at < numbers->count);
    return &numbers->all[at];
}
