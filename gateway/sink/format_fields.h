// The fields of one event that have something to say, by name and as text, in the order of their
// importance: what every format shows.
#ifndef IBTRAPD_SINK_FORMAT_FIELDS_H
#define IBTRAPD_SINK_FORMAT_FIELDS_H

#include "model/event.h"
#include "model/field.h"

#include <stdbool.h>

enum { FORMAT_VALUE_SIZE = 1024 }; // of the longest value and its NUL

// A number is whole and in decimal; a flag is "true" or "false".
typedef void format_take(void *ctx, const char *name, const char *value, enum field_kind kind);

// Names are of letters and digits. The time and the sentence are not among them.
void format_fields(const struct event *event, format_take *take, void *ctx);

// Whether the event's cause decodes into that field.
bool format_has_field(const struct event *event, enum field field);

#endif
