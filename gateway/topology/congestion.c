// SPDX-License-Identifier: BSD-2-Clause
#include "topology/congestion.h"

#include "base/clock.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = ERROR_RATES_SLOTS + 1 }; // the one that is filled now, and a whole window before it

enum { WHOLE = UINT16_MAX, BITS_PER_SYMBOL = 10 };

// A port that waited lately, or whose alarm stands, or whose counter is full.
struct waiting {
    uint64_t node_guid;
    int64_t held_until_us; // no reading has the port, whose counter was full: no alarm ends before
    uint16_t waited[ERROR_WINDOWS][SLOTS]; // by slot modulo SLOTS; WHOLE: all of its time
    uint8_t port;
    bool alarm;
    bool full;       // the counter can grow no more
    bool tick_known; // the port said how long its tick is
    // What the update under way has of the port.
    bool taken, now_full;
    float share; // of the time since the update before
};

struct congestion {
    struct congestion_limits limits;
    struct waiting *all; // ascending by node and port, those beyond `sorted` in no order
    size_t count, sorted, capacity;
    size_t at;             // in an update: the port that comes next
    uint32_t node;         // the same of the node in the fabric
    int64_t updated_us;    // monotonic; 0: never
    int64_t begun_us;      // the update under way
    int64_t elapsed_us;    // from the update before to that one
    int64_t held_until_us; // no alarm ends before
    bool begun;            // an update is under way; those beyond `sorted` are its
    bool fresh;            // `held_until_us` is to be set by the next update
    uint64_t overflowed;
    uint64_t refused; // the same, by the update under way
};

struct congestion *congestion_new(const struct congestion_limits *limits)
{
    struct congestion *congestion = calloc(1, sizeof *congestion);
    if (congestion)
        congestion->limits = *limits;
    return congestion;
}

void congestion_free(struct congestion *congestion)
{
    if (!congestion)
        return;
    free(congestion->all);
    free(congestion);
}

void congestion_change(struct congestion *congestion, const struct congestion_limits *limits)
{
    bool same =
        memcmp(congestion->limits.window_us, limits->window_us, sizeof limits->window_us) == 0;
    congestion->limits = *limits;
    for (size_t i = 0; !same && i < congestion->count; i++)
        memset(congestion->all[i].waited, 0, sizeof congestion->all[i].waited);
    congestion->fresh |= !same;
}

// Order.

static int congestion_compare(const void *a, const void *b)
{
    const struct waiting *m = a, *n = b;
    return counter_compare_ports(m->node_guid, m->port, n->node_guid, n->port);
}

static struct waiting *congestion_find(const struct congestion *c, uint64_t node_guid, uint8_t port)
{
    const struct waiting key = {.node_guid = node_guid, .port = port};
    size_t at;
    SEARCH_FIRST(at, 0, c->sorted, congestion_compare(&c->all[at], &key) < 0);
    bool found = at < c->sorted && congestion_compare(&c->all[at], &key) == 0;
    return found ? &c->all[at] : NULL;
}

// Adds a port behind the sorted ones. NULL: out of memory, or there are too many.
static struct waiting *congestion_add(struct congestion *c, uint64_t node_guid, uint8_t port)
{
    if (c->count == CONGESTION_MAX)
        return NULL;
    if (c->count == c->capacity) {
        size_t capacity = c->capacity + c->capacity / 2 + 16;
        struct waiting *all = realloc(c->all, capacity * sizeof *all);
        if (!all)
            return NULL;
        c->all = all;
        c->capacity = capacity;
    }
    struct waiting *one = &c->all[c->count++];
    *one = (struct waiting){.node_guid = node_guid, .port = port};
    return one;
}

static void congestion_sort(struct congestion *c)
{
    if (c->sorted < c->count)
        qsort(c->all, c->count, sizeof *c->all, congestion_compare);
    c->sorted = c->count;
}

// The update under way did not end. Forgets the ports that it added.
static void congestion_drop_update(struct congestion *c)
{
    if (c->begun)
        c->count = c->sorted;
    c->begun = false;
}

bool congestion_restore(struct congestion *congestion, uint64_t node_guid, uint8_t port)
{
    congestion_drop_update(congestion);
    struct waiting *one = congestion_find(congestion, node_guid, port);
    one = one ? one : congestion_add(congestion, node_guid, port);
    if (!one)
        return false;
    one->alarm = true;
    congestion->fresh = true;
    return true;
}

// Windows.

static int64_t congestion_slot_length(const struct congestion *c, enum error_window window)
{
    return c->limits.window_us[window] / ERROR_RATES_SLOTS;
}

// Empties the slots of all ports between that of the update before and that of `now_us`.
static void congestion_slide(struct congestion *c, enum error_window window, int64_t now_us)
{
    int64_t slot = now_us / congestion_slot_length(c, window);
    int64_t first = c->updated_us / congestion_slot_length(c, window) + 1;
    if (first < slot - ERROR_RATES_SLOTS)
        first = slot - ERROR_RATES_SLOTS;
    for (int64_t i = first; i <= slot; i++) {
        for (size_t k = 0; k < c->count; k++)
            c->all[k].waited[window][i % SLOTS] = 0;
    }
}

// Adds the share of the last `elapsed_us` to the slots of that time.
static void congestion_spread(const struct congestion *c, struct waiting *one,
                              enum error_window window, double share)
{
    int64_t length = congestion_slot_length(c, window), newest = c->updated_us / length;
    int64_t from_us = c->updated_us - c->elapsed_us;
    for (int64_t i = newest; i >= 0 && i > newest - SLOTS && (i + 1) * length > from_us; i--) {
        int64_t begin = i * length > from_us ? i * length : from_us;
        int64_t end = (i + 1) * length < c->updated_us ? (i + 1) * length : c->updated_us;
        double waited =
            one->waited[window][i % SLOTS] + share * (double)(end - begin) / (double)length * WHOLE;
        waited += 0.5; // rounds
        one->waited[window][i % SLOTS] = waited < WHOLE ? (uint16_t)waited : WHOLE;
    }
}

static int64_t congestion_covered(const struct congestion *c, enum error_window window)
{
    int64_t length = congestion_slot_length(c, window);
    return ERROR_RATES_SLOTS * length + c->updated_us % length;
}

static double congestion_share(const struct congestion *c, const struct waiting *one,
                               enum error_window window)
{
    uint64_t sum = 0;
    for (int i = 0; i < SLOTS; i++)
        sum += one->waited[window][i];
    double share = (double)sum / WHOLE * (double)congestion_slot_length(c, window) /
                   (double)congestion_covered(c, window);
    return share < 1 ? share : 1;
}

// An update.

void congestion_begin(struct congestion *congestion, int64_t now_us)
{
    struct congestion *c = congestion;
    congestion_drop_update(c);
    congestion_sort(c);
    c->begun = true;
    c->elapsed_us = c->updated_us > 0 ? now_us - c->updated_us : 0;
    c->begun_us = now_us;
    c->at = 0;
    c->node = 0;
    c->refused = 0;
    for (size_t i = 0; i < c->count; i++)
        c->all[i].taken = false;
}

// The port in the fabric; NULL: it is not there. Both ascend by node.
static const struct fabric_port *congestion_place(struct congestion *c,
                                                  const struct counter_sample *now,
                                                  const struct fabric *fabric)
{
    while (fabric && c->node < fabric->node_count && fabric->nodes[c->node].guid < now->node_guid)
        c->node++;
    if (!fabric || c->node >= fabric->node_count || fabric->nodes[c->node].guid != now->node_guid)
        return NULL;
    const uint32_t at = fabric_find_port(fabric, c->node, now->port);
    return at != FABRIC_NONE ? &fabric->ports[at] : NULL;
}

// How much of the time since the update before so many ticks are; 0 to 1.
static double congestion_ticks_share(struct congestion *c, const struct counter_sample *now,
                                     const struct fabric *fabric, uint64_t ticks)
{
    const struct fabric_port *port = congestion_place(c, now, fabric);
    double lane = port ? fabric_bits_per_second(1, port->speed_active) : 0; // a width of 1X
    if (lane <= 0 || c->elapsed_us <= 0)
        return 0;
    double seconds = (double)ticks * (now->tick > 0 ? now->tick : 1) * BITS_PER_SYMBOL / lane;
    double share = seconds * (double)CLOCK_US_PER_S / (double)c->elapsed_us;
    return share < 1 ? share : 1;
}

bool congestion_take(struct congestion *congestion, const struct counter_sample *before,
                     const struct counter_sample *now, const struct fabric *fabric)
{
    struct congestion *c = congestion;
    const enum counter wait = COUNTER_XMIT_WAIT;
    int order = -1;
    while (c->at < c->sorted &&
           (order = counter_compare_ports(c->all[c->at].node_guid, c->all[c->at].port,
                                          now->node_guid, now->port)) < 0)
        c->at++;
    struct waiting *one = c->at < c->sorted && order == 0 ? &c->all[c->at] : NULL;
    uint64_t growth = before && counter_is_comparable(before, now, wait)
                          ? counter_growth(before->values[wait], now->values[wait])
                          : 0;
    bool full = growth == 0 && counter_is_full(now, wait);
    double share = growth > 0 ? congestion_ticks_share(c, now, fabric, growth) : 0;
    if (!one && (full || share > 0))
        one = congestion_add(c, now->node_guid, now->port);
    if (!one) {
        c->refused += (full || share > 0) && c->count == CONGESTION_MAX;
        return !full && share == 0;
    }
    one->taken = true;
    one->now_full = full;
    one->share = (float)share;
    one->tick_known = now->tick != 0;
    return true;
}

// Adds what the update has of the port. One that was full and is in no reading keeps its alarm for
// a long window.
static void congestion_pass(const struct congestion *c, struct waiting *one)
{
    if (one->taken)
        one->held_until_us = 0;
    else if (one->full)
        one->held_until_us = c->updated_us + c->limits.window_us[ERROR_WINDOW_LONG];
    one->full = one->taken && one->now_full;
    for (int w = 0; one->taken && one->share > 0 && w < ERROR_WINDOWS; w++)
        congestion_spread(c, one, (enum error_window)w, (double)one->share);
}

// Takes the window with the larger share.
static struct congestion_change congestion_describe(const struct congestion *c,
                                                    const struct waiting *one)
{
    double in_short = congestion_share(c, one, ERROR_WINDOW_SHORT);
    double in_long = congestion_share(c, one, ERROR_WINDOW_LONG);
    enum error_window window = in_long > in_short ? ERROR_WINDOW_LONG : ERROR_WINDOW_SHORT;
    return (struct congestion_change){.node_guid = one->node_guid,
                                      .port = one->port,
                                      .window = window,
                                      .covered_us = congestion_covered(c, window),
                                      .share = in_long > in_short ? in_long : in_short,
                                      .limit = c->limits.raise,
                                      .tick_known = one->tick_known};
}

// Returns whether the alarm of the port begins or ends.
static bool congestion_judge(const struct congestion *c, struct waiting *one,
                             struct congestion_change *out)
{
    if (!one->alarm && c->limits.raise <= 0)
        return false;
    *out = congestion_describe(c, one);
    if (!one->alarm) {
        one->alarm = out->raised = out->share > c->limits.raise;
        return one->alarm;
    }
    bool limited = c->limits.raise > 0;
    bool held = c->updated_us < c->held_until_us || c->updated_us < one->held_until_us;
    bool stays = limited && (one->full || held);
    if (stays || (limited && out->share > c->limits.clear))
        return false;
    if (!limited)
        out->covered_us = 0;
    one->alarm = false;
    return true;
}

static bool congestion_is_quiet(const struct waiting *one)
{
    static const uint16_t NONE[ERROR_WINDOWS][SLOTS];
    return !one->alarm && !one->full && memcmp(one->waited, NONE, sizeof NONE) == 0;
}

void congestion_end(struct congestion *congestion,
                    void (*each)(void *ctx, const struct congestion_change *change), void *ctx)
{
    struct congestion *c = congestion;
    struct congestion_change change;
    size_t kept = 0;
    congestion_sort(c);
    for (int w = 0; w < ERROR_WINDOWS; w++)
        congestion_slide(c, (enum error_window)w, c->begun_us);
    c->updated_us = c->begun_us;
    c->overflowed += c->refused;
    if (c->fresh)
        c->held_until_us = c->updated_us + c->limits.window_us[ERROR_WINDOW_LONG];
    c->fresh = false;
    for (size_t i = 0; i < c->count; i++) {
        congestion_pass(c, &c->all[i]);
        if (congestion_judge(c, &c->all[i], &change))
            each(ctx, &change);
        if (!congestion_is_quiet(&c->all[i]))
            c->all[kept++] = c->all[i];
    }
    c->count = c->sorted = kept;
    c->begun = false;
}

// Alarms.

bool congestion_has_alarm(const struct congestion *congestion, uint64_t node_guid, uint8_t port)
{
    const struct waiting *one = congestion_find(congestion, node_guid, port);
    return one && one->alarm;
}

void congestion_review(struct congestion *congestion,
                       bool (*stands)(void *ctx, uint64_t node_guid, uint8_t port), void *ctx)
{
    for (size_t i = 0; i < congestion->count; i++) {
        struct waiting *one = &congestion->all[i];
        if (!one->alarm || stands(ctx, one->node_guid, one->port))
            continue;
        memset(one->waited, 0, sizeof one->waited);
        one->alarm = false;
    }
}

// Reading.

uint64_t congestion_overflowed(const struct congestion *congestion)
{
    return congestion->overflowed;
}

size_t congestion_count(const struct congestion *congestion)
{
    return congestion->count;
}

void congestion_each(const struct congestion *congestion,
                     void (*each)(void *ctx, const struct congestion_measure *measure), void *ctx)
{
    for (size_t i = 0; i < congestion->count; i++) {
        const struct waiting *one = &congestion->all[i];
        struct congestion_measure out = {
            .node_guid = one->node_guid, .port = one->port, .unknown = one->full};
        for (int w = 0; w < ERROR_WINDOWS && congestion->updated_us > 0; w++)
            out.share[w] = (float)congestion_share(congestion, one, (enum error_window)w);
        each(ctx, &out);
    }
}
