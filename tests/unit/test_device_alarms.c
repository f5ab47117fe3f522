// SPDX-License-Identifier: BSD-2-Clause
// What devices tell of their modules becomes events, by limits of the modules' own.
#include "pipeline_fixture.h"

#include "base/wire.h"
#include "topology/devices.h"
#include "topology/link_history.h"

#include <stdlib.h>

enum { LEFT = PAIR_LEFT, RIGHT = PAIR_RIGHT };
#define LEFT_PORT "port 0x0000000000000010/1"
static const int64_t MINUTE = 60 * CLOCK_US_PER_S;

static struct devices *devices;
static struct link_history *history;

static struct pipeline_options make_options(void)
{
    const struct link_history_limits links = {3, 30 * 86400 * CLOCK_US_PER_S};
    devices = devices_new();
    history = link_history_new(&links);
    struct pipeline_options options = parts_options();
    options.correlator.devices = devices;
    options.link_history = history;
    return options;
}

static int begin(void **state)
{
    (void)state;
    parts_begin(NULL);
    struct pipeline_options options = make_options();
    pair_begin(&options);
    return 0;
}

static void restart(void)
{
    stop_pipeline();
    devices_free(devices);
    link_history_free(history);
    reopen_journal();
    restore_topology();
    const struct pipeline_options options = make_options();
    start_pipeline(&options);
    pair_sweep();
}

static int end(void **state)
{
    (void)state;
    pair_end();
    devices_free(devices);
    link_history_free(history);
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

static const struct module EMPTY = {.serial = "", .kind = 4};

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
static char last_module[4 * EVENT_MODULE_TEXT_SIZE]; // vendor, part, serial number, the former one

// How many events of the type receivers got; keeps the text of the newest one.
static unsigned count_told(enum catalogue_event type)
{
    unsigned count = 0;
    last_text[0] = '\0';
    for (int64_t number = journal_last(journal); number > 0; number--) {
        struct event *event = journal_find(journal, number);
        if (event->type == catalogue_get(type) && event->suppressed[0] == '\0' && count++ == 0) {
            snprintf(last_text, sizeof last_text, "%s", event->text);
            snprintf(last_module, sizeof last_module, "%s,%s,%s,%s", event->module_vendor,
                     event->module_part, event->module_serial, event->former_serial);
        }
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
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, count_key, found);
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
    generated_unlink(&pair, 0, 1);
    pair_sweep();
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
    struct module m = GOOD;
    tell(RIGHT, 3, &m);
    tell(RIGHT, 3, &EMPTY); // its link is up: link-down tells
    assert_int_equal(count_told(CATALOGUE_MODULE_REMOVED), 0);
    tell(RIGHT, 1, &m);
    tell(RIGHT, 1, &EMPTY);
    check_told(CATALOGUE_MODULE_REMOVED, 1,
               "The cable or module in port 1 of right (LID 2) was taken out: NVIDIA MCP4Y10-N001, "
               "serial number MT1; its link was down before.");
    assert_string_equal(last_module, "NVIDIA,MCP4Y10-N001,MT1,");
    tell(RIGHT, 1, &EMPTY);
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
    assert_string_equal(last_module, "NVIDIA,MCP4Y10-N001,MT7,MT1");
    tell(RIGHT, 2, &m);
    assert_int_equal(count_told(CATALOGUE_CABLE_REPLACED), 1);
    m.serial = "MT8"; // modules have numbers of their own
    tell(RIGHT, 2, &m);
    assert_int_equal(count_told(CATALOGUE_CABLE_REPLACED), 2);
}

TEST(a_cable_that_is_exchanged_while_the_port_is_empty_is_told)
{
    struct module m = GOOD;
    tell(LEFT, 1, &m);
    tell(LEFT, 1, &EMPTY);
    tell(LEFT, 1, &m);
    assert_int_equal(count_told(CATALOGUE_CABLE_REPLACED), 0);
    tell(LEFT, 1, &EMPTY);
    m.serial = "MT7";
    tell(LEFT, 1, &m);
    check_told(CATALOGUE_CABLE_REPLACED, 1,
               "The cable or module in port 1 of left (LID 1) to port 2 of right (LID 2) was "
               "replaced: NVIDIA MCP4Y10-N001, serial number MT7 instead of serial number MT1.");
    assert_string_equal(last_module, "NVIDIA,MCP4Y10-N001,MT7,MT1");
}

static void let_it_fail(void)
{
    generated_unlink(&pair, 0, 1);
    pair_sweep();
    generated_link(&pair, 0, 1, 1, 2);
    pair_sweep();
    pass_time(2 * LINK_HISTORY_OCCASION_US);
    const uint64_t before = pipeline_progress(pipeline); // links are judged after a step's items
    for (int i = 0; i < 1000000 && pipeline_progress(pipeline) < before + 2; i++)
        pass_time(0);
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
    generated_remove(&pair, 1);
    pair_sweep();
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

// The board of a switch.

static uint8_t board[DEVICE_READING_OCTETS];

static void tell_board(uint64_t guid, enum register_page page)
{
    struct device_readings *list = device_readings_new(1);
    device_readings_ask(list, guid, 0, page);
    memcpy(list->all[0].octets, board, sizeof board);
    list->all[0].answered = true;
    list->ends_round = true;
    list->time_us = clock_utc(&clock_);
    pipeline_put_registers(pipeline, list);
    pass_time(5 * MINUTE);
    memset(board, 0, sizeof board);
}

static void tell_heat(int eighths, int high, int low)
{
    wire_put(board + 6, 2, (uint16_t)(int16_t)eighths);
    wire_put(board + 0xE, 2, (uint16_t)high);
    wire_put(board + 0x12, 2, (uint16_t)low);
    tell_board(LEFT, REGISTER_TEMPERATURE);
}

TEST(a_switch_is_hot_between_its_two_thresholds)
{
    tell_heat(104 * 8, 105 * 8, 95 * 8);
    check_told(CATALOGUE_TEMPERATURE_HIGH, 0, NULL);
    tell_heat(105 * 8 + 4, 105 * 8, 95 * 8);
    check_told(CATALOGUE_TEMPERATURE_HIGH, 1,
               "Switch left (LID 1) is too hot: its ASIC has 105.5 degrees; its limit is 105.0.");
    tell_heat(96 * 8, 105 * 8, 95 * 8);
    assert_true(is_raised("temperature-high node 0x0000000000000010"));
    tell_heat(94 * 8, 105 * 8, 95 * 8);
    check_told(
        CATALOGUE_HARDWARE_GOOD, 1,
        "The hardware of left (LID 1) is in order again: its ASIC has 94.0 degrees; its limit "
        "is 105.0.");
}

TEST(a_switch_without_sensors_or_thresholds_is_not_hot)
{
    tell_heat(0, 0, 0);
    tell_heat(INT16_MIN, 0x8000, 0x8000);
    tell_heat(200 * 8, 0, 0);
    memset(board, 0xFF, sizeof board); // 127 sensors, all of which were never in order
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    assert_int_equal(count_told(CATALOGUE_TEMPERATURE_HIGH), 0);
}

TEST(a_sensor_that_was_in_order_is_above_its_threshold)
{
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    board[15] = 0x8; // sensor 3
    board[0] = 0x80; // 127: of a module
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    check_told(CATALOGUE_TEMPERATURE_HIGH, 1,
               "Switch left (LID 1) is too hot: sensor 3 is out of its range.");
    tell_heat(60 * 8, 105 * 8, 95 * 8); // the ASIC is not
    assert_true(is_raised("temperature-high node 0x0000000000000010"));
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    assert_false(is_raised("temperature-high node 0x0000000000000010"));
}

static void tell_fans(unsigned under, unsigned over)
{
    wire_put(board, 2, under);
    wire_put(board + 4, 2, over);
    tell_board(LEFT, REGISTER_FANS_OUT);
}

TEST(a_fan_that_ran_fails)
{
    tell_fans(0x8000, 0); // no such fan
    check_told(CATALOGUE_FAN_FAILED, 0, NULL);
    tell_fans(0x8002, 0);
    check_told(CATALOGUE_FAN_FAILED, 1,
               "A fan of switch left (LID 1) failed: fan 1 is out of its range.");
    tell_fans(0x8002, 4);
    assert_int_equal(count_told(CATALOGUE_FAN_FAILED), 1); // the alarm has the second fan
    struct event *last = journal_find(journal, journal_last(journal));
    assert_string_equal(last->reason, "fans 1 2 are out of their range");
    event_unref(last);
    tell_fans(0x8000, 0);
    assert_false(is_raised("fan-failed node 0x0000000000000010"));
}

static void tell_supplies(uint32_t first, uint32_t first_fan, uint32_t second)
{
    wire_put(board, 4, first);
    wire_put(board + 4, 4, first_fan);
    wire_put(board + 80, 4, second);
    wire_put(board + 84, 4, 2);
    tell_board(LEFT, REGISTER_SUPPLIES);
}

TEST(a_power_supply_that_was_good_fails)
{
    enum { GOOD_ONE = 0x50000010, NO_POWER = 0x50000000 };
    tell_supplies(GOOD_ONE, 2, NO_POWER); // the second one was never good
    check_told(CATALOGUE_POWER_SUPPLY_FAILED, 0, NULL);
    tell_supplies(GOOD_ONE, 3, GOOD_ONE); // and the fan of the first one stops
    check_told(CATALOGUE_POWER_SUPPLY_FAILED, 1,
               "A power supply of switch left (LID 1) failed: power supply 1 has a fan that does "
               "not run.");
    tell_supplies(GOOD_ONE, 2, GOOD_ONE);
    assert_false(is_raised("power-supply-failed node 0x0000000000000010"));
    tell_supplies(NO_POWER, 2, 0);
    check_told(CATALOGUE_POWER_SUPPLY_FAILED, 2,
               "A power supply of switch left (LID 1) failed: power supply 1 gives no power; power "
               "supply 2 is not there any more.");
}

static void tell_firmware(uint64_t guid, const char *psid, unsigned minor, unsigned uptime)
{
    wire_put(board + 0x1C, 4, uptime);
    memcpy(board + 0x30, psid, strlen(psid));
    wire_put(board + 0x44, 4, 27);
    wire_put(board + 0x48, 4, minor);
    tell_board(guid, REGISTER_FIRMWARE);
}

TEST(a_switch_restarted)
{
    tell_firmware(LEFT, "MT_1", 2010, 5000);
    tell_firmware(LEFT, "MT_1", 2010, 5300);
    check_told(CATALOGUE_SWITCH_RESTARTED, 0, NULL);
    tell_firmware(LEFT, "MT_1", 2010, 100);
    check_told(CATALOGUE_SWITCH_RESTARTED, 1,
               "Switch left (LID 1) restarted: it has been up for 100 seconds, at the last reading "
               "for 5300.");
}

TEST(firmware_differs_from_that_of_the_most_with_the_same_psid)
{
    generated_add(&pair, FABRIC_SWITCH, 0x30, "third", 3);
    generated_add(&pair, FABRIC_SWITCH, 0x40, "fourth", 3);
    generated_link(&pair, 0, 3, 2, 1);
    generated_link(&pair, 1, 1, 3, 1);
    pair_sweep();
    tell_firmware(LEFT, "MT_1", 2008, 1);
    tell_firmware(RIGHT, "MT_1", 2010, 1); // one each: nobody knows the right one
    check_told(CATALOGUE_FIRMWARE_DIFFERS, 0, NULL);
    tell_firmware(0x40, "MT_2", 2008, 1); // of another kind
    check_told(CATALOGUE_FIRMWARE_DIFFERS, 0, NULL);
    tell_firmware(0x30, "MT_1", 2010, 1);
    check_told(CATALOGUE_FIRMWARE_DIFFERS, 1,
               "Switch left (LID 1) has another firmware than the most of its kind: 27.2008.0000, "
               "where 2 of 3 switches with PSID MT_1 have 27.2010.0000.");
    tell_firmware(LEFT, "MT_1", 2010, 1);
    assert_false(is_raised("firmware-differs node 0x0000000000000010"));
}

TEST(a_cable_that_is_replaced_while_the_gateway_is_off_is_told_once)
{
    struct module m = GOOD;
    tell(LEFT, 1, &m);
    tell(RIGHT, 2, &m);
    restart();
    tell(LEFT, 1, &m);
    assert_int_equal(count_told(CATALOGUE_CABLE_REPLACED), 0);
    restart();
    m.serial = "MT7";
    tell(LEFT, 1, &m);
    tell(RIGHT, 2, &m);
    check_told(CATALOGUE_CABLE_REPLACED, 1,
               "The cable or module in port 1 of left (LID 1) to port 2 of right (LID 2) was "
               "replaced: NVIDIA MCP4Y10-N001, serial number MT7 instead of serial number MT1.");
    restart();
    tell(LEFT, 1, &m);
    assert_int_equal(count_told(CATALOGUE_CABLE_REPLACED), 1);
}

TEST(a_restart_knows_what_was_good)
{
    tell_fans(0x8000, 0);
    tell_fans(0x8002, 0);
    restart();
    tell_fans(0x8002, 0);
    assert_true(is_raised("fan-failed node 0x0000000000000010"));
    assert_int_equal(count_told(CATALOGUE_HARDWARE_GOOD), 0);
    assert_int_equal(count_told(CATALOGUE_FAN_FAILED), 1);
    restart();
    tell_fans(0x8000, 0);
    assert_false(is_raised("fan-failed node 0x0000000000000010"));
    restart();
    tell_fans(0x8001, 0); // failed while the gateway was off
    assert_int_equal(count_told(CATALOGUE_FAN_FAILED), 2);
}

TEST(a_restart_does_not_end_the_heat_of_a_sensor)
{
    tell_heat(60 * 8, 105 * 8, 95 * 8);
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    board[15] = 0x8;
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    restart();
    tell_heat(60 * 8, 105 * 8, 95 * 8);
    assert_true(is_raised("temperature-high node 0x0000000000000010"));
    board[15] = 0x8;
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    assert_true(is_raised("temperature-high node 0x0000000000000010"));
    tell_board(LEFT, REGISTER_WARM_SENSORS);
    assert_false(is_raised("temperature-high node 0x0000000000000010"));
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
        HERE(a_cable_that_is_exchanged_while_the_port_is_empty_is_told),
        HERE(a_cable_that_is_replaced_while_the_gateway_is_off_is_told_once),
        HERE(a_restart_knows_what_was_good),
        HERE(a_restart_does_not_end_the_heat_of_a_sensor),
        HERE(a_link_with_another_cable_begins_anew),
        HERE(an_alarm_of_a_switch_that_left_ends),
        HERE(a_switch_is_hot_between_its_two_thresholds),
        HERE(a_switch_without_sensors_or_thresholds_is_not_hot),
        HERE(a_sensor_that_was_in_order_is_above_its_threshold),
        HERE(a_fan_that_ran_fails),
        HERE(a_power_supply_that_was_good_fails),
        HERE(a_switch_restarted),
        HERE(firmware_differs_from_that_of_the_most_with_the_same_psid),
        HERE(readings_of_unknown_ports_and_devices_are_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
