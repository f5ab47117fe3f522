// What is known of each alarm key: how things are, and what receivers were told.
#ifndef IBTRAPD_POLICY_ALARM_STATES_H
#define IBTRAPD_POLICY_ALARM_STATES_H

#include "policy/flap.h"
#include "policy/timers.h"

struct alarm_state {
    struct timer timer; // first
    char key[EVENT_KEY_SIZE];
    bool raised;                   // as things are
    char raised_id[EVENT_ID_SIZE]; // of the event that raised it last
    int64_t raised_at;
    bool notified; // that it is raised: what receivers know
    char notified_id[EVENT_ID_SIZE];
    enum severity notified_severity;
    bool unnotifiable;   // it was raised without a chance to be told: a rule, maintenance, ...
    uint64_t duplicates; // held since receivers last heard of it
    bool pending;        // `last` is to be told later
    int64_t check_at;    // when that may be
    bool cause_cleared;  // of `last`, at the last look
    struct event *last;  // a reference; NULL: none
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
                                     const char *key); // a new one if need be; NULL: no room
void alarm_states_forget(struct alarm_states *states, struct alarm_state *state);

// The raised alarm that the event with this identifier raised, or NULL.
const struct alarm_state *alarm_states_find_raised(const struct alarm_states *states,
                                                   const char *id);
void alarm_states_set_raised_id(struct alarm_states *states, struct alarm_state *state,
                                const char *id);

// Keeps a reference to the event, or none when it is NULL. False, and nothing changed: there are
// POLICY_PENDING_MAX already.
bool alarm_states_set_last(struct alarm_states *states, struct alarm_state *state,
                           struct event *event);

void alarm_states_each(struct alarm_states *states,
                       void (*each)(void *ctx, struct alarm_state *state), void *ctx);

#endif
