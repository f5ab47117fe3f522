// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/time_parser.h"

#include "base/clock.h"

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

bool time_parse(const char *text, int64_t now_us, int64_t *out)
{
    return read_ago(text, now_us, out) || clock_parse_utc(text, out);
}
