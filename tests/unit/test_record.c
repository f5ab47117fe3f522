// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "golden.h"

#include "event/event_builder.h"
#include "model/event_record.h"
#include "model/fabric.h"

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;

static const struct endpoint LEAF = {.guid = GOLDEN_SWITCH_GUID,
                                     .node_guid = GOLDEN_SWITCH_GUID,
                                     .lid = 3,
                                     .type = FABRIC_SWITCH,
                                     .port = 17,
                                     .name = "MF0;leaf12:MQM8700/U1",
                                     .system = "leaf12"};

static int begin(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder =
        (struct event_builder){.clock = &clock_, .random = &chance, .subnet_prefix = GOLDEN_PREFIX};
    return 0;
}

static void assert_same(const struct event *a, const struct event *b)
{
    assert_ptr_equal(a->type, b->type);
    assert_string_equal(a->id, b->id);
    assert_int_equal(a->time_us, b->time_us);
    assert_int_equal(a->subnet_prefix, b->subnet_prefix);
    assert_memory_equal(&a->issuer, &b->issuer, sizeof a->issuer);
    assert_memory_equal(&a->subject, &b->subject, sizeof a->subject);
    assert_memory_equal(&a->source, &b->source, sizeof a->source);
    assert_memory_equal(&a->destination, &b->destination, sizeof a->destination);
    assert_memory_equal(&a->peer, &b->peer, sizeof a->peer);
    assert_int_equal(a->switch_guid, b->switch_guid);
    assert_int_equal(a->uplink, b->uplink);
    assert_int_equal(a->former.node_guid, b->former.node_guid);
    assert_int_equal(a->former.type, b->former.type);
    assert_int_equal(a->former.port, b->former.port);
    assert_memory_equal(&a->notice, &b->notice, sizeof a->notice);
    assert_int_equal(a->raw_size, b->raw_size);
    assert_memory_equal(a->raw, b->raw, sizeof a->raw);
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->receiver, b->receiver);
    assert_int_equal(a->lost, b->lost);
    assert_int_equal(a->affected, b->affected);
    assert_int_equal(a->sm_guid, b->sm_guid);
    assert_int_equal(a->counter, b->counter);
    assert_int_equal(a->counter_old, b->counter_old);
    assert_int_equal(a->counter_new, b->counter_new);
    assert_int_equal(a->found_late, b->found_late);
    assert_int_equal(a->derived, b->derived);
    assert_string_equal(a->related_id, b->related_id);
    assert_string_equal(a->cause_id, b->cause_id);
    assert_string_equal(a->suppressed, b->suppressed);
    assert_int_equal(a->test, b->test);
    assert_string_equal(a->only_receiver, b->only_receiver);
    assert_string_equal(a->alarm_key, b->alarm_key);
    assert_string_equal(a->text, b->text);
}

static void check_record(struct event *event)
{
    uint8_t record[EVENT_RECORD_MAX];
    struct error err;
    assert_non_null(event);
    size_t size = event_record_write(event, record);
    struct event *again = event_record_read(record, size, &err);
    assert_non_null(again);
    assert_same(event, again);
    event_unref(again);
    // Cut anywhere, it is refused or lacks something at its end; never a crash.
    for (size_t cut = 0; cut < size; cut++)
        event_unref(event_record_read(record, cut, &err));
    event_unref(event);
}

static bool find_leaf(void *ctx, uint16_t lid, struct endpoint *out)
{
    (void)ctx, (void)lid;
    *out = LEAF;
    return true;
}

static bool find_leaf_by_guid(void *ctx, uint64_t guid, struct endpoint *out)
{
    (void)ctx, (void)guid;
    *out = LEAF;
    return true;
}

static bool find_itself(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out)
{
    (void)ctx, (void)node_guid, (void)port;
    *out = LEAF;
    return true;
}

TEST(a_notice_and_what_the_fabric_adds)
{
    static const struct event_builder_lookup LOOKUP = {find_leaf, find_leaf_by_guid, find_itself,
                                                       NULL};
    builder.lookup = &LOOKUP;
    for (int g = 0; g < GOLDEN_COUNT; g++) {
        uint8_t wire[NOTICE_SIZE];
        golden_wire((enum golden)g, wire);
        check_record(event_builder_from_notice(&builder, wire));
    }
}

TEST(a_change)
{
    const struct change change = {.type = CATALOGUE_LINK_DOWN,
                                  .subject = LEAF,
                                  .peer = {.node_guid = 4, .type = FABRIC_CA, .port = 1},
                                  .switch_guid = GOLDEN_SWITCH_GUID,
                                  .uplink = 255,
                                  .former = {UINT64_MAX, FABRIC_ROUTER, 254},
                                  .sm_guid = 5,
                                  .affected = 1,
                                  .reason = "with it went node1",
                                  .alarm_key = "link"};
    struct event *event = event_builder_from_change(&builder, &change, true, "cause", "related");
    strcpy(event->suppressed, "standby");
    event->test = true;
    strcpy(event->only_receiver, "nms");
    check_record(event);
}

TEST(each_counter)
{
    for (int c = 0; c < COUNTER_ERRORS; c++) {
        const struct counter_statement change = {.key = {.kind = ALARM_KEY_PORT,
                                                         .guid = GOLDEN_SWITCH_GUID,
                                                         .port = 17,
                                                         .about = ALARM_ABOUT_GROWTH,
                                                         .counter = (enum counter)c},
                                                 .raised = true,
                                                 .before = 1,
                                                 .after = UINT64_MAX};
        check_record(event_builder_from_counter(&builder, &change, &LEAF, NULL, 0));
    }
}

TEST(what_gsw_event_trap_tells)
{
    const struct event_builder_occurrence what = {.type = CATALOGUE_SETTING_CHANGED,
                                                  .switch_guid = 1};
    uint8_t record[EVENT_RECORD_MAX];
    struct error err;
    for (int i = 0; i < 2; i++) {
        struct event *event = event_builder_from_occurrence(&builder, &what);
        event->event_trap = i;
        event->number = 7; // set by the journal
        struct event *again = event_record_read(record, event_record_write(event, record), &err);
        assert_int_equal(again->event_trap, i);
        assert_int_equal(again->number, 0);
        event_unref(again);
        event_unref(event);
    }
}

// The record has no Notice octets to decode, and still gives the same event.
TEST(a_notice_that_was_never_sent)
{
    uint8_t record[EVENT_RECORD_MAX];
    struct error err;
    const struct counter_statement change = {
        .key = {.kind = ALARM_KEY_PORT,
                .guid = GOLDEN_SWITCH_GUID,
                .port = 17,
                .about = ALARM_ABOUT_GROWTH,
                .counter = COUNTER_LOCAL_LINK_INTEGRITY_ERRORS},
        .raised = true,
        .before = 0,
        .after = 1};
    struct event *event = event_builder_from_counter(&builder, &change, &LEAF, NULL, 0);
    struct event *again = event_record_read(record, event_record_write(event, record), &err);
    assert_int_equal(again->notice.trap, NOTICE_LINK_INTEGRITY);
    assert_int_equal(again->notice.lid, 3);
    assert_int_equal(again->notice.port, 17);
    event_unref(again);
    event_unref(event);
}

#define HEAD "\x01\x01\x00\x0fgateway-started\x02\x00\x01x"

static struct event *read_literal(const char *octets, size_t size, struct error *err)
{
    uint8_t record[200];
    assert_true(size <= sizeof record);
    memcpy(record, octets, size);
    return event_record_read(record, size, err);
}

#define READ(literal, err) read_literal(literal, sizeof literal - 1, err)

// An endpoint without a node, from before the first sweep.
TEST(an_older_record)
{
    struct error err;
    struct event *event = READ(HEAD "\x06\x00\x1a\0\0\0\0\0\0\0\x07\0\x03"
                                    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                               &err);
    assert_non_null(event);
    assert_int_equal(event->subject.guid, 7);
    assert_int_equal(event->subject.lid, 3);
    assert_int_equal(event->subject.node_guid, 0);
    assert_int_equal(event->peer.guid, 0);
    assert_false(event->derived);
    event_unref(event);
}

TEST(a_newer_record)
{
    struct error err;
    struct event *event = READ(HEAD "\xfe\x00\x02zz", &err);
    assert_non_null(event);
    event_unref(event);
    // The reader keeps a node's known fields.
    event = READ(HEAD "\x11\x00\x0b\0\0\0\0\0\0\0\x09\x02\x11\xff", &err);
    assert_non_null(event);
    assert_int_equal(event->subject.node_guid, 9);
    assert_int_equal(event->subject.type, FABRIC_SWITCH);
    assert_int_equal(event->subject.port, 17);
    event_unref(event);
}

TEST(nonsense_is_refused)
{
    struct error err = {""};
    assert_null(READ(HEAD "\x11\x00\x0a\0\0\0\0\0\0\0\0\x04\0", &err)); // a node of type 4
    assert_string_equal(err.text, "field 17 of the record is not valid");
    assert_null(READ(HEAD "\x11\x00\x09\0\0\0\0\0\0\0\0\0", &err));
    assert_string_equal(err.text, "field 17 of the record is not valid");
    assert_null(READ(HEAD "\x18\x00\x03zzz", &err)); // no such counter
    assert_string_equal(err.text, "field 24 of the record is not valid");
    assert_null(READ(HEAD "\x1c\x00\x02zz", &err)); // a derived notice without port
    assert_string_equal(err.text, "field 28 of the record is not valid");
}

// A field with a value of `size` zero octets.
static void check_refused(uint8_t tag, uint16_t size)
{
    uint8_t record[1200] = HEAD;
    char expected[64];
    struct error err = {""};
    uint8_t *field = record + sizeof HEAD - 1;
    field[0] = tag;
    field[1] = (uint8_t)(size >> 8);
    field[2] = (uint8_t)size;
    assert_null(event_record_read(record, sizeof HEAD - 1 + 3 + size, &err));
    snprintf(expected, sizeof expected, "field %u of the record is not valid", tag);
    assert_string_equal(err.text, expected);
}

TEST(each_field_has_its_size)
{
    static const uint8_t NUMBERS[] = {3, 4, 9, 15, 22, 23, 25, 26, 27, 40, 60, 61, 65, 66};
    static const uint8_t TEXTS[] = {2, 11, 12, 13, 14, 29, 30, 31, 41, 62, 63};
    static const uint8_t NAMES_OF_ROWS[] = {1, 24, 64};
    for (size_t i = 0; i < COUNT(NUMBERS); i++) {
        check_refused(NUMBERS[i], 7);
        check_refused(NUMBERS[i], 9);
    }
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        check_refused(TEXTS[i], 1);    // a NUL
        check_refused(TEXTS[i], 1100); // longer than the longest
    }
    for (size_t i = 0; i < COUNT(NAMES_OF_ROWS); i++)
        check_refused(NAMES_OF_ROWS[i], 64);
    for (uint8_t endpoint = 5; endpoint <= 8; endpoint++)
        check_refused(endpoint, 25);
    check_refused(10, EVENT_RAW_MAX + 1);
}

TEST(numbers_have_their_ranges)
{
    struct error err;
    assert_null(READ(HEAD "\x3c\0\x08\0\0\0\0\0\0\0\x08", &err)); // severity
    assert_string_equal(err.text, "field 60 of the record is not valid");
    assert_null(READ(HEAD "\x3d\0\x08\0\0\0\0\0\0\0\0", &err)); // category
    assert_string_equal(err.text, "field 61 of the record is not valid");
    assert_null(READ(HEAD "\x3d\0\x08\0\0\0\0\0\0\0\x7f", &err));
    assert_string_equal(err.text, "field 61 of the record is not valid");
    // The year 10000, and times before 1970.
    assert_null(READ(HEAD "\x03\0\x08\x03\x84\x44\x0c\xcc\x73\x60\x00", &err));
    assert_string_equal(err.text, "field 3 of the record is not valid");
    assert_null(READ(HEAD "\x42\0\x08\xff\xff\xff\xff\xff\xff\xff\xff", &err));
    assert_string_equal(err.text, "field 66 of the record is not valid");
    struct event *event = READ(HEAD "\x03\0\x08\x03\x84\x44\x0c\xcc\x73\x5f\xff", &err);
    assert_non_null(event);
    assert_int_equal(event->time_us, INT64_C(253402300800) * CLOCK_US_PER_S - 1);
    event_unref(event);
}

// Texts of a damaged journal are cleaned before they reach a terminal or a log.
TEST(damaged_text_becomes_safe)
{
    struct error err;
    struct event *event = READ(HEAD "\x0d\0\x06"
                                    "a\n\x1b\xff[b"
                                    "\x0b\0\x03"
                                    "x\x7fy",
                               &err);
    assert_non_null(event);
    assert_string_equal(event->text, "a??\xEF\xBF\xBD[b");
    assert_string_equal(event->reason, "x?y");
    event_unref(event);
}

TEST(the_longest_event_fits)
{
    uint8_t record[EVENT_RECORD_MAX];
    struct event *e = event_make(catalogue_get(CATALOGUE_SYSTEM_IMAGE_GUID_CHANGE));
    struct endpoint *const who[] = {&e->issuer, &e->subject, &e->source, &e->destination, &e->peer};
    for (size_t i = 0; i < COUNT(who); i++) {
        *who[i] = LEAF;
        memset(who[i]->name, 'n', sizeof who[i]->name - 1);
    }
    memset(e->id, 'i', sizeof e->id - 1);
    memset(e->related_id, 'i', sizeof e->related_id - 1);
    memset(e->cause_id, 'i', sizeof e->cause_id - 1);
    memset(e->suppressed, 'h', sizeof e->suppressed - 1);
    memset(e->reason, 'r', sizeof e->reason - 1);
    memset(e->receiver, 'c', sizeof e->receiver - 1);
    memset(e->alarm_key, 'k', sizeof e->alarm_key - 1);
    memset(e->text, 't', sizeof e->text - 1);
    e->raw_size = EVENT_RAW_MAX;
    e->counter = COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS;
    e->affected = e->sm_guid = 1;
    memset(e->only_receiver, 'o', sizeof e->only_receiver - 1);
    e->found_late = e->derived = e->test = e->event_trap = e->apart = true;
    memset(e->clears_id, 'i', sizeof e->clears_id - 1);
    memset(e->rule, 'r', sizeof e->rule - 1);
    e->cleared = e->summarised = e->type;
    e->repeat_count = 1;
    e->since_us = e->cleared_number = e->cause_number = e->told_number = 1;
    memset(e->subject.system, 's', sizeof e->subject.system - 1);
    e->subject.nameless = true;
    e->peer = e->issuer = e->source = e->destination = e->subject;
    e->other_name_count = EVENT_OTHER_NAMES_MAX;
    for (size_t i = 0; i < EVENT_OTHER_NAMES_MAX; i++)
        memset(e->other_names[i].name, 'n', sizeof e->other_names[i].name - 1);
    assert_in_range(event_record_write(e, record), 2000, EVENT_RECORD_MAX);
    event_unref(e);
}

#define RECORD_TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECORD_TEST(a_notice_and_what_the_fabric_adds),
        RECORD_TEST(a_change),
        RECORD_TEST(each_counter),
        RECORD_TEST(what_gsw_event_trap_tells),
        RECORD_TEST(a_notice_that_was_never_sent),
        RECORD_TEST(an_older_record),
        RECORD_TEST(a_newer_record),
        RECORD_TEST(nonsense_is_refused),
        RECORD_TEST(each_field_has_its_size),
        RECORD_TEST(numbers_have_their_ranges),
        RECORD_TEST(damaged_text_becomes_safe),
        RECORD_TEST(the_longest_event_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
