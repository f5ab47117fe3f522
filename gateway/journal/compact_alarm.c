// SPDX-License-Identifier: BSD-2-Clause
#include "journal/compact_alarm.h"

#include "base/memory.h"
#include "base/text.h"
#include "model/address.h"
#include "model/catalogue.h"

#include <stdlib.h>
#include <string.h>

// The texts: the key, the type unless the catalogue has it, the text, the note, the reason of
// suppression and both names, each with its NUL; then four identifiers. An identifier is its length
// and its octets, or UUID and 16 octets.
enum { UUID = 0xFF, UUID_OCTETS = 16, IDS = 4 };
enum {
    TEXTS_MAX = EVENT_KEY_SIZE + ALARM_TYPE_SIZE + EVENT_TEXT_SIZE + ALARM_NOTE_SIZE +
                EVENT_SUPPRESSED_SIZE + 2 * ALARM_WHO_SIZE + IDS * EVENT_ID_SIZE
};

static void compact_alarm_write_uuid(const uint8_t uuid[UUID_OCTETS], char out[EVENT_ID_SIZE])
{
    struct text t = text_in(out, EVENT_ID_SIZE);
    for (size_t i = 0; i < UUID_OCTETS; i++) {
        text_add(&t, i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "");
        text_add_hex(&t, &uuid[i], 1);
    }
}

// Reads a UUID as this gateway writes UUIDs. Returns false for any other text.
static bool compact_alarm_read_uuid(const char *id, uint8_t out[UUID_OCTETS])
{
    char again[EVENT_ID_SIZE];
    const char *end = id + strlen(id), *p = id;
    for (size_t i = 0; i < UUID_OCTETS; i++) {
        uint64_t octet;
        p += *p == '-';
        if (!address_take_hex(&p, end - p > 2 ? p + 2 : end, &octet))
            return false;
        out[i] = (uint8_t)octet;
    }
    compact_alarm_write_uuid(out, again);
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
        return to + 1 + UUID_OCTETS;
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
        compact_alarm_write_uuid((const uint8_t *)from, out);
        return from + UUID_OCTETS;
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

void compact_alarm_pack(struct compact_alarm *compact, const struct alarm *alarm,
                        const char last_id[EVENT_ID_SIZE])
{
    uint8_t texts[TEXTS_MAX];
    const char *type = compact->type && strcmp(compact->type, alarm->type) == 0
                           ? compact->type
                           : compact_alarm_known_type(alarm->type);
    uint8_t *end = compact_alarm_put_text(texts, alarm->key);
    end = compact_alarm_put_text(end, type ? "" : alarm->type);
    end = compact_alarm_put_text(end, alarm->text);
    end = compact_alarm_put_text(end, alarm->note);
    end = compact_alarm_put_text(end, alarm->suppressed);
    end = compact_alarm_put_text(end, alarm->acknowledged_by);
    end = compact_alarm_put_text(end, alarm->shelved_by);
    end = compact_alarm_put_id(end, alarm->event_id);
    end = compact_alarm_put_id(end, alarm->cause_id);
    end = compact_alarm_put_id(end, alarm->notified_id);
    end = compact_alarm_put_id(end, strcmp(last_id, alarm->event_id) == 0 ? "" : last_id);
    const size_t size = (size_t)(end - texts);
    char *copy = memory_get(size);
    free(compact->texts);
    *compact = (struct compact_alarm){.event_sequence = alarm->event_sequence,
                                      .raised_us = alarm->raised_us,
                                      .last_us = alarm->last_us,
                                      .last_sequence = alarm->last_sequence,
                                      .acknowledged_us = alarm->acknowledged_us,
                                      .shelved_until_us = alarm->shelved_until_us,
                                      .count = alarm->count,
                                      .node_guid = alarm->node_guid,
                                      .type = type,
                                      .texts = memcpy(copy, texts, size),
                                      .severity = alarm->severity,
                                      .category = alarm->category,
                                      .notified = alarm->notified,
                                      .over = alarm->over};
}

void compact_alarm_unpack(const struct compact_alarm *compact, struct alarm *out,
                          char last_id[EVENT_ID_SIZE])
{
    out->event_sequence = compact->event_sequence;
    out->raised_us = compact->raised_us;
    out->last_us = compact->last_us;
    out->last_sequence = compact->last_sequence;
    out->acknowledged_us = compact->acknowledged_us;
    out->shelved_until_us = compact->shelved_until_us;
    out->count = compact->count;
    out->consequences = 0;
    out->node_guid = compact->node_guid;
    out->severity = compact->severity;
    out->category = compact->category;
    out->notified = compact->notified;
    out->over = compact->over;
    const char *at = compact_alarm_take_text(compact->texts, out->key);
    at = compact_alarm_take_text(at, out->type);
    at = compact_alarm_take_text(at, out->text);
    at = compact_alarm_take_text(at, out->note);
    at = compact_alarm_take_text(at, out->suppressed);
    at = compact_alarm_take_text(at, out->acknowledged_by);
    at = compact_alarm_take_text(at, out->shelved_by);
    at = compact_alarm_take_id(at, out->event_id);
    at = compact_alarm_take_id(at, out->cause_id);
    at = compact_alarm_take_id(at, out->notified_id);
    compact_alarm_take_id(at, last_id);
    if (compact->type)
        compact_alarm_take_text(compact->type, out->type);
}

const char *compact_alarm_key(const struct compact_alarm *compact)
{
    return compact->texts;
}

void compact_alarm_clear(struct compact_alarm *compact)
{
    free(compact->texts);
    *compact = (struct compact_alarm){0};
}
