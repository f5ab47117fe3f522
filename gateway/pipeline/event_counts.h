// SPDX-License-Identifier: BSD-2-Clause
// Counts events by kind and severity, and apart from them test events, which did not happen;
// suppressed events of both by reason. One thread adds, any thread reads.
#ifndef IBTRAPD_PIPELINE_EVENT_COUNTS_H
#define IBTRAPD_PIPELINE_EVENT_COUNTS_H

#include "model/catalogue.h"
#include "model/event.h"

#include <stdatomic.h>

enum {
    EVENT_COUNTS_SEVERITIES = SEVERITY_DEBUG + 1,
    EVENT_COUNTS_REASONS_MAX = 32, // the last one counts all reasons without a place of their own
};

struct event_counts_reason {
    char word[EVENT_SUPPRESSED_SIZE]; // as in event->suppressed
    atomic_uint_fast64_t count;
};

// Zero-initialised.
struct event_counts {
    atomic_uint_fast64_t events[CATALOGUE_COUNT][EVENT_COUNTS_SEVERITIES];
    atomic_uint_fast64_t tests; // test events of all kinds; `events` has none of them
    struct event_counts_reason reasons[EVENT_COUNTS_REASONS_MAX];
    atomic_size_t reason_count; // of reasons that occurred so far
};

void event_counts_add(struct event_counts *counts, const struct event *event);

#endif
