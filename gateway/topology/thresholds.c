#include "topology/thresholds.h"

#include <stdlib.h>
#include <string.h>

// What is remembered of a port.
struct memory {
    struct counter_sample last;
    int64_t time_us; // of the reading that had it
    bool reached[COUNTER_COUNT];
};

struct thresholds {
    uint64_t limits[COUNTER_COUNT];
    struct memory *ports; // ascending by node and port
    size_t count;
};

struct update {
    struct thresholds *thresholds;
    const struct counter_reading *reading;
    void (*each)(void *ctx, const struct threshold_change *change);
    void *ctx;
};

struct thresholds *thresholds_new(const uint64_t limits[COUNTER_COUNT])
{
    struct thresholds *thresholds = calloc(1, sizeof *thresholds);
    if (thresholds)
        memcpy(thresholds->limits, limits, sizeof thresholds->limits);
    return thresholds;
}

void thresholds_change(struct thresholds *thresholds, const uint64_t limits[COUNTER_COUNT])
{
    memcpy(thresholds->limits, limits, sizeof thresholds->limits);
}

void thresholds_free(struct thresholds *thresholds)
{
    if (!thresholds)
        return;
    free(thresholds->ports);
    free(thresholds);
}

static void tell(const struct update *u, const struct counter_sample *last,
                 const struct counter_sample *now, enum counter counter, bool reached)
{
    const struct threshold_change change = {
        .node_guid = now->node_guid,
        .port = now->port,
        .counter = counter,
        .reached = reached,
        .before = last->values[counter],
        .after = now->values[counter],
    };
    u->each(u->ctx, &change);
}

static bool stands_for_trap(enum counter counter)
{
    return counter == COUNTER_LOCAL_LINK_INTEGRITY_ERRORS ||
           counter == COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS;
}

static void compare_counter(const struct update *u, struct memory *port,
                            const struct counter_sample *now, enum counter counter)
{
    uint64_t limit = u->thresholds->limits[counter];
    uint64_t before = port->last.values[counter], after = now->values[counter];
    bool sticks = !now->extended && before == after && after >= counter_limit(counter);
    if (limit == 0 || sticks)
        return;
    bool reached = (after < before ? after : after - before) >= limit;
    if (stands_for_trap(counter)) {
        if (reached)
            tell(u, &port->last, now, counter, true);
    } else if (reached != port->reached[counter]) {
        port->reached[counter] = reached;
        tell(u, &port->last, now, counter, reached);
    }
}

static void compare_port(const struct update *u, struct memory *port,
                         const struct counter_sample *now)
{
    for (enum counter c = 0; port->last.extended == now->extended && c < COUNTER_COUNT; c++)
        compare_counter(u, port, now, c);
    port->last = *now;
    port->time_us = u->reading->time_us;
}

// False: the port is forgotten.
static bool keep_missing(const struct update *u, const struct memory *port)
{
    if (u->reading->time_us - port->time_us <= THRESHOLDS_KEEP_US)
        return true;
    for (enum counter c = 0; c < COUNTER_COUNT; c++) {
        if (port->reached[c])
            tell(u, &port->last, &port->last, c, false);
    }
    return false;
}

static int compare_places(const struct counter_sample *a, const struct counter_sample *b)
{
    if (!a || !b)
        return !a - !b;
    if (a->node_guid != b->node_guid)
        return a->node_guid < b->node_guid ? -1 : 1;
    return a->port - b->port;
}

bool thresholds_update(struct thresholds *thresholds, const struct counter_reading *reading,
                       void (*each)(void *ctx, const struct threshold_change *change), void *ctx)
{
    const struct update u = {thresholds, reading, each, ctx};
    size_t i = 0, j = 0, count = 0, most = thresholds->count + reading->count;
    struct memory *merged = malloc((most + 1) * sizeof *merged);
    if (!merged)
        return false;
    while (i < thresholds->count || j < reading->count) {
        struct memory *known = i < thresholds->count ? &thresholds->ports[i] : NULL;
        const struct counter_sample *now = j < reading->count ? &reading->samples[j] : NULL;
        int order = compare_places(known ? &known->last : NULL, now);
        bool keep = true;
        if (order == 0)
            compare_port(&u, known, now);
        else if (order < 0)
            keep = keep_missing(&u, known);
        i += order <= 0;
        j += order >= 0;
        if (keep)
            merged[count++] =
                order <= 0 ? *known : (struct memory){.last = *now, .time_us = reading->time_us};
    }
    free(thresholds->ports);
    thresholds->ports = merged;
    thresholds->count = count;
    return true;
}
