// SPDX-License-Identifier: BSD-2-Clause
#include "topology/alarm_key.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const WORDS[ALARM_KEY_KINDS] = {
    [ALARM_KEY_NODE] = "node",         [ALARM_KEY_PORT] = "port", [ALARM_KEY_LINK] = "link",
    [ALARM_KEY_RATE] = "rate link",    [ALARM_KEY_SM] = "sm",     [ALARM_KEY_IO_UNIT] = "iou",
    [ALARM_KEY_IO_CONTROLLER] = "ioc",
};

#define KIND(kind) (1U << ALARM_KEY_##kind)

static const struct {
    const char *word; // before the place; NULL: none, or the event's name
    bool counter;     // the counter's name follows the word
    bool bare;        // the place is a port without its word
    unsigned kinds;   // of the place
} ABOUTS[ALARM_ABOUTS] = {
    [ALARM_ABOUT_PLACE] = {.kinds = (1U << ALARM_KEY_KINDS) - 1},
    [ALARM_ABOUT_GROWTH] = {"counter", true, true, KIND(PORT)},
    [ALARM_ABOUT_ERRORS] = {"errors", true, false, KIND(PORT) | KIND(LINK)},
    [ALARM_ABOUT_WAIT] = {"congestion", false, true, KIND(PORT)},
    [ALARM_ABOUT_UNRELIABLE] = {"unreliable", false, false, KIND(LINK)},
    [ALARM_ABOUT_INACTIVE] = {"inactive", false, false, KIND(LINK)},
    [ALARM_ABOUT_PLANES] = {"planes", false, false, KIND(PORT)},
    [ALARM_ABOUT_TOGETHER] = {"together", false, false, KIND(NODE)},
    [ALARM_ABOUT_EXPECTED] = {.kinds = KIND(NODE) | KIND(LINK)},
    [ALARM_ABOUT_DEVICE] = {.kinds = KIND(NODE) | KIND(PORT)},
};

// Writing.

static void alarm_key_add_port(struct text *t, uint64_t guid, uint8_t port)
{
    text_addf(t, "0x%016" PRIx64 "/%u", guid, (unsigned)port);
}

// Whether the first end of the link comes first in the key.
static bool alarm_key_is_in_order(const struct alarm_key *key)
{
    return key->guid != key->peer_guid ? key->guid < key->peer_guid : key->port <= key->peer_port;
}

static void alarm_key_add_link(struct text *t, const struct alarm_key *key)
{
    const bool ordered = alarm_key_is_in_order(key);
    alarm_key_add_port(t, ordered ? key->guid : key->peer_guid,
                       ordered ? key->port : key->peer_port);
    text_add(t, "-");
    alarm_key_add_port(t, ordered ? key->peer_guid : key->guid,
                       ordered ? key->peer_port : key->port);
}

void alarm_key_write(char out[EVENT_KEY_SIZE], const struct alarm_key *key)
{
    struct text t = text_in(out, EVENT_KEY_SIZE);
    if (key->about >= ALARM_ABOUT_EXPECTED)
        text_addf(&t, "%s ", catalogue_get(key->event)->name);
    else if (key->about != ALARM_ABOUT_PLACE)
        text_addf(&t, "%s ", ABOUTS[key->about].word);
    if (ABOUTS[key->about].counter)
        text_addf(&t, "%s ", counter_name(key->counter));
    if (!ABOUTS[key->about].bare)
        text_addf(&t, "%s ", WORDS[key->kind]);
    switch (key->kind) {
    case ALARM_KEY_LINK:
    case ALARM_KEY_RATE:
        alarm_key_add_link(&t, key);
        break;
    case ALARM_KEY_PORT:
        alarm_key_add_port(&t, key->guid, key->port);
        break;
    default:
        text_addf(&t, "0x%016" PRIx64, key->guid);
    }
}

// Reading. The pipeline reads the keys of all alarms after each sweep. Therefore reading does
// without sscanf, which also takes blanks, signs and numbers that do not fit.

static bool alarm_key_skip(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

// Skips the word and the blank behind the word.
static bool alarm_key_skip_word(const char **at, const char *word)
{
    const char *behind = *at;
    const bool is = alarm_key_skip(&behind, word) && alarm_key_skip(&behind, " ");
    *at = is ? behind : *at;
    return is;
}

static bool alarm_key_read_guid(const char **at, uint64_t *out)
{
    static const char DIGITS[] = "0123456789abcdef";
    if (!alarm_key_skip(at, "0x"))
        return false;
    *out = 0;
    for (unsigned i = 0; i < 16; i++, ++*at) {
        const char *digit = **at != '\0' ? strchr(DIGITS, **at) : NULL;
        if (!digit)
            return false;
        *out = *out << 4 | (uint64_t)(digit - DIGITS);
    }
    return true;
}

static bool alarm_key_read_port(const char **at, uint64_t *guid, uint8_t *port)
{
    if (!alarm_key_read_guid(at, guid) || !alarm_key_skip(at, "/"))
        return false;
    const char *first = *at;
    unsigned number = 0;
    while (**at >= '0' && **at <= '9' && *at - first < 3)
        number = number * 10 + (unsigned)(*(*at)++ - '0');
    *port = (uint8_t)number;
    return *at > first && number <= UINT8_MAX && (*first != '0' || *at - first == 1);
}

// Reads the place behind its word.
static bool alarm_key_read_rest(const char *at, struct alarm_key *out)
{
    switch (out->kind) {
    case ALARM_KEY_LINK:
    case ALARM_KEY_RATE:
        return alarm_key_read_port(&at, &out->guid, &out->port) && alarm_key_skip(&at, "-") &&
               alarm_key_read_port(&at, &out->peer_guid, &out->peer_port) &&
               alarm_key_is_in_order(out) && *at == '\0';
    case ALARM_KEY_PORT:
        return alarm_key_read_port(&at, &out->guid, &out->port) && *at == '\0';
    default:
        return alarm_key_read_guid(&at, &out->guid) && *at == '\0';
    }
}

static bool alarm_key_read_place(const char *at, struct alarm_key *out)
{
    for (int i = 0; i < ALARM_KEY_KINDS; i++) {
        out->kind = (enum alarm_key_kind)i;
        if (alarm_key_skip_word(&at, WORDS[i]))
            return ABOUTS[out->about].kinds >> i & 1 && alarm_key_read_rest(at, out);
    }
    return false;
}

bool alarm_key_read(const char *text, struct alarm_key *out)
{
    *out = (struct alarm_key){.about = ALARM_ABOUT_PLACE};
    return alarm_key_read_place(text, out);
}

static bool alarm_key_skip_counter(const char **at, enum counter *out)
{
    for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
        *out = c;
        if (alarm_key_skip_word(at, counter_name(c)))
            return true;
    }
    return false;
}

// The names of the events have a hyphen. Most other keys begin with a word without a hyphen.
static bool alarm_key_skip_event(const char **at, struct alarm_key *out)
{
    char name[64];
    const size_t length = strcspn(*at, " ");
    if ((*at)[length] == '\0' || length >= sizeof name || !memchr(*at, '-', length))
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, *at);
    const struct catalogue_entry *type = catalogue_find(name);
    if (!type || type->alarm != ALARM_RAISES || type->subject != CATALOGUE_ABOUT_NODE ||
        (type->origin != CATALOGUE_FROM_EXPECTATION && type->origin != CATALOGUE_FROM_REGISTER))
        return false;
    out->about =
        type->origin == CATALOGUE_FROM_REGISTER ? ALARM_ABOUT_DEVICE : ALARM_ABOUT_EXPECTED;
    out->event = catalogue_event_of(type);
    *at += length + 1;
    return true;
}

bool alarm_key_parse(const char *text, struct alarm_key *out)
{
    for (int i = ALARM_ABOUT_PLACE + 1; i < ALARM_ABOUT_EXPECTED; i++) {
        const char *at = text;
        *out = (struct alarm_key){.kind = ALARM_KEY_PORT,
                                  .about = (enum alarm_key_about)i,
                                  .counter = i == ALARM_ABOUT_WAIT ? COUNTER_XMIT_WAIT : 0};
        if (!alarm_key_skip_word(&at, ABOUTS[i].word))
            continue;
        if (ABOUTS[i].counter && !alarm_key_skip_counter(&at, &out->counter))
            return false;
        return ABOUTS[i].bare ? alarm_key_read_rest(at, out) : alarm_key_read_place(at, out);
    }
    *out = (struct alarm_key){.kind = ALARM_KEY_NODE};
    return alarm_key_skip_event(&text, out) ? alarm_key_read_place(text, out)
                                            : alarm_key_read(text, out);
}
