// SPDX-License-Identifier: BSD-2-Clause
#include "topology/thresholds.h"

#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A port with counters that have reached their thresholds.
struct reached {
    uint64_t node_guid;
    uint8_t port;
    uint16_t counters;     // a bit for each enum counter
    int64_t missing_since; // UTC, of the first reading without the port; 0: the last one had it
};
static_assert(COUNTER_ERRORS <= 16, "every counter has a bit");

struct thresholds {
    uint64_t limits[COUNTER_ERRORS];
    struct reached *ports; // ascending by node and port
    size_t count, capacity;
    bool unsorted;        // `ports` has an entry for each restored counter, in no order
    struct reached *room; // of the next update
    size_t room_size;
};

struct update {
    const struct thresholds *thresholds;
    const struct counter_reading *reading;
    struct accumulated_walk walk; // over the accumulated counters before the reading
    struct counter_sample last;
    bool has_last;
    void (*each)(void *ctx, const struct threshold_change *change);
    void *ctx;
};

struct thresholds *thresholds_new(const uint64_t limits[COUNTER_ERRORS])
{
    struct thresholds *thresholds = calloc(1, sizeof *thresholds);
    if (thresholds)
        memcpy(thresholds->limits, limits, sizeof thresholds->limits);
    return thresholds;
}

void thresholds_change(struct thresholds *thresholds, const uint64_t limits[COUNTER_ERRORS])
{
    memcpy(thresholds->limits, limits, sizeof thresholds->limits);
}

void thresholds_free(struct thresholds *thresholds)
{
    if (!thresholds)
        return;
    free(thresholds->ports);
    free(thresholds->room);
    free(thresholds);
}

static bool replaces_trap(enum counter counter)
{
    return counter == COUNTER_LOCAL_LINK_INTEGRITY_ERRORS ||
           counter == COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS;
}

static bool has_reached(const struct reached *port, enum counter counter)
{
    return port->counters >> counter & 1;
}

static void thresholds_report(const struct update *u, const struct reached *port,
                              enum counter counter, uint64_t before, uint64_t after)
{
    const struct threshold_change change = {
        .node_guid = port->node_guid,
        .port = port->port,
        .counter = counter,
        .reached = replaces_trap(counter) || has_reached(port, counter),
        .before = before,
        .after = after,
    };
    u->each(u->ctx, &change);
}

static void compare_counter(const struct update *u, struct reached *port,
                            const struct counter_sample *now, enum counter counter)
{
    uint64_t limit = u->thresholds->limits[counter];
    uint64_t before = u->last.values[counter], after = now->values[counter];
    bool sticks = before == after && counter_is_full(now, counter);
    if ((limit != 0 && sticks) || !counter_is_comparable(&u->last, now, counter))
        return;
    bool reached = limit != 0 && counter_growth(before, after) >= limit;
    if (replaces_trap(counter)) {
        if (reached)
            thresholds_report(u, port, counter, before, after);
    } else if (reached != has_reached(port, counter)) {
        port->counters ^= (uint16_t)(1U << counter);
        thresholds_report(u, port, counter, before, after);
    }
}

static void compare_port(const struct update *u, struct reached *port, bool has_last,
                         const struct counter_sample *now)
{
    port->missing_since = 0;
    if (has_last && port->counters == 0 &&
        memcmp(u->last.values, now->values, COUNTER_ERRORS * sizeof now->values[0]) == 0)
        return; // a healthy port, as most are
    for (enum counter c = 0; has_last && c < COUNTER_ERRORS; c++)
        compare_counter(u, port, now, c);
}

// After the clock was set back, the port is missing since then.
static void miss_port(const struct update *u, struct reached *port, bool has_last)
{
    if (port->missing_since == 0 || port->missing_since > u->reading->time_us)
        port->missing_since = u->reading->time_us;
    if (u->reading->time_us - port->missing_since < ACCUMULATED_KEEP_US)
        return;
    for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
        uint64_t last = has_last ? u->last.values[c] : 0;
        if (!has_reached(port, c))
            continue;
        port->counters ^= (uint16_t)(1U << c);
        thresholds_report(u, port, c, last, last);
    }
}

static int compare_reached(const void *a, const void *b)
{
    const struct reached *m = a, *n = b;
    return counter_compare_ports(m->node_guid, m->port, n->node_guid, n->port);
}

// Orders by node, then port. NULL, for the end of a list, comes last.
static int compare_with(const struct reached *known, const struct counter_sample *now)
{
    if (!known || !now)
        return !known - !now;
    return counter_compare_ports(known->node_guid, known->port, now->node_guid, now->port);
}

bool thresholds_restore(struct thresholds *thresholds, uint64_t node_guid, uint8_t port,
                        enum counter counter)
{
    if (thresholds->count == thresholds->capacity) {
        size_t capacity = thresholds->capacity > 0 ? thresholds->capacity * 2 : 16;
        struct reached *ports = realloc(thresholds->ports, capacity * sizeof *ports);
        if (!ports)
            return false;
        thresholds->ports = ports;
        thresholds->capacity = capacity;
    }
    thresholds->ports[thresholds->count++] = (struct reached){
        .node_guid = node_guid, .port = port, .counters = (uint16_t)(1U << counter)};
    thresholds->unsorted = true;
    return true;
}

void thresholds_review(struct thresholds *thresholds,
                       bool (*stands)(void *ctx, const struct threshold_change *reached), void *ctx)
{
    for (size_t i = 0; i < thresholds->count; i++) {
        struct reached *port = &thresholds->ports[i];
        for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
            const struct threshold_change reached = {
                .node_guid = port->node_guid, .port = port->port, .counter = c, .reached = true};
            if (has_reached(port, c) && !stands(ctx, &reached))
                port->counters &= (uint16_t) ~(1U << c);
        }
    }
}

bool thresholds_has_reached(const struct thresholds *thresholds, uint64_t node_guid, uint8_t port,
                            enum counter counter)
{
    size_t at;
    SEARCH_FIRST(at, 0, thresholds->count,
                 counter_compare_ports(thresholds->ports[at].node_guid, thresholds->ports[at].port,
                                       node_guid, port) < 0);
    return at < thresholds->count && thresholds->ports[at].node_guid == node_guid &&
           thresholds->ports[at].port == port && has_reached(&thresholds->ports[at], counter);
}

// Sorts the restored entries, and joins the entries of a port into one.
static void sort_restored(struct thresholds *thresholds)
{
    struct reached *ports = thresholds->ports;
    size_t kept = 0;
    if (!thresholds->unsorted)
        return;
    qsort(ports, thresholds->count, sizeof *ports, compare_reached);
    for (size_t i = 1; i < thresholds->count; i++) {
        if (compare_reached(&ports[kept], &ports[i]) == 0)
            ports[kept].counters |= ports[i].counters;
        else
            ports[++kept] = ports[i];
    }
    thresholds->count = kept + 1;
    thresholds->unsorted = false;
}

// Moves the walk on to that port and sets `last`. False: the port has no accumulated counters.
static bool find_last(struct update *u, const struct reached *port)
{
    int order = 1;
    while (u->has_last && (order = counter_compare_ports(u->last.node_guid, u->last.port,
                                                         port->node_guid, port->port)) < 0)
        u->has_last = accumulated_next(&u->walk, &u->last);
    return u->has_last && order == 0;
}

static struct reached not_reached(const struct counter_sample *now)
{
    return (struct reached){.node_guid = now->node_guid, .port = now->port};
}

// Few ports have reached a threshold: most of the room is never touched.
bool thresholds_reserve(struct thresholds *thresholds, const struct counter_reading *reading)
{
    const size_t size = thresholds->count + reading->count + 1;
    if (thresholds->room_size >= size)
        return true;
    free(thresholds->room);
    thresholds->room = malloc(size * sizeof *thresholds->room);
    thresholds->room_size = thresholds->room ? size : 0;
    return thresholds->room != NULL;
}

static struct reached *thresholds_take_room(struct thresholds *thresholds)
{
    struct reached *room = thresholds->room;
    thresholds->room = NULL;
    thresholds->room_size = 0;
    return room;
}

bool thresholds_update(struct thresholds *thresholds, const struct accumulated_counters *before,
                       const struct counter_reading *reading,
                       void (*each)(void *ctx, const struct threshold_change *change), void *ctx)
{
    struct update u = {thresholds, reading, .walk = {.accumulated = before}, .each = each,
                       .ctx = ctx};
    u.has_last = accumulated_next(&u.walk, &u.last);
    sort_restored(thresholds);
    size_t i = 0, j = 0, count = 0;
    if (!thresholds_reserve(thresholds, reading))
        return false;
    struct reached *merged = thresholds_take_room(thresholds);
    while (i < thresholds->count || j < reading->count) {
        struct reached *known = i < thresholds->count ? &thresholds->ports[i] : NULL;
        const struct counter_sample *now = j < reading->count ? &reading->samples[j] : NULL;
        assert(known || now);
        int order = compare_with(known, now);
        struct reached port = order <= 0 ? *known : not_reached(now);
        bool has_last = find_last(&u, &port);
        if (order >= 0)
            compare_port(&u, &port, has_last, now);
        else
            miss_port(&u, &port, has_last);
        i += order <= 0;
        j += order >= 0;
        if (port.counters != 0)
            merged[count++] = port;
    }
    free(thresholds->ports);
    struct reached *trimmed = realloc(merged, (count + 1) * sizeof *merged);
    thresholds->ports = trimmed ? trimmed : merged;
    thresholds->count = count;
    thresholds->capacity = count + 1;
    return true;
}
