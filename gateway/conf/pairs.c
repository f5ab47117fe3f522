// SPDX-License-Identifier: BSD-2-Clause
#include "conf/schema_rows.h"

#include "model/counter.h"
#include "model/severity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const uint64_t THRESHOLD_MAX = UINT32_MAX;

// Splits "name=value". Cuts a name that is longer than every good one. False: there is no "=".
static bool pairs_split(const char *pair, char name[64], const char **value)
{
    const char *equals = strchr(pair, '=');
    if (!equals)
        return false;
    snprintf(name, 64, "%.*s", (int)(equals - pair), pair);
    *value = equals + 1;
    return true;
}

// Thresholds of counters. A healthy fabric stays below the defaults in the minute between two
// readings.

static void thresholds_reset(void *array)
{
    static const uint64_t INITIAL[COUNTER_ERRORS] = {
        [COUNTER_LINK_DOWNED] = 2,
        [COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = 1,
        [COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = 1,
    };
    memcpy(array, INITIAL, sizeof INITIAL);
}

static bool thresholds_take(const char *pair, void *array, struct error *reason)
{
    char name[64], *end;
    const char *value;
    if (!pairs_split(pair, name, &value))
        return error_set(reason,
                         "must be a counter and its threshold, such as \"SymbolErrorCounter=10\"");
    enum counter counter = counter_find(name);
    if (counter == COUNTER_ERRORS)
        return error_set(reason, "there is no such counter");
    errno = 0;
    uint64_t limit = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || limit > THRESHOLD_MAX)
        return error_set(reason, "the threshold must be a whole number from 0 to 4294967295");
    ((uint64_t *)array)[counter] = limit;
    return true;
}

static bool thresholds_add(const void *array, size_t place, struct text *out)
{
    if (place == COUNTER_ERRORS)
        return false;
    text_addf(out, "%s=%llu", counter_name((enum counter)place),
              (unsigned long long)((const uint64_t *)array)[place]);
    return true;
}

const struct schema_pairs PAIRS_THRESHOLDS = {thresholds_reset, thresholds_take, thresholds_add,
                                              NULL};

// Rates of errors. A healthy fabric stays below the defaults.

enum { RATE_WINDOWS = 2 };

static const double BIT_ERROR_RATES[COUNTER_ERRORS][RATE_WINDOWS] = {
    [COUNTER_SYMBOL_ERROR] = {1e-13, 1e-14},
    [COUNTER_FEC_UNCORRECTABLE] = {1e-13, 1e-14},
};

static void bit_error_rates_reset(void *array)
{
    memcpy(array, BIT_ERROR_RATES, sizeof BIT_ERROR_RATES);
}

static const double ERROR_RATES[COUNTER_ERRORS][RATE_WINDOWS] = {
    [COUNTER_SYMBOL_ERROR] = {120, 60},    [COUNTER_LINK_ERROR_RECOVERY] = {20, 2},
    [COUNTER_RCV_ERRORS] = {120, 24},      [COUNTER_XMIT_DISCARDS] = {6000, 3000},
    [COUNTER_VL15_DROPPED] = {6000, 3000}, [COUNTER_FEC_UNCORRECTABLE] = {120, 60},
};

static void error_rates_reset(void *array)
{
    memcpy(array, ERROR_RATES, sizeof ERROR_RATES);
}

// Reads a number such as "1e-13" or "0.5" up to `end`. False: it is none, or out of range.
static bool rates_read(const char *value, char end, double max, double *out, const char **rest)
{
    char *after;
    size_t n = strspn(value, "0123456789.eE+-");
    if (value[0] < '0' || value[0] > '9' || value[n] != end)
        return false;
    *out = strtod(value, &after);
    *rest = after + 1;
    return *after == end && *out >= 0 && *out <= max;
}

static bool rates_take(const char *pair, double max, void *array, struct error *reason)
{
    char name[64];
    const char *value, *rest;
    double rates[RATE_WINDOWS];
    if (!pairs_split(pair, name, &value))
        return error_set(reason, "must be a counter and its two rates, such as \"%s\"",
                         max > 1 ? "PortRcvErrors=120/24" : "SymbolErrorCounter=1e-13/1e-14");
    enum counter counter = counter_find(name);
    if (counter == COUNTER_ERRORS)
        return error_set(reason, "there is no such counter");
    if (!rates_read(value, '/', max, &rates[0], &rest) ||
        !rates_read(rest, '\0', max, &rates[1], &rest))
        return error_set(reason,
                         "must be two rates from 0 to %g, for the short and for the long window, "
                         "with \"/\" between them",
                         max);
    memcpy(((double(*)[RATE_WINDOWS])array)[counter], rates, sizeof rates);
    return true;
}

static bool bit_error_rates_take(const char *pair, void *array, struct error *reason)
{
    return rates_take(pair, 1, array, reason);
}

static bool error_rates_take(const char *pair, void *array, struct error *reason)
{
    return rates_take(pair, (double)THRESHOLD_MAX, array, reason);
}

// Adds the shortest text that reads as that number.
static void rates_add_number(struct text *out, double number)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    text_add(out, text);
}

// Adds nothing for a counter that has no rates and by default has none.
static void rates_add(const double rates[RATE_WINDOWS], const double initial[RATE_WINDOWS],
                      enum counter counter, struct text *out)
{
    if (rates[0] == 0 && rates[1] == 0 && initial[0] == 0 && initial[1] == 0)
        return;
    text_addf(out, "%s=", counter_name(counter));
    rates_add_number(out, rates[0]);
    text_add(out, "/");
    rates_add_number(out, rates[1]);
}

static bool bit_error_rates_add(const void *array, size_t place, struct text *out)
{
    if (place == COUNTER_ERRORS)
        return false;
    const double *rates = array;
    rates_add(rates + place * RATE_WINDOWS, BIT_ERROR_RATES[place], (enum counter)place, out);
    return true;
}

static bool error_rates_add(const void *array, size_t place, struct text *out)
{
    if (place == COUNTER_ERRORS)
        return false;
    const double *rates = array;
    rates_add(rates + place * RATE_WINDOWS, ERROR_RATES[place], (enum counter)place, out);
    return true;
}

const struct schema_pairs PAIRS_BIT_ERROR_RATES = {bit_error_rates_reset, bit_error_rates_take,
                                                   bit_error_rates_add, NULL};
const struct schema_pairs PAIRS_ERROR_RATES = {error_rates_reset, error_rates_take, error_rates_add,
                                               NULL};

// Levels of the log's folders. A folder without one has CONF_SAME.

static void levels_reset(void *array)
{
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        ((int *)array)[i] = CONF_SAME;
}

// Names the folders that a user may name, which are those with debug messages.
static const char *levels_name(size_t place)
{
    for (int i = 0; i < LOG_FOLDER_COUNT; i++) {
        enum log_folder folder;
        const char *word = log_folder_word((enum log_folder)i);
        if (log_folder_from_word(word, &folder) && place-- == 0)
            return word;
    }
    return NULL;
}

static bool levels_take(const char *pair, void *array, struct error *reason)
{
    char name[64];
    const char *value;
    enum log_folder folder;
    int64_t level;
    if (!pairs_split(pair, name, &value))
        return error_set(reason,
                         "must be a folder of the gateway and its level, such as \"ib=debug\"");
    if (!log_folder_from_word(name, &folder))
        return error_set(reason, "%s", log_folder_refusal());
    if (!word_value(WORDS_LOG_LEVEL, value, &level))
        return error_set(reason, "the level must be one of error, warning, info, debug");
    ((int *)array)[folder] = (int)level;
    return true;
}

static bool levels_add(const void *array, size_t place, struct text *out)
{
    if (place == LOG_FOLDER_COUNT)
        return false;
    int level = ((const int *)array)[place];
    if (level != CONF_SAME)
        text_addf(out, "%s=%s", log_folder_word((enum log_folder)place),
                  word_name(WORDS_LOG_LEVEL, level));
    return true;
}

const struct schema_pairs PAIRS_LEVELS = {levels_reset, levels_take, levels_add, levels_name};

// The severity to send for each severity. By default each stays as it is.

enum { SEVERITIES = SEVERITY_DEBUG + 1 };

static void severities_reset(void *array)
{
    for (int i = 0; i < SEVERITIES; i++)
        ((int *)array)[i] = i;
}

static bool severities_take(const char *pair, void *array, struct error *reason)
{
    char name[64];
    const char *value;
    int64_t from, to;
    if (!pairs_split(pair, name, &value) || !word_value(WORDS_SEVERITY, name, &from) ||
        !word_value(WORDS_SEVERITY, value, &to))
        return error_set(reason, "must be two severities, such as \"informational=notice\"");
    ((int *)array)[from] = (int)to;
    return true;
}

static bool severities_add(const void *array, size_t place, struct text *out)
{
    if (place == SEVERITIES)
        return false;
    int to = ((const int *)array)[place];
    if (to != (int)place)
        text_addf(out, "%s=%s", word_name(WORDS_SEVERITY, (int64_t)place),
                  word_name(WORDS_SEVERITY, to));
    return true;
}

const struct schema_pairs PAIRS_SEVERITIES = {severities_reset, severities_take, severities_add,
                                              NULL};

// Settings of a library. Any name is good here; the module that has the library knows better.

typedef char setting[CONF_SETTING_SIZE];

static void settings_reset(void *array)
{
    memset(array, 0, CONF_SETTINGS_MAX * sizeof(setting));
}

static bool settings_take(const char *pair, void *array, struct error *reason)
{
    static const char GOOD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    setting *all = array;
    const size_t name = strspn(pair, GOOD);
    size_t i = 0;
    if (name == 0 || pair[name] != '=' || pair[name + 1] == '\0')
        return error_set(reason,
                         "must be a setting and its value, such as \"compression.codec=lz4\"");
    if (strlen(pair) >= sizeof(setting))
        return error_set(reason, "is longer than %zu octets", sizeof(setting) - 1);
    while (i < CONF_SETTINGS_MAX && all[i][0] && strncmp(all[i], pair, name + 1) != 0)
        i++;
    if (i == CONF_SETTINGS_MAX)
        return error_set(reason, "there are more than %d settings", (int)CONF_SETTINGS_MAX);
    memset(all[i], 0, sizeof all[i]);
    memcpy(all[i], pair, strlen(pair));
    return true;
}

static bool settings_add(const void *array, size_t place, struct text *out)
{
    if (place == CONF_SETTINGS_MAX)
        return false;
    text_add(out, ((const setting *)array)[place]);
    return true;
}

const struct schema_pairs PAIRS_SETTINGS = {settings_reset, settings_take, settings_add, NULL};

// Headers of HTTP (RFC 9110 5.5). Those that a request's body, or its way, decides are not the
// user's; nor are those that have secrets, which come from files.

typedef char http_header[CONF_HEADER_SIZE];

static bool headers_is_ours(const char *header, size_t length)
{
    static const char *const OURS[] = {
        "Authorization",   "Proxy-Authorization", "Cookie",     "Host",   "Connection",
        "Content-Length",  "Content-Type",        "User-Agent", "Expect", "Content-Encoding",
        "Accept-Encoding", "Transfer-Encoding",   "Upgrade",    "TE",     "Trailer"};
    for (size_t i = 0; i < sizeof OURS / sizeof *OURS; i++) {
        if (strlen(OURS[i]) == length && strncasecmp(OURS[i], header, length) == 0)
            return true;
    }
    return false;
}

static void headers_reset(void *array)
{
    memset(array, 0, CONF_HEADERS_MAX * sizeof(http_header));
}

static bool headers_take(const char *pair, void *array, struct error *reason)
{
    static const char GOOD[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    http_header *all = array;
    const size_t name = strspn(pair, GOOD);
    size_t i = 0;
    if (name == 0 || pair[name] != ':' || pair[name + 1] != ' ' || pair[name + 2] == '\0')
        return error_set(reason, "must be a header such as \"X-Scope-OrgID: fabric\"");
    for (const char *p = pair; *p; p++) {
        if (*p < ' ' || *p > '~')
            return error_set(reason, "must be printable ASCII");
    }
    if (strlen(pair) >= sizeof(http_header))
        return error_set(reason, "is longer than %zu octets", sizeof(http_header) - 1);
    if (headers_is_ours(pair, name))
        return error_set(reason, "other items, or ibtrapd itself, decide this header");
    while (i < CONF_HEADERS_MAX && all[i][0] && strncasecmp(all[i], pair, name + 1) != 0)
        i++;
    if (i == CONF_HEADERS_MAX)
        return error_set(reason, "there are more than %d headers", (int)CONF_HEADERS_MAX);
    memset(all[i], 0, sizeof all[i]);
    memcpy(all[i], pair, strlen(pair));
    return true;
}

static bool headers_add(const void *array, size_t place, struct text *out)
{
    if (place == CONF_HEADERS_MAX)
        return false;
    text_add(out, ((const http_header *)array)[place]);
    return true;
}

const struct schema_pairs PAIRS_HEADERS = {headers_reset, headers_take, headers_add, NULL};
