// SPDX-License-Identifier: BSD-2-Clause
#include "topology/accumulated.h"

#include "base/memory.h"
#include "base/search.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The part of `octets` with the ports of a node.
struct place {
    uint64_t node_guid;
    size_t begin, end;
};

struct accumulated_counters {
    _Atomic unsigned references;
    struct place *places; // ascending by GUID
    size_t count;
    uint8_t *octets;
};

// The counters whose causes are summed, too, and the most causes that one of them has.
enum { CAUSES_COUNTERS = 2, ERROR_CAUSES = 6 };
static const enum counter CAUSES_OF[CAUSES_COUNTERS] = {COUNTER_RCV_ERRORS, COUNTER_XMIT_DISCARDS};

// The sum of a counter is base + last, modulo 2^64. The base changes only when the counter was
// reset or changed its size.
struct accumulated_port {
    struct counter_sample last; // without `tick`
    int64_t missing_since; // UTC, of the first reading without the port; 0: the last one had it
    int64_t began_s;       // UTC, of the first reading with it; 0: the first one of all
    uint64_t base[COUNTER_COUNT];
    struct accumulated_causes {
        bool known;
        uint64_t last[ERROR_CAUSES], base[ERROR_CAUSES];
    } causes[CAUSES_COUNTERS]; // of the counters CAUSES_OF
};

static_assert(COUNTER_COUNT <= 24, "every counter has a bit");

// A port in `octets`: number, flags, sources, missing_since, began_s, `last`, `base`. `last` and
// `base` each begin with three octets that have a bit for each counter; the bit is set if the
// counter is not 0. The counters that are not 0 follow, in groups of seven bits, lowest first. The
// causes that are known come last: `last` and `base` of each.
enum {
    FLAG_EXTENDED = 1,
    FLAG_WIDE = 2,
    FLAG_NO_WAIT = 4,
    FLAG_CAUSES = 8, // of the first of CAUSES_OF; the next bit is that of the next counter
    MASK_SIZE = 3,
    NUMBER_SIZE_MAX = 10,
    PORT_SIZE_MAX = 3 + 2 * NUMBER_SIZE_MAX + 2 * (MASK_SIZE + COUNTER_COUNT * NUMBER_SIZE_MAX) +
                    2 * CAUSES_COUNTERS * ERROR_CAUSES * NUMBER_SIZE_MAX,
};

static uint8_t *accumulated_put_number(uint8_t *p, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        *p++ = (uint8_t)(value | 0x80);
    *p++ = (uint8_t)value;
    return p;
}

static const uint8_t *accumulated_get_number(const uint8_t *p, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0;; shift += 7) {
        *value |= (uint64_t)(*p & 0x7F) << shift;
        if (!(*p++ & 0x80))
            return p;
    }
}

static uint8_t *accumulated_put_values(uint8_t *p, const uint64_t values[COUNTER_COUNT])
{
    uint8_t *mask = p;
    memset(mask, 0, MASK_SIZE);
    p += MASK_SIZE;
    for (unsigned c = 0; c < COUNTER_COUNT; c++) {
        if (values[c] == 0)
            continue;
        mask[c / 8] |= (uint8_t)(1U << c % 8);
        p = accumulated_put_number(p, values[c]);
    }
    return p;
}

static const uint8_t *accumulated_get_values(const uint8_t *p, uint64_t values[COUNTER_COUNT])
{
    const uint8_t *mask = p;
    p += MASK_SIZE;
    for (unsigned c = 0; c < COUNTER_COUNT; c++) {
        values[c] = 0;
        if (mask[c / 8] & 1U << c % 8)
            p = accumulated_get_number(p, &values[c]);
    }
    return p;
}

static uint8_t *accumulated_put_causes(uint8_t *p, uint8_t *flags,
                                       const struct accumulated_port *port)
{
    for (unsigned i = 0; i < CAUSES_COUNTERS; i++) {
        const struct accumulated_causes *causes = &port->causes[i];
        if (causes->known)
            *flags |= (uint8_t)(FLAG_CAUSES << i);
        for (unsigned k = 0; causes->known && k < ERROR_CAUSES; k++)
            p = accumulated_put_number(accumulated_put_number(p, causes->last[k]), causes->base[k]);
    }
    return p;
}

static const uint8_t *accumulated_get_causes(const uint8_t *p, uint8_t flags,
                                             struct accumulated_port *port)
{
    for (unsigned i = 0; i < CAUSES_COUNTERS; i++) {
        struct accumulated_causes *causes = &port->causes[i];
        *causes = (struct accumulated_causes){.known = flags & FLAG_CAUSES << i};
        for (unsigned k = 0; causes->known && k < ERROR_CAUSES; k++)
            p = accumulated_get_number(accumulated_get_number(p, &causes->last[k]),
                                       &causes->base[k]);
    }
    return p;
}

static uint8_t *accumulated_put_port(uint8_t *p, const struct accumulated_port *port)
{
    const struct counter_sample *last = &port->last;
    *p++ = last->port;
    uint8_t *flags = p++;
    *flags = (last->extended ? FLAG_EXTENDED : 0) | (last->wide ? FLAG_WIDE : 0) |
             (last->no_wait ? FLAG_NO_WAIT : 0);
    *p++ = last->sources;
    p = accumulated_put_number(p, (uint64_t)port->missing_since);
    p = accumulated_put_number(p, (uint64_t)port->began_s);
    p = accumulated_put_values(accumulated_put_values(p, last->values), port->base);
    return accumulated_put_causes(p, flags, port);
}

static const uint8_t *accumulated_get_port(const uint8_t *p, struct accumulated_port *port)
{
    uint64_t missing_since, began_s;
    struct counter_sample *last = &port->last;
    last->port = *p++;
    const uint8_t flags = *p++;
    last->sources = *p++;
    last->extended = flags & FLAG_EXTENDED;
    last->no_wait = flags & FLAG_NO_WAIT;
    last->wide = flags & FLAG_WIDE;
    last->tick = 0;
    p = accumulated_get_number(p, &missing_since);
    port->missing_since = (int64_t)missing_since;
    p = accumulated_get_number(p, &began_s);
    port->began_s = (int64_t)began_s;
    p = accumulated_get_values(accumulated_get_values(p, last->values), port->base);
    return accumulated_get_causes(p, flags, port);
}

// Reads the next port. False: there are no more.
static bool accumulated_walk_next(struct accumulated_walk *w, struct accumulated_port *out)
{
    if (!w->accumulated || w->place == w->accumulated->count)
        return false;
    const struct place *place = &w->accumulated->places[w->place];
    out->last.node_guid = place->node_guid;
    w->at = (size_t)(accumulated_get_port(w->accumulated->octets + w->at, out) -
                     w->accumulated->octets);
    w->place += w->at == place->end;
    return true;
}

// Writes ports in order.
struct writer {
    struct accumulated_counters *accumulated;
    size_t used, size, places;
};

static void accumulated_write_port(struct writer *w, const struct accumulated_port *port)
{
    struct accumulated_counters *s = w->accumulated;
    if (w->size - w->used < PORT_SIZE_MAX) {
        w->size = w->size * 2 + PORT_SIZE_MAX;
        s->octets = memory_resize(s->octets, w->size, 1);
    }
    if (s->count == w->places) {
        w->places = w->places * 2 + 16;
        s->places = memory_resize(s->places, w->places, sizeof *s->places);
    }
    if (s->count == 0 || s->places[s->count - 1].node_guid != port->last.node_guid)
        s->places[s->count++] = (struct place){.node_guid = port->last.node_guid, .begin = w->used};
    w->used = (size_t)(accumulated_put_port(s->octets + w->used, port) - s->octets);
    s->places[s->count - 1].end = w->used;
}

// Adding a reading.

enum { US_PER_S = 1000000 };

static void accumulated_add_sample(struct accumulated_port *port, const struct counter_sample *now)
{
    const struct counter_sample *before = &port->last;
    for (enum counter c = 0; c < COUNTER_COUNT; c++) {
        if (!counter_is_comparable(before, now, c))
            port->base[c] += before->values[c] - now->values[c];
        else if (now->values[c] < before->values[c])
            port->base[c] += before->values[c];
    }
    port->last = *now;
    port->missing_since = 0;
}

// Causes of a reading without details grew no further.
static void accumulated_add_causes(struct accumulated_port *port,
                                   const struct counter_reading *reading)
{
    for (unsigned i = 0; i < CAUSES_COUNTERS; i++) {
        struct accumulated_causes *causes = &port->causes[i];
        const struct error_details *now =
            counter_find_details(reading, port->last.node_guid, port->last.port, CAUSES_OF[i]);
        causes->known = causes->known || now;
        for (unsigned k = 0; now && k < ERROR_CAUSES; k++) {
            if (now->counts[k] < causes->last[k])
                causes->base[k] += causes->last[k];
            causes->last[k] = now->counts[k];
        }
    }
}

// Notes that a reading lacks the port. False: the port was missing for too long, drop it. After the
// clock was set back, it is missing since then.
static bool accumulated_keep_missing(struct accumulated_port *port, int64_t time_us)
{
    if (port->missing_since == 0 || port->missing_since > time_us)
        port->missing_since = time_us;
    return time_us - port->missing_since < ACCUMULATED_KEEP_US;
}

// Orders by node, then port. NULL, for the end of a list, comes last.
static int accumulated_compare(const struct accumulated_port *a, const struct counter_sample *b)
{
    if (!a || !b)
        return !a - !b;
    return counter_compare_ports(a->last.node_guid, a->last.port, b->node_guid, b->port);
}

static void accumulated_merge(struct writer *w, const struct accumulated_counters *old,
                              const struct counter_reading *reading)
{
    struct accumulated_walk walk = {.accumulated = old};
    struct accumulated_port port, added;
    bool has_port = accumulated_walk_next(&walk, &port);
    for (size_t i = 0; has_port || i < reading->count;) {
        const struct counter_sample *now = i < reading->count ? &reading->samples[i] : NULL;
        int order = accumulated_compare(has_port ? &port : NULL, now);
        if (order > 0) {
            added = (struct accumulated_port){.last = *now,
                                              .began_s = old ? reading->time_us / US_PER_S : 0};
            accumulated_add_causes(&added, reading);
            accumulated_write_port(w, &added);
        } else if (order == 0) {
            accumulated_add_sample(&port, now);
            accumulated_add_causes(&port, reading);
            accumulated_write_port(w, &port);
        } else if (accumulated_keep_missing(&port, reading->time_us)) {
            accumulated_write_port(w, &port);
        }
        i += order >= 0;
        if (order <= 0)
            has_port = accumulated_walk_next(&walk, &port);
    }
}

struct accumulated_counters *accumulated_with(const struct accumulated_counters *old,
                                              const struct counter_reading *reading)
{
    struct writer w = {.accumulated = memory_zeroed(1, sizeof *w.accumulated)};
    struct accumulated_counters *s = w.accumulated;
    s->references = 1;
    accumulated_merge(&w, old, reading);
    s->octets = memory_resize(s->octets, w.used, 1); // gives back what is not used
    s->places = memory_resize(s->places, s->count, sizeof *s->places);
    return s;
}

struct accumulated_counters *accumulated_ref(struct accumulated_counters *accumulated)
{
    atomic_fetch_add_explicit(&accumulated->references, 1, memory_order_relaxed);
    return accumulated;
}

void accumulated_unref(struct accumulated_counters *accumulated)
{
    if (!accumulated ||
        atomic_fetch_sub_explicit(&accumulated->references, 1, memory_order_acq_rel) > 1)
        return;
    free(accumulated->places);
    free(accumulated->octets);
    free(accumulated);
}

static const struct place *accumulated_find_place(const struct accumulated_counters *accumulated,
                                                  uint64_t node_guid)
{
    size_t at;
    SEARCH_FIRST(at, 0, accumulated->count, accumulated->places[at].node_guid < node_guid);
    bool found = at < accumulated->count && accumulated->places[at].node_guid == node_guid;
    return found ? &accumulated->places[at] : NULL;
}

static bool accumulated_find_port(const struct accumulated_counters *accumulated,
                                  uint64_t node_guid, uint8_t port, struct accumulated_port *out)
{
    const struct place *place = accumulated ? accumulated_find_place(accumulated, node_guid) : NULL;
    if (!place)
        return false;
    const uint8_t *p = accumulated->octets + place->begin, *end = accumulated->octets + place->end;
    out->last.node_guid = node_guid;
    while (p < end) {
        p = accumulated_get_port(p, out);
        if (out->last.port >= port)
            return out->last.port == port;
    }
    return false;
}

bool accumulated_find(const struct accumulated_counters *accumulated, uint64_t node_guid,
                      uint8_t port, uint64_t out[COUNTER_COUNT])
{
    struct accumulated_port found;
    if (!accumulated_find_port(accumulated, node_guid, port, &found))
        return false;
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        out[c] = found.base[c] + found.last.values[c];
    return true;
}

bool accumulated_find_cause(const struct accumulated_counters *accumulated, uint64_t node_guid,
                            uint8_t port, enum counter counter, unsigned cause, uint64_t *out)
{
    struct accumulated_port found;
    const struct accumulated_causes *causes = &found.causes[counter == CAUSES_OF[0] ? 0 : 1];
    if (!accumulated_find_port(accumulated, node_guid, port, &found) || !causes->known)
        return false;
    *out = causes->base[cause] + causes->last[cause];
    return true;
}

int64_t accumulated_began_at(const struct accumulated_counters *accumulated, uint64_t node_guid,
                             uint8_t port)
{
    struct accumulated_port found;
    const bool known = accumulated_find_port(accumulated, node_guid, port, &found);
    return known ? found.began_s * US_PER_S : 0;
}

bool accumulated_find_last(const struct accumulated_counters *accumulated, uint64_t node_guid,
                           uint8_t port, struct counter_sample *out)
{
    struct accumulated_port found;
    if (!accumulated_find_port(accumulated, node_guid, port, &found))
        return false;
    *out = found.last;
    return true;
}

static bool accumulated_next_sample(struct accumulated_walk *walk, struct accumulated_port *port,
                                    struct counter_sample *out)
{
    if (!accumulated_walk_next(walk, port))
        return false;
    *out = port->last;
    walk->missing = port->missing_since != 0;
    return true;
}

bool accumulated_next(struct accumulated_walk *walk, struct counter_sample *out)
{
    struct accumulated_port port;
    return accumulated_next_sample(walk, &port, out);
}

bool accumulated_next_sums(struct accumulated_walk *walk, struct counter_sample *out)
{
    struct accumulated_port port;
    if (!accumulated_next_sample(walk, &port, out))
        return false;
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        out->values[c] += port.base[c];
    return true;
}
