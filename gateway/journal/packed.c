// SPDX-License-Identifier: BSD-2-Clause
#include "journal/packed.h"

#include "base/memory.h"
#include "model/catalogue.h"
#include "model/event_record.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct packed {
    atomic_uint references;
    const struct catalogue_entry *type;
    char id[EVENT_ID_SIZE];
    enum severity severity;
    int64_t time_us;
    uint64_t node_guid;
    size_t size;
    uint8_t record[];
};

struct packed *packed_new(const struct event *event)
{
    uint8_t record[EVENT_RECORD_MAX];
    size_t size = event_record_write(event, record);
    struct packed *packed = memory_get(sizeof *packed + size);
    atomic_init(&packed->references, 1);
    packed->type = event->type;
    packed->severity = event->severity;
    packed->time_us = event->time_us;
    packed->node_guid = event->subject.guid;
    packed->size = size;
    memcpy(packed->id, event->id, sizeof packed->id);
    memcpy(packed->record, record, size);
    return packed;
}

struct packed *packed_ref(struct packed *packed)
{
    if (packed)
        atomic_fetch_add(&packed->references, 1);
    return packed;
}

void packed_unref(struct packed *packed)
{
    if (packed && atomic_fetch_sub(&packed->references, 1) == 1)
        free(packed);
}

struct event *packed_event(const struct packed *packed, struct error *err)
{
    struct event *event = event_make(NULL);
    if (event_record_fill(event, packed->record, packed->size, err))
        return event;
    event_unref(event);
    return NULL;
}

void packed_fill_row(const struct packed *packed, struct store_row *row)
{
    row->id = packed->id;
    row->type = packed->type->name;
    row->time_us = packed->time_us;
    row->severity = (int)packed->severity;
    row->node_guid = packed->node_guid;
    row->record = packed->record;
    row->record_size = packed->size;
}
