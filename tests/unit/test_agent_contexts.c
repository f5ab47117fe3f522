// SPDX-License-Identifier: BSD-2-Clause
// The SNMP contexts of end ports: the nodes with a context, and the memory of their ports.
#include "generated.h"
#include "support.h"

#include "agent/contexts.h"

static struct generated g;
static struct contexts *contexts;

static int begin(void **state)
{
    (void)state;
    g = (struct generated){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    contexts_free(contexts);
    contexts = NULL;
    generated_clear(&g);
    return 0;
}

static bool update(int64_t at)
{
    struct fabric *fabric = generated_look(&g, 0);
    const bool all = contexts_update(contexts, fabric, at);
    fabric_unref(fabric);
    return all;
}

static void start(enum contexts_of of)
{
    contexts = contexts_new(of);
    assert_non_null(contexts);
}

static bool is_there(uint64_t guid)
{
    for (size_t i = 0; i < contexts_count(contexts); i++) {
        if (contexts_guid(contexts, i) == guid)
            return true;
    }
    return false;
}

TEST(each_switch_has_one_or_each_end_port)
{
    static const struct {
        enum contexts_of of;
        size_t count;
    } CASES[] = {{CONTEXTS_OFF, 0}, {CONTEXTS_SWITCHES, 2}, {CONTEXTS_ALL, 2 + 2 + 3}};
    generated_add(&g, FABRIC_SWITCH, 0x300, "b", 4);
    generated_add(&g, FABRIC_SWITCH, 0x100, "a", 4);
    generated_add(&g, FABRIC_CA, 0x200, "host", 2);
    generated_add(&g, FABRIC_ROUTER, 0x400, "router", 3);
    for (size_t i = 0; i < COUNT(CASES); i++) {
        start(CASES[i].of);
        assert_true(update(1));
        assert_true(update(2)); // nobody gets a second one
        assert_int_equal(contexts_count(contexts), CASES[i].count);
        assert_int_equal(is_there(0x100), CASES[i].of != CONTEXTS_OFF);
        assert_int_equal(is_there(0x202), CASES[i].of == CONTEXTS_ALL);
        contexts_free(contexts);
        contexts = NULL;
    }
}

// Places do not change, because the master agent knows them in this order.
TEST(who_comes_later_comes_behind_and_who_leaves_stays)
{
    start(CONTEXTS_SWITCHES);
    generated_add(&g, FABRIC_SWITCH, 0x200, "first", 1);
    update(1);
    generated_add(&g, FABRIC_SWITCH, 0x100, "second", 1);
    generated_remove(&g, 0);
    update(2);
    assert_int_equal(contexts_count(contexts), 2);
    assert_int_equal(contexts_guid(contexts, 0), 0x200);
    assert_int_equal(contexts_guid(contexts, 1), 0x100);
}

TEST(a_change_of_state_is_remembered)
{
    start(CONTEXTS_SWITCHES);
    generated_add(&g, FABRIC_SWITCH, 0x100, "switch", 3);
    update(1000);
    assert_int_equal(contexts_changed_at(contexts, 0x100, 1), 0);
    generated_port(&g, 0, 1)->state = FABRIC_ACTIVE;
    update(2000);
    assert_int_equal(contexts_changed_at(contexts, 0x100, 1), 2000);
    assert_int_equal(contexts_changed_at(contexts, 0x100, 2), 0);
    update(3000);
    generated_port(&g, 0, 1)->known = false; // it does not answer: nobody knows
    generated_port(&g, 0, 1)->state = 0;
    update(4000);
    assert_int_equal(contexts_changed_at(contexts, 0x100, 1), 2000);
    assert_int_equal(contexts_changed_at(contexts, 0x100, 200), 0);
    assert_int_equal(contexts_changed_at(contexts, 0x999, 1), 0);
}

// Two switches whose port 0 has the same GUID, as after a mistake in firmware: their states differ,
// but no port of the one that the context shows changes.
TEST(twins_do_not_change_each_others_states)
{
    start(CONTEXTS_SWITCHES);
    const uint32_t first = generated_add(&g, FABRIC_SWITCH, 0x100, "first", 2);
    const uint32_t second = generated_add(&g, FABRIC_SWITCH, 0x200, "second", 2);
    generated_port(&g, second, 0)->guid = 0x100;
    generated_port(&g, first, 1)->state = FABRIC_ACTIVE;
    generated_port(&g, second, 1)->state = FABRIC_DOWN;
    for (int64_t at = 1; at < 4; at++)
        assert_true(update(at));
    assert_int_equal(contexts_count(contexts), 1);
    assert_int_equal(contexts_changed_at(contexts, 0x100, 1), 0);
}

TEST(there_is_room_for_some_thousands)
{
    start(CONTEXTS_SWITCHES);
    for (uint32_t i = 0; i < CONTEXTS_MAX; i++)
        generated_add(&g, FABRIC_SWITCH, 0, "switch", 1);
    assert_true(update(1));
    const uint32_t late = generated_add(&g, FABRIC_SWITCH, 0, "one too many", 1);
    assert_false(update(2));
    assert_int_equal(contexts_count(contexts), CONTEXTS_MAX);
    assert_false(is_there(g.nodes[late].node.guid));
    assert_false(contexts_has(contexts, generated_port(&g, late, 0)->guid));
    assert_true(contexts_has(contexts, generated_port(&g, 7, 0)->guid));
    generated_port(&g, 7, 1)->state = FABRIC_ACTIVE;
    assert_false(update(3));
    assert_int_equal(contexts_changed_at(contexts, g.nodes[7].node.guid, 1), 3);
}

// Each stands for many ports, and only its context has them.
TEST(switches_come_before_hosts)
{
    start(CONTEXTS_ALL);
    for (uint32_t i = 0; i < CONTEXTS_MAX; i++)
        generated_add(&g, FABRIC_CA, 0x1000 + i, "host", 1);
    const uint32_t last = generated_add(&g, FABRIC_SWITCH, 0xF0000, "the last one", 1);
    assert_false(update(1));
    assert_int_equal(contexts_count(contexts), CONTEXTS_MAX);
    assert_true(contexts_has(contexts, generated_port(&g, last, 0)->guid));
}

// A fabric that changes for years neither fills the contexts nor leaks: the one that has been gone
// for the longest time makes room, after a day.
TEST(who_has_been_gone_for_a_day_makes_room)
{
    const int64_t begun = -1000, left = 0, other_left = left + 10, day = CONTEXTS_KEEP_US;
    start(CONTEXTS_SWITCHES);
    for (uint32_t i = 0; i < CONTEXTS_MAX; i++)
        generated_add(&g, FABRIC_SWITCH, 0x1000 + i, "switch", 1);
    assert_true(update(begun));
    generated_remove(&g, 7);
    assert_true(update(left));
    generated_remove(&g, 5);
    assert_true(update(other_left));
    generated_add(&g, FABRIC_SWITCH, 0x10, "new", 1);
    assert_false(update(left + day - 1));
    assert_true(contexts_replaced(contexts) == 0);
    assert_true(update(left + day));
    assert_true(contexts_replaced(contexts) == 1);
    assert_int_equal(contexts_count(contexts), CONTEXTS_MAX);
    assert_true(contexts_guid(contexts, 7) == 0x10); // in the place of the first node that left
    assert_false(contexts_has(contexts, 0x1007));
    assert_true(contexts_has(contexts, 0x1005));
    generated_add(&g, FABRIC_SWITCH, 0x2000, "newer", 1);
    assert_false(update(other_left + day - 1));
    assert_true(update(other_left + day));
    assert_true(contexts_guid(contexts, 5) == 0x2000);
    for (size_t i = 0; i < CONTEXTS_MAX; i++)
        assert_true(contexts_has(contexts, contexts_guid(contexts, i)));
}

TEST(who_comes_back_keeps_its_context)
{
    const int64_t day = CONTEXTS_KEEP_US;
    start(CONTEXTS_SWITCHES);
    for (uint32_t i = 0; i < CONTEXTS_MAX; i++)
        generated_add(&g, FABRIC_SWITCH, 0x1000 + i, "switch", 1);
    assert_true(update(1));
    g.nodes[7].removed = true;
    assert_true(update(2));
    g.nodes[7].removed = false;
    assert_true(update(day));
    g.nodes[7].removed = true;
    assert_true(update(day + 1));
    generated_add(&g, FABRIC_SWITCH, 0x10, "new", 1);
    assert_false(update(2 * day));
    assert_true(contexts_has(contexts, 0x1007));
}

TEST(a_name_is_the_port_guid_and_no_other_name_is)
{
    static const char *const OTHERS[] = {"",
                                         "2c90200c10000",
                                         "0002C90200C10000",
                                         "0x02c90200c10000",
                                         " 002c90200c10000",
                                         "-002c90200c10000",
                                         "0002c90200c100000",
                                         "0000000000000000",
                                         "mlx5_0-1"};
    char name[CONTEXTS_NAME_SIZE];
    uint64_t guid;
    contexts_name(UINT64_C(0x0002c90200c10000), name);
    assert_string_equal(name, "0002c90200c10000");
    assert_true(contexts_read_name(name, &guid));
    assert_true(guid == UINT64_C(0x0002c90200c10000));
    for (size_t i = 0; i < COUNT(OTHERS); i++)
        assert_false(contexts_read_name(OTHERS[i], &guid));
}

#define CONTEXTS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTEXTS_TEST(each_switch_has_one_or_each_end_port),
        CONTEXTS_TEST(who_comes_later_comes_behind_and_who_leaves_stays),
        CONTEXTS_TEST(a_change_of_state_is_remembered),
        CONTEXTS_TEST(twins_do_not_change_each_others_states),
        CONTEXTS_TEST(there_is_room_for_some_thousands),
        CONTEXTS_TEST(switches_come_before_hosts),
        CONTEXTS_TEST(who_has_been_gone_for_a_day_makes_room),
        CONTEXTS_TEST(who_comes_back_keeps_its_context),
        CONTEXTS_TEST(a_name_is_the_port_guid_and_no_other_name_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
