#include "base/clock.h"

#include <stdio.h>
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
    nanosleep(&(struct timespec){.tv_sec = us / CLOCK_US_PER_S, .tv_nsec = us % CLOCK_US_PER_S * 1000},
              NULL);
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
    snprintf(out, CLOCK_TEXT_SIZE, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ",
             (unsigned)(tm.tm_year + 1900) % 10000U, (unsigned)(tm.tm_mon + 1) % 100U,
             (unsigned)tm.tm_mday % 100U, (unsigned)tm.tm_hour % 100U, (unsigned)tm.tm_min % 100U,
             (unsigned)tm.tm_sec % 100U, (unsigned)us % 1000000U);
}
