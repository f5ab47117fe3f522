// SPDX-License-Identifier: BSD-2-Clause
#include "conf/schema_rows.h"

#include "model/counter.h"
#include "model/severity.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Splits "NAME=VALUE". Cuts a name that is longer than every good name. Returns the value; NULL
// with a reason: there is no "=".
static const char *pairs_split(const struct schema_pairs *pairs, const char *pair, char name[64],
                               struct error *reason)
{
    const char *equals = strchr(pair, '=');
    if (!equals) {
        error_set(reason, "must be %s", pairs->wanted);
        return NULL;
    }
    snprintf(name, 64, "%.*s", (int)(equals - pair), pair);
    return equals + 1;
}

// Splits "COUNTER=VALUE". Returns the value; NULL with a reason.
static const char *pairs_split_counter(const struct schema_pairs *pairs, const char *pair,
                                       enum counter *counter, struct error *reason)
{
    char name[64];
    const char *value = pairs_split(pairs, pair, name, reason);
    *counter = value ? counter_find(name) : COUNTER_ERRORS;
    if (value && *counter == COUNTER_ERRORS)
        error_set(reason, "there is no such counter");
    return *counter == COUNTER_ERRORS ? NULL : value;
}

// Thresholds of counters. A healthy fabric stays below the defaults in the minute between two
// readings.

static const uint64_t THRESHOLDS[COUNTER_ERRORS] = {
    [COUNTER_LINK_DOWNED] = 2,
    [COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = 1,
    [COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = 1,
};

static bool pairs_thresholds_take(const struct schema_pairs *pairs, const char *pair, void *array,
                                  struct error *reason)
{
    enum counter counter;
    char *end;
    const char *value = pairs_split_counter(pairs, pair, &counter, reason);
    if (!value)
        return false;
    errno = 0;
    uint64_t limit = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || limit > UINT32_MAX)
        return error_set(reason, "the threshold must be a whole number from 0 to 4294967295");
    ((uint64_t *)array)[counter] = limit;
    return true;
}

static void pairs_thresholds_add(const struct schema_pairs *pairs, const void *array, size_t place,
                                 struct text *out)
{
    (void)pairs;
    text_addf(out, "%s=%llu", counter_name((enum counter)place),
              (unsigned long long)((const uint64_t *)array)[place]);
}

const struct schema_pairs PAIRS_THRESHOLDS = {
    COUNTER_ERRORS, THRESHOLDS, pairs_thresholds_take, pairs_thresholds_add,
    .wanted = "a counter and its threshold, such as \"SymbolErrorCounter=10\""};

// Rates of errors over a short and a long window, first for a warning, then for an error. A healthy
// fabric stays below the defaults. With error correction, the defaults are those that NVIDIA's
// bring-up of links and its plugin PDR use: symbol errors 5e-15 and 1e-14, blocks beyond repair
// and bit errors behind it 5e-12 and 1e-11, lost packets 1e-12. The InfiniBand specification allows
// a link 1e-12.

enum { RATES = 4 };

static const double BIT_ERROR_RATES[COUNTER_ERRORS][RATES] = {
    [COUNTER_SYMBOL_ERROR] = {1e-13, 1e-14, 1e-12, 1e-12},
};

static const double FEC_BIT_ERROR_RATES[COUNTER_ERRORS][RATES] = {
    [COUNTER_SYMBOL_ERROR] = {0, 5e-15, 1e-14, 1e-14},
    [COUNTER_FEC_UNCORRECTABLE] = {0, 5e-12, 1e-11, 1e-11},
    [COUNTER_EFFECTIVE_ERRORS] = {0, 5e-12, 1e-11, 1e-11},
};

static const double FEC_LOSS_RATES[COUNTER_ERRORS][RATES] = {
    [COUNTER_RCV_ERRORS] = {1e-12, 1e-12},
};

static const double ERROR_RATES[COUNTER_ERRORS][RATES] = {
    [COUNTER_SYMBOL_ERROR] = {120, 60},    [COUNTER_LINK_ERROR_RECOVERY] = {20, 2},
    [COUNTER_RCV_ERRORS] = {120, 24},      [COUNTER_XMIT_DISCARDS] = {6000, 3000},
    [COUNTER_VL15_DROPPED] = {6000, 3000}, [COUNTER_FEC_UNCORRECTABLE] = {120, 60},
    [COUNTER_FEC_NEAR_LIMIT] = {120, 24},  [COUNTER_RECOVERIES] = {20, 2},
    [COUNTER_UNINTENDED_DOWNS] = {20, 2},
};

// Reads a number, for instance "1e-13" or "0.5", up to `end`. False: there is no number, or the
// number is out of range.
static bool pairs_rates_read(const char *value, char end, double max, double *out,
                             const char **rest)
{
    char *after;
    size_t n = strspn(value, "0123456789.eE+-");
    if (value[0] < '0' || value[0] > '9' || value[n] != end)
        return false;
    *out = strtod(value, &after);
    *rest = after + 1;
    return *after == end && *out >= 0 && *out <= max;
}

// Reads two or all rates.
static bool pairs_rates_read_all(const char *value, double max, double rates[RATES])
{
    int count = 0;
    while (count < RATES - 1 && pairs_rates_read(value, '/', max, &rates[count], &value))
        count++;
    return count % 2 == 1 && pairs_rates_read(value, '\0', max, &rates[count], &value);
}

static bool pairs_rates_take(const struct schema_pairs *pairs, const char *pair, void *array,
                             struct error *reason)
{
    enum counter counter;
    double rates[RATES] = {0};
    const char *value = pairs_split_counter(pairs, pair, &counter, reason);
    if (!value)
        return false;
    if (!pairs_rates_read_all(value, pairs->max, rates))
        return error_set(reason,
                         "must be two rates from 0 to %g, for the short and for the long window, "
                         "with \"/\" between them, or four: two more for an error",
                         pairs->max);
    memcpy(((double(*)[RATES])array)[counter], rates, sizeof rates);
    return true;
}

// Adds the shortest text that strtod(3) reads as the number.
static void pairs_rates_add_number(struct text *out, double number)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    text_add(out, text);
}

static bool pairs_rates_are_none(const double *rates, int count)
{
    while (count > 0 && rates[count - 1] == 0)
        count--;
    return count == 0;
}

// Adds nothing for a counter that has no rates, neither now nor by default.
static void pairs_rates_add(const struct schema_pairs *pairs, const void *array, size_t place,
                            struct text *out)
{
    const double *rates = (const double *)array + place * RATES;
    const double *initial = (const double *)pairs->initial + place * RATES;
    if (pairs_rates_are_none(rates, RATES) && pairs_rates_are_none(initial, RATES))
        return;
    const int count = pairs_rates_are_none(rates + 2, 2) ? 2 : RATES;
    text_add(out, counter_name((enum counter)place));
    for (int i = 0; i < count; i++) {
        text_add(out, i == 0 ? "=" : "/");
        pairs_rates_add_number(out, rates[i]);
    }
}

#define RATE_PAIRS(rates, most, example)                                                           \
    {                                                                                              \
        COUNTER_ERRORS, rates, pairs_rates_take, pairs_rates_add,                                  \
            .max = (most), .wanted = "a counter and its two rates, such as \"" example "\""        \
    }
const struct schema_pairs PAIRS_BIT_ERROR_RATES =
    RATE_PAIRS(BIT_ERROR_RATES, 1, "SymbolErrorCounter=1e-13/1e-14");
const struct schema_pairs PAIRS_FEC_BIT_ERROR_RATES =
    RATE_PAIRS(FEC_BIT_ERROR_RATES, 1, "SymbolErrorCounter=0/5e-15");
const struct schema_pairs PAIRS_FEC_LOSS_RATES =
    RATE_PAIRS(FEC_LOSS_RATES, 1, "PortRcvErrors=1e-12/1e-12");
const struct schema_pairs PAIRS_ERROR_RATES =
    RATE_PAIRS(ERROR_RATES, UINT32_MAX, "PortRcvErrors=120/24");

// Levels of the log's folders. A folder without a level of its own has CONF_SAME.

static const int NO_LEVELS[LOG_FOLDER_COUNT] = {[0 ... LOG_FOLDER_COUNT - 1] = CONF_SAME};

static bool pairs_levels_take(const struct schema_pairs *pairs, const char *pair, void *array,
                              struct error *reason)
{
    char name[64];
    enum log_folder folder;
    int64_t level;
    const char *value = pairs_split(pairs, pair, name, reason);
    if (!value)
        return false;
    if (!log_folder_from_word(name, &folder))
        return error_set(reason, "%s", log_folder_refusal());
    if (!word_value(WORDS_LOG_LEVEL, value, &level))
        return error_set(reason, "the level must be one of error, warning, info, debug");
    ((int *)array)[folder] = (int)level;
    return true;
}

static void pairs_levels_add(const struct schema_pairs *pairs, const void *array, size_t place,
                             struct text *out)
{
    (void)pairs;
    int level = ((const int *)array)[place];
    if (level != CONF_SAME)
        text_addf(out, "%s=%s", log_folder_word((enum log_folder)place),
                  word_name(WORDS_LOG_LEVEL, level));
}

const struct schema_pairs PAIRS_LEVELS = {
    LOG_FOLDER_COUNT,
    NO_LEVELS,
    pairs_levels_take,
    pairs_levels_add,
    .names = LOG_FOLDER_WORDS,
    .wanted = "a folder of the gateway and its level, such as \"ib=debug\""};

// The severity to send for each severity. By default no severity changes.

static const int SAME_SEVERITIES[] = {0, 1, 2, 3, 4, 5, 6, SEVERITY_DEBUG};

static bool pairs_severities_take(const struct schema_pairs *pairs, const char *pair, void *array,
                                  struct error *reason)
{
    char name[64];
    int64_t from, to;
    const char *value = pairs_split(pairs, pair, name, reason);
    if (!value)
        return false;
    if (!word_value(WORDS_SEVERITY, name, &from) || !word_value(WORDS_SEVERITY, value, &to))
        return error_set(reason, "must be %s", pairs->wanted);
    ((int *)array)[from] = (int)to;
    return true;
}

static void pairs_severities_add(const struct schema_pairs *pairs, const void *array, size_t place,
                                 struct text *out)
{
    (void)pairs;
    int to = ((const int *)array)[place];
    if (to != (int)place)
        text_addf(out, "%s=%s", word_name(WORDS_SEVERITY, (int64_t)place),
                  word_name(WORDS_SEVERITY, to));
}

const struct schema_pairs PAIRS_SEVERITIES = {
    COUNT(SAME_SEVERITIES), SAME_SEVERITIES, pairs_severities_take, pairs_severities_add,
    .wanted = "two severities, such as \"informational=notice\""};

// Texts that are kept unchanged, each name once: settings of a library, and headers of HTTP.

enum { TEXT_SIZE = CONF_SETTING_SIZE };
static_assert((int)CONF_HEADER_SIZE == (int)TEXT_SIZE, "headers are as long as settings");

typedef char pair_text[TEXT_SIZE];

// Stores a text in the place of the text that begins with the same `name` octets, or behind the
// last text.
static bool pairs_texts_store(const struct schema_pairs *pairs, const char *pair, size_t name,
                              void *array, struct error *reason)
{
    pair_text *all = array;
    size_t i = 0;
    if (strlen(pair) >= sizeof *all)
        return error_set(reason, "is longer than %zu octets", sizeof *all - 1);
    while (i < pairs->count && all[i][0] && pairs->compare(all[i], pair, name) != 0)
        i++;
    if (i == pairs->count)
        return error_set(reason, "there are more than %zu %s", pairs->count, pairs->things);
    memset(all[i], 0, sizeof all[i]);
    memcpy(all[i], pair, strlen(pair));
    return true;
}

static void pairs_texts_add(const struct schema_pairs *pairs, const void *array, size_t place,
                            struct text *out)
{
    (void)pairs;
    text_add(out, ((const pair_text *)array)[place]);
}

// Any name is good here; the module with the library checks the names.
static bool pairs_settings_take(const struct schema_pairs *pairs, const char *pair, void *array,
                                struct error *reason)
{
    const size_t name = strspn(pair, TEXT_NAME_CHARACTERS);
    if (name == 0 || pair[name] != '=' || pair[name + 1] == '\0')
        return error_set(reason, "must be %s", pairs->wanted);
    return pairs_texts_store(pairs, pair, name + 1, array, reason);
}

const struct schema_pairs PAIRS_SETTINGS = {
    CONF_SETTINGS_MAX,
    NULL,
    pairs_settings_take,
    pairs_texts_add,
    .things = "settings",
    .compare = strncmp,
    .wanted = "a setting and its value, such as \"compression.codec=lz4\""};

// Headers of HTTP (RFC 9110 5.5). A user may not set the headers that a request's body or its way
// decides. Secrets come from files, so the configuration may not have the headers for secrets.
enum { SECRET_HEADERS = 3 };

static bool pairs_headers_is_ours(const char *header, size_t length, bool secret)
{
    static const char *const OURS[] = {
        "Authorization",   "Proxy-Authorization", "Cookie",     "Host",   "Connection",
        "Content-Length",  "Content-Type",        "User-Agent", "Expect", "Content-Encoding",
        "Accept-Encoding", "Transfer-Encoding",   "Upgrade",    "TE",     "Trailer"};
    for (size_t i = secret ? SECRET_HEADERS : 0; i < COUNT(OURS); i++) {
        if (strlen(OURS[i]) == length && strncasecmp(OURS[i], header, length) == 0)
            return true;
    }
    return false;
}

bool pairs_check_header(const char *header, bool secret, struct error *reason)
{
    const size_t name = strspn(header, TEXT_LETTERS_AND_DIGITS "_-");
    if (name == 0 || header[name] != ':' || header[name + 1] != ' ' || header[name + 2] == '\0')
        return error_set(reason, "must be %s", PAIRS_HEADERS.wanted);
    for (const char *p = header; *p; p++) {
        if (*p < ' ' || *p > '~')
            return error_set(reason, "must be printable ASCII");
    }
    return !pairs_headers_is_ours(header, name, secret) ||
           error_set(reason, "other items, or ibtrapd itself, decide this header");
}

static bool pairs_headers_take(const struct schema_pairs *pairs, const char *pair, void *array,
                               struct error *reason)
{
    return pairs_check_header(pair, false, reason) &&
           pairs_texts_store(pairs, pair, strcspn(pair, ":") + 1, array, reason);
}

const struct schema_pairs PAIRS_HEADERS = {CONF_HEADERS_MAX,
                                           NULL,
                                           pairs_headers_take,
                                           pairs_texts_add,
                                           .things = "headers",
                                           .compare = strncasecmp,
                                           .wanted = "a header such as \"X-Scope-OrgID: fabric\""};
