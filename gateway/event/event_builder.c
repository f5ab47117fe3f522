// SPDX-License-Identifier: BSD-2-Clause
#include "event/event_builder.h"

#include "base/text.h"
#include "base/wire.h"
#include "event/template.h"
#include "model/fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A UUID of version 7 (RFC 9562 5.7): sorts by time, and needs no state from before a restart.
static void event_builder_make_id(const struct event_builder *builder, int64_t utc_us,
                                  char out[EVENT_ID_SIZE])
{
    uint8_t u[EVENT_UUID_SIZE];
    wire_put(u, 6, (uint64_t)(utc_us / CLOCK_US_PER_MS));
    builder->random->fill(builder->random->ctx, u + 6, sizeof u - 6);
    u[6] = (uint8_t)(0x70 | (u[6] & 0x0F));
    u[8] = (uint8_t)(0x80 | (u[8] & 0x3F));
    event_write_id(out, u);
}

static bool event_builder_topology_lid(void *ctx, uint16_t lid, struct endpoint *out)
{
    return topology_find_lid(ctx, lid, out);
}

static bool event_builder_topology_guid(void *ctx, uint64_t guid, struct endpoint *out)
{
    return topology_find_guid(ctx, guid, out);
}

static bool event_builder_topology_peer(void *ctx, uint64_t node_guid, uint8_t port,
                                        struct endpoint *out)
{
    return topology_find_peer(ctx, node_guid, port, out);
}

struct event_builder_lookup event_builder_lookup_in(struct topology *topology)
{
    return (struct event_builder_lookup){event_builder_topology_lid, event_builder_topology_guid,
                                         event_builder_topology_peer, topology};
}

static void event_builder_name_fabric(const struct event_builder *builder, struct event *event)
{
    if (event->subnet_prefix == 0)
        event->subnet_prefix = builder->subnet_prefix;
    if (event->fabric[0] == '\0' && builder->fabric) {
        struct text t = text_in(event->fabric, sizeof event->fabric);
        text_add(&t, builder->fabric);
    }
}

static struct event *event_builder_begin(const struct event_builder *builder,
                                         const struct catalogue_entry *type)
{
    struct event *event = event_make(type);
    event->time_us = clock_utc(builder->clock);
    event_builder_make_id(builder, event->time_us, event->id);
    event_builder_name_fabric(builder, event);
    return event;
}

// Replaces the NodeDescription by the name from the name map and the settings, if there is a name.
static void event_builder_name_endpoint(const struct event_builder *builder, struct endpoint *who)
{
    const char *name = names_find_port(builder->names, who->node_guid, who->guid);
    if (name) {
        struct text t = text_in(who->name, sizeof who->name);
        text_add(&t, name);
        who->nameless = false;
    }
}

// Looks up an endpoint by its GUID, or by its LID if the GUID is unknown: another port may have had
// the LID at the last sweep.
static bool event_builder_look_up(const struct event_builder_lookup *lookup,
                                  const struct endpoint *who, struct endpoint *out)
{
    if (!lookup)
        return false;
    return who->guid != 0 ? lookup->find_guid(lookup->ctx, who->guid, out)
                          : who->lid != 0 && lookup->find_lid(lookup->ctx, who->lid, out);
}

// Adds the fabric's knowledge to an endpoint of a Notice; values from the Notice take precedence.
static void event_builder_complete(const struct event_builder *builder, struct endpoint *who)
{
    struct endpoint known = {0};
    if (event_builder_look_up(builder->lookup, who, &known)) {
        if (who->guid != 0)
            known.guid = who->guid;
        if (who->lid != 0)
            known.lid = who->lid;
        if (!address_gid_is_zero(who->gid))
            memcpy(known.gid, who->gid, sizeof known.gid);
        *who = known;
    }
    event_builder_name_endpoint(builder, who);
}

static struct endpoint event_builder_endpoint_of(const struct event_builder *builder, uint16_t lid,
                                                 const uint8_t gid[ADDRESS_GID_SIZE])
{
    struct endpoint who = {.lid = lid};
    if (gid && !address_gid_is_multicast(gid)) {
        memcpy(who.gid, gid, sizeof who.gid);
        who.guid = address_gid_interface(gid);
    }
    event_builder_complete(builder, &who);
    return who;
}

// Finds the other end of the link at a port of the subject.
static void event_builder_find_peer(const struct event_builder *builder, struct event *event,
                                    uint8_t port)
{
    const struct event_builder_lookup *lookup = builder->lookup;
    const struct endpoint *subject = &event->subject;
    if (lookup && subject->node_guid != 0 && port != 0 &&
        lookup->find_peer(lookup->ctx, subject->node_guid, port, &event->peer))
        event_builder_name_endpoint(builder, &event->peer);
}

// An endpoint in the Notice's DataDetails. If the DataDetails have only a LID, the issuer's, the
// endpoint is the issuer, and the issuer has a GID, too.
static struct endpoint event_builder_endpoint_within(const struct event_builder *builder,
                                                     const struct event *event, uint16_t lid,
                                                     const uint8_t gid[ADDRESS_GID_SIZE])
{
    bool is_issuer = lid != 0 && lid == event->issuer.lid && (!gid || address_gid_is_zero(gid));
    return is_issuer ? event->issuer : event_builder_endpoint_of(builder, lid, gid);
}

static struct endpoint event_builder_subject_of(const struct event_builder *builder,
                                                const struct event *event)
{
    const struct notice *n = &event->notice;
    switch (event->type->subject) {
    case CATALOGUE_ABOUT_GID1:
        return event_builder_endpoint_of(builder, 0, n->gid1);
    case CATALOGUE_ABOUT_LID:
        return event_builder_endpoint_within(builder, event, n->lid, n->gid1);
    case CATALOGUE_ABOUT_SWITCH:
        return event_builder_endpoint_within(builder, event, n->switch_lid, NULL);
    case CATALOGUE_ABOUT_ISSUER:
        return event->issuer;
    default:
        return (struct endpoint){0};
    }
}

// The number of the subject's port in the Notice; 0: none.
static uint8_t event_builder_subject_port(const struct event *event)
{
    switch (event->type->trap) {
    case NOTICE_GID_IN_SERVICE:
    case NOTICE_GID_OUT_OF_SERVICE:
        return event->subject.port;
    default:
        return event->notice.port;
    }
}

// Whether the Notice names a port as its subject. Another Notice is about a packet to the issuer,
// or comes from the subnet manager.
static bool event_builder_names_its_port(const struct catalogue_entry *type)
{
    return type->subject == CATALOGUE_ABOUT_SWITCH ||
           (type->subject == CATALOGUE_ABOUT_LID && type->category != CATEGORY_SECURITY);
}

// Whether a switch or router sent the Notice, as its ProducerType says.
static bool event_builder_is_from_element(const struct notice *notice)
{
    return notice->generic && (notice->producer == NOTICE_PRODUCER_SWITCH ||
                               notice->producer == NOTICE_PRODUCER_ROUTER);
}

// The switch or router of a Notice: the named node, or else the issuer; 0: neither is an element.
// If the fabric does not know the issuer, its ProducerType tells the type of the node. The GUID of
// an unknown switch is the GUID of its port 0; the node GUID of an unknown router is not known.
static uint64_t event_builder_switch_of_notice(const struct event *event)
{
    const struct endpoint *issuer = &event->issuer;
    const bool named = event_builder_names_its_port(event->type);
    const struct endpoint *who = named ? &event->subject : issuer;
    if (named && fabric_is_element(who->type))
        return who->node_guid;
    if (!event_builder_is_from_element(&event->notice) || who->lid != issuer->lid ||
        (who->type != 0 && !fabric_is_element(who->type)))
        return 0;
    const bool is_guid_of_node = event->notice.producer == NOTICE_PRODUCER_SWITCH;
    return issuer->node_guid ? issuer->node_guid : is_guid_of_node ? issuer->guid : 0;
}

// Takes sentence and severity of a notice without a row of its own in the catalogue.
static void event_builder_look_into_book(const struct event_builder *builder, struct event *event)
{
    const struct notice_book_row *row =
        event->type->trap == 0 ? notice_book_find(builder->book, &event->notice) : NULL;
    struct text reason = text_in(event->reason, sizeof event->reason);
    if (!row)
        return;
    event->severity = row->severity;
    notice_book_explain(row, event->raw, &reason);
}

struct event *event_builder_from_notice(const struct event_builder *builder,
                                        const uint8_t wire[NOTICE_SIZE])
{
    struct notice notice = notice_decode(wire);
    struct event *event = event_builder_begin(builder, catalogue_of_notice(&notice));
    event->notice = notice;
    memcpy(event->raw, wire, NOTICE_SIZE);
    event->raw_size = NOTICE_SIZE;
    event_builder_look_into_book(builder, event);
    event->issuer = event_builder_endpoint_of(builder, notice.issuer_lid, notice.issuer_gid);
    event->subject = event_builder_subject_of(builder, event);
    if (notice.port != 0 && event_builder_names_its_port(event->type))
        event->subject.port = notice.port;
    event->source = event_builder_endpoint_within(builder, event, notice.lid, notice.gid1);
    event->destination = event_builder_endpoint_within(builder, event, notice.lid2, notice.gid2);
    event->switch_guid = event_builder_switch_of_notice(event);
    event_builder_find_peer(builder, event, event_builder_subject_port(event));
    template_explain(event);
    return event;
}

struct event *event_builder_from_malformed(const struct event_builder *builder, uint16_t sender_lid,
                                           const char *reason, const uint8_t *mad, size_t size)
{
    struct event *event = event_builder_begin(builder, catalogue_get(CATALOGUE_MALFORMED_MAD));
    event->raw_size = size < EVENT_RAW_MAX ? size : EVENT_RAW_MAX;
    memcpy(event->raw, mad, event->raw_size);
    event->issuer = event->subject = event_builder_endpoint_of(builder, sender_lid, NULL);
    snprintf(event->reason, sizeof event->reason, "%s", reason);
    template_explain(event);
    return event;
}

static void event_builder_set_id(char out[EVENT_ID_SIZE], const char *id)
{
    snprintf(out, EVENT_ID_SIZE, "%s", id ? id : "");
}

struct event *event_builder_from_change(const struct event_builder *builder,
                                        const struct change *change, bool late,
                                        const char *cause_id, const char *related_id)
{
    struct event *event = event_builder_begin(builder, catalogue_get(change->type));
    event->subject = change->subject;
    event->peer = change->peer;
    event->uplink = change->uplink;
    event->former = change->former;
    event->switch_guid = change->switch_guid;
    event->sm_guid = change->sm_guid;
    event->affected = change->affected;
    event->parts = change->parts;
    event->parts_changed = change->parts_changed;
    event->is_part = change->is_part;
    event->found_late = late;
    event_builder_set_id(event->cause_id, cause_id);
    event_builder_set_id(event->related_id, related_id);
    text_clean(change->reason, strlen(change->reason), event->reason, sizeof event->reason);
    if (event->type->alarm != ALARM_NONE)
        snprintf(event->alarm_key, sizeof event->alarm_key, "%s", change->alarm_key);
    template_explain(event);
    return event;
}

void event_builder_add_reasons(struct event *event, const struct link_reason *own,
                               const struct link_reason *other)
{
    const struct link_down_cause cause = link_reason_judge(own, other);
    const struct endpoint *at = cause.at == LINK_END_OTHER ? &event->peer : &event->subject;
    struct text t = text_in(event->link_cause, sizeof event->link_cause);
    event->blame = cause.blame;
    event->local_reason = cause.local;
    event->remote_reason = cause.remote;
    snprintf(event->device_text, sizeof event->device_text, "%s", cause.message);
    if (cause.words) {
        text_addf(&t, "%s at ", cause.words);
        template_name(&t, at);
    }
    template_explain(event);
}

static enum catalogue_event event_builder_type_of(const struct counter_statement *statement)
{
    const bool raised = statement->raised;
    if (statement->key.about == ALARM_ABOUT_WAIT)
        return raised ? CATALOGUE_CONGESTION_RAISED : CATALOGUE_CONGESTION_CLEARED;
    if (statement->key.about == ALARM_ABOUT_ERRORS)
        return raised ? CATALOGUE_LINK_ERRORS_RAISED : CATALOGUE_LINK_ERRORS_CLEARED;
    if (statement->key.counter == COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)
        return CATALOGUE_LINK_INTEGRITY_THRESHOLD;
    if (statement->key.counter == COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)
        return CATALOGUE_BUFFER_OVERRUN_THRESHOLD;
    return raised ? CATALOGUE_THRESHOLD_REACHED : CATALOGUE_THRESHOLD_CLEARED;
}

// Fills in the Notice as if the port had sent a trap.
static void event_builder_derive_notice(struct event *event)
{
    event->derived = true;
    event->notice.generic = true;
    event->notice.trap = event->type->trap;
    event->notice.lid = event->subject.lid;
    event->notice.port = event->subject.port;
}

// Makes a port the subject. `port`: the port as the fabric knows it.
static void event_builder_set_counter_subject(struct event *event, const struct endpoint *port,
                                              uint64_t node_guid, uint8_t number)
{
    event->subject = *port;
    event->subject.node_guid = node_guid;
    event->subject.port = number;
    if (fabric_is_element(port->type))
        event->switch_guid = node_guid;
}

static void event_builder_write_rate(char out[EVENT_RATE_SIZE], double rate, enum error_unit unit)
{
    static const char *const UNITS[] = {
        [ERRORS_PER_HOUR] = "hour", [ERRORS_PER_BIT] = "bit", [ERRORS_PER_PACKET] = "packet"};
    snprintf(out, EVENT_RATE_SIZE,
             unit == ERRORS_PER_HOUR && rate >= 10 ? "%.0f per %s" : "%.2g per %s", rate,
             UNITS[unit]);
}

static void event_builder_set_rate(struct event *event, const struct counter_statement *statement)
{
    event->errors = statement->errors;
    event->severe = statement->severe;
    event->severity = event_own_severity(event);
    if (statement->covered_us == 0)
        return;
    event->window_min =
        (uint32_t)((statement->covered_us + 30 * CLOCK_US_PER_S) / (60 * CLOCK_US_PER_S));
    event->window_min += event->window_min == 0;
    if (statement->key.about == ALARM_ABOUT_ERRORS) {
        event_builder_write_rate(event->error_rate, statement->rate, statement->unit);
        event_builder_write_rate(event->error_rate_limit, statement->limit, statement->unit);
    } else {
        snprintf(event->error_rate, EVENT_RATE_SIZE, "%.3g%% of the time", statement->rate * 100);
        snprintf(event->error_rate_limit, EVENT_RATE_SIZE, "%.3g%%", statement->limit * 100);
    }
}

// Why the alarm is over, or why the port counts errors.
static void event_builder_set_errors(struct event *event, const struct counter_statement *statement,
                                     const struct error_details *details)
{
    struct text rate = text_in(event->link_rate, sizeof event->link_rate);
    struct text reason = text_in(event->reason, sizeof event->reason);
    if (statement->width != 0 && statement->speed != 0)
        fabric_add_rate(&rate, statement->width, statement->speed);
    if (statement->raised && details)
        error_details_describe(&reason, details);
    if (statement->raised)
        return;
    if (statement->moved)
        text_add(&reason, "the port has another neighbour now");
    else if (statement->covered_us == 0)
        text_add(&reason, "the configuration has no limit for it any more");
    else
        text_addf(&reason, "by %" PRIu64 " in %" PRIu32 " minute%s, %s; the limit is %s",
                  event->errors, event->window_min, event->window_min == 1 ? "" : "s",
                  event->error_rate, event->error_rate_limit);
}

static void event_builder_set_wait(struct event *event, const struct counter_statement *statement,
                                   uint64_t discards)
{
    struct text reason = text_in(event->reason, sizeof event->reason);
    if (!statement->raised && statement->covered_us == 0) {
        text_add(&reason, "the configuration has no limit for it any more");
        return;
    }
    if (discards > 0)
        text_addf(&reason, "it discarded %" PRIu64 " packet%s meanwhile", discards,
                  discards == 1 ? "" : "s");
    if (!statement->tick_known && statement->raised)
        text_addf(&reason,
                  "%sit does not say how long a tick of its PortXmitWait is: the share is that of "
                  "the shortest",
                  discards > 0 ? "; " : "");
}

// Sets the other end of the alarm's link, even if the port has another neighbour now.
static void event_builder_set_peer(const struct event_builder *builder, struct event *event,
                                   const struct alarm_key *key)
{
    struct endpoint *peer = &event->peer;
    event_builder_find_peer(builder, event, key->port);
    if (key->peer_guid == 0 || (peer->node_guid == key->peer_guid && peer->port == key->peer_port))
        return;
    *peer = (struct endpoint){.guid = key->peer_guid};
    event_builder_complete(builder, peer);
    peer->node_guid = key->peer_guid;
    peer->port = key->peer_port;
}

struct event *event_builder_from_counter(const struct event_builder *builder,
                                         const struct counter_statement *statement,
                                         const struct endpoint *port,
                                         const struct error_details *details, uint64_t discards)
{
    const struct alarm_key *key = &statement->key;
    struct event *event =
        event_builder_begin(builder, catalogue_get(event_builder_type_of(statement)));
    event_builder_set_counter_subject(event, port, key->guid, key->port);
    event->counter = (uint8_t)key->counter;
    event->counter_old = statement->before;
    event->counter_new = statement->after;
    event_builder_set_rate(event, statement);
    if (event->type->trap != 0)
        event_builder_derive_notice(event);
    else
        alarm_key_write(event->alarm_key, key);
    if (key->about == ALARM_ABOUT_ERRORS)
        event_builder_set_errors(event, statement, details);
    else if (key->about == ALARM_ABOUT_WAIT)
        event_builder_set_wait(event, statement, discards);
    event_builder_name_endpoint(builder, &event->subject);
    event_builder_set_peer(builder, event, key);
    template_explain(event);
    return event;
}

// Links that fail again and again.

// Writes the dates of the last occasions, to the minute.
static void event_builder_write_dates(char out[EVENT_DATES_SIZE], const struct link_record *record)
{
    enum { SHOWN = 8, MINUTES = sizeof "2026-11-21T03:19" - 1 };
    struct text t = text_in(out, EVENT_DATES_SIZE);
    const unsigned first = record->count > SHOWN ? record->count - SHOWN : 0;
    if (first > 0)
        text_addf(&t, "%u earlier", first);
    for (unsigned i = first; i < record->count; i++) {
        char when[CLOCK_TEXT_SIZE];
        clock_format_utc(record->occasions[i].utc_us, when);
        text_addf(&t, "%s%.*sZ", t.len > 0 ? ", " : "", (int)MINUTES, when);
    }
}

static void event_builder_set_occasions(struct event *event,
                                        const struct event_builder_link_record *what)
{
    const struct link_record *record = what->record;
    event->occasions = record->count;
    event->occasion_days = (uint32_t)(what->limits.window_us / (86400 * CLOCK_US_PER_S));
    event->failures = (uint32_t)link_record_incidents(record, LINK_FAILED);
    event->flaps = (uint32_t)link_record_incidents(record, LINK_FLAPPED);
    event->error_alarms = (uint32_t)link_record_incidents(record, LINK_HAD_ERRORS);
    event_builder_write_dates(event->dates, record);
}

// Why the alarm is over.
static void event_builder_set_occasions_reason(struct event *event,
                                               const struct event_builder_link_record *what)
{
    struct text reason = text_in(event->reason, sizeof event->reason);
    if (what->verdict == LINK_IS_ELSEWHERE)
        text_add(&reason, "one of its ends is connected to another port now");
    else if (what->verdict == LINK_HAS_NO_LIMIT)
        text_add(&reason, "the configuration has no limit any more");
    else
        text_addf(&reason, "%u occasion%s in %" PRIu32 " day%s; the limit is %u",
                  what->record->count, what->record->count == 1 ? "" : "s", event->occasion_days,
                  event->occasion_days == 1 ? "" : "s", what->limits.occasions);
}

struct event *event_builder_from_link_record(const struct event_builder *builder,
                                             const struct event_builder_link_record *what)
{
    const struct alarm_key *link = &what->record->link;
    const bool unreliable = what->verdict == LINK_IS_UNRELIABLE;
    struct event *event = event_builder_begin(
        builder, catalogue_get(unreliable ? CATALOGUE_LINK_UNRELIABLE : CATALOGUE_LINK_RELIABLE));
    const bool swapped =
        !fabric_is_element(what->ends[0].type) && fabric_is_element(what->ends[1].type);
    event->peer = what->ends[!swapped];
    if (swapped)
        event_builder_set_counter_subject(event, &what->ends[1], link->peer_guid, link->peer_port);
    else
        event_builder_set_counter_subject(event, &what->ends[0], link->guid, link->port);
    event_builder_set_occasions(event, what);
    if (!unreliable)
        event_builder_set_occasions_reason(event, what);
    alarm_key_write(event->alarm_key, link);
    event_builder_name_endpoint(builder, &event->subject);
    event_builder_name_endpoint(builder, &event->peer);
    template_explain(event);
    return event;
}

static void event_builder_about_switch(struct event *event, uint64_t guid)
{
    event->switch_guid = guid;
    event->subject = (struct endpoint){.guid = guid, .node_guid = guid};
}

// Follows a route. If the last hop leads nowhere, the subject is the port before the hop.
static void event_builder_follow(const struct event_builder *builder, struct event *event,
                                 const struct event_builder_place *place)
{
    const struct event_builder_lookup *lookup = builder->lookup;
    struct endpoint at = event_builder_endpoint_of(builder, place->lid, NULL), next;
    if (place->hops == 0) {
        event->subject = at;
        event_builder_find_peer(builder, event, at.port);
    }
    for (uint8_t hop = 0; hop < place->hops && at.node_guid != 0; hop++) {
        at.port = place->route[hop];
        const bool leads = lookup->find_peer(lookup->ctx, at.node_guid, at.port, &next);
        if (!leads && hop + 1 < place->hops)
            return;
        event->peer = leads ? at : (struct endpoint){0};
        event->subject = leads ? next : at;
        at = event->subject;
        event_builder_name_endpoint(builder, &at);
    }
    event_builder_name_endpoint(builder, &event->subject);
}

static void event_builder_set_place(const struct event_builder *builder, struct event *event,
                                    const struct event_builder_place *place)
{
    if (place->lid != 0) {
        event_builder_follow(builder, event, place);
    } else if (place->guid != 0) {
        event->subject = (struct endpoint){.guid = place->guid};
        event_builder_complete(builder, &event->subject);
        if (place->port != 0)
            event->subject.port = place->port;
        event_builder_find_peer(builder, event, event->subject.port);
    } else {
        return;
    }
    if (fabric_is_element(event->subject.type))
        event->switch_guid = event->subject.node_guid;
}

struct event *event_builder_from_occurrence(const struct event_builder *builder,
                                            const struct event_builder_occurrence *occurrence)
{
    struct event *event = event_builder_begin(builder, catalogue_get(occurrence->type));
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", occurrence->alarm_key);
    snprintf(event->receiver, sizeof event->receiver, "%s", occurrence->receiver);
    text_clean(occurrence->reason, strlen(occurrence->reason), event->reason, sizeof event->reason);
    event->lost = occurrence->lost;
    event->sm_guid = occurrence->sm_guid;
    event->subject = (struct endpoint){.guid = occurrence->sm_guid, .lid = occurrence->sm_lid};
    if (occurrence->switch_guid != 0)
        event_builder_about_switch(event, occurrence->switch_guid);
    event_builder_complete(builder, &event->subject);
    event_builder_set_place(builder, event, &occurrence->place);
    template_explain(event);
    return event;
}

struct event *event_builder_end_of_alarm(const struct event_builder *builder, const char *key,
                                         const struct catalogue_entry *type, const char *reason)
{
    struct event *event = event_builder_begin(builder, catalogue_get(CATALOGUE_ALARM_CLEARED));
    event->cleared = type;
    event_complete_cleared(event);
    if (type)
        event->category = type->category;
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", key);
    text_clean(reason, strlen(reason), event->reason, sizeof event->reason);
    template_explain(event);
    return event;
}

void event_builder_again(const struct event_builder *builder, struct event *event)
{
    event_unjudge(event);
    event->id[0] = event->cause_id[0] = event->text[0] = '\0';
    event->retold = true;
    event->time_us = 0;
    event_builder_stamp(builder, event);
}

void event_builder_stamp(const struct event_builder *builder, struct event *event)
{
    const int64_t now = clock_utc(builder->clock);
    event_builder_make_id(builder, now, event->id);
    if (event->time_us == 0)
        event->time_us = now;
    event_builder_name_fabric(builder, event);
    if (event->text[0] == '\0')
        template_explain(event);
}
