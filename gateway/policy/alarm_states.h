// SPDX-License-Identifier: BSD-2-Clause
// The table of alarms: for each alarm key, whether the alarm is raised, since when, with which root
// cause, why the alarm is suppressed, and what receivers were told.
// Decides: What do receivers believe of an alarm, and which gateway told them?
// Decides: When does an alarm flap?
#pragma once

#include "base/hash.h"
#include "policy/policy_types.h"
#include "policy/timers.h"

#include <sys/queue.h>

// The belief of receivers about an alarm, and which gateway told receivers.
enum told {
    TOLD_NOTHING,          // nobody told receivers that the alarm is raised
    TOLD_RAISED,           // this gateway told receivers that the alarm is raised
    TOLD_RAISED_ELSEWHERE, // the active gateway told receivers that the alarm is raised
    TOLD_END_ELSEWHERE,    // the active gateway told receivers that the alarm is over
    // The same, but the active gateway may have failed: this gateway tells receivers once more.
    TOLD_RAISED_AGAIN,
    TOLD_END_AGAIN,
};

bool told_is_raised(enum told told);    // receivers believe that the alarm is raised
bool told_is_elsewhere(enum told told); // another gateway told receivers last
bool told_is_again(enum told told);
// The reason of a raised alarm of which receivers know: another gateway notified receivers, or
// none.
enum policy_reason told_reason(enum told told);

// The transitions. An event is sent, by this gateway (`ours`) or by the active gateway. This
// gateway takes over; `recent`: the active gateway may have failed before it told receivers.
enum told told_by_event(bool raised, bool ours);
enum told told_at_takeover(enum told told, bool recent);

// There may be POLICY_ALARMS_MAX states: keep a state small.
struct alarm_state {
    struct timer timer;             // first member
    struct hash_node by_key, by_id; // by_id only with a raised_id
    TAILQ_ENTRY(alarm_state) in_order;
    const struct catalogue_entry *type; // of the event that raised the alarm last; NULL: unknown
    const struct catalogue_entry *last_type; // of the pending event; NULL: unknown, or no event
    struct event *last;        // the last event, while it is pending and there is room; else NULL
    struct flap *flap;         // NULL: the alarm has not changed twice lately
    int64_t changed_at;        // time of the last change, if `changed`
    int64_t settled_elsewhere; // when another gateway sent `settled`; 0: not lately
    int64_t notified_at;
    int64_t raised_at;
    int64_t since_us;    // UTC, when the alarm was raised
    int64_t check_at;    // when to check whether the pending event may be sent
    int64_t last_number; // of the last event about the alarm, in the journal; 0: none
    int64_t shelved_until;
    uint64_t duplicates;    // suppressed since receivers were last notified
    enum category category; // of the event that raised the alarm last
    enum severity severity; // of the event that raised the alarm last, or was sent
    enum severity notified_severity;
    bool raised; // now
    enum told told;
    // Why the raise is suppressed, as of the last check; and the rule, maintenance, shelving or
    // root cause that suppressed the raise at first.
    enum policy_reason reason, first_reason;
    bool pending;                    // the last event may be sent later
    bool cause_cleared;              // at the last check, the root cause was not active
    bool apart;                      // receivers may have been notified apart
    bool apart_due;                  // receivers have to be notified apart, by the active gateway
    bool apart_ours;                 // this gateway has notified receivers apart
    bool changed;                    // a change counts towards flapping
    uint16_t told_parts;             // parts_changed of the last event sent; UINT16_MAX: unknown
    bool stated;                     // the detector stated the alarm since policy_list_alarms
    uint8_t unread;                  // failed attempts in a row to read the last event back
    char raised_id[EVENT_ID_SIZE];   // of the event that raised the alarm first
    char notified_id[EVENT_ID_SIZE]; // of the last event sent; empty: another gateway sent it
    char cause_id[EVENT_ID_SIZE];    // of the root cause; empty: none
    char key[];                      // shorter than EVENT_KEY_SIZE
};

struct alarm_states;

// Whether receivers believe of the alarm what is true.
bool alarm_state_is_known(const struct alarm_state *state);

// Room for `states_max` states that events make, and for `kept_max` events that the states keep,
// both 1 at least. Restored states have POLICY_ALARMS_MAX places in all.
struct alarm_states *alarm_states_new(size_t states_max, size_t kept_max,
                                      const struct random *random);
void alarm_states_free(struct alarm_states *states); // NULL is allowed

struct alarm_state *alarm_states_find(const struct alarm_states *states,
                                      const char *key); // NULL: none
// Makes a missing state. Returns NULL if there is no room. `restored`: the journal has the alarm.
struct alarm_state *alarm_states_get(struct alarm_states *states, const char *key, bool restored);
size_t alarm_states_count(const struct alarm_states *states);
bool alarm_states_are_full(const struct alarm_states *states);
void alarm_states_forget(struct alarm_states *states, struct alarm_state *state);

// Moves the state of an alarm that was raised now behind all others.
void alarm_states_move_last(struct alarm_states *states, struct alarm_state *state);

// The state of the alarm that the event with this identifier raised. Returns NULL if no such alarm
// is raised.
const struct alarm_state *alarm_states_find_raised(const struct alarm_states *states,
                                                   const char *id);
void alarm_states_set_raised_id(struct alarm_states *states, struct alarm_state *state,
                                const char *id);

// Replaces `last`, and takes a reference to `event`, which may be NULL. Without room (`kept_max`),
// `last` becomes NULL, and the event has to be read from the journal by its number.
void alarm_states_set_last(struct alarm_states *states, struct alarm_state *state,
                           struct event *event);

// The alarm's flapping; all zero if the alarm has none.
const struct flap *alarm_states_flap(const struct alarm_state *state);

// Calls `each` for the states, in the order in which the alarms were raised. `each` may forget its
// state.
void alarm_states_each(struct alarm_states *states,
                       void (*each)(void *ctx, struct alarm_state *state), void *ctx);

// Flapping: an alarm changes often, until the alarm settles.
struct flap {
    int64_t at[POLICY_FLAP_CHANGES_MAX]; // times of the last changes, in a ring
    uint64_t changes;                    // since the alarm last settled
    bool on;                             // the alarm flaps
    bool announced;                      // the event `flapping` was made
    bool told;                           // receivers got that event
    int64_t last;                        // time of the last change
    int64_t since_us;                    // UTC, of the change with which flapping began
    uint64_t suppressed;                 // events, since the last `flapping`
    char id[EVENT_ID_SIZE];              // of the event `flapping`; empty: another gateway sent it
    enum severity severity;              // of the event `flapping`
    enum category category;
};

// Made with the second of two changes; the first was at `first_us`.
struct flap *flap_new(int64_t first_us);

// Records a change. Flapping begins after enough changes.
void flap_note(struct flap *flap, const struct policy_options *options, const struct event *event,
               int64_t now_us);

// The time at which the alarm will have settled without a further change: at once, if flapping is
// not detected any more.
int64_t flap_end(const struct flap *flap, const struct policy_options *options);
