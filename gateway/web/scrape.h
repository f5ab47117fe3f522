// SPDX-License-Identifier: BSD-2-Clause
// Reads the metrics of a scrape from the running parts of the gateway.
#pragma once

#include "health/parts.h"
#include "web/web_server.h"

// The source of the metrics server; its context is a struct parts. The first piece has the metrics
// of the gateway at the beginning of the scrape. The metrics of the ports follow if the
// configuration asks for them, from the snapshot and the counters at the same moment.
extern const struct web_source SCRAPE_SOURCE;
