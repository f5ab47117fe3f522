// SPDX-License-Identifier: BSD-2-Clause
// The names and values of an event's fields, for syslog, JSON, templates and varbinds.
#pragma once

#include "base/text.h"
#include "model/event.h"
#include "model/field_id.h"

// A number, or octets (text included) that belong to the event or the program. The number of a flag
// is 0 or 1.
struct field_value {
    bool is_number;
    uint64_t number;
    const uint8_t *octets;
    size_t size; // of octets
};

struct field_value field_get(const struct event *event, enum field field);

// False: the event's Notice says that the field's value is not known (DataValid of a trap 259); the
// value is 0 then.
bool field_is_known(const struct event *event, enum field field);

// Sets a number or a flag. The field is not computed.
void field_set_number(struct event *event, enum field field, uint64_t number);

// The field's name, such as "systemImageGuid": letters and digits only.
const char *field_name(enum field field);

// FIELD_NONE: no field has that name.
enum field field_find(const char *name, size_t length);

// The kind of a field's value.
enum field_kind { FIELD_IS_TEXT, FIELD_IS_NUMBER, FIELD_IS_FLAG };
enum field_kind field_kind(enum field field);

// The value in the readable form of field_add_text: text of the event or of the program, or written
// to `buffer` of FIELD_TEXT_SIZE octets. Valid as long as both are.
enum { FIELD_TEXT_SIZE = EVENT_RAW_MAX * 2 + 1 }; // the longest value that is not text
const char *field_text(const struct event *event, enum field field, char buffer[FIELD_TEXT_SIZE]);

// Adds the value in readable form: decimal, hexadecimal, GUID, GID, octets as hex, true or false,
// or text.
void field_add_text(struct text *t, const struct event *event, enum field field);
