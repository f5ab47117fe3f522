// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/time_parser.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t YEARS_S = 100 * INT64_C(366) * 86400;

static bool read_ago(const char *text, int64_t now_us, int64_t *out)
{
    static const struct {
        char letter;
        int64_t seconds;
    } UNITS[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 10 || strlen(text) != digits + 1)
        return false;
    int64_t number = strtoll(text, NULL, 10);
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (text[digits] == UNITS[i].letter && number <= YEARS_S / UNITS[i].seconds) {
            *out = now_us - number * UNITS[i].seconds * CLOCK_US_PER_S;
            return *out > 0;
        }
    }
    return false;
}

// Reads a fraction: ".5" is 500,000 microseconds. Ignores digits after the sixth. Advances `*p`.
static bool read_fraction(const char **p, int64_t *us)
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

static bool read_offset(const char *p, int64_t *us)
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

bool time_parse(const char *text, int64_t now_us, int64_t *out)
{
    struct tm tm = {0};
    int64_t fraction, offset;
    if (read_ago(text, now_us, out))
        return true;
    const char *p = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!p || !read_fraction(&p, &fraction) || !read_offset(p, &offset))
        return false;
    *out = timegm(&tm) * CLOCK_US_PER_S + fraction - offset;
    return *out > 0;
}
