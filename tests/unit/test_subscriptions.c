// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "ib/subscriptions.h"

static const int64_t S = CLOCK_US_PER_S, MS = CLOCK_US_PER_MS;
static const int64_t REFRESH = 300 * CLOCK_US_PER_S;
static const int64_t NOW = 1000 * CLOCK_US_PER_S;

static struct subscriptions subs;
static struct random chance;
static uint8_t octet;

// The random number is 0 unless a test sets it: every wait is then a quarter shorter than its mean.
static int begin(void **state)
{
    (void)state;
    octet = 0;
    chance = support_constant(&octet);
    subscriptions_init(&subs, REFRESH, false, &chance, NULL);
    subscriptions_restart(&subs, NOW);
    return 0;
}

static void ask_and_answer_all(uint16_t status, int64_t now)
{
    struct subscription *one;
    uint32_t tid = 1;
    while ((one = subscriptions_due(&subs, now))) {
        subscriptions_asked(one, tid, now);
        assert_true(subscriptions_answered(&subs, tid++, status, now));
    }
}

static struct subscription *of_trap(uint32_t trap)
{
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        if (subs.each[i].trap == trap)
            return &subs.each[i];
    }
    fail_msg("no subscription for trap %u", trap);
    return NULL;
}

TEST(there_is_one_for_every_trap_and_one_for_vendors)
{
    static const uint32_t TRAPS[] = {
        64, 65, 66, 67, 68, 69, 128, 129, 130, 131, 144, 145, 256, 257, 258, 259, MAD_TRAP_VENDOR};
    assert_int_equal(COUNT(TRAPS), SUBSCRIPTIONS_COUNT);
    for (size_t i = 0; i < COUNT(TRAPS); i++) {
        const struct subscription *one = of_trap(TRAPS[i]);
        assert_int_equal(one->state, SUBSCRIPTION_PENDING);
        assert_int_equal(one->ask_at, NOW);
        assert_int_equal(one->answer_by, 0);
    }
}

TEST(at_most_eight_are_under_way)
{
    for (uint32_t i = 0; i < 8; i++) {
        struct subscription *one = subscriptions_due(&subs, NOW);
        assert_non_null(one);
        assert_int_equal(one->answer_by, 0);
        subscriptions_asked(one, i, NOW);
    }
    assert_null(subscriptions_due(&subs, NOW));
    assert_true(subscriptions_answered(&subs, 3, 0, NOW));
    struct subscription *next = subscriptions_due(&subs, NOW);
    assert_non_null(next);
    assert_int_equal(next->state, SUBSCRIPTION_PENDING);
}

TEST(nothing_is_due_before_its_time)
{
    assert_null(subscriptions_due(&subs, NOW - 1));
    assert_non_null(subscriptions_due(&subs, NOW));
}

TEST(an_answer_belongs_to_its_request)
{
    struct subscription *one = subscriptions_due(&subs, NOW);
    subscriptions_asked(one, 77, NOW);
    assert_false(subscriptions_answered(&subs, 78, 0, NOW));
    assert_false(subscriptions_answered(&subs, 0, 0, NOW)); // 0: not requested
    assert_int_equal(one->state, SUBSCRIPTION_PENDING);
    assert_true(subscriptions_answered(&subs, 77, 0, NOW));
    assert_int_equal(one->state, SUBSCRIPTION_SUBSCRIBED);
    assert_false(subscriptions_answered(&subs, 77, 0x0200, NOW)); // a second answer
    assert_int_equal(one->state, SUBSCRIPTION_SUBSCRIBED);
}

TEST(a_confirmed_one_is_refreshed)
{
    ask_and_answer_all(0, NOW);
    assert_int_equal(subscriptions_subscribed(&subs), SUBSCRIPTIONS_COUNT);
    assert_null(subscriptions_due(&subs, NOW + REFRESH * 3 / 4 - 1));
    struct subscription *one = subscriptions_due(&subs, NOW + REFRESH * 3 / 4);
    assert_non_null(one);
    subscriptions_asked(one, 5, NOW + REFRESH);
    assert_int_equal(one->state, SUBSCRIPTION_SUBSCRIBED); // it stays subscribed meanwhile
    assert_true(subscriptions_answered(&subs, 5, 0, NOW + REFRESH));
    assert_int_equal(one->ask_at, NOW + REFRESH + REFRESH * 3 / 4);
}

TEST(refreshes_are_spread_by_chance)
{
    struct subscription *one = subscriptions_due(&subs, NOW);
    struct support_chance counting = {0};
    struct random counter = support_random(&counting);
    subs.random = &counter;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < 1000; i++) {
        subscriptions_asked(one, 1, NOW);
        assert_true(subscriptions_answered(&subs, 1, 0, NOW));
        int64_t wait = one->ask_at - NOW;
        assert_in_range(wait, REFRESH * 3 / 4, REFRESH * 5 / 4);
        least = wait < least ? wait : least;
        most = wait > most ? wait : most;
    }
    assert_true(least < REFRESH * 7 / 8);
    assert_true(most > REFRESH * 9 / 8);
}

TEST(one_refused_for_want_of_a_key_is_asked_for_again_after_a_minute)
{
    struct subscription *one = of_trap(257);
    subscriptions_asked(one, 1, NOW);
    assert_true(subscriptions_answered(&subs, 1, 0x0200, NOW));
    assert_int_equal(one->state, SUBSCRIPTION_REJECTED);
    assert_int_equal(one->status, 0x0200);
    assert_int_equal(one->ask_at, NOW + 45 * S);
    octet = 0xFF; // 0xFFFFFFFF % (30 s + 1 us)
    subscriptions_asked(one, 2, NOW);
    assert_true(subscriptions_answered(&subs, 2, 0x0200, NOW));
    assert_int_equal(one->ask_at, NOW + 45 * S + INT64_C(4294967295) % (30 * S + 1));
}

TEST(a_request_expires_after_a_second)
{
    struct subscription *one = subscriptions_due(&subs, NOW);
    subscriptions_asked(one, 1, NOW);
    assert_false(subscriptions_expire(&subs, NOW + S - 1));
    assert_int_equal(one->state, SUBSCRIPTION_PENDING);
    assert_true(subscriptions_expire(&subs, NOW + S));
    assert_int_equal(one->state, SUBSCRIPTION_NO_ANSWER);
    assert_int_equal(one->failures, 1);
    assert_int_equal(one->answer_by, 0);
    assert_false(subscriptions_expire(&subs, NOW + S));         // once
    assert_false(subscriptions_answered(&subs, 1, 0, NOW + S)); // too late
    assert_int_equal(one->state, SUBSCRIPTION_NO_ANSWER);
}

TEST(retries_back_off_to_half_a_minute)
{
    static const int64_t MIDDLE_S[] = {1, 2, 4, 8, 16, 30, 30, 30};
    struct subscription *one = subscriptions_due(&subs, NOW);
    for (size_t i = 0; i < COUNT(MIDDLE_S); i++) {
        subscriptions_asked(one, 1, NOW);
        assert_true(subscriptions_expire(&subs, NOW + S));
        assert_int_equal(one->failures, i + 1);
        assert_int_equal(one->ask_at, NOW + S + MIDDLE_S[i] * 750 * MS);
    }
    // One answer ends the silence.
    subscriptions_asked(one, 1, NOW);
    assert_true(subscriptions_answered(&subs, 1, 0, NOW));
    assert_int_equal(one->failures, 0);
}

TEST(chance_adds_a_quarter_at_most)
{
    struct subscription *one = subscriptions_due(&subs, NOW);
    static struct support_chance counting; // `subs` outlives this function
    static struct random counter;
    counter = support_random(&counting);
    subs.random = &counter;
    for (int i = 0; i < 200; i++) {
        subscriptions_asked(one, 1, NOW);
        assert_true(subscriptions_expire(&subs, NOW + S));
        if (i >= 5)
            assert_in_range(one->ask_at - NOW - S, 22500 * MS, 37500 * MS);
    }
}

TEST(a_restart_forgets_everything)
{
    ask_and_answer_all(0x0200, NOW);
    struct subscription *one = of_trap(64);
    subscriptions_asked(one, 9, NOW);
    subscriptions_restart(&subs, NOW + 5 * S);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        assert_int_equal(subs.each[i].state, SUBSCRIPTION_PENDING);
        assert_int_equal(subs.each[i].ask_at, NOW + 5 * S);
        assert_int_equal(subs.each[i].answer_by, 0);
        assert_int_equal(subs.each[i].failures, 0);
        assert_int_equal(subs.each[i].status, 0);
    }
    assert_false(subscriptions_answered(&subs, 9, 0, NOW + 5 * S));
    assert_int_equal(subs.refresh_us, REFRESH);
    assert_int_equal(subscriptions_subscribed(&subs), 0);
}

TEST(a_refusal_that_may_pass_is_asked_for_again_soon)
{
    static const int64_t WAITS[] = {750,   1500,  3000, 6000,
                                    12000, 22500, 22500}; // ms, with random number 0
    struct subscription *one = of_trap(128);
    for (size_t i = 0; i < COUNT(WAITS); i++) {
        subscriptions_asked(one, (uint32_t)i, NOW);
        assert_true(subscriptions_answered(&subs, (uint32_t)i, 0x0001, NOW)); // busy
        assert_int_equal(one->state, SUBSCRIPTION_REJECTED);
        assert_int_equal(one->ask_at, NOW + WAITS[i] * 1000);
    }
    subscriptions_asked(one, 99, NOW);
    assert_true(subscriptions_answered(&subs, 99, 0, NOW));
    assert_int_equal(one->failures, 0);
}

TEST(nothing_held_is_never_settled)
{
    for (uint32_t i = 0; i < 10; i++)
        ask_and_answer_all(0x0100, NOW + i * 100 * S);
    assert_int_equal(subscriptions_subscribed(&subs), 0);
    assert_false(subscriptions_settled(&subs));
}

static void set_state(uint32_t trap, enum subscription_state state)
{
    of_trap(trap)->state = state;
}

TEST(settled_means_that_the_sm_answered_for_what_needs_no_key)
{
    assert_false(subscriptions_settled(&subs));
    ask_and_answer_all(0, NOW);
    assert_true(subscriptions_settled(&subs));
    set_state(65, SUBSCRIPTION_NO_ANSWER);
    assert_false(subscriptions_settled(&subs));
    set_state(65, SUBSCRIPTION_REJECTED);
    assert_false(subscriptions_settled(&subs)); // the SA may have been busy
    of_trap(65)->failures = 4;
    assert_true(subscriptions_settled(&subs));
    set_state(MAD_TRAP_VENDOR, SUBSCRIPTION_PENDING);
    assert_false(subscriptions_settled(&subs));
    set_state(MAD_TRAP_VENDOR, SUBSCRIPTION_SUBSCRIBED);
    for (uint32_t trap = 256; trap <= 259; trap++)
        set_state(trap, SUBSCRIPTION_NO_ANSWER); // the SA does not answer a wrong key
    assert_true(subscriptions_settled(&subs));
    assert_int_equal(subscriptions_subscribed(&subs), 12);
}

TEST(only_256_to_259_need_the_key)
{
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        uint32_t trap = subs.each[i].trap;
        assert_int_equal(subscriptions_needs_key(trap), trap >= 256 && trap <= 259);
    }
}

static void check_detail(uint32_t trap, enum subscription_state state, bool has_key,
                         const char *expected)
{
    char buf[200];
    struct text t = text_in(buf, sizeof buf);
    struct subscription one = {.trap = trap, .state = state, .status = 0x0200, .failures = 3};
    subscriptions_add_detail(&t, &one, has_key);
    assert_string_equal(buf, expected);
}

TEST(details_say_what_to_do)
{
    check_detail(128, SUBSCRIPTION_PENDING, false, "");
    check_detail(256, SUBSCRIPTION_SUBSCRIBED, true, "");
    check_detail(128, SUBSCRIPTION_REJECTED, false, "request invalid (0x0200)");
    check_detail(256, SUBSCRIPTION_REJECTED, true, "request invalid (0x0200)");
    check_detail(256, SUBSCRIPTION_REJECTED, false,
                 "request invalid (0x0200); needs the SA key (item sa_key_file)");
    check_detail(128, SUBSCRIPTION_NO_ANSWER, true, "asked 3 times");
    check_detail(259, SUBSCRIPTION_NO_ANSWER, false, "asked 3 times");
    check_detail(259, SUBSCRIPTION_NO_ANSWER, true,
                 "asked 3 times; is the SA key right? A wrong one is not answered");
}

TEST(reports_are_counted_by_trap_over_a_restart)
{
    subscriptions_reported(&subs, 128, NOW + S);
    subscriptions_reported(&subs, 128, NOW + 2 * S);
    subscriptions_reported(&subs, MAD_TRAP_VENDOR, NOW + 3 * S);
    subscriptions_reported(&subs, 40000, NOW + 4 * S); // never subscribed to
    subscriptions_restart(&subs, NOW + 5 * S);
    assert_int_equal(of_trap(128)->reports, 2);
    assert_int_equal(of_trap(128)->report_at, NOW + 2 * S);
    assert_int_equal(of_trap(MAD_TRAP_VENDOR)->reports, 1);
    assert_int_equal(of_trap(64)->reports, 0);
    assert_int_equal(of_trap(64)->report_at, 0);
}

TEST(the_last_change_of_state_is_known)
{
    assert_int_equal(of_trap(64)->changed_at, 0);
    ask_and_answer_all(0, NOW + S);
    assert_int_equal(of_trap(64)->changed_at, NOW + S);
    of_trap(64)->ask_at = NOW + 2 * S;
    ask_and_answer_all(0, NOW + 2 * S); // a refresh changes nothing
    assert_int_equal(of_trap(64)->changed_at, NOW + S);
    subscriptions_restart(&subs, NOW + 3 * S);
    assert_int_equal(of_trap(64)->changed_at, NOW + 3 * S);
}

TEST(one_is_renewed_at_a_time_in_turn)
{
    bool renewed[SUBSCRIPTIONS_COUNT] = {false};
    ask_and_answer_all(0, NOW);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        int64_t now = NOW + (int64_t)(i + 1) * S;
        assert_null(subscriptions_due(&subs, now));
        subscriptions_renew(&subs, false, now);
        struct subscription *one = subscriptions_due(&subs, now);
        assert_non_null(one);
        assert_false(renewed[one - subs.each]);
        renewed[one - subs.each] = true;
        subscriptions_asked(one, 1, now);
        assert_null(subscriptions_due(&subs, now));
        assert_true(subscriptions_answered(&subs, 1, 0, now));
    }
}

TEST(where_all_were_refused_any_is_renewed)
{
    ask_and_answer_all(0x0100, NOW);
    assert_null(subscriptions_due(&subs, NOW));
    subscriptions_renew(&subs, false, NOW);
    assert_non_null(subscriptions_due(&subs, NOW));
}

TEST(states_have_words)
{
    assert_string_equal(subscriptions_state_word(SUBSCRIPTION_PENDING), "pending");
    assert_string_equal(subscriptions_state_word(SUBSCRIPTION_SUBSCRIBED), "subscribed");
    assert_string_equal(subscriptions_state_word(SUBSCRIPTION_REJECTED), "rejected");
    assert_string_equal(subscriptions_state_word(SUBSCRIPTION_NO_ANSWER), "no-answer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(there_is_one_for_every_trap_and_one_for_vendors, begin),
        cmocka_unit_test_setup(at_most_eight_are_under_way, begin),
        cmocka_unit_test_setup(nothing_is_due_before_its_time, begin),
        cmocka_unit_test_setup(an_answer_belongs_to_its_request, begin),
        cmocka_unit_test_setup(a_confirmed_one_is_refreshed, begin),
        cmocka_unit_test_setup(refreshes_are_spread_by_chance, begin),
        cmocka_unit_test_setup(one_refused_for_want_of_a_key_is_asked_for_again_after_a_minute,
                               begin),
        cmocka_unit_test_setup(a_request_expires_after_a_second, begin),
        cmocka_unit_test_setup(retries_back_off_to_half_a_minute, begin),
        cmocka_unit_test_setup(chance_adds_a_quarter_at_most, begin),
        cmocka_unit_test_setup(a_restart_forgets_everything, begin),
        cmocka_unit_test_setup(a_refusal_that_may_pass_is_asked_for_again_soon, begin),
        cmocka_unit_test_setup(nothing_held_is_never_settled, begin),
        cmocka_unit_test_setup(settled_means_that_the_sm_answered_for_what_needs_no_key, begin),
        cmocka_unit_test_setup(only_256_to_259_need_the_key, begin),
        cmocka_unit_test_setup(details_say_what_to_do, begin),
        cmocka_unit_test_setup(reports_are_counted_by_trap_over_a_restart, begin),
        cmocka_unit_test_setup(the_last_change_of_state_is_known, begin),
        cmocka_unit_test_setup(one_is_renewed_at_a_time_in_turn, begin),
        cmocka_unit_test_setup(where_all_were_refused_any_is_renewed, begin),
        cmocka_unit_test_setup(states_have_words, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
