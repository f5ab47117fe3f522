// SPDX-License-Identifier: BSD-2-Clause
// What counts of the events that a link has, across restarts, with pipeline, policy and journal.
#include "generated.h"
#include "pipeline_fixture.h"
#include "policy_options.h"

#define MINUTE (60 * CLOCK_US_PER_S)
#define DAY    (24 * 60 * MINUTE)

#define CABLE "link 0x0000000000000010/1-0x0000000000000020/2"
#define KEY   "unreliable " CABLE

// LEFT's port 1 and RIGHT's port 2 are linked, and so are many of their other ports. A host hangs
// on LEFT's port 40, a host with two ports on port 41 of both.
enum { LEFT = 0x10, RIGHT = 0x20, HOST = 0x300, DUAL = 0x400, PARALLEL = 30 };

static struct link_history *history;
static struct link_history_limits limits;
static struct policy_rule rule;
static enum pipeline_role role;
static struct generated net;

static enum pipeline_role role_now(void *ctx, const struct fabric *fabric)
{
    (void)ctx, (void)fabric;
    return role;
}

static void start(void)
{
    struct pipeline_options options = parts_options();
    history = link_history_new(&limits);
    assert_non_null(history);
    options.link_history = history;
    options.role = role_now;
    policy_options_init(&options.policy);
    options.policy.rules = &rule;
    options.policy.rule_count = rule.name[0] != '\0';
    start_pipeline(&options);
}

static void stop(void)
{
    stop_pipeline();
    link_history_free(history);
}

static int begin(void **state)
{
    (void)state;
    parts_begin(NULL);
    limits = (struct link_history_limits){.occasions = 3, .window_us = 30 * DAY};
    rule = (struct policy_rule){0};
    role = PIPELINE_ACTIVE;
    generated_add(&net, FABRIC_SWITCH, LEFT, "left", 64);
    generated_add(&net, FABRIC_SWITCH, RIGHT, "right", 64);
    generated_link(&net, 0, 1, 1, 2);
    for (uint8_t i = 0; i < PARALLEL; i++)
        generated_link(&net, 0, (uint8_t)(3 + i), 1, (uint8_t)(3 + i));
    generated_link(&net, generated_add(&net, FABRIC_CA, HOST, "host", 1), 1, 0, 40);
    const uint32_t dual = generated_add(&net, FABRIC_CA, DUAL, "dual", 2);
    generated_link(&net, dual, 1, 0, 41);
    generated_link(&net, dual, 2, 1, 41);
    start();
    return 0;
}

static int end(void **state)
{
    (void)state;
    stop();
    parts_end();
    generated_clear(&net);
    net = (struct generated){0};
    return 0;
}

// Then lets the pipeline do what is due.
static void pass(int64_t us)
{
    pass_time(us);
    const uint64_t before = pipeline_progress(pipeline);
    for (int i = 0; i < 1000000 && pipeline_progress(pipeline) < before + 2; i++)
        pass_time(0);
}

static void sweep(void)
{
    pipeline_put_fabric(pipeline, generated_look(&net, 0));
    pass(2 * MINUTE);
}

static void restart(void)
{
    stop();
    reopen_journal();
    renew_topology();
    start();
    sweep();
}

static void unplug(void)
{
    generated_unlink(&net, 0, 1);
    sweep();
}

static void plug(void)
{
    generated_link(&net, 0, 1, 1, 2);
    sweep();
}

static void fail_once(void)
{
    unplug();
    plug();
    pass(DAY);
}

static bool is_unreliable(void)
{
    return journal_alarm_is_active(journal, KEY);
}

static struct event *find_event(enum catalogue_event type)
{
    struct event *found = NULL;
    for (int64_t i = journal_last(journal); i > 0 && !found; i--) {
        struct journal_item item = {0};
        if (journal_read_back(journal, i + 1, &item, 1) == 1 &&
            item.event->type == catalogue_get(type))
            found = event_ref(item.event);
        event_unref(item.event);
    }
    return found;
}

// NVIDIA's bring-up of links asks for an investigation.
TEST(a_second_failure_within_a_day_is_told)
{
    static const char *const TOLD[] = {
        "Port 1 of left (LID 1) to port 2 of right (LID 2) went down.",
        ("Port 1 of left (LID 1) to port 2 of right (LID 2) went down; the link failed 2 times "
         "within 24 hours: check its cable."),
        ("Port 1 of left (LID 1) to port 2 of right (LID 2) went down; the link failed 3 times "
         "within 24 hours: check its cable."),
        ("Port 1 of left (LID 1) to port 2 of right (LID 2) went down; the link failed 4 times "
         "within 30 days.")};
    sweep();
    for (size_t i = 0; i < COUNT(TOLD); i++) {
        unplug();
        struct event *event = find_event(CATALOGUE_LINK_DOWN);
        assert_non_null(event);
        assert_string_equal(event->text, TOLD[i]);
        event_unref(event);
        plug();
        pass(i == 0 ? 0 : i == 1 ? DAY / 2 : DAY);
        if (i == 1)
            restart(); // the journal remembers
    }
}

TEST(a_link_that_goes_down_on_three_days_is_unreliable)
{
    sweep();
    fail_once();
    fail_once();
    assert_false(is_unreliable());
    fail_once();
    assert_true(is_unreliable());
    struct event *event = find_event(CATALOGUE_LINK_UNRELIABLE);
    assert_non_null(event);
    assert_string_equal(
        event->text,
        "Port 1 of left (LID 1) to port 2 of right (LID 2) is unreliable: on 3 occasions in 30 "
        "days the link went down, flapped or had too many errors: 2026-11-21T03:21Z, "
        "2026-11-22T03:25Z, 2026-11-23T03:29Z. Check or replace its cable; then end this alarm "
        "with ibtrapctl alarms clear.");
    assert_int_equal(event->failures, 3);
    assert_int_equal(event->flaps + event->error_alarms, 0);
    assert_string_equal(event->suppressed, "");
    event_unref(event);
    pass(26 * DAY);
    assert_true(is_unreliable());
    pass(DAY);
    assert_false(is_unreliable());
    event = find_event(CATALOGUE_LINK_RELIABLE);
    assert_non_null(event);
    assert_non_null(strstr(event->text, "is no longer unreliable: 2 occasions in 30 days; the "
                                        "limit is 3."));
    event_unref(event);
}

TEST(the_journal_remembers_across_restarts)
{
    sweep();
    for (int i = 0; i < 3; i++) {
        fail_once();
        restart();
    }
    assert_true(is_unreliable());
    const int64_t last = journal_last(journal);
    restart();
    pass(DAY);
    assert_true(is_unreliable());
    assert_int_equal(journal_last(journal), last);
    pass(25 * DAY);
    restart();
    assert_true(is_unreliable());
    pass(3 * DAY);
    assert_false(is_unreliable());
}

TEST(a_standby_remembers_for_the_time_when_it_is_active)
{
    role = PIPELINE_STANDBY;
    sweep();
    fail_once();
    fail_once();
    role = PIPELINE_ACTIVE;
    fail_once();
    assert_true(is_unreliable());
}

static void start_maintenance(void *ctx, const struct pipeline_context *inside)
{
    struct maintenance_window window = {.name = "recabling",
                                        .until_us = inside->now_us + *(int64_t *)ctx};
    assert_true(policy_start_maintenance(inside->policy, &window, inside->now_us));
}

// The cable is still out when the window ends, and receivers are told so then.
TEST(maintenance_does_not_count_even_if_it_is_told_late)
{
    int64_t hour = 60 * MINUTE;
    sweep();
    for (int i = 0; i < 5; i++) {
        assert_true(pipeline_call(pipeline, start_maintenance, &hour));
        unplug();
        pass(2 * hour);
        struct event *told = find_event(CATALOGUE_LINK_DOWN);
        assert_non_null(told);
        assert_string_equal(told->suppressed, "");
        event_unref(told);
        plug();
        pass(DAY);
        if (i == 3)
            restart();
    }
    assert_int_equal(link_history_count(history), 0);
}

TEST(what_a_policy_disables_does_not_count)
{
    snprintf(rule.name, sizeof rule.name, "lab");
    rule.enabled = POLICY_NO;
    rule.severity = rule.category = POLICY_SAME;
    rule.hold_down_us = POLICY_SAME;
    sweep();
    restart();
    for (int i = 0; i < 4; i++)
        fail_once();
    assert_int_equal(link_history_count(history), 0);
}

TEST(an_alarm_that_was_held_down_counts_once)
{
    snprintf(rule.name, sizeof rule.name, "slow");
    rule.severity = rule.category = POLICY_SAME;
    rule.hold_down_us = 90 * MINUTE;
    sweep();
    restart();
    for (int i = 0; i < 2; i++) {
        unplug();
        pass(2 * 60 * MINUTE);
        struct event *told = find_event(CATALOGUE_LINK_DOWN);
        assert_true(told->retold);
        event_unref(told);
        plug();
        pass(DAY);
    }
    struct link_record worst;
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, &worst, 1), 1);
    assert_int_equal(worst.count, 2);
    assert_int_equal(link_record_incidents(&worst, LINK_FAILED), 2);
}

TEST(a_link_that_flaps_for_a_while_is_one_occasion)
{
    struct link_record worst;
    sweep();
    for (int i = 0; i < 6; i++) {
        generated_unlink(&net, 0, 1);
        pipeline_put_fabric(pipeline, generated_look(&net, 0));
        pass(10 * CLOCK_US_PER_S);
        generated_link(&net, 0, 1, 1, 2);
        pipeline_put_fabric(pipeline, generated_look(&net, 0));
        pass(10 * CLOCK_US_PER_S);
    }
    pass(10 * MINUTE);
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, &worst, 1), 1);
    assert_int_equal(worst.count, 1);
    assert_int_equal(link_record_incidents(&worst, LINK_FAILED), 6);
    assert_int_equal(link_record_incidents(&worst, LINK_FLAPPED), 1);
    restart();
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, &worst, 1), 1);
    assert_int_equal(link_record_incidents(&worst, LINK_FAILED), 6);
    assert_int_equal(link_record_incidents(&worst, LINK_FLAPPED), 1);
}

TEST(a_switch_that_fails_takes_no_link_with_it)
{
    sweep();
    for (int i = 0; i < 4; i++) {
        generated_remove(&net, 1);
        sweep();
        net.nodes[1].removed = false;
        generated_link(&net, 0, 1, 1, 2);
        for (uint8_t k = 0; k < PARALLEL; k++)
            generated_link(&net, 0, (uint8_t)(3 + k), 1, (uint8_t)(3 + k));
        sweep();
        pass(DAY);
    }
    // The same without a node that left: all its links were down when the sweep came.
    for (int i = 0; i < 4; i++) {
        for (uint8_t k = 0; k < PARALLEL; k++)
            generated_unlink(&net, 0, (uint8_t)(3 + k));
        sweep();
        for (uint8_t k = 0; k < PARALLEL; k++)
            generated_link(&net, 0, (uint8_t)(3 + k), 1, (uint8_t)(3 + k));
        sweep();
        pass(DAY);
    }
    assert_false(is_unreliable());
    restart();
    assert_false(is_unreliable());
    assert_int_equal(link_history_count(history), 0);
}

// It may have been restarted. A host that is there by another port was not.
TEST(a_host_that_leaves_with_its_only_link_does_not_count)
{
    struct link_record worst[2];
    sweep();
    for (int i = 0; i < 4; i++) {
        generated_remove(&net, 2);
        generated_unlink(&net, 3, 1);
        sweep();
        net.nodes[2].removed = false;
        generated_link(&net, 2, 1, 0, 40);
        generated_link(&net, 3, 1, 0, 41);
        sweep();
        pass(DAY);
    }
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, worst, 2), 1);
    assert_int_equal(worst[0].link.peer_guid, DUAL);
    assert_int_equal(worst[0].link.peer_port, 1);
    assert_int_equal(worst[0].count, 4);
    assert_true(worst[0].unreliable);
}

static void clear_by_hand(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx;
    assert_true(
        policy_clear_alarm(inside->policy, KEY, "cleared by root: new cable", inside->now_us));
}

TEST(clearing_by_hand_forgets_the_occasions_also_for_the_next_run)
{
    sweep();
    for (int i = 0; i < 3; i++)
        fail_once();
    assert_true(is_unreliable());
    assert_true(pipeline_call(pipeline, clear_by_hand, NULL));
    pass(DAY);
    assert_false(is_unreliable());
    fail_once();
    fail_once();
    restart();
    assert_false(is_unreliable());
    fail_once();
    assert_true(is_unreliable());
}

TEST(a_cable_that_is_elsewhere_ends_the_alarm)
{
    sweep();
    for (int i = 0; i < 3; i++)
        fail_once();
    assert_true(is_unreliable());
    generated_unlink(&net, 0, 1);
    generated_link(&net, 0, 1, 1, 60);
    sweep();
    assert_false(is_unreliable());
    restart();
    assert_false(is_unreliable());
}

TEST(a_clock_that_was_set_back_does_no_harm)
{
    sweep();
    for (int i = 0; i < 3; i++)
        fail_once();
    now.utc -= 400 * DAY;
    pass(DAY);
    assert_true(is_unreliable());
    restart();
    pass(DAY);
    assert_true(is_unreliable());
    now.utc += 400 * DAY;
    restart();
    assert_true(is_unreliable());
}

// An occasion from a time when the clock was far ahead takes no later occasion away.
TEST(a_clock_that_was_ahead_for_a_while_loses_no_later_occasion)
{
    struct link_record worst;
    limits.occasions = 4;
    restart();
    now.utc += 400 * DAY;
    fail_once();
    now.utc -= 400 * DAY;
    fail_once();
    fail_once();
    restart();
    pass(2 * MINUTE);
    assert_int_equal(link_history_list(history, LINK_WORST_FIRST, &worst, 1), 1);
    assert_int_equal(worst.count, 2);
    assert_int_equal(link_record_incidents(&worst, LINK_FAILED), 3);
    fail_once();
    fail_once();
    assert_true(is_unreliable());
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_second_failure_within_a_day_is_told),
        CASE(a_link_that_goes_down_on_three_days_is_unreliable),
        CASE(the_journal_remembers_across_restarts),
        CASE(a_standby_remembers_for_the_time_when_it_is_active),
        CASE(maintenance_does_not_count_even_if_it_is_told_late),
        CASE(what_a_policy_disables_does_not_count),
        CASE(an_alarm_that_was_held_down_counts_once),
        CASE(a_link_that_flaps_for_a_while_is_one_occasion),
        CASE(a_switch_that_fails_takes_no_link_with_it),
        CASE(a_host_that_leaves_with_its_only_link_does_not_count),
        CASE(clearing_by_hand_forgets_the_occasions_also_for_the_next_run),
        CASE(a_cable_that_is_elsewhere_ends_the_alarm),
        CASE(a_clock_that_was_set_back_does_no_harm),
        CASE(a_clock_that_was_ahead_for_a_while_loses_no_later_occasion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
