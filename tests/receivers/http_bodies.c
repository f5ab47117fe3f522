// SPDX-License-Identifier: BSD-2-Clause
// Writes the bodies of the receiver kind http, without a network: those of a test event of every
// kind in the catalogue, two of each, the second with hostile names. Each body ends with a NUL.
//
//   http_bodies json|cloudevents|cloudevents-batch|otlp|loki|splunk[-index]|elasticsearch[-index]
//   http_bodies otlp-metrics <SCRAPE  # of Prometheus' text
//   http_bodies lines      # the same events as the kind `file` writes them, a line each
#include "event/test_event.h"
#include "http/body.h"
#include "http/otlp_metrics.h"
#include "sink/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 7,
    EVENTS = 2 * CATALOGUE_COUNT,
    BODY_SIZE = BODY_ENDS_MAX + BATCH * BODY_PIECE_MAX,
    BEGIN_S = 1763695143
};

static const char HOSTILE[] = "a\"b\\c/d </script> \xE2\x80\xA8 {\xC3\xA9\xF0\x9F\x90\xA7}";

// Random octets and time, equal in each run: runs can be compared.
static uint64_t steps;

static int64_t now(void *ctx)
{
    (void)ctx;
    return (int64_t)(BEGIN_S * CLOCK_US_PER_S + 1000 * (int64_t)(steps / 4) + 7);
}

static void fill(void *ctx, void *out, size_t size)
{
    uint8_t *octets = out;
    (void)ctx;
    steps++;
    for (size_t i = 0; i < size; i++)
        octets[i] = (uint8_t)(steps * 2654435761U >> (i % 4 * 8)) ^ (uint8_t)(i * 41);
}

static const struct kind {
    const char *word;
    enum http_format format;
    const char *index;
    bool alone;
} KINDS[] = {{"json", HTTP_JSON, "", false},
             {"cloudevents", HTTP_CLOUDEVENTS, "", true},
             {"cloudevents-batch", HTTP_CLOUDEVENTS, "", false},
             {"otlp", HTTP_OTLP, "", false},
             {"loki", HTTP_LOKI, "", false},
             {"splunk", HTTP_SPLUNK, "", false},
             {"splunk-index", HTTP_SPLUNK, "fabric", false},
             {"elasticsearch", HTTP_ELASTIC, "", false},
             {"elasticsearch-index", HTTP_ELASTIC, "fabric", false},
             {NULL, HTTP_JSON, "", false}};

static struct event *events[EVENTS];

static struct event *make_event(size_t i)
{
    static const struct clock CLOCK = {now, now, NULL};
    static const struct random RANDOM = {fill, NULL};
    static const struct event_builder BUILDER = {.clock = &CLOCK,
                                                 .random = &RANDOM,
                                                 .fabric = "halle-2",
                                                 .subnet_prefix = UINT64_C(0xfe80000000000000)};
    struct test_event test = {.type = (enum catalogue_event)(i / 2)};
    test_event_make_up(&test);
    if (i % 2 == 1)
        snprintf(test.subject.name, sizeof test.subject.name, "%s", HOSTILE);
    struct event *event = test_event_make(&BUILDER, &test);
    if (!event)
        abort();
    event->number = (int64_t)i + 1;
    if (i % 2 == 1)
        event->severity = (enum severity)(i / 2 % FORMAT_SEVERITIES);
    return event;
}

static struct body_context make_context(const struct kind *kind)
{
    struct body_context context = {.index = kind->index, .alone = kind->alone};
    context.origin = (struct format_origin){.hostname = "gw1.example.org", .process_id = "42"};
    for (int i = 0; i < FORMAT_SEVERITIES; i++)
        context.origin.severity_map[i] = (enum severity)i;
    return context;
}

static void write_lines(const struct format_origin *origin)
{
    static char buffer[FORMAT_SIZE];
    for (size_t i = 0; i < EVENTS; i++) {
        struct text line = text_in(buffer, sizeof buffer);
        format_line(&line, FORMAT_JSON, origin, events[i]);
        puts(buffer);
    }
}

static void write_body(const struct kind *kind, size_t first, size_t count)
{
    static char buffer[BODY_SIZE];
    const struct body_format *format = body_find(kind->format);
    const struct body_context context = make_context(kind);
    struct text body = text_in(buffer, sizeof buffer);
    body_begin(&body, format, &context);
    for (size_t i = first; i < first + count; i++) {
        text_add(&body, i > first ? format->separator : "");
        body_add(&body, format, &context, events[i]);
    }
    body_end(&body, format, &context);
    if (body.cut || strlen(buffer) != body.len)
        abort();
    fwrite(buffer, 1, body.len + 1, stdout);
}

static void write_metrics(void)
{
    static char scrape[1 << 16], body[(1 << 16) + OTLP_METRICS_LINE_MAX];
    scrape[fread(scrape, 1, sizeof scrape - 1, stdin)] = '\0';
    struct otlp_metrics_writer writer = {.at = scrape,
                                         .instance = "gw1",
                                         .fabric = "halle-2",
                                         .time_us = BEGIN_S * CLOCK_US_PER_S,
                                         .started_us = CLOCK_US_PER_S};
    while (writer.at && writer.at[0] != '\0') {
        struct text t = text_in(body, sizeof body);
        otlp_metrics_write(&writer, &t, 1 << 15);
        fwrite(body, 1, t.len + 1, stdout);
    }
}

int main(int argc, char *argv[])
{
    const struct kind *kind = KINDS;
    const char *word = argc == 2 ? argv[1] : "";
    for (size_t i = 0; i < EVENTS; i++)
        events[i] = make_event(i);
    const struct body_context context = make_context(kind);
    if (strcmp(word, "lines") == 0) {
        write_lines(&context.origin);
        return 0;
    }
    if (strcmp(word, "otlp-metrics") == 0) {
        write_metrics();
        return 0;
    }
    while (kind->word && strcmp(kind->word, word) != 0)
        kind++;
    if (!kind->word) {
        fprintf(stderr, "what is '%s'?\n", word);
        return 2;
    }
    const size_t step = kind->alone ? 1 : BATCH;
    for (size_t i = 0; i < EVENTS; i += step)
        write_body(kind, i, EVENTS - i < step ? EVENTS - i : step);
    return 0;
}
