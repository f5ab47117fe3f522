// SPDX-License-Identifier: BSD-2-Clause
// What devices tell of their modules becomes events, by limits of the modules' own.
#include "generated.h"
#include "pipeline_fixture.h"

#include "base/wire.h"
#include "topology/devices.h"
#include "topology/link_history.h"

#include <stdlib.h>

enum { LEFT = 0x10, RIGHT = 0x20 };
#define LEFT_PORT "port 0x0000000000000010/1"
static const int64_t MINUTE = 60 * CLOCK_US_PER_S;

static struct counter_watch *watch;
static struct devices *devices;
static struct link_history *history;
static struct generated net; // LEFT's port 1 and RIGHT's port 2 are linked

static enum pipeline_role always(void *ctx, const struct fabric *fabric)
{
    (void)ctx, (void)fabric;
    return PIPELINE_ACTIVE;
}

static void sweep(void)
{
    pipeline_put_fabric(pipeline, generated_look(&net, 0));
    pass_time(MINUTE);
}

static int begin(void **state)
{
    (void)state;
    const struct counter_watch_limits limits = {0};
    const struct link_history_limits links = {3, 30 * 86400 * CLOCK_US_PER_S};
    parts_begin(NULL);
    generated_add(&net, FABRIC_SWITCH, LEFT, "left", 3);
    generated_add(&net, FABRIC_SWITCH, RIGHT, "right", 3);
    generated_link(&net, 0, 1, 1, 2);
    generated_link(&net, 0, 2, 1, 3);
    watch = counter_watch_new(&limits);
    devices = devices_new();
    history = link_history_new(&links);
    struct pipeline_options options = parts_options();
    options.correlator.watch = watch;
    options.correlator.devices = devices;
    options.link_history = history;
    options.role = always;
    start_pipeline(&options);
    sweep();
    return 0;
}

static int end(void **state)
{
    (void)state;
    stop_pipeline();
    counter_watch_free(watch);
    devices_free(devices);
    link_history_free(history);
    parts_end();
    generated_clear(&net);
    net = (struct generated){0};
    return 0;
}

// A module's page, by the test's own places in the register.
struct module {
    const char *serial;
    double degrees, limit;
    unsigned kind, fault, measures;
    unsigned rx[4], rx_low, tx[4], tx_low;
};

static const struct module GOOD = {"MT1", 40, 75, 2, 0, 0x1F, {900, 900}, 100, {800, 800}, 200};

static void put_module(uint8_t *octets, const struct module *m)
{
    const unsigned data = 8;
    wire_put(octets + 4, 4, 3U | 1U << 29);
    wire_put(octets + data + 0x04, 4, (uint32_t)m->kind << 28);
    memcpy(octets + data + 0x14, "NVIDIA          MCP4Y10-N001    ", 32);
    memcpy(octets + data + 0x3C, m->serial, strlen(m->serial));
    wire_put(octets + data + 0x4C, 2, (uint16_t)(int16_t)(m->degrees * 256));
    wire_put(octets + data + 0x80, 2, (uint16_t)(int16_t)(m->limit * 256));
    for (unsigned i = 0; i < 4; i++) {
        wire_put(octets + data + 0x50 + 2 * i, 2, m->rx[i]);
        wire_put(octets + data + 0x60 + 2 * i, 2, m->tx[i]);
    }
    wire_put(octets + data + 0x8A, 2, m->rx_low);
    wire_put(octets + data + 0x8E, 2, m->tx_low);
    wire_put(octets + data + 0x94, 4, (m->fault ? 5U : 3U) << 29);
    octets[data + 0x9E] = (uint8_t)m->measures;
}

static void tell(uint64_t guid, uint8_t port, const struct module *m)
{
    struct device_readings *list = device_readings_new(1);
    device_readings_ask(list, guid, port, REGISTER_MODULE);
    put_module(list->all[0].octets, m);
    list->all[0].answered = true;
    list->ends_round = true;
    list->time_us = clock_utc(&clock_);
    pipeline_put_registers(pipeline, list);
    pass_time(5 * MINUTE);
}

static void tell_left(struct module m)
{
    tell(LEFT, 1, &m);
}

static char last_text[EVENT_TEXT_SIZE];

// How many events of the type receivers got; keeps the text of the newest one.
static unsigned count_told(enum catalogue_event type)
{
    unsigned count = 0;
    last_text[0] = '\0';
    for (int64_t number = journal_last(journal); number > 0; number--) {
        struct event *event = journal_find(journal, number);
        if (event->type == catalogue_get(type) && event->suppressed[0] == '\0' && count++ == 0)
            snprintf(last_text, sizeof last_text, "%s", event->text);
        event_unref(event);
    }
    return count;
}

static void check_told(enum catalogue_event type, unsigned times, const char *sentence)
{
    assert_int_equal(count_told(type), times);
    if (times > 0)
        assert_string_equal(last_text, sentence);
}

static void count_key(void *ctx, const struct alarm *alarm)
{
    const char **key = ctx;
    if (strcmp(alarm->key, key[0]) == 0)
        key[1] = alarm->key;
}

static bool is_raised(const char *key)
{
    const char *found[2] = {key, NULL};
    journal_each_alarm(journal, count_key, found);
    return found[1] != NULL;
}

TEST(a_module_is_hot_by_its_own_limit_until_it_is_five_degrees_cooler)
{
    struct module m = GOOD;
    for (m.degrees = 48; m.degrees < 75; m.degrees += 9)
        tell_left(m);
    check_told(CATALOGUE_MODULE_HOT, 0, NULL);
    m.degrees = 75;
    tell_left(m);
    check_told(CATALOGUE_MODULE_HOT, 1,
               "The module in port 1 of left (LID 1) to port 2 of right (LID 2) is too hot: it has "
               "75.0 degrees; its limit is 75.0.");
    assert_true(is_raised("module-hot " LEFT_PORT));
    m.degrees = 70.5;
    tell_left(m);
    assert_true(is_raised("module-hot " LEFT_PORT));
    m.degrees = 69.5;
    tell_left(m);
    check_told(CATALOGUE_HARDWARE_GOOD, 1,
               "The hardware of port 1 of left (LID 1) is in order again: it has 69.5 degrees; its "
               "limit is 75.0.");
    assert_false(is_raised("module-hot " LEFT_PORT));
}

TEST(a_module_that_warms_up_fast_is_told_once)
{
    struct module m = GOOD;
    tell_left(m);
    m.degrees += 12;
    tell_left(m);
    check_told(CATALOGUE_MODULE_HOT, 1,
               "The module in port 1 of left (LID 1) to port 2 of right (LID 2) is too hot: it has "
               "52.0 degrees, 12.0 more than at the last reading; its limit is 75.0.");
    tell_left(m);
    assert_false(is_raised("module-hot " LEFT_PORT));
    m.degrees += 12;
    m.serial = "MT2"; // another module
    tell_left(m);
    assert_int_equal(count_told(CATALOGUE_MODULE_HOT), 1);
}

TEST(a_module_that_measures_nothing_is_not_hot)
{
    struct module m = GOOD;
    const double nothing[] = {0, -128}; // 0x8000
    for (size_t i = 0; i < COUNT(nothing); i++) {
        m.degrees = nothing[i];
        tell_left(m);
        m.limit = nothing[i];
        m.degrees = 90;
        tell_left(m);
        m.limit = 75;
    }
    assert_int_equal(count_told(CATALOGUE_MODULE_HOT), 0);
}

TEST(an_alarm_of_a_module_ends_with_the_module)
{
    struct module m = GOOD;
    m.degrees = 80;
    tell_left(m);
    m.kind = 4;
    tell_left(m);
    check_told(CATALOGUE_HARDWARE_GOOD, 1,
               "The hardware of port 1 of left (LID 1) is in order again: the module was taken "
               "out.");
}

TEST(a_lane_that_had_light_has_too_little)
{
    struct module m = GOOD;
    tell_left(m);
    m.rx[1] = 50;
    tell_left(m);
    check_told(CATALOGUE_MODULE_POWER_LOW, 1,
               "The module in port 1 of left (LID 1) to port 2 of right (LID 2) has too little "
               "light: lane 2 receives 0.050 mW, less than the limit of 0.100 mW.");
    m.rx[1] = 900;
    m.tx[0] = 10;
    tell_left(m);
    assert_true(is_raised("module-power-low " LEFT_PORT));
    tell_left(GOOD);
    assert_false(is_raised("module-power-low " LEFT_PORT));
}

TEST(lanes_that_are_not_in_use_are_dark)
{
    tell_left(GOOD); // lanes 3 and 4 have no light
    assert_int_equal(count_told(CATALOGUE_MODULE_POWER_LOW), 0);
}

TEST(without_a_link_the_other_end_may_be_dark)
{
    struct module m = GOOD;
    tell_left(m);
    generated_unlink(&net, 0, 1);
    sweep();
    m.rx[0] = m.rx[1] = 0;
    tell_left(m);
    assert_int_equal(count_told(CATALOGUE_MODULE_POWER_LOW), 0);
}

TEST(a_module_that_measures_no_light_has_no_alarm_about_it)
{
    struct module m = GOOD;
    tell_left(m);
    m.measures = 0;
    m.rx[0] = m.tx[0] = 0;
    tell_left(m);
    assert_int_equal(count_told(CATALOGUE_MODULE_POWER_LOW), 0);
}

TEST(a_module_has_a_fault)
{
    struct module m = GOOD;
    m.fault = 1;
    tell_left(m);
    check_told(
        CATALOGUE_MODULE_FAULT, 1,
        "The module in port 1 of left (LID 1) to port 2 of right (LID 2) has a fault: NVIDIA "
        "MCP4Y10-N001, serial number MT1.");
    tell_left(GOOD);
    assert_false(is_raised("module-fault " LEFT_PORT));
}

TEST(a_module_that_is_taken_out_is_told_if_its_link_was_down)
{
    struct module m = GOOD, none = {.serial = "", .kind = 4};
    tell(RIGHT, 3, &m);
    tell(RIGHT, 3, &none); // its link is up: link-down tells
    assert_int_equal(count_told(CATALOGUE_MODULE_REMOVED), 0);
    tell(RIGHT, 1, &m);
    tell(RIGHT, 1, &none);
    check_told(CATALOGUE_MODULE_REMOVED, 1,
               "The cable or module in port 1 of right (LID 2) was taken out: NVIDIA MCP4Y10-N001, "
               "serial number MT1; its link was down before.");
    tell(RIGHT, 1, &none);
    assert_int_equal(count_told(CATALOGUE_MODULE_REMOVED), 1);
}

TEST(a_cable_that_is_replaced_is_told_once)
{
    struct module m = GOOD;
    tell(LEFT, 1, &m);
    tell(RIGHT, 2, &m);
    m.serial = "MT7";
    tell(LEFT, 1, &m);
    check_told(CATALOGUE_CABLE_REPLACED, 1,
               "The cable or module in port 1 of left (LID 1) to port 2 of right (LID 2) was "
               "replaced: NVIDIA MCP4Y10-N001, serial number MT7 instead of NVIDIA MCP4Y10-N001, "
               "serial number MT1.");
    tell(RIGHT, 2, &m);
    assert_int_equal(count_told(CATALOGUE_CABLE_REPLACED), 1);
    m.serial = "MT8"; // modules have numbers of their own
    tell(RIGHT, 2, &m);
    assert_int_equal(count_told(CATALOGUE_CABLE_REPLACED), 2);
}

static void let_it_fail(void)
{
    generated_unlink(&net, 0, 1);
    sweep();
    generated_link(&net, 0, 1, 1, 2);
    sweep();
    pass_time(2 * LINK_HISTORY_OCCASION_US);
}

TEST(a_link_with_another_cable_begins_anew)
{
    static const char KEY[] = "unreliable link 0x0000000000000010/1-0x0000000000000020/2";
    struct module m = GOOD;
    tell_left(m);
    for (int i = 0; i < 3; i++)
        let_it_fail();
    assert_true(is_raised(KEY));
    m.serial = "MT9";
    tell_left(m);
    assert_false(is_raised(KEY));
    let_it_fail();
    let_it_fail();
    assert_false(is_raised(KEY));
    m.serial = "MT10"; // while no alarm is raised
    tell_left(m);
    let_it_fail();
    assert_false(is_raised(KEY));
}

TEST(an_alarm_of_a_switch_that_left_ends)
{
    struct module m = GOOD;
    m.degrees = 80;
    tell(RIGHT, 2, &m);
    assert_true(is_raised("module-hot port 0x0000000000000020/2"));
    generated_remove(&net, 1);
    sweep();
    tell_left(GOOD);
    assert_false(is_raised("module-hot port 0x0000000000000020/2"));
}

TEST(readings_of_unknown_ports_and_devices_are_nothing)
{
    struct module m = GOOD;
    m.degrees = 80;
    tell(LEFT, 99, &m);
    tell(0x77, 1, &m);
    assert_int_equal(count_told(CATALOGUE_MODULE_HOT), 0);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(a_module_is_hot_by_its_own_limit_until_it_is_five_degrees_cooler),
        HERE(a_module_that_warms_up_fast_is_told_once),
        HERE(a_module_that_measures_nothing_is_not_hot),
        HERE(an_alarm_of_a_module_ends_with_the_module),
        HERE(a_lane_that_had_light_has_too_little),
        HERE(lanes_that_are_not_in_use_are_dark),
        HERE(without_a_link_the_other_end_may_be_dark),
        HERE(a_module_that_measures_no_light_has_no_alarm_about_it),
        HERE(a_module_has_a_fault),
        HERE(a_module_that_is_taken_out_is_told_if_its_link_was_down),
        HERE(a_cable_that_is_replaced_is_told_once),
        HERE(a_link_with_another_cable_begins_anew),
        HERE(an_alarm_of_a_switch_that_left_ends),
        HERE(readings_of_unknown_ports_and_devices_are_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
