// SPDX-License-Identifier: BSD-2-Clause
#include "model/event.h"

#include "model/catalogue.h"
#include "model/fabric.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct event *event_make(const struct catalogue_entry *type)
{
    struct event *event = calloc(1, sizeof *event);
    if (!event)
        return NULL;
    atomic_init(&event->references, 1);
    event->type = type;
    if (type) {
        event->severity = type->severity;
        event->category = type->category;
    }
    return event;
}

// Does not read the number of references, which other threads may change meanwhile.
struct event *event_copy(const struct event *event)
{
    const size_t rest = offsetof(struct event, type);
    struct event *copy = event_make(NULL);
    if (copy)
        memcpy((char *)copy + rest, (const char *)event + rest, sizeof *copy - rest);
    return copy;
}

uint32_t event_index(const struct event *event)
{
    uint32_t index = (uint32_t)event->number & INT32_MAX;
    return index != 0 ? index : 1;
}

uint32_t event_times(const struct event *event)
{
    if (event->repeat_count == 0)
        return 1;
    return event->repeat_count < INT32_MAX ? (uint32_t)event->repeat_count : INT32_MAX;
}

uint8_t event_type_of(const struct event *event, uint64_t node_guid)
{
    const struct endpoint *const who[] = {&event->subject, &event->peer, &event->issuer};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        if (who[i]->node_guid == node_guid && who[i]->type != 0)
            return who[i]->type;
    }
    return event->former.node_guid == node_guid ? event->former.type : 0;
}

bool event_is_own(const struct event *event)
{
    const bool is_end = event->type->origin == CATALOGUE_FROM_ALARM && event->cleared;
    return catalogue_is_own(is_end ? event->cleared : event->type);
}

void event_complete_cleared(struct event *event)
{
    if (!event->cleared || event->cleared_category != 0)
        return;
    event->cleared_severity = event->cleared->severity;
    event->cleared_category = event->cleared->category;
}

enum alarm_role event_alarm(const struct event *event)
{
    return event->alarm_key[0] != '\0' ? event->type->alarm : ALARM_NONE;
}

struct event *event_ref(struct event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    return event;
}

void event_unref(struct event *event)
{
    if (event && atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) == 1)
        free(event);
}
