// SPDX-License-Identifier: BSD-2-Clause
#include "full_event.h"

#include "support_clock.h"

#include "model/catalogue.h"
#include "model/fabric.h"

#include <string.h>

void full_event_texts(struct event *event, struct full_event_text out[FULL_EVENT_TEXTS])
{
    const struct full_event_text texts[FULL_EVENT_TEXTS] = {
        {event->id, sizeof event->id},
        {event->subject.name, sizeof event->subject.name},
        {event->issuer.name, sizeof event->issuer.name},
        {event->source.name, sizeof event->source.name},
        {event->destination.name, sizeof event->destination.name},
        {event->peer.name, sizeof event->peer.name},
        {event->reason, sizeof event->reason},
        {event->receiver, sizeof event->receiver},
        {event->error_rate, sizeof event->error_rate},
        {event->error_rate_limit, sizeof event->error_rate_limit},
        {event->link_rate, sizeof event->link_rate},
        {event->dates, sizeof event->dates},
        {event->related_id, sizeof event->related_id},
        {event->cause_id, sizeof event->cause_id},
        {event->clears_id, sizeof event->clears_id},
        {event->suppressed, sizeof event->suppressed},
        {event->rule, sizeof event->rule},
        {event->alarm_key, sizeof event->alarm_key},
        {event->text, sizeof event->text},
        {event->device_text, sizeof event->device_text},
        {event->module_vendor, sizeof event->module_vendor},
        {event->module_part, sizeof event->module_part},
        {event->module_serial, sizeof event->module_serial},
        {event->former_serial, sizeof event->former_serial},
        {event->link_cause, sizeof event->link_cause},
    };
    memcpy(out, texts, sizeof texts);
}

// Fills the place, except for the last octets if the next piece does not fit.
static void full_event_repeat(struct full_event_text place, const char *piece)
{
    struct text t = text_in(place.text, place.size);
    while (t.len + strlen(piece) < t.size)
        text_add(&t, piece);
}

static void full_event_fill_endpoint(struct endpoint *who)
{
    *who = (struct endpoint){.guid = UINT64_MAX,
                             .node_guid = UINT64_MAX,
                             .lid = UINT16_MAX,
                             .type = FABRIC_SWITCH,
                             .port = UINT8_MAX};
    memset(who->gid, 0xFF, sizeof who->gid);
}

struct event *full_event_begin(int type)
{
    struct event *e = event_make(catalogue_get((enum catalogue_event)type));
    strcpy(e->id, "0199a2b3-0000-7000-8000-000000000001");
    strcpy(e->text, "Something happened.");
    e->time_us = SUPPORT_UTC_US;
    e->subnet_prefix = UINT64_C(0xfe80000000000000);
    return e;
}

struct event *full_event_make(int type, const char *piece)
{
    struct event *e = full_event_begin(type);
    struct endpoint *const who[] = {&e->subject, &e->issuer, &e->source, &e->destination, &e->peer};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        full_event_fill_endpoint(who[i]);
    struct full_event_text texts[FULL_EVENT_TEXTS];
    full_event_texts(e, texts);
    for (size_t i = 0; i < FULL_EVENT_TEXTS; i++)
        full_event_repeat(texts[i], piece);
    memset(e->raw, 0xA5, e->raw_size = sizeof e->raw);
    memset(&e->notice, 0xFF, sizeof e->notice);
    e->notice.dr_hops = sizeof e->notice.dr_path;
    e->found_late = e->derived = e->test = true;
    e->lost = e->affected = e->counter_old = e->counter_new = e->errors = UINT64_MAX;
    e->switch_guid = e->sm_guid = e->repeat_count = e->former.node_guid = UINT64_MAX;
    e->window_min = e->occasions = e->occasion_days = e->failures = e->flaps = UINT32_MAX;
    e->since_us = INT64_MAX;
    return e;
}
