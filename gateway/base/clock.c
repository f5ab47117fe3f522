// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static int64_t clock_read(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * CLOCK_US_PER_S + ts.tv_nsec / 1000;
}

static int64_t clock_system_utc(void *ctx)
{
    (void)ctx;
    return clock_read(CLOCK_REALTIME);
}

static int64_t clock_system_monotonic(void *ctx)
{
    (void)ctx;
    return clock_read(CLOCK_MONOTONIC);
}

const struct clock clock_system = {clock_system_utc, clock_system_monotonic, NULL};

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

// Writes `count` digits and the character `after`; returns the place behind `after`.
static char *clock_put_digits(char *p, int64_t number, size_t count, char after)
{
    p[count] = after;
    for (size_t i = count; i-- > 0; number /= 10)
        p[i] = (char)('0' + number % 10);
    return p + count + 1;
}

// Writes the date of a day since 1970, from year 0 on, with a 'T' behind it; returns the place
// after it. gmtime_r(3) takes a lock that all threads share. Years begin with March here: the day
// of a leap year is the last day.
static char *clock_put_date(char *p, int64_t day)
{
    enum {
        YEAR = 365,
        YEARS_4 = 4 * YEAR + 1,
        YEARS_100 = 25 * YEARS_4 - 1,
        YEARS_400 = 4 * YEARS_100 + 1
    };
    static const short MONTHS[] = {0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337};
    const int64_t since = day + 719468 + YEARS_400; // 1 March of the year -400
    int64_t left = since % YEARS_400, year = since / YEARS_400 * 400 - 400;
    const int64_t centuries = left / YEARS_100 < 3 ? left / YEARS_100 : 3;
    left -= centuries * YEARS_100;
    year += centuries * 100 + left / YEARS_4 * 4;
    left %= YEARS_4;
    const int64_t years = left / YEAR < 3 ? left / YEAR : 3;
    left -= years * YEAR;
    int month = 11;
    while (MONTHS[month] > left)
        month--;
    p = clock_put_digits(p, year + years + (month >= 10), 4, '-');
    p = clock_put_digits(p, (month + 2) % 12 + 1, 2, '-');
    return clock_put_digits(p, left - MONTHS[month] + 1, 2, 'T');
}

void clock_format_utc(int64_t utc_us, char out[CLOCK_TEXT_SIZE])
{
    const int64_t first = INT64_C(-62167219200), last = INT64_C(253402300799); // years 0 and 9999
    const int64_t day_s = 86400;
    int64_t s = utc_us / CLOCK_US_PER_S, us = utc_us % CLOCK_US_PER_S;
    if (us < 0) {
        us += CLOCK_US_PER_S;
        s--;
    }
    if (s < first)
        s = first;
    if (s > last)
        s = last;
    const int64_t second = (s - first) % day_s;
    out = clock_put_date(out, (s - second) / day_s);
    out = clock_put_digits(out, second / 3600, 2, ':');
    out = clock_put_digits(out, second / 60 % 60, 2, ':');
    out = clock_put_digits(out, second % 60, 2, '.');
    out = clock_put_digits(out, us, 6, 'Z');
    *out = '\0';
}

// Reads a fraction: ".5" is 500,000 microseconds. Ignores digits after the sixth. Advances `*p`.
static bool clock_read_fraction(const char **p, int64_t *us)
{
    *us = 0;
    if (**p != '.')
        return true;
    size_t digits = strspn(++*p, "0123456789");
    int64_t scale = CLOCK_US_PER_S / 10;
    for (size_t i = 0; i < digits; i++, scale /= 10)
        *us += (*(*p)++ - '0') * scale;
    return digits > 0;
}

static bool clock_read_offset(const char *p, int64_t *us)
{
    unsigned hours, minutes;
    int length = 0;
    *us = 0;
    if (strcmp(p, "Z") == 0 || strcmp(p, "z") == 0)
        return true;
    if (strspn(p + (*p != '\0'), "0123456789:") != 5 ||
        sscanf(p + 1, "%2u:%2u%n", &hours, &minutes, &length) != 2 || length != 5 || p[6] != '\0' ||
        hours > 23 || minutes > 59 || !strchr("+-", *p))
        return false;
    *us = (INT64_C(60) * hours + minutes) * 60 * CLOCK_US_PER_S * (*p == '-' ? -1 : 1);
    return true;
}

bool clock_parse_utc(const char *text, int64_t *out)
{
    struct tm tm = {0};
    int64_t fraction, offset;
    const char *p = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!p || !clock_read_fraction(&p, &fraction) || !clock_read_offset(p, &offset))
        return false;
    *out = timegm(&tm) * CLOCK_US_PER_S + fraction - offset;
    return *out > 0;
}
