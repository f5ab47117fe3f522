// SPDX-License-Identifier: BSD-2-Clause
// Decides which events receivers get. Every event goes to the journal; policy suppresses some
// events for the receivers, states the reason, and adds events that summarise the suppressed
// events.
//
// Decides: What happens to a suppressed alarm when the reason ends?
//
// For each alarm key, policy keeps an alarm state: whether the alarm is raised, and whether
// receivers were notified of the alarm. The two differ while there is a reason to suppress (enum
// policy_reason). If the two still differ when the reason ends, policy sends a copy of the
// suppressed event: the copy has an identifier of its own, and related_id names the suppressed
// event. So receivers may learn of an alarm late, but their list of alarms ends up right. This
// table of alarms is the only one: what detects an alarm compares with the table
// (policy_list_alarms).
//
// Pure but for the log: the caller passes the time (microseconds that never go back), and no
// function waits. One thread.
#pragma once

#include "base/random.h"
#include "model/alarm.h"
#include "policy/policy_types.h"

struct policy;

// `random` protects the hash tables; no decision depends on it.
struct policy *policy_new(const struct policy_options *options, const struct policy_sink *sink,
                          const struct random *random);
void policy_free(struct policy *policy); // NULL is allowed

// Replaces the options and keeps the alarm states; the next tick reconsiders each suppressed event.
void policy_change_options(struct policy *policy, const struct policy_options *options,
                           int64_t now_us);

// Restores an open alarm of the journal, before the first event is processed, or between two: an
// active alarm, or an ended alarm whose end receivers were not told. `utc_us`: the wall clock at
// `now_us`. Returns false if there is no room.
bool policy_restore_alarm(struct policy *policy, const struct alarm *alarm, int64_t utc_us,
                          int64_t now_us);

// Decides about one event, exactly once, and lists it for policy_next. Sets its severity, category,
// suppressed, rule, repeat_count, and for a clear clears_id and `cleared`. The event must not be
// shared yet. A test event is sent; rules may change its severity and category, and nothing else is
// recorded. Call policy_next until it returns NULL, before and after policy_process.
void policy_process(struct policy *policy, struct event *event, int64_t now_us);

// Returns the next event for the journal, in their order: for the receivers, too, unless
// event->suppressed has a reason. The event is valid until the next call of policy_next, which
// takes over the number that the journal gave to it. Does the work that is due on the way. Returns
// NULL when nothing is left, or, where masses of alarms are due, after some milliseconds of work:
// policy_due is then still in the past.
struct event *policy_next(struct policy *policy, int64_t now_us);

// When to call policy_next next; INT64_MAX: no work is due.
int64_t policy_due(const struct policy *policy);

// Says whether this gateway notifies receivers; a new policy does not. While the gateway stands by,
// policy decides as the active gateway does, and suppresses what it would send as standby, except
// events about this gateway. When the gateway becomes active, policy sends again what the other
// gateway may not have sent: alarms that are raised, and the clears of the last minutes. These wait
// for policy_confirm, two minutes at most: an alarm may have ended while this gateway did not run.
void policy_set_active(struct policy *policy, bool active, int64_t now_us);

// Call policy_confirm after each snapshot, once the alarms agree with the snapshot.
void policy_confirm(struct policy *policy, int64_t now_us);

// An alarm that is raised. Its texts are policy's, and valid while the alarm is raised.
struct policy_alarm {
    const char *key;
    const struct catalogue_entry *type; // of the event that raised the alarm last; NULL: unknown
    const char *event_id;               // of the event that raised the alarm first
    const char *cause_id;               // of the event that raised its root cause; empty: none
    const char *cause_key;              // of the root cause, if that is raised; else NULL
    enum policy_reason reason;          // why the alarm is suppressed, as of the last check
    int64_t last_number;                // of the last event about the alarm, in the journal
    int64_t since_us;                   // UTC
    int64_t raised_at_us;               // the same on policy's clock
    bool stated;                        // policy_state was called since the last list
    bool ended;                         // for the caller; begins as false
};

bool policy_is_raised(const struct policy *policy, const char *key);
// Notes that a detector states the alarm: the next list says so. Returns whether the alarm is
// raised.
bool policy_state(struct policy *policy, const char *key);
// Fills `out` if the alarm is raised. Returns false if it is not.
bool policy_find_alarm(const struct policy *policy, const char *key, struct policy_alarm *out);
// The same for the oldest alarm that such an event raised last.
bool policy_find_alarm_of(const struct policy *policy, const struct catalogue_entry *type,
                          struct policy_alarm *out);
// All raised alarms, the oldest first. The caller frees the array. The list resets `stated`.
struct policy_alarm *policy_list_alarms(struct policy *policy, size_t *count);

// Whether there was no room for an alarm that the journal has. The next policy_restore_alarm may
// have room: policy_left_out_alarms resets what the function says.
bool policy_left_out_alarms(struct policy *policy);
bool policy_has_room(const struct policy *policy); // for the state of a further alarm

// Whether receivers have to be told of the event alone: a rule fits the event, a window or a
// shelving suppresses the event, or consequences are not suppressed.
bool policy_singles_out(const struct policy *policy, const struct event *event, int64_t now_us);

// Sets the root cause, itself an alarm, and makes policy check whether the alarm is still a
// consequence. `cause_key` NULL, or of an alarm that is not raised: the alarm has no root cause.
void policy_set_cause(struct policy *policy, const char *key, const char *cause_key,
                      int64_t now_us);

// Ends an alarm for another reason than the counterpart of its event: lists an event
// alarm-cleared, or `settled` for an alarm "flapping ...". `reason` is a piece of a sentence.
// Returns false if the alarm is not raised.
bool policy_clear_alarm(struct policy *policy, const char *key, const char *reason, int64_t now_us);

// Call it when the gateway stops. Sends, without a limit of rate, what the next start cannot
// reconstruct:
// - the counts of storms and duplicates so far
// - for alarms that receivers were notified of: clears and worse severities that a storm or
//   flapping suppressed, since the next start may be far away
// policy_restore_alarm takes care of all others.
void policy_end(struct policy *policy, int64_t now_us);

// Shelves an alarm: until `until_us`, receivers get only the clear, if they were notified of the
// alarm. A time in the past ends the shelving. Returns false if there is no room.
bool policy_shelve(struct policy *policy, const char *key, int64_t until_us, int64_t now_us);

// Replaces the window of the same name. False: too many.
bool policy_start_maintenance(struct policy *policy, const struct maintenance_window *window,
                              int64_t now_us);
bool policy_stop_maintenance(struct policy *policy, const char *name,
                             int64_t now_us); // false: none such
void policy_get_counters(const struct policy *policy, struct policy_counters *out);
