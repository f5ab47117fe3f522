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

static bool alarm_key_read_link(const char *text, struct alarm_key *out)
{
    int end = 0;
    return sscanf(text, "0x%16" SCNx64 "/%hhu-0x%16" SCNx64 "/%hhu%n", &out->guid, &out->port,
                  &out->peer_guid, &out->peer_port, &end) == 4 &&
           text[end] == '\0';
}

static bool alarm_key_read_port(const char *text, struct alarm_key *out)
{
    int end = 0;
    return sscanf(text, "0x%16" SCNx64 "/%hhu%n", &out->guid, &out->port, &end) == 2 &&
           text[end] == '\0';
}

static bool alarm_key_read_guid(const char *text, struct alarm_key *out)
{
    int end = 0;
    return sscanf(text, "0x%16" SCNx64 "%n", &out->guid, &end) == 1 && text[end] == '\0';
}

// Reads the part behind the word.
static bool alarm_key_read_rest(const char *rest, struct alarm_key *out)
{
    switch (out->kind) {
    case ALARM_KEY_LINK:
    case ALARM_KEY_RATE:
        return alarm_key_read_link(rest, out);
    case ALARM_KEY_PORT:
        return alarm_key_read_port(rest, out);
    default:
        return alarm_key_read_guid(rest, out);
    }
}

// Reads only what alarm_key_write writes: sscanf takes blanks, signs and numbers that do not fit,
// too.
bool alarm_key_read(const char *text, struct alarm_key *out)
{
    char again[EVENT_KEY_SIZE];
    for (int i = 0; i < ALARM_KEY_KINDS; i++) {
        const size_t length = strlen(WORDS[i]);
        *out = (struct alarm_key){.kind = (enum alarm_key_kind)i};
        if (strncmp(text, WORDS[i], length) != 0 || text[length] != ' ')
            continue;
        if (!alarm_key_read_rest(text + length + 1, out))
            return false;
        alarm_key_write(again, out);
        return strcmp(again, text) == 0;
    }
    return false;
}
