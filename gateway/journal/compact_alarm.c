// SPDX-License-Identifier: BSD-2-Clause
#include "journal/compact_alarm.h"

#include "base/memory.h"
#include "model/address.h"
#include "model/catalogue.h"

#include <stdlib.h>
#include <string.h>

// The texts: the key, the type unless the catalogue has it, the text, the note, the reason of
// suppression and both names, each with its NUL; then four identifiers. An identifier is its length
// and its octets, or UUID and 16 octets.
enum { UUID = 0xFF, IDS = 4 };
enum {
    TEXTS_MAX = EVENT_KEY_SIZE + ALARM_TYPE_SIZE + EVENT_TEXT_SIZE + ALARM_NOTE_SIZE +
                EVENT_SUPPRESSED_SIZE + 2 * ALARM_WHO_SIZE + IDS * EVENT_ID_SIZE
};

// Reads a UUID as this gateway writes UUIDs. Returns false for any other text.
static bool compact_alarm_read_uuid(const char *id, uint8_t out[EVENT_UUID_SIZE])
{
    char again[EVENT_ID_SIZE];
    const char *end = id + strlen(id), *p = id;
    for (size_t i = 0; i < EVENT_UUID_SIZE; i++) {
        uint64_t octet;
        p += *p == '-';
        if (!address_take_hex(&p, end - p > 2 ? p + 2 : end, &octet))
            return false;
        out[i] = (uint8_t)octet;
    }
    event_write_id(again, out);
    return strcmp(id, again) == 0;
}

static uint8_t *compact_alarm_put_text(uint8_t *to, const char *text)
{
    const size_t size = strlen(text) + 1;
    memcpy(to, text, size);
    return to + size;
}

static uint8_t *compact_alarm_put_id(uint8_t *to, const char *id)
{
    const size_t length = strlen(id);
    if (compact_alarm_read_uuid(id, to + 1)) {
        *to = UUID;
        return to + 1 + EVENT_UUID_SIZE;
    }
    *to = (uint8_t)length;
    memcpy(to + 1, id, length);
    return to + 1 + length;
}

static const char *compact_alarm_take_text(const char *from, char *out)
{
    const size_t size = strlen(from) + 1;
    memcpy(out, from, size);
    return from + size;
}

static const char *compact_alarm_take_id(const char *from, char out[EVENT_ID_SIZE])
{
    const uint8_t first = (uint8_t)*from++;
    if (first == UUID) {
        event_write_id(out, (const uint8_t *)from);
        return from + EVENT_UUID_SIZE;
    }
    memcpy(out, from, first);
    out[first] = '\0';
    return from + first;
}

static const char *compact_alarm_known_type(const char *name)
{
    const struct catalogue_entry *type = catalogue_find(name);
    return type ? type->name : NULL;
}

// The members of struct alarm that are kept: numbers, texts and identifiers.

struct number {
    size_t to, from, size; // in struct compact_alarm and in struct alarm
};

#define NUMBER(member)                                                                             \
    {                                                                                              \
        offsetof(struct compact_alarm, member), offsetof(struct alarm, member),                    \
            sizeof((struct alarm *)NULL)->member                                                   \
    }

static const struct number NUMBERS[] = {NUMBER(event_sequence),  NUMBER(raised_us),
                                        NUMBER(last_us),         NUMBER(last_sequence),
                                        NUMBER(acknowledged_us), NUMBER(shelved_until_us),
                                        NUMBER(shelved_for_us),  NUMBER(count),
                                        NUMBER(node_guid),       NUMBER(told_sequence),
                                        NUMBER(severity),        NUMBER(category),
                                        NUMBER(notified),        NUMBER(over)};

static const size_t TEXTS[] = {
    offsetof(struct alarm, key),        offsetof(struct alarm, type),
    offsetof(struct alarm, text),       offsetof(struct alarm, note),
    offsetof(struct alarm, suppressed), offsetof(struct alarm, acknowledged_by),
    offsetof(struct alarm, shelved_by)};

static const size_t IDENTIFIERS[] = {
    offsetof(struct alarm, event_id), offsetof(struct alarm, cause_id),
    offsetof(struct alarm, notified_id), offsetof(struct alarm, last_id)};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void compact_alarm_pack(struct compact_alarm *compact, const struct alarm *alarm)
{
    uint8_t texts[TEXTS_MAX], *end = texts;
    const char *from = (const char *)alarm;
    const char *type = compact->type && strcmp(compact->type, alarm->type) == 0
                           ? compact->type
                           : compact_alarm_known_type(alarm->type);
    for (size_t i = 0; i < COUNT(TEXTS); i++)
        end = compact_alarm_put_text(end,
                                     type && from + TEXTS[i] == alarm->type ? "" : from + TEXTS[i]);
    for (size_t i = 0; i < COUNT(IDENTIFIERS); i++)
        end = compact_alarm_put_id(end, from + IDENTIFIERS[i]);
    for (size_t i = 0; i < COUNT(NUMBERS); i++)
        memcpy((char *)compact + NUMBERS[i].to, from + NUMBERS[i].from, NUMBERS[i].size);
    const size_t size = (size_t)(end - texts);
    free(compact->texts);
    compact->texts = memory_copy_octets(texts, size);
    compact->type = type;
}

void compact_alarm_unpack(const struct compact_alarm *compact, struct alarm *out)
{
    char *to = (char *)out;
    const char *at = compact->texts;
    for (size_t i = 0; i < COUNT(NUMBERS); i++)
        memcpy(to + NUMBERS[i].from, (const char *)compact + NUMBERS[i].to, NUMBERS[i].size);
    for (size_t i = 0; i < COUNT(TEXTS); i++)
        at = compact_alarm_take_text(at, to + TEXTS[i]);
    for (size_t i = 0; i < COUNT(IDENTIFIERS); i++)
        at = compact_alarm_take_id(at, to + IDENTIFIERS[i]);
    out->consequences = 0;
    if (compact->type)
        compact_alarm_take_text(compact->type, out->type);
}

const char *compact_alarm_key(const struct compact_alarm *compact)
{
    return compact->texts;
}

void compact_alarm_cause(const struct compact_alarm *compact, char out[EVENT_ID_SIZE])
{
    const char *at = compact->texts;
    for (size_t i = 0; i < COUNT(TEXTS); i++)
        at += strlen(at) + 1;
    at = compact_alarm_take_id(at, out); // of the alarm's own event
    compact_alarm_take_id(at, out);
}

void compact_alarm_clear(struct compact_alarm *compact)
{
    free(compact->texts);
    *compact = (struct compact_alarm){0};
}
