// What the gateway's parts tell of themselves, as the tables of the IBTRAPD-MIB have it.
#ifndef IBTRAPD_DAEMON_TABLE_SOURCES_H
#define IBTRAPD_DAEMON_TABLE_SOURCES_H

#include "agent/view.h"
#include "conf/conf.h"
#include "ib/sa_agent.h"
#include "pipeline/pipeline.h"
#include "sink/delivery.h"

// Each adds to `out` or fills its part. Any thread, as long as what they get lives.
void table_sources_subscriptions(const struct sa_status *status, struct view_gateway *out);
void table_sources_flow(const struct sa_status *status, struct pipeline *pipeline,
                        struct journal *journal, int64_t started_at, struct view_gateway *out);

// One row. False: there is no room. `standby`: another gateway tells the receivers now.
bool table_sources_receiver(const struct conf_receiver *conf, struct delivery *delivery,
                            bool standby, struct view_gateway *out);

// Sorts the receivers as their index does: by length, then by name.
void table_sources_sort(struct view_gateway *out);

#endif
