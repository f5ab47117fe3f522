// SPDX-License-Identifier: BSD-2-Clause
// An event from a journal, in every format. Readers that know only the formats parse the lines and
// must find the event's fields. The input is three octets that select the sender, and the event's
// record.
#include "fuzz.h"

#include "base/clock.h"
#include "mib_root.h"
#include "model/catalogue.h"
#include "model/event_record.h"
#include "model/field.h"
#include "read_line.h"
#include "sink/format.h"

#include <ctype.h>
#include <string.h>

enum { OPTIONS = 3 };
enum { HAS_IP = 1, HAS_ENGINE = 2, HAS_START = 4, HAS_SEQUENCE = 8, LOCAL = 16 };

static struct format_origin make_origin(const uint8_t options[OPTIONS])
{
    struct format_origin origin = {.facility = options[0] % 24,
                                   .hostname = "gw1.example.org",
                                   .process_id = "4711",
                                   .local = options[1] & LOCAL,
                                   .ip = options[1] & HAS_IP ? "2001:db8::1" : NULL,
                                   .engine_id = options[1] & HAS_ENGINE ? "80001f8804" : NULL,
                                   .started_us = options[1] & HAS_START ? CLOCK_US_PER_S : 0,
                                   .sequence = options[1] & HAS_SEQUENCE ? 1U << 31 : 0};
    for (unsigned i = 0; i < FORMAT_SEVERITIES; i++)
        origin.severity_map[i] = (enum severity)((i + options[2]) % FORMAT_SEVERITIES);
    return origin;
}

static struct read_line line;

// The fields to compare with the event's.
struct check {
    const char *element;
    const char *prefix; // of the names
    bool whole;         // no field was left out
    bool json;          // JSON, whose readers have numbers of 63 bits
    size_t found;
};

static void check_field(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    struct check *check = ctx;
    char full[64], most[32];
    snprintf(most, sizeof most, "%lld", (long long)INT64_MAX);
    if (check->json && kind == FIELD_IS_NUMBER && strtoull(value, NULL, 10) > INT64_MAX)
        value = most;
    snprintf(full, sizeof full, "%s%s", check->prefix, name);
    if (check->prefix[0] != '\0')
        full[strlen(check->prefix)] = (char)toupper((unsigned char)name[0]);
    const char *got = read_line_find(&line, check->element, full);
    REQUIRE(got || !check->whole);
    REQUIRE(!got || strcmp(got, value) == 0);
    check->found += got != NULL;
}

static void check_fields(const struct event *event, const char *element, const char *prefix,
                         bool whole, size_t others, bool json)
{
    struct check check = {element, prefix, whole, json, others};
    format_fields(event, check_field, &check);
    size_t count = 0;
    for (size_t i = 0; i < line.count; i++)
        count += strcmp(line.pairs[i].element, element) == 0;
    REQUIRE(check.found == count); // the line contains no other field
}

// The value of that name; the line may lack it if fields may be left out.
static size_t check_value(const char *element, const char *name, const char *value, bool whole)
{
    const char *got = read_line_find(&line, element, name);
    REQUIRE(got || !whole);
    REQUIRE(!got || strcmp(got, value) == 0);
    return got != NULL;
}

static size_t check_time(const char *element, const char *name, const struct event *event,
                         bool whole)
{
    char when[CLOCK_TEXT_SIZE];
    clock_format_utc(event->time_us, when);
    return check_value(element, name, when, whole);
}

static void check_rfc5424(const char *s, const struct event *event, bool whole)
{
    static const char MARK[] = "\xEF\xBB\xBF";
    read_rfc5424(s, &line);
    REQUIRE(strcmp(line.msgid, event->type->name) == 0);
    check_fields(event, "ibtrapd@" MIB_ROOT_ENTERPRISE, "", whole, 0, false);
    bool marked = strncmp(line.message, MARK, 3) == 0, ascii = true;
    for (const char *p = event->text; *p; p++)
        ascii = ascii && (unsigned char)*p < 0x80;
    REQUIRE(marked == !ascii);
    const char *text = line.message + (marked ? 3 : 0);
    REQUIRE(strncmp(text, event->text, strlen(text)) == 0);
    REQUIRE(!whole || strcmp(text, event->text) == 0);
}

static void check_rfc3164(const char *s, const struct event *event, bool whole, bool local)
{
    read_rfc3164(s, !local, true, &line);
    size_t length = strlen(event->text), there = strlen(line.message);
    REQUIRE(strncmp(line.message, event->text, there < length ? there : length) == 0);
    REQUIRE(!whole || there >= length);
    if (there >= length)
        read_words(line.message + length, &line);
    check_fields(event, "", "", whole, check_time("", "time", event, whole), false);
}

static void check_cef(const char *s, const struct event *event, bool whole)
{
    read_cef(s, &line);
    REQUIRE(strcmp(line.event, event->type->name) == 0);
    size_t others = 1; // rt
    REQUIRE(read_line_find(&line, "", "rt"));
    others += check_value("", "externalId", event->id, true);
    others += check_value("", "cat", category_word(event->category), true);
    others += check_value("", "dvchost", "gw1.example.org", true);
    others += check_value("", "dvcpid", "4711", true);
    others += check_value("", "msg", event->text, whole);
    if (event->reason[0] != '\0')
        others += check_value("", "reason", event->reason, whole);
    check_fields(event, "", "ibtrapd", whole, others, false);
}

static void check_leef(const char *s, const struct event *event, bool whole)
{
    read_leef(s, &line);
    REQUIRE(strcmp(line.event, event->type->name) == 0);
    size_t others = 2; // devTime, sev
    REQUIRE(read_line_find(&line, "", "devTime"));
    others += check_value("", "cat", category_word(event->category), true);
    others += check_value("", "identHostName", "gw1.example.org", true);
    others += check_value("", "msg", event->text, whole);
    check_fields(event, "", "", whole, others, false);
}

static void check_json(const char *s, const struct event *event, bool whole)
{
    read_json(s, &line);
    check_time("", "time", event, true);
    size_t others = 1 + check_value("", "text", event->text, whole);
    check_fields(event, "", "", whole, others, true);
}

static void forget_raw(struct read_line *l)
{
    const char *original = read_line_find(l, "event", "original");
    REQUIRE(!read_line_find(l, "ibtrapd", "raw"));
    if (!original)
        return;
    struct read_pair *pair =
        &l->pairs[l->count++]; // event.original, and one of the gateway's fields
    REQUIRE(l->count <= READ_LINE_PAIRS);
    snprintf(pair->element, sizeof pair->element, "ibtrapd");
    snprintf(pair->name, sizeof pair->name, "raw");
    snprintf(pair->value, sizeof pair->value, "%s", original);
}

static void check_ecs(const char *s, const struct event *event, bool whole)
{
    read_json(s, &line);
    check_time("", "@timestamp", event, true);
    check_value("", "message", event->text, whole);
    check_value("event", "id", event->id, true);
    check_value("event", "action", event->type->name, true);
    if (event->reason[0] != '\0')
        check_value("event", "reason", event->reason, whole);
    if (event->subject.name[0] != '\0')
        check_value("host", "name", event->subject.name, whole);
    forget_raw(&line);
    if (whole)
        check_fields(event, "ibtrapd", "", true, 0, true);
}

// A line of JSON for a receiver: the message after an RFC 5424 header.
static void check_cloudevents(const char *s, const struct event *event, bool whole)
{
    read_json(s, &line);
    check_value("", "specversion", "1.0", true);
    check_value("", "id", event->id, true);
    check_value("", "source", "//gw1.example.org/ibtrapd", true);
    check_time("", "time", event, true);
    check_time("data", "time", event, true);
    size_t others = 1 + check_value("data", "text", event->text, whole);
    check_fields(event, "data", "", whole, others, true);
}

static const char *json_of(const char *s)
{
    read_rfc5424(s, &line);
    REQUIRE(line.count == 0);
    return line.message;
}

static const char *behind_header(const char *s, bool local)
{
    read_rfc3164(s, !local, false, &line);
    return line.message;
}

static void check_line(enum format format, const char *s, const struct event *event, bool whole,
                       bool local)
{
    switch (format) {
    case FORMAT_RFC5424:
        check_rfc5424(s, event, whole);
        break;
    case FORMAT_RFC3164:
        check_rfc3164(s, event, whole, local);
        break;
    case FORMAT_ECS:
        check_ecs(json_of(s), event, whole);
        break;
    case FORMAT_CEF:
        check_cef(behind_header(s, local), event, whole);
        break;
    case FORMAT_LEEF:
        check_leef(behind_header(s, local), event, whole);
        break;
    case FORMAT_CLOUDEVENTS:
        check_cloudevents(json_of(s), event, whole);
        break;
    default:
        check_json(json_of(s), event, whole);
        break;
    }
}

// Checks that the text is a line of valid UTF-8.
static void check_octets(const char *s, size_t size, bool has_tabs)
{
    char clean[FORMAT_SIZE], plain[FORMAT_SIZE];
    memcpy(plain, s, size + 1);
    for (char *tab = plain; has_tabs && (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    text_clean(plain, size, clean, sizeof clean);
    REQUIRE(strcmp(plain, clean) == 0);
}

static void check_format(enum format format, const struct format_origin *origin,
                         const struct event *event, size_t size)
{
    char *buffer = malloc(size); // for the sanitizer
    REQUIRE(buffer);
    struct text t = text_in(buffer, size);
    format_message(&t, format, origin, event);
    REQUIRE(t.len < size && strlen(buffer) == t.len);
    check_octets(buffer, t.len, format == FORMAT_LEEF);
    check_line(format, buffer, event, size == FORMAT_SIZE, origin->local);
    REQUIRE(line.priority / 8 == origin->facility || format == FORMAT_JSON ||
            format == FORMAT_ECS || format == FORMAT_CLOUDEVENTS);
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct event *event =
        size >= OPTIONS ? event_record_read(data + OPTIONS, size - OPTIONS, &err) : NULL;
    if (!event)
        return 0;
    const struct format_origin origin = make_origin(data);
    for (int f = 0; f < FORMAT_COUNT; f++) {
        check_format((enum format)f, &origin, event, FORMAT_SIZE);
        check_format((enum format)f, &origin, event, FORMAT_SIZE_MIN);
    }
    check_format(FORMAT_RFC3164, &origin, event, FORMAT_SIZE_RFC3164);
    event_unref(event);
    return 0;
}
