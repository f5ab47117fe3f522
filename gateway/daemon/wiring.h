// SPDX-License-Identifier: BSD-2-Clause
// The connections between the gateway's parts. A part does not know its users: a part calls
// functions back. This file has these functions, with the gateway as context. This file also has
// the objects that both the start and a reload make from the configuration.
// Decides: Which part hears of a Report, a snapshot, a reading or a change of the journal?
#pragma once

#include "daemon/gateway.h"
#include "ib/sweeper.h"
#include "pipeline/pipeline.h"

// Makes an event about the gateway itself. `what` is the end of the key of its alarm
// (own_alarms.h), or NULL: the event is about no alarm. `lost` counts events. Does nothing before
// the pipeline runs.
void wiring_emit(struct gateway *g, enum catalogue_event type, const char *what, const char *reason,
                 uint64_t lost);

// From the SA client (ib/sa_client.h) to the pipeline.
bool wiring_on_report(void *ctx, struct sa_report *report);
void wiring_on_sa_change(void *ctx, enum sa_change change, uint64_t subnet_prefix,
                         const char *reason);

// From the journal (journal/journal.h) to the pipeline. Does nothing before the pipeline runs.
void wiring_on_journal_change(void *ctx, enum journal_change change, const char *reason,
                              uint64_t lost);

// From the pipeline (pipeline/pipeline.h) to the SA client, the sweeper and the configuration.
void wiring_acknowledge(void *ctx, const struct sa_report *report);
void wiring_request_sweep(void *ctx);
int64_t wiring_ask_reasons(void *ctx, const struct link_reasons *ports);
void wiring_read_counters(void *ctx, const uint64_t *switches, size_t count);
void wiring_on_late_read(void *ctx);
enum pipeline_role wiring_role(void *ctx, const struct fabric *fabric);

// The sweeper's options for this configuration; the pipeline hears of the sweeper. Make the SA
// client first.
struct sweeper_options wiring_sweeper_options(struct gateway *g, const struct conf *conf);

// Tells the log whether the configuration brings every event to journald. Then the log would only
// repeat the events.
void wiring_tell_log(struct gateway *gateway);

// Shows the configuration, the receivers and the subagents to the readers of `g->parts`. Call it
// again after a reload. Main thread.
void wiring_show_parts(struct gateway *g);
