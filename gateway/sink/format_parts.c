// SPDX-License-Identifier: BSD-2-Clause
#include "sink/format.h"

#include "base/hash.h"
#include "base/text.h"
#include "model/catalogue.h"
#include "model/fabric.h"
#include "model/field.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct visit {
    const struct event *event;
    format_take *take;
    void *ctx;
    bool all; // the fields that the event does not have, too
};

static void format_visit_field(const struct visit *v, enum field field)
{
    char buffer[FIELD_TEXT_SIZE];
    v->take(v->ctx, field_name(field), field_text(v->event, field, buffer), field_kind(field));
}

// Visits a field unless it is empty or 0.
static void format_visit_option(const struct visit *v, enum field field)
{
    struct field_value value = field_get(v->event, field);
    if (v->all || (value.is_number ? value.number != 0 : value.size > 0))
        format_visit_field(v, field);
}

static void format_fields_number(const struct visit *v, const char *name, unsigned number)
{
    char value[16];
    struct text t = text_in(value, sizeof value);
    text_add_number(&t, number);
    if (v->all || number != 0)
        v->take(v->ctx, name, value, FIELD_IS_NUMBER);
}

static void format_fields_guid(const struct visit *v, const char *name, uint64_t guid)
{
    char value[ADDRESS_GUID_TEXT_SIZE];
    if (!v->all && guid == 0)
        return;
    address_format_guid(guid, value);
    v->take(v->ctx, name, value, FIELD_IS_TEXT);
}

static void format_fields_text(const struct visit *v, const char *name, const char *value)
{
    if (v->all || value[0] != '\0')
        v->take(v->ctx, name, value, FIELD_IS_TEXT);
}

// The names of an endpoint's fields.
#define ENDPOINT(who)                                                                              \
    {                                                                                              \
        who "Lid", who "Guid", who "Name", who "Port", who "Type", who "NodeGuid", who "System"    \
    }
struct endpoint_names {
    const char *lid, *guid, *name, *port, *type, *node_guid, *system;
};
static const struct endpoint_names SUBJECT = ENDPOINT("subject"), PEER = ENDPOINT("peer"),
                                   ISSUER = ENDPOINT("issuer"), SOURCE = ENDPOINT("source"),
                                   DESTINATION = ENDPOINT("destination");

static void format_visit_endpoint(const struct visit *v, const struct endpoint_names *names,
                                  const struct endpoint *who)
{
    format_fields_number(v, names->lid, who->lid);
    format_fields_guid(v, names->guid, who->guid);
    format_fields_text(v, names->name, who->name);
    format_fields_number(v, names->port, who->port);
    format_fields_text(v, names->type, fabric_type_word(who->type));
    format_fields_guid(v, names->node_guid, who->node_guid);
    format_fields_text(v, names->system, who->system);
}

bool format_has_field(const struct event *event, enum field field)
{
    const enum field *fields = event->type->fields;
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && fields[i] != FIELD_NONE; i++) {
        if (fields[i] == field)
            return true;
    }
    return false;
}

static void format_visit_head(const struct visit *v)
{
    static const enum field COMMON[] = {FIELD_EVENT_ID, FIELD_EVENT_NAME, FIELD_SEVERITY,
                                        FIELD_CATEGORY, FIELD_SUBNET_PREFIX};
    for (size_t i = 0; i < sizeof COMMON / sizeof *COMMON; i++)
        format_visit_field(v, COMMON[i]);
    format_visit_option(v, FIELD_FABRIC);
    if (event_alarm(v->event) != ALARM_NONE) {
        format_visit_field(v, FIELD_ALARM_STATE);
        format_visit_field(v, FIELD_ALARM_KEY);
    }
    format_visit_option(v, FIELD_CLEARS_ID);
    if (!format_has_field(v->event, FIELD_REPEAT_COUNT))
        format_visit_option(v, FIELD_REPEAT_COUNT);
    if (v->event->type->trap != 0)
        format_visit_field(v, FIELD_TRAP);
    format_visit_option(v, FIELD_FOUND_LATE);
    format_visit_option(v, FIELD_DERIVED);
    format_visit_option(v, FIELD_SENT_AGAIN);
    format_visit_option(v, FIELD_RELATED_ID);
    format_visit_option(v, FIELD_CAUSE_ID);
    format_visit_option(v, FIELD_SUPPRESSED);
    format_visit_option(v, FIELD_RULE);
    format_visit_option(v, FIELD_TEST);
    format_visit_option(v, FIELD_PARTS);
    format_visit_option(v, FIELD_PARTS_CHANGED);
}

static void format_visit_endpoints(const struct visit *v)
{
    format_visit_endpoint(v, &SUBJECT, &v->event->subject);
    format_visit_endpoint(v, &PEER, &v->event->peer);
    format_visit_endpoint(v, &ISSUER, &v->event->issuer);
    if (v->all || !address_gid_is_zero(v->event->issuer.gid))
        format_visit_field(v, FIELD_ISSUER_GID);
    if (format_has_field(v->event, FIELD_QP1)) { // about a packet between two ports
        format_visit_endpoint(v, &SOURCE, &v->event->source);
        format_visit_endpoint(v, &DESTINATION, &v->event->destination);
    }
}

// Visits the known fields of the catalogue's row and, for a derived event, the counter.
static void format_visit_cause(const struct visit *v)
{
    const enum field *fields = v->event->type->fields;
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && fields[i] != FIELD_NONE; i++) {
        if (fields[i] == FIELD_REASON || fields[i] == FIELD_AFFECTED ||
            (fields[i] >= FIELD_LINK_CAUSE && fields[i] <= FIELD_FORMER_SERIAL))
            format_visit_option(v, fields[i]);
        else if (fields[i] != FIELD_RAW && (v->all || field_is_known(v->event, fields[i])))
            format_visit_field(v, fields[i]);
    }
    static const enum field DERIVED[] = {FIELD_COUNTER, FIELD_COUNTER_OLD, FIELD_COUNTER_NEW};
    for (size_t i = 0; (v->all || v->event->derived) && i < sizeof DERIVED / sizeof *DERIVED; i++) {
        if (!format_has_field(v->event, DERIVED[i]))
            format_visit_field(v, DERIVED[i]);
    }
}

size_t format_node_names(const struct event *event, const char *out[FORMAT_NODES_MAX])
{
    const char *const names[FORMAT_NODES_MAX] = {
        event->subject.name,     event->peer.name,      event->issuer.name, event->source.name,
        event->destination.name, event->subject.system, event->peer.system};
    size_t n = 0;
    for (size_t i = 0; i < FORMAT_NODES_MAX; i++) {
        bool known = names[i][0] == '\0';
        for (size_t k = 0; k < n; k++)
            known = known || strcmp(out[k], names[i]) == 0;
        if (!known)
            out[n++] = names[i];
    }
    return n;
}

static void format_visit(const struct visit *v)
{
    format_visit_head(v);
    format_visit_endpoints(v);
    format_visit_cause(v);
    format_visit_option(v, FIELD_RAW);
}

void format_fields(const struct event *event, format_take *take, void *ctx)
{
    format_visit(&(struct visit){event, take, ctx, false});
}

void format_possible_fields(const struct event *event, format_take *take, void *ctx)
{
    format_visit(&(struct visit){event, take, ctx, true});
}

void format_origin_own(struct format_origin *out, struct format_process *process)
{
    if (gethostname(process->hostname, sizeof process->hostname - 1) != 0 ||
        process->hostname[0] == '\0')
        snprintf(process->hostname, sizeof process->hostname, "-");
    process->hostname[sizeof process->hostname - 1] = '\0';
    snprintf(process->id, sizeof process->id, "%ld", (long)getpid());
    *out = (struct format_origin){.facility = FORMAT_FACILITY_DAEMON,
                                  .hostname = process->hostname,
                                  .process_id = process->id};
    for (int i = 0; i < FORMAT_SEVERITIES; i++)
        out->severity_map[i] = (enum severity)i;
}

void format_escape(struct text *t, const char *value, const char *special)
{
    size_t plain;
    while (value[plain = strcspn(value, special)] != '\0') {
        const char escaped[] = {'\\', value[plain]};
        text_add_n(t, value, plain);
        text_add_n(t, escaped, sizeof escaped);
        value += plain + 1;
    }
    text_add_n(t, value, plain);
}

size_t format_key(const struct event *event, char out[FORMAT_KEY_SIZE])
{
    struct text t = text_in(out, FORMAT_KEY_SIZE);
    const uint64_t guid = event->subject.guid != 0 ? event->subject.guid : event->issuer.guid;
    const uint16_t lid = event->subject.lid != 0 ? event->subject.lid : event->issuer.lid;
    if (event->fabric[0] != '\0' && (event_alarm(event) != ALARM_NONE || guid != 0 || lid != 0)) {
        text_add(&t, event->fabric);
        text_add(&t, " ");
    }
    if (event_alarm(event) != ALARM_NONE) {
        text_add(&t, event->alarm_key);
    } else if (guid != 0) {
        text_add(&t, "0x");
        text_add_hex_number(&t, guid, 16);
    } else if (lid != 0) {
        text_add(&t, "lid ");
        text_add_number(&t, lid);
    }
    return t.len;
}

uint64_t format_shared_variant(const struct format_origin *origin, const struct event *event)
{
    const uint8_t numbers[] = {(uint8_t)origin->facility, (uint8_t)format_severity(origin, event)};
    const uint64_t digest = digest_add(DIGEST_OF_NOTHING, numbers, sizeof numbers);
    const uint64_t host = digest_add(digest, origin->hostname, strlen(origin->hostname) + 1);
    return digest_add(host, origin->process_id, strlen(origin->process_id) + 1);
}

// Makes the text in the largest room, and keeps the text; keeps an empty text if the room was
// hardly enough.
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
