// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "ib/sweep_rules.h"

static const int64_t S = CLOCK_US_PER_S, MS = CLOCK_US_PER_MS;
static const int64_t BEGIN = 1000 * CLOCK_US_PER_S;

static struct sweep_schedule s;

static int64_t due(void)
{
    return sweep_schedule_due(&s) - BEGIN;
}

static void poke(int64_t at)
{
    sweep_schedule_trigger(&s, BEGIN + at);
}

static uint32_t inactive; // links that a sweep finds

static void sweep(int64_t from, int64_t to, bool complete)
{
    sweep_schedule_begin(&s, BEGIN + from);
    sweep_schedule_end(&s, BEGIN + to, complete, inactive);
}

static int begin(void **state)
{
    (void)state;
    sweep_schedule_init(&s, 60 * S, 2 * S, BEGIN);
    inactive = 0;
    return 0;
}

// The first complete sweep is over.
static void settle(void)
{
    sweep(0, 1 * S, true);
}

TEST(the_first_is_due_at_once_and_then_periodically)
{
    assert_int_equal(due(), 0);
    sweep(0, 1 * S, true);
    assert_int_equal(due(), 60 * S); // counted from the begin of a sweep
    sweep(61 * S, 65 * S, true);
    assert_int_equal(due(), 121 * S);
}

TEST(a_poke_waits_until_it_settles)
{
    settle();
    poke(10 * S);
    assert_int_equal(due(), 12 * S);
    poke(11 * S);
    assert_int_equal(due(), 13 * S);
    sweep(13 * S, 14 * S, true);
    assert_int_equal(due(), 73 * S); // all requests are satisfied
}

TEST(a_burst_cannot_put_it_off_for_ever)
{
    settle();
    for (int64_t at = 10 * S; at < 40 * S; at += 100 * MS)
        poke(at);
    assert_int_equal(due(), 30 * S);
}

TEST(a_poke_never_delays_what_is_due)
{
    settle();
    poke(59 * S);
    assert_int_equal(due(), 60 * S);
}

TEST(a_poke_during_a_sweep_has_one_of_its_own)
{
    settle();
    poke(10 * S);
    sweep_schedule_begin(&s, BEGIN + 12 * S);
    poke(13 * S);
    sweep_schedule_end(&s, BEGIN + 20 * S, true, 0);
    assert_int_equal(due(), 15 * S);
    sweep(20 * S, 21 * S, true);
    assert_int_equal(due(), 80 * S);
}

TEST(now_is_now)
{
    settle();
    poke(10 * S);
    sweep_schedule_now(&s);
    assert_true(sweep_schedule_due(&s) <= BEGIN);
    sweep(10 * S, 11 * S, true);
    assert_int_equal(due(), 70 * S);
}

TEST(now_during_a_sweep_is_right_after_it)
{
    sweep_schedule_begin(&s, BEGIN);
    sweep_schedule_now(&s);
    sweep_schedule_end(&s, BEGIN + 1 * S, true, 0);
    assert_true(sweep_schedule_due(&s) <= BEGIN);
}

TEST(an_incomplete_sweep_is_followed_by_a_second_look)
{
    sweep(0, 1 * S, false);
    assert_int_equal(due(), 3 * S);
    sweep(3 * S, 4 * S, false);
    assert_int_equal(due(), 63 * S); // once
    sweep(63 * S, 64 * S, false);
    assert_int_equal(due(), 66 * S); // after the next sweep again
    sweep(66 * S, 67 * S, true);
    assert_int_equal(due(), 126 * S);
}

TEST(a_poked_sweep_is_never_a_second_look)
{
    sweep(0, 1 * S, false);
    poke(1 * S);
    sweep(3 * S, 4 * S, false);
    assert_int_equal(due(), 6 * S);
    sweep(6 * S, 7 * S, false);
    assert_int_equal(due(), 66 * S);
}

TEST(sweeps_that_take_long_leave_time_between_them)
{
    sweep(0, 100 * S, true);
    assert_int_equal(due(), 102 * S);
}

#define SCHEDULE_TEST(t) cmocka_unit_test_setup(t, begin)

// The pauses after the sweeps while links are inactive.
TEST(links_that_come_up_are_swept_again_soon)
{
    settle();
    inactive = 2;
    sweep(10 * S, 11 * S, true);
    assert_int_equal(due(), 13 * S);
    sweep(13 * S, 14 * S, true);
    assert_int_equal(due(), 18 * S);
    sweep(18 * S, 18 * S, true);
    assert_int_equal(due(), 26 * S);
    inactive = 0;
    sweep(26 * S, 26 * S, true);
    assert_int_equal(due(), 86 * S);
}

TEST(a_link_that_stays_inactive_does_not_cause_sweeps_for_ever)
{
    settle();
    inactive = 1;
    int64_t at = 100 * S;
    for (int i = 0; i < 6; i++) {
        sweep(at, at, true);
        at = due();
    }
    assert_int_equal(at, 222 * S); // 2, 4, 8, 16, 32, then the interval
    sweep(at, at, true);
    assert_int_equal(due(), at + 60 * S);
}

TEST(a_link_that_comes_and_goes_begins_the_pauses_once_an_interval)
{
    settle();
    inactive = 1;
    sweep(100 * S, 100 * S, true);
    inactive = 0;
    sweep(110 * S, 110 * S, true);
    inactive = 1;
    sweep(120 * S, 120 * S, true);
    assert_int_equal(due(), 180 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEDULE_TEST(the_first_is_due_at_once_and_then_periodically),
        SCHEDULE_TEST(a_poke_waits_until_it_settles),
        SCHEDULE_TEST(a_burst_cannot_put_it_off_for_ever),
        SCHEDULE_TEST(a_poke_never_delays_what_is_due),
        SCHEDULE_TEST(a_poke_during_a_sweep_has_one_of_its_own),
        SCHEDULE_TEST(now_is_now),
        SCHEDULE_TEST(now_during_a_sweep_is_right_after_it),
        SCHEDULE_TEST(an_incomplete_sweep_is_followed_by_a_second_look),
        SCHEDULE_TEST(a_poked_sweep_is_never_a_second_look),
        SCHEDULE_TEST(sweeps_that_take_long_leave_time_between_them),
        SCHEDULE_TEST(links_that_come_up_are_swept_again_soon),
        SCHEDULE_TEST(a_link_that_stays_inactive_does_not_cause_sweeps_for_ever),
        SCHEDULE_TEST(a_link_that_comes_and_goes_begins_the_pauses_once_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
