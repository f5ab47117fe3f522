// SPDX-License-Identifier: BSD-2-Clause
// Decides whether receivers get an event now: when the event arrives, and at each later check.
// Decides: When is a suppressed alarm sent late?
#pragma once

#include "policy/policy_private.h"

// Decides about an arriving event, and returns the reason why the event is suppressed. Changes the
// alarm state as the event says, and sets in the event all that policy_process promises but
// `suppressed`. An event whose reason may end later becomes pending.
enum policy_reason decide_event(struct policy *p, struct event *event);

// Does the due work of one alarm state: sends the event that no reason suppresses any more. Then
// schedules the state again, or forgets the state. Returns false if the rate of late events allows
// no event before `blocked_until`.
bool check_state(struct policy *p, struct alarm_state *t);

// Before the gateway stops: sends what policy_end promises of this alarm. `ctx`: the struct policy.
void check_at_end(void *ctx, struct alarm_state *t);
