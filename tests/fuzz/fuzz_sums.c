// SPDX-License-Identifier: BSD-2-Clause
// Readings of counters that grow, fall, are full, change their size, and ports that are missing for
// hours or days. The sums, and the counters that reach a threshold or fall below, agree with an
// oracle. The input is a list of readings: an octet for the time between two readings and an octet
// for the answering ports; for each answering port an octet for its sizes, an octet for the read
// registers, and the changed counters.
#include "fuzz.h"
#include "input.h"

#include "base/clock.h"
#include "topology/accumulated.h"
#include "topology/counter_watch.h"

enum { PORTS = 4, READINGS_MAX = 60, CHANGES_MAX = 5 };

struct oracle_port {
    bool known, extended, wide, no_wait;
    uint8_t sources;
    int64_t missing_since;
    uint64_t last[COUNTER_COUNT], sums[COUNTER_COUNT];
    bool reached[COUNTER_ERRORS], waits[COUNTER_ERRORS]; // waits: for the report of its change
};

static struct oracle_port ports[PORTS];
static struct counter_watch_limits limits = {
    .window_us = {INT64_C(720) * 1000000, INT64_C(7500) * 1000000}};
static struct counter_watch *watch;
static int64_t now_us;
static struct accumulated_counters *sums;
static int64_t now;

static uint64_t guid_of(size_t port)
{
    return 0x10 + port / 2;
}

static uint8_t number_of(size_t port)
{
    return (uint8_t)(port % 2 * 200 + 1);
}

// Those of traps 129 and 130 are reported each time and never cleared.
static bool is_trap(enum counter c)
{
    return c == COUNTER_LOCAL_LINK_INTEGRITY_ERRORS || c == COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS;
}

// The register of a counter, or the attribute of those of the error correction, and so its size; 0:
// all ports have it.
static uint8_t source_of(enum counter c)
{
    switch (c) {
    case COUNTER_FEC_CORRECTED:
    case COUNTER_FEC_UNCORRECTABLE:
        return COUNTER_OF_FEC;
    case COUNTER_EFFECTIVE_ERRORS:
        return COUNTER_OF_PHYSICAL;
    case COUNTER_FEC_NEAR_LIMIT:
        return COUNTER_OF_HISTOGRAM;
    case COUNTER_RECOVERIES:
    case COUNTER_UNINTENDED_DOWNS:
        return COUNTER_OF_RECOVERY;
    default:
        return 0;
    }
}

// Reading the input.

static uint64_t next_value(struct input *in, uint64_t how, enum counter c, uint64_t last)
{
    switch (how % 6) {
    case 0:
        return last + input_number(in, 1);
    case 1:
        return last + input_number(in, 4);
    case 2:
        return counter_limit(c);
    case 3:
        return input_number(in, 8);
    case 4:
        return 0;
    default:
        return last - 1;
    }
}

static void read_sample(struct input *in, size_t port, struct counter_sample *out)
{
    const uint64_t how = input_number(in, 1);
    *out = (struct counter_sample){.node_guid = guid_of(port),
                                   .port = number_of(port),
                                   .extended = how & 1,
                                   .wide = how & 2,
                                   .no_wait = how & 0x80,
                                   .sources = (input_number(in, 1) & 7) |
                                              (how & 0x40 ? COUNTER_OF_FEC : 0)};
    memcpy(out->values, ports[port].last, sizeof out->values);
    for (uint64_t n = (how >> 2) % CHANGES_MAX; n > 0; n--) {
        const uint64_t what = input_number(in, 1);
        const enum counter c = (enum counter)(what % COUNTER_COUNT);
        out->values[c] = next_value(in, what / COUNTER_COUNT, c, out->values[c]);
    }
    if (out->no_wait)
        out->values[COUNTER_XMIT_WAIT] = 0;
    for (enum counter c = 0; c < COUNTER_COUNT; c++) {
        if (source_of(c) & ~out->sources)
            out->values[c] = 0;
    }
}

static struct counter_reading *read_reading(struct input *in)
{
    static const int64_t PAUSES_H[] = {0, 1, 5, 23, 24, 25, 100, 1};
    struct counter_reading *reading = calloc(1, sizeof *reading + PORTS * sizeof *reading->samples);
    REQUIRE(reading);
    now += 1 + PAUSES_H[input_number(in, 1) % 8] * 3600 * CLOCK_US_PER_S;
    reading->time_us = now;
    const uint64_t which = input_number(in, 1);
    for (size_t i = 0; i < PORTS; i++) {
        if (which >> i & 1)
            read_sample(in, i, &reading->samples[reading->count++]);
    }
    return reading;
}

// The oracle.

// Whether a counter was read with its size.
static bool is_same_size(const struct oracle_port *p, const struct counter_sample *s,
                         enum counter c)
{
    if (source_of(c))
        return ((p->sources ^ s->sources) & source_of(c)) == 0;
    if (c == COUNTER_XMIT_WAIT && p->no_wait != s->no_wait)
        return false;
    return c < COUNTER_ERRORS ? p->extended == s->extended : p->wide == s->wide;
}

static void expect_threshold(struct oracle_port *p, const struct counter_sample *s, enum counter c,
                             uint64_t growth)
{
    const bool is_short = !s->extended || source_of(c);
    const bool full = is_short && growth == 0 && s->values[c] >= counter_limit(c);
    const bool over = limits.growth[c] != 0 && growth >= limits.growth[c];
    if (full && limits.growth[c] != 0)
        return;
    p->waits[c] = is_trap(c) ? over : over != p->reached[c];
    p->reached[c] = over && !is_trap(c);
}

static void expect_sample(struct oracle_port *p, const struct counter_sample *s)
{
    for (enum counter c = 0; c < COUNTER_COUNT; c++) {
        const uint64_t value = s->values[c], last = p->last[c];
        const uint64_t growth = value < last ? value : value - last;
        const bool counts = p->known && is_same_size(p, s, c);
        if (!p->known)
            p->sums[c] = value;
        else if (counts)
            p->sums[c] += growth;
        if (counts && c < COUNTER_ERRORS)
            expect_threshold(p, s, c, growth);
        p->last[c] = value;
    }
    p->known = true;
    p->missing_since = 0;
    p->extended = s->extended;
    p->wide = s->wide;
    p->no_wait = s->no_wait;
    p->sources = s->sources;
}

static void expect_missing(struct oracle_port *p)
{
    if (p->missing_since == 0)
        p->missing_since = now;
    if (!p->known || now - p->missing_since < ACCUMULATED_KEEP_US)
        return;
    memcpy(p->waits, p->reached, sizeof p->waits);
    memset(p->reached, 0, sizeof p->reached);
    memset(p->last, 0, sizeof p->last);
    p->known = false;
}

static void expect_reading(const struct counter_reading *reading)
{
    size_t next = 0;
    for (size_t i = 0; i < PORTS; i++) {
        const struct counter_sample *s = &reading->samples[next];
        if (next < reading->count && s->node_guid == guid_of(i) && s->port == number_of(i)) {
            expect_sample(&ports[i], s);
            next++;
        } else {
            expect_missing(&ports[i]);
        }
    }
}

// The promises.

static void take_change(size_t *last, const struct counter_statement *change)
{
    const enum counter c = change->key.counter;
    size_t i = 0;
    if (change->key.about != ALARM_ABOUT_GROWTH)
        return;
    while (i < PORTS && (guid_of(i) != change->key.guid || number_of(i) != change->key.port))
        i++;
    REQUIRE(i < PORTS && c < COUNTER_ERRORS);
    const size_t place = i * COUNTER_ERRORS + c;
    REQUIRE(*last == SIZE_MAX || place > *last); // in order
    *last = place;
    REQUIRE(ports[i].waits[c]);
    REQUIRE(change->raised == (is_trap(c) || ports[i].reached[c]));
    ports[i].waits[c] = false;
}

static void check_sums(void)
{
    struct accumulated_walk walk = {.accumulated = sums};
    struct counter_sample sample;
    uint64_t values[COUNTER_COUNT];
    for (size_t i = 0; i < PORTS; i++) {
        const struct oracle_port *p = &ports[i];
        const bool found = accumulated_find(sums, guid_of(i), number_of(i), values);
        REQUIRE(found == p->known);
        if (!found)
            continue;
        REQUIRE(memcmp(values, p->sums, sizeof values) == 0);
        REQUIRE(accumulated_next(&walk, &sample));
        REQUIRE(sample.node_guid == guid_of(i) && sample.port == number_of(i));
        REQUIRE(sample.extended == p->extended && sample.wide == p->wide);
        REQUIRE(sample.sources == p->sources);
        REQUIRE(memcmp(sample.values, p->last, sizeof sample.values) == 0);
    }
    REQUIRE(!accumulated_next(&walk, &sample));
}

static void check_reports(void)
{
    for (size_t i = 0; i < PORTS; i++) {
        for (enum counter c = 0; c < COUNTER_ERRORS; c++)
            REQUIRE(!ports[i].waits[c]);
    }
}

static void add_reading(struct input *in)
{
    struct counter_reading *reading = read_reading(in);
    size_t last = SIZE_MAX;
    expect_reading(reading);
    const struct counter_watch_reading one = {
        .before = sums, .reading = reading, .now_us = now_us += 60 * INT64_C(1000000)};
    size_t count;
    const struct counter_statement *all = counter_watch_update(watch, &one, &count);
    for (size_t i = 0; i < count; i++)
        take_change(&last, &all[i]);
    struct accumulated_counters *next = accumulated_with(sums, reading);
    REQUIRE(next);
    accumulated_unref(sums);
    sums = next;
    check_reports();
    check_sums();
    free(reading);
}

static void choose_limits(struct input *in)
{
    static const uint64_t LIMITS[] = {0, 1, 10, 255};
    const uint64_t how = input_number(in, 1);
    for (enum counter c = 0; c < COUNTER_ERRORS; c++)
        limits.growth[c] = LIMITS[(how + c) % 4];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    memset(ports, 0, sizeof ports);
    now = CLOCK_US_PER_S;
    sums = NULL;
    choose_limits(&in);
    watch = counter_watch_new(&limits);
    now_us = 0;
    for (unsigned n = 0; input_left(&in) > 0 && n < READINGS_MAX; n++) {
        if (n % 16 == 15) {
            choose_limits(&in);
            counter_watch_change(watch, &limits);
        }
        add_reading(&in);
    }
    accumulated_unref(sums);
    counter_watch_free(watch);
    return 0;
}
