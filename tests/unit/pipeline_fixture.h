// SPDX-License-Identifier: BSD-2-Clause
// A pipeline and what a pipeline needs, in virtual time: journal, topology and log. For one thread.
#pragma once

#include "generated.h"
#include "support.h"

#include "pipeline/pipeline.h"
#include "topology/topology.h"

extern const char *directory;
extern struct support_time now;
extern struct clock clock_;
extern struct log *log_;
extern struct journal *journal;
extern struct topology *topology;
extern struct event_builder_lookup lookup;
extern struct pipeline *pipeline;

// Makes all but the pipeline. `log_stream`: as in support_log.
void parts_begin(FILE *log_stream);
void parts_end(void);

// As a restart of the gateway does; a new topology knows no fabric.
void reopen_journal(void);
void renew_topology(void);
void restore_topology(void); // a new topology knows the last fabric

// The options that name the parts.
struct pipeline_options parts_options(void);
void start_pipeline(const struct pipeline_options *options);
void stop_pipeline(void);

// Lets policy do the work that is due then, and commits all events.
void pass_time(int64_t us);

// Two switches of three ports in a pipeline that is active: ports 1 and 2 of the first one lead to
// ports 2 and 3 of the second one. `options`: as parts_options; pair_begin adds what is below.
enum { PAIR_LEFT = 0x10, PAIR_RIGHT = 0x20 };
extern struct generated pair;
void pair_begin(struct pipeline_options *options);
void pair_end(void);   // and the pipeline's and the parts' end
void pair_sweep(void); // a minute passes
