// SPDX-License-Identifier: BSD-2-Clause
// Days of random events in random order, and the invariants that policy must keep.
#include "policy_options.h"
#include "policy_support.h"

enum { KEYS = 24, STEPS = 20000 };

static struct stage st;

// A small random generator (xorshift64*), so that a seed gives the same events on every machine.
static uint64_t seed;

static uint32_t chance(uint32_t n)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * UINT64_C(2685821657736338717)) >> 33) % n;
}

static bool one_in(uint32_t n)
{
    return chance(n) == 0;
}

// The actual state.

struct thing {
    char key[EVENT_KEY_SIZE];
    bool is_node; // it is a switch; the alarms of its links are consequences
    bool raised;
};
static struct thing things[KEYS];

static void make_things(void)
{
    for (size_t i = 0; i < KEYS; i++) {
        things[i] = (struct thing){.is_node = i % 8 == 0};
        snprintf(things[i].key, sizeof things[i].key, "%s %zu", i % 8 ? "link" : "node", i);
    }
}

// The state that a receiver derives from its events.

struct agent_snapshot {
    char key[EVENT_KEY_SIZE];
    bool raised;
    char id[EVENT_ID_SIZE];
    enum severity severity;
};
static struct agent_snapshot snapshots[2 * KEYS]; // and their flapping
static size_t snapshot_count;

static struct agent_snapshot *snapshot_of(const char *key)
{
    for (size_t i = 0; i < snapshot_count; i++) {
        if (strcmp(snapshots[i].key, key) == 0)
            return &snapshots[i];
    }
    assert_true(snapshot_count < COUNT(snapshots));
    struct agent_snapshot *v = &snapshots[snapshot_count++];
    *v = (struct agent_snapshot){0};
    strcpy(v->key, key);
    return v;
}

static void hear(const struct heard *h)
{
    if (h->key[0] == '\0' || h->held[0] != '\0')
        return;
    struct agent_snapshot *v = snapshot_of(h->key);
    if (h->type->alarm == ALARM_RAISES) {
        // Never raised twice with the same severity.
        assert_true(!v->raised || h->severity < v->severity);
        v->raised = true;
        strcpy(v->id, h->id);
        v->severity = h->severity;
    } else {
        if (v->raised)
            assert_string_equal(h->clears_id, v->id);
        else
            // An event of its own, not the clear of an alarm that was never notified.
            assert_string_equal(h->clears_id, "");
        v->raised = false;
    }
}

static size_t heard_up_to, given;

static void listen(void)
{
    for (; heard_up_to < st.count; heard_up_to++)
        hear(&st.all[heard_up_to]);
}

// What happens.

static struct event *change_of(struct thing *thing)
{
    static const enum catalogue_event NODE[] = {CATALOGUE_SWITCH_REMOVED, CATALOGUE_SWITCH_ADDED};
    static const enum catalogue_event LINK[] = {CATALOGUE_LINK_DOWN, CATALOGUE_LINK_UP};
    if (!one_in(12)) // otherwise the same state is reported again
        thing->raised = !thing->raised;
    return stage_alarm(&st, (thing->is_node ? NODE : LINK)[!thing->raised], thing->key);
}

static void give(struct event *event)
{
    given++;
    stage_give(&st, event);
}

static void change_one(void)
{
    give(change_of(&things[chance(KEYS)]));
}

static void lose_a_switch(void)
{
    struct thing *node = &things[chance(KEYS / 8) * 8];
    node->raised = true;
    struct event *event = stage_alarm(&st, CATALOGUE_SWITCH_REMOVED, node->key);
    char cause[EVENT_ID_SIZE];
    strcpy(cause, event->id);
    give(event);
    for (struct thing *link = node + 1; link < node + 8; link++) {
        link->raised = true;
        event = stage_alarm(&st, CATALOGUE_LINK_DOWN, link->key);
        strcpy(event->cause_id, cause);
        give(event);
    }
}

static void flap(void)
{
    struct thing *thing = &things[chance(KEYS)];
    for (uint32_t n = chance(30); n-- > 0;) {
        give(change_of(thing));
        stage_wait(&st, chance(20) * S);
    }
}

static void burst(void)
{
    static const enum catalogue_event TYPES[] = {CATALOGUE_GID_IN_SERVICE, CATALOGUE_BAD_PKEY,
                                                 CATALOGUE_LINK_STATE_CHANGE};
    const enum catalogue_event type = TYPES[chance(COUNT(TYPES))];
    char node[32];
    for (uint32_t n = chance(200); n-- > 0;) {
        snprintf(node, sizeof node, "host%u", chance(50));
        give(stage_event(&st, type, node));
        stage_wait(&st, chance(30000));
    }
}

static void work_on_nodes(void)
{
    struct maintenance_window window = {.name = "w",
                                        .until_us = st.time.monotonic + chance(3600) * S};
    window.name[1] = (char)('0' + chance(3));
    if (one_in(2))
        snprintf(window.nodes.patterns[window.nodes.count++], FILTER_PATTERN_SIZE, "link 1*");
    if (one_in(3))
        policy_stop_maintenance(st.policy, window.name, st.time.monotonic);
    else
        policy_start_maintenance(st.policy, &window, st.time.monotonic);
}

static void shelve(void)
{
    policy_shelve(st.policy, things[chance(KEYS)].key, st.time.monotonic + chance(3600) * S,
                  st.time.monotonic);
}

static struct policy_rule rules[2];

static void reload(void)
{
    for (size_t i = 0; i < COUNT(rules); i++)
        rules[i] = (struct policy_rule){
            .severity = POLICY_SAME, .category = POLICY_SAME, .hold_down_us = POLICY_SAME};
    strcpy(rules[0].events.patterns[rules[0].events.count++], "*-down");
    rules[0].hold_down_us = chance(3) * 10 * S;
    strcpy(rules[1].nodes.patterns[rules[1].nodes.count++], "link 2*");
    rules[1].severity = one_in(2) ? SEVERITY_CRITICAL : POLICY_SAME;
    st.options.rules = rules;
    st.options.rule_count = COUNT(rules);
    st.options.storm_rate = chance(3) * 10;
    st.options.flap_changes = one_in(4) ? 0 : 2 + chance(POLICY_FLAP_CHANGES_MAX - 1);
    st.options.repeat_window_us = chance(3) * 30 * S;
    st.options.suppress_consequences = one_in(2);
    policy_change_options(st.policy, &st.options, st.time.monotonic);
}

// The counts include every event that storms suppressed, and the events sent after a storm are
// right.
static void end_and_go_on(void)
{
    policy_end(st.policy, st.time.monotonic);
    stage_drain(&st);
    assert_int_equal(stage_counted(&st, CATALOGUE_STORM_SUMMARY),
                     stage_held(&st, CATALOGUE_COUNT, "storm"));
}

static void do_something(void)
{
    switch (chance(40)) {
    case 0:
        lose_a_switch();
        break;
    case 1:
        flap();
        break;
    case 2:
        burst();
        break;
    case 3:
        work_on_nodes();
        break;
    case 4:
        shelve();
        break;
    case 5:
        reload();
        break;
    case 6:
        end_and_go_on();
        break;
    case 7:
        stage_wait(&st, chance(7200) * S);
        break;
    default:
        change_one();
        stage_wait(&st, chance(4 * S));
        break;
    }
    listen();
}

// The invariants.

static void check_views(void)
{
    for (size_t i = 0; i < KEYS; i++) {
        char key[EVENT_KEY_SIZE + 16];
        snprintf(key, sizeof key, "flapping %s", things[i].key);
        assert_false(snapshot_of(key)->raised);
        assert_int_equal(snapshot_of(things[i].key)->raised, things[i].raised);
    }
}

static void be_quiet(void)
{
    for (struct maintenance_window w = {.name = "w0"}; w.name[1] < '3'; w.name[1]++)
        policy_stop_maintenance(st.policy, w.name, st.time.monotonic);
    st.options.suppress_consequences = false;
    policy_change_options(st.policy, &st.options, st.time.monotonic);
    stage_wait(&st, 2 * 86400 * S);
    listen();
    assert_int_equal(policy_due(st.policy), INT64_MAX);
}

static void clear_all(void)
{
    for (size_t i = 0; i < KEYS; i++) {
        struct thing *t = &things[i];
        if (t->raised)
            give(stage_alarm(&st, t->is_node ? CATALOGUE_SWITCH_ADDED : CATALOGUE_LINK_UP, t->key));
        t->raised = false;
        stage_wait(&st, 3600 * S);
    }
    be_quiet();
}

// Each event was passed on exactly once, during stage_give.
static void check_each_once(void)
{
    size_t made = 0;
    for (size_t i = 0; i < st.count; i++)
        made += st.all[i].made;
    assert_int_equal(st.count - made, given);
}

static void check_counts(void)
{
    assert_int_equal(stage_counted(&st, CATALOGUE_STORM_SUMMARY),
                     stage_held(&st, CATALOGUE_COUNT, "storm"));
    assert_int_equal(stage_counted(&st, CATALOGUE_FLAPPING) + stage_counted(&st, CATALOGUE_SETTLED),
                     stage_held(&st, CATALOGUE_COUNT, "flapping"));
    const uint64_t others =
        stage_counted(&st, CATALOGUE_COUNT) - stage_counted(&st, CATALOGUE_STORM_SUMMARY) -
        stage_counted(&st, CATALOGUE_FLAPPING) - stage_counted(&st, CATALOGUE_SETTLED);
    assert_int_equal(others, stage_held(&st, CATALOGUE_COUNT, "duplicate"));
}

static void check_counters(void)
{
    struct policy_counters counters;
    policy_get_counters(st.policy, &counters);
    uint64_t taken = 0;
    for (int r = 0; r < POLICY_REASON_COUNT; r++)
        taken += counters.reasons[r];
    assert_int_equal(taken, given);
    assert_int_equal(counters.made, st.count - given);
    assert_int_equal(counters.overflowed, 0);
}

static void live(uint64_t with_seed)
{
    seed = with_seed;
    given = heard_up_to = snapshot_count = 0;
    make_things();
    policy_options_init(&st.options);
    stage_open(&st);
    for (int step = 1; step <= STEPS; step++) {
        do_something();
        if (step % 5000 == 0) {
            be_quiet();
            check_views();
        }
    }
    clear_all();
    check_views();
    check_each_once();
    check_counts();
    check_counters();
    stage_close(&st);
}

TEST(receivers_are_never_wrong_for_long)
{
    for (uint64_t s = 1; s <= 8; s++)
        live(s * UINT64_C(0x9E3779B97F4A7C15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(receivers_are_never_wrong_for_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
