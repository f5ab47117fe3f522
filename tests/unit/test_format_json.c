// SPDX-License-Identifier: BSD-2-Clause
// The JSON formats against their model, octet by octet, and against the event.
#include "full_event.h"
#include "generated.h"
#include "json_model.h"
#include "support.h"

#include "install.h"
#include "model/catalogue.h"
#include "model/fabric.h"
#include "sink/format.h"

#include <jansson.h>
#include <limits.h>

typedef void format_function(struct text *t, const struct format_origin *origin,
                             const struct event *event);

static const struct {
    format_function *format, *model;
} FORMATS[] = {{format_json, json_model_json},
               {format_ecs, json_model_ecs},
               {format_cloudevents, json_model_cloudevents}};

// Characters for which JSON has escapes, octets that are no UTF-8, and all other characters.
static const char *const PIECES[] = {"x",
                                     "\"",
                                     "\\",
                                     "/",
                                     "\x01",
                                     "\x1F\n",
                                     "\b\f\r\t",
                                     "\x7F",
                                     "\xC3\xA9",
                                     "\xE2\x80\xA8",
                                     "\xFF",
                                     "\xC0\xAF",
                                     "\xED\xA0\x80",
                                     "\xF4\x90\x80\x80",
                                     "\xF0\x9F\x90\xA7",
                                     "{",
                                     "},{\"a\":",
                                     "\xEF\xBF\xBE"};

static const struct format_origin ORIGIN = {
    .facility = 3,
    .severity_map = {SEVERITY_EMERGENCY, SEVERITY_ALERT, SEVERITY_CRITICAL, SEVERITY_ERROR,
                     SEVERITY_WARNING, SEVERITY_NOTICE, SEVERITY_INFORMATIONAL, SEVERITY_DEBUG},
    .hostname = "gw/1 \xC3\xBC.example",
    .process_id = "42",
};

static struct event *fill_at_random(struct generated_chance *chance)
{
    struct event *e = full_event_make((int)generated_below(chance, CATALOGUE_COUNT), "x");
    struct full_event_text texts[FULL_EVENT_TEXTS];
    full_event_texts(e, texts);
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct text t = text_in(texts[i].text, texts[i].size);
        const uint32_t pieces = generated_below(chance, 3) ? generated_below(chance, 90) : 0;
        for (uint32_t k = 0; k < pieces; k++)
            text_add(&t, PIECES[generated_below(chance, COUNT(PIECES))]);
    }
    struct endpoint *const who[] = {&e->subject, &e->issuer, &e->source, &e->destination, &e->peer};
    for (size_t i = 0; i < COUNT(who); i++) {
        who[i]->guid >>= generated_below(chance, 64);
        who[i]->lid = (uint16_t)(who[i]->lid >> generated_below(chance, 16) >> 1);
        who[i]->type = (uint8_t)generated_below(chance, 5);
        who[i]->port = (uint8_t)(who[i]->port >> generated_below(chance, 9));
        who[i]->node_guid *= generated_below(chance, 2);
    }
    e->raw_size = generated_below(chance, 2) ? generated_below(chance, sizeof e->raw) : 0;
    e->severity = (enum severity)generated_below(chance, FORMAT_SEVERITIES);
    e->notice.trap = (uint16_t)(e->notice.trap * generated_below(chance, 2));
    e->time_us = (int64_t)(generated_next(chance) >> generated_below(chance, 30));
    e->counter_new >>= generated_below(chance, 64);
    e->derived = generated_below(chance, 2);
    e->found_late = generated_below(chance, 2);
    return e;
}

// Both write the same octets and none beyond the room. Returns how many.
static size_t check_same(size_t format, const struct event *event, size_t size)
{
    static char got[FORMAT_SIZE + 1], expected[FORMAT_SIZE + 1];
    struct text t = text_in(got, size), model = text_in(expected, size);
    got[size] = '~';
    FORMATS[format].format(&t, &ORIGIN, event);
    FORMATS[format].model(&model, &ORIGIN, event);
    if (strcmp(got, expected) != 0)
        fail_msg("format %zu, %s, %zu octets:\n%s\nbut the model:\n%s", format, event->type->name,
                 size, got, expected);
    assert_int_equal(t.len, model.len);
    assert_int_equal(strlen(got), t.len);
    assert_int_equal(got[size], '~');
    assert_false(t.cut);
    return t.len;
}

TEST(every_event_is_as_the_model_has_it)
{
    for (int type = 0; type < CATALOGUE_COUNT; type++) {
        for (size_t i = 0; i < COUNT(PIECES) * COUNT(FORMATS); i++) {
            struct event *full = full_event_make(type, PIECES[i / COUNT(FORMATS)]),
                         *empty = full_event_begin(type);
            assert_true(check_same(i % COUNT(FORMATS), full, FORMAT_SIZE) > FORMAT_SIZE_MIN);
            check_same(i % COUNT(FORMATS), full, FORMAT_SIZE_MIN);
            assert_true(check_same(i % COUNT(FORMATS), empty, FORMAT_SIZE_MIN) > 0);
            event_unref(full);
            event_unref(empty);
        }
    }
}

TEST(random_events_are_as_the_model_has_them)
{
    struct generated_chance chance = {.state = 23};
    for (unsigned i = 0; i < 3000; i++) {
        struct event *event = fill_at_random(&chance);
        const size_t size = FORMAT_SIZE_MIN + generated_below(&chance, FORMAT_SIZE_MIN);
        check_same(i % COUNT(FORMATS), event, size);
        check_same(i % COUNT(FORMATS), event, FORMAT_SIZE);
        event_unref(event);
    }
}

// A 259 names five nodes: every part that can be left out is there. Every size for the first text,
// and every 13th for the others.
TEST(every_size_is_as_the_model_has_it)
{
    static const char *const FILL[] = {"x", "\xC3\xA9", "\""};
    for (size_t i = 0; i < COUNT(FILL) * COUNT(FORMATS); i++) {
        struct event *event =
            full_event_make(CATALOGUE_BAD_PKEY_AT_SWITCH, FILL[i / COUNT(FORMATS)]);
        const size_t whole = check_same(i % COUNT(FORMATS), event, FORMAT_SIZE);
        for (size_t size = 1; size < FORMAT_SIZE_MIN; size += 97)
            check_same(i % COUNT(FORMATS), event, size);
        const size_t step = i < COUNT(FORMATS) ? 1 : 13;
        for (size_t size = FORMAT_SIZE_MIN; size <= whole + 2 && size <= FORMAT_SIZE; size += step)
            check_same(i % COUNT(FORMATS), event, size);
        event_unref(event);
    }
}

// The longest that clean text can become: each character is escaped.
TEST(no_line_is_empty)
{
    struct format_origin origin = ORIGIN;
    char hostname[HOST_NAME_MAX + 1] = "";
    memset(hostname, '/', sizeof hostname - 1);
    origin.hostname = hostname;
    for (int type = 0; type < CATALOGUE_COUNT; type++) {
        struct event *event = full_event_make(type, "\"");
        for (int format = 0; format < FORMAT_COUNT; format++) {
            char buffer[FORMAT_SIZE_MIN];
            struct text t = text_in(buffer, sizeof buffer);
            format_message(&t, (enum format)format, &origin, event);
            if (t.len == 0)
                fail_msg("format %d of %s", format, event->type->name);
        }
        event_unref(event);
    }
}

// The values for a reader of JSON.

static void check_text(const json_t *object, const char *name, const char *expected)
{
    const char *value = json_string_value(json_object_get(object, name));
    assert_non_null(value);
    assert_string_equal(value, expected);
}

static void check_number(const json_t *object, const char *name, json_int_t expected)
{
    assert_true(json_is_integer(json_object_get(object, name)));
    assert_int_equal(json_integer_value(json_object_get(object, name)), expected);
}

static json_t *read_back(format_function *format, const struct event *event)
{
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    format(&t, &ORIGIN, event);
    json_t *object = json_loadb(buffer, t.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    return object;
}

static void check_own(const json_t *object, const struct event *event)
{
    check_text(object, "time", "2026-11-21T03:19:03.123456Z");
    check_text(object, "id", event->id);
    check_text(object, "event", event->type->name);
    check_text(object, "severity", severity_word(event->severity));
    check_text(object, "category", category_word(event->category));
    check_text(object, "subnetPrefix", "0xfe80000000000000");
    check_text(object, "subjectName", event->subject.name);
    check_text(object, "subjectGuid", "0xffffffffffffffff");
    check_text(object, "subjectType", "switch");
    check_number(object, "subjectLid", UINT16_MAX);
    check_number(object, "peerPort", UINT8_MAX);
    check_text(object, "issuerName", event->issuer.name);
    check_text(object, "causeId", event->cause_id);
    check_text(object, "rule", event->rule);
    check_text(object, "text", event->text);
    check_number(object, "counterOld", INT64_MAX); // 2^64 - 1
    check_number(object, "counterNew", 7);
    assert_true(json_is_true(json_object_get(object, "derived")));
    assert_true(json_is_true(json_object_get(object, "test")));
    assert_int_equal(json_string_length(json_object_get(object, "raw")), 2 * EVENT_RAW_MAX);
}

TEST(a_reader_gets_the_events_values)
{
    for (int type = 0; type < CATALOGUE_COUNT; type++) {
        struct event *event = full_event_make(type, "a\"\\/\n\x01\xC3\xA9");
        event->text[64] = '\0'; // so that nothing is left out
        event->counter_new = 7;
        json_t *own = read_back(format_json, event);
        json_t *cloud = read_back(format_cloudevents, event);
        json_t *ecs = read_back(format_ecs, event);
        check_own(own, event);
        check_own(json_object_get(cloud, "data"), event);
        check_text(cloud, "id", event->id);
        check_text(cloud, "subject", event->subject.name);
        check_text(cloud, "source", "//gw%2F1%20%C3%BC.example/ibtrapd");
        check_text(ecs, "message", event->text);
        check_text(json_object_get(ecs, "host"), "name", event->subject.name);
        check_text(json_object_get(ecs, "event"), "reason", event->reason);
        check_text(json_object_get(ecs, "ibtrapd"), "causeId", event->cause_id);
        json_decref(own);
        json_decref(cloud);
        json_decref(ecs);
        event_unref(event);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_is_as_the_model_has_it),
        cmocka_unit_test(random_events_are_as_the_model_has_them),
        cmocka_unit_test(every_size_is_as_the_model_has_it),
        cmocka_unit_test(no_line_is_empty),
        cmocka_unit_test(a_reader_gets_the_events_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
