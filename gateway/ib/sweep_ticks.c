// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_ticks.h"

#include "base/memory.h"
#include "base/search.h"
#include "model/counter.h"

#include <stdlib.h>

struct sweep_ticks {
    struct sweep_tick *all;
    size_t count;
};

struct sweep_ticks *sweep_ticks_new(void)
{
    return memory_zeroed(1, sizeof(struct sweep_ticks));
}

void sweep_ticks_free(struct sweep_ticks *ticks)
{
    if (!ticks)
        return;
    free(ticks->all);
    free(ticks);
}

void sweep_ticks_recall(const struct sweep_ticks *ticks, struct sweep_tick *one)
{
    size_t at;
    if (!ticks)
        return;
    SEARCH_FIRST(at, 0, ticks->count,
                 counter_compare_ports(ticks->all[at].node_guid, ticks->all[at].port,
                                       one->node_guid, one->port) < 0);
    const struct sweep_tick *found = at < ticks->count ? &ticks->all[at] : NULL;
    if (found && found->node_guid == one->node_guid && found->port == one->port &&
        found->speed == one->speed && found->width == one->width)
        *one = *found;
}

void sweep_ticks_keep(struct sweep_ticks *ticks, struct sweep_tick *all, size_t count)
{
    free(ticks->all);
    ticks->all = all;
    ticks->count = count;
}
