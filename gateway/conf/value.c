// SPDX-License-Identifier: BSD-2-Clause
#include "conf/value.h"

#include "conf/check.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void *value_field(const struct schema_item *item, void *object)
{
    return (char *)object + item->at;
}

static const void *value_const_field(const struct schema_item *item, const void *object)
{
    return (const char *)object + item->at;
}

// Stores an integer in a field of any size.
static void value_set_number(const struct schema_item *item, void *object, int64_t number)
{
    void *field = value_field(item, object);
    switch (item->size) {
    case sizeof(uint8_t):
        *(uint8_t *)field = (uint8_t)number;
        break;
    case sizeof(uint16_t):
        *(uint16_t *)field = (uint16_t)number;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)field = (uint32_t)number;
        break;
    default:
        assert(item->size == sizeof(int64_t));
        *(int64_t *)field = number;
    }
}

static int64_t value_number(const struct schema_item *item, const void *object)
{
    const void *field = value_const_field(item, object);
    switch (item->size) {
    case sizeof(uint8_t):
        return *(const uint8_t *)field;
    case sizeof(uint16_t):
        return *(const uint16_t *)field;
    case sizeof(uint32_t):
        return *(const int32_t *)field; // signed: no number reaches 2^31, and CONF_SAME is -1
    default:
        return *(const int64_t *)field;
    }
}

static uint16_t *value_port(const struct schema_item *item, void *object)
{
    return (uint16_t *)((char *)value_field(item, object) + CONF_ADDRESS_SIZE);
}

bool value_is_list(const struct schema_item *item)
{
    return item->type == SCHEMA_WORDS || item->type == SCHEMA_PATTERNS ||
           item->type == SCHEMA_PAIRS;
}

bool value_has_room(const struct schema_item *item, const void *object)
{
    const struct filter_list *list = value_const_field(item, object);
    return item->type != SCHEMA_PATTERNS || list->count < FILTER_PATTERNS_MAX;
}

void value_clear(const struct schema_item *item, void *object)
{
    void *field = value_field(item, object);
    if (item->type == SCHEMA_PAIRS && item->pairs->initial)
        memcpy(field, item->pairs->initial, item->size);
    else
        memset(field, 0, item->size);
}

static void value_take_initial(const struct schema_item *item, void *object)
{
    struct error reason;
    bool ok = value_take(item, object, item->initial, &reason);
    assert(ok); // the unit test of the schema tries each
    (void)ok;
}

void value_reset(const struct schema_item *item, void *object)
{
    value_clear(item, object);
    if (item->type == SCHEMA_ADDRESS)
        *value_port(item, object) = (uint16_t)item->low;
    if (value_is_list(item))
        return;
    if (item->initial)
        value_take_initial(item, object);
    else if (item->type != SCHEMA_TEXT && item->type != SCHEMA_ADDRESS)
        value_set_number(item, object, item->unset);
}

// Reading.

static bool value_take_number(const struct schema_item *item, void *object, const char *value,
                              struct error *reason)
{
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (errno != 0 || *end != '\0' || end == value)
        return error_set(reason, "must be a whole number");
    bool fits = number >= item->low && number <= item->high;
    if (!fits && !(item->zero && number == 0))
        return error_set(reason, "must be %sfrom %ld to %ld", item->zero ? "0 or " : "",
                         (long)item->low, (long)item->high);
    value_set_number(item, object, number * (item->factor ? item->factor : 1));
    return true;
}

static bool value_take_bool(const struct schema_item *item, void *object, const char *value,
                            struct error *reason)
{
    static const char *const WORDS[] = {"false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (strcasecmp(value, WORDS[i]) == 0) {
            value_set_number(item, object, (int64_t)(i % 2));
            return true;
        }
    }
    return error_set(reason, "must be a boolean, true or false");
}

// Whether a text fits into `size` octets, and into the limits of its row.
static bool value_check_length(const struct schema_item *item, const char *value, size_t size,
                               struct error *reason)
{
    size_t longest = item->high ? (size_t)item->high : size - 1;
    if (value[0] == '\0' && !item->may_be_empty)
        return error_set(reason, "must not be empty");
    return strlen(value) <= longest || error_set(reason, "is longer than %zu octets", longest);
}

static bool value_take_text(const struct schema_item *item, void *object, const char *value,
                            struct error *reason)
{
    bool empty = value[0] == '\0' && item->may_be_empty;
    if (item->check && !empty && !item->check(value, reason))
        return false;
    if (!value_check_length(item, value, item->size, reason))
        return false;
    memset(value_field(item, object), 0, item->size);
    memcpy(value_field(item, object), value, strlen(value));
    return true;
}

static bool value_take_address(const struct schema_item *item, void *object, const char *value,
                               struct error *reason)
{
    char host[CONF_ADDRESS_SIZE] = "";
    uint16_t port = (uint16_t)item->low;
    const char *wrong = check_split_address(value, host, &port);
    if (wrong)
        return error_set(reason, "%s", wrong);
    if (item->check && !item->check(host, reason))
        return false;
    memcpy(value_field(item, object), host, sizeof host);
    *value_port(item, object) = port;
    return true;
}

static bool value_take_word(const struct schema_item *item, void *object, const char *value,
                            struct error *reason)
{
    int64_t number;
    if (!word_value(item->words, value, &number)) {
        char all[300];
        struct text t = text_in(all, sizeof all);
        word_list(item->words, &t);
        return error_set(reason, "must be one of %s", all);
    }
    if (item->type == SCHEMA_WORDS)
        number |= value_number(item, object);
    value_set_number(item, object, number);
    return true;
}

static bool value_take_pattern(const struct schema_item *item, void *object, const char *value,
                               struct error *reason)
{
    struct filter_list *list = value_field(item, object);
    if (!value_check_length(item, value, FILTER_PATTERN_SIZE, reason) ||
        (item->check && !item->check(value, reason)))
        return false;
    assert(value_has_room(item, object));
    memcpy(list->patterns[list->count++], value, strlen(value) + 1);
    return true;
}

bool value_take(const struct schema_item *item, void *object, const char *value,
                struct error *reason)
{
    switch (item->type) {
    case SCHEMA_NUMBER:
        return value_take_number(item, object, value, reason);
    case SCHEMA_BOOL:
        return value_take_bool(item, object, value, reason);
    case SCHEMA_TEXT:
        return value_take_text(item, object, value, reason);
    case SCHEMA_ADDRESS:
        return value_take_address(item, object, value, reason);
    case SCHEMA_WORD:
    case SCHEMA_WORDS:
        return value_take_word(item, object, value, reason);
    case SCHEMA_PATTERNS:
        return value_take_pattern(item, object, value, reason);
    case SCHEMA_PAIRS:
        return item->pairs->take(item->pairs, value, value_field(item, object), reason);
    }
    return error_set(reason, "has no type");
}

// Printing.

static void value_add_quoted(const char *value, struct text *t)
{
    text_add(t, "\"");
    for (const char *p = value; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            text_addf(t, "\\%c", c);
        else if (c < ' ' || c == 0x7F)
            text_addf(t, "\\x%02x", c);
        else
            text_add_n(t, p, 1);
    }
    text_add(t, "\"");
}

static void value_add_address(const struct schema_item *item, const void *object, struct text *t)
{
    const char *host = value_const_field(item, object);
    uint16_t port;
    memcpy(&port, host + CONF_ADDRESS_SIZE, sizeof port);
    char address[CONF_ADDRESS_SIZE + 16];
    bool v6 = strchr(host, ':') != NULL;
    snprintf(address, sizeof address, "%s%s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", port);
    if (host[0] != '\0')
        value_add_quoted(address, t);
}

// Adds the member of a list at a place, from 0, or nothing where that place is not set. False:
// there are no more places.
static bool value_add_member(const struct schema_item *item, const void *object, size_t place,
                             struct text *t)
{
    const void *field = value_const_field(item, object);
    if (item->type == SCHEMA_PAIRS) {
        if (place < item->pairs->count)
            item->pairs->add(item->pairs, field, place, t);
        return place < item->pairs->count;
    }
    if (item->type == SCHEMA_WORDS) {
        if (item->words[place].name && value_number(item, object) & item->words[place].value)
            text_add(t, item->words[place].name);
        return item->words[place].name != NULL;
    }
    const struct filter_list *list = field;
    if (place < list->count)
        text_add(t, list->patterns[place]);
    return place < list->count;
}

static void value_add_list(const struct schema_item *item, const void *object, struct text *t)
{
    char member[FILTER_PATTERN_SIZE];
    struct text one = text_in(member, sizeof member);
    const char *before = "{";
    for (size_t i = 0; value_add_member(item, object, i, &one); i++) {
        if (one.len > 0) {
            text_add(t, before);
            if (item->secret)
                member[strcspn(member, "=:")] = '\0';
            value_add_quoted(member, t);
            before = ", ";
        }
        one = text_in(member, sizeof member);
    }
    if (before[0] != '{')
        text_add(t, "}");
}

void value_add(const struct schema_item *item, const void *object, struct text *t)
{
    const char *field = value_const_field(item, object);
    bool unset = !item->initial && !value_is_list(item) && item->type != SCHEMA_TEXT &&
                 item->type != SCHEMA_ADDRESS && value_number(item, object) == item->unset;
    if (unset)
        return;
    switch (item->type) {
    case SCHEMA_NUMBER:
        text_addf(t, "%lld",
                  (long long)(value_number(item, object) / (item->factor ? item->factor : 1)));
        break;
    case SCHEMA_BOOL:
        text_add(t, value_number(item, object) ? "true" : "false");
        break;
    case SCHEMA_TEXT:
        if (field[0] != '\0' || (item->may_be_empty && item->initial) ||
            (item->given_at && *(const bool *)((const char *)object + item->given_at)))
            value_add_quoted(field, t);
        break;
    case SCHEMA_ADDRESS:
        value_add_address(item, object, t);
        break;
    case SCHEMA_WORD:
        value_add_quoted(word_name(item->words, value_number(item, object)), t);
        break;
    default:
        value_add_list(item, object, t);
    }
}

// Comparing.

bool value_is_default(const struct schema_item *item, const void *object)
{
    char value[CONF_ADDRESS_SIZE * 4], initial[CONF_ADDRESS_SIZE * 4];
    struct text t = text_in(value, sizeof value), u = text_in(initial, sizeof initial);
    if (!item->initial)
        return false;
    value_add(item, object, &t);
    if (item->type == SCHEMA_TEXT || item->type == SCHEMA_WORD)
        value_add_quoted(item->initial, &u);
    else
        text_add(&u, item->initial);
    return strcmp(value, initial) == 0;
}

bool value_same(const struct schema_item *item, const void *a, const void *b)
{
    size_t at = item->derived_size ? item->derived_at : item->at;
    size_t size = item->derived_size ? item->derived_size : item->size;
    return memcmp((const char *)a + at, (const char *)b + at, size) == 0;
}

void value_copy(const struct schema_item *item, const void *from, void *to)
{
    memcpy(value_field(item, to), value_const_field(item, from), item->size);
    if (item->derived_size)
        memcpy((char *)to + item->derived_at, (const char *)from + item->derived_at,
               item->derived_size);
}
