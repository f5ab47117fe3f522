// SPDX-License-Identifier: BSD-2-Clause
// Measures what a counter reading costs after it has arrived, by the number of hosts: adding the
// reading to the accumulated counters, and watching the counters. The cost of watching differs
// between a healthy fabric, a sick fabric, a fabric with waiting ports only, and a fabric with
// errors at each port. Measures processor time: other work on the machine changes little. Usage:
// bench-reading [RUNS]
#include "generated.h"

#include "topology/counter_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS_DEFAULT = 15, RUNS_MAX = 1000, HALF = 18, WARM_UP = 30 };

static const int64_t MINUTE = INT64_C(60) * 1000000;
static const uint32_t HOSTS[] = {500, 1900, 8000, 32000};

// Of 1,000 ports, so many count errors in each reading.
static const unsigned SICK[] = {0, 10, 0, 1000};

enum step { SUMS, WATCH_HEALTHY, WATCH_SICK, WATCH_BUSY, WATCH_ALL, STEPS };
static const char *const NAMES[STEPS] = {"sums", "healthy", "1% sick", "all wait", "all sick"};

struct bench {
    struct fabric *fabric;
    struct counter_reading *reading;
    struct accumulated_counters *accumulated;
    struct counter_watch *watch;
    int64_t now_us;
};

static void *demand(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

// Every linked port has a sample, in the order of node and port.
static void make_reading(struct bench *b)
{
    const struct fabric *fabric = b->fabric;
    b->reading =
        demand(calloc(1, sizeof *b->reading + fabric->port_count * sizeof b->reading->samples[0]));
    for (uint32_t n = 0; n < fabric->node_count; n++) {
        const struct fabric_node *node = &fabric->nodes[n];
        for (uint32_t p = node->first_port; p < node->first_port + node->ports; p++) {
            if (fabric->ports[p].peer_node == FABRIC_NONE)
                continue;
            struct counter_sample *sample = &b->reading->samples[b->reading->count++];
            sample->node_guid = node->guid;
            sample->port = fabric->ports[p].number;
            sample->wide = true;
        }
    }
}

static struct bench make_bench(uint32_t hosts)
{
    struct counter_watch_limits limits = {.window_us = {12 * MINUTE, 125 * MINUTE},
                                          .errors_min = 5,
                                          .clear_percent = 50,
                                          .wait_raise = 0.5,
                                          .growth[COUNTER_LINK_DOWNED] = 2};
    struct generated g = {0};
    struct bench b = {.now_us = 1000 * MINUTE};
    for (enum counter c = 0; c < COUNTER_ERRORS; c++)
        limits.per_hour[c][ERROR_WINDOW_SHORT] = limits.per_hour[c][ERROR_WINDOW_LONG] = 1e6;
    memset(limits.per_hour[COUNTER_XMIT_WAIT], 0, sizeof limits.per_hour[0]); // it counts no errors
    generated_fat_tree(&g, hosts, HALF);
    b.fabric = demand(generated_look(&g, 0));
    generated_clear(&g);
    b.watch = counter_watch_new(&limits);
    make_reading(&b);
    return b;
}

static void free_bench(struct bench *b)
{
    counter_watch_free(b->watch);
    accumulated_unref(b->accumulated);
    free(b->reading);
    fabric_unref(b->fabric);
}

// A minute passes: traffic everywhere, errors at some ports.
static void count(struct bench *b, unsigned sick, bool busy)
{
    b->now_us += MINUTE;
    b->reading->time_us = b->now_us;
    for (size_t i = 0; i < b->reading->count; i++) {
        struct counter_sample *sample = &b->reading->samples[i];
        for (int c = COUNTER_XMIT_DATA; c < COUNTER_COUNT; c++)
            sample->values[c] += 1000000007u + i;
        if (busy)
            sample->values[COUNTER_XMIT_WAIT] += 100000 + i;
        if (i * 7919 % 1000 < sick)
            sample->values[COUNTER_SYMBOL_ERROR]++;
    }
}

static void add_reading(struct bench *b)
{
    struct accumulated_counters *sums = demand(accumulated_with(b->accumulated, b->reading));
    accumulated_unref(b->accumulated);
    b->accumulated = sums;
}

static void run_step(struct bench *b, enum step step)
{
    const struct counter_watch_reading one = {b->accumulated, b->reading, b->fabric, b->now_us};
    size_t count;
    if (step == SUMS)
        accumulated_unref(accumulated_with(b->accumulated, b->reading));
    else
        counter_watch_update(b->watch, &one, &count);
}

static int compare_times(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double processor_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// The median, in milliseconds.
static double measure_step(struct bench *b, enum step step, unsigned runs)
{
    const unsigned sick = step >= WATCH_HEALTHY ? SICK[step - WATCH_HEALTHY] : SICK[1];
    double times[RUNS_MAX];
    for (unsigned i = 0; i < WARM_UP + runs; i++) {
        count(b, sick, step == WATCH_BUSY);
        const double begin = processor_ms();
        run_step(b, step);
        if (i >= WARM_UP)
            times[i - WARM_UP] = processor_ms() - begin;
        add_reading(b);
    }
    qsort(times, runs, sizeof *times, compare_times);
    return times[runs / 2];
}

int main(int argc, char **argv)
{
    unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : RUNS_DEFAULT;
    if (runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: %s [RUNS]\n", argv[0]);
        return 2;
    }
    printf("medians of %u runs, in milliseconds of a processor\n%6s %7s", runs, "hosts", "ports");
    for (enum step step = 0; step < STEPS; step++)
        printf(" %11s", NAMES[step]);
    printf(" %11s\n", "with/without");
    for (size_t i = 0; i < sizeof HOSTS / sizeof *HOSTS; i++) {
        struct bench b = make_bench(HOSTS[i]);
        double ms[STEPS];
        printf("%6u %7zu", HOSTS[i], b.reading->count);
        for (enum step step = 0; step < STEPS; step++) {
            ms[step] = measure_step(&b, step, runs);
            printf(" %11.2f", ms[step]);
        }
        printf(" %11.2f\n", (ms[SUMS] + ms[WATCH_SICK]) / ms[SUMS]);
        free_bench(&b);
    }
    return 0;
}
