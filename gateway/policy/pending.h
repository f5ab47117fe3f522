// SPDX-License-Identifier: BSD-2-Clause
// The last event of an alarm state, while it may be sent later, and the time at which policy checks
// the alarm state next.
#ifndef IBTRAPD_POLICY_PENDING_H
#define IBTRAPD_POLICY_PENDING_H

#include "policy/policy_private.h"

// Keeps the event, which is suppressed now, to check at `until` whether it may be sent.
void pending_keep(struct policy *p, struct alarm_state *t, struct event *event, int64_t until);
void pending_drop(struct policy *p, struct alarm_state *t);

// The alarm state's last event: a reference, the caller's. NULL: it cannot be read now. Reading it
// back takes effort from the present policy_next, as does pending_spend.
struct event *pending_last(struct policy *p, const struct alarm_state *t);
struct event *pending_read(struct policy *p, int64_t number); // the same for any event
void pending_spend(struct policy *p, unsigned effort);

// Whether the active gateway may have failed to send the last event, or `settled`.
bool pending_in_handover(const struct policy *p, const struct alarm_state *t);
bool pending_flap_in_handover(const struct policy *p, const struct alarm_state *t);

// Whether nothing has to be known of the alarm any more once pending_next_check is over.
bool pending_is_idle(const struct alarm_state *t);

// When to check the alarm state again, on policy's clock; INT64_MAX: never.
int64_t pending_next_check(const struct policy *p, const struct alarm_state *t);

// Sets the timer of the alarm state, after any change of it.
void pending_schedule(struct policy *p, struct alarm_state *t);

// Makes the next tick check whether the pending event, if there is one, may be sent; `ctx` is the
// struct policy.
void pending_reconsider(void *ctx, struct alarm_state *state);

#endif
