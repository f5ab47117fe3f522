// SPDX-License-Identifier: BSD-2-Clause
#include "http/post.h"

#include "base/memory.h"

#include <stdlib.h>

struct post *post_new(size_t size_max)
{
    const size_t size = size_max + BODY_PIECE_MAX + BODY_ENDS_MAX;
    struct post *p = memory_zeroed(1, sizeof *p);
    p->body = text_in(memory_get(size), size);
    return p;
}

void post_free(struct post *p)
{
    if (p)
        free(p->body.buf);
    free(p);
}

void post_begin(struct post *p, const struct body_format *format,
                const struct body_context *context)
{
    p->count = 0;
    p->body = text_in(p->body.buf, p->body.size);
    format->begin(&p->body, context);
}

bool post_add(struct post *p, const struct body_format *format, const struct body_context *context,
              const struct event *event, uint64_t ticket, size_t size_max)
{
    const struct text before = p->body;
    if (p->count > 0)
        text_add(&p->body, format->separator);
    format->add(&p->body, context, event);
    const bool fits = !p->body.cut && (p->count == 0 || p->body.len + BODY_ENDS_MAX <= size_max);
    if (fits)
        p->tickets[p->count++] = ticket;
    else
        text_go_back(&p->body, &before);
    return fits;
}

void post_finish(struct post *p, const struct body_format *format,
                 const struct body_context *context)
{
    format->end(&p->body, context);
}
