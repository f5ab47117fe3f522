// SPDX-License-Identifier: BSD-2-Clause
// What the server has taken, in the order of the requests: groups of events, each confirmed or
// waiting for the server's acknowledgement.
#ifndef IBTRAPD_HTTP_GROUPS_H
#define IBTRAPD_HTTP_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUPS_MAX = 64 };

struct group {
    unsigned events;
    bool confirmed;
    uint64_t ack;  // if not confirmed
    int64_t since; // monotonic
};

struct groups {
    struct group ring[GROUPS_MAX];
    unsigned first, count;
};

static inline struct group *groups_at(struct groups *g, unsigned i)
{
    return &g->ring[(g->first + i) % GROUPS_MAX];
}

// Fewer than GROUPS_MAX are there.
static inline void groups_add(struct groups *g, struct group group)
{
    *groups_at(g, g->count++) = group;
}

// Takes out the confirmed groups up to the first that is not; returns their events.
static inline unsigned groups_pass(struct groups *g)
{
    unsigned events = 0;
    for (; g->count > 0 && groups_at(g, 0)->confirmed; g->count--) {
        events += groups_at(g, 0)->events;
        g->first = (g->first + 1) % GROUPS_MAX;
    }
    return events;
}

static inline unsigned groups_events(struct groups *g)
{
    unsigned events = 0;
    for (unsigned i = 0; i < g->count; i++)
        events += groups_at(g, i)->events;
    return events;
}

#endif
