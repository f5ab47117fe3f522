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

// Receivers that do not hear of an alarm's root cause, as their filter refuses it. They are
// notified of the alarm, and of its end, although it is suppressed as a consequence: the event says
// so (`apart`), and each receiver decides by its filter. The other reasons hold for them, too.

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
