#include "model/event.h"

#include <stdatomic.h>
#include <stdlib.h>

struct event *event_make(const struct catalogue_entry *type)
{
    struct event *event = calloc(1, sizeof *event);
    if (!event)
        return NULL;
    atomic_init(&event->references, 1);
    event->type = type;
    return event;
}

struct event *event_keep(struct event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    return event;
}

void event_release(struct event *event)
{
    if (event && atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) == 1)
        free(event);
}
