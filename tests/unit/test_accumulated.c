// SPDX-License-Identifier: BSD-2-Clause
// Accumulated counters, over readings made one port at a time.
#include "support.h"

#include "topology/accumulated.h"

enum { MINUTE_US = 60 * 1000000, PORTS_MAX = 8 };
static const uint64_t NODE = 0x100, LATER_NODE = 0x200;

static struct accumulated_counters *accumulated;
static struct counter_reading *reading;
static int64_t now;

static int begin(void **state)
{
    (void)state;
    now = SUPPORT_UTC_US;
    reading = calloc(1, sizeof *reading + PORTS_MAX * sizeof reading->samples[0]);
    assert_non_null(reading);
    return 0;
}

static int end(void **state)
{
    (void)state;
    accumulated_unref(accumulated);
    accumulated = NULL;
    free(reading);
    return 0;
}

// Adds a port to the current reading.
static struct counter_sample *add_port(uint64_t node, uint8_t port)
{
    assert_in_range(reading->count, 0, PORTS_MAX - 1);
    struct counter_sample *sample = &reading->samples[reading->count++];
    *sample = (struct counter_sample){.node_guid = node, .port = port};
    return sample;
}

static void take_reading(void)
{
    reading->time_us = now;
    struct accumulated_counters *next = accumulated_with(accumulated, reading);
    assert_non_null(next);
    accumulated_unref(accumulated);
    accumulated = next;
    reading->count = 0;
    now += MINUTE_US;
}

static uint64_t sum(uint64_t node, uint8_t port, enum counter counter)
{
    uint64_t all[COUNTER_COUNT];
    assert_true(accumulated_find(accumulated, node, port, all));
    return all[counter];
}

static bool knows(uint64_t node, uint8_t port)
{
    uint64_t all[COUNTER_COUNT];
    return accumulated_find(accumulated, node, port, all);
}

static uint64_t read_one(enum counter counter, uint64_t value, bool extended, bool wide)
{
    struct counter_sample *sample = add_port(NODE, 1);
    sample->values[counter] = value;
    sample->extended = extended;
    sample->wide = wide;
    take_reading();
    return sum(NODE, 1, counter);
}

// Reads a port that says how many packets were malformed.
static void read_cause(uint32_t malformed)
{
    const struct error_details details = {
        .node_guid = NODE, .port = 1, .counter = COUNTER_RCV_ERRORS, .counts = {0, malformed}};
    add_port(NODE, 1)->values[COUNTER_RCV_ERRORS] = 9;
    reading->details = &details;
    reading->detail_count = 1;
    take_reading();
    reading->detail_count = 0;
}

static uint64_t cause(enum counter counter, unsigned place)
{
    uint64_t sum_of;
    return accumulated_find_cause(accumulated, NODE, 1, counter, place, &sum_of) ? sum_of
                                                                                 : UINT64_MAX;
}

TEST(causes_of_errors_are_summed_from_what_ports_say_of_them)
{
    add_port(NODE, 1);
    take_reading();
    assert_true(cause(COUNTER_RCV_ERRORS, 1) == UINT64_MAX);
    read_cause(5);
    read_one(COUNTER_RCV_ERRORS, 9, false, false); // nothing grew: nobody asked
    assert_int_equal(cause(COUNTER_RCV_ERRORS, 1), 5);
    read_cause(7);
    assert_int_equal(cause(COUNTER_RCV_ERRORS, 1), 7);
    read_cause(3); // somebody reset it
    assert_int_equal(cause(COUNTER_RCV_ERRORS, 1), 10);
    assert_int_equal(cause(COUNTER_RCV_ERRORS, 0), 0);
    assert_true(cause(COUNTER_XMIT_DISCARDS, 0) == UINT64_MAX); // its discards never grew
    take_reading();                                             // the port is missing
    read_cause(UINT16_MAX);
    read_cause(0);
    assert_int_equal(cause(COUNTER_RCV_ERRORS, 1), 7 + UINT16_MAX);
}

TEST(they_begin_with_what_there_is_and_grow)
{
    assert_int_equal(read_one(COUNTER_SYMBOL_ERROR, 7, false, false), 7);
    assert_int_equal(read_one(COUNTER_SYMBOL_ERROR, 7, false, false), 7);
    assert_int_equal(read_one(COUNTER_SYMBOL_ERROR, 9, false, false), 9);
}

TEST(a_reset_loses_nothing)
{
    enum counter c = COUNTER_RCV_PKTS;
    read_one(c, 1000, true, true);
    assert_int_equal(read_one(c, 10, true, true), 1010);
    assert_int_equal(read_one(c, 15, true, true), 1015);
    assert_int_equal(read_one(c, 0, true, true), 1015);
    assert_int_equal(read_one(c, 2, true, true), 1017);
}

TEST(a_full_counter_adds_nothing_until_it_is_reset)
{
    enum counter c = COUNTER_LINK_DOWNED; // 8 bits
    read_one(c, 250, false, false);
    assert_int_equal(read_one(c, 255, false, false), 255);
    assert_int_equal(read_one(c, 255, false, false), 255);
    assert_int_equal(read_one(c, 3, false, false), 258);
}

TEST(one_that_went_around_counts_as_reset)
{
    enum counter c = COUNTER_XMIT_DATA;
    read_one(c, UINT32_MAX - 5, false, false);
    assert_int_equal(read_one(c, 4, false, false), UINT64_C(0xFFFFFFFF) - 1);
}

TEST(sums_have_64_bits)
{
    enum counter c = COUNTER_XMIT_DATA;
    uint64_t expected = 0;
    for (unsigned i = 0; i < 5; i++) {
        expected += UINT32_MAX;
        assert_int_equal(read_one(c, UINT32_MAX, false, false), expected);
        assert_int_equal(read_one(c, 0, false, false), expected);
    }
    assert_true(expected > UINT64_C(0x400000000));
    read_one(c, UINT64_C(0x1234567890ABCDEF), false, true);
    assert_int_equal(read_one(c, UINT64_C(0x1234567890ABCDF0), false, true), expected + 1);
}

TEST(a_change_to_64_bits_and_back_keeps_the_sum)
{
    enum counter c = COUNTER_XMIT_DISCARDS;
    read_one(c, 100, false, false);
    assert_int_equal(read_one(c, UINT64_C(0x900000000), true, true), 100);
    assert_int_equal(read_one(c, UINT64_C(0x900000005), true, true), 105);
    assert_int_equal(read_one(c, 50, false, false), 105);
    assert_int_equal(read_one(c, 60, false, false), 115);
}

TEST(traffic_alone_may_change_its_size)
{
    struct counter_sample *sample = add_port(NODE, 1);
    sample->values[COUNTER_SYMBOL_ERROR] = 5;
    sample->values[COUNTER_XMIT_PKTS] = 500;
    take_reading();
    sample = add_port(NODE, 1);
    sample->wide = true;
    sample->values[COUNTER_SYMBOL_ERROR] = 6;
    sample->values[COUNTER_XMIT_PKTS] = 7000;
    take_reading();
    assert_int_equal(sum(NODE, 1, COUNTER_SYMBOL_ERROR), 6);
    assert_int_equal(sum(NODE, 1, COUNTER_XMIT_PKTS), 500);
}

TEST(each_counter_of_each_port_has_its_own)
{
    for (uint8_t round = 1; round <= 2; round++) {
        for (unsigned i = 0; i < 6; i++) {
            struct counter_sample *sample =
                add_port(i < 3 ? NODE : LATER_NODE, (uint8_t)(1 + i % 3));
            for (unsigned c = 0; c < COUNTER_COUNT; c++)
                sample->values[c] = round * (i << 8 | c);
        }
        take_reading();
    }
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned c = 0; c < COUNTER_COUNT; c++)
            assert_int_equal(sum(i < 3 ? NODE : LATER_NODE, (uint8_t)(1 + i % 3), (enum counter)c),
                             2 * (i << 8 | c));
    }
}

TEST(what_was_never_read_is_not_known)
{
    assert_false(knows(NODE, 1));
    take_reading();
    assert_false(knows(NODE, 1));
    add_port(NODE, 2);
    take_reading();
    assert_true(knows(NODE, 2));
    assert_false(knows(NODE, 1));
    assert_false(knows(NODE, 3));
    assert_false(knows(NODE - 1, 2));
    assert_false(knows(NODE + 1, 2));
}

TEST(a_missing_port_keeps_its_sum_for_a_day)
{
    read_one(COUNTER_RCV_ERRORS, 40, false, false);
    add_port(LATER_NODE, 1);
    take_reading();
    int64_t missed_at = now - MINUTE_US;
    now = missed_at + ACCUMULATED_KEEP_US - 1;
    add_port(LATER_NODE, 1);
    take_reading();
    assert_int_equal(sum(NODE, 1, COUNTER_RCV_ERRORS), 40);
    now = missed_at + ACCUMULATED_KEEP_US;
    add_port(LATER_NODE, 1);
    take_reading();
    assert_false(knows(NODE, 1));
    assert_true(knows(LATER_NODE, 1));
}

TEST(a_clock_that_was_years_ahead_keeps_no_sum)
{
    const int64_t right = now;
    read_one(COUNTER_RCV_ERRORS, 40, false, false);
    now += 1000 * ACCUMULATED_KEEP_US;
    take_reading();
    now = right;
    take_reading();
    now = right + ACCUMULATED_KEEP_US - 1;
    take_reading();
    assert_true(knows(NODE, 1));
    now = right + ACCUMULATED_KEEP_US;
    take_reading();
    assert_false(knows(NODE, 1));
}

TEST(a_port_that_comes_back_goes_on)
{
    read_one(COUNTER_RCV_ERRORS, 40, false, false);
    take_reading();
    now += ACCUMULATED_KEEP_US / 2;
    assert_int_equal(read_one(COUNTER_RCV_ERRORS, 2, false, false), 42);
    take_reading();
    now += ACCUMULATED_KEEP_US / 2;
    take_reading(); // a day after the port was first missing, half a day after the second time
    assert_int_equal(sum(NODE, 1, COUNTER_RCV_ERRORS), 42);
}

// A manager must not take a rate over a sum that begins anew.
TEST(it_is_known_when_a_sum_began)
{
    const int64_t second = 1000000;
    assert_true(accumulated_began_at(NULL, NODE, 1) == 0);
    add_port(NODE, 1);
    take_reading();
    assert_true(accumulated_began_at(accumulated, NODE, 1) == 0);
    const int64_t came_at = now;
    add_port(NODE, 1);
    add_port(NODE, 2)->values[COUNTER_SYMBOL_ERROR] = 7;
    take_reading();
    take_reading(); // without both
    add_port(NODE, 1);
    add_port(NODE, 2)->values[COUNTER_SYMBOL_ERROR] = 3;
    take_reading();
    assert_true(accumulated_began_at(accumulated, NODE, 1) == 0);
    assert_true(accumulated_began_at(accumulated, NODE, 2) / second == came_at / second);
    assert_int_equal(sum(NODE, 2, COUNTER_SYMBOL_ERROR), 10);
    take_reading();
    now += ACCUMULATED_KEEP_US;
    take_reading();
    assert_false(knows(NODE, 1));
    assert_true(accumulated_began_at(accumulated, NODE, 1) == 0);
    const int64_t back_at = now;
    add_port(NODE, 1);
    take_reading();
    assert_true(accumulated_began_at(accumulated, NODE, 1) / second == back_at / second);
}

TEST(what_others_hold_does_not_change)
{
    read_one(COUNTER_VL15_DROPPED, 1, false, false);
    struct accumulated_counters *held = accumulated_ref(accumulated);
    read_one(COUNTER_VL15_DROPPED, 2, false, false);
    uint64_t all[COUNTER_COUNT];
    assert_true(accumulated_find(held, NODE, 1, all));
    assert_int_equal(all[COUNTER_VL15_DROPPED], 1);
    accumulated_unref(held);
}

TEST(a_walk_has_what_each_port_had_last)
{
    struct accumulated_walk walk = {.accumulated = NULL};
    struct counter_sample last;
    assert_false(accumulated_next(&walk, &last));
    read_one(COUNTER_SYMBOL_ERROR, 500, false, false);
    add_port(NODE, 1)->values[COUNTER_SYMBOL_ERROR] = 3; // a reset: the accumulated value is 503
    add_port(NODE, 2)->extended = true;
    take_reading();
    add_port(LATER_NODE, 1)->wide = true;
    take_reading();
    walk = (struct accumulated_walk){.accumulated = accumulated};
    assert_true(accumulated_next(&walk, &last));
    assert_true(last.node_guid == NODE && last.port == 1 && !last.extended && !last.wide);
    assert_int_equal(last.values[COUNTER_SYMBOL_ERROR], 3);
    assert_true(accumulated_next(&walk, &last));
    assert_true(last.node_guid == NODE && last.port == 2 && last.extended && !last.wide);
    assert_int_equal(last.values[COUNTER_SYMBOL_ERROR], 0);
    assert_true(accumulated_next(&walk, &last));
    assert_true(last.node_guid == LATER_NODE && last.port == 1 && last.wide);
    assert_false(accumulated_next(&walk, &last));
    assert_true(accumulated_find_last(accumulated, NODE, 2, &last));
    assert_true(last.node_guid == NODE && last.port == 2 && last.extended);
    assert_true(accumulated_find_last(accumulated, NODE, 1, &last));
    assert_int_equal(last.values[COUNTER_SYMBOL_ERROR], 3);
    assert_false(accumulated_find_last(accumulated, NODE, 3, &last));
    assert_false(accumulated_find_last(accumulated, NODE + 1, 1, &last));
    assert_false(accumulated_find_last(NULL, NODE, 1, &last));
}

static void read_fec(bool fec, uint64_t blocks)
{
    struct counter_sample *sample = add_port(NODE, 1);
    sample->sources = fec ? COUNTER_OF_FEC : 0;
    sample->values[COUNTER_FEC_UNCORRECTABLE] = fec ? blocks : 0;
    sample->values[COUNTER_SYMBOL_ERROR] = 1;
    take_reading();
}

// The counters of the error correction come in an answer of their own, which may be lost.
TEST(a_lost_answer_about_the_error_correction_is_no_reset)
{
    read_fec(true, 1000);
    read_fec(false, 0);
    assert_int_equal(sum(NODE, 1, COUNTER_FEC_UNCORRECTABLE), 1000);
    read_fec(true, 1005);
    assert_int_equal(sum(NODE, 1, COUNTER_FEC_UNCORRECTABLE), 1000);
    read_fec(true, 1007);
    assert_int_equal(sum(NODE, 1, COUNTER_FEC_UNCORRECTABLE), 1002);
    read_fec(true, 3); // somebody reset it
    assert_int_equal(sum(NODE, 1, COUNTER_FEC_UNCORRECTABLE), 1005);
    assert_int_equal(sum(NODE, 1, COUNTER_SYMBOL_ERROR), 1);
}

int main(void)
{
#define SUMMED(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        SUMMED(a_lost_answer_about_the_error_correction_is_no_reset),
        SUMMED(causes_of_errors_are_summed_from_what_ports_say_of_them),
        SUMMED(they_begin_with_what_there_is_and_grow),
        SUMMED(a_reset_loses_nothing),
        SUMMED(a_full_counter_adds_nothing_until_it_is_reset),
        SUMMED(one_that_went_around_counts_as_reset),
        SUMMED(sums_have_64_bits),
        SUMMED(a_change_to_64_bits_and_back_keeps_the_sum),
        SUMMED(traffic_alone_may_change_its_size),
        SUMMED(each_counter_of_each_port_has_its_own),
        SUMMED(what_was_never_read_is_not_known),
        SUMMED(a_missing_port_keeps_its_sum_for_a_day),
        SUMMED(a_clock_that_was_years_ahead_keeps_no_sum),
        SUMMED(a_port_that_comes_back_goes_on),
        SUMMED(it_is_known_when_a_sum_began),
        SUMMED(what_others_hold_does_not_change),
        SUMMED(a_walk_has_what_each_port_had_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
