// SPDX-License-Identifier: BSD-2-Clause
// OpenTelemetry's protocol over HTTP, with logs in JSON (OTLP 1: ExportLogsServiceRequest in the
// JSON mapping of protobuf): keys in lowerCamelCase, 64-bit numbers as strings, enums as numbers.
#include "http/body.h"

#include "base/json_text.h"
#include "install.h"
#include "model/catalogue.h"
#include "sink/format.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static void body_otlp_begin_attribute(struct text *t, const char *prefix, const char *name)
{
    text_add(t, t->buf[t->len - 1] == '[' ? "{\"key\":\"" : ",{\"key\":\"");
    text_add(t, prefix);
    text_add(t, name);
    text_add(t, "\",\"value\":{");
}

static void body_otlp_add_attribute(struct text *t, const char *key, const char *value)
{
    body_otlp_begin_attribute(t, "", key);
    json_text_member(t, "stringValue", value);
    text_add(t, "}}");
}

static void body_otlp_take(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    struct text *t = ctx;
    if (strcmp(name, "id") == 0) { // two records with the same one are the same event
        body_otlp_add_attribute(t, "log.record.uid", value);
        return;
    }
    body_otlp_begin_attribute(t, "ibtrapd.", name);
    if (kind == FIELD_IS_FLAG) {
        json_text_name(t, "boolValue");
        text_add(t, value);
    } else if (kind == FIELD_IS_NUMBER) {
        json_text_member(t, "intValue", json_text_int64(value)); // protobuf's int64 has no more
    } else {
        json_text_member(t, "stringValue", value);
    }
    text_add(t, "}}");
}

static void body_otlp_add_resource(struct text *t, const struct body_context *context)
{
    body_otlp_add_attribute(t, "service.name", "ibtrapd");
    body_otlp_add_attribute(t, "service.version", INSTALL_VERSION);
    body_otlp_add_attribute(t, "host.name", context->origin.hostname);
    text_add(t, "]},\"scopeLogs\":[{\"scope\":{");
    json_text_member(t, "name", "ibtrapd.event");
    json_text_member(t, "version", INSTALL_VERSION);
    text_add(t, "},\"logRecords\":[");
}

static void body_otlp_make(struct text *t, const struct format_origin *origin,
                           const struct event *event)
{
    const enum severity severity = format_severity(origin, event);
    text_add(t, "{\"timeUnixNano\":");
    json_text_time_ns(t, event->time_us, 0);
    json_text_name(t, "severityNumber");
    text_add_number(t, format_severity_number(severity));
    json_text_member(t, "severityText", severity_word(severity));
    text_add(t, ",\"eventName\":\"ibtrapd.");
    text_add(t, event->type->name);
    text_add(t, "\",\"body\":{");
    json_text_member(t, "stringValue", event->text);
    text_add(t, "},\"attributes\":[");
    format_fields(event, body_otlp_take, t);
    text_add(t, "]}");
}

// An int64 of the JSON mapping is a string or a number. 0: it is not there.
static int64_t body_otlp_int64(const json_t *value)
{
    return json_is_string(value) ? strtoll(json_string_value(value), NULL, 10)
                                 : json_integer_value(value);
}

// The answer does not name the rejected records. If the server has taken some records, the
// specification forbids to send any record again.
static void body_otlp_judge_partial(const json_t *partial, size_t count, struct body_result *out)
{
    char words[BODY_WORDS_SIZE];
    const json_t *message = json_object_get(partial, "errorMessage");
    const int64_t rejected = body_otlp_int64(json_object_get(partial, "rejectedLogRecords"));
    body_words(json_string_value(message), json_string_length(message), words);
    if (rejected > 0 && words[0] == '\0')
        snprintf(words, sizeof words, "it does not say why");
    if (rejected > 0 && (uint64_t)rejected >= count) {
        body_give_all(out, count, count > 1 ? BODY_ALONE : BODY_REFUSED);
        error_set(&out->problem, "it rejects %s: %s", count > 1 ? "all events" : "an event", words);
        return;
    }
    body_give_all(out, count, BODY_ACCEPTED);
    if (rejected > 0)
        error_set(&out->note, "it rejected %" PRId64 " of %zu events, and does not say which: %s",
                  rejected, count, words);
    else if (words[0] != '\0')
        error_set(&out->note, "it took %zu events and says: %s", count, words);
}

static void body_otlp_judge(const struct body_context *context,
                            const struct transfer_answer *answer, const json_t *response,
                            size_t count, struct body_result *out)
{
    (void)context;
    if (answer->status / 100 != 2 || answer->size == 0)
        return;
    if (json_is_object(response)) {
        body_otlp_judge_partial(json_object_get(response, "partialSuccess"), count, out);
        return;
    }
    body_give_all(out, count, BODY_AGAIN);
    error_set(&out->problem, "its answer is not OTLP's in JSON: check that the URL is the one for "
                             "logs, such as http://collector:4318/v1/logs");
}

const struct body_format BODY_OTLP = {
    .content_type = "application/json",
    .scheme = "Bearer",
    .begin = "{\"resourceLogs\":[{\"resource\":{\"attributes\":[",
    .head = body_otlp_add_resource,
    .separator = ",",
    .end = "]}]}]}",
    .make = body_otlp_make,
    .place = EVENT_TEXT_OTLP,
    .judge = body_otlp_judge,
};
