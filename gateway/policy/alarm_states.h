// SPDX-License-Identifier: BSD-2-Clause
// The alarm states: for each alarm key, whether the alarm is raised and what receivers were
// notified of.
#ifndef IBTRAPD_POLICY_ALARM_STATES_H
#define IBTRAPD_POLICY_ALARM_STATES_H

#include "base/hash.h"
#include "policy/policy_types.h"
#include "policy/timers.h"

#include <sys/queue.h>

// There was more than one root cause, or it is not known which.
enum { APART_SEVERAL = -1 };

// What receivers believe of an alarm, and who told them.
enum told {
    TOLD_NOTHING,          // the alarm is not raised, as far as they know
    TOLD_RAISED,           // the alarm is raised: this gateway told them
    TOLD_RAISED_ELSEWHERE, // the alarm is raised: the active gateway told them
    TOLD_END_ELSEWHERE,    // the alarm is over: the active gateway told them
    // The last two, after that gateway may have failed: this gateway tells them once more.
    TOLD_RAISED_AGAIN,
    TOLD_END_AGAIN,
};

bool told_is_raised(enum told told);    // they believe that the alarm is raised
bool told_is_elsewhere(enum told told); // another gateway told them last
bool told_is_again(enum told told);

// The transitions: an event is sent, by this gateway (`ours`) or the active one; this gateway takes
// over, and the other one may have failed to tell them (`recent`).
enum told told_by_event(bool raised, bool ours);
enum told told_at_takeover(enum told told, bool recent);

// There may be POLICY_ALARMS_MAX of them: keep it small.
struct alarm_state {
    struct timer timer;             // first member
    struct hash_node by_key, by_id; // by_id only with a raised_id
    TAILQ_ENTRY(alarm_state) in_order;
    const struct catalogue_entry *type;      // of the event that raised it last; NULL: unknown
    const struct catalogue_entry *last_type; // of the pending event; NULL: unknown, or none is
    struct event *last;        // the last event, while it is pending and there is room; else NULL
    struct flap *flap;         // NULL: it has not changed twice lately
    int64_t changed_at;        // time of its last change, if `changed`
    int64_t settled_elsewhere; // when another gateway sent `settled`; 0: none did lately
    int64_t notified_at;
    int64_t raised_at;
    int64_t since_us;    // UTC, when it was raised
    int64_t check_at;    // when to check whether the last event may be sent, if it is pending
    int64_t last_number; // of the last event about it, in the journal; 0: none
    int64_t shelved_until;
    uint64_t duplicates; // suppressed since receivers were last notified
    // While receivers that do not hear of its root cause may have been notified apart: the number
    // of the event about that, or APART_SEVERAL; 0: they were not.
    int64_t apart;
    enum category category; // of the event that raised it last
    enum severity severity; // of the event that raised it last, or was sent
    enum severity notified_severity;
    bool raised; // now
    enum told told;
    // Why the raise is suppressed, as far as was checked; and why it was when the alarm was raised,
    // if a rule, maintenance, shelving or a root cause suppressed the event.
    enum policy_reason reason, first_reason;
    bool pending;                    // the last event may be sent later
    bool cause_cleared;              // at the last check, its root cause was not active
    bool apart_due;                  // they are to be notified, by this gateway if it is active
    bool apart_ours;                 // this gateway has notified them
    bool changed;                    // a change counts towards flapping
    uint8_t unread;                  // failed attempts in a row to read the last event back
    char raised_id[EVENT_ID_SIZE];   // of the event that raised it last
    char notified_id[EVENT_ID_SIZE]; // of the last event sent; empty: another gateway sent it
    char cause_id[EVENT_ID_SIZE];    // of its root cause; empty: none
    char key[];                      // shorter than EVENT_KEY_SIZE
};

struct alarm_states;

// Whether receivers know what the alarm is now.
bool alarm_state_is_known(const struct alarm_state *state);

// Room for `states_max` states that events make, and for `kept_max` events that the states keep,
// both 1 at least. Restored states have POLICY_ALARMS_MAX places in all.
struct alarm_states *alarm_states_new(size_t states_max, size_t kept_max,
                                      const struct random *random);
void alarm_states_free(struct alarm_states *states); // NULL is allowed

struct alarm_state *alarm_states_find(const struct alarm_states *states,
                                      const char *key); // NULL: none
// Both make the state if it is missing. NULL: no room.
struct alarm_state *alarm_states_get(struct alarm_states *states, const char *key);
struct alarm_state *alarm_states_restore(struct alarm_states *states, const char *key);
size_t alarm_states_count(const struct alarm_states *states);
bool alarm_states_are_full(const struct alarm_states *states);
void alarm_states_forget(struct alarm_states *states, struct alarm_state *state);

// Moves the state behind all others: it is raised now.
void alarm_states_move_last(struct alarm_states *states, struct alarm_state *state);

// The state of the alarm that the event with this identifier raised, while it is raised; else NULL.
const struct alarm_state *alarm_states_find_raised(const struct alarm_states *states,
                                                   const char *id);
void alarm_states_set_raised_id(struct alarm_states *states, struct alarm_state *state,
                                const char *id);

// Replaces `last`, taking a reference; NULL: drops it. Without room (`kept_max`), `last`
// becomes NULL, and the event has to be read from the journal by its number.
void alarm_states_set_last(struct alarm_states *states, struct alarm_state *state,
                           struct event *event);

// What is known of its flapping; all zero where that is nothing.
const struct flap *alarm_states_flap(const struct alarm_state *state);

// Calls `each` for the states, oldest first; `each` may forget the state that it gets.
void alarm_states_each(struct alarm_states *states,
                       void (*each)(void *ctx, struct alarm_state *state), void *ctx);

// Detects flapping: an alarm that changes often, until it settles.

struct flap {
    int64_t at[POLICY_FLAP_CHANGES_MAX]; // times of the last changes, in a ring
    uint64_t changes;                    // since it last settled
    bool on;                             // it flaps
    bool announced;                      // the event `flapping` was made
    bool told;                           // receivers got it
    int64_t last;                        // time of the last change
    int64_t since_us;                    // UTC, of the change with which flapping began
    int64_t number;                      // of the event `flapping`, in the journal; 0: none
    uint64_t suppressed;                 // events, since the last `flapping`
    char id[EVENT_ID_SIZE];              // of the event `flapping`; empty: another gateway sent it
    enum severity severity;              // of that event, as is the next
    enum category category;
};

// Made with the second of two changes; the first was at `first_us`.
struct flap *flap_new(int64_t first_us);

// Records a change; flapping begins when there were enough of them.
void flap_note(struct flap *flap, const struct policy_options *options, const struct event *event,
               int64_t now_us);

// The time at which the alarm will have settled, unless it changes again: at once, if flapping is
// not detected any more.
int64_t flap_end(const struct flap *flap, const struct policy_options *options);

#endif
