// SPDX-License-Identifier: BSD-2-Clause
// Reads the metrics from the running parts of the gateway.
#ifndef IBTRAPD_METRICS_METRICS_PARTS_H
#define IBTRAPD_METRICS_METRICS_PARTS_H

#include "health/parts.h"
#include "metrics/metrics_server.h"

// A metrics_judge (metrics/metrics_server.h) with the same context.
bool metrics_parts_judge(void *ctx, bool ready, char *out, size_t size);

// The source of the metrics server, whose context is a struct parts. The first piece has
// the metrics of the gateway, as they are when the scrape begins; those of the ports follow, of the
// snapshot and the counters of that time, if the configuration asks for them.
extern const struct metrics_source METRICS_PARTS_SOURCE;

#endif
