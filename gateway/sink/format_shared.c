// SPDX-License-Identifier: BSD-2-Clause
#include "sink/format_shared.h"

#include "base/hash.h"

uint64_t format_shared_variant(const struct format_origin *origin, const struct event *event)
{
    const uint8_t numbers[] = {(uint8_t)origin->facility, (uint8_t)format_severity(origin, event)};
    const uint64_t digest = digest_add(DIGEST_OF_NOTHING, numbers, sizeof numbers);
    const uint64_t host = digest_add(digest, origin->hostname, strlen(origin->hostname) + 1);
    return digest_add(host, origin->process_id, strlen(origin->process_id) + 1);
}

// Makes it in the largest room, and keeps it; nothing in its place if it had hardly room enough.
static void format_shared_make(enum event_text_place place, uint64_t variant, format_part *make,
                               const struct format_origin *origin, const struct event *event)
{
    char buffer[FORMAT_SIZE];
    struct text line = text_in(buffer, sizeof buffer);
    make(&line, origin, event);
    const bool whole = !line.cut && line.len + FORMAT_PAIR_SIZE < sizeof buffer;
    event_text_keep(event, place, variant, line.buf, whole ? line.len : 0);
}

void format_shared_add(struct text *t, enum event_text_place place, uint64_t variant,
                       format_part *make, const struct format_origin *origin,
                       const struct event *event)
{
    const size_t room = t->size - t->len;
    if (event_text_is_wanted(event, place))
        format_shared_make(place, variant, make, origin, event);
    const struct event_text *kept = event_text_find(event, place, variant);
    if (kept && kept->size > 0 && !t->cut && kept->size < room && room <= FORMAT_SIZE)
        text_add_n(t, kept->octets, kept->size);
    else
        make(t, origin, event);
}
