// SPDX-License-Identifier: BSD-2-Clause
// Alarms that follow from a root cause, for receivers that do not get the root cause.
#include "policy_support.h"

static struct stage st;
static struct heard dead; // the root cause

static struct heard give_alarm(enum catalogue_event type, const char *key, const char *cause)
{
    struct event *e = stage_alarm(&st, type, key);
    snprintf(e->cause_id, sizeof e->cause_id, "%s", cause);
    return *stage_give(&st, e);
}

static void use_hold_down(int64_t s)
{
    static struct policy_rule rule;
    rule = (struct policy_rule){
        .severity = POLICY_SAME, .category = POLICY_SAME, .hold_down_us = s * S};
    strcpy(rule.name, "patience");
    strcpy(rule.events.patterns[0], "link-down");
    rule.events.count = 1;
    st.options.rules = &rule;
    st.options.rule_count = 1;
    policy_change_options(st.policy, &st.options, st.time.monotonic);
}

static int open_stage(void **state)
{
    (void)state;
    st.options = (struct policy_options){
        .suppress_consequences = true, .has_filters = true, .has_partner = true};
    stage_open(&st);
    return 0;
}

static int close_stage(void **state)
{
    (void)state;
    stage_close(&st);
    return 0;
}

static void lose_switch(void)
{
    dead = give_alarm(CATALOGUE_SWITCH_REMOVED, "node 1", "");
    assert_string_equal(dead.held, "");
}

static void check_apart(const struct heard *h, const char *held, int64_t cause)
{
    assert_string_equal(h->held, held);
    assert_true(h->apart);
    assert_int_equal(h->cause_number, cause);
}

TEST(they_get_what_follows_and_its_end)
{
    lose_switch();
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id);
    check_apart(&down, "consequence", dead.number);
    stage_wait(&st, 86400 * S);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, "link 1", "");
    check_apart(&up, "never-notified", 0);
    assert_int_equal(st.count, 3);
}

TEST(there_may_be_none_of_them)
{
    st.options.has_filters = false;
    policy_change_options(st.policy, &st.options, st.time.monotonic);
    lose_switch();
    assert_false(give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id).apart);
    assert_false(give_alarm(CATALOGUE_LINK_DOWN, "link 2", dead.id).apart);
    assert_false(give_alarm(CATALOGUE_LINK_UP, "link 2", "").apart);
    st.options.has_filters = true; // until a reload gives one receiver a filter
    policy_change_options(st.policy, &st.options, st.time.monotonic);
    stage_wait(&st, S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 1);
    assert_true(give_alarm(CATALOGUE_LINK_UP, "link 1", "").apart);
}

TEST(what_everybody_knows_in_the_end_ends_for_everybody)
{
    lose_switch();
    give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id);
    give_alarm(CATALOGUE_SWITCH_ADDED, "node 1", "");
    stage_wait(&st, 200 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, "link 1", "");
    assert_string_equal(up.held, "");
    assert_false(up.apart);
}

TEST(other_reasons_hold_for_them_too)
{
    use_hold_down(30);
    lose_switch();
    assert_false(give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id).apart);
    assert_false(give_alarm(CATALOGUE_LINK_DOWN, "link 2", dead.id).apart);
    stage_wait(&st, 29 * S);
    assert_false(give_alarm(CATALOGUE_LINK_UP, "link 2", "").apart);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 0);
    stage_wait(&st, 2 * S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 1);
    check_apart(&st.all[st.count - 1], "consequence", dead.number);
    assert_string_equal(st.all[st.count - 1].key, "link 1");
    assert_true(give_alarm(CATALOGUE_LINK_UP, "link 1", "").apart);
}

TEST(a_gateway_that_stands_by_leaves_them_to_the_other_until_it_is_active)
{
    policy_set_active(st.policy, false, st.time.monotonic);
    dead = give_alarm(CATALOGUE_SWITCH_REMOVED, "node 1", "");
    assert_false(give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id).apart);
    assert_false(give_alarm(CATALOGUE_LINK_DOWN, "link 2", dead.id).apart);
    assert_false(give_alarm(CATALOGUE_LINK_UP, "link 2", "").apart);
    stage_wait(&st, 3600 * S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 0);
    policy_set_active(st.policy, true, st.time.monotonic);
    stage_wait(&st, S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 0);
    policy_confirm(st.policy, st.time.monotonic); // a sweep has seen the same state again
    stage_wait(&st, S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 1); // the other may have failed
    policy_set_active(st.policy, false, st.time.monotonic);
    assert_true(give_alarm(CATALOGUE_LINK_UP, "link 1", "").apart); // it may not know of it
}

TEST(a_new_root_cause_may_be_one_that_others_do_not_hear_of)
{
    lose_switch();
    give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id);
    const struct heard other = give_alarm(CATALOGUE_SWITCH_REMOVED, "node 2", "");
    policy_set_cause(st.policy, "link 1", "node 2", st.time.monotonic);
    stage_wait(&st, S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 2);
    check_apart(&st.all[st.count - 1], "consequence", other.number);
    policy_set_cause(st.policy, "link 1", "node 2", st.time.monotonic);
    stage_wait(&st, 3600 * S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 2);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, "link 1", "");
    check_apart(&up, "never-notified", 0); // whichever of the two somebody did not hear of
}

static void restore(const struct heard *raise, const char *notified_id, const char *cause_id,
                    enum alarm_notified notified)
{
    struct alarm was = {.notified = notified, .last_sequence = raise->number};
    strcpy(was.key, raise->key);
    strcpy(was.event_id, raise->id);
    strcpy(was.notified_id, notified_id);
    strcpy(was.cause_id, cause_id);
    strcpy(was.type, raise->type->name);
    assert_true(policy_restore_alarm(st.policy, &was, 0, 0));
}

static void restart(const struct heard *down, bool active)
{
    const struct heard link = *down;
    policy_free(st.policy);
    stage_open(&st);
    policy_set_active(st.policy, active, 0);
    restore(&dead, dead.id, "", ALARM_NOTIFIED);
    restore(&link, "", dead.id, ALARM_NOT_NOTIFIED);
}

TEST(after_a_restart_they_are_not_notified_twice)
{
    lose_switch();
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id);
    restart(&down, true);
    stage_wait(&st, 3600 * S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 1);
    assert_true(give_alarm(CATALOGUE_LINK_UP, "link 1", "").apart);
}

TEST(after_a_restart_they_get_what_they_were_to_get)
{
    use_hold_down(30);
    lose_switch();
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id);
    restart(&down, true);
    stage_wait(&st, 3600 * S);
    assert_int_equal(stage_apart(&st, CATALOGUE_LINK_DOWN), 1);
}

TEST(a_gateway_that_stands_by_after_a_restart_ends_what_it_notified)
{
    lose_switch();
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id);
    restart(&down, false);
    assert_true(give_alarm(CATALOGUE_LINK_UP, "link 1", "").apart);
    assert_false(give_alarm(CATALOGUE_LINK_DOWN, "link 1", dead.id).apart);
    assert_false(give_alarm(CATALOGUE_LINK_UP, "link 1", "").apart);
}

int main(void)
{
#define HERE(test) cmocka_unit_test_setup_teardown(test, open_stage, close_stage)
    const struct CMUnitTest tests[] = {
        HERE(they_get_what_follows_and_its_end),
        HERE(there_may_be_none_of_them),
        HERE(what_everybody_knows_in_the_end_ends_for_everybody),
        HERE(other_reasons_hold_for_them_too),
        HERE(a_gateway_that_stands_by_leaves_them_to_the_other_until_it_is_active),
        HERE(a_new_root_cause_may_be_one_that_others_do_not_hear_of),
        HERE(after_a_restart_they_are_not_notified_twice),
        HERE(after_a_restart_they_get_what_they_were_to_get),
        HERE(a_gateway_that_stands_by_after_a_restart_ends_what_it_notified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
