// SPDX-License-Identifier: BSD-2-Clause
// The JSON formats: ibtrapd's own, the Elastic Common Schema, and CloudEvents.
#include "sink/format.h"

#include "base/clock.h"
#include "base/json_text.h"
#include "install.h"
#include "model/catalogue.h"
#include "model/field.h"

#include <string.h>

// The place of a member: one key, or two.
struct path {
    const char *outer, *inner;
};

// A line under construction.
struct line {
    struct text *t;
    const struct format_origin *origin;
    const struct event *event;
    const struct path *spare; // members that may be left out, the least important first
    size_t left_out;          // the first members of `spare` that the line leaves out
    const char *inside;       // the member whose object is being written; NULL: the line's own
};

typedef void format_json_write(struct line *line);

// Adds the object. While it does not fit, writes it again without the next member of `spare`, which
// ends with NULL. Empties the text if the object never fits.
static void format_json_fit(struct line line, format_json_write *write)
{
    struct text *t = line.t;
    const struct text before = *t;
    write(&line);
    while (t->cut && line.spare[line.left_out].outer) {
        line.left_out++;
        text_go_back(t, &before);
        write(&line);
    }
    if (t->cut)
        text_go_back(t, &(struct text){.buf = t->buf, .size = t->size});
}

// Whether the member of the current object is in the line.
static bool format_json_has(const struct line *line, const char *name)
{
    for (size_t i = 0; i < line->left_out; i++) {
        const struct path *path = &line->spare[i];
        const char *inside = path->inner ? path->outer : NULL;
        const bool here =
            inside && line->inside ? strcmp(inside, line->inside) == 0 : inside == line->inside;
        if (here && strcmp(path->inner ? path->inner : path->outer, name) == 0)
            return false;
    }
    return true;
}

static void format_json_begin(struct line *line, const char *name)
{
    json_text_name(line->t, name);
    text_add_n(line->t, "{", 1);
    line->inside = name;
}

static void format_json_end(struct line *line)
{
    text_add_n(line->t, "}", 1);
    line->inside = NULL;
}

// Adds a member that may be left out.
static void format_json_add(const struct line *line, const char *name, const char *value)
{
    if (format_json_has(line, name))
        json_text_member(line->t, name, value);
}

static void format_json_add_number(struct text *t, const char *name, unsigned value)
{
    json_text_name(t, name);
    text_add_number(t, value);
}

static void format_json_add_list(struct text *t, const char *name, const char *const *words)
{
    json_text_name(t, name);
    text_add_n(t, "[", 1);
    for (size_t i = 0; words[i]; i++) {
        if (i > 0)
            text_add_n(t, ",", 1);
        json_text_add(t, words[i]);
    }
    text_add_n(t, "]", 1);
}

static void format_json_add_time(struct text *t, const char *name, int64_t utc_us)
{
    char when[CLOCK_TEXT_SIZE];
    clock_format_utc(utc_us, when);
    json_text_member(t, name, when);
}

static void format_json_take(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    const struct line *line = ctx;
    if (!format_json_has(line, name))
        return;
    json_text_name(line->t, name);
    if (kind == FIELD_IS_TEXT)
        json_text_add(line->t, value);
    else
        text_add(line->t, kind == FIELD_IS_NUMBER ? json_text_int64(value) : value);
}

// ibtrapd's own.

static void format_json_add_own(struct line *line)
{
    format_json_add_time(line->t, field_name(FIELD_TIME), line->event->time_us);
    format_fields(line->event, format_json_take, line);
    format_json_add(line, field_name(FIELD_TEXT), line->event->text);
}

static void format_json_write_own(struct line *line)
{
    text_add_n(line->t, "{", 1);
    format_json_add_own(line);
    text_add_n(line->t, "}", 1);
}

void format_json(struct text *t, const struct format_origin *origin, const struct event *event)
{
    static const struct path SPARE[] = {
        {"raw", NULL},        {"reason", NULL},          {"issuerName", NULL},
        {"sourceName", NULL}, {"destinationName", NULL}, {"peerName", NULL},
        {"text", NULL},       {"subjectName", NULL},     {"dates", NULL},
        {"deviceText", NULL}, {"linkCause", NULL},       {"rule", NULL},
        {NULL, NULL}};
    format_json_fit((struct line){.t = t, .origin = origin, .event = event, .spare = SPARE},
                    format_json_write_own);
}

// Elastic Common Schema.

static const char *const NETWORK[] = {"network", NULL}, *const HOST[] = {"host", NULL},
                         *const PROCESS[] = {"process", NULL},
                         *const INTRUSION[] = {"intrusion_detection", "network", NULL};

static const char *const *format_ecs_category(const struct event *event)
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

static const char *const *format_ecs_type(const struct event *event)
{
    static const char *const DENIED[] = {"denied", NULL}, *const START[] = {"start", NULL},
                             *const END[] = {"end", NULL}, *const INFO[] = {"info", NULL};
    if (event->category == CATEGORY_SECURITY)
        return DENIED;
    if (event->type == catalogue_get(CATALOGUE_GATEWAY_STARTED))
        return START;
    return event->type == catalogue_get(CATALOGUE_GATEWAY_STOPPED) ? END : INFO;
}

// Adds the trap number as a string; without a trap, the event's name.
static void format_ecs_add_code(struct text *t, const struct event *event)
{
    char code[8];
    struct text digits = text_in(code, sizeof code);
    text_add_number(&digits, event->notice.trap);
    json_text_member(t, "code", event->notice.trap != 0 ? code : event->type->name);
}

static void format_ecs_add_original(const struct line *line)
{
    if (line->event->raw_size == 0 || !format_json_has(line, "original"))
        return;
    json_text_name(line->t, "original");
    text_add_n(line->t, "\"", 1);
    text_add_hex(line->t, line->event->raw, line->event->raw_size);
    text_add_n(line->t, "\"", 1);
}

static void format_ecs_add_event(struct line *line)
{
    const struct event *event = line->event;
    struct text *t = line->t;
    format_json_begin(line, "event");
    json_text_member(t, "id", event->id);
    json_text_member(t, "kind", event_alarm(event) == ALARM_RAISES ? "alert" : "event");
    format_json_add_list(t, "category", format_ecs_category(event));
    format_json_add_list(t, "type", format_ecs_type(event));
    format_ecs_add_code(t, event);
    json_text_member(t, "action", event->type->name);
    format_json_add_number(t, "severity", format_severity(line->origin, event));
    text_add(t, ",\"provider\":\"ibtrapd\",\"module\":\"ibtrapd\",\"dataset\":\"ibtrapd.event\"");
    if (event->reason[0])
        format_json_add(line, "reason", event->reason);
    format_ecs_add_original(line);
    format_json_end(line);
}

static void format_ecs_add_log(struct text *t, const struct format_origin *origin,
                               const struct event *event)
{
    const enum severity severity = format_severity(origin, event);
    text_add(t, ",\"log\":{");
    json_text_member(t, "level", severity_word(severity));
    text_add(t, ",\"syslog\":{");
    format_json_add_number(t, "priority", format_priority(origin, event));
    text_add(t, ",\"facility\":{");
    format_json_add_number(t, "code", origin->facility);
    text_add(t, "},\"severity\":{");
    format_json_add_number(t, "code", severity);
    json_text_member(t, "name", severity_word(severity));
    text_add(t, "}");
    json_text_member(t, "hostname", origin->hostname);
    json_text_member(t, "appname", "ibtrapd");
    json_text_member(t, "procid", origin->process_id);
    json_text_member(t, "msgid", event->type->name);
    text_add(t, "}}");
}

static void format_ecs_add_observer(struct line *line)
{
    if (!format_json_has(line, "observer"))
        return;
    format_json_begin(line, "observer");
    json_text_member(line->t, "hostname", line->origin->hostname);
    text_add(line->t, ",\"vendor\":\"ibtrapd\",\"product\":\"ibtrapd\",\"type\":\"gateway\"");
    json_text_member(line->t, "version", INSTALL_VERSION);
    format_json_end(line);
}

// Adds the host of the event, and all hosts that the event names.
static void format_ecs_add_hosts(struct line *line)
{
    const char *names[FORMAT_NODES_MAX + 1] = {NULL};
    const size_t n = format_node_names(line->event, names);
    if (line->event->subject.name[0] && format_json_has(line, "host")) {
        format_json_begin(line, "host");
        json_text_member(line->t, "name", line->event->subject.name);
        format_json_end(line);
    }
    if (n > 0 && format_json_has(line, "related")) {
        format_json_begin(line, "related");
        format_json_add_list(line->t, "hosts", names);
        format_json_end(line);
    }
}

static void format_ecs_take(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    if (strcmp(name, "raw") != 0) // event.original has it
        format_json_take(ctx, name, value, kind);
}

static void format_ecs_write(struct line *line)
{
    text_add_n(line->t, "{", 1);
    format_json_add_time(line->t, "@timestamp", line->event->time_us);
    text_add(line->t, ",\"ecs\":{\"version\":\"8.11.0\"}");
    format_json_add(line, "message", line->event->text);
    format_ecs_add_event(line);
    format_ecs_add_log(line->t, line->origin, line->event);
    format_ecs_add_observer(line);
    format_ecs_add_hosts(line);
    if (format_json_has(line, "ibtrapd")) {
        format_json_begin(line, "ibtrapd");
        format_fields(line->event, format_ecs_take, line);
        format_json_end(line);
    }
    text_add_n(line->t, "}", 1);
}

void format_ecs(struct text *t, const struct format_origin *origin, const struct event *event)
{
    static const struct path SPARE[] = {
        {"event", "original"}, {"ibtrapd", NULL},  {"related", NULL}, {"host", NULL},
        {"event", "reason"},   {"observer", NULL}, {"message", NULL}, {NULL, NULL}};
    format_json_fit((struct line){.t = t, .origin = origin, .event = event, .spare = SPARE},
                    format_ecs_write);
}

// CloudEvents 1.0, structured, with the extensions "partitioning" and "severity".

// Whether RFC 3986 (2.3) lets the character stand for itself.
static bool format_cloudevents_is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

// Adds the gateway's host and fabric as a network-path reference (RFC 3986 4.2), up to 1,023
// octets.
static void format_cloudevents_add_source(struct text *line, const struct format_origin *origin,
                                          const struct event *event)
{
    static const char DIGITS[] = "0123456789ABCDEF";
    char source[1024];
    struct text t = text_in(source, sizeof source);
    text_add(&t, "//");
    for (const char *p = origin->hostname; *p; p++) {
        const uint8_t c = (uint8_t)*p;
        const char encoded[] = {'%', DIGITS[c >> 4], DIGITS[c & 15]};
        if (format_cloudevents_is_unreserved(*p))
            text_add_n(&t, p, 1);
        else
            text_add_n(&t, encoded, sizeof encoded);
    }
    text_add(&t, event->fabric[0] != '\0' ? "/ibtrapd/" : "/ibtrapd");
    text_add(&t, event->fabric);
    json_text_member(line, "source", source);
}

// Adds the name or else the GUID of the node that the event is about, if it is about one.
static void format_cloudevents_add_subject(const struct line *line)
{
    const struct endpoint *subject = &line->event->subject;
    char guid[ADDRESS_GUID_TEXT_SIZE];
    address_format_guid(subject->guid, guid);
    if (subject->name[0])
        format_json_add(line, "subject", subject->name);
    else if (subject->guid != 0)
        format_json_add(line, "subject", guid);
}

static void format_cloudevents_write(struct line *line)
{
    struct text *t = line->t;
    const enum severity severity = format_severity(line->origin, line->event);
    char key[FORMAT_KEY_SIZE];
    text_add(t, "{\"specversion\":\"1.0\"");
    json_text_member(t, "id", line->event->id);
    format_cloudevents_add_source(t, line->origin, line->event);
    text_add(t, ",\"type\":\"ibtrapd.");
    text_add(t, line->event->type->name);
    text_add(t, "\"");
    format_json_add_time(t, "time", line->event->time_us);
    format_cloudevents_add_subject(line);
    json_text_member(t, "datacontenttype", "application/json");
    json_text_member(t, "dataschema", "urn:ibtrapd:event:1");
    if (format_key(line->event, key) > 0)
        format_json_add(line, "partitionkey", key);
    json_text_member(t, "severitytext", severity_word(severity));
    format_json_add_number(t, "severitynumber", format_severity_number(severity));
    if (format_json_has(line, "data")) {
        format_json_begin(line, "data");
        format_json_add_own(line);
        format_json_end(line);
    }
    text_add_n(t, "}", 1);
}

void format_cloudevents(struct text *t, const struct format_origin *origin,
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
    format_json_fit((struct line){.t = t, .origin = origin, .event = event, .spare = SPARE},
                    format_cloudevents_write);
}
