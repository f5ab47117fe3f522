// SPDX-License-Identifier: BSD-2-Clause
// Lets the receivers of a format share what they would make of an event alike: the first makes it,
// and the event keeps it for the others (model/event.h). Every receiver gets the octets that
// it would make itself, of whatever room its buffer has.
#ifndef IBTRAPD_SINK_FORMAT_SHARED_H
#define IBTRAPD_SINK_FORMAT_SHARED_H

#include "base/text.h"
#include "model/event.h"
#include "sink/format_fields.h"
#include "sink/format_origin.h"

enum { FORMAT_PAIR_SIZE = FORMAT_VALUE_SIZE * 2 + 64 }; // the longest field with its name, escaped

// Adds to the text. Pure.
typedef void format_part(struct text *t, const struct format_origin *origin,
                         const struct event *event);

// What texts depend on beside the event: facility, severity sent, host name, process. They do not
// depend on the address, the sequence and whether the receiver is local.
uint64_t format_shared_variant(const struct format_origin *origin, const struct event *event);

// Adds what `make` would add. What it adds in a larger buffer, if that fits a smaller one, is what
// it adds there: it leaves out the first of a list of fields until the rest fits, or every field of
// at most FORMAT_PAIR_SIZE octets that does not fit.
void format_shared_add(struct text *t, enum event_text_place place, uint64_t variant,
                       format_part *make, const struct format_origin *origin,
                       const struct event *event);

#endif
