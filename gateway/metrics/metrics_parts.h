// SPDX-License-Identifier: BSD-2-Clause
// Reads the metrics from the running parts of the gateway.
#ifndef IBTRAPD_METRICS_METRICS_PARTS_H
#define IBTRAPD_METRICS_METRICS_PARTS_H

#include "conf/conf.h"
#include "ib/sweeper.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"

// The parts from which the metrics are read. They outlive the metrics server; a reload replaces all
// members.
struct metrics_parts {
    const struct conf *conf;
    int64_t started_at;     // monotonic
    int64_t started_utc_us; // the same moment, as the clock was then
    struct journal *journal;
    struct pipeline *pipeline;
    struct sa_client *client;
    struct sweeper *sweeper; // NULL: there is none
    struct receiver *const *receivers;
    size_t receiver_count;
    const int64_t *refused_us; // UTC: when the last reload was refused; 0: it was not
};

// A metrics_judge (metrics/metrics_server.h) with the same context.
bool metrics_parts_judge(void *ctx, bool ready, char *out, size_t size);

// A metrics_renderer (metrics/metrics_server.h) whose context is a struct metrics_parts.
char *metrics_parts_render(void *ctx, size_t *size);

#endif
