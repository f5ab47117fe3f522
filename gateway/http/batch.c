// SPDX-License-Identifier: BSD-2-Clause
#include "http/batch.h"

#include <stdlib.h>
#include <string.h>

struct batch *batch_new(size_t size_max)
{
    const size_t size = size_max + BODY_PIECE_MAX + BODY_ENDS_MAX;
    struct batch *b = calloc(1, sizeof *b);
    char *octets = b ? malloc(size) : NULL;
    if (octets) {
        b->body = text_in(octets, size);
        return b;
    }
    free(b);
    return NULL;
}

void batch_free(struct batch *b)
{
    if (b)
        free(b->body.buf);
    free(b);
}

void batch_begin(struct batch *b, const struct body_format *format,
                 const struct body_context *context)
{
    b->count = 0;
    b->body = text_in(b->body.buf, b->body.size);
    format->begin(&b->body, context);
}

bool batch_add(struct batch *b, const struct body_format *format,
               const struct body_context *context, const struct event *event, uint64_t ticket,
               size_t size_max)
{
    const struct text before = b->body;
    if (b->count > 0)
        text_add(&b->body, format->separator);
    format->add(&b->body, context, event);
    const bool fits = !b->body.cut && (b->count == 0 || b->body.len + BODY_ENDS_MAX <= size_max);
    if (fits)
        b->tickets[b->count++] = ticket;
    else
        text_go_back(&b->body, &before);
    return fits;
}

void batch_finish(struct batch *b, const struct body_format *format,
                  const struct body_context *context)
{
    format->end(&b->body, context);
}
