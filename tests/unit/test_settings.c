// SPDX-License-Identifier: BSD-2-Clause
// Settings made by an SNMP manager take effect, in a gateway of which only the pipeline runs.

#include "each_receiver.h"
#include "support.h"

#include "daemon/gateway.h"
#include "daemon/loop.h"
#include "daemon/receivers.h"
#include "daemon/settings.h"
#include "sink/snmp.h"

#include <event2/event.h>

#define LEAF  UINT64_C(0x0002c90300001234)
#define SPINE UINT64_C(0x0002c90300005678)

static struct gateway g;
static struct conf conf;
static const char *directory;
static struct random chance;
static struct support_chance counting;
static struct error err;

static void take_journal_change(void *ctx, enum journal_change change, const char *reason,
                                uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static void start(void)
{
    const struct journal_options journal_options = {.directory = directory,
                                                    .rows_max = 1000000,
                                                    .bytes_max = INT64_C(1) << 30,
                                                    .age_us = 86400 * CLOCK_US_PER_S,
                                                    .patience_us = SUPPORT_PATIENCE_US,
                                                    .notify = take_journal_change,
                                                    .clock = &clock_system,
                                                    .random = &random_system,
                                                    .log = g.parts.log};
    g.parts.journal = journal_open(&journal_options, &err);
    assert_non_null(g.parts.journal);
    g.parts.topology = topology_new(NULL, &random_system, NULL);
    g.loop = loop_new(&err);
    g.settings_changed = loop_wake_new(g.loop, settings_apply, &g, &err);
    assert_non_null(g.settings_changed);
    struct pipeline_options options = {.builder = {.clock = &clock_system, .random = &chance},
                                       .journal = g.parts.journal,
                                       .topology = g.parts.topology,
                                       .event_trap_level = settings_trap_level,
                                       .ctx = &g,
                                       .log = g.parts.log};
    settings_rename(&g, &options.builder);
    g.parts.pipeline = pipeline_start(&options, &err);
    assert_non_null(g.parts.pipeline);
    settings_apply(&g);
}

static enum receivers_fate succeeded(void *ctx, const struct conf_receiver *running)
{
    (void)ctx, (void)running;
    return RECEIVERS_SUCCEEDED;
}

static void stop(void)
{
    pipeline_stop(g.parts.pipeline);
    receivers_end(&g, succeeded, NULL, NULL);
    pipeline_free(g.parts.pipeline);
    journal_close(g.parts.journal);
    loop_wake_free(g.settings_changed);
    loop_free(g.loop);
    topology_free(g.parts.topology);
}

static int begin(void **state)
{
    (void)state;
    directory = scratch_make();
    counting = (struct support_chance){0};
    chance = support_random(&counting);
    conf =
        (struct conf){.subagent = {.event_trap_level = EVENT_LEVEL_WARNING, .recipient_port = 9}};
    g = (struct gateway){.conf = &conf, .parts = {.log = support_log(NULL)}};
    g.map = names_parse("map", "0x0002c90300001234 leaf12", 25, &err);
    start();
    return 0;
}

static int end(void **state)
{
    (void)state;
    stop();
    names_unref(g.map);
    log_close(g.parts.log);
    scratch_remove(directory);
    return 0;
}

static struct setting make(enum setting_kind kind, uint64_t guid, uint8_t number, const void *value,
                           size_t size)
{
    struct setting s = {.kind = kind, .guid = guid, .number = number, .size = (uint16_t)size};
    memcpy(s.value, value, size);
    return s;
}

static void set(enum setting_kind kind, uint64_t guid, uint8_t number, const char *value)
{
    const struct setting s = make(kind, guid, number, value, strlen(value));
    assert_true(settings_change(&g, &s, 1, "the master", &err));
}

static void check_name(uint64_t guid, const char *expected)
{
    struct names *names = topology_names(g.parts.topology);
    const char *name = names_find(names, guid);
    assert_string_equal(name ? name : "", expected);
    names_unref(names);
}

// The text of the last event.
static void check_told(const char *expected)
{
    struct journal_item item;
    assert_int_equal(journal_read_back(g.parts.journal, INT64_MAX, &item, 1), 1);
    assert_string_equal(item.event->text, expected);
    assert_ptr_equal(item.event->type, catalogue_get(CATALOGUE_SETTING_CHANGED));
    event_unref(item.event);
}

TEST(a_name_holds_at_once_and_after_a_restart)
{
    check_name(LEAF, "leaf12");
    set(SETTING_SWITCH_NAME, LEAF, 0, "spine7");
    check_name(LEAF, "spine7");
    check_told("A setting of spine7 was changed by SNMP: gswSwitchName from nothing to \"spine7\", "
               "by the master.");
    stop();
    start();
    check_name(LEAF, "spine7");
    set(SETTING_SWITCH_NAME, LEAF, 0, "");
    check_name(LEAF, "leaf12");
    check_told("A setting of leaf12 was changed by SNMP: gswSwitchName from \"spine7\" to nothing, "
               "by the master.");
}

TEST(other_names_of_the_map_leave_what_was_set)
{
    struct names *old = g.map;
    set(SETTING_SWITCH_NAME, SPINE, 0, "spine7");
    g.map = names_parse("map", "0x0002c90300001234 leaf13", 25, &err);
    settings_apply(&g);
    names_unref(old);
    check_name(LEAF, "leaf13");
    check_name(SPINE, "spine7");
}

TEST(levels_hold_at_once)
{
    const struct setting level = make(SETTING_EVENT_TRAP_LEVEL, LEAF, 0, "\4", 1);
    struct journal_item item;
    assert_int_equal(settings_trap_level(&g, LEAF), EVENT_LEVEL_WARNING);
    assert_true(settings_change(&g, &level, 1, "the master", &err));
    assert_int_equal(settings_trap_level(&g, LEAF), EVENT_LEVEL_INFORMATIONAL);
    assert_int_equal(settings_trap_level(&g, SPINE), EVENT_LEVEL_WARNING);
    assert_int_equal(journal_read_back(g.parts.journal, INT64_MAX, &item, 1), 1);
    assert_true(item.event->event_trap); // the setting applies to its own event
    event_unref(item.event);
    check_told("A setting of leaf12 was changed by SNMP: gswEventTrapLevel from nothing to "
               "informational, by the master.");
    set(SETTING_SAN_NAME, SPINE, 0, "san");
    assert_int_equal(journal_read_back(g.parts.journal, INT64_MAX, &item, 1), 1);
    assert_false(item.event->event_trap);
    event_unref(item.event);
}

TEST(long_values_are_cut_in_the_sentence)
{
    char name[SETTING_VALUE_MAX + 1] = "", shown[65] = "", expected[400];
    memset(name, 'n', SETTING_VALUE_MAX);
    memset(shown, 'n', sizeof shown - 1);
    set(SETTING_FABRIC_NAME, LEAF, 0, name);
    snprintf(expected, sizeof expected,
             "A setting of leaf12 was changed by SNMP: gswSwitchFabricName "
             "from nothing to \"%s...\", by the master.",
             shown);
    check_told(expected);
}

TEST(a_community_is_never_told)
{
    set(SETTING_COMMUNITY, LEAF, 3, "sesame");
    check_told("A setting of leaf12 was changed by SNMP: gswAgtCmtyStr of row 3, by the master.");
    int64_t last = journal_last(g.parts.journal);
    set(SETTING_COMMUNITY, LEAF, 3, "sesame"); // no change
    assert_int_equal(journal_last(g.parts.journal), last);
    set(SETTING_COMMUNITY, LEAF, 3, "open");
    check_told("A setting of leaf12 was changed by SNMP: gswAgtCmtyStr of row 3, by the master.");
}

static void check_receivers(size_t n, const char *last)
{
    assert_int_equal(event_base_loop(loop_base(g.loop), EVLOOP_NONBLOCK), 0);
    assert_int_equal(g.parts.receiver_count, n);
    if (n > 0)
        assert_string_equal(receiver_sink(g.receivers[n - 1])->name, last);
}

static int64_t cursor_of(const char *name)
{
    return journal_cursor(g.parts.journal, journal_receiver(g.parts.journal, name));
}

TEST(recipients_begin_and_end)
{
    static const uint8_t ADDRESS[] = {127, 0, 0, 1};
    const struct setting nobody = make(SETTING_TRAP_RECIPIENT, LEAF, 1, "", 0),
                         somebody = make(SETTING_TRAP_RECIPIENT, LEAF, 1, ADDRESS, 4);
    set(SETTING_COMMUNITY, LEAF, 1, "public");
    check_receivers(0, NULL);
    assert_true(settings_change(&g, &somebody, 1, "the master", &err));
    check_receivers(1, "recipient-127.0.0.1-5f10");
    check_told("A setting of leaf12 was changed by SNMP: gswAgtTrapRcp of row 1 from nothing to "
               "127.0.0.1, by the master.");
    stop();
    start();
    check_receivers(1, "recipient-127.0.0.1-5f10");
    assert_true(settings_change(&g, &nobody, 1, "the master", &err));
    check_receivers(0, NULL);
    set(SETTING_SAN_NAME, SPINE, 0, "san");
    assert_int_equal(cursor_of("recipient-127.0.0.1-5f10"), journal_last(g.parts.journal)); // new
}

// Before the main thread processes the first change.
TEST(a_recipient_that_goes_and_comes_works)
{
    static const uint8_t ADDRESS[] = {127, 0, 0, 1};
    const struct setting nobody = make(SETTING_TRAP_RECIPIENT, LEAF, 1, "", 0),
                         somebody = make(SETTING_TRAP_RECIPIENT, LEAF, 1, ADDRESS, 4);
    struct receiver_status status;
    set(SETTING_COMMUNITY, LEAF, 1, "public");
    assert_true(settings_change(&g, &somebody, 1, "the master", &err));
    check_receivers(1, "recipient-127.0.0.1-5f10");
    assert_true(settings_change(&g, &nobody, 1, "the master", &err));
    receiver_get_status(g.receivers[0], &status);
    assert_true(status.paused); // the receiver gets no further event
    assert_true(settings_change(&g, &somebody, 1, "the master", &err));
    check_receivers(1, "recipient-127.0.0.1-5f10");
    receiver_get_status(g.receivers[0], &status);
    assert_false(status.paused);
}

static void note_recipient(void *ctx, const struct journal_receiver_state *state)
{
    size_t *count = ctx;
    *count += trap_recipients_are_named(state->name);
}

// A recipient that was set and cleared before it ran, or cleared just before a kill, has a cursor.
TEST(a_recipient_that_never_ran_leaves_nothing_behind)
{
    static const uint8_t ADDRESS[] = {127, 0, 0, 1};
    const struct setting nobody = make(SETTING_TRAP_RECIPIENT, LEAF, 1, "", 0),
                         somebody = make(SETTING_TRAP_RECIPIENT, LEAF, 1, ADDRESS, 4);
    size_t count = 0;
    set(SETTING_COMMUNITY, LEAF, 1, "public");
    assert_true(settings_change(&g, &somebody, 1, "the master", &err));
    journal_each_receiver(g.parts.journal, note_recipient, &count);
    assert_int_equal(count, 1);
    set(SETTING_SAN_NAME, SPINE, 0, "waits");
    assert_true(settings_change(&g, &nobody, 1, "the master", &err));
    check_receivers(0, NULL);
    count = 0;
    journal_each_receiver(g.parts.journal, note_recipient, &count);
    assert_int_equal(count, 0);
}

// Two trap recipients at one address.
TEST(a_recipient_that_goes_leaves_the_other_alone)
{
    static const uint8_t ADDRESS[] = {127, 0, 0, 1};
    const struct setting both[] = {make(SETTING_COMMUNITY, LEAF, 1, "public", 6),
                                   make(SETTING_TRAP_RECIPIENT, LEAF, 1, ADDRESS, 4),
                                   make(SETTING_COMMUNITY, LEAF, 2, "secret", 6),
                                   make(SETTING_TRAP_RECIPIENT, LEAF, 2, ADDRESS, 4)};
    assert_true(settings_change(&g, both, COUNT(both), "the master", &err));
    check_receivers(2, "recipient-127.0.0.1-0f6d");
    const struct receiver *other = g.receivers[1];
    set(SETTING_TRAP_RECIPIENT, LEAF, 1, "");
    check_receivers(1, "recipient-127.0.0.1-0f6d");
    assert_ptr_equal(g.receivers[0], other); // the same receiver, not started again
}

TEST(without_room_nothing_is_changed)
{
    struct setting all[2 * (TRAP_RECIPIENTS_MAX + 1)];
    for (uint8_t i = 0; i <= TRAP_RECIPIENTS_MAX; i++) {
        const char address[] = {127, 0, 0, (char)(i + 1)};
        all[2 * i] = make(SETTING_COMMUNITY, i + 1U, 1, "public", 6);
        all[2 * i + 1] = make(SETTING_TRAP_RECIPIENT, i + 1U, 1, address, sizeof address);
    }
    int64_t last = journal_last(g.parts.journal);
    assert_false(settings_change(&g, all, COUNT(all), "the master", &err));
    assert_string_equal(err.text, "there are more than 64 trap recipients");
    struct settings *settings = journal_settings(g.parts.journal);
    assert_int_equal(settings_count(settings), 0);
    settings_unref(settings);
    assert_int_equal(journal_last(g.parts.journal), last);
}

#define SETTINGS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SETTINGS_TEST(a_name_holds_at_once_and_after_a_restart),
        SETTINGS_TEST(other_names_of_the_map_leave_what_was_set),
        SETTINGS_TEST(levels_hold_at_once),
        SETTINGS_TEST(long_values_are_cut_in_the_sentence),
        SETTINGS_TEST(a_community_is_never_told),
        SETTINGS_TEST(recipients_begin_and_end),
        SETTINGS_TEST(a_recipient_that_goes_and_comes_works),
        SETTINGS_TEST(a_recipient_that_never_ran_leaves_nothing_behind),
        SETTINGS_TEST(a_recipient_that_goes_leaves_the_other_alone),
        SETTINGS_TEST(without_room_nothing_is_changed),
    };
    const char *state = scratch_make();
    struct log *log = support_log(NULL);
    snmp_begin(state, &random_system, log);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snmp_end();
    log_close(log);
    scratch_remove(state);
    return failed;
}
