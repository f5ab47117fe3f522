// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "ib/sweep_branches.h"

static const uint32_t NONE = SWEEP_BRANCHES_NONE;
enum { LATE_US = 500000, LATE_TURNS = 10000 };

static struct sweep_branches *branches;

static int begin(void **state)
{
    (void)state;
    branches = sweep_branches_new();
    return branches ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    sweep_branches_free(branches);
    return 0;
}

static uint32_t next_branch(void)
{
    struct sweep_branches_query query;
    return sweep_branches_next(branches, false, &query) ? query.branch : NONE;
}

static void check_next(uint32_t branch, bool is_node, bool is_port, uint8_t port)
{
    struct sweep_branches_query query;
    assert_true(sweep_branches_next(branches, false, &query));
    assert_int_equal(query.branch, branch);
    assert_int_equal(query.is_node, is_node);
    assert_int_equal(query.is_port, is_port);
    assert_int_equal(query.port, port);
}

// The first branch, and one behind each of `ports` ports, whose nodes have answered.
static void make_star(uint8_t ports)
{
    uint32_t first = sweep_branches_add(branches, NONE, 0);
    check_next(first, true, false, 0);
    sweep_branches_answered(branches, first, 0, 1, false);
    for (uint8_t i = 1; i <= ports; i++) {
        assert_int_equal(sweep_branches_add(branches, first, i), i);
        check_next(i, true, false, 0);
        sweep_branches_answered(branches, i, i, 1, false);
    }
    assert_int_equal(next_branch(), NONE);
}

TEST(nothing_waits_at_first)
{
    assert_int_equal(next_branch(), NONE);
}

TEST(a_node_is_asked_for_its_name_and_all_its_ports)
{
    make_star(0);
    sweep_branches_ask_name(branches, 0);
    sweep_branches_ask_ports(branches, 0, 0, 254);
    check_next(0, false, false, 0);
    for (unsigned i = 0; i <= 254; i++)
        check_next(0, false, true, (uint8_t)i);
    assert_int_equal(next_branch(), NONE);
}

TEST(a_node_comes_before_the_branches_behind_it)
{
    make_star(2);
    uint32_t behind = sweep_branches_add(branches, 1, 4);
    sweep_branches_ask_ports(branches, 1, 2, 3);
    check_next(1, false, true, 2);
    check_next(1, false, true, 3);
    check_next(behind, true, false, 0);
    assert_int_equal(next_branch(), NONE);
}

TEST(branches_take_turns)
{
    make_star(3);
    sweep_branches_ask_ports(branches, 1, 1, 100);
    sweep_branches_ask_ports(branches, 2, 1, 2);
    sweep_branches_ask_ports(branches, 3, 1, 1);
    static const uint32_t ORDER[] = {1, 2, 3, 1, 2, 1, 1, 1};
    for (size_t i = 0; i < COUNT(ORDER); i++)
        assert_int_equal(next_branch(), ORDER[i]);
}

// A port has one turn in each round, for any number of branches behind the port.
TEST(a_large_branch_has_the_turns_of_one)
{
    make_star(2);
    for (uint8_t i = 1; i <= 100; i++)
        sweep_branches_add(branches, 1, i);
    sweep_branches_ask_ports(branches, 2, 1, 50);
    unsigned of_two = 0;
    for (int i = 0; i < 100; i++)
        of_two += next_branch() == 2;
    assert_int_equal(of_two, 50);
    for (int i = 0; i < 50; i++)
        assert_in_range(next_branch(), 3, 102);
    assert_int_equal(next_branch(), NONE);
}

// However many of a node's ports lead to strangers, they have one turn in each round.
TEST(strangers_have_the_turns_of_one)
{
    enum { STRANGERS = 20, HONEST = 50 };
    uint32_t strangers[STRANGERS];
    make_star(1);
    for (uint8_t i = 1; i <= STRANGERS; i++) {
        const uint32_t one = sweep_branches_add(branches, 1, i);
        check_next(one, true, false, 0);
        sweep_branches_answered(branches, one, one, 2, true);
        assert_int_equal(sweep_branches_at(branches, one).parent, 1);
        strangers[i - 1] = one;
    }
    for (int i = 0; i < STRANGERS; i++)
        sweep_branches_ask_ports(branches, strangers[i], 1, 100);
    const uint32_t honest = sweep_branches_add(branches, 1, STRANGERS + 1);
    unsigned turns = 0, of_honest = 0;
    sweep_branches_ask_ports(branches, honest, 1, HONEST - 1); // and NodeInfo
    for (; of_honest < HONEST; turns++)
        of_honest += next_branch() == honest;
    assert_in_range(turns, HONEST, 2 * HONEST + 1);
    for (turns = 0; next_branch() != NONE; turns++)
        assert_in_range(turns, 0, STRANGERS * 100);
    assert_in_range(turns, STRANGERS * 100 - HONEST - 1, STRANGERS * 100 - HONEST + 1);
}

TEST(a_stranger_has_the_route_of_its_port)
{
    uint8_t path[SMP_HOPS_MAX];
    make_star(1);
    const uint32_t one = sweep_branches_add(branches, 1, 7);
    check_next(one, true, false, 0);
    sweep_branches_answered(branches, one, 5, 2, true);
    const uint32_t behind = sweep_branches_add(branches, one, 9);
    check_next(behind, true, false, 0);
    sweep_branches_answered(branches, behind, 6, 3, true);
    assert_int_equal(sweep_branches_path(branches, behind, path), 3);
    assert_memory_equal(path, ((uint8_t[]){1, 7, 9}), 3);
    assert_int_equal(sweep_branches_at(branches, behind).parent, one);
    assert_int_equal(sweep_branches_at(branches, behind).hops, 3);
    assert_int_equal(sweep_branches_count(branches), 5); // those two, and one for both
}

TEST(a_late_branch_passes_while_others_want_turns)
{
    make_star(3);
    for (uint32_t i = 1; i <= 3; i++)
        sweep_branches_ask_ports(branches, i, 1, 100);
    sweep_branches_waited(branches, 2, LATE_US);
    for (int i = 0; i < 200; i++)
        assert_int_not_equal(next_branch(), 2);
    for (int i = 0; i < 100; i++)
        assert_int_equal(next_branch(), 2);
    assert_int_equal(next_branch(), NONE);
}

TEST(who_answers_in_milliseconds_is_not_late)
{
    make_star(2);
    sweep_branches_ask_ports(branches, 1, 1, 10);
    sweep_branches_ask_ports(branches, 2, 1, 10);
    sweep_branches_waited(branches, 1, 4000);
    static const uint32_t ORDER[] = {1, 2, 1, 2};
    for (size_t i = 0; i < COUNT(ORDER); i++)
        assert_int_equal(next_branch(), ORDER[i]);
}

// The turns to pass have a bound.
TEST(a_wait_of_weeks_counts_as_one_of_a_minute)
{
    make_star(2);
    sweep_branches_waited(branches, 2, INT64_MAX);
    sweep_branches_waited(branches, 2, INT64_MAX);
    sweep_branches_ask_ports(branches, 2, 1, 1);
    uint32_t branch = 1;
    for (int i = 0; i <= 1000000 && branch == 1; i++) {
        sweep_branches_ask_ports(branches, 1, 1, 1);
        branch = next_branch();
    }
    assert_int_equal(branch, 2);
}

TEST(late_branches_take_turns_if_all_are_late)
{
    make_star(2);
    for (uint32_t i = 1; i <= 2; i++) {
        sweep_branches_ask_ports(branches, i, 1, 100);
        sweep_branches_waited(branches, i, LATE_US);
    }
    unsigned of_two = 0;
    for (int i = 0; i < 100; i++)
        of_two += next_branch() == 2;
    assert_int_equal(of_two, 50);
}

TEST(a_branch_passes_for_a_time_only)
{
    make_star(2);
    sweep_branches_waited(branches, 2, LATE_US);
    sweep_branches_ask_ports(branches, 2, 1, 2);
    for (unsigned i = 0; i < LATE_TURNS; i++) {
        sweep_branches_ask_ports(branches, 1, 1, 1);
        assert_int_equal(next_branch(), 1);
    }
    sweep_branches_ask_ports(branches, 1, 1, 2);
    unsigned of_two = 0;
    for (int i = 0; i < 3; i++)
        of_two += next_branch() == 2;
    assert_in_range(of_two, 1, 2);
}

TEST(what_is_postponed_comes_once_more_when_all_is_answered)
{
    struct sweep_branches_query query;
    make_star(1);
    uint32_t claim = sweep_branches_add(branches, 1, 7);
    check_next(claim, true, false, 0);
    assert_true(sweep_branches_postpone(branches, claim));
    sweep_branches_ask_name(branches, 1);
    assert_true(sweep_branches_next(branches, true, &query));
    assert_int_equal(query.branch, 1);
    assert_false(sweep_branches_next(branches, false, &query));
    assert_true(sweep_branches_next(branches, true, &query));
    assert_int_equal(query.branch, claim);
    assert_true(query.is_node);
    assert_false(sweep_branches_postpone(branches, claim));
    assert_false(sweep_branches_next(branches, true, &query));
}

TEST(a_route_has_the_ports_on_the_way)
{
    uint8_t path[SMP_HOPS_MAX];
    uint32_t at = sweep_branches_add(branches, NONE, 0);
    assert_int_equal(sweep_branches_path(branches, at, path), 0);
    for (uint8_t i = 1; i <= SMP_HOPS_MAX; i++)
        at = sweep_branches_add(branches, at, (uint8_t)(i + 100));
    assert_int_equal(sweep_branches_at(branches, at).hops, SMP_HOPS_MAX);
    assert_int_equal(sweep_branches_path(branches, at, path), SMP_HOPS_MAX);
    for (unsigned i = 0; i < SMP_HOPS_MAX; i++)
        assert_int_equal(path[i], i + 101);
    for (unsigned i = 0; i <= SMP_HOPS_MAX; i++)
        assert_int_equal(next_branch(), i);
}

static bool is_below(void *ctx, uint32_t node)
{
    return node < *(const uint32_t *)ctx;
}

static void take_turns(uint32_t branch, uint8_t count)
{
    sweep_branches_ask_ports(branches, branch, 1, count);
    for (uint8_t i = 0; i < count; i++)
        assert_int_equal(next_branch(), branch);
}

TEST(the_largest_branch_is_the_one_to_blame)
{
    uint32_t all = NONE;
    make_star(3);
    uint32_t behind = sweep_branches_add(branches, 2, 9);
    assert_int_equal(next_branch(), behind);
    sweep_branches_answered(branches, behind, behind, 1, false);
    take_turns(1, 10);
    take_turns(3, 10);
    take_turns(behind, 200);
    assert_int_equal(sweep_branches_largest(branches, is_below, &all), behind);
    all = 2; // the node before it is not known
    assert_int_equal(sweep_branches_largest(branches, is_below, &all), 2);
    sweep_branches_waited(branches, 3, LATE_US); // it took more than all turns together
    assert_int_equal(sweep_branches_largest(branches, is_below, &all), 3);
}

// A busy host answers itself late; that says nothing about the fabric.
TEST(the_own_node_is_not_to_blame)
{
    uint32_t all = NONE;
    make_star(1);
    sweep_branches_waited(branches, 0, LATE_US);
    take_turns(1, 10);
    assert_int_equal(sweep_branches_largest(branches, is_below, &all), 1);
}

#define BRANCHES_TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BRANCHES_TEST(nothing_waits_at_first),
        BRANCHES_TEST(a_node_is_asked_for_its_name_and_all_its_ports),
        BRANCHES_TEST(a_node_comes_before_the_branches_behind_it),
        BRANCHES_TEST(branches_take_turns),
        BRANCHES_TEST(a_large_branch_has_the_turns_of_one),
        BRANCHES_TEST(strangers_have_the_turns_of_one),
        BRANCHES_TEST(a_stranger_has_the_route_of_its_port),
        BRANCHES_TEST(a_late_branch_passes_while_others_want_turns),
        BRANCHES_TEST(who_answers_in_milliseconds_is_not_late),
        BRANCHES_TEST(a_wait_of_weeks_counts_as_one_of_a_minute),
        BRANCHES_TEST(late_branches_take_turns_if_all_are_late),
        BRANCHES_TEST(a_branch_passes_for_a_time_only),
        BRANCHES_TEST(what_is_postponed_comes_once_more_when_all_is_answered),
        BRANCHES_TEST(a_route_has_the_ports_on_the_way),
        BRANCHES_TEST(the_largest_branch_is_the_one_to_blame),
        BRANCHES_TEST(the_own_node_is_not_to_blame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
