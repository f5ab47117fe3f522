// SPDX-License-Identifier: BSD-2-Clause
#include "json_model.h"

#include "base/clock.h"
#include "install.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "sink/format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// An object under construction. `whole` is shared by all objects of a line; false: memory was
// short.
struct node {
    json_t *object;
    bool *whole;
};

static void json_model_put(struct node to, const char *key, json_t *value)
{
    *to.whole &= json_object_set_new(to.object, key, value) == 0;
}

// Makes a string of any octets; replaces those that are not UTF-8.
static json_t *make_string(const char *value)
{
    char clean[FORMAT_SIZE];
    json_t *string = json_string(value);
    if (string)
        return string;
    text_clean(value, strlen(value), clean, sizeof clean);
    return json_string(clean);
}

static void set(struct node to, const char *key, const char *value)
{
    json_model_put(to, key, make_string(value));
}

static void json_model_set_number(struct node to, const char *key, json_int_t value)
{
    json_model_put(to, key, json_integer(value));
}

static struct node set_object(struct node to, const char *key)
{
    struct node inner = {json_object(), to.whole};
    json_model_put(to, key, inner.object);
    if (!*to.whole)
        inner.object = NULL; // put may have freed it
    return inner;
}

static void set_list(struct node to, const char *key, const char *const *words)
{
    json_t *list = json_array();
    for (; *words; words++)
        *to.whole &= json_array_append_new(list, make_string(*words)) == 0;
    json_model_put(to, key, list);
}

static void set_time(struct node to, const char *key, int64_t utc_us)
{
    char when[CLOCK_TEXT_SIZE];
    clock_format_utc(utc_us, when);
    set(to, key, when);
}

// Turns a field's text into a value. A number beyond 63 bits becomes 2^63 - 1, since JSON readers
// would refuse the whole line.
static json_t *make_value(const char *value, enum field_kind kind)
{
    switch (kind) {
    case FIELD_IS_NUMBER:
        return json_integer(strtoll(value, NULL, 10));
    case FIELD_IS_FLAG:
        return json_boolean(strcmp(value, "true") == 0);
    default:
        return make_string(value);
    }
}

static void add_member(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    json_model_put(*(struct node *)ctx, name, make_value(value, kind));
}

// The place of a member: one key, or two.
struct path {
    const char *outer, *inner;
};

// Writes the object into the room of `t`, and returns the needed octets; 0: memory was short.
// json_dumps might then leave out names.
static size_t json_model_write(struct text *t, struct node made)
{
    return *made.whole ? json_dumpb(made.object, t->buf + t->len, t->size - t->len, JSON_COMPACT)
                       : 0;
}

// Adds the object and frees it. While it does not fit, removes the next member of `spare`, which
// ends with NULL. Empties the text if memory is short or the object never fits.
static void add_json(struct text *t, struct node made, const struct path *spare)
{
    size_t size, room = t->size - t->len;
    while ((size = json_model_write(t, made)) >= room && spare->outer) {
        json_t *inside = spare->inner ? json_object_get(made.object, spare->outer) : made.object;
        json_object_del(inside, spare->inner ? spare->inner : spare->outer);
        spare++;
    }
    json_decref(made.object);
    t->len = size > 0 && size < room ? t->len + size : 0;
    t->buf[t->len] = '\0';
}

// ibtrapd's own.

static void set_own(struct node object, const struct event *event)
{
    set_time(object, field_name(FIELD_TIME), event->time_us);
    format_fields(event, add_member, &object);
    set(object, field_name(FIELD_TEXT), event->text);
}

void json_model_json(struct text *t, const struct format_origin *origin, const struct event *event)
{
    static const struct path SPARE[] = {
        {"raw", NULL},        {"reason", NULL},          {"issuerName", NULL},
        {"sourceName", NULL}, {"destinationName", NULL}, {"peerName", NULL},
        {"text", NULL},       {"subjectName", NULL},     {"dates", NULL},
        {"deviceText", NULL}, {"linkCause", NULL},       {"rule", NULL},
        {NULL, NULL}};
    (void)origin;
    bool whole = true;
    struct node object = {json_object(), &whole};
    set_own(object, event);
    add_json(t, object, SPARE);
}

// Elastic Common Schema.

static const char *const NETWORK[] = {"network", NULL}, *const HOST[] = {"host", NULL},
                         *const PROCESS[] = {"process", NULL},
                         *const INTRUSION[] = {"intrusion_detection", "network", NULL};

static const char *const *ecs_category(const struct event *event)
{
    switch (event->category) {
    case CATEGORY_SECURITY:
        return INTRUSION;
    case CATEGORY_NODE:
    case CATEGORY_IO:
        return HOST;
    case CATEGORY_GATEWAY:
        return PROCESS;
    default:
        return NETWORK;
    }
}

static const char *const *ecs_type(const struct event *event)
{
    static const char *const DENIED[] = {"denied", NULL}, *const START[] = {"start", NULL},
                             *const END[] = {"end", NULL}, *const INFO[] = {"info", NULL};
    if (event->category == CATEGORY_SECURITY)
        return DENIED;
    if (event->type == catalogue_get(CATALOGUE_GATEWAY_STARTED))
        return START;
    return event->type == catalogue_get(CATALOGUE_GATEWAY_STOPPED) ? END : INFO;
}

// Sets the trap number; without a trap, the event's name.
static void set_code(struct node object, const struct event *event)
{
    char code[8];
    struct text t = text_in(code, sizeof code);
    text_addf(&t, "%u", (unsigned)event->notice.trap);
    set(object, "code", event->notice.trap != 0 ? code : event->type->name);
}

static void set_event(struct node object, const struct format_origin *origin,
                      const struct event *event)
{
    char raw[EVENT_RAW_MAX * 2 + 1];
    struct text hex = text_in(raw, sizeof raw);
    text_add_hex(&hex, event->raw, event->raw_size);
    struct node o = set_object(object, "event");
    set(o, "id", event->id);
    set(o, "kind", event_alarm(event) == ALARM_RAISES ? "alert" : "event");
    set_list(o, "category", ecs_category(event));
    set_list(o, "type", ecs_type(event));
    set_code(o, event);
    set(o, "action", event->type->name);
    json_model_set_number(o, "severity", format_severity(origin, event));
    set(o, "provider", "ibtrapd");
    set(o, "module", "ibtrapd");
    set(o, "dataset", "ibtrapd.event");
    if (event->reason[0])
        set(o, "reason", event->reason);
    if (event->raw_size > 0)
        set(o, "original", raw);
}

static void set_log(struct node object, const struct format_origin *origin,
                    const struct event *event)
{
    struct node o = set_object(object, "log");
    enum severity severity = format_severity(origin, event);
    set(o, "level", severity_word(severity));
    struct node syslog = set_object(o, "syslog");
    json_model_set_number(syslog, "priority", format_priority(origin, event));
    json_model_set_number(set_object(syslog, "facility"), "code", origin->facility);
    struct node s = set_object(syslog, "severity");
    json_model_set_number(s, "code", severity);
    set(s, "name", severity_word(severity));
    set(syslog, "hostname", origin->hostname);
    set(syslog, "appname", "ibtrapd");
    set(syslog, "procid", origin->process_id);
    set(syslog, "msgid", event->type->name);
}

static void set_observer(struct node object, const struct format_origin *origin)
{
    struct node o = set_object(object, "observer");
    set(o, "hostname", origin->hostname);
    set(o, "vendor", "ibtrapd");
    set(o, "product", "ibtrapd");
    set(o, "type", "gateway");
    set(o, "version", INSTALL_VERSION);
}

// Sets the host of the event, and all hosts that the event names.
static void set_hosts(struct node object, const struct event *event)
{
    const char *names[FORMAT_NODES_MAX + 1] = {NULL};
    const size_t n = format_node_names(event, names);
    if (event->subject.name[0])
        set(set_object(object, "host"), "name", event->subject.name);
    if (n > 0)
        set_list(set_object(object, "related"), "hosts", names);
}

void json_model_ecs(struct text *t, const struct format_origin *origin, const struct event *event)
{
    static const struct path SPARE[] = {
        {"event", "original"}, {"ibtrapd", NULL},  {"related", NULL}, {"host", NULL},
        {"event", "reason"},   {"observer", NULL}, {"message", NULL}, {NULL, NULL}};
    bool whole = true;
    struct node object = {json_object(), &whole};
    set_time(object, "@timestamp", event->time_us);
    set(set_object(object, "ecs"), "version", "8.11.0");
    set(object, "message", event->text);
    set_event(object, origin, event);
    set_log(object, origin, event);
    set_observer(object, origin);
    set_hosts(object, event);
    struct node ours = set_object(object, "ibtrapd");
    format_fields(event, add_member, &ours);
    json_object_del(ours.object, "raw"); // event.original has it
    add_json(t, object, SPARE);
}

// CloudEvents 1.0, structured, with the extensions "partitioning" and "severity".

// Sets the gateway's host as a network-path reference (RFC 3986 4.2).
static void set_source(struct node object, const struct format_origin *origin)
{
    static const char UNRESERVED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789-._~";
    char source[1024];
    struct text t = text_in(source, sizeof source);
    text_add(&t, "//");
    for (const char *p = origin->hostname; *p; p++) {
        if (strchr(UNRESERVED, *p))
            text_add_n(&t, p, 1);
        else
            text_addf(&t, "%%%02X", (unsigned char)*p);
    }
    text_add(&t, "/ibtrapd");
    set(object, "source", source);
}

// Sets the name or else the GUID of the event's node, if the event is about a node.
static void set_subject(struct node object, const struct event *event)
{
    char guid[32];
    struct text t = text_in(guid, sizeof guid);
    text_add(&t, "0x");
    text_add_hex_number(&t, event->subject.guid, 16);
    if (event->subject.name[0])
        set(object, "subject", event->subject.name);
    else if (event->subject.guid != 0)
        set(object, "subject", guid);
}

// SeverityNumber by OpenTelemetry's mapping of syslog's severities.
static int severity_number(enum severity severity)
{
    static const int NUMBERS[FORMAT_SEVERITIES] = {21, 19, 18, 17, 13, 10, 9, 5};
    return NUMBERS[severity];
}

void json_model_cloudevents(struct text *t, const struct format_origin *origin,
                            const struct event *event)
{
    static const struct path SPARE[] = {{"data", "raw"},
                                        {"data", "reason"},
                                        {"data", "issuerName"},
                                        {"data", "sourceName"},
                                        {"data", "destinationName"},
                                        {"data", "peerName"},
                                        {"data", "text"},
                                        {"subject", NULL},
                                        {"partitionkey", NULL},
                                        {"data", "subjectName"},
                                        {"data", NULL},
                                        {NULL, NULL}};
    char type[80], key[FORMAT_KEY_SIZE];
    struct text name = text_in(type, sizeof type);
    bool whole = true;
    struct node object = {json_object(), &whole};
    text_addf(&name, "ibtrapd.%s", event->type->name);
    set(object, "specversion", "1.0");
    set(object, "id", event->id);
    set_source(object, origin);
    set(object, "type", type);
    set_time(object, "time", event->time_us);
    set_subject(object, event);
    set(object, "datacontenttype", "application/json");
    set(object, "dataschema", "urn:ibtrapd:event:1");
    if (format_key(event, key) > 0)
        set(object, "partitionkey", key);
    set(object, "severitytext", severity_word(format_severity(origin, event)));
    json_model_set_number(object, "severitynumber",
                          severity_number(format_severity(origin, event)));
    set_own(set_object(object, "data"), event);
    add_json(t, object, SPARE);
}
