// SPDX-License-Identifier: BSD-2-Clause
#include "sink/format_fields.h"

#include "model/catalogue.h"
#include "model/field.h"
#include "model/words.h"

#include <string.h>

struct visit {
    const struct event *event;
    format_take *take;
    void *ctx;
};

static void visit_field(const struct visit *v, enum field field)
{
    char buffer[FIELD_TEXT_SIZE];
    v->take(v->ctx, field_name(field), field_text(v->event, field, buffer), field_kind(field));
}

// Visits a field unless it is empty or 0.
static void visit_option(const struct visit *v, enum field field)
{
    struct field_value value = field_get(v->event, field);
    if (value.is_number ? value.number != 0 : value.size > 0)
        visit_field(v, field);
}

static void format_fields_number(const struct visit *v, const char *name, unsigned number)
{
    char value[16];
    struct text t = text_in(value, sizeof value);
    text_add_number(&t, number);
    if (number != 0)
        v->take(v->ctx, name, value, FIELD_IS_NUMBER);
}

static void format_fields_guid(const struct visit *v, const char *name, uint64_t guid)
{
    char value[ADDRESS_GUID_TEXT_SIZE];
    if (guid == 0)
        return;
    address_format_guid(guid, value);
    v->take(v->ctx, name, value, FIELD_IS_TEXT);
}

static void format_fields_text(const struct visit *v, const char *name, const char *value)
{
    if (value[0] != '\0')
        v->take(v->ctx, name, value, FIELD_IS_TEXT);
}

// The names of an endpoint's fields.
#define ENDPOINT(who)                                                                              \
    {                                                                                              \
        who "Lid", who "Guid", who "Name", who "Port", who "Type", who "NodeGuid"                  \
    }
struct endpoint_names {
    const char *lid, *guid, *name, *port, *type, *node_guid;
};
static const struct endpoint_names SUBJECT = ENDPOINT("subject"), PEER = ENDPOINT("peer"),
                                   ISSUER = ENDPOINT("issuer"), SOURCE = ENDPOINT("source"),
                                   DESTINATION = ENDPOINT("destination");

static void visit_endpoint(const struct visit *v, const struct endpoint_names *names,
                           const struct endpoint *who)
{
    format_fields_number(v, names->lid, who->lid);
    format_fields_guid(v, names->guid, who->guid);
    format_fields_text(v, names->name, who->name);
    format_fields_number(v, names->port, who->port);
    format_fields_text(v, names->type, words_node_type(who->type));
    format_fields_guid(v, names->node_guid, who->node_guid);
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

static void visit_head(const struct visit *v)
{
    static const enum field COMMON[] = {FIELD_EVENT_ID, FIELD_EVENT_NAME, FIELD_SEVERITY,
                                        FIELD_CATEGORY, FIELD_SUBNET_PREFIX};
    for (size_t i = 0; i < sizeof COMMON / sizeof *COMMON; i++)
        visit_field(v, COMMON[i]);
    if (event_alarm(v->event) != ALARM_NONE) {
        visit_field(v, FIELD_ALARM_STATE);
        visit_field(v, FIELD_ALARM_KEY);
    }
    if (v->event->clears_id[0] != '\0')
        visit_field(v, FIELD_CLEARS_ID);
    if (v->event->repeat_count != 0 && !format_has_field(v->event, FIELD_REPEAT_COUNT))
        visit_field(v, FIELD_REPEAT_COUNT);
    if (v->event->type->trap != 0)
        visit_field(v, FIELD_TRAP);
    visit_option(v, FIELD_FOUND_LATE);
    visit_option(v, FIELD_DERIVED);
    visit_option(v, FIELD_RELATED_ID);
    visit_option(v, FIELD_CAUSE_ID);
    visit_option(v, FIELD_SUPPRESSED);
    visit_option(v, FIELD_RULE);
    visit_option(v, FIELD_TEST);
}

static void visit_endpoints(const struct visit *v)
{
    visit_endpoint(v, &SUBJECT, &v->event->subject);
    visit_endpoint(v, &PEER, &v->event->peer);
    visit_endpoint(v, &ISSUER, &v->event->issuer);
    if (!address_gid_is_zero(v->event->issuer.gid))
        visit_field(v, FIELD_ISSUER_GID);
    if (format_has_field(v->event, FIELD_QP1)) { // about a packet between two ports
        visit_endpoint(v, &SOURCE, &v->event->source);
        visit_endpoint(v, &DESTINATION, &v->event->destination);
    }
}

// Visits the fields that the catalogue's row lists, as far as they are known, and, for a derived
// event, the counter.
static void visit_cause(const struct visit *v)
{
    const enum field *fields = v->event->type->fields;
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && fields[i] != FIELD_NONE; i++) {
        if (fields[i] == FIELD_REASON || fields[i] == FIELD_AFFECTED)
            visit_option(v, fields[i]);
        else if (fields[i] != FIELD_RAW && field_is_known(v->event, fields[i]))
            visit_field(v, fields[i]);
    }
    static const enum field DERIVED[] = {FIELD_COUNTER, FIELD_COUNTER_OLD, FIELD_COUNTER_NEW};
    for (size_t i = 0; v->event->derived && i < sizeof DERIVED / sizeof *DERIVED; i++) {
        if (!format_has_field(v->event, DERIVED[i]))
            visit_field(v, DERIVED[i]);
    }
}

size_t format_node_names(const struct event *event, const char *out[FORMAT_NODES_MAX])
{
    const struct endpoint *const who[FORMAT_NODES_MAX] = {
        &event->subject, &event->peer, &event->issuer, &event->source, &event->destination};
    size_t n = 0;
    for (size_t i = 0; i < FORMAT_NODES_MAX; i++) {
        bool known = who[i]->name[0] == '\0';
        for (size_t k = 0; k < n; k++)
            known = known || strcmp(out[k], who[i]->name) == 0;
        if (!known)
            out[n++] = who[i]->name;
    }
    return n;
}

void format_fields(const struct event *event, format_take *take, void *ctx)
{
    const struct visit v = {event, take, ctx};
    visit_head(&v);
    visit_endpoints(&v);
    visit_cause(&v);
    if (event->raw_size > 0)
        visit_field(&v, FIELD_RAW);
}
