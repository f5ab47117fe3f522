// SPDX-License-Identifier: BSD-2-Clause
#include "topology/watched.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>

static int watched_compare(const void *a, const void *b)
{
    const struct watched *m = a, *n = b;
    int order = counter_compare_ports(m->node_guid, m->port, n->node_guid, n->port);
    return order != 0 ? order : m->counter - n->counter;
}

struct watched *watched_add(struct watched_list *list, size_t max, const struct watched *one)
{
    if (list->count == max) {
        list->overflowed++;
        return NULL;
    }
    if (list->count == list->capacity) {
        list->capacity += list->capacity / 2 + 16;
        list->all = memory_resize(list->all, list->capacity, sizeof *list->all);
    }
    list->all[list->count] = *one;
    return &list->all[list->count++];
}

struct watched *watched_find(const struct watched_list *list, uint64_t node_guid, uint8_t port,
                             enum counter counter)
{
    const struct watched key = {.node_guid = node_guid, .port = port, .counter = (uint8_t)counter};
    size_t at;
    SEARCH_FIRST(at, 0, list->sorted, watched_compare(&list->all[at], &key) < 0);
    bool found = at < list->sorted && watched_compare(&list->all[at], &key) == 0;
    return found ? &list->all[at] : NULL;
}

static void watched_join(struct watched *one, const struct watched *other)
{
    struct watched counted = one->anew ? *other : *one;
    const struct watched restored = one->anew ? *one : *other;
    if (restored.alarm && counted.peer_guid == 0 && !counted.alarm) {
        counted.peer_guid = restored.peer_guid;
        counted.peer_port = restored.peer_port;
    }
    if (restored.alarm && counted.peer_guid == restored.peer_guid &&
        counted.peer_port == restored.peer_port) {
        counted.alarm = true;
        if (counted.held_until_us < restored.held_until_us)
            counted.held_until_us = restored.held_until_us;
    }
    *one = counted;
}

void watched_sort(struct watched_list *list)
{
    size_t kept = 0;
    if (list->sorted == list->count)
        return;
    qsort(list->all, list->count, sizeof *list->all, watched_compare);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && watched_compare(&list->all[kept - 1], &list->all[i]) == 0)
            watched_join(&list->all[kept - 1], &list->all[i]);
        else
            list->all[kept++] = list->all[i];
    }
    list->count = list->sorted = kept;
}

void watched_shrink(struct watched_list *list, size_t count)
{
    list->count = list->sorted = count;
    if (list->capacity <= count + count / 4 + 16)
        return;
    list->capacity = count + count / 8;
    list->all = memory_resize(list->all, list->capacity, sizeof *list->all);
}
