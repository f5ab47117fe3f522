// The alarm states: for each alarm key, whether the alarm is raised and what receivers were
// notified of.
#ifndef IBTRAPD_POLICY_ALARM_STATES_H
#define IBTRAPD_POLICY_ALARM_STATES_H

#include "policy/flap.h"
#include "policy/timers.h"

struct alarm_state {
    struct timer timer; // first
    char key[EVENT_KEY_SIZE];
    bool raised;                   // now
    char raised_id[EVENT_ID_SIZE]; // of the event that raised it last
    int64_t raised_at;
    bool notified; // receivers believe that it is raised
    char notified_id[EVENT_ID_SIZE];
    enum severity notified_severity;
    bool unnotifiable;   // a rule, maintenance or shelving suppressed its raise
    uint64_t duplicates; // suppressed since receivers were last notified
    bool pending;        // `last` may be sent later
    int64_t check_at;    // when to check whether it may
    bool cause_cleared;  // at the last check, the root cause of `last` was not active
    struct event *last;  // the last event; a reference; NULL: none
    int64_t shelved_until;
    struct flap flap;
    struct alarm_state *next_of_key, *next_of_id;
};

struct alarm_states;

struct alarm_states *alarm_states_new(void);         // NULL: out of memory
void alarm_states_free(struct alarm_states *states); // NULL is allowed

struct alarm_state *alarm_states_find(const struct alarm_states *states,
                                      const char *key); // NULL: none
struct alarm_state *alarm_states_get(struct alarm_states *states,
                                     const char *key); // makes it if missing; NULL: no room
void alarm_states_forget(struct alarm_states *states, struct alarm_state *state);

// The state of the alarm that the event with this identifier raised, while it is raised; else NULL.
const struct alarm_state *alarm_states_find_raised(const struct alarm_states *states,
                                                   const char *id);
void alarm_states_set_raised_id(struct alarm_states *states, struct alarm_state *state,
                                const char *id);

// Replaces `last`, taking a reference; NULL: drops it. False, with nothing changed:
// POLICY_PENDING_MAX states have one already.
bool alarm_states_set_last(struct alarm_states *states, struct alarm_state *state,
                           struct event *event);

void alarm_states_each(struct alarm_states *states,
                       void (*each)(void *ctx, struct alarm_state *state), void *ctx);

#endif
