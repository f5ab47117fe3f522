// SPDX-License-Identifier: BSD-2-Clause
// Writes the metrics of the gateway in the text format of Prometheus, version 0.0.4. Pure.
// Decides: Which numbers of the gateway does a scrape give?
#pragma once

#include "base/histogram.h"
#include "health/health.h"
#include "ib/reads.h"
#include "ib/sweeper.h"
#include "pipeline/emitter.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"

// The use of the system by this process. -1: the kernel did not tell the number.
struct process_use {
    int64_t cpu_us;                         // of all threads since the start, in both modes
    int64_t resident_bytes, virtual_bytes;  // memory
    int64_t descriptors, descriptors_limit; // open now; as many as may be open
};

struct metrics_receiver {
    const char *name, *kind;
    struct receiver_status status;
    const struct histogram *times; // from event to writing, as receiver_times
};

struct metrics_alarm {
    const struct alarm *alarm;
    char node[NAMES_NAME_SIZE]; // the node's name; empty: not in the fabric now
};

struct metrics {
    const char *release;
    const char *fabric;         // its name
    int64_t now_us, started_us; // UTC
    int64_t uptime_us;
    struct process_use process;
    bool active; // this gateway notifies receivers
    struct sa_status agent;
    struct pipeline_counters pipeline;
    const struct event_counts *events;
    struct journal_status journal;
    struct alarm_counts alarms;
    const struct metrics_alarm *named; // the worst open ones of them
    size_t named_count;
    enum health_state verdicts[HEALTH_VERDICTS];
    const struct maintenance *windows; // some may have ended
    const struct histogram *commits;
    const struct sweeper_status *sweep; // NULL: there is no sweeper
    const struct reads_counters *reads; // on demand; NULL: there are none
    const struct metrics_receiver *receivers;
    size_t receiver_count;
};

void metrics_write(FILE *out, const struct metrics *metrics);
