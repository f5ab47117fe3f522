// What the gateway's parts tell of themselves, as the tables of the IBTRAPD-MIB have it.
#ifndef IBTRAPD_DAEMON_SUBAGENT_SOURCE_H
#define IBTRAPD_DAEMON_SUBAGENT_SOURCE_H

#include "agent/snapshot.h"
#include "conf/conf.h"
#include "ib/sa_client.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"

// Each adds to `out` or fills its part. Any thread, as long as what they get lives.
void subagent_source_subscriptions(const struct sa_status *status, struct snapshot_gateway *out);
void subagent_source_flow(const struct sa_status *status, struct pipeline *pipeline,
                          struct journal *journal, int64_t started_at,
                          struct snapshot_gateway *out);

// One row. False: there is no room. `standby`: another gateway tells the receivers now.
bool subagent_source_receiver(const struct conf_receiver *conf, struct receiver *receiver,
                              bool standby, struct snapshot_gateway *out);

// Sorts the receivers as their index does: by length, then by name.
void subagent_source_sort(struct snapshot_gateway *out);

#endif
