// SPDX-License-Identifier: BSD-2-Clause
// Reads the verdict from the running parts of the gateway.
#ifndef IBTRAPD_HEALTH_HEALTH_PARTS_H
#define IBTRAPD_HEALTH_HEALTH_PARTS_H

#include "conf/conf.h"
#include "health/health.h"
#include "pipeline/pipeline.h"

// The parts that the verdict is read from; they outlive the call.
struct health_parts {
    const struct conf *conf;
    int64_t started_at; // monotonic
    struct journal *journal;
    struct pipeline *pipeline;
    struct sa_client *client;
    struct sweeper *sweeper;
    struct receiver *const *receivers;
    size_t receiver_count;
    bool reload_refused;
};

// Main thread. False: out of memory.
bool health_parts_read(const struct health_parts *parts, struct health *out);

#endif
