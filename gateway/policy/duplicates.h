// Events that say the same as one shortly before.
//
// An event and its counterpart (a GID comes into service, goes out of it) are news to each other:
// what repeats the last but one is no repetition.
#ifndef IBTRAPD_POLICY_DUPLICATES_H
#define IBTRAPD_POLICY_DUPLICATES_H

#include "model/event.h"

enum { DUPLICATES_MAX = 8192 }; // things that are remembered; for one more the oldest is forgotten

// What is to be told of one thing.
struct duplicates_account {
    const struct event *last; // of those held
    uint64_t suppressed;      // at least 1
    int64_t since_us;         // UTC, of the first of them
    const char *first_id;     // of the event that passed
};

struct duplicates;

// `tell` is called from the functions below. NULL: out of memory.
struct duplicates *duplicates_new(void (*tell)(void *ctx, const struct duplicates_account *account),
                                  void *ctx);
void duplicates_free(struct duplicates *duplicates); // tells nothing; NULL is allowed

// True: the event is to be held. `window_us` is from the first of the same; 0: nothing is a
// duplicate.
bool duplicates_suppress(struct duplicates *duplicates, struct event *event, int64_t window_us,
                         int64_t now_us);

// Where repetitions go on, an account a window is told.
void duplicates_tick(struct duplicates *duplicates, int64_t window_us, int64_t now_us);
int64_t duplicates_due(const struct duplicates *duplicates); // INT64_MAX: nothing is

// As if every window were over: nothing is remembered any more.
void duplicates_end(struct duplicates *duplicates);

#endif
