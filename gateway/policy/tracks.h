// What is known of each alarm key: how things are, and what receivers were told.
#ifndef IBTRAPD_POLICY_TRACKS_H
#define IBTRAPD_POLICY_TRACKS_H

#include "policy/flap.h"
#include "policy/timers.h"

struct track {
    struct timer timer; // first
    char key[EVENT_KEY_SIZE];
    bool raised;                   // as things are
    char raised_id[EVENT_ID_SIZE]; // of the event that raised it last
    int64_t raised_at;
    bool told; // that it is raised: what receivers know
    char told_id[EVENT_ID_SIZE];
    enum severity told_severity;
    bool silent;         // it was raised without a chance to be told: a rule, maintenance, ...
    uint64_t duplicates; // held since receivers last heard of it
    bool pending;        // `last` is to be told later
    int64_t look_at;     // when that may be
    bool cause_gone;     // of `last`, at the last look
    struct event *last;  // a reference; NULL: none
    int64_t shelved_until;
    struct flap flap;
    struct track *next_of_key, *next_of_id;
};

struct tracks;

struct tracks *tracks_new(void);         // NULL: out of memory
void tracks_free(struct tracks *tracks); // NULL is allowed

struct track *tracks_find(const struct tracks *tracks, const char *key); // NULL: none
struct track *tracks_get(struct tracks *tracks,
                         const char *key); // a new one if need be; NULL: no room
void tracks_forget(struct tracks *tracks, struct track *track);

// The raised alarm that the event with this identifier raised, or NULL.
const struct track *tracks_find_raised(const struct tracks *tracks, const char *id);
void tracks_set_raised_id(struct tracks *tracks, struct track *track, const char *id);

// Keeps a reference to the event, or none when it is NULL. False, and nothing changed: there are
// POLICY_PENDING_MAX already.
bool tracks_set_last(struct tracks *tracks, struct track *track, struct event *event);

void tracks_each(struct tracks *tracks, void (*each)(void *ctx, struct track *track), void *ctx);

#endif
