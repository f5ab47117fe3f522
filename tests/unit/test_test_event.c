// SPDX-License-Identifier: BSD-2-Clause
// Test events: every event of the catalogue can be made as a sample.
#include "support.h"

#include "event/test_event.h"
#include "model/event_record.h"
#include "model/fabric.h"
#include "model/field.h"
#include "model/mib.h"

static struct support_time now_ = {.utc = SUPPORT_UTC_US};
static struct clock clock_;
static struct support_chance chance;
static struct random random_;
static struct event_builder builder;

static int begin(void **state)
{
    (void)state;
    clock_ = support_clock(&now_);
    random_ = support_random(&chance);
    builder = (struct event_builder){
        .clock = &clock_, .random = &random_, .subnet_prefix = UINT64_C(0xfe80000000000000)};
    return 0;
}

static struct event *make(enum catalogue_event type)
{
    struct test_event test = {.type = type};
    test_event_make_up(&test);
    struct event *event = test_event_make(&builder, &test);
    assert_non_null(event);
    return event;
}

TEST(every_event_has_a_sample)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *type = catalogue_get((enum catalogue_event)i);
        struct event *event = make((enum catalogue_event)i);
        if (event->type != type)
            fail_msg("the sample of %s is a %s", type->name, event->type->name);
        assert_true(event->test);
        assert_string_equal(event->alarm_key, type->alarm == ALARM_NONE ? "" : "test");
        assert_memory_equal(event->text, "[test] ", 7);
        if (strstr(event->text, "nknown node") || strstr(event->text, "{"))
            fail_msg("%s: %s", type->name, event->text);
        event_unref(event);
    }
}

static bool has_value(const struct event *event, enum field field)
{
    const struct field_value value = field_get(event, field);
    return value.is_number ? value.number != 0 : value.size > 0;
}

// Fields that a plausible event may lack.
static bool may_be_zero(enum field field)
{
    return field == FIELD_DR_SLID || field == FIELD_DR_PATH || field == FIELD_DR_TRUNCATED ||
           field == FIELD_AFFECTED || (field >= FIELD_LINK_CAUSE && field <= FIELD_FORMER_SERIAL) ||
           field == FIELD_CAPABILITY_MASK2 || field == FIELD_LOST;
}

TEST(the_fields_of_every_sample_have_values)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        struct event *event = make((enum catalogue_event)i);
        const enum field *fields = event->type->fields;
        for (size_t f = 0; f < CATALOGUE_FIELDS_MAX && fields[f] != FIELD_NONE; f++) {
            const bool of_book =
                fields[f] == FIELD_REASON && event->type->origin == CATALOGUE_FROM_NOTICE;
            if (!may_be_zero(fields[f]) && !of_book && !has_value(event, fields[f]))
                fail_msg("%s has no %s", event->type->name, field_name(fields[f]));
        }
        event_unref(event);
    }
}

TEST(every_sample_survives_the_journal)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        uint8_t record[EVENT_RECORD_MAX];
        struct error err;
        struct event *event = make((enum catalogue_event)i);
        struct event *again = event_record_read(record, event_record_write(event, record), &err);
        assert_non_null(again);
        assert_true(again->test);
        assert_string_equal(again->text, event->text);
        assert_memory_equal(&again->notice, &event->notice, sizeof event->notice);
        event_unref(again);
        event_unref(event);
    }
}

TEST(what_switches_tell_has_their_notifications)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        struct event *event = make((enum catalogue_event)i);
        const struct mib_notification *traps[MIB_GSW_TRAPS_MAX];
        if ((event->type->gsw || event->type->topo) && mib_gsw_traps(event, traps) == 0)
            fail_msg("%s has no switch", event->type->name);
        event_unref(event);
    }
}

TEST(a_given_node_is_the_subject)
{
    struct test_event test = {.type = CATALOGUE_LINK_INTEGRITY_THRESHOLD,
                              .subject = {.guid = 0x10,
                                          .node_guid = 0x10,
                                          .lid = 3,
                                          .port = 7,
                                          .type = FABRIC_SWITCH,
                                          .name = "leaf1"},
                              .peer = {.guid = 0x21,
                                       .node_guid = 0x20,
                                       .lid = 4,
                                       .port = 1,
                                       .type = FABRIC_CA,
                                       .name = "node1"},
                              .receiver = "nms"};
    struct event *event = test_event_make(&builder, &test);
    assert_non_null(event);
    assert_string_equal(event->text,
                        "[test] Port 7 of leaf1 (LID 3) to port 1 of node1 (LID 4) reached its "
                        "threshold of local link integrity errors; check the cable and its "
                        "connectors.");
    assert_string_equal(event->only_receiver, "nms");
    assert_int_equal(event->switch_guid, 0x10);
    assert_int_equal(event->raw_size, NOTICE_SIZE);
    event_unref(event);
    test.type = CATALOGUE_LINK_DOWN;
    event = test_event_make(&builder, &test);
    assert_string_equal(event->text, "[test] Port 7 of leaf1 (LID 3) to port 1 of node1 (LID 4) "
                                     "went down.");
    event_unref(event);
}

TEST(what_policy_makes_is_about_the_node_and_as_important_as_what_it_sums_up)
{
    struct event *event = make(CATALOGUE_EVENT_REPEATED);
    assert_ptr_equal(event->summarised, catalogue_get(CATALOGUE_LINK_STATE_CHANGE));
    assert_int_equal(event->severity, event->summarised->severity);
    assert_int_equal(event->category, event->summarised->category);
    assert_string_equal(event->subject.name, "test-switch");
    assert_string_equal(event->text, "[test] The link state of at least one port of "
                                     "test-switch changed; the same 12 times more since "
                                     "2026-11-21T03:18:03Z.");
    event_unref(event);
    event = make(CATALOGUE_FLAPPING);
    assert_int_equal(event->severity, SEVERITY_WARNING);
    assert_string_equal(event->text,
                        "[test] Port 1 of test-switch (LID 49150) to port 1 of test-neighbour (LID "
                        "49151) does not come to rest: this is a test. Until it does, its changes "
                        "are only in the journal.");
    event_unref(event);
    event = make(CATALOGUE_STORM_SUMMARY);
    assert_int_equal(event->subject.guid, 0);
    assert_string_equal(event->text,
                        "[test] The journal alone has 12 link-state-change events since "
                        "2026-11-21T03:18:03Z: this is a test.");
    event_unref(event);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_event_has_a_sample, begin),
        cmocka_unit_test_setup(the_fields_of_every_sample_have_values, begin),
        cmocka_unit_test_setup(every_sample_survives_the_journal, begin),
        cmocka_unit_test_setup(what_switches_tell_has_their_notifications, begin),
        cmocka_unit_test_setup(
            what_policy_makes_is_about_the_node_and_as_important_as_what_it_sums_up, begin),
        cmocka_unit_test_setup(a_given_node_is_the_subject, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
