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

static void alarm_key_add_port(struct text *t, uint64_t guid, uint8_t port)
{
    text_addf(t, "0x%016" PRIx64 "/%u", guid, (unsigned)port);
}

// Whether the first end of the link comes first in the key.
static bool is_in_order(const struct alarm_key *key)
{
    return key->guid != key->peer_guid ? key->guid < key->peer_guid : key->port <= key->peer_port;
}

static void alarm_key_add_link(struct text *t, const struct alarm_key *key)
{
    const bool ordered = is_in_order(key);
    alarm_key_add_port(t, ordered ? key->guid : key->peer_guid,
                       ordered ? key->port : key->peer_port);
    text_add(t, "-");
    alarm_key_add_port(t, ordered ? key->peer_guid : key->guid,
                       ordered ? key->peer_port : key->port);
}

void alarm_key_write(char out[EVENT_KEY_SIZE], const struct alarm_key *key)
{
    struct text t = text_in(out, EVENT_KEY_SIZE);
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

// Reading takes only what alarm_key_write writes. It reads the keys of all alarms after each sweep,
// so it does without sscanf, which takes blanks, signs and numbers that do not fit, too.

static bool alarm_key_skip(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
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

// Reads the part behind the word.
static bool alarm_key_read_rest(const char **at, struct alarm_key *out)
{
    switch (out->kind) {
    case ALARM_KEY_LINK:
    case ALARM_KEY_RATE:
        return alarm_key_read_port(at, &out->guid, &out->port) && alarm_key_skip(at, "-") &&
               alarm_key_read_port(at, &out->peer_guid, &out->peer_port) && is_in_order(out);
    case ALARM_KEY_PORT:
        return alarm_key_read_port(at, &out->guid, &out->port);
    default:
        return alarm_key_read_guid(at, &out->guid);
    }
}

bool alarm_key_read(const char *text, struct alarm_key *out)
{
    for (int i = 0; i < ALARM_KEY_KINDS; i++) {
        const char *at = text;
        *out = (struct alarm_key){.kind = (enum alarm_key_kind)i};
        if (alarm_key_skip(&at, WORDS[i]) && alarm_key_skip(&at, " "))
            return alarm_key_read_rest(&at, out) && *at == '\0';
    }
    return false;
}
