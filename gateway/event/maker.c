#include "event/maker.h"

#include "base/text.h"
#include "base/wire.h"
#include "event/template.h"

#include <stdio.h>
#include <string.h>

// A UUID of version 7 (RFC 9562 5.7): it sorts by time, and needs no state that survives a restart.
static void make_id(const struct maker *maker, int64_t utc_us, char out[EVENT_ID_SIZE])
{
    uint8_t u[16];
    wire_put(u, 6, (uint64_t)(utc_us / CLOCK_US_PER_MS));
    maker->random->fill(maker->random->ctx, u + 6, sizeof u - 6);
    u[6] = (uint8_t)(0x70 | (u[6] & 0x0F));
    u[8] = (uint8_t)(0x80 | (u[8] & 0x3F));
    struct text t = text_in(out, EVENT_ID_SIZE);
    static const size_t GROUPS[] = {4, 2, 2, 2, 6};
    const uint8_t *p = u;
    for (size_t i = 0; i < 5; p += GROUPS[i++]) {
        text_add(&t, i ? "-" : "");
        text_add_hex(&t, p, GROUPS[i]);
    }
}

static struct event *begin(const struct maker *maker, const struct catalogue_entry *type)
{
    struct event *event = event_make(type);
    if (!event)
        return NULL;
    event->time_us = clock_utc(maker->clock);
    make_id(maker, event->time_us, event->id);
    event->subnet_prefix = maker->subnet_prefix;
    return event;
}

static void name_endpoint(const struct maker *maker, struct endpoint *who)
{
    const char *name = who->guid ? names_find(maker->names, who->guid) : NULL;
    if (name)
        snprintf(who->name, sizeof who->name, "%s", name);
}

static struct endpoint endpoint_of(const struct maker *maker, uint16_t lid,
                                   const uint8_t gid[ADDRESS_GID_SIZE])
{
    struct endpoint who = {.lid = lid};
    if (gid && !address_gid_is_multicast(gid)) {
        memcpy(who.gid, gid, sizeof who.gid);
        who.guid = address_gid_interface(gid);
    }
    name_endpoint(maker, &who);
    return who;
}

// The port with that LID: if it is the issuer's own, the IssuerGID tells more.
static struct endpoint endpoint_with_lid(const struct maker *maker, const struct event *event,
                                         uint16_t lid)
{
    return lid == event->issuer.lid ? event->issuer : endpoint_of(maker, lid, NULL);
}

static struct endpoint subject_of(const struct maker *maker, const struct event *event)
{
    const struct notice *n = &event->notice;
    switch (event->type->subject) {
    case CATALOGUE_ABOUT_GID1:
        return endpoint_of(maker, 0, n->gid1);
    case CATALOGUE_ABOUT_LID:
        return address_gid_is_zero(n->gid1) ? endpoint_with_lid(maker, event, n->lid)
                                            : endpoint_of(maker, n->lid, n->gid1);
    case CATALOGUE_ABOUT_SWITCH:
        return endpoint_with_lid(maker, event, n->switch_lid);
    case CATALOGUE_ABOUT_ISSUER:
        return event->issuer;
    default:
        return (struct endpoint){0};
    }
}

struct event *maker_from_notice(const struct maker *maker, const uint8_t wire[NOTICE_SIZE])
{
    struct notice notice = notice_decode(wire);
    struct event *event = begin(maker, catalogue_of_notice(&notice));
    if (!event)
        return NULL;
    event->notice = notice;
    memcpy(event->raw, wire, NOTICE_SIZE);
    event->raw_size = NOTICE_SIZE;
    event->issuer = endpoint_of(maker, notice.issuer_lid, notice.issuer_gid);
    event->subject = subject_of(maker, event);
    event->source = endpoint_of(maker, notice.lid, notice.gid1);
    event->destination = endpoint_of(maker, notice.lid2, notice.gid2);
    if (notice.generic && notice.producer == NOTICE_PRODUCER_SWITCH)
        event->switch_guid = event->issuer.guid;
    template_explain(event);
    return event;
}

struct event *maker_from_malformed(const struct maker *maker, uint16_t sender_lid,
                                   const char *reason, const uint8_t *mad, size_t size)
{
    struct event *event = begin(maker, catalogue_get(CATALOGUE_MALFORMED_MAD));
    if (!event)
        return NULL;
    event->raw_size = size < EVENT_RAW_MAX ? size : EVENT_RAW_MAX;
    memcpy(event->raw, mad, event->raw_size);
    event->issuer = event->subject = endpoint_of(maker, sender_lid, NULL);
    snprintf(event->reason, sizeof event->reason, "%s", reason);
    template_explain(event);
    return event;
}

struct event *maker_from_occurrence(const struct maker *maker,
                                    const struct maker_occurrence *occurrence)
{
    struct event *event = begin(maker, catalogue_get(occurrence->type));
    if (!event)
        return NULL;
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", occurrence->alarm_key);
    snprintf(event->receiver, sizeof event->receiver, "%s", occurrence->receiver);
    text_clean(occurrence->reason, strlen(occurrence->reason), event->reason, sizeof event->reason);
    event->lost = occurrence->lost;
    template_explain(event);
    return event;
}
