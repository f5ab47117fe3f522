// SPDX-License-Identifier: BSD-2-Clause
// The reasons for which policy suppresses an event now, and when to check again.
#ifndef IBTRAPD_POLICY_REASONS_H
#define IBTRAPD_POLICY_REASONS_H

#include "policy/policy_private.h"

// Interval of the checks whether a root cause is cleared. After a sweep the pipeline tells it at
// once (policy_set_cause).
#define REASONS_CAUSE_US (60 * CLOCK_US_PER_S)

// The root cause of which receivers hear: no rule disables it, or it has one itself of which they
// hear. NULL: there is none that is active.
const struct alarm_state *reasons_cause(const struct policy *p, const struct alarm_state *t);

// Checks for a rule, maintenance, shelving and a root cause, which no summary reports. Sets
// `*until`: when to check again; INT64_MAX: never. A rule does not suppress the clear of an alarm
// of which receivers were notified: their list would keep the alarm for ever. `arrives`: the event
// is new, not one that waits.
enum policy_reason reasons_silence(struct policy *p, struct alarm_state *t,
                                   const struct event *event, const struct rule_decision *verdict,
                                   bool arrives, int64_t *until);

// When to check the pending event again, if its state alone shows that it stays suppressed: for an
// active root cause that no rule disables, or a storm. 0: the event has to say. There may be masses
// of such events in the journal, too many to read each time.
int64_t reasons_until_unread(const struct policy *p, const struct alarm_state *t);

// Checks for flapping, hold-down and a storm. Sets `*until`: when to check again. An arriving event
// counts towards a storm; a pending one waits for the storm's end.
enum policy_reason reasons_restrain(struct policy *p, const struct alarm_state *t,
                                    const struct event *event, const struct rule_decision *verdict,
                                    bool arrives, int64_t *until);

// Whether the event belongs to a storm, and is suppressed for it. Counts it.
bool reasons_in_storm(struct policy *p, const struct event *event);

struct storms_options reasons_storms_options(const struct policy *p);

#endif
