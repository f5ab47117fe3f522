// SPDX-License-Identifier: BSD-2-Clause
// For formats whose pieces are the lines that other receivers get, too (sink/format.h).
#ifndef IBTRAPD_HTTP_BODY_LINES_H
#define IBTRAPD_HTTP_BODY_LINES_H

#include "http/body.h"
#include "sink/format.h"

// Adds the line of an event.
static inline void body_add_line(struct text *t, enum format format,
                                 const struct body_context *context, const struct event *event)
{
    // Lines leave out fields beyond the buffer's room, which is the same for every event.
    struct text line = text_in(t->buf + t->len, FORMAT_SIZE);
    format_line(&line, format, &context->origin, event);
    t->len += line.len;
}

#endif
