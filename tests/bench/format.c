// SPDX-License-Identifier: BSD-2-Clause
// Measures the costs of formatting an event: of each format the octets and the nanoseconds of
// processor time, the median of ROUNDS rounds over a test event of every kind in the catalogue.
//
//   bench-format            # all formats
//   bench-format json       # one, for a profiler: ten times as long
#include "sink/format.h"
#include "event/test_event.h"

#ifdef WITH_HTTP
#include "http/body.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 15, REPEATS = 100, SIZE = 40960 };

static struct event *events[CATALOGUE_COUNT];
static struct format_origin origin = {
    .facility = 3, .hostname = "gw1.example.org", .process_id = "4711", .ip = "192.0.2.1"};
static unsigned repeats = REPEATS;

// Adds an event in the format of that number.
typedef void add_function(struct text *t, int format, const struct event *event);

static void add_line(struct text *t, int format, const struct event *event)
{
    struct text line = text_in(t->buf, FORMAT_SIZE);
    format_message(&line, (enum format)format, &origin, event);
    t->len = line.len;
}

static void add_entry(struct text *t, int format, const struct event *event)
{
    (void)format;
    format_journald(t, &origin, event);
}

#ifdef WITH_HTTP
static void add_piece(struct text *t, int format, const struct event *event)
{
    const struct body_context context = {.origin = origin, .index = ""};
    body_add(t, body_find((enum http_format)format), &context, event);
}
#endif

static int64_t cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The time of an event, in nanoseconds, in a round.
static double measure_round(add_function *add, int format, size_t *octets)
{
    static char buffer[SIZE];
    const int64_t before = cpu_ns();
    *octets = 0;
    for (unsigned i = 0; i < repeats; i++) {
        for (size_t k = 0; k < CATALOGUE_COUNT; k++) {
            struct text t = text_in(buffer, sizeof buffer);
            add(&t, format, events[k]);
            *octets += t.len;
        }
    }
    return (double)(cpu_ns() - before) / repeats / CATALOGUE_COUNT;
}

static void measure(const char *name, add_function *add, int format)
{
    double rounds[ROUNDS];
    size_t octets;
    for (size_t i = 0; i < ROUNDS; i++)
        rounds[i] = measure_round(add, format, &octets);
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    printf("%-20s %5zu octets %6.0f ns, at best %6.0f\n", name, octets / repeats / CATALOGUE_COUNT,
           rounds[ROUNDS / 2], rounds[0]);
}

static const struct kind {
    const char *name;
    add_function *add;
    int format;
} KINDS[] = {
    {"rfc5424", add_line, FORMAT_RFC5424},
    {"rfc3164", add_line, FORMAT_RFC3164},
    {"ecs", add_line, FORMAT_ECS},
    {"cef", add_line, FORMAT_CEF},
    {"leef", add_line, FORMAT_LEEF},
    {"json", add_line, FORMAT_JSON},
    {"cloudevents", add_line, FORMAT_CLOUDEVENTS},
    {"journald", add_entry, 0},
#ifdef WITH_HTTP
    {"http-json", add_piece, HTTP_JSON},
    {"http-cloudevents", add_piece, HTTP_CLOUDEVENTS},
    {"http-otlp", add_piece, HTTP_OTLP},
    {"http-loki", add_piece, HTTP_LOKI},
    {"http-splunk", add_piece, HTTP_SPLUNK},
    {"http-elasticsearch", add_piece, HTTP_ELASTIC},
#endif
};

static void make_events(void)
{
    const struct event_builder builder = {.clock = &clock_system,
                                          .random = &random_system,
                                          .subnet_prefix = UINT64_C(0xfe80000000000000)};
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        struct test_event test = {.type = (enum catalogue_event)i};
        test_event_make_up(&test);
        events[i] = test_event_make(&builder, &test);
        if (!events[i])
            abort();
    }
}

int main(int argc, char **argv)
{
    bool found = false;
    make_events();
    for (int i = 0; i < FORMAT_SEVERITIES; i++)
        origin.severity_map[i] = (enum severity)i;
    repeats = argc == 2 ? 10 * REPEATS : REPEATS;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const bool wanted = argc == 1 || strcmp(argv[1], KINDS[i].name) == 0;
        if (wanted)
            measure(KINDS[i].name, KINDS[i].add, KINDS[i].format);
        found |= wanted;
    }
    for (size_t i = 0; i < CATALOGUE_COUNT; i++)
        event_unref(events[i]);
    if (!found)
        fprintf(stderr, "usage: bench-format [FORMAT]\n");
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}
