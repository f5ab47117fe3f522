// SPDX-License-Identifier: BSD-2-Clause
// Translates the status of the gateway's parts into rows of the IBTRAPD-MIB. This is not part of
// agent/, which knows neither the SA client nor the receivers nor the configuration.
#ifndef IBTRAPD_DAEMON_SUBAGENT_SOURCE_H
#define IBTRAPD_DAEMON_SUBAGENT_SOURCE_H

#include "agent/snapshot.h"
#include "conf/conf.h"
#include "ib/sa_client.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"

// Each function adds rows to `out` or fills its part of it. Any thread.
void subagent_source_subscriptions(const struct sa_status *status, struct snapshot_gateway *out);
void subagent_source_flow(const struct sa_status *status, struct pipeline *pipeline,
                          struct journal *journal, int64_t started_at,
                          struct snapshot_gateway *out);

// Adds one row. `standby`: another gateway serves the receivers now. False: there is no room.
bool subagent_source_receiver(const struct conf_receiver *conf, struct receiver *receiver,
                              bool standby, struct snapshot_gateway *out);

// Sorts the receivers as their index does: by length, then by name.
void subagent_source_sort(struct snapshot_gateway *out);

#endif
