// SPDX-License-Identifier: BSD-2-Clause
// The subscriptions at the SA: the state of each, and when to request it next. Pure but for the
// log: the caller passes time and randomness.
#pragma once

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "ib/mad.h"

#include <stdint.h>

// The traps that are subscribed to; and one more subscription, which may stand for all generic
// traps.
enum { SUBSCRIPTIONS_COUNT = 17, SUBSCRIPTIONS_ALL = SUBSCRIPTIONS_COUNT, SUBSCRIPTIONS_PLACES };

enum subscription_state {
    SUBSCRIPTION_PENDING,    // not requested or not answered yet
    SUBSCRIPTION_SUBSCRIBED, // the SA confirmed it
    SUBSCRIPTION_REJECTED,   // the SA refused it; see `status`
    SUBSCRIPTION_NO_ANSWER,  // requested, but not answered
};

struct subscription {
    uint32_t trap; // generic trap number, MAD_TRAP_VENDOR, or MAD_TRAP_ALL
    bool keyed;    // the request under way, or confirmed, has the SA key
    enum subscription_state state;
    uint16_t status;    // of the SA's refusal
    unsigned failures;  // in a row
    int64_t ask_at;     // monotonic microseconds: when to request it next
    int64_t answer_by;  // the request's time-out; 0: no request is under way
    uint32_t tid;       // of the request under way
    int64_t changed_at; // monotonic: when `state` last changed; 0: never
    uint64_t reports;   // Reports of this trap, repeats included
    int64_t report_at;  // monotonic: when the last of them came; 0: none
};

struct subscriptions {
    // At SUBSCRIPTIONS_ALL the one to all generic traps. While the subscription to all generic
    // traps is confirmed, the other subscriptions need no requests.
    struct subscription each[SUBSCRIPTIONS_PLACES];
    bool wants_all;     // request it, before the others
    bool holds_keyed;   // subscriptions with an SA key are not due
    int64_t refresh_us; // from a confirmation to the renewal, a quarter more or less
    const struct random *random;
    struct log *log; // NULL: none
};

void subscriptions_init(struct subscriptions *s, int64_t refresh_us, bool wants_all,
                        const struct random *random, struct log *log);

// Discards all answers of the SA; every subscription is due now.
void subscriptions_restart(struct subscriptions *s, int64_t now);

// The next subscription to request, or NULL. The caller sends the request and then calls
// subscriptions_asked.
struct subscription *subscriptions_due(struct subscriptions *s, int64_t now);
void subscriptions_asked(struct subscription *one, uint32_t tid, int64_t now);

// Whether the confirmed subscription to all traps covers this one.
bool subscriptions_is_covered(const struct subscriptions *s, const struct subscription *one);

// If the SA has no room for all subscriptions, requests the subscription to all traps, and gives up
// another subscription to make room. The caller unsubscribes the returned subscription. NULL: there
// is room.
struct subscription *subscriptions_reduce(struct subscriptions *s, int64_t now);

// Makes one subscription due, in turn: a confirmed subscription, because its renewal changes
// nothing at the SA; or any, if none is confirmed. `keyed`: a confirmed subscription among those
// that always have the SA key.
void subscriptions_renew(struct subscriptions *s, bool keyed, int64_t now);

// The subscription with a request under way of this TransactionID. Returns NULL if there is none.
struct subscription *subscriptions_asked_with(struct subscriptions *s, uint32_t tid);

// Handles an answer. False: no request with this TransactionID is under way.
bool subscriptions_answered(struct subscriptions *s, uint32_t tid, uint16_t status, int64_t now);

// The request with that TransactionID is to be sent again, elsewhere: makes it due. False: none is
// under way.
bool subscriptions_redirected(struct subscriptions *s, uint32_t tid, int64_t now);

// Gives up requests after their time-out. True: there were any.
bool subscriptions_expire(struct subscriptions *s, int64_t now);

// Counts a Report of that trap: a generic trap number, or MAD_TRAP_VENDOR.
void subscriptions_reported(struct subscriptions *s, uint32_t trap, int64_t now);

// Whether the SA has confirmed a subscription, and each other one is confirmed, repeatedly refused,
// or needs an SA key (traps 256 to 259).
bool subscriptions_settled(const struct subscriptions *s);
size_t subscriptions_subscribed(const struct subscriptions *s); // how many are confirmed
// How many were confirmed before `since` and are not `listed` by the SA.
size_t subscriptions_missing(const struct subscriptions *s, const bool listed[SUBSCRIPTIONS_PLACES],
                             int64_t since);
size_t subscriptions_under_way(const struct subscriptions *s); // requested, and not answered yet

bool subscriptions_needs_key(uint32_t trap); // an SA key

// "subscribed", "rejected", "no-answer", "pending"
const char *subscriptions_state_word(enum subscription_state state);

// Adds the reason of a refusal or of no answer in words, with a remedy where there is one.
void subscriptions_add_detail(struct text *t, const struct subscription *one, bool has_sa_key);
