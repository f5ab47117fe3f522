// SPDX-License-Identifier: BSD-2-Clause
// Which of two gateways notifies receivers: by the master subnet manager, and without one.
#include "pipeline/role.h"

#include "base/clock.h"
#include "generated.h"
#include "support.h"

#define S CLOCK_US_PER_S

static struct conf conf;
static struct role role;
static struct sa_status status;
static struct generated g;
static uint32_t own, other;

static int set_up(void **state)
{
    (void)state;
    conf = (struct conf){.fabric = {.with_master_sm = true, .without_sm_s = 120}};
    role = (struct role){0};
    g = (struct generated){0};
    const uint32_t leaf = generated_add(&g, FABRIC_SWITCH, 0x10, "leaf", 4);
    own = generated_add(&g, FABRIC_CA, 0xA0, "own", 1);
    other = generated_add(&g, FABRIC_CA, 0xB0, "other", 1);
    generated_link(&g, leaf, 1, own, 1);
    generated_link(&g, leaf, 2, other, 1);
    status = (struct sa_status){.now = 1000 * S};
    status.id.guid = generated_port(&g, own, 1)->guid;
    status.port.lid = generated_port(&g, own, 1)->lid;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    generated_clear(&g);
    return 0;
}

static enum pipeline_role by_port(void)
{
    return role_decide(&role, &conf, &status, NULL);
}

static enum pipeline_role by_sweep(void)
{
    struct fabric *fabric = generated_look(&g, 0);
    const enum pipeline_role now = role_decide(&role, &conf, &status, fabric);
    fabric_unref(fabric);
    return now;
}

static void name_master(uint32_t node)
{
    status.port.sm_lid = generated_port(&g, node, 1)->lid;
}

TEST(a_gateway_alone_is_active)
{
    conf.fabric.with_master_sm = false;
    assert_int_equal(by_port(), PIPELINE_ACTIVE);
    assert_int_equal(by_sweep(), PIPELINE_ACTIVE);
}

TEST(the_master_decides)
{
    name_master(own);
    generated_sm(&g, own, 1, 5, FABRIC_MASTER);
    assert_int_equal(by_port(), PIPELINE_ACTIVE);
    assert_int_equal(by_sweep(), PIPELINE_ACTIVE);
    name_master(other);
    generated_sm(&g, own, 1, 5, FABRIC_STANDBY);
    generated_sm(&g, other, 1, 6, FABRIC_MASTER);
    assert_int_equal(by_port(), PIPELINE_STANDBY);
    assert_int_equal(by_sweep(), PIPELINE_STANDBY);
}

TEST(without_a_master_the_last_one_goes_on_after_a_while)
{
    name_master(own);
    assert_int_equal(by_sweep(), PIPELINE_UNKNOWN); // a handover may be under way
    status.now += 119 * S;
    assert_int_equal(by_sweep(), PIPELINE_UNKNOWN);
    status.now += S;
    assert_int_equal(by_sweep(), PIPELINE_ACTIVE);
    assert_int_equal(by_port(), PIPELINE_ACTIVE);
}

TEST(without_a_master_the_other_one_stands_by)
{
    name_master(other);
    by_sweep();
    status.now += 120 * S;
    assert_int_equal(by_sweep(), PIPELINE_STANDBY); // its sweeps count, nobody hears of them
    assert_int_equal(by_port(), PIPELINE_STANDBY);
}

TEST(it_goes_on_if_the_last_master_is_gone)
{
    name_master(other);
    generated_remove(&g, other);
    by_sweep();
    assert_int_equal(by_port(), PIPELINE_STANDBY);
    status.now += 120 * S;
    assert_int_equal(by_sweep(), PIPELINE_ACTIVE);
    assert_int_equal(by_port(), PIPELINE_ACTIVE);
}

TEST(a_new_master_ends_it)
{
    name_master(own);
    by_sweep();
    status.now += 120 * S;
    assert_int_equal(by_sweep(), PIPELINE_ACTIVE);
    generated_sm(&g, other, 1, 6, FABRIC_MASTER);
    name_master(other);
    assert_int_equal(by_sweep(), PIPELINE_STANDBY);
    assert_int_equal(by_port(), PIPELINE_STANDBY);
    generated_sm(&g, other, 1, 6, FABRIC_NOT_ACTIVE);
    assert_int_equal(by_sweep(), PIPELINE_UNKNOWN); // the time begins anew
}

TEST(a_sweep_decides_until_the_port_knows)
{
    name_master(other);
    generated_sm(&g, own, 1, 5, FABRIC_MASTER);
    assert_int_equal(by_port(), PIPELINE_STANDBY);
    assert_int_equal(by_sweep(), PIPELINE_ACTIVE);
    assert_int_equal(by_port(), PIPELINE_ACTIVE); // the new master has not written PortInfo yet
    name_master(own);
    assert_int_equal(by_port(), PIPELINE_ACTIVE);
    generated_sm(&g, own, 1, 5, FABRIC_STANDBY);
    generated_sm(&g, other, 1, 6, FABRIC_MASTER);
    assert_int_equal(by_sweep(), PIPELINE_STANDBY);
    assert_int_equal(by_port(), PIPELINE_STANDBY);
    name_master(other);
    assert_int_equal(by_port(), PIPELINE_STANDBY);
    name_master(own);
    assert_int_equal(by_port(), PIPELINE_ACTIVE); // before the next sweep
}

// Of the result of a sweep.
static void check_words(bool active, const char *words)
{
    struct fabric *fabric = generated_look(&g, 0);
    assert_string_equal(role_words(&conf, &status, fabric, active), words);
    fabric_unref(fabric);
}

TEST(the_words_say_what_is)
{
    name_master(own);
    check_words(true, "there is no master subnet manager, and the last one ran at this port");
    assert_string_equal(role_words(&conf, &status, NULL, true),
                        "the master subnet manager runs at this port");
    name_master(other);
    check_words(false,
                "there is no master subnet manager, and the last one did not run at this port");
    check_words(true, "there is no master subnet manager, and the port of the last one has left "
                      "the fabric");
    generated_sm(&g, other, 1, 6, FABRIC_MASTER);
    check_words(false, "the master subnet manager does not run at this port");
    name_master(own);
    check_words(true, "the master subnet manager runs at this port");
    conf.fabric.with_master_sm = false;
    check_words(true, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_gateway_alone_is_active, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_master_decides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_master_the_last_one_goes_on_after_a_while, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_a_master_the_other_one_stands_by, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(it_goes_on_if_the_last_master_is_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_master_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_sweep_decides_until_the_port_knows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_words_say_what_is, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
