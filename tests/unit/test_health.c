// SPDX-License-Identifier: BSD-2-Clause
// The verdicts on the gateway and on the fabric.
#include "support.h"

#include "base/clock.h"
#include "health/health.h"

static struct sa_status sa;
static struct journal_status journal;
static struct sweeper_status sweep;
static struct receiver_status statuses[20];
static struct health_receiver receivers[20];
static struct alarm_counts alarms;
static struct alarm worst, own;
static struct maintenance windows;
static struct health_facts facts;
static struct health health;

// A gateway that works, with two receivers.
static int begin(void **state)
{
    (void)state;
    sa = (struct sa_status){.open = true, .sm_answers = true, .has_sa_key = true};
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        sa.subscriptions[i] =
            (struct subscription){.trap = i == 0 ? 257 : 64, .state = SUBSCRIPTION_SUBSCRIBED};
    journal =
        (struct journal_status){.durable = true, .rows = 5, .alarms = 2, .alarms_of = {[3] = 2}};
    sweep = (struct sweeper_status){.method = SWEEP_SMP,
                                    .last_begin_us = SUPPORT_UTC_US - 10 * CLOCK_US_PER_S};
    memset(statuses, 0, sizeof statuses);
    for (size_t i = 0; i < COUNT(receivers); i++)
        receivers[i] = (struct health_receiver){"nms", &statuses[i]};
    memset(&alarms, 0, sizeof alarms);
    memset(&windows, 0, sizeof windows);
    worst = (struct alarm){.event_sequence = 7, .text = "leaf7 left the fabric."};
    own = (struct alarm){.text = "Receiver nms fails."};
    facts = (struct health_facts){.now_us = SUPPORT_UTC_US,
                                  .uptime_us = 3600 * CLOCK_US_PER_S,
                                  .sa = &sa,
                                  .journal = &journal,
                                  .sweep = &sweep,
                                  .sweep_interval_us = 60 * CLOCK_US_PER_S,
                                  .receivers = receivers,
                                  .receiver_count = 2,
                                  .alarms = &alarms,
                                  .windows = &windows};
    return 0;
}

static void expect_of(enum health_about about, enum health_state state, const char *line)
{
    char buffer[HEALTH_LINE_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    health_judge(&facts, &health);
    health_add_line(&health, about, &t);
    assert_string_equal(buffer, line);
    assert_int_equal(health.of[about].state, state);
}

static void expect(enum health_state state, const char *line)
{
    expect_of(HEALTH_OF_GATEWAY, state, line);
}

static void expect_fabric(enum health_state state, const char *line)
{
    expect_of(HEALTH_OF_FABRIC, state, line);
}

TEST(a_gateway_that_works_is_ok)
{
    expect(HEALTH_OK, "OK: 17 of 17 subscriptions, swept 10 s ago, 2 receivers");
    assert_true(health.ready);
    assert_int_equal(health.alarms_of[SEVERITY_ERROR], 2);
    facts.standby = true;
    sweep.method = SWEEP_OFF;
    facts.receiver_count = journal.alarms = 1;
    expect(HEALTH_OK, "OK: 17 of 17 subscriptions, 1 receiver, standby");
    assert_int_equal(health.sweep_age_s, -1);
}

TEST(without_reports_it_is_critical)
{
    sa.sm_answers = false;
    expect(HEALTH_CRITICAL, "CRITICAL: the subnet manager does not answer");
    assert_false(health.ready);
    sa.sm_answers = true;
    snprintf(sa.problem, sizeof sa.problem, "port is down\n");
    expect(HEALTH_CRITICAL, "CRITICAL: port is down?");
    sa.open = false;
    sa.problem[0] = '\0';
    expect(HEALTH_CRITICAL, "CRITICAL: no InfiniBand port is open");
    sa.open = true;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        sa.subscriptions[i].state = SUBSCRIPTION_NO_ANSWER;
    expect(HEALTH_CRITICAL, "CRITICAL: the subnet manager has confirmed no subscription");
    assert_false(health.ready);
}

TEST(at_its_start_it_is_a_warning)
{
    sa.open = false;
    facts.uptime_us = 0;
    expect(HEALTH_WARNING, "WARNING: no InfiniBand port is open");
    assert_false(health.ready);
}

TEST(a_security_trap_is_missed_with_a_key_only)
{
    sa.subscriptions[0].state = SUBSCRIPTION_REJECTED;
    expect(HEALTH_WARNING, "WARNING: 1 of 17 subscriptions are missing");
    assert_true(health.ready);
    sa.has_sa_key = false;
    expect(HEALTH_OK, "OK: 16 of 17 subscriptions, swept 10 s ago, 2 receivers");
}

TEST(a_journal_in_memory_is_critical)
{
    journal.durable = false;
    snprintf(journal.problem, sizeof journal.problem, "the disk is full");
    expect(HEALTH_CRITICAL, "CRITICAL: the journal is in memory only: the disk is full");
}

TEST(a_sweep_is_missed_after_three_intervals_and_a_minute)
{
    sweep.last_begin_us = SUPPORT_UTC_US - 240 * CLOCK_US_PER_S;
    expect(HEALTH_OK, "OK: 17 of 17 subscriptions, swept 4 min ago, 2 receivers");
    sweep.last_begin_us -= CLOCK_US_PER_S;
    expect(HEALTH_WARNING, "WARNING: the last sweep of the fabric was 241 s ago");
    sweep.last_begin_us = 0;
    expect(HEALTH_WARNING, "WARNING: no sweep of the fabric has ended yet");
    snprintf(sweep.problem, sizeof sweep.problem, "no answer");
    expect(HEALTH_WARNING, "WARNING: the last sweep of the fabric: no answer");
    sweep.last_begin_us = SUPPORT_UTC_US + CLOCK_US_PER_S; // the clock was set back
    sweep.problem[0] = '\0';
    expect(HEALTH_OK, "OK: 17 of 17 subscriptions, swept 0 s ago, 2 receivers");
}

TEST(one_of_the_receivers_is_a_warning_all_are_critical)
{
    snprintf(statuses[1].problem, sizeof statuses[1].problem, "refused");
    statuses[0].lag = 7;
    expect(HEALTH_WARNING, "WARNING: receiver nms fails: refused");
    assert_int_equal(health.failing, 1);
    assert_int_equal(health.waiting, 7);
    statuses[0].paused = true;
    expect(HEALTH_WARNING, "WARNING: receiver nms is paused; receiver nms fails: refused");
    statuses[0].paused = false;
    snprintf(statuses[0].problem, sizeof statuses[0].problem, "no route");
    expect(HEALTH_CRITICAL, "CRITICAL: receiver nms fails: no route; receiver nms fails: refused");
}

TEST(the_worst_come_first_and_there_is_room_for_so_many)
{
    facts.reload_refused = true;
    facts.receiver_count = COUNT(receivers);
    for (size_t i = 0; i < COUNT(receivers); i++)
        statuses[i].paused = true;
    journal.durable = false;
    expect(HEALTH_CRITICAL, "CRITICAL: the journal is in memory only; receiver nms is paused; "
                            "receiver nms is paused; and 13 more");
    assert_int_equal(health.of[HEALTH_OF_GATEWAY].count, HEALTH_FINDINGS_MAX);
}

TEST(a_refused_reload_is_a_warning)
{
    facts.reload_refused = true;
    expect(HEALTH_WARNING, "WARNING: the last reload was refused: ibtrapctl status says why, and "
                           "the former configuration is in force");
}

static void open_alarms(enum severity severity, uint32_t count)
{
    alarms.open[severity] = count;
    alarms.by_standing[ALARM_OPEN] += count;
}

TEST(the_worst_alarm_is_the_verdict_on_the_fabric)
{
    sweep.nodes = 12;
    expect_fabric(HEALTH_OK, "OK: no open alarm, 12 nodes");
    facts.worst = &worst;
    worst.severity = SEVERITY_NOTICE;
    open_alarms(SEVERITY_NOTICE, 1);
    expect_fabric(HEALTH_OK, "OK: leaf7 left the fabric");
    worst.severity = SEVERITY_ERROR;
    worst.consequences = 97;
    open_alarms(SEVERITY_ERROR, 1);
    open_alarms(SEVERITY_WARNING, 2);
    expect_fabric(HEALTH_CRITICAL, "CRITICAL: leaf7 left the fabric, and 97 alarms that follow; "
                                   "further alarms: 2 of severity warning, 1 of severity notice");
    assert_int_equal(health.worst_number, 7);
    assert_int_equal(health_worse(&health), HEALTH_OF_FABRIC);
    expect(HEALTH_OK, "OK: 17 of 17 subscriptions, swept 10 s ago, 2 receivers");
    worst.severity = SEVERITY_WARNING;
    worst.consequences = 1;
    memset(&alarms, 0, sizeof alarms);
    open_alarms(SEVERITY_WARNING, 1);
    expect_fabric(HEALTH_WARNING, "WARNING: leaf7 left the fabric, and 1 alarm that follows");
    journal.durable = false;
    health_judge(&facts, &health);
    assert_int_equal(health_worse(&health), HEALTH_OF_GATEWAY);
}

TEST(the_number_of_consequences_stays_behind_a_long_sentence)
{
    char line[HEALTH_LINE_SIZE];
    struct text t = text_in(line, sizeof line);
    memset(worst.text, 'x', sizeof worst.text - 1);
    worst.consequences = 4000000000U;
    facts.worst = &worst;
    open_alarms(SEVERITY_EMERGENCY, 1);
    health_judge(&facts, &health);
    health_add_line(&health, HEALTH_OF_FABRIC, &t);
    assert_non_null(strstr(line, "xxx..., and 4000000000 alarms that follow"));
}

TEST(handled_alarms_are_counted_only)
{
    alarms.by_standing[ALARM_HANDLED] = 2;
    alarms.by_standing[ALARM_FOLLOWS] = 5;
    expect_fabric(HEALTH_OK, "OK: no open alarm, 2 acknowledged, shelved or disabled, 5 following "
                             "from others");
}

TEST(a_mute_of_all_nodes_is_a_warning)
{
    windows.count = 2;
    strcpy(windows.windows[0].name, "rack7");
    strcpy(windows.windows[1].name, "rack8");
    windows.windows[0].until_us = windows.windows[1].until_us =
        SUPPORT_UTC_US + 300 * CLOCK_US_PER_S;
    windows.windows[0].nodes.count = windows.windows[1].nodes.count = 1;
    strcpy(windows.windows[0].nodes.patterns[0], "node*");
    strcpy(windows.windows[1].nodes.patterns[0], "leaf1");
    alarms.by_standing[ALARM_IN_MAINTENANCE] = 3;
    expect_fabric(HEALTH_OK, "OK: no open alarm, 3 in maintenance");
    strcpy(windows.windows[1].who, "alice (uid 1000)");
    strcpy(windows.windows[1].nodes.patterns[0], "*");
    expect_fabric(
        HEALTH_WARNING,
        "WARNING: all nodes are in maintenance until 2026-11-21T03:24:03Z (rack8, by alice "
        "(uid 1000)), and receivers are told of nothing: 3 active alarms are held back");
    windows.windows[1].nodes.count = 0;
    assert_true(maintenance_covers_all(&windows.windows[1]));
    windows.windows[1].until_us = SUPPORT_UTC_US;
    expect_fabric(HEALTH_OK, "OK: no open alarm, 3 in maintenance");
}

TEST(an_alarm_of_the_gateway_is_a_finding_where_no_other_is)
{
    facts.own = &own;
    expect(HEALTH_WARNING, "WARNING: Receiver nms fails");
    snprintf(statuses[1].problem, sizeof statuses[1].problem, "refused");
    expect(HEALTH_WARNING, "WARNING: receiver nms fails: refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_gateway_that_works_is_ok, begin),
        cmocka_unit_test_setup(without_reports_it_is_critical, begin),
        cmocka_unit_test_setup(at_its_start_it_is_a_warning, begin),
        cmocka_unit_test_setup(a_security_trap_is_missed_with_a_key_only, begin),
        cmocka_unit_test_setup(a_journal_in_memory_is_critical, begin),
        cmocka_unit_test_setup(a_sweep_is_missed_after_three_intervals_and_a_minute, begin),
        cmocka_unit_test_setup(one_of_the_receivers_is_a_warning_all_are_critical, begin),
        cmocka_unit_test_setup(the_worst_come_first_and_there_is_room_for_so_many, begin),
        cmocka_unit_test_setup(a_refused_reload_is_a_warning, begin),
        cmocka_unit_test_setup(the_worst_alarm_is_the_verdict_on_the_fabric, begin),
        cmocka_unit_test_setup(the_number_of_consequences_stays_behind_a_long_sentence, begin),
        cmocka_unit_test_setup(handled_alarms_are_counted_only, begin),
        cmocka_unit_test_setup(a_mute_of_all_nodes_is_a_warning, begin),
        cmocka_unit_test_setup(an_alarm_of_the_gateway_is_a_finding_where_no_other_is, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
