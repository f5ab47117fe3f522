// SPDX-License-Identifier: BSD-2-Clause
// More alarms than policy keeps events of, or than it keeps at all: what receivers get stays right.
#include "policy_options.h"
#include "support.h"

#include "event/event_builder.h"
#include "policy/policy.h"

#define S CLOCK_US_PER_S

enum { HOSTS = 48500, WAIT_TICKS_MAX = 2000000 };
static const char SWITCH[] = "node switch";

// The journal of this test: the fields for the late copy of an event, by number.
struct row {
    uint32_t host : 28, type : 4; // `type`: enum kind
};

enum kind { SWITCH_DOWN, SWITCH_UP, HOST_DOWN, HOST_UP, CABLE_DOWN, CABLE_UP, OTHER };

static const enum catalogue_event TYPES[] = {
    [SWITCH_DOWN] = CATALOGUE_SWITCH_REMOVED, [SWITCH_UP] = CATALOGUE_SWITCH_ADDED,
    [HOST_DOWN] = CATALOGUE_HOST_REMOVED,     [HOST_UP] = CATALOGUE_HOST_ADDED,
    [CABLE_DOWN] = CATALOGUE_LINK_DOWN,       [CABLE_UP] = CATALOGUE_LINK_UP,
};

static struct {
    struct policy_options options;
    struct policy *policy;
    struct support_chance chance;
    struct random random;
    struct row *rows;
    size_t count, room;
    int64_t now;
    unsigned made;
    size_t told[CATALOGUE_COUNT];
    size_t late;             // of those told: sent late
    uint8_t believed[HOSTS]; // what receivers believe is raised: 1: the host, 2: its link
    bool switch_believed;
} st;

static char cause[EVENT_ID_SIZE];

static struct event *make(enum kind kind, unsigned host)
{
    struct event *event = event_make(catalogue_get(TYPES[kind]));
    assert_non_null(event);
    event->subject.guid = event->subject.node_guid = host + 1;
    snprintf(event->id, sizeof event->id, "%d/%u", (int)kind, host);
    snprintf(event->subject.name, sizeof event->subject.name, "host%u", host);
    if (kind == SWITCH_DOWN || kind == SWITCH_UP)
        snprintf(event->alarm_key, sizeof event->alarm_key, "%s", SWITCH);
    else
        snprintf(event->alarm_key, sizeof event->alarm_key, "%s %u",
                 kind == HOST_DOWN || kind == HOST_UP ? "node" : "link", host);
    return event;
}

static enum kind kind_of(const struct event *event)
{
    for (int kind = 0; kind < OTHER; kind++) {
        if (event->type == catalogue_get(TYPES[kind]))
            return (enum kind)kind;
    }
    return OTHER;
}

static void stamp(void *ctx, struct event *event)
{
    (void)ctx;
    snprintf(event->id, sizeof event->id, "made-%u", st.made++);
}

static void believe(const struct event *event, enum kind kind, unsigned host)
{
    const bool raised = event->type->alarm == ALARM_RAISES;
    const uint8_t bit = kind == HOST_DOWN || kind == HOST_UP ? 1 : 2;
    st.told[event->type - catalogue_get((enum catalogue_event)0)]++;
    st.late += event->related_id[0] != '\0';
    if (kind == SWITCH_DOWN || kind == SWITCH_UP)
        st.switch_believed = raised;
    else if (kind != OTHER && host < HOSTS)
        st.believed[host] = (uint8_t)(raised ? st.believed[host] | bit : st.believed[host] & ~bit);
}

static void keep(struct event *event)
{
    const enum kind kind = kind_of(event);
    const unsigned host = (unsigned)(event->subject.guid - 1);
    if (st.count == st.room) {
        st.room = st.room ? 2 * st.room : 1024;
        st.rows = realloc(st.rows, st.room * sizeof *st.rows);
        assert_non_null(st.rows);
    }
    st.rows[st.count++] = (struct row){.host = host & 0xFFFFFFF, .type = (unsigned)kind & 15};
    event->number = (int64_t)st.count;
    if (event->suppressed[0] == '\0')
        believe(event, kind, host);
}

static struct event *read_back(void *ctx, int64_t number)
{
    (void)ctx;
    assert_true(number >= 1 && (size_t)number <= st.count);
    const struct row *row = &st.rows[number - 1];
    return row->type == OTHER ? NULL : make((enum kind)row->type, row->host);
}

static void drain(void)
{
    struct event *event;
    while ((event = policy_next(st.policy, st.now)) != NULL)
        keep(event);
}

static int begin(void **state)
{
    (void)state;
    const struct policy_sink sink = {.stamp = stamp, .read = read_back};
    memset(&st, 0, sizeof st);
    policy_options_init(&st.options);
    st.random = support_random(&st.chance);
    st.policy = policy_new(&st.options, &sink, &st.random);
    assert_non_null(st.policy);
    policy_set_active(st.policy, true, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    policy_free(st.policy);
    free(st.rows);
    return 0;
}

static void give(enum kind kind, unsigned host, const char *cause_id)
{
    struct event *event = make(kind, host);
    snprintf(event->cause_id, sizeof event->cause_id, "%s", cause_id);
    drain();
    policy_process(st.policy, event, st.now);
    drain();
    event_unref(event);
}

// Gives both events of every host, like one sweep.
static void give_all(bool down, const char *cause_id)
{
    for (unsigned host = 0; host < HOSTS; host++) {
        give(down ? HOST_DOWN : HOST_UP, host, cause_id);
        give(down ? CABLE_DOWN : CABLE_UP, host, cause_id);
    }
}

static void lose_switch(void)
{
    struct event *event = make(SWITCH_DOWN, HOSTS);
    snprintf(cause, sizeof cause, "%s", event->id);
    drain();
    policy_process(st.policy, event, st.now);
    drain();
    event_unref(event);
    give_all(true, cause);
}

static void wait_for(int64_t us)
{
    const int64_t until = st.now + us;
    unsigned ticks = 0;
    for (int64_t due; (due = policy_due(st.policy)) <= until;) {
        st.now = due > st.now ? due : st.now;
        drain();
        assert_true(++ticks < WAIT_TICKS_MAX);
    }
    st.now = until;
}

static size_t told(enum kind kind)
{
    return st.told[TYPES[kind]];
}

static size_t told_in_all(void)
{
    size_t n = 0;
    for (size_t i = 0; i < CATALOGUE_COUNT; i++)
        n += st.told[i];
    return n;
}

static size_t believed(void)
{
    size_t n = st.switch_believed;
    for (size_t i = 0; i < HOSTS; i++)
        n += st.believed[i] != 0;
    return n;
}

TEST(a_dead_switch_is_one_message_and_so_is_its_return)
{
    lose_switch();
    assert_int_equal(told_in_all(), 1);
    assert_true(st.switch_believed);
    wait_for(3600 * S);
    assert_int_equal(told_in_all(), 1);
    give(SWITCH_UP, HOSTS, "");
    give_all(false, "");
    wait_for(7200 * S);
    assert_int_equal(told(SWITCH_UP), 1);
    assert_int_equal(told_in_all(), 2);
    assert_int_equal(believed(), 0);
}

TEST(a_dead_switch_in_maintenance_is_no_message)
{
    const struct maintenance_window window = {.name = "night", .until_us = 7200 * S};
    assert_true(policy_start_maintenance(st.policy, &window, st.now));
    lose_switch();
    wait_for(3600 * S);
    assert_int_equal(told_in_all(), 0);
    give(SWITCH_UP, HOSTS, "");
    give_all(false, "");
    wait_for(7200 * S);
    assert_int_equal(told_in_all(), 0);
}

TEST(after_maintenance_the_switch_is_told_and_nothing_behind_it)
{
    const struct maintenance_window window = {.name = "night", .until_us = 3600 * S};
    assert_true(policy_start_maintenance(st.policy, &window, st.now));
    lose_switch();
    wait_for(7200 * S);
    assert_int_equal(told(SWITCH_DOWN), 1);
    assert_int_equal(told_in_all(), 1);
}

TEST(hosts_that_stay_away_are_told_at_a_bounded_rate)
{
    lose_switch();
    give(SWITCH_UP, HOSTS, "");
    for (unsigned host = 100; host < HOSTS; host++) {
        give(HOST_UP, host, "");
        give(CABLE_UP, host, "");
    }
    wait_for(3600 * S);
    assert_int_equal(told(HOST_DOWN), 100);
    assert_int_equal(told(CABLE_DOWN), 100);
    assert_int_equal(believed(), 100);
    assert_int_equal(st.late, 200);
}

// Without a root cause, they are a storm: the rest is told late, at the rate of storm control.
TEST(masses_without_a_root_cause_are_told_late_and_truly)
{
    const size_t at_once = 2 * st.options.storm_rate;
    give_all(true, "");
    assert_int_equal(told(HOST_DOWN) + told(CABLE_DOWN), at_once);
    wait_for(600 * S);
    const size_t by_now = told(HOST_DOWN) + told(CABLE_DOWN);
    assert_true(by_now > at_once && by_now <= at_once + 600 * st.options.storm_rate);
    give_all(false, "");
    wait_for(6 * 3600 * S);
    assert_int_equal(believed(), 0);
}

// Rules change while masses wait in the journal.
TEST(masses_that_a_rule_disables_are_not_told)
{
    struct policy_rule off = {.enabled = POLICY_NO,
                              .severity = POLICY_SAME,
                              .category = POLICY_SAME,
                              .hold_down_us = POLICY_SAME};
    snprintf(off.events.patterns[off.events.count++], FILTER_PATTERN_SIZE, "link-down");
    give_all(true, "");
    st.options.rules = &off;
    st.options.rule_count = 1;
    policy_change_options(st.policy, &st.options, st.now);
    wait_for(6 * 3600 * S);
    assert_int_equal(told(CABLE_DOWN), st.options.storm_rate);
    assert_int_equal(told(HOST_DOWN), HOSTS);
}

TEST(with_a_full_table_storm_control_still_holds)
{
    struct policy_counters counters;
    for (unsigned i = 0; policy_has_room(st.policy); i++) {
        char key[32];
        snprintf(key, sizeof key, "other %u", i);
        assert_true(policy_shelve(st.policy, key, 86400 * S, 0));
    }
    lose_switch();
    policy_get_counters(st.policy, &counters);
    assert_int_equal(counters.overflowed, 2 * HOSTS + 1);
    assert_int_equal(told(SWITCH_DOWN), 1);
    assert_int_equal(told_in_all(), 1); // they are consequences without an alarm, too
    give_all(true, "");
    assert_int_equal(told(HOST_DOWN), st.options.storm_rate);
    assert_int_equal(told(CABLE_DOWN), st.options.storm_rate);
    wait_for(3600 * S);
    assert_true(told_in_all() < 3 * st.options.storm_rate);
}

TEST(further_alarms_than_the_table_has_room_for_pass)
{
    struct policy_counters counters;
    st.options.storm_rate = 0;
    policy_change_options(st.policy, &st.options, 0);
    for (unsigned i = 0; policy_has_room(st.policy); i++) {
        char key[32];
        snprintf(key, sizeof key, "other %u", i);
        assert_true(policy_shelve(st.policy, key, 86400 * S, 0));
        assert_true(i < POLICY_ALARMS_MAX);
    }
    for (unsigned host = 0; host < 100; host++)
        give(CABLE_DOWN, host, "");
    assert_int_equal(told(CABLE_DOWN), 100);
    policy_get_counters(st.policy, &counters);
    assert_int_equal(counters.overflowed, 100);
}

#define MASSES_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MASSES_TEST(a_dead_switch_is_one_message_and_so_is_its_return),
        MASSES_TEST(a_dead_switch_in_maintenance_is_no_message),
        MASSES_TEST(after_maintenance_the_switch_is_told_and_nothing_behind_it),
        MASSES_TEST(hosts_that_stay_away_are_told_at_a_bounded_rate),
        MASSES_TEST(masses_without_a_root_cause_are_told_late_and_truly),
        MASSES_TEST(masses_that_a_rule_disables_are_not_told),
        MASSES_TEST(with_a_full_table_storm_control_still_holds),
        MASSES_TEST(further_alarms_than_the_table_has_room_for_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
