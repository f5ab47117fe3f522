// SPDX-License-Identifier: BSD-2-Clause
// Notifies receivers: the events that policy makes, what an event says about earlier events, and
// what the alarm state keeps of an event.
// Decides: Which gateway notifies receivers of an event?
// Decides: Where is the reason kept why receivers do not get an event?
#pragma once

#include "policy/policy_private.h"

// Sets the event's severity, category and rule as the rules say, and `*verdict` to all of the
// rules' decision.
void notify_judge(const struct policy *p, struct event *event, struct rule_decision *verdict);

// Writes the reason into the event.
void notify_suppress(struct event *event, enum policy_reason reason);

// Whether this gateway notifies receivers of an event that no reason suppresses.
bool notify_is_ours(const struct policy *p, const struct event *event);

// Lists an event for policy_next.
void notify_list(struct policy *p, struct event *event);

// Records in the alarm state that the event is sent, by this gateway or by the active gateway. The
// event has its identifier.
void notify_record(struct policy *p, struct alarm_state *t, const struct event *event);

// Tells the event which event it clears: receivers know only events that were sent.
void notify_refer_to_raise(const struct alarm_state *t, struct event *event);

// Names, as the root cause, the event that receivers got: a late copy, if a copy was sent.
void notify_refer_to_cause(const struct policy *p, struct event *event);

// Sends the event and drops the caller's reference.
void notify_summary(struct policy *p, struct event *event);

void notify_flapping(struct policy *p, struct alarm_state *t);
// `why` is a piece of a sentence; NULL: the alarm was quiet for long enough.
void notify_settled(struct policy *p, struct alarm_state *t, const char *why);

// Sends the last event, which was suppressed, late.
void notify_late(struct policy *p, struct alarm_state *t, const struct event *last);

// Notifies receivers apart, by a copy of the last event, if this gateway is active.
void notify_apart(struct policy *p, struct alarm_state *t, const struct event *last);

// Pending events, and the time at which policy checks an alarm state next.

// Keeps a suppressed event: at `until`, policy checks whether the event may be sent.
void pending_keep(struct policy *p, struct alarm_state *t, struct event *event, int64_t until);
void pending_drop(struct policy *p, struct alarm_state *t);
// Drops the pending event, as receivers know of the alarm what is true.
void pending_end(struct policy *p, struct alarm_state *t);

// The alarm state's last event: a reference, the caller's. Returns NULL if the event cannot be read
// now. To read an event back takes effort from the present policy_next.
struct event *pending_last(struct policy *p, const struct alarm_state *t);
// Takes effort from the present policy_next.
void pending_spend(struct policy *p, unsigned effort);

// Whether the active gateway may have failed before it sent the last event, or `settled`.
bool pending_in_handover(const struct policy *p, const struct alarm_state *t);
bool pending_flap_in_handover(const struct policy *p, const struct alarm_state *t);

// Whether policy may forget the alarm state at pending_next_check.
bool pending_is_idle(const struct alarm_state *t);

// When to check the alarm state again, on policy's clock; INT64_MAX: never.
int64_t pending_next_check(const struct policy *p, const struct alarm_state *t);

// Sets the timer of the alarm state, after any change of it.
void pending_schedule(struct policy *p, struct alarm_state *t);

// Makes policy check at once whether a pending event may be sent. `ctx`: the struct policy.
void pending_reconsider(void *ctx, struct alarm_state *state);
