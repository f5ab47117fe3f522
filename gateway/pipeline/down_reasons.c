// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/down_reasons.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct link_reason *down_reasons_find(const struct down_reasons *reasons,
                                                   uint64_t node_guid, uint8_t port)
{
    const struct link_reasons *list = reasons->latest;
    for (size_t i = 0; list && i < list->count; i++) {
        if (list->all[i].node_guid == node_guid && list->all[i].port == port)
            return &list->all[i];
    }
    return NULL;
}

// What the two ends of the event's link tell. `later`: a port in question may still answer.
static bool down_reasons_look(const struct down_reasons *reasons, const struct event *event,
                              struct link_reason ends[2], bool *later)
{
    const uint8_t port = event->subject.port ? event->subject.port : event->uplink;
    const struct link_reason *found[2] = {
        down_reasons_find(reasons, event->subject.node_guid, port),
        down_reasons_find(reasons, event->peer.node_guid, event->peer.port)};
    bool any = false;
    *later = false;
    for (size_t i = 0; i < 2; i++) {
        ends[i] = found[i] ? *found[i] : (struct link_reason){0};
        any |= ends[i].known;
        *later |= found[i] && !ends[i].known && !reasons->latest->complete;
    }
    return any;
}

static void down_reasons_remove(struct down_reasons *reasons, size_t at)
{
    event_unref(reasons->waiting[at].event);
    reasons->waiting[at] = reasons->waiting[--reasons->count];
}

void down_reasons_take(struct down_reasons *reasons, const struct link_reasons *list,
                       int64_t now_us)
{
    down_reasons_forget(reasons);
    reasons->latest = memory_get(sizeof *list);
    *reasons->latest = *list;
    reasons->next = 0;
    for (size_t i = reasons->count; i-- > 0;) {
        if (now_us - reasons->waiting[i].since_us > DOWN_REASONS_US)
            down_reasons_remove(reasons, i);
    }
}

struct event *down_reasons_next(struct down_reasons *reasons, const struct event_builder *builder)
{
    struct link_reason ends[2];
    bool later;
    while (reasons->next < reasons->count) {
        struct down_reasons_waiting *one = &reasons->waiting[reasons->next];
        struct event *waiting = one->event;
        if (!down_reasons_look(reasons, waiting, ends, &later)) {
            reasons->next++;
            continue;
        }
        if (one->until_us != 0) {
            event_builder_add_reasons(waiting, &ends[0], &ends[1]);
            *one = reasons->waiting[--reasons->count];
            return waiting;
        }
        struct event *event = event_copy(waiting);
        event_builder_again(builder, event);
        memcpy(event->cause_id, waiting->cause_id, sizeof event->cause_id);
        memcpy(event->related_id, waiting->id, sizeof event->related_id);
        event_builder_add_reasons(event, &ends[0], &ends[1]);
        down_reasons_remove(reasons, reasons->next);
        return event;
    }
    return NULL;
}

bool down_reasons_hold(struct down_reasons *reasons, struct event *event, int64_t until_us)
{
    if (reasons->count == DOWN_REASONS_WAITING_MAX)
        return false;
    reasons->waiting[reasons->count++] =
        (struct down_reasons_waiting){.event = event, .since_us = until_us, .until_us = until_us};
    return true;
}

struct event *down_reasons_expired(struct down_reasons *reasons, int64_t now_us)
{
    for (size_t i = 0; i < reasons->count; i++) {
        struct down_reasons_waiting one = reasons->waiting[i];
        if (one.until_us == 0 || one.until_us > now_us)
            continue;
        reasons->waiting[i] = reasons->waiting[--reasons->count];
        return one.event;
    }
    return NULL;
}

void down_reasons_explain(struct down_reasons *reasons, struct event *event, int64_t now_us)
{
    struct link_reason ends[2];
    bool later;
    if (!reasons->latest || !catalogue_has_field(event->type, FIELD_LINK_CAUSE))
        return;
    if (down_reasons_look(reasons, event, ends, &later))
        event_builder_add_reasons(event, &ends[0], &ends[1]);
    if (later && reasons->count < DOWN_REASONS_WAITING_MAX)
        reasons->waiting[reasons->count++] =
            (struct down_reasons_waiting){.event = event_copy(event), .since_us = now_us};
}

void down_reasons_forget(struct down_reasons *reasons)
{
    free(reasons->latest);
    reasons->latest = NULL;
}

void down_reasons_clear(struct down_reasons *reasons)
{
    down_reasons_forget(reasons);
    while (reasons->count > 0)
        down_reasons_remove(reasons, 0);
}
