// SPDX-License-Identifier: BSD-2-Clause
// Reads the metrics from the running parts of the gateway.
#ifndef IBTRAPD_METRICS_METRICS_PARTS_H
#define IBTRAPD_METRICS_METRICS_PARTS_H

#include "conf/conf.h"
#include "ib/sweeper.h"
#include "metrics/metrics_server.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"
#include "topology/topology.h"

// The parts from which the metrics are read. They outlive the metrics server; a reload replaces all
// members.
struct metrics_parts {
    const struct conf *conf;
    int64_t started_at;     // monotonic
    int64_t started_utc_us; // the same moment, as the clock was then
    struct topology *topology;
    struct journal *journal;
    struct pipeline *pipeline;
    struct sa_client *client;
    struct sweeper *sweeper; // NULL: there is none
    struct demand *demand;   // the same
    struct receiver *const *receivers;
    size_t receiver_count;
    const int64_t *refused_us; // UTC: when the last reload was refused; 0: it was not
};

// A metrics_judge (metrics/metrics_server.h) with the same context.
bool metrics_parts_judge(void *ctx, bool ready, char *out, size_t size);

// The source of the metrics server, whose context is a struct metrics_parts. The first piece has
// the metrics of the gateway, as they are when the scrape begins; those of the ports follow, of the
// snapshot and the counters of that time, if the configuration asks for them.
extern const struct metrics_source METRICS_PARTS_SOURCE;

#endif
