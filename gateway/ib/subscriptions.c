// SPDX-License-Identifier: BSD-2-Clause
#include "ib/subscriptions.h"

#include "base/clock.h"

#include <assert.h>
#include <stdio.h>

static const uint16_t GENERIC[] = {64,  65,  66,  67,  68,  69,  128, 129,
                                   130, 131, 144, 145, 256, 257, 258, 259};
static_assert(SUBSCRIPTIONS_COUNT == sizeof GENERIC / sizeof *GENERIC + 1, "and vendors' traps");

enum { UNDER_WAY_MAX = 8, REFUSALS_MIN = 4, STATUS_NO_RESOURCES = 0x0100 };
static const int64_t ANSWER_US = 1 * CLOCK_US_PER_S;
static const int64_t RETRY_FIRST_US = 1 * CLOCK_US_PER_S, RETRY_LAST_US = 30 * CLOCK_US_PER_S;
static const int64_t REJECTED_RETRY_US = 60 * CLOCK_US_PER_S;

bool subscriptions_needs_key(uint32_t trap)
{
    return trap >= NOTICE_BAD_MKEY && trap <= NOTICE_BAD_PKEY_AT_SWITCH;
}

void subscriptions_init(struct subscriptions *s, int64_t refresh_us, bool wants_all,
                        const struct random *random, struct log *log)
{
    *s = (struct subscriptions){
        .wants_all = wants_all, .refresh_us = refresh_us, .random = random, .log = log};
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT - 1; i++)
        s->each[i].trap = GENERIC[i];
    s->each[SUBSCRIPTIONS_COUNT - 1].trap = MAD_TRAP_VENDOR;
    s->each[SUBSCRIPTIONS_ALL].trap = MAD_TRAP_ALL;
}

bool subscriptions_is_covered(const struct subscriptions *s, const struct subscription *one)
{
    const struct subscription *all = &s->each[SUBSCRIPTIONS_ALL];
    return one != all && one->trap != MAD_TRAP_VENDOR && all->state == SUBSCRIPTION_SUBSCRIBED &&
           (all->keyed || !subscriptions_needs_key(one->trap));
}

// Whether the answer to the subscription to all traps may make this one superfluous.
static bool subscriptions_waits_for_all(const struct subscriptions *s,
                                        const struct subscription *one)
{
    const struct subscription *all = &s->each[SUBSCRIPTIONS_ALL];
    return s->wants_all && one != all && all->state == SUBSCRIPTION_PENDING &&
           one->trap != MAD_TRAP_VENDOR && one->state != SUBSCRIPTION_SUBSCRIBED;
}

static void subscriptions_log_state(const struct subscriptions *s, const struct subscription *one,
                                    enum subscription_state state)
{
    char which[32], detail[128];
    if (!log_is_debug(s->log))
        return;
    struct subscription next = *one;
    struct text t = text_in(detail, sizeof detail);
    next.state = state;
    subscriptions_add_detail(&t, &next, true);
    snprintf(which, sizeof which, "trap %u", (unsigned)one->trap);
    log_debug(s->log, "subscription to %s: %s -> %s%s%s",
              one->trap == MAD_TRAP_VENDOR ? "vendors' traps"
              : one->trap == MAD_TRAP_ALL  ? "all traps"
                                           : which,
              subscriptions_state_word(one->state), subscriptions_state_word(state),
              detail[0] ? ": " : "", detail);
}

static void subscriptions_enter(const struct subscriptions *s, struct subscription *one,
                                enum subscription_state state, int64_t now)
{
    if (one->state != state)
        subscriptions_log_state(s, one, state);
    if (one->state != state)
        one->changed_at = now;
    one->state = state;
}

void subscriptions_restart(struct subscriptions *s, int64_t now)
{
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
        struct subscription *one = &s->each[i];
        subscriptions_enter(s, one, SUBSCRIPTION_PENDING, now);
        one->status = 0;
        one->failures = 0;
        one->ask_at = now;
        one->answer_by = 0;
    }
}

static bool subscriptions_may_ask(const struct subscriptions *s, const struct subscription *one)
{
    if (one == &s->each[SUBSCRIPTIONS_ALL])
        return s->wants_all && !s->holds_keyed;
    if (s->holds_keyed && subscriptions_needs_key(one->trap))
        return false;
    return !subscriptions_is_covered(s, one) && !subscriptions_waits_for_all(s, one);
}

struct subscription *subscriptions_due(struct subscriptions *s, int64_t now)
{
    struct subscription *due = NULL;
    unsigned under_way = 0;
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
        struct subscription *one = &s->each[i];
        if (one->answer_by != 0)
            under_way++;
        else if (!due && one->ask_at <= now && subscriptions_may_ask(s, one))
            due = one;
    }
    return under_way < UNDER_WAY_MAX ? due : NULL;
}

void subscriptions_asked(struct subscription *one, uint32_t tid, int64_t now)
{
    one->tid = tid;
    one->answer_by = now + ANSWER_US;
}

void subscriptions_renew(struct subscriptions *s, bool keyed, int64_t now)
{
    const bool any = !keyed && subscriptions_subscribed(s) == 0;
    struct subscription *next = NULL;
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
        struct subscription *one = &s->each[i];
        const bool has_key = one->trap == MAD_TRAP_ALL || subscriptions_needs_key(one->trap);
        const bool fits = (any || one->state == SUBSCRIPTION_SUBSCRIBED) && (has_key || !keyed);
        if (fits && subscriptions_may_ask(s, one) && one->answer_by == 0 &&
            (!next || one->ask_at < next->ask_at))
            next = one;
    }
    if (next && next->ask_at > now)
        next->ask_at = now;
}

// The subscription to all traps was confirmed, or is not held any more: that holds for those that
// it covers.
static void subscriptions_follow_all(struct subscriptions *s, bool held, int64_t now)
{
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        struct subscription *one = &s->each[i];
        if (!subscriptions_is_covered(s, one) || (one->state == SUBSCRIPTION_SUBSCRIBED) == held)
            continue;
        subscriptions_enter(s, one, held ? SUBSCRIPTION_SUBSCRIBED : SUBSCRIPTION_PENDING, now);
        one->failures = 0;
        one->answer_by = 0;
        one->ask_at = now;
    }
}

static void subscriptions_handle_confirmation(struct subscriptions *s, struct subscription *one,
                                              int64_t now)
{
    subscriptions_enter(s, one, SUBSCRIPTION_SUBSCRIBED, now);
    one->failures = 0;
    one->ask_at = now + jitter_us(s->refresh_us, s->random);
    if (one == &s->each[SUBSCRIPTIONS_ALL])
        subscriptions_follow_all(s, true, now);
}

// The SM may refuse because it is busy, out of resources, or does not know the port yet: ask again
// soon. A subscription that needs an SA key can wait longer.
static void subscriptions_handle_refusal(struct subscriptions *s, struct subscription *one,
                                         int64_t now)
{
    if (one == &s->each[SUBSCRIPTIONS_ALL])
        subscriptions_follow_all(s, false, now);
    subscriptions_enter(s, one, SUBSCRIPTION_REJECTED, now);
    one->failures++;
    int64_t wait = subscriptions_needs_key(one->trap)
                       ? REJECTED_RETRY_US
                       : backoff_steady_us(one->failures, RETRY_FIRST_US, RETRY_LAST_US);
    if (one == &s->each[SUBSCRIPTIONS_ALL])
        wait = s->refresh_us; // those for each trap take its place
    one->ask_at = now + jitter_us(wait, s->random);
}

struct subscription *subscriptions_asked_with(struct subscriptions *s, uint32_t tid)
{
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
        if (s->each[i].answer_by != 0 && s->each[i].tid == tid)
            return &s->each[i];
    }
    return NULL;
}

bool subscriptions_answered(struct subscriptions *s, uint32_t tid, uint16_t status, int64_t now)
{
    struct subscription *one = subscriptions_asked_with(s, tid);
    if (!one)
        return false;
    one->answer_by = 0;
    one->status = status;
    if (status == 0)
        subscriptions_handle_confirmation(s, one, now);
    else
        subscriptions_handle_refusal(s, one, now);
    return true;
}

bool subscriptions_redirected(struct subscriptions *s, uint32_t tid, int64_t now)
{
    struct subscription *one = subscriptions_asked_with(s, tid);
    if (one) {
        one->answer_by = 0;
        one->ask_at = now;
    }
    return one != NULL;
}

bool subscriptions_expire(struct subscriptions *s, int64_t now)
{
    bool any = false;
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++) {
        struct subscription *one = &s->each[i];
        if (one->answer_by == 0 || one->answer_by > now)
            continue;
        one->answer_by = 0;
        one->failures++;
        if (one == &s->each[SUBSCRIPTIONS_ALL])
            subscriptions_follow_all(s, false, now);
        subscriptions_enter(s, one, SUBSCRIPTION_NO_ANSWER, now);
        one->ask_at =
            now +
            jitter_us(backoff_steady_us(one->failures, RETRY_FIRST_US, RETRY_LAST_US), s->random);
        any = true;
    }
    return any;
}

struct subscription *subscriptions_reduce(struct subscriptions *s, int64_t now)
{
    int64_t refused_at = 0;
    struct subscription *held = NULL;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        struct subscription *one = &s->each[i];
        if (one->state == SUBSCRIPTION_REJECTED && one->status == STATUS_NO_RESOURCES &&
            one->failures >= REFUSALS_MIN && one->changed_at > refused_at)
            refused_at = one->changed_at;
        if (one->state == SUBSCRIPTION_SUBSCRIBED && one->trap != MAD_TRAP_VENDOR &&
            (!held || one->changed_at < held->changed_at))
            held = one;
    }
    // A refusal that is older than all confirmations says nothing about the room for more.
    if (s->wants_all || !held || held->changed_at > refused_at)
        return NULL;
    s->wants_all = true;
    s->each[SUBSCRIPTIONS_ALL].ask_at = now + ANSWER_US;
    subscriptions_enter(s, held, SUBSCRIPTION_PENDING, now);
    held->answer_by = 0;
    return held;
}

void subscriptions_reported(struct subscriptions *s, uint32_t trap, int64_t now)
{
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        if (s->each[i].trap == trap) {
            s->each[i].reports++;
            s->each[i].report_at = now;
            return;
        }
    }
}

bool subscriptions_settled(const struct subscriptions *s)
{
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        const struct subscription *one = &s->each[i];
        bool refused = one->state == SUBSCRIPTION_REJECTED && one->failures >= REFUSALS_MIN;
        if (one->state != SUBSCRIPTION_SUBSCRIBED && !refused &&
            !subscriptions_needs_key(one->trap))
            return false;
    }
    return subscriptions_subscribed(s) > 0;
}

size_t subscriptions_missing(const struct subscriptions *s, const bool listed[SUBSCRIPTIONS_PLACES],
                             int64_t since)
{
    size_t missing = 0;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        const struct subscription *one = &s->each[i];
        const bool is_listed = listed[subscriptions_is_covered(s, one) ? SUBSCRIPTIONS_ALL : i];
        missing += one->state == SUBSCRIPTION_SUBSCRIBED && !is_listed && one->changed_at < since;
    }
    return missing;
}

size_t subscriptions_under_way(const struct subscriptions *s)
{
    size_t n = 0;
    for (size_t i = 0; i < SUBSCRIPTIONS_PLACES; i++)
        n += s->each[i].answer_by != 0;
    return n;
}

size_t subscriptions_subscribed(const struct subscriptions *s)
{
    size_t subscribed = 0;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        subscribed += s->each[i].state == SUBSCRIPTION_SUBSCRIBED;
    return subscribed;
}

const char *subscriptions_state_word(enum subscription_state state)
{
    static const char *const WORDS[] = {"pending", "subscribed", "rejected", "no-answer"};
    return WORDS[state];
}

void subscriptions_add_detail(struct text *t, const struct subscription *one, bool has_sa_key)
{
    bool key = subscriptions_needs_key(one->trap);
    switch (one->state) {
    case SUBSCRIPTION_REJECTED:
        text_addf(t, "%s (0x%04x)", mad_status_words(one->status), (unsigned)one->status);
        if (key && !has_sa_key)
            text_add(t, "; needs the SA key (item sa_key_file)");
        break;
    case SUBSCRIPTION_NO_ANSWER:
        text_addf(t, "asked %u times", one->failures);
        if (key && has_sa_key)
            text_add(t, "; is the SA key right? A wrong one is not answered");
        break;
    default:
        break;
    }
}
