// SPDX-License-Identifier: BSD-2-Clause
// The reasons for which policy suppresses an event now, and when to check again.
// Decides: Why is an alarm suppressed now, and when is this checked again?
// Decides: Who gets an alarm whose root cause a receiver's filter refuses?
#pragma once

#include "policy/policy_private.h"

// Interval of the checks whether a root cause is cleared. After a sweep, the pipeline tells policy
// at once (policy_set_cause).
#define REASONS_CAUSE_US (60 * CLOCK_US_PER_S)

// Checks for a rule, maintenance, shelving and a root cause: no summary reports these. Sets
// `*until`: when to check again; INT64_MAX: never. A rule does not suppress the clear of an alarm
// if receivers were notified of the alarm: their list would keep the alarm for ever. `arrives`: the
// event is new. A pending event is not.
enum policy_reason reasons_silence(struct policy *p, struct alarm_state *t,
                                   const struct event *event, const struct rule_decision *verdict,
                                   bool arrives, int64_t *until);

// Notes why the alarm is suppressed, where no event says so.
void reasons_note(const struct policy *p, struct alarm_state *t, enum policy_reason reason);

// When to check the pending event again, if the alarm state alone shows that the event stays
// suppressed: for an active root cause that no rule disables, or for a storm. Returns 0 if the
// event itself has to be read. The journal may have masses of pending events, too many to read each
// time.
int64_t reasons_until_unread(const struct policy *p, const struct alarm_state *t);

// Checks for flapping, hold-down and a storm. Sets `*until`: when to check again. An arriving event
// counts towards a storm; a pending event waits for the storm's end.
enum policy_reason reasons_restrain(struct policy *p, const struct alarm_state *t,
                                    const struct event *event, const struct rule_decision *verdict,
                                    bool arrives, int64_t *until);

// Some receivers do not hear of an alarm's root cause, as their filter refuses the root cause.
// These receivers are notified apart: of the alarm, and of the alarm's end, although the alarm is
// suppressed as a consequence. The event has the mark `apart`, and each receiver decides by its
// filter. The other reasons hold for these receivers, too.

// Sets the alarm's root cause. If the root cause is new, or `anew`, the receivers have to be
// notified apart.
void apart_set_cause(struct alarm_state *state, const char *cause_id, bool anew);

// Whether receivers may have to be notified apart.
bool apart_is_open(const struct policy *policy, const struct alarm_state *state);

// Whether an event that the root cause suppresses may notify receivers apart now. If another reason
// suppresses the event, too, sets `*until` to the end of that reason, unless `*until` is earlier.
bool apart_may_notify(struct policy *policy, struct alarm_state *state, const struct event *event,
                      const struct rule_decision *verdict, int64_t *until);

// Marks the event, which is not shared yet: the event notifies receivers apart. A gateway that
// stands by leaves this to the active gateway, and notifies them when it becomes active.
void apart_notify(const struct policy *policy, struct alarm_state *state, struct event *event);

// The active gateway notifies receivers apart now, and this gateway stands by.
void apart_expect(struct alarm_state *state);

// Takes an arriving event that the root cause suppresses: notes the root cause in the event, and
// marks the event if apart_may_notify says so. `until`: as in apart_may_notify.
void apart_take(struct policy *policy, struct alarm_state *state, struct event *event,
                const struct rule_decision *verdict, int64_t *until);

// All receivers are notified.
void apart_forget(struct alarm_state *state);

// Marks the clear of an alarm for the receivers that were notified apart. The gateway that notified
// them sends the clear also while the gateway stands by. `raise`: the last event about the alarm;
// NULL: not readable.
void apart_end(const struct policy *policy, struct alarm_state *state, const struct event *raise,
               struct event *clear);
