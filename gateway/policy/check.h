// SPDX-License-Identifier: BSD-2-Clause
// Checks an alarm state whose time has come: sends what no reason suppresses any more.
#ifndef IBTRAPD_POLICY_CHECK_H
#define IBTRAPD_POLICY_CHECK_H

#include "policy/policy_private.h"

// Does the due work of one alarm state, and schedules it again or forgets it. False: the rate of
// late events does not allow it before `blocked_until`.
bool check_state(struct policy *p, struct alarm_state *t);

// Before the gateway stops: sends what policy_end promises of this alarm; `ctx` is the struct
// policy.
void check_at_end(void *ctx, struct alarm_state *t);

#endif
