// SPDX-License-Identifier: BSD-2-Clause
// Formats an event in one line of text, in each of the formats that receivers read.
//
// Decides: Which fields does a line leave out if the line is too long?
//
// Pure: the same origin and event give the same octets. Each line is valid UTF-8 without control
// characters, except LEEF's tab. A line fits the buffer of at least FORMAT_SIZE_MIN octets and
// stays well-formed, because whole fields are left out, the least important first. No line is
// empty, and no line takes memory.
#ifndef IBTRAPD_SINK_FORMAT_H
#define IBTRAPD_SINK_FORMAT_H

#include "base/text.h"
#include "sink/format_parts.h"

enum format {
    FORMAT_RFC5424,     // syslog with structured data
    FORMAT_RFC3164,     // BSD syslog: the sentence, then name=value
    FORMAT_ECS,         // JSON, Elastic Common Schema 8
    FORMAT_CEF,         // ArcSight Common Event Format
    FORMAT_LEEF,        // QRadar Log Event Extended Format 2.0
    FORMAT_JSON,        // JSON, every field by its name
    FORMAT_CLOUDEVENTS, // JSON, CloudEvents 1.0 around the former
    FORMAT_COUNT,
};

bool format_find(const char *name, enum format *out); // "rfc5424"

// Adds the message for a syslog receiver: the line with a syslog header. CEF and LEEF get the
// header of RFC 3164, JSON and ECS that of RFC 5424 without structured data.
void format_message(struct text *t, enum format format, const struct format_origin *origin,
                    const struct event *event);

// Adds the line without a header, for a file.
void format_line(struct text *t, enum format format, const struct format_origin *origin,
                 const struct event *event);

#endif
