// SPDX-License-Identifier: BSD-2-Clause
// Reads the metrics from the running parts of the gateway.
#ifndef IBTRAPD_WEB_SCRAPE_H
#define IBTRAPD_WEB_SCRAPE_H

#include "health/parts.h"
#include "web/web_server.h"

// A web_judge (web/web_server.h) with the same context.
bool scrape_judge(void *ctx, bool ready, char *out, size_t size);

// The source of the metrics server, whose context is a struct parts. The first piece has
// the metrics of the gateway, as they are when the scrape begins; those of the ports follow, of the
// snapshot and the counters of that time, if the configuration asks for them.
extern const struct web_source SCRAPE_SOURCE;

#endif
