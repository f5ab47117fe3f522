// SPDX-License-Identifier: BSD-2-Clause
// The metrics for receivers that post them. The main loop makes the metrics, as for a scrape.
#pragma once

#include "daemon/gateway.h"

enum { METRICS_SOURCE_MAX = 4 << 20 }; // octets; the ports beyond are left out

// Fills in the functions of `g->alarms`. The loop is there. NULL with a sentence.
struct metrics_source *metrics_source_new(struct gateway *g, struct error *err);
void metrics_source_free(struct metrics_source *source); // NULL is allowed; after the receivers
