// SPDX-License-Identifier: BSD-2-Clause
// Decides about an event that arrives: whether receivers get it now, and if not, why.
#ifndef IBTRAPD_POLICY_DECIDE_H
#define IBTRAPD_POLICY_DECIDE_H

#include "policy/policy_private.h"

// Changes the alarm state as the event says, and sets in the event all that policy_process promises
// but `suppressed`, which the returned reason fills. A reason that a later time may end leaves the
// event pending.
enum policy_reason decide_event(struct policy *p, struct event *event);

// Checks an alarm state whose time has come: sends what no reason suppresses any more.

// Does the due work of one alarm state, and schedules it again or forgets it. False: the rate of
// late events does not allow it before `blocked_until`.
bool check_state(struct policy *p, struct alarm_state *t);

// Before the gateway stops: sends what policy_end promises of this alarm; `ctx` is the struct
// policy.
void check_at_end(void *ctx, struct alarm_state *t);

#endif
