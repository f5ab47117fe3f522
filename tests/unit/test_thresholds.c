// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "topology/counter_watch.h"

#define DAY ACCUMULATED_KEEP_US

// Readings made one sample at a time, and the resulting events as text.
struct scene {
    struct counter_watch *watch;
    int64_t now_us; // monotonic
    struct accumulated_counters *accumulated;
    struct counter_reading *reading;
    char told[2000];
};

static void tell(struct scene *s, const struct counter_statement *change)
{
    size_t used = strlen(s->told);
    assert_int_equal(change->key.about, ALARM_ABOUT_GROWTH);
    snprintf(s->told + used, sizeof s->told - used, "%s%s %llu/%u %s %llu-%llu", used ? "; " : "",
             change->raised ? "reached" : "cleared", (unsigned long long)change->key.guid,
             change->key.port, counter_name(change->key.counter),
             (unsigned long long)change->before, (unsigned long long)change->after);
}

static struct counter_watch_limits limits_of(uint64_t limit)
{
    struct counter_watch_limits limits = {.window_us = {720 * INT64_C(1000000), DAY}};
    for (size_t i = 0; i < COUNT(limits.growth); i++)
        limits.growth[i] = limit;
    return limits;
}

static void restore(struct scene *s, uint64_t guid, uint8_t port, enum counter counter)
{
    counter_watch_restore(s->watch, &(struct alarm_key){.kind = ALARM_KEY_PORT,
                                                        .guid = guid,
                                                        .port = port,
                                                        .about = ALARM_ABOUT_GROWTH,
                                                        .counter = counter});
}

static struct scene make_scene(uint64_t limit)
{
    const struct counter_watch_limits limits = limits_of(limit);
    struct scene s = {.watch = counter_watch_new(&limits)};
    s.reading = calloc(1, sizeof *s.reading + 8 * sizeof s.reading->samples[0]);
    assert_non_null(s.reading);
    return s;
}

static void end(struct scene *s)
{
    counter_watch_free(s->watch);
    accumulated_unref(s->accumulated);
    free(s->reading);
}

static struct counter_sample *add(struct scene *s, uint64_t node, uint8_t port)
{
    struct counter_sample *sample = &s->reading->samples[s->reading->count++];
    *sample = (struct counter_sample){.node_guid = node, .port = port};
    return sample;
}

static const char *update(struct scene *s, int64_t time_us)
{
    s->told[0] = '\0';
    s->reading->time_us = time_us;
    s->now_us += 60 * INT64_C(1000000);
    size_t count;
    const struct counter_watch_reading one = {
        .before = s->accumulated, .reading = s->reading, .now_us = s->now_us};
    const struct counter_statement *all = counter_watch_update(s->watch, &one, &count);
    for (size_t i = 0; i < count; i++)
        tell(s, &all[i]);
    struct accumulated_counters *accumulated = accumulated_with(s->accumulated, s->reading);
    assert_non_null(accumulated);
    accumulated_unref(s->accumulated);
    s->accumulated = accumulated;
    s->reading->count = 0;
    return s->told;
}

// A reading of one port with one counter, a minute after the reading before.
static const char *read_one(struct scene *s, enum counter counter, uint64_t value)
{
    add(s, 1, 1)->values[counter] = value;
    return update(s, s->reading->time_us + 60000000);
}

static const char *read_extended(struct scene *s, enum counter counter, uint64_t value)
{
    struct counter_sample *sample = add(s, 1, 1);
    sample->values[counter] = value;
    sample->extended = true;
    return update(s, s->reading->time_us + 60000000);
}

TEST(reached_and_cleared)
{
    struct scene s = make_scene(10);
    enum counter c = COUNTER_SYMBOL_ERROR;
    assert_string_equal(read_one(&s, c, 500), ""); // the first: since when is not known
    assert_string_equal(read_one(&s, c, 509), "");
    assert_string_equal(read_one(&s, c, 519), "reached 1/1 SymbolErrorCounter 509-519");
    assert_string_equal(read_one(&s, c, 600), ""); // still
    assert_string_equal(read_one(&s, c, 609), "cleared 1/1 SymbolErrorCounter 600-609");
    assert_string_equal(read_one(&s, c, 609), "");
    assert_string_equal(read_one(&s, c, 700), "reached 1/1 SymbolErrorCounter 609-700");
    end(&s);
}

TEST(a_limit_of_zero_is_none)
{
    struct scene s = make_scene(0);
    read_one(&s, COUNTER_SYMBOL_ERROR, 0);
    assert_string_equal(read_one(&s, COUNTER_SYMBOL_ERROR, 60000), "");
    end(&s);
}

TEST(a_reset_counts_from_zero)
{
    struct scene s = make_scene(10);
    enum counter c = COUNTER_RCV_ERRORS;
    read_one(&s, c, 5000);
    assert_string_equal(read_one(&s, c, 9), "");
    assert_string_equal(read_one(&s, c, 8), ""); // raised again: 8 more
    assert_string_equal(read_one(&s, c, 0), "");
    assert_string_equal(read_one(&s, c, 300), "reached 1/1 PortRcvErrors 0-300");
    assert_string_equal(read_one(&s, c, 20), ""); // 20 since: still
    assert_string_equal(read_one(&s, c, 3), "cleared 1/1 PortRcvErrors 20-3");
    end(&s);
}

TEST(a_counter_that_sticks_keeps_its_alarm)
{
    struct scene s = make_scene(10);
    enum counter c = COUNTER_LINK_DOWNED; // 8 bits
    read_one(&s, c, 200);
    assert_string_equal(read_one(&s, c, 255), "reached 1/1 LinkDownedCounter 200-255");
    assert_string_equal(read_one(&s, c, 255), "");
    assert_string_equal(read_one(&s, c, 255), "");
    assert_string_equal(read_one(&s, c, 0), "cleared 1/1 LinkDownedCounter 255-0"); // by a reset
    // A counter at its maximum from the begin raises nothing.
    read_one(&s, c, 255);
    assert_string_equal(read_one(&s, c, 255), "");
    end(&s);
}

TEST(counters_of_64_bits_do_not_stick)
{
    struct scene s = make_scene(10);
    enum counter c = COUNTER_LINK_DOWNED;
    read_extended(&s, c, 200);
    assert_string_equal(read_extended(&s, c, 255), "reached 1/1 LinkDownedCounter 200-255");
    assert_string_equal(read_extended(&s, c, 255), "cleared 1/1 LinkDownedCounter 255-255");
    assert_string_equal(read_extended(&s, c, UINT64_MAX), "reached 1/1 LinkDownedCounter "
                                                          "255-18446744073709551615");
    end(&s);
}

TEST(native_and_64_bit_values_are_not_compared)
{
    struct scene s = make_scene(10);
    enum counter c = COUNTER_SYMBOL_ERROR;
    read_extended(&s, c, 1000000);
    assert_string_equal(read_one(&s, c, 65535), "");
    assert_string_equal(read_extended(&s, c, 1000001), "");
    assert_string_equal(read_extended(&s, c, 1000011), "reached 1/1 SymbolErrorCounter "
                                                       "1000001-1000011");
    end(&s);
}

TEST(those_that_stand_for_traps_are_told_each_time)
{
    struct scene s = make_scene(2);
    enum counter c = COUNTER_LOCAL_LINK_INTEGRITY_ERRORS;
    read_one(&s, c, 0);
    assert_string_equal(read_one(&s, c, 1), "");
    assert_string_equal(read_one(&s, c, 3), "reached 1/1 LocalLinkIntegrityErrors 1-3");
    assert_string_equal(read_one(&s, c, 5), "reached 1/1 LocalLinkIntegrityErrors 3-5");
    assert_string_equal(read_one(&s, c, 5), "");
    assert_string_equal(read_one(&s, c, 15), "reached 1/1 LocalLinkIntegrityErrors 5-15");
    assert_string_equal(read_one(&s, c, 15), "");
    c = COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS;
    read_one(&s, c, 0);
    assert_string_equal(read_one(&s, c, 4), "reached 1/1 ExcessiveBufferOverrunErrors 0-4");
    assert_string_equal(read_one(&s, c, 4), "");
    end(&s);
}

TEST(ports_and_counters_are_apart_and_in_order)
{
    struct scene s = make_scene(10);
    add(&s, 1, 1);
    add(&s, 1, 2);
    add(&s, 2, 1);
    update(&s, 1);
    struct counter_sample *sample = add(&s, 1, 2);
    sample->values[COUNTER_VL15_DROPPED] = 10;
    sample->values[COUNTER_SYMBOL_ERROR] = 11;
    add(&s, 2, 1)->values[COUNTER_XMIT_WAIT] = 12;
    add(&s, 2, 2)->values[COUNTER_XMIT_WAIT] = 13; // new
    assert_string_equal(update(&s, 2),
                        "reached 1/2 SymbolErrorCounter 0-11; "
                        "reached 1/2 VL15Dropped 0-10; reached 2/1 PortXmitWait 0-12");
    // 1/1 was missing: its values are kept; so is the growth of 1/2.
    add(&s, 1, 1)->values[COUNTER_RCV_ERRORS] = 10;
    add(&s, 2, 1)->values[COUNTER_XMIT_WAIT] = 30;
    assert_string_equal(update(&s, 3), "reached 1/1 PortRcvErrors 0-10");
    sample = add(&s, 1, 2);
    sample->values[COUNTER_VL15_DROPPED] = 20;
    sample->values[COUNTER_SYMBOL_ERROR] = 11;
    assert_string_equal(update(&s, 4), "cleared 1/2 SymbolErrorCounter 11-11");
    end(&s);
}

TEST(a_port_is_forgotten_after_a_day)
{
    struct scene s = make_scene(10);
    add(&s, 1, 1);
    update(&s, 0);
    add(&s, 1, 1)->values[COUNTER_SYMBOL_ERROR] = 10;
    assert_string_equal(update(&s, 1), "reached 1/1 SymbolErrorCounter 0-10");
    assert_string_equal(update(&s, DAY + 1), "");
    add(&s, 1, 1)->values[COUNTER_SYMBOL_ERROR] = 10;
    assert_string_equal(update(&s, DAY + 1), "cleared 1/1 SymbolErrorCounter 10-10");
    add(&s, 1, 1)->values[COUNTER_SYMBOL_ERROR] = 30;
    assert_string_equal(update(&s, DAY + 2), "reached 1/1 SymbolErrorCounter 10-30");
    assert_string_equal(update(&s, DAY + 3), ""); // missing from here on
    assert_string_equal(update(&s, 2 * DAY + 2), "");
    assert_string_equal(update(&s, 2 * DAY + 3), "cleared 1/1 SymbolErrorCounter 30-30");
    assert_string_equal(update(&s, 2 * DAY + 4), "");
    add(&s, 1, 1)->values[COUNTER_SYMBOL_ERROR] = 100; // like a new port
    assert_string_equal(update(&s, 2 * DAY + 5), "");
    end(&s);
}

TEST(a_clock_that_was_years_ahead_keeps_no_port)
{
    struct scene s = make_scene(10);
    read_one(&s, COUNTER_SYMBOL_ERROR, 0);
    read_one(&s, COUNTER_SYMBOL_ERROR, 10);
    assert_string_equal(update(&s, 1000 * DAY), ""); // missing from here on
    assert_string_equal(update(&s, 10 * DAY), "");   // the clock was set right
    assert_string_equal(update(&s, 11 * DAY - 1), "");
    assert_string_equal(update(&s, 11 * DAY), "cleared 1/1 SymbolErrorCounter 10-10");
    end(&s);
}

static void set_limit(struct scene *s, uint64_t limit)
{
    const struct counter_watch_limits limits = limits_of(limit);
    counter_watch_change(s->watch, &limits);
}

TEST(a_port_that_comes_back_is_missed_for_a_day_again)
{
    struct scene s = make_scene(10);
    read_one(&s, COUNTER_SYMBOL_ERROR, 0);
    assert_string_equal(read_one(&s, COUNTER_SYMBOL_ERROR, 10),
                        "reached 1/1 SymbolErrorCounter 0-10");
    update(&s, DAY);
    add(&s, 1, 1)->values[COUNTER_SYMBOL_ERROR] = 20;
    assert_string_equal(update(&s, DAY + 1), "");
    update(&s, DAY + 2);
    assert_string_equal(update(&s, 2 * DAY + 1), "");
    assert_string_equal(update(&s, 2 * DAY + 2), "cleared 1/1 SymbolErrorCounter 20-20");
    end(&s);
}

TEST(what_has_no_limit_any_more_is_cleared)
{
    struct scene s = make_scene(10);
    enum counter c = COUNTER_LINK_DOWNED;
    read_one(&s, c, 0);
    assert_string_equal(read_one(&s, c, 255), "reached 1/1 LinkDownedCounter 0-255");
    set_limit(&s, 0);
    assert_string_equal(read_one(&s, c, 255), "cleared 1/1 LinkDownedCounter 255-255");
    assert_string_equal(read_one(&s, c, 255), "");
    end(&s);
}

TEST(what_was_recalled_is_cleared_like_any_other)
{
    struct scene s = make_scene(10);
    enum counter c = COUNTER_SYMBOL_ERROR;
    restore(&s, 2, 1, COUNTER_RCV_ERRORS);
    restore(&s, 1, 1, c);
    restore(&s, 2, 1, c);
    add(&s, 1, 1)->values[c] = 500;
    add(&s, 2, 1)->values[c] = 500;
    assert_string_equal(update(&s, DAY), ""); // the first: since when is not known
    add(&s, 1, 1)->values[c] = 510;
    add(&s, 2, 1)->values[c] = 509;
    assert_string_equal(update(&s, DAY + 1), "cleared 2/1 SymbolErrorCounter 500-509; "
                                             "cleared 2/1 PortRcvErrors 0-0");
    add(&s, 1, 1)->values[c] = 510;
    assert_string_equal(update(&s, DAY + 2), "cleared 1/1 SymbolErrorCounter 510-510");
    end(&s);
}

TEST(a_recalled_port_that_never_comes_is_forgotten)
{
    struct scene s = make_scene(10);
    restore(&s, 1, 1, COUNTER_SYMBOL_ERROR);
    assert_string_equal(update(&s, 5 * DAY), "");
    assert_string_equal(update(&s, 6 * DAY - 1), "");
    assert_string_equal(update(&s, 6 * DAY), "cleared 1/1 SymbolErrorCounter 0-0");
    assert_string_equal(update(&s, 6 * DAY + 1), "");
    end(&s);
}

TEST(many_are_recalled)
{
    struct scene s = make_scene(10);
    for (uint8_t port = 200; port > 0; port--)
        restore(&s, 1, port, COUNTER_SYMBOL_ERROR);
    add(&s, 1, 200);
    assert_string_equal(update(&s, DAY), "");
    add(&s, 1, 200);
    assert_string_equal(update(&s, DAY + 1), "cleared 1/200 SymbolErrorCounter 0-0");
    end(&s);
}

TEST(nothing_to_read)
{
    struct scene s = make_scene(10);
    assert_string_equal(update(&s, 1), "");
    end(&s);
    counter_watch_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reached_and_cleared),
        cmocka_unit_test(a_limit_of_zero_is_none),
        cmocka_unit_test(a_reset_counts_from_zero),
        cmocka_unit_test(a_counter_that_sticks_keeps_its_alarm),
        cmocka_unit_test(counters_of_64_bits_do_not_stick),
        cmocka_unit_test(native_and_64_bit_values_are_not_compared),
        cmocka_unit_test(those_that_stand_for_traps_are_told_each_time),
        cmocka_unit_test(ports_and_counters_are_apart_and_in_order),
        cmocka_unit_test(a_port_is_forgotten_after_a_day),
        cmocka_unit_test(a_clock_that_was_years_ahead_keeps_no_port),
        cmocka_unit_test(a_port_that_comes_back_is_missed_for_a_day_again),
        cmocka_unit_test(what_has_no_limit_any_more_is_cleared),
        cmocka_unit_test(what_was_recalled_is_cleared_like_any_other),
        cmocka_unit_test(a_recalled_port_that_never_comes_is_forgotten),
        cmocka_unit_test(many_are_recalled),
        cmocka_unit_test(nothing_to_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
