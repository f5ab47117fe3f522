// SPDX-License-Identifier: BSD-2-Clause
#include "sink/format.h"

#include "model/catalogue.h"
#include "sink/format_lines.h"

#include <string.h>

typedef void format_part(struct text *t, const struct format_origin *origin,
                         const struct event *event);

static const struct row {
    const char *name;
    format_part *header; // NULL: the line contains one
    format_part *line;
} ROWS[FORMAT_COUNT] = {
    [FORMAT_RFC5424] = {"rfc5424", NULL, format_rfc5424},
    [FORMAT_RFC3164] = {"rfc3164", NULL, format_rfc3164},
    [FORMAT_ECS] = {"ecs", format_rfc5424_header, format_ecs},
    [FORMAT_CEF] = {"cef", format_rfc3164_header, format_cef},
    [FORMAT_LEEF] = {"leef", format_rfc3164_header, format_leef},
    [FORMAT_JSON] = {"json", format_rfc5424_header, format_json},
    [FORMAT_CLOUDEVENTS] = {"cloudevents", format_rfc5424_header, format_cloudevents},
};

bool format_find(const char *name, enum format *out)
{
    for (int f = 0; f < FORMAT_COUNT; f++) {
        if (strcmp(ROWS[f].name, name) == 0) {
            *out = (enum format)f;
            return true;
        }
    }
    return false;
}

void format_message(struct text *t, enum format format, const struct format_origin *origin,
                    const struct event *event)
{
    const struct row *row = &ROWS[format];
    if (row->header)
        row->header(t, origin, event);
    if (row->header == format_rfc5424_header)
        text_add(t, "- ");
    row->line(t, origin, event);
}

void format_line(struct text *t, enum format format, const struct format_origin *origin,
                 const struct event *event)
{
    ROWS[format].line(t, origin, event);
}
