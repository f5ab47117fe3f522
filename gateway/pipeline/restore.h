// What policy and thresholds knew when the gateway ended, from the journal.
#ifndef IBTRAPD_PIPELINE_RESTORE_H
#define IBTRAPD_PIPELINE_RESTORE_H

#include "journal/journal.h"
#include "policy/policy.h"
#include "topology/thresholds.h"

// Maintenance windows and the alarms that stand, before the first event is taken.
void restore_policy(struct journal *journal, struct policy *policy, const struct clock *clock);

// Whether an alarm stands.
bool restore_alarm_is_active(struct journal *journal, const char *key);

// Thresholds whose alarms stand, before the first reading.
void restore_thresholds(struct journal *journal, struct thresholds *thresholds);

#endif
