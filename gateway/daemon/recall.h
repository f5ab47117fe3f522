// What policy knew when the gateway ended, from the journal.
#ifndef IBTRAPD_DAEMON_RECALL_H
#define IBTRAPD_DAEMON_RECALL_H

#include "journal/journal.h"
#include "policy/policy.h"

// Maintenance windows and the alarms that stand, before the first event is taken.
void recall_policy(struct journal *journal, struct policy *policy, const struct clock *clock);

#endif
