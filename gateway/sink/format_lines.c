// SPDX-License-Identifier: BSD-2-Clause
// Chooses the functions of a format.
#include "sink/format.h"

// The functions of a row without a header share what they make by themselves. JSON is the same for
// all senders.
static const struct row {
    format_part *header; // NULL: the line contains one
    format_part *line;
    enum event_text_place place;
} ROWS[FORMAT_COUNT] = {
    [FORMAT_RFC5424] = {NULL, format_rfc5424, EVENT_TEXT_RFC5424},
    [FORMAT_RFC3164] = {NULL, format_rfc3164, EVENT_TEXT_RFC3164},
    [FORMAT_ECS] = {format_rfc5424_header, format_ecs, EVENT_TEXT_ECS},
    [FORMAT_CEF] = {format_rfc3164_header, format_cef, EVENT_TEXT_CEF},
    [FORMAT_LEEF] = {format_rfc3164_header, format_leef, EVENT_TEXT_LEEF},
    [FORMAT_JSON] = {format_rfc5424_header, format_json, EVENT_TEXT_JSON},
    [FORMAT_CLOUDEVENTS] = {format_rfc5424_header, format_cloudevents, EVENT_TEXT_CLOUDEVENTS},
};

void format_line(struct text *t, enum format format, const struct format_origin *origin,
                 const struct event *event)
{
    const struct row *row = &ROWS[format];
    if (!row->header)
        row->line(t, origin, event);
    else
        format_shared_add(t, row->place,
                          format == FORMAT_JSON ? 0 : format_shared_variant(origin, event),
                          row->line, origin, event);
}

void format_message(struct text *t, enum format format, const struct format_origin *origin,
                    const struct event *event)
{
    const struct row *row = &ROWS[format];
    if (row->header)
        row->header(t, origin, event);
    if (row->header == format_rfc5424_header)
        text_add(t, "- ");
    format_line(t, format, origin, event);
}
