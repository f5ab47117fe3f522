// SPDX-License-Identifier: BSD-2-Clause
// Restores the state of policy, thresholds and error rates at the gateway's end from the journal.
#ifndef IBTRAPD_PIPELINE_RESTORE_H
#define IBTRAPD_PIPELINE_RESTORE_H

#include "journal/journal.h"
#include "policy/policy.h"
#include "topology/error_rates.h"
#include "topology/thresholds.h"

// Restores maintenance windows and open alarms. Call it before the first event, or when the journal
// was read late: then it has the alarms of this run, too.
void restore_policy(struct journal *journal, struct policy *policy, const struct clock *clock);

// Restores the thresholds whose alarms are active. Call it when you call restore_policy.
void restore_thresholds(struct journal *journal, struct thresholds *thresholds);

// Restores the alarms of counters that grow too often. Call it before the first reading.
void restore_error_rates(struct journal *journal, struct error_rates *rates);
void restore_congestion(struct journal *journal, struct congestion *congestion);

#endif
