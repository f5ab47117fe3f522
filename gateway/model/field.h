// The fields of an event, by name: what syslog, JSON, templates and varbinds are made from.
#ifndef IBTRAPD_MODEL_FIELD_H
#define IBTRAPD_MODEL_FIELD_H

#include "base/text.h"
#include "model/event.h"
#include "model/field_id.h"

// A number, or octets (text included) that stay the event's or the program's. Of a flag the number
// is 0 or 1.
struct field_value {
    bool is_number;
    uint64_t number;
    const uint8_t *octets;
    size_t size; // of octets
};

struct field_value field_get(const struct event *event, enum field field);

// Sets a number or a flag that the event keeps as such; not one that is computed from others.
void field_set_number(struct event *event, enum field field, uint64_t number);

// "lid", "systemImageGuid": letters and digits only.
const char *field_name(enum field field);

// FIELD_NONE when no field has that name.
enum field field_find(const char *name, size_t length);

// How the value is meant to be read.
enum field_kind { FIELD_IS_TEXT, FIELD_IS_NUMBER, FIELD_IS_FLAG };
enum field_kind field_kind(enum field field);

// Adds the value as people read it: decimal, hexadecimal, GUID, GID, octets as hex, true or false,
// or text.
void field_add_text(struct text *t, const struct event *event, enum field field);

#endif
