// SPDX-License-Identifier: BSD-2-Clause
// Notifying receivers: the events that policy makes, what an event says about those before it, and
// what the alarm state keeps of it.
#ifndef IBTRAPD_POLICY_NOTIFY_H
#define IBTRAPD_POLICY_NOTIFY_H

#include "policy/policy_private.h"

// Sets the event's severity, category and rule as the rules say. `*verdict`: all that they say.
void notify_judge(const struct policy *p, struct event *event, struct rule_decision *verdict);

// Writes the reason into the event.
void notify_suppress(struct event *event, enum policy_reason reason);

// Whether this gateway notifies receivers of the event, unless there is a reason not to.
bool notify_is_ours(const struct policy *p, const struct event *event);

// Lists an event for policy_next.
void notify_list(struct policy *p, struct event *event);

// Records that the event, which has its identifier, is sent, by this gateway or by the active one.
void notify_record(struct policy *p, struct alarm_state *t, const struct event *event);

// Tells the event what it clears: receivers know only what was sent to them.
void notify_refer_to_raise(const struct alarm_state *t, struct event *event);

// Tells it which nodes the event `raise` was about (NULL: not known), besides the same subject: a
// node that is back may hang on another switch. The ends of a link are the same.
void notify_refer_to_nodes(struct event *clear, const struct event *raise);

// Names the event of its root cause that receivers got: it may have been sent late, as a copy.
void notify_refer_to_cause(const struct policy *p, struct event *event);

// Sends the event and drops the caller's reference.
void notify_summary(struct policy *p, struct event *event);

void notify_flapping(struct policy *p, struct alarm_state *t);
// `why` is a piece of a sentence; NULL: it was quiet for long enough.
void notify_settled(struct policy *p, struct alarm_state *t, const char *why);

// Sends the last event, which was suppressed, late.
void notify_late(struct policy *p, struct alarm_state *t, const struct event *last);

// Sends a copy of the last event to those who do not hear of the alarm's root cause, if this
// gateway is active.
void notify_apart(struct policy *p, struct alarm_state *t, const struct event *last);

// The last event of an alarm state, while it may be sent later, and the time at which policy checks
// the alarm state next.

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
