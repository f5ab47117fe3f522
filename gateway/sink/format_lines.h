// SPDX-License-Identifier: BSD-2-Clause
// One function for each format and header. format.c has the table of these functions.
//
// Decides: How is a syslog header written?
#ifndef IBTRAPD_SINK_FORMAT_LINES_H
#define IBTRAPD_SINK_FORMAT_LINES_H

#include "base/text.h"
#include "sink/format_parts.h"

// The formats of sink/format.h.
void format_rfc5424(struct text *t, const struct format_origin *origin, const struct event *event);
void format_rfc3164(struct text *t, const struct format_origin *origin, const struct event *event);
void format_ecs(struct text *t, const struct format_origin *origin, const struct event *event);
void format_cef(struct text *t, const struct format_origin *origin, const struct event *event);
void format_leef(struct text *t, const struct format_origin *origin, const struct event *event);
void format_json(struct text *t, const struct format_origin *origin, const struct event *event);
void format_cloudevents(struct text *t, const struct format_origin *origin,
                        const struct event *event);

// What follows the tag of RFC 3164 (5.3): the sentence, then name=value.
void format_rfc3164_content(struct text *t, const struct event *event);

// The headers, each with its final space.
void format_rfc5424_header(struct text *t, const struct format_origin *origin,
                           const struct event *event);
void format_rfc3164_header(struct text *t, const struct format_origin *origin,
                           const struct event *event);

#endif
