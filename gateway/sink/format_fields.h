// SPDX-License-Identifier: BSD-2-Clause
// Lists the fields of an event that are not empty, by name and as text, the most important first.
// Every format uses it.
#ifndef IBTRAPD_SINK_FORMAT_FIELDS_H
#define IBTRAPD_SINK_FORMAT_FIELDS_H

#include "model/event.h"
#include "model/field.h"

#include <stdbool.h>

enum {
    FORMAT_VALUE_SIZE = 1024, // the longest value with its NUL
    FORMAT_NODES_MAX = 5,
};

// Gets one field. A number is a decimal integer; a flag is "true" or "false".
typedef void format_take(void *ctx, const char *name, const char *value, enum field_kind kind);

// Calls `take` once for each field but the time and the sentence. Names consist of letters and
// digits.
void format_fields(const struct event *event, format_take *take, void *ctx);

// Fills `out` with the different names of the nodes that the event is about or that report it.
// Returns how many. They stay the event's.
size_t format_node_names(const struct event *event, const char *out[FORMAT_NODES_MAX]);

// Whether events of this kind have that field.
bool format_has_field(const struct event *event, enum field field);

#endif
