// SPDX-License-Identifier: BSD-2-Clause
#include "topology/counter_watch.h"

#include "base/clock.h"
#include "base/memory.h"
#include "topology/watched.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BITS_PER_SYMBOL = 10 };

enum { KINDS = ALARM_ABOUT_WAIT - ALARM_ABOUT_GROWTH + 1 };

static const struct {
    enum counter first, end; // the counters
    size_t max;
    bool of_link;     // the alarm is that of both ends of the link
    bool has_windows; // otherwise the last reading alone counts
    bool full_begins; // a full counter is watched from the beginning
} ROWS[KINDS] = {
    {0, COUNTER_ERRORS, SIZE_MAX, false, false, false},
    {0, COUNTER_ERRORS, COUNTER_WATCH_ERRORS_MAX, true, true, false},
    {COUNTER_XMIT_WAIT, COUNTER_XMIT_WAIT + 1, COUNTER_WATCH_WAITS_MAX, false, true, true},
};

struct counter_watch {
    struct counter_watch_limits limits;
    struct watched_list lists[KINDS]; // by enum alarm_key_about, from ALARM_ABOUT_GROWTH on
    struct counter_windows_time time;
    struct counter_statement *statements;
    size_t statement_count, statement_capacity;
};

// An update.
struct counter_watch_round {
    struct counter_watch *watch;
    const struct counter_watch_reading *reading;
    struct accumulated_walk walk; // over the accumulated counters before the reading
    struct counter_sample last;
    bool more;       // `last` is set
    bool has_last;   // `last` is of the port that is compared now
    bool comparable; // and its growth counts for the windows
    uint32_t node;   // see counter_watch_place
};

struct counter_watch *counter_watch_new(const struct counter_watch_limits *limits)
{
    struct counter_watch *watch = memory_zeroed(1, sizeof *watch);
    counter_watch_change(watch, limits);
    return watch;
}

void counter_watch_free(struct counter_watch *watch)
{
    if (!watch)
        return;
    for (int k = 0; k < KINDS; k++)
        free(watch->lists[k].all);
    free(watch->statements);
    free(watch);
}

static int64_t counter_watch_long_window(const struct counter_watch *w)
{
    return w->time.window_us[ERROR_WINDOW_LONG];
}

void counter_watch_change(struct counter_watch *watch, const struct counter_watch_limits *limits)
{
    const size_t size = sizeof limits->window_us;
    const bool same = memcmp(watch->time.window_us, limits->window_us, size) == 0;
    watch->limits = *limits;
    memcpy(watch->time.window_us, limits->window_us, size);
    if (!same)
        watch->time.began_us = watch->time.updated_us;
    for (int k = 0; k < KINDS && !same; k++) {
        for (size_t i = 0; i < watch->lists[k].count; i++) {
            struct watched *one = &watch->lists[k].all[i];
            one->windows = (struct counter_windows){0};
            one->anew = ROWS[k].has_windows;
        }
    }
}

// Lists.

static const struct watched_list *counter_watch_list(const struct counter_watch *w,
                                                     enum alarm_key_about about)
{
    assert(about >= ALARM_ABOUT_GROWTH && about <= ALARM_ABOUT_WAIT);
    return &w->lists[about - ALARM_ABOUT_GROWTH];
}

// Begins an update of a list: what began anew before the update is held for a long window.
static void counter_watch_open(const struct counter_watch *w, struct watched_list *list, int kind,
                               int64_t now_us)
{
    for (size_t i = 0; i < list->count && ROWS[kind].has_windows; i++) {
        if (list->all[i].anew)
            list->all[i].held_until_us = now_us + counter_watch_long_window(w);
    }
    watched_sort(list);
    for (size_t i = 0; i < list->count; i++) {
        list->all[i].anew = false;
        if (ROWS[kind].has_windows)
            counter_windows_slide(&list->all[i].windows, &w->time, now_us);
    }
    list->at = 0;
}

void counter_watch_restore(struct counter_watch *watch, const struct alarm_key *key)
{
    const int kind = (int)key->about - ALARM_ABOUT_GROWTH;
    if (kind < 0 || kind >= KINDS)
        return;
    const struct watched one = {.node_guid = key->guid,
                                .port = key->port,
                                .peer_guid = key->peer_guid,
                                .peer_port = key->peer_port,
                                .counter = (uint8_t)key->counter,
                                .alarm = true,
                                .anew = true};
    watched_add(&watch->lists[kind], ROWS[kind].max, &one);
}

// Statements.

static struct alarm_key counter_watch_key(const struct watched *one, int kind)
{
    return (struct alarm_key){.kind = one->peer_guid != 0 ? ALARM_KEY_LINK : ALARM_KEY_PORT,
                              .guid = one->node_guid,
                              .port = one->port,
                              .peer_guid = one->peer_guid,
                              .peer_port = one->peer_port,
                              .about = (enum alarm_key_about)(ALARM_ABOUT_GROWTH + kind),
                              .counter = (enum counter)one->counter};
}

static struct counter_statement counter_watch_describe(const struct watched *one, int kind)
{
    return (struct counter_statement){.key = counter_watch_key(one, kind),
                                      .severe = one->severe,
                                      .tick_known = one->tick_known,
                                      .width = one->width,
                                      .speed = one->speed};
}

static void counter_watch_state(struct counter_watch *w, const struct counter_statement *statement)
{
    MEMORY_MAKE_ROOM(w->statements, w->statement_count, w->statement_capacity);
    w->statements[w->statement_count++] = *statement;
}

// Thresholds.

static bool counter_watch_replaces_trap(enum counter counter)
{
    return counter == COUNTER_LOCAL_LINK_INTEGRITY_ERRORS ||
           counter == COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS;
}

static void counter_watch_state_growth(struct counter_watch *w, const struct watched *one,
                                       bool reached, uint64_t before, uint64_t after)
{
    struct counter_statement statement = counter_watch_describe(one, 0);
    statement.raised = reached;
    statement.before = before;
    statement.after = after;
    counter_watch_state(w, &statement);
}

// `known`: the counter had reached its threshold, or an operator cleared that; NULL: neither.
static void counter_watch_compare_growth(struct counter_watch_round *r, struct watched *known,
                                         const struct counter_sample *now, enum counter counter)
{
    const uint64_t limit = r->watch->limits.growth[counter];
    const uint64_t before = r->last.values[counter], after = now->values[counter];
    const struct watched one = {
        .node_guid = now->node_guid, .port = now->port, .counter = (uint8_t)counter, .alarm = true};
    if (known)
        known->missing_since = 0;
    if (!r->has_last || (limit != 0 && before == after && counter_is_full(now, counter)) ||
        !counter_is_comparable(&r->last, now, counter))
        return;
    const bool reached = limit != 0 && counter_growth(before, after) >= limit;
    const bool was = known && known->alarm;
    if (reached == was)
        return;
    counter_watch_state_growth(r->watch, &one, reached, before, after);
    if (counter_watch_replaces_trap(counter))
        return;
    if (known)
        known->alarm = reached;
    else
        watched_add(&r->watch->lists[0], ROWS[0].max, &one);
}

// The reading lacks the port. After the clock was set back, the port is missing since then.
static void counter_watch_miss_growth(struct counter_watch_round *r, struct watched *one)
{
    const int64_t now_us = r->reading->reading->time_us;
    struct counter_sample last = {0};
    if (one->missing_since == 0 || one->missing_since > now_us)
        one->missing_since = now_us;
    if (now_us - one->missing_since < ACCUMULATED_KEEP_US || !one->alarm)
        return;
    accumulated_find_last(r->reading->before, one->node_guid, one->port, &last);
    one->alarm = false;
    counter_watch_state_growth(r->watch, one, false, last.values[one->counter],
                               last.values[one->counter]);
}

// A reading.

// The port's place in the fabric. Returns FABRIC_NONE if the place is not known. `node` walks over
// the nodes of the fabric, from 0 on: call the function for ports in ascending order of nodes.
static uint32_t counter_watch_place(const struct fabric *fabric, uint32_t *node, uint64_t node_guid,
                                    uint8_t port)
{
    while (fabric && *node < fabric->node_count && fabric->nodes[*node].guid < node_guid)
        ++*node;
    const bool found =
        fabric && *node < fabric->node_count && fabric->nodes[*node].guid == node_guid;
    return found ? fabric_find_port(fabric, *node, port) : FABRIC_NONE;
}

// How long the port waited in so many ticks, in COUNTER_RATES_WAIT_UNIT_US, at most since the
// update before.
static uint64_t counter_watch_waited(struct counter_watch_round *r,
                                     const struct counter_sample *now, uint64_t ticks)
{
    const struct fabric *fabric = r->reading->fabric;
    const uint32_t port = counter_watch_place(fabric, &r->node, now->node_guid, now->port);
    const double lane = port != FABRIC_NONE // a width of 1X
                            ? fabric_bits_per_second(1, fabric->ports[port].speed_active)
                            : 0;
    const double most = (double)r->watch->time.elapsed_us;
    if (lane <= 0)
        return 0;
    const double seconds = (double)ticks * (now->tick > 0 ? now->tick : 1) * BITS_PER_SYMBOL / lane;
    const double waited = seconds * (double)CLOCK_US_PER_S;
    return (uint64_t)((waited < most ? waited : most) / COUNTER_RATES_WAIT_UNIT_US + 0.5);
}

static uint64_t counter_watch_growth(struct counter_watch_round *r, int kind,
                                     const struct counter_sample *now, enum counter c)
{
    if (!r->comparable || r->watch->time.elapsed_us == 0 || now->values[c] == r->last.values[c] ||
        !counter_is_comparable(&r->last, now, c))
        return 0;
    const uint64_t growth = counter_growth(r->last.values[c], now->values[c]);
    return ROWS[kind].of_link ? growth : counter_watch_waited(r, now, growth);
}

// Whether the port's link came up since the reading before.
static bool counter_watch_came_up(const struct counter_watch_round *r,
                                  const struct counter_sample *now)
{
    const enum counter c = COUNTER_LINK_DOWNED;
    return r->has_last ? counter_is_comparable(&r->last, now, c) &&
                             counter_growth(r->last.values[c], now->values[c]) > 0
                       : r->reading->before != NULL;
}

// Notes what the port says of its link: how many packets come, over some long windows, and whether
// the link corrects errors.
static void counter_watch_note_link(const struct counter_watch_round *r, struct watched *one,
                                    const struct counter_sample *now)
{
    const struct counter_watch *w = r->watch;
    const enum counter c = COUNTER_RCV_PKTS;
    const double part = (double)w->time.elapsed_us / (double)counter_watch_long_window(w);
    one->corrects = one->corrects || now->values[COUNTER_FEC_CORRECTED] > 0 ||
                    now->values[COUNTER_FEC_UNCORRECTABLE] > 0;
    if (!r->comparable || !now->wide || w->time.elapsed_us == 0 ||
        !counter_is_comparable(&r->last, now, c))
        return;
    const double packets = (double)counter_growth(r->last.values[c], now->values[c]) *
                           (double)CLOCK_US_PER_S / (double)w->time.elapsed_us;
    one->packets += (float)((packets - one->packets) * (one->packets > 0 && part < 1 ? part : 1));
}

static void counter_watch_take_counter(struct counter_watch_round *r, int kind, struct watched *one,
                                       const struct counter_sample *now, enum counter c)
{
    struct counter_watch *w = r->watch;
    const uint64_t growth = counter_watch_growth(r, kind, now, c);
    const bool full = growth == 0 && counter_is_full(now, c);
    const bool counts = growth > 0 && (!ROWS[kind].of_link ||
                                       counter_rates_have_limit(&w->limits, ROWS[kind].of_link, c));
    const bool came_up = c == COUNTER_LINK_DOWNED && counter_watch_came_up(r, now);
    const struct watched begun = {
        .node_guid = now->node_guid, .port = now->port, .counter = (uint8_t)c};
    if (!one && (counts || came_up || (full && ROWS[kind].full_begins)))
        one = watched_add(&w->lists[kind], ROWS[kind].max, &begun);
    if (!one)
        return;
    one->full = full;
    one->tick_known = now->tick != 0;
    counter_watch_note_link(r, one, now);
    if (came_up)
        one->since_us = w->time.updated_us;
    if (counts)
        counter_windows_add(&one->windows, &w->time, growth);
}

// Passes over a counter whose port the reading lacks. That a counter was full keeps its alarm for a
// long window: the port may be back in the next reading, or never.
static void counter_watch_pass_absence(struct counter_watch_round *r, int kind, struct watched *one)
{
    if (!ROWS[kind].has_windows)
        counter_watch_miss_growth(r, one);
    else if (one->full)
        one->held_until_us = r->watch->time.updated_us + counter_watch_long_window(r->watch);
    one->full = false;
}

// Passes over the counters of ports before the sample; NULL: of all ports.
static void counter_watch_pass_until(struct counter_watch_round *r,
                                     const struct counter_sample *now)
{
    for (int k = 0; k < KINDS; k++) {
        struct watched_list *list = &r->watch->lists[k];
        for (; list->at < list->sorted; list->at++) {
            struct watched *one = &list->all[list->at];
            if (now &&
                counter_compare_ports(one->node_guid, one->port, now->node_guid, now->port) >= 0)
                break;
            counter_watch_pass_absence(r, k, one);
        }
    }
}

// Moves the walk on to the port of the sample.
static void counter_watch_find_last(struct counter_watch_round *r, const struct counter_sample *now)
{
    int order = 1;
    while (r->more && (order = counter_compare_ports(r->last.node_guid, r->last.port,
                                                     now->node_guid, now->port)) < 0)
        r->more = accumulated_next(&r->walk, &r->last);
    r->has_last = r->more && order == 0;
    r->comparable = r->has_last && !r->walk.missing && r->last.extended == now->extended;
}

static bool counter_watch_is_next(const struct watched_list *list, const struct counter_sample *now)
{
    const struct watched *next = list->at < list->sorted ? &list->all[list->at] : NULL;
    return next && next->node_guid == now->node_guid && next->port == now->port;
}

// Whether nothing is to be done for the port: no error counter grew, and none is watched.
static bool counter_watch_is_healthy(const struct counter_watch_round *r,
                                     const struct counter_sample *now)
{
    for (int k = 0; k < KINDS; k++) {
        if (counter_watch_is_next(&r->watch->lists[k], now))
            return false;
    }
    const bool same =
        memcmp(now->values, r->last.values, COUNTER_ERRORS * sizeof now->values[0]) == 0;
    return !counter_is_full(now, COUNTER_XMIT_WAIT) &&
           (r->has_last ? same : r->reading->before == NULL);
}

static void counter_watch_take_sample(struct counter_watch_round *r,
                                      const struct counter_sample *now)
{
    counter_watch_find_last(r, now);
    if (counter_watch_is_healthy(r, now))
        return;
    for (int k = 0; k < KINDS; k++) {
        struct watched_list *list = &r->watch->lists[k];
        for (enum counter c = ROWS[k].first; c < ROWS[k].end; c++) {
            const bool known = counter_watch_is_next(list, now) && list->all[list->at].counter == c;
            if (!known && !ROWS[k].full_begins && r->has_last &&
                now->values[c] == r->last.values[c])
                continue; // as most
            struct watched *one = known ? &list->all[list->at++] : NULL;
            if (ROWS[k].has_windows)
                counter_watch_take_counter(r, k, one, now, c);
            else
                counter_watch_compare_growth(r, one, now, c);
        }
    }
}

// Alarms.

// Returns whether a window is over `part` of its limit of one of the levels. Describes the counter
// by the window that is closest to its limit, or farthest over the limit.
static bool counter_watch_judge(const struct counter_watch *w, const struct watched *one, int kind,
                                const enum error_level levels[2], double part, uint64_t errors_min,
                                struct counter_statement *out)
{
    double worst = -1;
    bool over = false;
    *out = counter_watch_describe(one, kind);
    for (int i = 0; i < ERROR_WINDOWS * 2; i++) {
        struct counter_statement found = counter_watch_describe(one, kind);
        found.window = (enum error_window)(i / 2);
        if (!counter_rates_measure(&w->limits, &w->time, ROWS[kind].of_link, one, levels[i % 2],
                                   &found))
            continue;
        const double share = found.rate / found.limit;
        const bool this_over = counter_rates_are_over(&w->time, one, &found, part, errors_min);
        if (this_over > over || (this_over == over && share > worst)) {
            *out = found;
            worst = share;
        }
        over = over || this_over;
    }
    return over;
}

// The other end of the link, if it makes the alarm stand, too; otherwise NULL.
static const struct watched *counter_watch_peer_alarm(const struct watched_list *list,
                                                      const struct watched *one)
{
    const struct watched *peer =
        one->peer_guid != 0
            ? watched_find(list, one->peer_guid, one->peer_port, (enum counter)one->counter)
            : NULL;
    const bool stands =
        peer && peer->alarm && peer->peer_guid == one->node_guid && peer->peer_port == one->port;
    return stands ? peer : NULL;
}

bool counter_watch_has_alarm(const struct counter_watch *watch, const struct alarm_key *key)
{
    const struct watched_list *list = counter_watch_list(watch, key->about);
    const struct watched link = {.node_guid = key->guid,
                                 .port = key->port,
                                 .peer_guid = key->peer_guid,
                                 .peer_port = key->peer_port,
                                 .counter = (uint8_t)key->counter};
    const struct watched *one =
        watched_find(list, link.node_guid, link.port, (enum counter)link.counter);
    return (one && one->alarm && one->peer_guid == link.peer_guid &&
            one->peer_port == link.peer_port) ||
           counter_watch_peer_alarm(list, &link);
}

static void counter_watch_begin_anew(const struct counter_watch *w, struct watched *one)
{
    one->windows = (struct counter_windows){0};
    one->since_us = w->time.updated_us;
    one->alarm = one->severe = false;
    one->peer_guid = 0;
    one->peer_port = 0;
    one->width = 0;
    one->speed = 0;
    one->packets = 0;
    one->corrects = false;
}

void counter_watch_review(struct counter_watch *watch,
                          bool (*stands)(void *ctx, const struct alarm_key *key), void *ctx)
{
    for (int k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < watch->lists[k].count; i++) {
            struct watched *one = &watch->lists[k].all[i];
            const struct alarm_key key = counter_watch_key(one, k);
            if (one->alarm && !stands(ctx, &key))
                counter_watch_begin_anew(watch, one);
        }
    }
}

// Sets the rate of the link. A link that is down keeps its last rate, because its errors were
// counted while it was up.
static void counter_watch_find_rate(const struct fabric *fabric, uint32_t port, struct watched *one)
{
    if (port == FABRIC_NONE || fabric->ports[port].state <= FABRIC_DOWN)
        return;
    one->width = fabric->ports[port].width_active;
    one->speed = fabric->ports[port].speed_active;
}

// Sets the other end of the link. While an alarm stands, its link keeps the ends that it began
// with, unless the port has another neighbour.
static void counter_watch_find_neighbour(struct counter_watch *w, int kind,
                                         const struct fabric *fabric, uint32_t port,
                                         struct watched *one)
{
    const uint32_t peer = fabric_peer(fabric, port);
    if (peer == FABRIC_NONE)
        return;
    const uint64_t guid = fabric->nodes[fabric->ports[port].peer_node].guid;
    const uint8_t number = fabric->ports[peer].number;
    if (one->peer_guid != 0 && (one->peer_guid != guid || one->peer_port != number)) {
        struct counter_statement statement = counter_watch_describe(one, kind);
        const bool alone = one->alarm && !counter_watch_peer_alarm(&w->lists[kind], one);
        statement.moved = true;
        counter_watch_begin_anew(w, one);
        if (alone)
            counter_watch_state(w, &statement);
    }
    if (!one->alarm) {
        one->peer_guid = guid;
        one->peer_port = number;
    }
}

// When the link of the port came up; 0: long ago.
static int64_t counter_watch_up_since(const struct watched_list *list, uint64_t guid, uint8_t port)
{
    const struct watched *link = watched_find(list, guid, port, COUNTER_LINK_DOWNED);
    return link ? link->since_us : 0;
}

// Begins the windows anew if the link came up, and when the link has settled. An alarm stays for a
// long window; at the second beginning, if there were errors since the first one.
static void counter_watch_settle(const struct counter_watch *w, const struct watched_list *list,
                                 struct watched *one)
{
    const int64_t long_us = counter_watch_long_window(w);
    const int64_t own_us = counter_watch_up_since(list, one->node_guid, one->port);
    const int64_t peer_us = counter_watch_up_since(list, one->peer_guid, one->peer_port);
    const int64_t up_us = own_us > peer_us ? own_us : peer_us;
    one->settling = up_us > 0 && w->time.updated_us - up_us < long_us;
    const int64_t since_us = up_us == 0 || one->settling ? up_us : up_us + long_us;
    if (since_us <= one->since_us || counter_counts_downs(one->counter))
        return;
    one->since_us = since_us;
    if (since_us <= w->time.updated_us - w->time.elapsed_us)
        return;
    if (one->settling || !counter_windows_are_empty(&one->windows))
        one->held_until_us = since_us + long_us;
    one->windows = (struct counter_windows){0};
}

static void counter_watch_raise(struct counter_watch *w, int kind, struct watched *one)
{
    static const enum error_level LEVELS[][2] = {{ERROR_LEVEL_ERROR, ERROR_LEVEL_ERROR},
                                                 {ERROR_LEVEL_WARNING, ERROR_LEVEL_WARNING}};
    const uint64_t errors_min = ROWS[kind].of_link ? w->limits.errors_min : 0;
    struct counter_statement statement;
    const bool severe = counter_watch_judge(w, one, kind, LEVELS[0], 1, errors_min, &statement);
    if (!severe && !counter_watch_judge(w, one, kind, LEVELS[1], 1, errors_min, &statement))
        return;
    if (one->alarm && (one->severe || !severe))
        return;
    const struct watched *peer = counter_watch_peer_alarm(&w->lists[kind], one);
    one->alarm = statement.raised = true;
    one->severe = statement.severe = severe;
    if (!peer || (severe && !peer->severe))
        counter_watch_state(w, &statement);
}

static void counter_watch_clear(struct counter_watch *w, int kind, struct watched *one)
{
    const struct counter_watch_limits *limits = &w->limits;
    const double part = ROWS[kind].of_link       ? limits->clear_percent / 100.0
                        : limits->wait_raise > 0 ? limits->wait_clear / limits->wait_raise
                                                 : 0;
    static const enum error_level LEVELS[] = {ERROR_LEVEL_WARNING, ERROR_LEVEL_ERROR};
    struct counter_statement statement;
    const bool held = one->full || w->time.updated_us < one->held_until_us;
    if (!one->alarm ||
        (held && counter_rates_have_own_limit(&w->limits, ROWS[kind].of_link, one)) ||
        counter_watch_judge(w, one, kind, LEVELS, part, 0, &statement))
        return;
    one->alarm = one->severe = false;
    if (!counter_watch_peer_alarm(&w->lists[kind], one))
        counter_watch_state(w, &statement);
}

static bool counter_watch_is_quiet(const struct counter_watch *w, const struct watched *one,
                                   int kind)
{
    const bool settles = ROWS[kind].of_link && one->counter == COUNTER_LINK_DOWNED &&
                         one->since_us > 0 &&
                         w->time.updated_us - one->since_us < 2 * counter_watch_long_window(w);
    return !one->alarm && !settles && !(one->full && ROWS[kind].full_begins) &&
           counter_windows_are_empty(&one->windows);
}

// First raises the alarms over a limit, then clears the alarms below. So an alarm stays one alarm
// when the alarm passes from one end of a link to the other.
static void counter_watch_judge_list(struct counter_watch *w, int kind, const struct fabric *fabric)
{
    struct watched_list *list = &w->lists[kind];
    uint32_t node = 0;
    size_t kept = 0;
    for (size_t i = 0; i < list->count && ROWS[kind].of_link; i++) {
        struct watched *one = &list->all[i];
        const uint32_t port = counter_watch_place(fabric, &node, one->node_guid, one->port);
        counter_watch_find_neighbour(w, kind, fabric, port, one);
        counter_watch_find_rate(fabric, port, one);
        counter_watch_settle(w, list, one);
    }
    for (size_t i = 0; i < list->count && ROWS[kind].has_windows; i++)
        counter_watch_raise(w, kind, &list->all[i]);
    for (size_t i = 0; i < list->count && ROWS[kind].has_windows; i++)
        counter_watch_clear(w, kind, &list->all[i]);
    for (size_t i = 0; i < list->count; i++) {
        if (!counter_watch_is_quiet(w, &list->all[i], kind))
            list->all[kept++] = list->all[i];
    }
    watched_shrink(list, kept);
}

const struct counter_statement *counter_watch_update(struct counter_watch *watch,
                                                     const struct counter_watch_reading *reading,
                                                     size_t *count)
{
    struct counter_watch_round r = {
        .watch = watch, .reading = reading, .walk = {.accumulated = reading->before}};
    const int64_t before_us = watch->time.updated_us;
    assert(reading->now_us >= before_us);
    watch->statement_count = 0;
    watch->time.elapsed_us = before_us > 0 ? reading->now_us - before_us : 0;
    for (int k = 0; k < KINDS; k++)
        counter_watch_open(watch, &watch->lists[k], k, reading->now_us);
    watch->time.updated_us = reading->now_us;
    if (watch->time.began_us == 0)
        watch->time.began_us = reading->now_us;
    r.more = accumulated_next(&r.walk, &r.last);
    for (size_t i = 0; i < reading->reading->count; i++) {
        counter_watch_pass_until(&r, &reading->reading->samples[i]);
        counter_watch_take_sample(&r, &reading->reading->samples[i]);
    }
    counter_watch_pass_until(&r, NULL);
    for (int k = 0; k < KINDS; k++) {
        watched_sort(&watch->lists[k]);
        counter_watch_judge_list(watch, k, reading->fabric);
    }
    *count = watch->statement_count;
    return watch->statements;
}

// Measures.

size_t counter_watch_count(const struct counter_watch *watch, enum alarm_key_about about)
{
    return counter_watch_list(watch, about)->count;
}

struct counter_measure counter_watch_at(const struct counter_watch *watch,
                                        enum alarm_key_about about, size_t at)
{
    const struct watched *one = &counter_watch_list(watch, about)->all[at];
    const double bits = fabric_bits_per_second(one->width, one->speed);
    struct counter_measure out = {.node_guid = one->node_guid,
                                  .port = one->port,
                                  .counter = (enum counter)one->counter,
                                  .unknown = one->full};
    for (enum error_window w = 0; w < ERROR_WINDOWS && watch->time.updated_us > 0; w++) {
        if (about == ALARM_ABOUT_WAIT) {
            out.per_second[w] = counter_rates_wait_share(&watch->time, one, w);
            continue;
        }
        out.per_second[w] = (double)counter_windows_sum(&one->windows, w) * (double)CLOCK_US_PER_S /
                            (double)counter_rates_covered(&watch->time, one, true, w);
        out.per_bit[w] = bits > 0 ? out.per_second[w] / bits : 0;
    }
    return out;
}

uint64_t counter_watch_errors(const struct counter_watch *watch, uint64_t node_guid, uint8_t port,
                              enum counter counter, enum error_window window)
{
    const struct watched *one =
        watched_find(counter_watch_list(watch, ALARM_ABOUT_ERRORS), node_guid, port, counter);
    return one ? counter_windows_sum(&one->windows, window) : 0;
}

uint64_t counter_watch_overflowed(const struct counter_watch *watch, enum alarm_key_about about)
{
    return counter_watch_list(watch, about)->overflowed;
}
