// What policy and thresholds knew when the gateway ended, from the journal.
#ifndef IBTRAPD_PIPELINE_RECALL_H
#define IBTRAPD_PIPELINE_RECALL_H

#include "journal/journal.h"
#include "policy/policy.h"
#include "topology/thresholds.h"

// Maintenance windows and the alarms that stand, before the first event is taken.
void recall_policy(struct journal *journal, struct policy *policy, const struct clock *clock);

// Whether an alarm stands.
bool recall_stands(struct journal *journal, const char *key);

// Thresholds whose alarms stand, before the first reading.
void recall_thresholds(struct journal *journal, struct thresholds *thresholds);

#endif
