// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * CLOCK_US_PER_S + ts.tv_nsec / 1000;
}

static int64_t system_utc(void *ctx)
{
    (void)ctx;
    return read_clock(CLOCK_REALTIME);
}

static int64_t system_monotonic(void *ctx)
{
    (void)ctx;
    return read_clock(CLOCK_MONOTONIC);
}

const struct clock clock_system = {system_utc, system_monotonic, NULL};

void clock_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attr);
    pthread_condattr_destroy(&attr);
}

struct timespec clock_deadline(int64_t timeout_us)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    int64_t ns = ts.tv_nsec + timeout_us % CLOCK_US_PER_S * 1000;
    ts.tv_sec += (time_t)(timeout_us / CLOCK_US_PER_S + ns / 1000000000);
    ts.tv_nsec = (long)(ns % 1000000000);
    return ts;
}

void clock_sleep(int64_t us)
{
    nanosleep(
        &(struct timespec){.tv_sec = us / CLOCK_US_PER_S, .tv_nsec = us % CLOCK_US_PER_S * 1000},
        NULL);
}

// Writes `count` digits and the character that follows them; returns the place after it.
static char *clock_put_digits(char *p, int64_t number, size_t count, char after)
{
    p[count] = after;
    for (size_t i = count; i-- > 0; number /= 10)
        p[i] = (char)('0' + number % 10);
    return p + count + 1;
}

void clock_format_utc(int64_t utc_us, char out[CLOCK_TEXT_SIZE])
{
    const int64_t first = INT64_C(-62167219200), last = INT64_C(253402300799); // years 0 and 9999
    int64_t s = utc_us / CLOCK_US_PER_S, us = utc_us % CLOCK_US_PER_S;
    if (us < 0) {
        us += CLOCK_US_PER_S;
        s--;
    }
    if (s < first)
        s = first;
    if (s > last)
        s = last;
    time_t t = (time_t)s;
    struct tm tm;
    gmtime_r(&t, &tm);
    out = clock_put_digits(out, (int64_t)tm.tm_year + 1900, 4, '-');
    out = clock_put_digits(out, tm.tm_mon + 1, 2, '-');
    out = clock_put_digits(out, tm.tm_mday, 2, 'T');
    out = clock_put_digits(out, tm.tm_hour, 2, ':');
    out = clock_put_digits(out, tm.tm_min, 2, ':');
    out = clock_put_digits(out, tm.tm_sec, 2, '.');
    out = clock_put_digits(out, us, 6, 'Z');
    *out = '\0';
}
