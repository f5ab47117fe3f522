// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "ib/reports.h"

#include "base/clock.h"

// OpenSM's first number.
enum { FIRST = 0x02DAB001 };
static const int64_t S = CLOCK_US_PER_S;
static struct report_gaps gaps;

static int begin(void **state)
{
    (void)state;
    memset(&gaps, 0, sizeof gaps);
    return 0;
}

static void come_at(uint32_t first, uint32_t last, int64_t now)
{
    for (uint32_t tid = first; tid != last + 1; tid++)
        report_gaps_note(&gaps, tid, now);
}

static void come(uint32_t first, uint32_t last)
{
    come_at(first, last, S);
}

static void check_missing(uint32_t expected)
{
    assert_int_equal(report_gaps_judge(&gaps, 3 * S - 1), 0);
    assert_int_equal(report_gaps_judge(&gaps, 3 * S), expected);
    assert_int_equal(report_gaps_judge(&gaps, 100 * S), 0);
}

TEST(all_that_come_are_not_missing)
{
    come(FIRST, FIRST + 100000);
    check_missing(0);
}

TEST(a_gap_is_a_loss)
{
    come(FIRST, FIRST + 99);
    come(FIRST + 105, FIRST + 110);
    check_missing(5);
}

TEST(repeats_fill_a_gap)
{
    come(FIRST, FIRST + 99);
    come(FIRST + 105, FIRST + 110);
    come(FIRST + 90, FIRST + 103); // those up to 99 came before
    check_missing(1);
    come(FIRST + 111, FIRST + 200);
    come(FIRST + 204, FIRST + 204);
    come(FIRST + 201, FIRST + 203);
    check_missing(0);
}

// Others are subscribed, too: their Reports are in between.
TEST(numbers_that_never_follow_each_other_are_no_loss)
{
    for (uint32_t i = 0; i < 1000; i++)
        come(FIRST + 3 * i, FIRST + 3 * i);
    check_missing(0);
    for (uint32_t i = 0; i < 100; i++)
        come(FIRST + 4000 + 20 * i, FIRST + 4000 + 20 * i + 10);
    check_missing(0);
}

TEST(a_restarted_sm_begins_anew)
{
    come(FIRST + 1000000, FIRST + 1000099);
    come(FIRST, FIRST + 99);
    check_missing(0);
    come(FIRST + 101, FIRST + 101);
    check_missing(1);
    come(0x80000000, 0x80000063);
    check_missing(0);
}

TEST(numbers_wrap_round)
{
    come(UINT32_MAX - 49, 49);
    check_missing(0);
    come(52, 52);
    check_missing(2);
}

// In a flood that loses some, and does not end.
TEST(each_gap_is_judged_in_time)
{
    uint32_t missed = 0, tid = FIRST;
    for (int i = 0; i < 10; i++) { // each second
        come_at(tid, tid + 50, i * S);
        missed += report_gaps_judge(&gaps, i * S);
        tid += 54;
    }
    assert_in_range(missed, 15, 27);
    missed += report_gaps_judge(&gaps, 20 * S);
    missed += report_gaps_judge(&gaps, 30 * S);
    assert_int_equal(missed, 27);
}

TEST(a_repeat_fills_the_gap_that_it_is_from)
{
    come_at(FIRST, FIRST + 99, S);
    come_at(FIRST + 103, FIRST + 200, S);
    come_at(FIRST + 204, FIRST + 204, 2 * S);
    come_at(FIRST + 201, FIRST + 203, 2 * S);
    assert_int_equal(report_gaps_judge(&gaps, 3 * S), 3);
    assert_int_equal(report_gaps_judge(&gaps, 30 * S), 0);
}

TEST(a_gap_may_be_larger_than_the_window)
{
    come(FIRST, FIRST + 99);
    come(FIRST + 300000, FIRST + 300000);
    check_missing(299900);
}

#define GAPS_TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAPS_TEST(all_that_come_are_not_missing),
        GAPS_TEST(a_gap_is_a_loss),
        GAPS_TEST(repeats_fill_a_gap),
        GAPS_TEST(numbers_that_never_follow_each_other_are_no_loss),
        GAPS_TEST(a_restarted_sm_begins_anew),
        GAPS_TEST(numbers_wrap_round),
        GAPS_TEST(each_gap_is_judged_in_time),
        GAPS_TEST(a_repeat_fills_the_gap_that_it_is_from),
        GAPS_TEST(a_gap_may_be_larger_than_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
