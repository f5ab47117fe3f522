// How long a look at the fabric takes: the gateway's sweep, or a bare discovery with libibnetdisc,
// from the port that libibumad opens. Prints JSON. tests/bench/sweep.py runs it on simulated
// fabrics.
#include "ib/sweep.h"
#include "base/clock.h"
#include "ib/umad.h"

#include <infiniband/ibnetdisc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 1000, TIMEOUT_MS = 1000, ATTEMPTS = 3 };

struct found {
    uint32_t nodes, links;
    uint64_t mads;
};

static struct error err;

static void must(bool ok)
{
    if (ok)
        return;
    fprintf(stderr, "bench-sweep: %s\n", err.text);
    exit(EXIT_FAILURE);
}

// The gateway's.

static struct mad_io io;

static void open_port(void)
{
    static struct umad_choice choice = {.device = ""};
    struct mad_port_id id;
    const struct mad_opener opener = umad_opener(&choice);
    must(opener.open(opener.ctx, &io, &id, &err));
}

static struct found look_with_sweep(unsigned in_flight)
{
    struct sweep sweep = {.batch = {.io = io,
                                    .in_flight = in_flight,
                                    .attempts = ATTEMPTS,
                                    .timeout_us = TIMEOUT_MS * CLOCK_US_PER_MS,
                                    .clock = &clock_system},
                          .random = &random_system,
                          .complete = true};
    struct fabric_builder *builder = fabric_builder_new();
    must(builder && sweep_smp(&sweep, builder, &err));
    must(sweep.complete || error_set(&err, "the sweep is not complete"));
    struct fabric *fabric = fabric_builder_finish(builder, 0, 0, true);
    must(fabric || error_set(&err, "out of memory"));
    const struct found found = {fabric->node_count, fabric_count_links(fabric),
                                sweep.counters.sent};
    fabric_release(fabric);
    return found;
}

// libibnetdisc's. It does not tell how many MADs it sent.

static void count_node(ibnd_node_t *node, void *ctx)
{
    struct found *found = ctx;
    found->nodes++;
    for (int i = 1; i <= node->numports; i++)
        found->links += node->ports[i] && node->ports[i]->remoteport;
}

static struct found look_with_library(unsigned in_flight)
{
    struct ibnd_config config = {
        .max_smps = in_flight, .timeout_ms = TIMEOUT_MS, .retries = ATTEMPTS - 1};
    ibnd_fabric_t *fabric = ibnd_discover_fabric(NULL, 0, NULL, &config);
    struct found found = {0};
    must(fabric || error_set(&err, "libibnetdisc failed"));
    ibnd_iter_nodes(fabric, count_node, &found);
    ibnd_destroy_fabric(fabric);
    found.links /= 2;
    return found;
}

static int compare_times(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double ms(int64_t us)
{
    return (double)us / CLOCK_US_PER_MS;
}

int main(int argc, char **argv)
{
    unsigned in_flight = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    unsigned runs = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    bool own = argc == 4 && strcmp(argv[1], "ibtrapd") == 0;
    if (in_flight < 1 || in_flight > BATCH_IN_FLIGHT_MAX || runs < 1 || runs > RUNS_MAX ||
        (!own && strcmp(argv[1], "libibnetdisc") != 0)) {
        fprintf(stderr, "usage: %s ibtrapd|libibnetdisc IN_FLIGHT RUNS\n", argv[0]);
        return 2;
    }
    int64_t times[RUNS_MAX];
    struct found found = {0};
    if (own)
        open_port();
    for (unsigned i = 0; i < runs; i++) {
        int64_t start = clock_monotonic(&clock_system);
        found = own ? look_with_sweep(in_flight) : look_with_library(in_flight);
        times[i] = clock_monotonic(&clock_system) - start;
    }
    qsort(times, runs, sizeof *times, compare_times);
    printf("{\"by\": \"%s\", \"inFlight\": %u, \"runs\": %u, \"nodes\": %u, \"links\": %u, "
           "\"mads\": %llu, \"minMs\": %.3f, \"medianMs\": %.3f, \"maxMs\": %.3f}\n",
           argv[1], in_flight, runs, found.nodes, found.links, (unsigned long long)found.mads,
           ms(times[0]), ms(times[runs / 2]), ms(times[runs - 1]));
    if (own)
        io.close(io.self);
    return 0;
}
