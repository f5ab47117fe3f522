#include "topology/thresholds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// What is remembered of a port: nothing of its traffic.
struct memory {
    uint64_t node_guid;
    uint8_t port;
    bool extended; // of `last`, as in struct counter_sample
    bool recalled; // and not read since: `last` is not known
    uint64_t last[COUNTER_ERRORS];
    int64_t time_us; // of the reading that had it; 0: none did
    bool reached[COUNTER_ERRORS];
};

struct thresholds {
    uint64_t limits[COUNTER_ERRORS];
    struct memory *ports; // ascending by node and port
    size_t count, capacity;
    bool unsorted; // they were recalled, one for each counter
};

struct update {
    struct thresholds *thresholds;
    const struct counter_reading *reading;
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
    free(thresholds);
}

static void tell(const struct update *u, const struct memory *port, enum counter counter,
                 uint64_t now, bool reached)
{
    const struct threshold_change change = {
        .node_guid = port->node_guid,
        .port = port->port,
        .counter = counter,
        .reached = reached,
        .before = port->last[counter],
        .after = now,
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
    uint64_t before = port->last[counter], after = now->values[counter];
    bool sticks = !now->extended && before == after && after >= counter_limit(counter);
    if (limit != 0 && sticks)
        return;
    bool reached = limit != 0 && (after < before ? after : after - before) >= limit;
    if (stands_for_trap(counter)) {
        if (reached)
            tell(u, port, counter, after, true);
    } else if (reached != port->reached[counter]) {
        port->reached[counter] = reached;
        tell(u, port, counter, after, reached);
    }
}

static void remember(struct memory *port, const struct counter_sample *now, int64_t time_us)
{
    port->node_guid = now->node_guid;
    port->port = now->port;
    port->extended = now->extended;
    port->recalled = false;
    port->time_us = time_us;
    memcpy(port->last, now->values, sizeof port->last);
}

static struct memory first_memory(const struct counter_sample *now, int64_t time_us)
{
    struct memory port = {.recalled = false};
    remember(&port, now, time_us);
    return port;
}

static void compare_port(const struct update *u, struct memory *port,
                         const struct counter_sample *now)
{
    bool comparable = !port->recalled && port->extended == now->extended;
    for (enum counter c = 0; comparable && c < COUNTER_ERRORS; c++)
        compare_counter(u, port, now, c);
    remember(port, now, u->reading->time_us);
}

// False: the port is forgotten.
static bool keep_missing(const struct update *u, struct memory *port)
{
    if (port->time_us == 0)
        port->time_us = u->reading->time_us;
    if (u->reading->time_us - port->time_us <= THRESHOLDS_KEEP_US)
        return true;
    for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
        if (port->reached[c])
            tell(u, port, c, port->last[c], false);
    }
    return false;
}

static int compare_places(uint64_t guid_a, uint8_t port_a, uint64_t guid_b, uint8_t port_b)
{
    if (guid_a != guid_b)
        return guid_a < guid_b ? -1 : 1;
    return port_a - port_b;
}

static int compare_memories(const void *a, const void *b)
{
    const struct memory *m = a, *n = b;
    return compare_places(m->node_guid, m->port, n->node_guid, n->port);
}

// NULL stands behind all.
static int compare_with(const struct memory *known, const struct counter_sample *now)
{
    if (!known || !now)
        return !known - !now;
    return compare_places(known->node_guid, known->port, now->node_guid, now->port);
}

bool thresholds_recall(struct thresholds *thresholds, uint64_t node_guid, uint8_t port,
                       enum counter counter)
{
    if (thresholds->count == thresholds->capacity) {
        size_t capacity = thresholds->capacity > 0 ? thresholds->capacity * 2 : 16;
        struct memory *ports = realloc(thresholds->ports, capacity * sizeof *ports);
        if (!ports)
            return false;
        thresholds->ports = ports;
        thresholds->capacity = capacity;
    }
    struct memory *added = &thresholds->ports[thresholds->count++];
    *added = (struct memory){.node_guid = node_guid, .port = port, .recalled = true};
    added->reached[counter] = true;
    thresholds->unsorted = true;
    return true;
}

// One memory for each port that was recalled.
static void sort_recalled(struct thresholds *thresholds)
{
    struct memory *ports = thresholds->ports;
    size_t kept = 0;
    if (!thresholds->unsorted)
        return;
    qsort(ports, thresholds->count, sizeof *ports, compare_memories);
    for (size_t i = 1; i < thresholds->count; i++) {
        if (compare_memories(&ports[kept], &ports[i]) != 0) {
            ports[++kept] = ports[i];
            continue;
        }
        for (enum counter c = 0; c < COUNTER_ERRORS; c++)
            ports[kept].reached[c] |= ports[i].reached[c];
    }
    thresholds->count = kept + 1;
    thresholds->unsorted = false;
}

bool thresholds_update(struct thresholds *thresholds, const struct counter_reading *reading,
                       void (*each)(void *ctx, const struct threshold_change *change), void *ctx)
{
    const struct update u = {thresholds, reading, each, ctx};
    sort_recalled(thresholds);
    size_t i = 0, j = 0, count = 0, most = thresholds->count + reading->count;
    struct memory *merged = malloc((most + 1) * sizeof *merged);
    if (!merged)
        return false;
    while (i < thresholds->count || j < reading->count) {
        struct memory *known = i < thresholds->count ? &thresholds->ports[i] : NULL;
        const struct counter_sample *now = j < reading->count ? &reading->samples[j] : NULL;
        assert(known || now);
        int order = compare_with(known, now);
        bool keep = true;
        if (order == 0)
            compare_port(&u, known, now);
        else if (order < 0)
            keep = keep_missing(&u, known);
        i += order <= 0;
        j += order >= 0;
        if (keep)
            merged[count++] = order <= 0 ? *known : first_memory(now, reading->time_us);
    }
    free(thresholds->ports);
    thresholds->ports = merged;
    thresholds->count = count;
    thresholds->capacity = most + 1;
    return true;
}
