#include "sink/format_fields.h"

#include "model/catalogue.h"

#include <stdio.h>

struct visit {
    const struct event *event;
    format_take *take;
    void *ctx;
};

static void visit_field(const struct visit *v, enum field field)
{
    char buffer[FORMAT_VALUE_SIZE];
    struct text value = text_in(buffer, sizeof buffer);
    field_add_text(&value, v->event, field);
    bool decimal = field_get(v->event, field).is_number && buffer[0] >= '0' && buffer[0] <= '9' &&
                   buffer[1] != 'x';
    v->take(v->ctx, field_name(field), buffer, decimal);
}

static void visit_endpoint(const struct visit *v, const char *prefix, const struct endpoint *who)
{
    char name[32], value[ADDRESS_GUID_TEXT_SIZE];
    if (who->lid != 0) {
        snprintf(name, sizeof name, "%sLid", prefix);
        snprintf(value, sizeof value, "%u", who->lid);
        v->take(v->ctx, name, value, true);
    }
    if (who->guid != 0) {
        snprintf(name, sizeof name, "%sGuid", prefix);
        address_format_guid(who->guid, value);
        v->take(v->ctx, name, value, false);
    }
    if (who->name[0] != '\0') {
        snprintf(name, sizeof name, "%sName", prefix);
        v->take(v->ctx, name, who->name, false);
    }
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
    if (v->event->type->alarm != ALARM_NONE) {
        visit_field(v, FIELD_ALARM_STATE);
        visit_field(v, FIELD_ALARM_KEY);
    }
    if (v->event->type->trap != 0)
        visit_field(v, FIELD_TRAP);
}

static void visit_endpoints(const struct visit *v)
{
    visit_endpoint(v, "subject", &v->event->subject);
    visit_endpoint(v, "issuer", &v->event->issuer);
    if (!address_gid_is_zero(v->event->issuer.gid))
        visit_field(v, FIELD_ISSUER_GID);
    if (format_has_field(v->event, FIELD_QP1)) { // a packet between two ports
        visit_endpoint(v, "source", &v->event->source);
        visit_endpoint(v, "destination", &v->event->destination);
    }
}

void format_fields(const struct event *event, format_take *take, void *ctx)
{
    const struct visit v = {event, take, ctx};
    visit_head(&v);
    visit_endpoints(&v);
    const enum field *fields = event->type->fields;
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && fields[i] != FIELD_NONE; i++) {
        if (fields[i] != FIELD_RAW)
            visit_field(&v, fields[i]);
    }
    if (event->raw_size > 0)
        visit_field(&v, FIELD_RAW);
}
