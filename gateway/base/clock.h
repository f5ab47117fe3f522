// SPDX-License-Identifier: BSD-2-Clause
// Time. Callers pass the clock in: tests run in virtual time.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_US_PER_S  INT64_C(1000000)
#define CLOCK_US_PER_MS INT64_C(1000)

struct clock {
    int64_t (*utc)(void *ctx);       // microseconds since 1970-01-01T00:00:00Z
    int64_t (*monotonic)(void *ctx); // microseconds; never goes back
    void *ctx;
};

// The machine's own clocks.
extern const struct clock clock_system;

static inline int64_t clock_utc(const struct clock *c)
{
    return c->utc(c->ctx);
}

static inline int64_t clock_monotonic(const struct clock *c)
{
    return c->monotonic(c->ctx);
}

// The machine's monotonic time, for code that waits for peers or people.
static inline int64_t clock_now(void)
{
    return clock_monotonic(&clock_system);
}

static inline int64_t clock_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Initialises a condition variable with CLOCK_MONOTONIC, a clock that nobody can set. The caller
// destroys the condition variable.
void clock_condition_init(pthread_cond_t *condition);

// The time on CLOCK_MONOTONIC in `timeout_us` microseconds (not negative), for
// pthread_cond_timedwait(3) with such a condition variable.
struct timespec clock_deadline(int64_t timeout_us);

// Waits for such a condition variable until the expression `holds` is true, or for `timeout_us`.
// Call it with the lock held.
#define CLOCK_AWAIT(condition, lock, timeout_us, holds)                                            \
    do {                                                                                           \
        const struct timespec clock_until = clock_deadline(timeout_us);                            \
        while (!(holds) && pthread_cond_timedwait(condition, lock, &clock_until) == 0)             \
            ;                                                                                      \
    } while (0)

// Sleeps for so many microseconds, not negative, or until a signal comes.
void clock_sleep(int64_t us);

enum { CLOCK_TEXT_SIZE = 28 }; // "2026-11-21T03:19:03.123456Z" and its NUL

// RFC 3339 with microseconds, as RFC 5424 wants it. Years outside 0..9999 are clamped.
void clock_format_utc(int64_t utc_us, char out[CLOCK_TEXT_SIZE]);

// Reads a time of RFC 3339, "2026-11-21T04:06:39Z"; fractions of a second and an offset, for
// instance +01:00, are allowed. UTC, microseconds since 1970. False: the text is no time, or the
// time is before 1970.
bool clock_parse_utc(const char *text, int64_t *out);
