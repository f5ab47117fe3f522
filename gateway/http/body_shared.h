// SPDX-License-Identifier: BSD-2-Clause
// For formats whose pieces only this module makes: receivers of a format share them
// (model/event.h).
#ifndef IBTRAPD_HTTP_BODY_SHARED_H
#define IBTRAPD_HTTP_BODY_SHARED_H

#include "http/body.h"
#include "sink/format_shared.h"

// Adds what `make` adds, which depends on nothing but the event and what format_shared_variant
// covers.
static inline void body_add_shared(struct text *t, enum event_text_place place, format_part *make,
                                   const struct body_context *context, const struct event *event)
{
    const uint64_t variant = format_shared_variant(&context->origin, event);
    const struct event_text *kept = event_text_find(event, place, variant);
    const size_t begin = t->len;
    if (kept) {
        text_add_n(t, kept->octets, kept->size);
        return;
    }
    make(t, &context->origin, event);
    if (!t->cut)
        event_text_keep(event, place, variant, t->buf + begin, t->len - begin);
}

#endif
