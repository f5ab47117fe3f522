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
    b->count = b->pieces = 0;
    b->body = text_in(b->body.buf, b->body.size);
    format->begin(&b->body, context);
}

static void batch_count(struct batch *b, const struct event *event, bool left_out)
{
    memcpy(b->ids[b->count], event->id, sizeof b->ids[0]);
    b->left_out[b->count++] = left_out;
    b->pieces += !left_out;
}

bool batch_add(struct batch *b, const struct body_format *format,
               const struct body_context *context, const struct event *event, size_t size_max)
{
    const struct text before = b->body;
    if (b->pieces > 0)
        text_add(&b->body, format->separator);
    format->add(&b->body, context, event);
    const bool fits = !b->body.cut && (b->pieces == 0 || b->body.len + BODY_ENDS_MAX <= size_max);
    if (fits)
        batch_count(b, event, false);
    else
        text_go_back(&b->body, &before);
    return fits;
}

void batch_add_known(struct batch *b, const struct event *event)
{
    batch_count(b, event, true);
}

void batch_finish(struct batch *b, const struct body_format *format,
                  const struct body_context *context)
{
    format->end(&b->body, context);
}
