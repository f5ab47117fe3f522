// The subscriptions at the SA: what is asked for, what became of it, when to ask again. Pure: time
// and chance are arguments; nothing but the log is written.
#ifndef IBTRAPD_IB_SUBSCRIPTIONS_H
#define IBTRAPD_IB_SUBSCRIPTIONS_H

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "ib/mad.h"

#include <stdint.h>

enum { SUBSCRIPTIONS_COUNT = 17 };

enum subscription_state {
    SUBSCRIPTION_PENDING,    // not answered yet
    SUBSCRIPTION_SUBSCRIBED, // the SA confirmed it
    SUBSCRIPTION_REJECTED,   // the SA refused it, see status
    SUBSCRIPTION_NO_ANSWER,  // asked, in vain
};

struct subscription {
    uint32_t trap; // generic trap number, or MAD_TRAP_VENDOR
    enum subscription_state state;
    uint16_t status;    // of the SA's refusal
    unsigned failures;  // in a row
    int64_t ask_at;     // monotonic microseconds
    int64_t answer_by;  // 0: no request under way
    uint32_t tid;       // of the request under way
    int64_t changed_at; // monotonic: when `state` last changed; 0: never
    uint64_t reports;   // of this trap, repeats included
    int64_t report_at;  // monotonic: the last one's; 0: none
};

struct subscriptions {
    struct subscription each[SUBSCRIPTIONS_COUNT];
    int64_t refresh_us; // a subscription held this long is asked for again
    const struct random *random;
    struct log *log; // NULL: none
};

void subscriptions_init(struct subscriptions *s, int64_t refresh_us, const struct random *random,
                        struct log *log);

// Forgets all that the SA said; everything is due now.
void subscriptions_restart(struct subscriptions *s, int64_t now);

// The next one to ask for, or NULL. The caller sends the request and then calls
// subscriptions_asked.
struct subscription *subscriptions_due(struct subscriptions *s, int64_t now);
void subscriptions_asked(struct subscription *one, uint32_t tid, int64_t now);

// An answer arrived; false when no request with that TransactionID is under way.
bool subscriptions_answered(struct subscriptions *s, uint32_t tid, uint16_t status, int64_t now);

// Gives up on requests whose time is over. True when there were any.
bool subscriptions_expire(struct subscriptions *s, int64_t now);

// A Report of that trap came: a generic trap number, or MAD_TRAP_VENDOR.
void subscriptions_reported(struct subscriptions *s, uint32_t trap, int64_t now);

// Whether the SA confirmed all that it gives without a key, or refused some of it again and again.
// Traps 256 to 259 do not count: they need one.
bool subscriptions_settled(const struct subscriptions *s);
size_t subscriptions_subscribed(const struct subscriptions *s);
// Those that were confirmed before `since` and are not `listed` by the SA.
size_t subscriptions_missing(const struct subscriptions *s, const bool listed[SUBSCRIPTIONS_COUNT],
                             int64_t since);
size_t subscriptions_under_way(const struct subscriptions *s); // asked and not answered yet

bool subscriptions_needs_key(uint32_t trap);

// "subscribed", "rejected", "no-answer", "pending"
const char *subscriptions_state_word(enum subscription_state state);

// Adds the reason in words, with what to do about it.
void subscriptions_add_detail(struct text *t, const struct subscription *one, bool has_sa_key);

#endif
