// SPDX-License-Identifier: BSD-2-Clause
// Decides about an event that arrives: whether receivers get it now, and if not, why.
#ifndef IBTRAPD_POLICY_DECIDE_H
#define IBTRAPD_POLICY_DECIDE_H

#include "policy/policy_private.h"

// Changes the alarm state as the event says, and sets in the event all that policy_process promises
// but `suppressed`, which the returned reason fills. A reason that a later time may end leaves the
// event pending.
enum policy_reason decide_event(struct policy *p, struct event *event);

#endif
