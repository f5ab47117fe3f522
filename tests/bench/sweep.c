// SPDX-License-Identifier: BSD-2-Clause
// Measures how long a sweep takes from the port that libibumad opens: the gateway's sweep, through
// the SA client as in the daemon or with a port of its own, or a bare discovery with libibnetdisc.
// Prints JSON. tests/bench/sweep.py runs it on simulated fabrics.
#include "ib/sweep.h"
#include "base/clock.h"
#include "ib/sa_client.h"
#include "ib/umad.h"
#include "model/fabric_builder.h"

#include <infiniband/ibnetdisc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_MS = 1000, ATTEMPTS = 3 };

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

// The gateway's sweep.

static struct umad_choice choice = {.device = ""};
static struct mad_io io;
static struct sa_client *client;

static void open_port(void)
{
    struct mad_port_id id;
    const struct mad_opener opener = umad_opener(&choice);
    must(opener.open(opener.ctx, &io, &id, &err));
}

static bool refuse_report(void *ctx, struct sa_report *report)
{
    (void)ctx, (void)report;
    return false;
}

static void ignore_change(void *ctx, enum sa_change change, uint64_t subnet_prefix,
                          const char *reason)
{
    (void)ctx, (void)change, (void)subnet_prefix, (void)reason;
}

// The sweep needs no subnet manager for that.
static void open_share(void)
{
    const struct sa_options options = {.verify_us = CLOCK_US_PER_S,
                                       .refresh_us = CLOCK_US_PER_S,
                                       .opener = umad_opener(&choice),
                                       .listener = {refuse_report, ignore_change, NULL},
                                       .clock = &clock_system,
                                       .random = &random_system,
                                       .log =
                                           log_open(stderr, LOG_LEVEL_ERROR, false, &clock_system)};
    client = sa_client_new(&options);
    must(sa_client_start(client, &err));
    struct sa_status status = {0};
    while (!status.open)
        sa_client_status(client, &status);
    must(sa_client_attach(client, MAD_USER_SWEEPER, &io, &err));
}

static void close_share(void)
{
    io.close(io.self);
    sa_client_stop(client);
    sa_client_free(client);
}

static struct found look_with_sweep(unsigned in_flight)
{
    struct sweep sweep = {.requests = {.io = io,
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
    fabric_unref(fabric);
    return found;
}

// libibnetdisc's discovery. libibnetdisc does not report the number of its MADs.

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

int main(int argc, char **argv)
{
    unsigned in_flight = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    unsigned runs = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    bool shared = argc == 4 && strcmp(argv[1], "ibtrapd") == 0;
    bool own = argc == 4 && strcmp(argv[1], "ibtrapd-alone") == 0;
    bool library = argc == 4 && strcmp(argv[1], "libibnetdisc") == 0;
    if (in_flight < 1 || in_flight > REQUESTS_IN_FLIGHT_MAX || runs < 1 ||
        shared + own + library != 1) {
        fprintf(stderr, "usage: %s ibtrapd|ibtrapd-alone|libibnetdisc IN_FLIGHT RUNS\n", argv[0]);
        return 2;
    }
    if (shared)
        open_share();
    if (own)
        open_port();
    struct found found = {0};
    printf("{\"timesMs\": [");
    for (unsigned i = 0; i < runs; i++) {
        int64_t start = clock_monotonic(&clock_system);
        found = library ? look_with_library(in_flight) : look_with_sweep(in_flight);
        int64_t us = clock_monotonic(&clock_system) - start;
        printf("%s%.3f", i ? ", " : "", (double)us / CLOCK_US_PER_MS);
    }
    printf("], \"nodes\": %u, \"links\": %u, \"mads\": %llu}\n", found.nodes, found.links,
           (unsigned long long)found.mads);
    if (shared)
        close_share();
    if (own)
        io.close(io.self);
    return 0;
}
