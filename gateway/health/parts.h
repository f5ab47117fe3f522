// SPDX-License-Identifier: BSD-2-Clause
// The parts of the running gateway, for its readers: the control socket, the metrics, the page and
// the verdict. The daemon owns the struct, and passes a pointer to the struct.
// Decides: Which threads may read a part of the running gateway?
#pragma once

#include "conf/conf.h"
#include "health/health.h"
#include "pipeline/pipeline.h"
#include "topology/topology.h"

struct agent;
struct reads;
struct devices;
struct link_history;

// The last reload, if the gateway refused the reload.
struct reload_refusal {
    int64_t time_us; // UTC; 0: the last reload was accepted, or there was none
    struct error reason;
};

// Any thread may read the members up to `sweeper`. The main thread alone reads and exchanges the
// members behind `sweeper`.
struct parts {
    struct log *log;
    char gateway_name[CONF_GATEWAY_NAME_SIZE], fabric_name[EVENT_FABRIC_SIZE];
    int64_t started_at;     // monotonic
    int64_t started_utc_us; // the same moment by the clock of that time
    struct topology *topology;
    struct journal *journal;
    struct link_history *link_history;
    struct devices *devices;
    struct pipeline *pipeline;
    struct sa_client *client;
    struct sweeper *_Atomic sweeper; // NULL until the start has made the sweeper

    const struct conf *conf;
    struct receiver *const *receivers;
    size_t receiver_count;
    struct agent *subagent;     // NULL: there is none
    struct agent *fabric_agent; // for the fabric as one device alone; NULL: there is none
    struct reads *demand;       // reads on demand of `subagent`; NULL: there are none
    struct reload_refusal refusal;
};

// The maintenance windows, some of which may have ended. Any thread.
void parts_windows(const struct parts *parts, struct maintenance *out);

// Makes the verdicts on the gateway and on the fabric. Main thread.
void parts_judge(const struct parts *parts, struct health *out);
