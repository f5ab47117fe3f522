// SPDX-License-Identifier: BSD-2-Clause
#include "http/body.h"

#include "base/json_text.h"
#include "base/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void body_give_all(struct body_result *out, size_t count, enum body_verdict verdict)
{
    for (size_t i = 0; i < count; i++)
        out->verdicts[i] = verdict;
}

void body_words(const char *text, size_t size, char out[BODY_WORDS_SIZE])
{
    char line[BODY_WORDS_SIZE];
    size_t n = 0;
    for (size_t i = 0; i < size && n + 1 < sizeof line && text[i] != '\0'; i++) {
        const bool space = text[i] == '\n' || text[i] == '\r' || text[i] == '\t' || text[i] == ' ';
        if (!space)
            line[n++] = text[i];
        else if (n > 0 && line[n - 1] != ' ')
            line[n++] = ' ';
    }
    text_clean(line, n, out, BODY_WORDS_SIZE);
}

// Returns advice for the admin about a status that does not judge the events.
static const char *body_advice(int status)
{
    switch (status) {
    case 401:
        return "it does not accept the credentials: check 'token_file', 'header_file', or 'user' "
               "and "
               "'password_file'";
    case 403:
        return "it does not let this user in: give him, or the token, the right to write";
    case 404:
    case 410:
        return "there is nothing at this URL: check the path in 'url'";
    case 405:
        return "it takes no POST at this URL: check the path in 'url'";
    case 407:
        return "a proxy on the way asks for credentials";
    case 415:
        return "it does not accept this kind of content: check 'format', and 'gzip' if it is on";
    case 429:
        return "it gets too many requests";
    default:
        if (status >= 300 && status < 400)
            return "it redirects, and redirects are not followed: give the final address in 'url'";
        return status >= 500 ? "it has a problem of its own" : "it does not take events now";
    }
}

static void body_explain(const struct transfer_answer *answer, const char *advice,
                         struct error *problem)
{
    char words[BODY_WORDS_SIZE];
    body_words(answer->body, answer->size, words);
    error_set(problem, "status %d: %s%s%s", answer->status, advice, words[0] ? ". It says: " : "",
              words);
}

// Gives all events the verdict of the status.
static void body_judge_status(const struct transfer_answer *answer, size_t count,
                              struct body_result *out)
{
    switch (answer->status) {
    case 400:
    case 409:
    case 422:
        body_explain(answer, count > 1 ? "it refuses a request" : "it refuses an event",
                     &out->problem);
        body_give_all(out, count, count > 1 ? BODY_ALONE : BODY_REFUSED);
        return;
    case 413:
        body_explain(answer, count > 1 ? "a request is too large for it" : "an event is too large",
                     &out->problem);
        body_give_all(out, count, count > 1 ? BODY_SMALLER : BODY_REFUSED);
        return;
    default:
        if (answer->status >= 200 && answer->status < 300) {
            body_give_all(out, count, BODY_ACCEPTED);
            return;
        }
        body_explain(answer, body_advice(answer->status), &out->problem);
        body_give_all(out, count, BODY_AGAIN);
    }
}

json_t *body_read(const struct transfer_answer *answer, size_t count)
{
    const size_t most = BODY_MARKS_SOME + BODY_MARKS_OF_EVENT * count;
    size_t marks = 0;
    bool in_text = false;
    for (size_t i = 0; i < answer->size; i++) {
        const char c = answer->body[i];
        if (c == '"')
            in_text = !in_text;
        else if (in_text)
            i += c == '\\';
        else
            marks += c == '{' || c == '[' || c == ',' || c == ':';
    }
    return marks > most ? NULL : json_loadb(answer->body, answer->size, 0, NULL);
}

void body_judge(const struct body_format *format, const struct body_context *context,
                const struct transfer_answer *answer, size_t count, struct body_result *out)
{
    body_judge_status(answer, count, out);
    if (!format->judge)
        return;
    json_t *response = body_read(answer, count);
    format->judge(context, answer, response, count, out);
    json_decref(response);
}

// A line leaves out fields beyond FORMAT_SIZE, so that the line is the same for every receiver.
void body_add_line(struct text *t, enum format format, const struct body_context *context,
                   const struct event *event)
{
    struct text line = text_in(t->buf + t->len, FORMAT_SIZE);
    format_line(&line, format, &context->origin, event);
    t->len += line.len;
}

// Adds a piece that receivers of the format share.
static void body_add_shared(struct text *t, const struct body_format *format,
                            const struct body_context *context, const struct event *event)
{
    const uint64_t variant = format_shared_variant(&context->origin, event);
    const struct event_text *kept = event_text_find(event, format->place, variant);
    const size_t begin = t->len;
    if (kept) {
        text_add_n(t, kept->octets, kept->size);
        return;
    }
    format->make(t, &context->origin, event);
    if (!t->cut)
        event_text_keep(event, format->place, variant, t->buf + begin, t->len - begin);
}

void body_add(struct text *t, const struct body_format *format, const struct body_context *context,
              const struct event *event)
{
    if (format->add)
        format->add(t, context, event);
    else if (format->make)
        body_add_shared(t, format, context, event);
    else
        body_add_line(t, format->line, context, event);
}

static bool body_is_piece(const struct body_format *format, const struct body_context *context)
{
    return context->alone && format->alone_type;
}

void body_begin(struct text *t, const struct body_format *format,
                const struct body_context *context)
{
    text_add(t, body_is_piece(format, context) ? "" : format->begin);
    if (format->head)
        format->head(t, context);
}

void body_end(struct text *t, const struct body_format *format, const struct body_context *context)
{
    text_add(t, body_is_piece(format, context) ? "" : format->end);
}

// A JSON array of objects (RFC 8259), each with every field of an event by its name.
static const struct body_format BODY_JSON = {.content_type = "application/json",
                                             .scheme = "Bearer",
                                             .begin = "[",
                                             .separator = ",\n",
                                             .end = "]",
                                             .line = FORMAT_JSON};

// CloudEvents 1.0 over HTTP, in the batched content mode, or with one event for each request in the
// structured content mode.
static const struct body_format BODY_CLOUDEVENTS = {
    .content_type = "application/cloudevents-batch+json; charset=utf-8",
    .alone_type = "application/cloudevents+json; charset=utf-8",
    .scheme = "Bearer",
    .begin = "[",
    .separator = ",\n",
    .end = "]",
    .line = FORMAT_CLOUDEVENTS};

// Grafana Loki's push API (POST /loki/api/v1/push). An event is an entry: its sentence, with all
// fields as structured metadata. The labels make 88 streams of a gateway at most: 8 severities by
// 11 categories.

static void body_loki_add_labels(struct text *t, const struct format_origin *origin,
                                 const struct event *event)
{
    text_add(t, "{");
    json_text_member(t, "service_name", "ibtrapd");
    json_text_member(t, "host", origin->hostname);
    json_text_member(t, "level", severity_word(format_severity(origin, event)));
    json_text_member(t, "category", category_word(event->category));
    if (event->fabric[0] != '\0')
        json_text_member(t, "fabric", event->fabric);
    text_add(t, "}");
}

static void body_loki_take(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    (void)kind;
    if (strcmp(name, "category") != 0 && strcmp(name, "fabric") != 0) // labels have them
        json_text_member(ctx, name, value);
}

// Loki takes two entries of a stream with the same time and line for one entry. An event has no
// nanoseconds, so its number makes the difference. An event that is sent again has the same number.
static void body_loki_make(struct text *t, const struct format_origin *origin,
                           const struct event *event)
{
    text_add(t, "{\"stream\":");
    body_loki_add_labels(t, origin, event);
    text_add(t, ",\"values\":[[");
    json_text_time_ns(t, event->time_us, (unsigned)(event->number % 1000));
    text_add(t, ",");
    json_text_add(t, event->text);
    text_add(t, ",{");
    format_fields(event, body_loki_take, t);
    text_add(t, "}]]}");
}

static const struct body_format BODY_LOKI = {
    .content_type = "application/json",
    .scheme = "Bearer",
    .begin = "{\"streams\":[",
    .separator = ",",
    .end = "]}",
    .make = body_loki_make,
    .place = EVENT_TEXT_LOKI,
};

const struct body_format *body_find(enum http_format format)
{
    static const struct body_format *const FORMATS[HTTP_FORMAT_COUNT] = {
        [HTTP_JSON] = &BODY_JSON,     [HTTP_CLOUDEVENTS] = &BODY_CLOUDEVENTS,
        [HTTP_OTLP] = &BODY_OTLP,     [HTTP_LOKI] = &BODY_LOKI,
        [HTTP_SPLUNK] = &BODY_SPLUNK, [HTTP_ELASTIC] = &BODY_ELASTIC,
    };
    return FORMATS[format];
}

// The events of a request.

struct post *post_new(size_t size_max, const struct body_format *format,
                      const struct body_context *context)
{
    const size_t size = size_max + BODY_PIECE_MAX + BODY_ENDS_MAX;
    struct post *p = memory_zeroed(1, sizeof *p);
    p->format = format;
    p->context = context;
    p->body = text_in(memory_get(size), size);
    post_begin(p);
    return p;
}

void post_free(struct post *p)
{
    if (p)
        free(p->body.buf);
    free(p);
}

void post_begin(struct post *p)
{
    p->count = 0;
    p->body = text_in(p->body.buf, p->body.size);
    body_begin(&p->body, p->format, p->context);
}

bool post_add(struct post *p, const struct event *event, uint64_t ticket, size_t size_max)
{
    const struct text before = p->body;
    if (p->count > 0)
        text_add(&p->body, p->format->separator);
    body_add(&p->body, p->format, p->context, event);
    const bool fits = !p->body.cut && (p->count == 0 || p->body.len + BODY_ENDS_MAX <= size_max);
    if (fits)
        p->tickets[p->count++] = ticket;
    else
        text_go_back(&p->body, &before);
    return fits;
}

void post_finish(struct post *p)
{
    body_end(&p->body, p->format, p->context);
}
