// SPDX-License-Identifier: BSD-2-Clause
// Receivers that do not hear of an alarm's root cause, as their filter refuses it. They are
// notified of the alarm, and of its end, although it is suppressed as a consequence: the event says
// so (`apart`), and each receiver decides by its filter. The other reasons hold for them, too.
#ifndef IBTRAPD_POLICY_APART_H
#define IBTRAPD_POLICY_APART_H

#include "policy/policy_private.h"

// Sets the alarm's root cause. They have to be notified if it is a new one, or `anew`.
void apart_set_cause(struct alarm_state *state, const char *cause_id, bool anew);

// Whether it is open whether they may be notified.
bool apart_is_open(const struct policy *policy, const struct alarm_state *state);

// Whether they may be notified now, by an event that the root cause suppresses. `until`: if another
// reason suppresses it, too, its end, if that is earlier.
bool apart_may_notify(struct policy *policy, struct alarm_state *state, const struct event *event,
                      const struct rule_decision *verdict, int64_t *until);

// Makes the event, which is not shared yet, the one that notifies them. A gateway that stands by
// leaves that to the active one, and does it when it becomes active.
void apart_notify(const struct policy *policy, struct alarm_state *state, struct event *event);

// The active gateway notifies them now, and this one stands by.
void apart_expect(const struct policy *policy, struct alarm_state *state);

// Takes an event that the root cause suppresses, when it arrives: notes in it which that is, and
// notifies them if it may. `until` as above.
void apart_take(struct policy *policy, struct alarm_state *state, struct event *event,
                const struct rule_decision *verdict, int64_t *until);

// All receivers are notified.
void apart_forget(struct alarm_state *state);

// Tells the event that clears the alarm who is to get it. The gateway that notified them sends it
// also while it stands by. `raise`: the last event about the alarm, NULL: it cannot be read.
void apart_end(const struct policy *policy, struct alarm_state *state, const struct event *raise,
               struct event *clear);

#endif
