// SPDX-License-Identifier: BSD-2-Clause
// Alarms about port counters that only pipeline, policy and journal together can end: no alarm
// stays for ever, and none that somebody cleared keeps its counter silent.
#include "generated.h"
#include "pipeline_fixture.h"

#include "base/wire.h"
#include "pipeline/correlator.h"

#include <stdio.h>
#include <stdlib.h>

#define MINUTE (60 * CLOCK_US_PER_S)

#define PORT_KEY      "errors SymbolErrorCounter port 0x0000000000000010/1"
#define LINK_KEY      "errors SymbolErrorCounter link 0x0000000000000010/1-0x0000000000000020/2"
#define THRESHOLD_KEY "counter PortXmitDiscards 0x0000000000000020/2"

enum { LEFT = 0x10, RIGHT = 0x20 };

static FILE *log_stream;
static char *log_text;
static size_t log_size;
static struct counter_watch *watch;
static struct devices *devices;
static struct generated net;              // LEFT's port 1 and RIGHT's port 2 are linked
static struct counter_sample left, right; // as the next reading has them

static void start(void)
{
    struct counter_watch_limits limits = {.window_us = {12 * MINUTE, 125 * MINUTE},
                                          .errors_min = 5,
                                          .clear_percent = 50,
                                          .wait_raise = 0.2,
                                          .wait_clear = 0.05,
                                          .growth[COUNTER_XMIT_DISCARDS] = 10};
    limits.per_hour[COUNTER_RCV_ERRORS][ERROR_WINDOW_SHORT] = 60;
    limits.per_hour[COUNTER_SYMBOL_ERROR][ERROR_WINDOW_SHORT] = 60;
    limits.per_hour[COUNTER_SYMBOL_ERROR][ERROR_WINDOW_LONG] = 30;
    watch = counter_watch_new(&limits);
    assert_non_null(watch);
    struct pipeline_options options = parts_options();
    options.correlator.watch = watch;
    options.correlator.devices = devices = devices_new();
    start_pipeline(&options);
}

static void stop(void)
{
    stop_pipeline();
    devices_free(devices);
    counter_watch_free(watch);
}

static void restart(void)
{
    stop();
    renew_topology();
    start();
}

static int begin(void **state)
{
    (void)state;
    log_stream = open_memstream(&log_text, &log_size);
    assert_non_null(log_stream);
    parts_begin(log_stream);
    generated_add(&net, FABRIC_SWITCH, LEFT, "left", 3);
    generated_add(&net, FABRIC_SWITCH, RIGHT, "right", 3);
    generated_link(&net, 0, 1, 1, 2);
    left = (struct counter_sample){.node_guid = LEFT, .port = 1};
    right = (struct counter_sample){.node_guid = RIGHT, .port = 2};
    start();
    return 0;
}

static int end(void **state)
{
    (void)state;
    stop();
    parts_end();
    fclose(log_stream);
    free(log_text);
    generated_clear(&net);
    net = (struct generated){0};
    return 0;
}

static void sweep(void)
{
    pipeline_put_fabric(pipeline, generated_look(&net, 0));
    pass_time(MINUTE);
}

// A number of readings, a minute apart.
static void read_counters(int times)
{
    for (int i = 0; i < times; i++) {
        struct counter_reading *reading =
            calloc(1, sizeof *reading + 2 * sizeof reading->samples[0]);
        assert_non_null(reading);
        reading->time_us = now.utc;
        reading->samples[reading->count++] = left;
        reading->samples[reading->count++] = right;
        pipeline_put_counters(pipeline, reading);
        pass_time(MINUTE);
    }
}

static void clear_by_hand(void *ctx, const struct pipeline_context *inside)
{
    assert_true(policy_clear_alarm(inside->policy, ctx, "by hand", inside->now_us));
}

static void clear(char *key)
{
    assert_true(pipeline_call(pipeline, clear_by_hand, key));
    assert_false(journal_alarm_is_active(journal, key));
}

static void count_alarm(void *ctx, const struct alarm *alarm)
{
    (void)alarm;
    ++*(size_t *)ctx;
}

static size_t count_alarms(void)
{
    size_t count = 0;
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, count_alarm, &count);
    return count;
}

static void check_last_end(const char *key, const char *reason)
{
    for (int64_t number = journal_last(journal); number > 0; number--) {
        struct event *event = journal_find(journal, number);
        const bool is_end =
            event->type == catalogue_get(CATALOGUE_ALARM_CLEARED) && !strcmp(event->alarm_key, key);
        if (is_end)
            assert_string_equal(event->reason, reason);
        event_unref(event);
        if (is_end)
            return;
    }
    fail_msg("%s was not cleared", key);
}

TEST(errors_that_go_on_after_clearing_raise_the_alarm_again)
{
    char key[] = LINK_KEY;
    sweep();
    read_counters(2);
    left.values[COUNTER_SYMBOL_ERROR] += 100;
    read_counters(1);
    assert_true(journal_alarm_is_active(journal, key));
    clear(key);
    read_counters(3); // what was counted before is told
    assert_int_equal(count_alarms(), 0);
    left.values[COUNTER_SYMBOL_ERROR] += 100;
    read_counters(1);
    assert_true(journal_alarm_is_active(journal, key));
    read_counters(300);
    assert_int_equal(count_alarms(), 0);
}

#define RCV_KEY "errors PortRcvErrors link 0x0000000000000010/1-0x0000000000000020/2"

// A reading in which the right port says why it counts errors.
static void read_with_details(uint16_t malformed)
{
    struct counter_reading *reading =
        calloc(1, sizeof *reading + 2 * sizeof reading->samples[0] + sizeof *reading->details);
    assert_non_null(reading);
    struct error_details *details = (struct error_details *)(void *)&reading->samples[2];
    *details = (struct error_details){.node_guid = RIGHT,
                                      .port = 2,
                                      .counter = COUNTER_RCV_ERRORS,
                                      .known = true,
                                      .counts = {0, malformed}};
    reading->details = details;
    reading->detail_count = 1;
    reading->time_us = now.utc;
    reading->samples[reading->count++] = left;
    reading->samples[reading->count++] = right;
    pipeline_put_counters(pipeline, reading);
}

static void pass_nothing(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx, (void)inside;
    journal_commit(journal);
}

static char *last_text(void)
{
    static char text[EVENT_TEXT_SIZE];
    struct journal_item item = {0};
    assert_true(pipeline_call(pipeline, pass_nothing, NULL));
    text[0] = '\0';
    if (journal_read_back(journal, INT64_MAX, &item, 1) == 1)
        memcpy(text, item.event->text, sizeof text);
    event_unref(item.event);
    return text;
}

TEST(an_alarm_says_why_its_port_counts_errors)
{
    sweep();
    read_counters(2);
    right.values[COUNTER_RCV_ERRORS] += 100;
    read_with_details(100);
    assert_non_null(strstr(last_text(), ". Since its counters were reset, the port has counted 100 "
                                        "malformed packets."));
    assert_true(journal_alarm_is_active(journal, RCV_KEY));
    read_counters(300);
    assert_int_equal(count_alarms(), 0);
}

TEST(an_alarm_is_told_if_its_port_does_not_say_why)
{
    sweep();
    read_counters(2);
    right.values[COUNTER_RCV_ERRORS] += 100;
    read_counters(1);
    assert_null(strstr(last_text(), "Since its counters"));
    assert_true(journal_alarm_is_active(journal, RCV_KEY));
}

TEST(a_threshold_is_reached_again_after_clearing)
{
    char key[] = THRESHOLD_KEY;
    sweep();
    read_counters(2);
    right.values[COUNTER_XMIT_DISCARDS] += 10;
    read_counters(1);
    assert_true(journal_alarm_is_active(journal, key));
    clear(key);
    right.values[COUNTER_XMIT_DISCARDS] += 10;
    read_counters(1);
    assert_true(journal_alarm_is_active(journal, key));
    read_counters(1);
    assert_int_equal(count_alarms(), 0);
}

// The left end counts while nobody knows its neighbour, the right end when it is known.
static void raise_two_of_one_port(void)
{
    read_counters(2);
    left.values[COUNTER_SYMBOL_ERROR] += 100;
    read_counters(1);
    sweep();
    right.values[COUNTER_SYMBOL_ERROR] += 100;
    read_counters(1);
    assert_true(journal_alarm_is_active(journal, PORT_KEY));
    assert_true(journal_alarm_is_active(journal, LINK_KEY));
}

TEST(two_alarms_of_one_port_end_after_a_restart)
{
    raise_two_of_one_port();
    restart();
    sweep();
    read_counters(1);
    assert_int_not_equal(count_alarms(), 0);
    read_counters(300);
    assert_int_equal(count_alarms(), 0);
}

// The port has no link and is not read any more: only the sweep knows that its cable is elsewhere.
TEST(a_threshold_ends_when_its_cable_is_elsewhere)
{
    sweep();
    read_counters(2);
    right.values[COUNTER_XMIT_DISCARDS] += 10;
    read_counters(1);
    assert_true(journal_alarm_is_active(journal, THRESHOLD_KEY));
    generated_unlink(&net, 0, 1);
    sweep();
    assert_true(journal_alarm_is_active(journal, THRESHOLD_KEY));
    restart(); // the journal knows where the cable was
    sweep();
    assert_true(journal_alarm_is_active(journal, THRESHOLD_KEY));
    generated_link(&net, 0, 1, 1, 3);
    sweep();
    assert_false(journal_alarm_is_active(journal, THRESHOLD_KEY));
    check_last_end(THRESHOLD_KEY, "port 1 of left is connected to port 3 of right now");
    right.port = 3; // the counters of another port
    read_counters(3);
    right.port = 2;
    read_counters(2);
    assert_false(journal_alarm_is_active(journal, THRESHOLD_KEY));
    right.values[COUNTER_XMIT_DISCARDS] += 10;
    read_counters(1);
    assert_true(journal_alarm_is_active(journal, THRESHOLD_KEY));
}

static void read_none(void *ctx, const struct pipeline_context *inside)
{
    const struct correlator_sources sources = {.no_counters = *(const bool *)ctx};
    correlator_change_sources(inside->correlator, &sources);
}

TEST(alarms_end_when_no_counters_are_read_any_more)
{
    bool none = true;
    raise_two_of_one_port();
    right.values[COUNTER_XMIT_DISCARDS] += 10;
    read_counters(1);
    assert_int_equal(count_alarms(), 3);
    assert_true(pipeline_call(pipeline, read_none, &none));
    sweep();
    assert_int_equal(count_alarms(), 0);
    none = false; // and errors are told when counters are read again
    assert_true(pipeline_call(pipeline, read_none, &none));
    read_counters(2);
    assert_int_equal(count_alarms(), 0);
    right.values[COUNTER_XMIT_DISCARDS] += 10;
    right.values[COUNTER_SYMBOL_ERROR] += 100;
    read_counters(1);
    assert_int_equal(count_alarms(), 2);
}

static void read_many(size_t ports, enum counter counter, uint64_t value)
{
    struct counter_reading *reading =
        calloc(1, sizeof *reading + ports * sizeof reading->samples[0]);
    assert_non_null(reading);
    for (size_t i = 0; i < ports; i++) {
        reading->samples[i].node_guid = 1000 + i;
        reading->samples[i].values[counter] = value;
    }
    reading->count = ports;
    pipeline_put_counters(pipeline, reading);
    pass_time(MINUTE);
}

TEST(the_log_tells_once_that_counters_are_not_watched)
{
    for (uint64_t errors = 0; errors < 4; errors++)
        read_many(COUNTER_WATCH_ERRORS_MAX + 2, COUNTER_SYMBOL_ERROR, errors);
    fflush(log_stream);
    const char *told = strstr(log_text, "2 counters are not watched");
    assert_non_null(told);
    assert_null(strstr(strchr(told, '\n'), "counters are not watched"));
    struct pipeline_counters counters;
    pipeline_get_counters(pipeline, &counters);
    assert_int_equal(counters.unwatched.errors, 3 * 2);
    assert_int_equal(counters.unwatched.waits, 0);
}

// Their counters are full.
TEST(the_log_tells_once_that_ports_that_wait_are_not_watched)
{
    for (int i = 0; i < 2; i++)
        read_many(COUNTER_WATCH_WAITS_MAX + 3, COUNTER_XMIT_WAIT, UINT32_MAX);
    read_many(10, COUNTER_XMIT_WAIT, 0);
    read_many(10, COUNTER_XMIT_WAIT, 0);
    fflush(log_stream);
    const char *told = strstr(log_text, "3 of them are not watched");
    assert_non_null(told);
    assert_null(strstr(strchr(told, '\n'), "not watched"));
    struct pipeline_counters counters;
    pipeline_get_counters(pipeline, &counters);
    assert_int_equal(counters.unwatched.errors, 0);
    assert_int_equal(counters.unwatched.waits, 2 * 3);
}

// What a hot switch causes.

static void heat_up(unsigned degrees)
{
    struct device_readings *list = device_readings_new(1);
    device_readings_ask(list, RIGHT, 0, REGISTER_TEMPERATURE);
    list->all[0].answered = true;
    wire_put(list->all[0].octets + 6, 2, 8 * degrees);
    wire_put(list->all[0].octets + 0xE, 2, 8 * 100);
    pipeline_put_registers(pipeline, list);
    pass_time(MINUTE);
}

struct named_alarm {
    const char *key;
    char cause_id[EVENT_ID_SIZE], event_id[EVENT_ID_SIZE];
};

static void take_alarm(void *ctx, const struct alarm *alarm)
{
    struct named_alarm *out = ctx;
    if (strcmp(alarm->key, out->key) != 0)
        return;
    memcpy(out->cause_id, alarm->cause_id, EVENT_ID_SIZE);
    memcpy(out->event_id, alarm->event_id, EVENT_ID_SIZE);
}

static void check_heat_is_cause(void)
{
    struct named_alarm heat = {.key = "temperature-high node 0x0000000000000020"},
                       errors = {.key = LINK_KEY};
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, take_alarm, &heat);
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, take_alarm, &errors);
    assert_string_not_equal(heat.event_id, "");
    assert_string_equal(errors.cause_id, heat.event_id);
}

TEST(a_hot_switch_is_the_cause_of_errors_that_follow)
{
    sweep();
    read_counters(2);
    heat_up(101);
    left.values[COUNTER_SYMBOL_ERROR] += 100;
    read_counters(1);
    check_heat_is_cause();
}

TEST(a_switch_that_gets_hot_is_the_cause_of_errors_before)
{
    sweep();
    read_counters(2);
    left.values[COUNTER_SYMBOL_ERROR] += 100;
    read_counters(1);
    heat_up(101);
    check_heat_is_cause();
}

#define COUNTER_ALARMS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        COUNTER_ALARMS_TEST(a_hot_switch_is_the_cause_of_errors_that_follow),
        COUNTER_ALARMS_TEST(a_switch_that_gets_hot_is_the_cause_of_errors_before),
        COUNTER_ALARMS_TEST(errors_that_go_on_after_clearing_raise_the_alarm_again),
        COUNTER_ALARMS_TEST(an_alarm_says_why_its_port_counts_errors),
        COUNTER_ALARMS_TEST(an_alarm_is_told_if_its_port_does_not_say_why),
        COUNTER_ALARMS_TEST(a_threshold_is_reached_again_after_clearing),
        COUNTER_ALARMS_TEST(two_alarms_of_one_port_end_after_a_restart),
        COUNTER_ALARMS_TEST(a_threshold_ends_when_its_cable_is_elsewhere),
        COUNTER_ALARMS_TEST(alarms_end_when_no_counters_are_read_any_more),
        COUNTER_ALARMS_TEST(the_log_tells_once_that_counters_are_not_watched),
        COUNTER_ALARMS_TEST(the_log_tells_once_that_ports_that_wait_are_not_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
