// SPDX-License-Identifier: BSD-2-Clause
#include "topology/error_rates.h"

#include "base/clock.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = ERROR_RATES_SLOTS + 1 }; // the one that is filled now, and a whole window before it

#define ERRORS_MAX (UINT64_C(1) << 48) // of one update; a double has it exactly

// A counter of a port that grew lately, or whose alarm stands.
struct watched {
    uint64_t node_guid, peer_guid; // peer_guid 0: not known
    int64_t newest[ERROR_WINDOWS]; // the slot that is filled now: its time by the slot's length
    int64_t held_until_us;         // the alarm does not end before
    uint32_t errors[ERROR_WINDOWS][SLOTS]; // by slot modulo SLOTS
    uint8_t port, peer_port, counter;      // enum counter
    bool alarm;                            // the windows of this port are over a limit
    bool full;                             // the counter can grow no more
    uint8_t width;  // of the link when it was up last, a bit of PortInfo; 0: not known
    uint16_t speed; // the same; enum fabric_speed
};

struct error_rates {
    struct error_rate_limits limits;
    struct watched *all; // ascending by node, port and counter
    size_t count, capacity;
    int64_t updated_us; // monotonic; 0: never
    uint64_t overflowed;
    bool restored; // `all` has restored alarms, in no order
};

struct error_rates *error_rates_new(const struct error_rate_limits *limits)
{
    struct error_rates *rates = calloc(1, sizeof *rates);
    if (rates)
        rates->limits = *limits;
    return rates;
}

void error_rates_free(struct error_rates *rates)
{
    if (!rates)
        return;
    free(rates->all);
    free(rates);
}

uint64_t error_rates_overflowed(const struct error_rates *rates)
{
    return rates->overflowed;
}

void error_rates_change(struct error_rates *rates, const struct error_rate_limits *limits)
{
    bool same = memcmp(rates->limits.window_us, limits->window_us, sizeof limits->window_us) == 0;
    rates->limits = *limits;
    for (size_t i = 0; !same && i < rates->count; i++) {
        struct watched *one = &rates->all[i];
        memset(one->errors, 0, sizeof one->errors);
        memset(one->newest, 0, sizeof one->newest);
        one->held_until_us = rates->updated_us + limits->window_us[ERROR_WINDOW_LONG];
    }
}

// Room for one more. False: out of memory.
static bool error_rates_make_room(struct error_rates *rates)
{
    if (rates->count < rates->capacity)
        return true;
    size_t capacity = rates->capacity > 0 ? rates->capacity * 2 : 16;
    struct watched *all = realloc(rates->all, capacity * sizeof *all);
    if (!all)
        return false;
    rates->all = all;
    rates->capacity = capacity;
    return true;
}

bool error_rates_restore(struct error_rates *rates, const struct error_rate_change *alarm)
{
    if (rates->count == ERROR_RATES_MAX || !error_rates_make_room(rates))
        return false;
    rates->all[rates->count++] = (struct watched){.node_guid = alarm->node_guid,
                                                  .port = alarm->port,
                                                  .peer_guid = alarm->peer_guid,
                                                  .peer_port = alarm->peer_port,
                                                  .counter = (uint8_t)alarm->counter,
                                                  .alarm = true};
    rates->restored = true;
    return true;
}

// Order.

static int compare_watched(const void *a, const void *b)
{
    const struct watched *m = a, *n = b;
    int order = counter_compare_ports(m->node_guid, m->port, n->node_guid, n->port);
    return order != 0 ? order : m->counter - n->counter;
}

// Whether it is a restored alarm that no update has seen yet.
static bool is_restored(const struct watched *one)
{
    return one->newest[ERROR_WINDOW_SHORT] == 0;
}

// Joins two of one port and counter: restored alarms with two neighbours, of which one stays, or a
// restored alarm and what was counted since the start, unless the neighbour is another one now.
static void join_watched(struct watched *one, const struct watched *other)
{
    struct watched counted = is_restored(one) ? *other : *one;
    const struct watched restored = is_restored(one) ? *one : *other;
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

// Puts the restored alarms into their places.
static void sort_alarms(struct error_rates *rates, int64_t now_us)
{
    size_t kept = 0;
    if (!rates->restored)
        return;
    qsort(rates->all, rates->count, sizeof *rates->all, compare_watched);
    for (size_t i = 0; i < rates->count; i++) {
        struct watched *one = &rates->all[i];
        if (is_restored(one))
            one->held_until_us = now_us + rates->limits.window_us[ERROR_WINDOW_LONG];
        if (kept > 0 && compare_watched(&rates->all[kept - 1], one) == 0)
            join_watched(&rates->all[kept - 1], one);
        else
            rates->all[kept++] = *one;
    }
    rates->count = kept;
    rates->restored = false;
}

static struct watched *watched_find(const struct error_rates *rates, uint64_t node_guid,
                                    uint8_t port, uint8_t counter)
{
    const struct watched key = {.node_guid = node_guid, .port = port, .counter = counter};
    size_t at;
    SEARCH_FIRST(at, 0, rates->count, compare_watched(&rates->all[at], &key) < 0);
    bool found = at < rates->count && compare_watched(&rates->all[at], &key) == 0;
    return found ? &rates->all[at] : NULL;
}

// Windows.

static int64_t slot_length(const struct error_rates *rates, enum error_window window)
{
    return rates->limits.window_us[window] / ERROR_RATES_SLOTS;
}

// Empties the slots between the newest and that of `now_us`.
static void slide(const struct error_rates *rates, struct watched *one, enum error_window window,
                  int64_t now_us)
{
    int64_t slot = now_us / slot_length(rates, window);
    int64_t first = one->newest[window] + 1;
    if (first < slot - ERROR_RATES_SLOTS)
        first = slot - ERROR_RATES_SLOTS;
    for (int64_t i = first; i <= slot; i++)
        one->errors[window][i % SLOTS] = 0;
    one->newest[window] = slot;
}

static uint64_t share_of(uint64_t growth, int64_t part_us, int64_t all_us)
{
    return (uint64_t)((double)growth * (double)part_us / (double)all_us);
}

// Spreads the growth of the last `elapsed_us` over the slots of that time.
static void count_errors(const struct error_rates *rates, struct watched *one,
                         enum error_window window, int64_t now_us, uint64_t growth,
                         int64_t elapsed_us)
{
    int64_t length = slot_length(rates, window), newest = one->newest[window], given_us = 0;
    uint64_t given = 0;
    growth = growth < ERRORS_MAX ? growth : ERRORS_MAX;
    for (int64_t i = newest; i >= 0 && i > newest - SLOTS && given_us < elapsed_us; i--) {
        int64_t begin = i * length > now_us - elapsed_us ? i * length : now_us - elapsed_us;
        given_us = now_us - begin;
        uint64_t sum = given_us == elapsed_us ? growth : share_of(growth, given_us, elapsed_us);
        uint64_t errors = one->errors[window][i % SLOTS] + (sum - given);
        one->errors[window][i % SLOTS] = errors < UINT32_MAX ? (uint32_t)errors : UINT32_MAX;
        given = sum;
    }
}

// Fills in what a window has. False: it has no limit.
static bool measure(const struct error_rates *rates, const struct watched *one,
                    enum error_window window, int64_t now_us, struct error_rate_change *out)
{
    const struct error_rate_limits *limits = &rates->limits;
    double bits = fabric_bits_per_second(out->width, out->speed);
    int64_t length = slot_length(rates, window);
    out->per_bit = bits > 0 && limits->per_bit[one->counter][window] > 0;
    out->limit = out->per_bit ? limits->per_bit[one->counter][window]
                              : limits->per_hour[one->counter][window];
    out->covered_us = ERROR_RATES_SLOTS * length + now_us % length;
    out->errors = 0;
    for (int i = 0; i < SLOTS; i++)
        out->errors += one->errors[window][i];
    double seconds = (double)out->covered_us / (double)CLOCK_US_PER_S;
    out->rate = (double)out->errors / seconds * (out->per_bit ? 1 / bits : 3600);
    return out->limit > 0;
}

// A round of updates.
struct error_rates_round {
    struct error_rates *rates;
    const struct error_rate_reading *reading;
    struct accumulated_walk walk; // over the accumulated counters before the reading
    struct counter_sample last;
    bool has_last;
    int64_t elapsed_us; // since the update before
    struct watched *merged;
    size_t count, capacity;
    void (*each)(void *ctx, const struct error_rate_change *change);
    void *ctx;
};

static bool has_limit(const struct error_rates *rates, enum counter counter)
{
    const struct error_rate_limits *limits = &rates->limits;
    for (int w = 0; w < ERROR_WINDOWS; w++) {
        if (limits->per_bit[counter][w] > 0 || limits->per_hour[counter][w] > 0)
            return true;
    }
    return false;
}

static bool keep_watched(struct error_rates_round *r, const struct watched *one)
{
    if (r->count == r->capacity) {
        size_t capacity = r->capacity * 2 + 16;
        struct watched *merged = realloc(r->merged, capacity * sizeof *merged);
        if (!merged)
            return false;
        r->merged = merged;
        r->capacity = capacity;
    }
    r->merged[r->count++] = *one;
    return true;
}

// Moves the walk on to that port and sets `last`. False: there is nothing to compare the sample
// with.
static bool find_before(struct error_rates_round *r, const struct counter_sample *now)
{
    int order = 1;
    while (r->has_last && (order = counter_compare_ports(r->last.node_guid, r->last.port,
                                                         now->node_guid, now->port)) < 0)
        r->has_last = accumulated_next(&r->walk, &r->last);
    return r->has_last && order == 0 && !r->walk.missing && r->last.extended == now->extended;
}

static uint64_t growth_of(const struct error_rates_round *r, const struct counter_sample *now,
                          enum counter c)
{
    return counter_is_comparable(&r->last, now, c)
               ? counter_growth(r->last.values[c], now->values[c])
               : 0;
}

static void add_growth(const struct error_rates_round *r, struct watched *one,
                       const struct counter_sample *now)
{
    enum counter c = (enum counter)one->counter;
    uint64_t growth = growth_of(r, now, c);
    one->full = growth == 0 && counter_is_full(now, c);
    for (int w = 0; w < ERROR_WINDOWS; w++) {
        slide(r->rates, one, (enum error_window)w, r->reading->now_us);
        if (growth > 0 && r->elapsed_us > 0)
            count_errors(r->rates, one, (enum error_window)w, r->reading->now_us, growth,
                         r->elapsed_us);
    }
}

// Brings the windows of a counter without a growth up to date.
static void pass_time(const struct error_rates_round *r, struct watched *one)
{
    for (int w = 0; w < ERROR_WINDOWS; w++)
        slide(r->rates, one, (enum error_window)w, r->reading->now_us);
}

// Passes time for a counter whose port the reading lacks. That a counter was full keeps its alarm
// for a long window: the port may be back in the next reading, or never.
static void pass_absence(const struct error_rates_round *r, struct watched *one)
{
    if (one->full)
        one->held_until_us = r->reading->now_us + r->rates->limits.window_us[ERROR_WINDOW_LONG];
    one->full = false;
    pass_time(r, one);
}

// Whether the counter that is not watched yet grew and has to be. `to_come`: watched counters that
// this round has yet to merge.
static bool begins(struct error_rates_round *r, const struct counter_sample *now, enum counter c,
                   size_t to_come)
{
    if (now->values[c] == r->last.values[c] || growth_of(r, now, c) == 0 ||
        !has_limit(r->rates, c) || r->elapsed_us == 0)
        return false;
    if (r->count + to_come < ERROR_RATES_MAX)
        return true;
    r->rates->overflowed++;
    return false;
}

// Whether nothing is to be done for the port: it grew no error, and none of its counters, which
// would be at `at`, is watched.
static bool is_healthy(const struct error_rates_round *r, const struct counter_sample *now,
                       size_t at, bool comparable)
{
    const struct watched *next = at < r->rates->count ? &r->rates->all[at] : NULL;
    bool watched = next && next->node_guid == now->node_guid && next->port == now->port;
    return !watched && (!comparable || memcmp(now->values, r->last.values,
                                              COUNTER_ERRORS * sizeof now->values[0]) == 0);
}

// Takes a sample and the counters of its port that are watched, from `at` on. False: out of memory.
static bool take_sample(struct error_rates_round *r, const struct counter_sample *now, size_t *at)
{
    struct error_rates *rates = r->rates;
    bool comparable = find_before(r, now);
    if (r->reading->congestion)
        congestion_take(r->reading->congestion, comparable ? &r->last : NULL, now,
                        r->reading->fabric);
    if (is_healthy(r, now, *at, comparable))
        return true;
    for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
        struct watched one = {
            .node_guid = now->node_guid, .port = now->port, .counter = (uint8_t)c};
        bool known = *at < rates->count && compare_watched(&rates->all[*at], &one) == 0;
        if (known)
            one = rates->all[(*at)++];
        else if (!comparable || !begins(r, now, c, rates->count - *at))
            continue;
        if (comparable)
            add_growth(r, &one, now);
        else
            pass_time(r, &one);
        if (!keep_watched(r, &one))
            return false;
    }
    return true;
}

static bool merge_reading(struct error_rates_round *r)
{
    const struct counter_reading *reading = r->reading->reading;
    struct error_rates *rates = r->rates;
    size_t at = 0;
    for (size_t i = 0; i <= reading->count; i++) {
        const struct counter_sample *now = i < reading->count ? &reading->samples[i] : NULL;
        for (; at < rates->count; at++) {
            struct watched *one = &rates->all[at];
            if (now &&
                counter_compare_ports(one->node_guid, one->port, now->node_guid, now->port) >= 0)
                break;
            pass_absence(r, one);
            if (!keep_watched(r, one))
                return false;
        }
        if (now && !take_sample(r, now, &at))
            return false;
    }
    return true;
}

// Alarms.

// The port's place in the fabric; FABRIC_NONE: not known.
static uint32_t error_rates_place(const struct fabric *fabric, uint64_t node_guid, uint8_t port)
{
    uint32_t node = fabric ? fabric_find_node(fabric, node_guid) : FABRIC_NONE;
    return node != FABRIC_NONE ? fabric_find_port(fabric, node, port) : FABRIC_NONE;
}

static struct error_rate_change describe_watched(const struct watched *one)
{
    return (struct error_rate_change){.node_guid = one->node_guid,
                                      .port = one->port,
                                      .peer_guid = one->peer_guid,
                                      .peer_port = one->peer_port,
                                      .counter = (enum counter)one->counter,
                                      .width = one->width,
                                      .speed = one->speed};
}

// Takes the window that is closest to its limit, or farthest over it. Returns whether a window is
// over `percent` of its limit, with `errors_min` errors at least.
static bool error_rates_judge(const struct error_rates_round *r, const struct watched *one,
                              unsigned percent, uint64_t errors_min, struct error_rate_change *out)
{
    double worst = -1;
    bool over = false;
    for (int w = 0; w < ERROR_WINDOWS; w++) {
        struct error_rate_change found = *out;
        if (!measure(r->rates, one, (enum error_window)w, r->reading->now_us, &found))
            continue;
        double share = found.rate / found.limit;
        bool this_over = share > percent / 100.0 && found.errors >= errors_min;
        if (this_over > over || (this_over == over && share > worst)) {
            *out = found;
            worst = share;
        }
        over = over || this_over;
    }
    return over;
}

// Whether the other end of the link counts too many errors of the kind, too: the alarm is both
// ends'.
static bool peer_has_alarm(const struct error_rates *rates, const struct watched *one)
{
    const struct watched *peer =
        one->peer_guid != 0 ? watched_find(rates, one->peer_guid, one->peer_port, one->counter)
                            : NULL;
    return peer && peer->alarm && peer->peer_guid == one->node_guid && peer->peer_port == one->port;
}

bool error_rates_has_alarm(const struct error_rates *rates, const struct error_rate_change *alarm)
{
    const struct watched link = {.node_guid = alarm->node_guid,
                                 .port = alarm->port,
                                 .peer_guid = alarm->peer_guid,
                                 .peer_port = alarm->peer_port,
                                 .counter = (uint8_t)alarm->counter};
    const struct watched *one = watched_find(rates, link.node_guid, link.port, link.counter);
    return (one && one->alarm && one->peer_guid == link.peer_guid &&
            one->peer_port == link.peer_port) ||
           peer_has_alarm(rates, &link);
}

static void error_rates_begin_anew(struct watched *one)
{
    memset(one->errors, 0, sizeof one->errors);
    one->alarm = false;
    one->peer_guid = 0;
    one->peer_port = 0;
    one->width = 0;
    one->speed = 0;
}

void error_rates_review(struct error_rates *rates,
                        bool (*stands)(void *ctx, const struct error_rate_change *alarm), void *ctx)
{
    for (size_t i = 0; i < rates->count; i++) {
        struct watched *one = &rates->all[i];
        const struct error_rate_change alarm = {.node_guid = one->node_guid,
                                                .port = one->port,
                                                .peer_guid = one->peer_guid,
                                                .peer_port = one->peer_port,
                                                .counter = (enum counter)one->counter,
                                                .raised = true};
        if (one->alarm && !stands(ctx, &alarm))
            error_rates_begin_anew(one);
    }
}

// Sets the rate of the link. One that is down keeps it: the errors are those from when it was up.
static void find_link_rate(const struct error_rates_round *r, struct watched *one)
{
    const struct fabric *fabric = r->reading->fabric;
    uint32_t port = error_rates_place(fabric, one->node_guid, one->port);
    if (port == FABRIC_NONE || fabric->ports[port].state <= FABRIC_DOWN)
        return;
    one->width = fabric->ports[port].width_active;
    one->speed = fabric->ports[port].speed_active;
}

// Sets the other end of the link. While an alarm stands, its link keeps the ends that it began
// with, unless the port has another neighbour.
static void find_neighbour(struct error_rates_round *r, struct watched *one)
{
    const struct fabric *fabric = r->reading->fabric;
    uint32_t port = error_rates_place(fabric, one->node_guid, one->port);
    uint32_t peer = port != FABRIC_NONE ? fabric_peer(fabric, port) : FABRIC_NONE;
    if (peer == FABRIC_NONE)
        return;
    uint64_t guid = fabric->nodes[fabric->ports[port].peer_node].guid;
    uint8_t number = fabric->ports[peer].number;
    if (one->peer_guid != 0 && (one->peer_guid != guid || one->peer_port != number)) {
        struct error_rate_change change = describe_watched(one);
        change.moved = true;
        bool alone = one->alarm && !peer_has_alarm(r->rates, one);
        error_rates_begin_anew(one);
        if (alone)
            r->each(r->ctx, &change);
    }
    if (!one->alarm) {
        one->peer_guid = guid;
        one->peer_port = number;
    }
}

static void error_rates_raise(struct error_rates_round *r, struct watched *one)
{
    const struct error_rate_limits *limits = &r->rates->limits;
    struct error_rate_change change = describe_watched(one);
    if (one->alarm || !error_rates_judge(r, one, 100, limits->errors_min, &change))
        return;
    bool first = !peer_has_alarm(r->rates, one);
    one->alarm = true;
    change.raised = true;
    if (first)
        r->each(r->ctx, &change);
}

static void error_rates_clear(struct error_rates_round *r, struct watched *one)
{
    struct error_rate_change change = describe_watched(one);
    bool limited = has_limit(r->rates, (enum counter)one->counter);
    bool stays = limited && (one->full || r->reading->now_us < one->held_until_us);
    if (!one->alarm || stays ||
        error_rates_judge(r, one, r->rates->limits.clear_percent, 0, &change))
        return;
    one->alarm = false;
    if (!peer_has_alarm(r->rates, one))
        r->each(r->ctx, &change);
}

static bool is_quiet(const struct watched *one)
{
    static const uint32_t NONE[SLOTS];
    return !one->alarm && memcmp(one->errors[ERROR_WINDOW_SHORT], NONE, sizeof NONE) == 0 &&
           memcmp(one->errors[ERROR_WINDOW_LONG], NONE, sizeof NONE) == 0;
}

// First finds what is over a limit, then what is no longer: so an alarm that passes from one end of
// a link to the other stays one.
static void update_alarms(struct error_rates_round *r)
{
    struct error_rates *rates = r->rates;
    size_t kept = 0;
    for (size_t i = 0; i < rates->count; i++) {
        find_neighbour(r, &rates->all[i]);
        find_link_rate(r, &rates->all[i]);
    }
    for (size_t i = 0; i < rates->count; i++)
        error_rates_raise(r, &rates->all[i]);
    for (size_t i = 0; i < rates->count; i++)
        error_rates_clear(r, &rates->all[i]);
    for (size_t i = 0; i < rates->count; i++) {
        if (!is_quiet(&rates->all[i]))
            rates->all[kept++] = rates->all[i];
    }
    rates->count = kept;
}

bool error_rates_update(struct error_rates *rates, const struct error_rate_reading *reading,
                        void (*each)(void *ctx, const struct error_rate_change *change), void *ctx)
{
    struct error_rates_round r = {.rates = rates,
                                  .reading = reading,
                                  .walk = {.accumulated = reading->before},
                                  .each = each,
                                  .ctx = ctx};
    assert(reading->now_us >= rates->updated_us);
    r.elapsed_us = rates->updated_us > 0 ? reading->now_us - rates->updated_us : 0;
    r.has_last = accumulated_next(&r.walk, &r.last);
    sort_alarms(rates, reading->now_us);
    if (reading->congestion)
        congestion_begin(reading->congestion, reading->now_us);
    if (!merge_reading(&r)) {
        free(r.merged);
        return false;
    }
    free(rates->all);
    rates->all = r.merged;
    rates->count = r.count;
    rates->capacity = r.capacity;
    rates->updated_us = reading->now_us;
    update_alarms(&r);
    return true;
}

// Reading.

size_t error_rates_count(const struct error_rates *rates)
{
    return rates->count;
}

uint64_t error_rates_errors(const struct error_rates *rates, uint64_t node_guid, uint8_t port,
                            enum counter counter, enum error_window window)
{
    const struct watched *one = watched_find(rates, node_guid, port, (uint8_t)counter);
    uint64_t errors = 0;
    for (int i = 0; one && i < SLOTS; i++)
        errors += one->errors[window][i];
    return errors;
}

void error_rates_each(const struct error_rates *rates,
                      void (*each)(void *ctx, const struct error_rate_measure *measure), void *ctx)
{
    for (size_t i = 0; i < rates->count; i++) {
        const struct watched *one = &rates->all[i];
        const double bits = fabric_bits_per_second(one->width, one->speed);
        struct error_rate_measure out = {
            .node_guid = one->node_guid, .port = one->port, .counter = (enum counter)one->counter};
        for (int w = 0; w < ERROR_WINDOWS; w++) {
            struct error_rate_change found = {.covered_us = 0};
            measure(rates, one, (enum error_window)w, rates->updated_us, &found);
            out.per_second[w] =
                (double)found.errors * (double)CLOCK_US_PER_S / (double)found.covered_us;
            out.per_bit[w] = bits > 0 ? out.per_second[w] / bits : 0;
        }
        each(ctx, &out);
    }
}
