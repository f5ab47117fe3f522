// SPDX-License-Identifier: BSD-2-Clause
#include "policy_options.h"
#include "policy_support.h"

#include "model/event_record.h"

static struct stage st;
#define LINK "link 0x0000000000000001/1-0x0000000000000002/7"

static int open_stage(void **state)
{
    (void)state;
    policy_options_init(&st.options);
    stage_open(&st);
    return 0;
}

// Options that leave only alarms and rules in effect.
static int open_plain_stage(void **state)
{
    (void)state;
    st.options = (struct policy_options){.suppress_consequences = true};
    stage_open(&st);
    return 0;
}

static int close_stage(void **state)
{
    (void)state;
    stage_close(&st);
    return 0;
}

static struct policy_rule rule(const char *name, const char *events, const char *nodes)
{
    struct policy_rule r = {
        .severity = POLICY_SAME, .category = POLICY_SAME, .hold_down_us = POLICY_SAME};
    snprintf(r.name, sizeof r.name, "%s", name);
    if (events)
        snprintf(r.events.patterns[r.events.count++], FILTER_PATTERN_SIZE, "%s", events);
    if (nodes)
        snprintf(r.nodes.patterns[r.nodes.count++], FILTER_PATTERN_SIZE, "%s", nodes);
    return r;
}

static void use_rules(const struct policy_rule *rules, size_t count)
{
    st.options.rules = rules;
    st.options.rule_count = count;
    policy_change_options(st.policy, &st.options, st.time.monotonic);
}

static const struct heard *give(enum catalogue_event type, const char *node)
{
    return stage_give(&st, stage_event(&st, type, node));
}

// Returns a copy, which stays valid when more events arrive.
static struct heard give_alarm(enum catalogue_event type, const char *key)
{
    return *stage_give(&st, stage_alarm(&st, type, key));
}

static void check_passed(const struct heard *h)
{
    assert_string_equal(h->held, "");
}

static void check_held(const struct heard *h, const char *reason)
{
    assert_string_equal(h->held, reason);
}

// Rules.

TEST(multicast_groups_are_journalled_only_and_security_passes)
{
    check_held(give(CATALOGUE_MCAST_GROUP_CREATED, ""), "disabled");
    assert_string_equal(st.all[0].rule, "built-in");
    check_held(give(CATALOGUE_MCAST_GROUP_DELETED, ""), "disabled");
    const struct heard *h = give(CATALOGUE_BAD_PKEY, "host1");
    check_passed(h);
    assert_string_equal(h->rule, "");
    assert_int_equal(h->severity, SEVERITY_WARNING);
    assert_int_equal(h->category, CATEGORY_SECURITY);
}

TEST(of_the_rules_that_fit_the_last_one_decides_each_item)
{
    struct policy_rule rules[] = {rule("all links", "link-*", NULL),
                                  rule("spines", "link-*", "spine*"),
                                  rule("groups", "mcast-group-created", NULL)};
    rules[0].severity = SEVERITY_NOTICE;
    rules[0].category = CATEGORY_FABRIC;
    rules[1].severity = SEVERITY_CRITICAL;
    rules[2].enabled = POLICY_YES;
    use_rules(rules, COUNT(rules));

    const struct heard *h = give(CATALOGUE_LINK_STATE_CHANGE, "leaf1");
    assert_int_equal(h->severity, SEVERITY_NOTICE);
    assert_int_equal(h->category, CATEGORY_FABRIC);
    assert_string_equal(h->rule, "all links");
    h = give(CATALOGUE_LINK_STATE_CHANGE, "spine1");
    assert_int_equal(h->severity, SEVERITY_CRITICAL);
    assert_int_equal(h->category, CATEGORY_FABRIC);
    assert_string_equal(h->rule, "spines");
    check_passed(give(CATALOGUE_MCAST_GROUP_CREATED, ""));
    check_held(give(CATALOGUE_MCAST_GROUP_DELETED, ""), "disabled");
}

TEST(nodes_are_those_at_either_end_by_name_or_guid)
{
    struct policy_rule rules[] = {rule("off", NULL, "leaf?"),
                                  rule("off", NULL, "0x00000000000000ab")};
    rules[0].enabled = rules[1].enabled = POLICY_NO;
    use_rules(rules, COUNT(rules));
    struct event *e = stage_event(&st, CATALOGUE_LINK_MOVED, "host1");
    strcpy(e->peer.name, "leaf1");
    check_held(stage_give(&st, e), "disabled");
    e = stage_event(&st, CATALOGUE_BAD_PKEY, "host1");
    strcpy(e->destination.name, "leaf2");
    check_held(stage_give(&st, e), "disabled");
    e = stage_event(&st, CATALOGUE_BAD_PKEY, "host1");
    e->source.node_guid = 0xAB;
    check_held(stage_give(&st, e), "disabled");
    e = stage_event(&st, CATALOGUE_GID_IN_SERVICE, "host1");
    // The issuer is the subnet manager's node, which is not the subject.
    strcpy(e->issuer.name, "leaf1");
    check_passed(stage_give(&st, e));
}

// Alarms.

TEST(a_clear_names_the_event_it_clears)
{
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_passed(&down);
    stage_wait(&st, 3600 * S);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
    assert_string_equal(up.clears_id, down.id);
    assert_string_equal(down.clears_id, "");
}

TEST(an_alarm_that_stands_is_not_raised_again)
{
    give_alarm(CATALOGUE_LINK_DOWN, LINK);
    for (int i = 0; i < 3; i++) {
        stage_wait(&st, 60 * S);
        const struct heard again = give_alarm(CATALOGUE_LINK_DOWN, LINK);
        check_held(&again, "duplicate");
    }
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    assert_int_equal(up.repeat_count, 3);
    const struct heard anew = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_passed(&anew);
    assert_int_equal(anew.repeat_count, 0);
}

TEST(an_alarm_that_gets_worse_is_raised_again)
{
    struct event *e = stage_alarm(&st, CATALOGUE_LINK_DOWN, LINK);
    const struct heard first = *stage_give(&st, e);
    give_alarm(CATALOGUE_LINK_DOWN, LINK);
    struct policy_rule worse = rule("worse", "link-down", NULL);
    worse.severity = SEVERITY_CRITICAL;
    use_rules(&worse, 1);
    const struct heard second = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_passed(&second);
    assert_int_equal(second.repeat_count, 1);
    const struct heard third = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&third, "duplicate");
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    assert_string_equal(up.clears_id, second.id);
    assert_string_not_equal(up.clears_id, first.id);
}

TEST(what_clears_nothing_is_news)
{
    const struct heard h = give_alarm(CATALOGUE_HOST_ADDED, "node 0x1");
    check_passed(&h);
    assert_string_equal(h.clears_id, "");
}

TEST(alarms_of_different_keys_do_not_meet)
{
    const struct heard a = give_alarm(CATALOGUE_LINK_DOWN, "link a");
    const struct heard b = give_alarm(CATALOGUE_LINK_DOWN, "link b");
    check_passed(&b);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, "link a");
    assert_string_equal(up.clears_id, a.id);
}

TEST(an_alarm_ends_without_the_counterpart_of_its_event)
{
    struct event *e = stage_alarm(&st, CATALOGUE_LINK_DOWN, LINK);
    snprintf(e->subject.name, sizeof e->subject.name, "leaf1");
    const struct heard down = *stage_give(&st, e);
    assert_false(policy_clear_alarm(st.policy, "link other", "why", st.time.monotonic));
    assert_true(policy_clear_alarm(st.policy, LINK, "the cable is elsewhere", st.time.monotonic));
    stage_drain(&st);
    const struct heard *end = stage_last_passed(&st);
    assert_ptr_equal(end->type, catalogue_get(CATALOGUE_ALARM_CLEARED));
    assert_string_equal(end->key, LINK);
    assert_string_equal(end->clears_id, down.id);
    assert_string_equal(end->reason, "the cable is elsewhere");
    assert_int_equal(end->category, CATEGORY_LINK);
    assert_false(policy_is_raised(st.policy, LINK));
    assert_false(policy_clear_alarm(st.policy, LINK, "again", st.time.monotonic));
    const struct heard again = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_passed(&again);
}

TEST(an_alarm_survives_a_restart)
{
    const struct alarm was = {.key = LINK,
                              .event_id = "old",
                              .notified_id = "told",
                              .cause_id = "",
                              .notified = ALARM_NOTIFIED,
                              .severity = SEVERITY_WARNING};
    assert_true(policy_restore_alarm(st.policy, &was, 0, 0));
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&down, "duplicate");
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
    assert_string_equal(up.clears_id, "told");
}

TEST(an_alarm_that_was_held_back_at_the_end_is_told_after_the_start)
{
    struct event *e = stage_alarm(&st, CATALOGUE_LINK_DOWN, LINK);
    strcpy(e->suppressed, "hold-down");
    e->number = 7;
    st.recent[7] = event_ref(e);
    strcpy(e->id, "7");
    const struct alarm was = {.key = LINK,
                              .event_id = "7",
                              .notified_id = "",
                              .cause_id = "",
                              .type = "link-down",
                              .severity = SEVERITY_WARNING,
                              .last_sequence = 7};
    assert_true(policy_restore_alarm(st.policy, &was, 0, 0));
    stage_wait(&st, 1);
    const struct heard *late = stage_last_passed(&st);
    assert_non_null(late);
    assert_string_equal(late->related_id, was.event_id);
    assert_string_equal(late->key, LINK);
    event_unref(e);
}

TEST(a_rule_that_disables_alarms_can_be_taken_back)
{
    struct policy_rule off = rule("off", "link-*", NULL);
    off.enabled = POLICY_NO;
    use_rules(&off, 1);
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&down, "disabled");
    stage_wait(&st, 86400 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), 0);
    use_rules(NULL, 0);
    stage_wait(&st, S);
    const struct heard *late = stage_last_passed(&st);
    assert_string_equal(late->related_id, down.id);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
    assert_string_equal(up.clears_id, late->id);
}

// A receiver that was notified of an alarm would keep it for ever.
TEST(a_rule_does_not_suppress_the_end_of_an_alarm_that_was_sent)
{
    struct policy_rule off = rule("off", "link-up", NULL);
    off.enabled = POLICY_NO;
    use_rules(&off, 1);
    give_alarm(CATALOGUE_LINK_DOWN, LINK);
    struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
    up = give_alarm(CATALOGUE_LINK_UP, "link of no alarm");
    check_held(&up, "disabled");
}

// Two gateways.

static void become_active(bool active)
{
    policy_set_active(st.policy, active, st.time.monotonic);
    policy_confirm(st.policy, st.time.monotonic);
    stage_wait(&st, 1);
}

TEST(a_standby_decides_as_the_active_gateway_does)
{
    become_active(false);
    struct heard h = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&h, "standby");
    h = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&h, "duplicate");
    h = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_held(&h, "standby");
    assert_string_equal(h.clears_id, ""); // the other gateway's event is not known
    h = give_alarm(CATALOGUE_JOURNAL_DEGRADED, "journal");
    check_passed(&h);
}

static void have_a_partner(void)
{
    st.options.has_partner = true;
    policy_change_options(st.policy, &st.options, 0);
}

TEST(what_is_sent_again_waits_for_a_sweep)
{
    have_a_partner();
    policy_set_active(st.policy, false, st.time.monotonic);
    give_alarm(CATALOGUE_LINK_DOWN, LINK);
    policy_set_active(st.policy, true, st.time.monotonic);
    stage_wait(&st, 60 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 0);
    policy_confirm(st.policy, st.time.monotonic);
    stage_wait(&st, 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
}

TEST(without_sweeps_it_does_not_wait_for_ever)
{
    policy_set_active(st.policy, false, st.time.monotonic);
    give_alarm(CATALOGUE_LINK_DOWN, LINK);
    policy_set_active(st.policy, true, st.time.monotonic);
    stage_wait(&st, 120 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
}

TEST(a_new_active_gateway_sends_the_standing_alarms_again)
{
    have_a_partner();
    become_active(false);
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    give_alarm(CATALOGUE_LINK_DOWN, "link b");
    give_alarm(CATALOGUE_LINK_UP, "link b");
    stage_wait(&st, 60 * S);
    become_active(true);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), 1); // the other may have failed before
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
    assert_string_not_equal(up.clears_id, "");
    assert_string_not_equal(up.clears_id, down.id);
}

TEST(old_ends_are_not_sent_again)
{
    become_active(false);
    give_alarm(CATALOGUE_LINK_DOWN, LINK);
    give_alarm(CATALOGUE_LINK_UP, LINK);
    stage_wait(&st, POLICY_HANDOVER_US + S);
    become_active(true);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), 0);
    assert_int_equal(policy_due(st.policy), INT64_MAX);
}

TEST(what_the_active_gateway_held_back_is_told_by_the_next)
{
    struct policy_rule r;
    r = rule("patience", "link-down", NULL);
    r.hold_down_us = 30 * S;
    use_rules(&r, 1);
    become_active(false);
    give_alarm(CATALOGUE_LINK_DOWN, LINK);
    stage_wait(&st, 10 * S);
    become_active(true);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 0);
    stage_wait(&st, 20 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
}

TEST(a_flapping_that_began_at_the_other_gateway_ends)
{
    become_active(false);
    for (int i = 0; i < 7; i++)
        give_alarm(i % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN, LINK);
    become_active(true);
    assert_int_equal(stage_passed(&st, CATALOGUE_FLAPPING), 1); // once more
    stage_wait(&st, 400 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_SETTLED), 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
}

// Hold-down.

static void use_hold_down(struct policy_rule *r, int64_t s)
{
    *r = rule("patience", "link-down", NULL);
    r->hold_down_us = s * S;
    use_rules(r, 1);
}

TEST(a_link_that_comes_back_within_the_hold_down_says_nothing)
{
    struct policy_rule r;
    use_hold_down(&r, 30);
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&down, "hold-down");
    stage_wait(&st, 30 * S - 1);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_held(&up, "never-notified");
    assert_string_equal(up.clears_id, down.id);
    stage_wait(&st, 86400 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), 0);
    assert_int_equal(policy_due(st.policy), INT64_MAX);
}

TEST(a_reason_that_another_reason_follows_is_told)
{
    struct policy_rule r;
    use_hold_down(&r, 30);
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&down, "hold-down");
    assert_int_equal(st.explained, 0); // the event says so
    policy_shelve(st.policy, LINK, 60 * S, st.time.monotonic);
    stage_drain(&st);
    assert_int_equal(st.because, POLICY_SHELVED);
    assert_int_equal(st.explained, 1);
    policy_set_cause(st.policy, LINK, NULL, st.time.monotonic);
    assert_int_equal(st.explained, 2);
    stage_wait(&st, 60 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
    assert_int_equal(st.explained, 2);
}

TEST(a_link_that_stays_down_is_told_when_the_hold_down_ends)
{
    struct policy_rule r;
    use_hold_down(&r, 30);
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    stage_wait(&st, 10 * S);
    const struct heard again = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&again, "hold-down"); // and does not prolong it
    stage_wait(&st, 20 * S - 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), 0);
    stage_wait(&st, 1);
    const struct heard late = *stage_last_passed(&st);
    assert_ptr_equal(late.type, catalogue_get(CATALOGUE_LINK_DOWN));
    assert_string_equal(late.related_id, again.id);
    assert_string_not_equal(late.id, down.id);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
    assert_string_equal(up.clears_id, late.id);
}

// Duplicates.

TEST(the_same_event_again_is_counted_once_a_window)
{
    const struct heard first = *give(CATALOGUE_BAD_PKEY, "host1");
    check_passed(&first);
    for (int i = 0; i < 3 * 3600; i++) {
        stage_wait(&st, S);
        check_held(give(CATALOGUE_BAD_PKEY, "host1"), "duplicate");
    }
    stage_wait(&st, 600 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_BAD_PKEY), 1);
    assert_in_range(stage_passed(&st, CATALOGUE_EVENT_REPEATED), 179, 181);
    assert_int_equal(stage_counted(&st, CATALOGUE_EVENT_REPEATED), 3 * 3600);
    assert_int_equal(policy_due(st.policy), INT64_MAX);

    const struct heard *last = stage_last_passed(&st);
    assert_ptr_equal(last->summarised, catalogue_get(CATALOGUE_BAD_PKEY));
    assert_int_equal(last->category, CATEGORY_SECURITY);
    assert_int_equal(last->severity, SEVERITY_WARNING);
    assert_string_equal(last->reason, "Something happened to host1");
    assert_string_equal(last->related_id, first.id);
    check_passed(give(CATALOGUE_BAD_PKEY, "host1"));
}

TEST(what_differs_is_no_duplicate)
{
    check_passed(give(CATALOGUE_BAD_PKEY, "host1"));
    check_passed(give(CATALOGUE_BAD_PKEY, "host2"));
    check_passed(give(CATALOGUE_BAD_QKEY, "host1"));
    struct event *e = stage_event(&st, CATALOGUE_BAD_PKEY, "host1");
    e->notice.key = 0x8001;
    check_passed(stage_give(&st, e));
    e = stage_event(&st, CATALOGUE_BAD_PKEY, "host1");
    e->notice.key = 0x8001;
    e->notice.sl = 3;
    check_passed(stage_give(&st, e));
    e = stage_event(&st, CATALOGUE_BAD_PKEY, "host1");
    e->notice.key = 0x8001;
    check_held(stage_give(&st, e), "duplicate");
}

TEST(a_counterpart_between_makes_it_news)
{
    check_passed(give(CATALOGUE_GID_IN_SERVICE, "host1"));
    check_passed(give(CATALOGUE_GID_OUT_OF_SERVICE, "host1"));
    check_passed(give(CATALOGUE_GID_IN_SERVICE, "host1"));
    check_held(give(CATALOGUE_GID_IN_SERVICE, "host1"), "duplicate");
    check_passed(give(CATALOGUE_GID_OUT_OF_SERVICE, "host1"));
    // The count of suppressed events precedes the event that ends the repetition.
    assert_int_equal(stage_counted(&st, CATALOGUE_EVENT_REPEATED), 1);
    assert_ptr_equal(st.all[st.count - 1].type, catalogue_get(CATALOGUE_GID_OUT_OF_SERVICE));
}

static struct event *raw_event(uint16_t toggle, uint8_t last)
{
    struct event *e = stage_event(&st, CATALOGUE_VENDOR_TRAP, "leaf1");
    e->raw_size = NOTICE_SIZE;
    e->raw[8] = (uint8_t)(toggle >> 8);
    e->raw[9] = (uint8_t)toggle;
    e->raw[NOTICE_SIZE - 1] = last;
    return e;
}

TEST(a_notice_is_the_same_whatever_its_toggle_and_count)
{
    check_passed(stage_give(&st, raw_event(0x0000, 1)));
    check_held(stage_give(&st, raw_event(0x8001, 1)), "duplicate");
    check_passed(stage_give(&st, raw_event(0x8001, 2)));
}

TEST(more_different_things_than_there_is_room_for_lose_no_count)
{
    st.options.storm_rate = 0;
    use_rules(NULL, 0);
    char node[32];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 20000; i++) {
            snprintf(node, sizeof node, "host%d", i);
            give(CATALOGUE_CAPABILITY_CHANGE, node);
            if (i % 3 == 0)
                check_held(give(CATALOGUE_CAPABILITY_CHANGE, node), "duplicate");
        }
    }
    stage_wait(&st, 61 * S);
    stage_wait(&st, 61 * S);
    assert_int_equal(stage_counted(&st, CATALOGUE_EVENT_REPEATED),
                     stage_held(&st, CATALOGUE_CAPABILITY_CHANGE, "duplicate"));
    assert_int_equal(policy_due(st.policy), INT64_MAX);
}

// Flapping.

TEST(a_link_that_flaps_for_a_day_is_told_twice)
{
    size_t given = 0;
    for (; given < 24 * 3600 / 5; given++) {
        give_alarm(given % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN, LINK);
        stage_wait(&st, 5 * S);
    }
    assert_int_equal(stage_passed(&st, CATALOGUE_FLAPPING), 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_SETTLED), 0);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 3);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), 2);
    stage_wait(&st, 295 * S - 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_SETTLED), 0);
    stage_wait(&st, 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_SETTLED), 1);
    assert_int_equal(stage_counted(&st, CATALOGUE_FLAPPING) + stage_counted(&st, CATALOGUE_SETTLED),
                     stage_held(&st, CATALOGUE_COUNT, "flapping"));
    assert_int_equal(stage_held(&st, CATALOGUE_COUNT, "flapping"), given - 5);
    // The link is up in the end. Receivers last got link-down: now receivers get link-up.
    const struct heard up = *stage_last_passed(&st);
    assert_ptr_equal(up.type, catalogue_get(CATALOGUE_LINK_UP));
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), 3);
    stage_wait(&st, 600 * S);
    assert_int_equal(policy_due(st.policy), INT64_MAX);
}

static const struct heard *find_made(enum catalogue_event type)
{
    for (size_t i = 0; i < st.count; i++) {
        if (st.all[i].made && st.all[i].type == catalogue_get(type))
            return &st.all[i];
    }
    return NULL;
}

TEST(a_link_that_settles_down_is_told_to_be_down)
{
    for (int i = 0; i < 9; i++)
        give_alarm(i % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN, LINK);
    stage_wait(&st, 3600 * S);
    const struct heard *flapping = find_made(CATALOGUE_FLAPPING);
    const struct heard *settled = find_made(CATALOGUE_SETTLED);
    assert_non_null(flapping);
    assert_non_null(settled);
    assert_string_equal(flapping->key, "flapping " LINK);
    assert_string_equal(settled->key, flapping->key);
    assert_string_equal(settled->clears_id, flapping->id);
    assert_string_equal(flapping->reason, "6 changes within 5 min");
    assert_string_equal(settled->reason, "after 9 changes its alarm stands");
    assert_int_equal(flapping->category, CATEGORY_LINK);
    assert_ptr_equal(flapping->summarised, catalogue_get(CATALOGUE_LINK_UP));
    // Receivers got the last link-down but one; its alarm is still active.
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 3);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
}

TEST(the_end_of_a_flapping_that_a_rule_disabled_is_not_told)
{
    struct policy_rule off = rule("off", "flapping", NULL);
    off.enabled = POLICY_NO;
    use_rules(&off, 1);
    for (int i = 0; i < 9; i++)
        give_alarm(i % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN, LINK);
    use_rules(NULL, 0); // it still flaps
    stage_wait(&st, 3600 * S);
    check_held(find_made(CATALOGUE_FLAPPING), "disabled");
    check_held(find_made(CATALOGUE_SETTLED), "never-notified");
}

TEST(changes_that_are_far_apart_are_no_flapping)
{
    for (int i = 0; i < 200; i++) {
        const struct heard h = give_alarm(i % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN, LINK);
        check_passed(&h);
        stage_wait(&st, 61 * S);
    }
    assert_null(find_made(CATALOGUE_FLAPPING));
}

TEST(whoever_turns_the_detection_off_has_no_flapping_left)
{
    for (int i = 0; i < 7; i++)
        give_alarm(i % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN, LINK);
    stage_wait(&st, S);
    assert_int_equal(stage_passed(&st, CATALOGUE_SETTLED), 0);
    give_alarm(CATALOGUE_LINK_UP, LINK);
    st.options.flap_changes = 0;
    policy_change_options(st.policy, &st.options, st.time.monotonic);
    stage_wait(&st, S);
    assert_int_equal(stage_passed(&st, CATALOGUE_SETTLED), 1);
    assert_string_equal(find_made(CATALOGUE_SETTLED)->reason,
                        "after 8 changes its alarm is clear; flapping is not detected any more");
    assert_ptr_equal(stage_last_passed(&st)->type, catalogue_get(CATALOGUE_LINK_UP));
}

TEST(a_flapping_that_lasted_over_a_restart_is_cleared)
{
    struct event *e = stage_alarm(&st, CATALOGUE_FLAPPING, "flapping " LINK);
    const struct alarm flapping = {.key = "flapping " LINK,
                                   .event_id = "f",
                                   .notified_id = "f",
                                   .cause_id = "",
                                   .notified = ALARM_NOTIFIED,
                                   .severity = SEVERITY_WARNING};
    const struct alarm down = {.key = LINK,
                               .event_id = "d",
                               .notified_id = "d",
                               .cause_id = "",
                               .notified = ALARM_NOTIFIED,
                               .severity = SEVERITY_WARNING};
    assert_true(policy_restore_alarm(st.policy, &flapping, 0, 0));
    assert_true(policy_restore_alarm(st.policy, &down, 0, 0));
    event_unref(e);
    stage_wait(&st, 100 * S);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_held(&up, "flapping");
    stage_wait(&st, 300 * S);
    const struct heard *settled = find_made(CATALOGUE_SETTLED);
    assert_non_null(settled);
    assert_string_equal(settled->clears_id, "f");
    assert_string_equal(stage_last_passed(&st)->clears_id, "d");
}

// Storms.

TEST(the_first_sweep_of_a_new_master_is_one_summary)
{
    char node[32];
    for (int i = 0; i < 50000; i++) {
        snprintf(node, sizeof node, "host%d", i);
        stage_wait(&st, 20);
        give(CATALOGUE_GID_IN_SERVICE, node);
    }
    assert_int_equal(stage_passed(&st, CATALOGUE_GID_IN_SERVICE), 50);
    assert_int_equal(stage_passed(&st, CATALOGUE_STORM_SUMMARY), 0);
    stage_wait(&st, S + 2000);
    assert_int_equal(stage_passed(&st, CATALOGUE_STORM_SUMMARY), 1);
    stage_wait(&st, 86400 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_STORM_SUMMARY), 1);
    const struct heard *h = stage_last_passed(&st);
    assert_int_equal(h->repeat_count, 50000 - 50);
    assert_ptr_equal(h->summarised, catalogue_get(CATALOGUE_GID_IN_SERVICE));
    assert_int_equal(h->severity, SEVERITY_INFORMATIONAL);
    assert_int_equal(h->category, CATEGORY_NODE);
    assert_non_null(strstr(h->reason, "and others"));
    assert_int_equal(policy_due(st.policy), INT64_MAX);
    check_passed(give(CATALOGUE_GID_IN_SERVICE, "new"));
}

// 100 events a second for ten minutes, three quarters from one host.
TEST(a_storm_of_bad_keys_is_summed_up_every_period_and_names_the_worst)
{
    char node[32];
    for (int i = 0; i < 60000; i++) {
        snprintf(node, sizeof node, "host%d", i % 4 ? 7 : i % 100);
        struct event *e = stage_event(&st, CATALOGUE_BAD_PKEY, node);
        e->notice.qp1 = (uint32_t)i;
        stage_give(&st, e);
        stage_wait(&st, 10000);
    }
    stage_wait(&st, 60 * S);
    assert_in_range(stage_passed(&st, CATALOGUE_STORM_SUMMARY), 10, 12);
    assert_int_equal(stage_counted(&st, CATALOGUE_STORM_SUMMARY),
                     stage_held(&st, CATALOGUE_BAD_PKEY, "storm"));
    assert_in_range(stage_passed(&st, CATALOGUE_BAD_PKEY), 50, 51);
    const struct heard *last = stage_last_passed(&st);
    assert_int_equal(last->category, CATEGORY_SECURITY);
    assert_ptr_equal(strstr(last->reason, "it is over; host7 ("), last->reason);
}

// 20 hosts go at once, with eight adapters each.
TEST(a_storm_about_hosts_names_each_of_the_hosts_once)
{
    char name[32];
    for (int adapter = 0; adapter < 8; adapter++) {
        for (int host = 1; host <= 20; host++) {
            snprintf(name, sizeof name, "gpu%02d mlx5_%d", host, adapter);
            struct event *e = stage_event(&st, CATALOGUE_GID_OUT_OF_SERVICE, name);
            snprintf(e->subject.system, sizeof e->subject.system, "gpu%02d", host);
            stage_give(&st, e);
        }
    }
    stage_wait(&st, 60 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_STORM_SUMMARY), 1);
    const char *reason = stage_last_passed(&st)->reason;
    for (int host = 1; host <= 20; host++) {
        snprintf(name, sizeof name, "gpu%02d", host);
        const char *at = strstr(reason, name);
        assert_non_null(at);
        assert_null(strstr(at + 1, name));
    }
    assert_null(strstr(reason, "mlx5"));
    assert_null(strstr(reason, "others"));
}

TEST(a_rate_that_is_just_allowed_is_no_storm)
{
    char node[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(node, sizeof node, "host%d", i);
        check_passed(give(CATALOGUE_CAPABILITY_CHANGE, node));
        stage_wait(&st, S / 50);
    }
}

TEST(kinds_storm_apart)
{
    char node[32];
    for (int i = 0; i < 100; i++) {
        snprintf(node, sizeof node, "host%d", i);
        give(CATALOGUE_CAPABILITY_CHANGE, node);
    }
    check_passed(give(CATALOGUE_BAD_MKEY, "host1"));
    check_held(give(CATALOGUE_CAPABILITY_CHANGE, "host1"), "storm");
}

TEST(alarms_that_a_storm_swallowed_are_told_after_it_at_the_allowed_rate)
{
    char key[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "link %d", i);
        give_alarm(CATALOGUE_LINK_DOWN, key);
    }
    assert_int_equal(stage_held(&st, CATALOGUE_LINK_DOWN, "storm"), 950);
    for (int i = 0; i < 500; i++) { // half of the links come back
        snprintf(key, sizeof key, "link %d", i * 2 + 1);
        give_alarm(CATALOGUE_LINK_UP, key);
        stage_wait(&st, S / 100);
    }
    assert_int_equal(stage_held(&st, CATALOGUE_LINK_UP, "never-notified"), 475);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), 25);
    stage_wait(&st, 5 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 50 + 50);
    stage_wait(&st, 4 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 50 + 250);
    stage_wait(&st, 3600 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 50 + 475);
}

// The end.

TEST(what_was_counted_so_far_is_told_at_the_end)
{
    char node[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(node, sizeof node, "host%d", i);
        give(CATALOGUE_GID_IN_SERVICE, node);
    }
    for (int i = 0; i < 30; i++)
        give(CATALOGUE_BAD_PKEY, i % 3 ? "host1" : "host2");
    policy_end(st.policy, st.time.monotonic);
    stage_drain(&st);
    assert_int_equal(stage_passed(&st, CATALOGUE_STORM_SUMMARY), 1);
    assert_int_equal(stage_counted(&st, CATALOGUE_STORM_SUMMARY), 950);
    assert_int_equal(stage_passed(&st, CATALOGUE_EVENT_REPEATED), 2);
    assert_int_equal(stage_counted(&st, CATALOGUE_EVENT_REPEATED), 28);
    policy_end(st.policy, st.time.monotonic);
    stage_drain(&st);
    stage_wait(&st, 86400 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_STORM_SUMMARY), 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_EVENT_REPEATED), 2);
}

// The next start knows the active alarms without a notification, but not the cleared alarms.
TEST(ends_of_alarms_that_a_storm_held_are_told_at_the_end)
{
    char key[32];
    struct heard down[100];
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "link %d", i);
        down[i] = give_alarm(CATALOGUE_LINK_DOWN, key);
        stage_wait(&st, S);
    }
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "link %d", i);
        const struct heard up = give_alarm(CATALOGUE_LINK_UP, key);
        check_held(&up, i < 50 ? "" : "storm");
    }
    for (int i = 100; i < 200; i++) {
        snprintf(key, sizeof key, "link %d", i);
        give_alarm(CATALOGUE_LINK_DOWN, key);
    }
    policy_end(st.policy, st.time.monotonic);
    stage_drain(&st);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 150);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), 100);
    for (size_t i = 0; i < st.count; i++) {
        if (!st.all[i].made || st.all[i].type != catalogue_get(CATALOGUE_LINK_UP))
            continue;
        assert_string_equal(st.all[i].clears_id, down[atoi(st.all[i].key + 5)].id);
    }
}

TEST(an_alarm_that_became_worse_in_a_storm_is_told_at_the_end)
{
    char key[32];
    const struct heard mild = give_alarm(CATALOGUE_LINK_DEGRADED, "link x");
    check_held(&mild, "");
    stage_wait(&st, S);
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "link %d", i);
        give_alarm(CATALOGUE_ROUTER_REMOVED, key);
    }
    const struct heard worse = give_alarm(CATALOGUE_ROUTER_REMOVED, "link x");
    check_held(&worse, "storm");
    policy_end(st.policy, st.time.monotonic);
    stage_drain(&st);
    assert_int_equal(stage_passed(&st, CATALOGUE_ROUTER_REMOVED), 51);
    assert_string_equal(stage_last_passed(&st)->key, "link x");
}

TEST(the_end_of_an_alarm_that_flaps_is_told_at_the_end)
{
    struct heard last = {0};
    for (int i = 0; i < 6; i++) {
        last = give_alarm(i % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN, "link x");
        stage_wait(&st, S);
    }
    check_held(&last, "flapping");
    const size_t ups = stage_passed(&st, CATALOGUE_LINK_UP);
    policy_end(st.policy, st.time.monotonic);
    stage_drain(&st);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), ups + 1);
    policy_end(st.policy, st.time.monotonic);
    stage_drain(&st);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_UP), ups + 1);
}

// Consequences.

static struct event *consequence(enum catalogue_event type, const char *key, const char *cause)
{
    struct event *e = stage_alarm(&st, type, key);
    snprintf(e->cause_id, sizeof e->cause_id, "%s", cause);
    return e;
}

TEST(what_follows_from_a_dead_switch_is_held_as_its_details)
{
    const struct heard dead = give_alarm(CATALOGUE_SWITCH_REMOVED, "node 1");
    check_passed(&dead);
    check_held(stage_give(&st, consequence(CATALOGUE_LINK_DOWN, "link 1", dead.id)), "consequence");
    check_held(stage_give(&st, consequence(CATALOGUE_LINK_DOWN, "link 2", dead.id)), "consequence");
    check_held(stage_give(&st, consequence(CATALOGUE_LID_CHANGED, "", dead.id)), "consequence");
    stage_wait(&st, 86400 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), 1);

    const struct heard back = give_alarm(CATALOGUE_SWITCH_ADDED, "node 1");
    check_passed(&back);
    check_held(stage_give(&st, consequence(CATALOGUE_LINK_UP, "link 1", back.id)),
               "never-notified");
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 0);
    stage_wait(&st, 121 * S); // the other link did not come back with its switch
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
    assert_string_equal(stage_last_passed(&st)->key, "link 2");
}

TEST(consequences_pass_where_the_site_wants_them)
{
    st.options.suppress_consequences = false;
    use_rules(NULL, 0);
    const struct heard dead = give_alarm(CATALOGUE_SWITCH_REMOVED, "node 1");
    check_passed(stage_give(&st, consequence(CATALOGUE_LINK_DOWN, "link 1", dead.id)));
}

// Receivers would hear of neither.
TEST(what_follows_from_an_alarm_that_a_rule_disables_is_told)
{
    struct policy_rule off = rule("off", "port-removed", NULL);
    off.enabled = POLICY_NO;
    use_rules(&off, 1);
    const struct heard port = give_alarm(CATALOGUE_PORT_REMOVED, "port 1");
    check_held(&port, "disabled");
    check_passed(stage_give(&st, consequence(CATALOGUE_LINK_DOWN, "link 1", port.id)));

    const struct heard dead = give_alarm(CATALOGUE_SWITCH_REMOVED, "node 1");
    const struct heard behind =
        *stage_give(&st, consequence(CATALOGUE_PORT_REMOVED, "port 2", dead.id));
    check_held(&behind, "disabled");
    check_held(stage_give(&st, consequence(CATALOGUE_LINK_DOWN, "link 2", behind.id)),
               "consequence");
    stage_wait(&st, 3600 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
}

TEST(a_new_rule_that_disables_an_alarm_frees_what_follows_from_it)
{
    struct policy_rule off = rule("off", "port-removed", NULL);
    off.enabled = POLICY_NO;
    struct policy_rule wait = rule("wait", "port-removed", NULL);
    wait.hold_down_us = 3600 * S;
    use_rules(&wait, 1);
    const struct heard port = give_alarm(CATALOGUE_PORT_REMOVED, "port 1");
    check_held(&port, "hold-down");
    check_held(stage_give(&st, consequence(CATALOGUE_LINK_DOWN, "link 1", port.id)), "consequence");
    use_rules(&off, 1);
    stage_wait(&st, 300 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
}

// Maintenance and shelves.

static struct maintenance_window window(const char *name, const char *nodes, int64_t until)
{
    struct maintenance_window w = {.until_us = until};
    snprintf(w.name, sizeof w.name, "%s", name);
    if (nodes)
        snprintf(w.nodes.patterns[w.nodes.count++], FILTER_PATTERN_SIZE, "%s", nodes);
    return w;
}

TEST(alarms_that_stand_when_maintenance_ends_are_told)
{
    const struct maintenance_window w = window("recabling", "link [ab]", 7200 * S);
    const struct heard before = give_alarm(CATALOGUE_LINK_DOWN, "link a");
    assert_true(policy_start_maintenance(st.policy, &w, st.time.monotonic));
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, "link a");
    check_passed(&up); // receivers were notified of the alarm
    assert_string_equal(up.clears_id, before.id);
    const struct heard a = give_alarm(CATALOGUE_LINK_DOWN, "link a");
    check_held(&a, "maintenance");
    const struct heard b = give_alarm(CATALOGUE_LINK_DOWN, "link b");
    check_held(&b, "maintenance");
    check_held(give(CATALOGUE_CAPABILITY_CHANGE, "link b"), "maintenance");
    const struct heard c = give_alarm(CATALOGUE_LINK_DOWN, "link c");
    check_passed(&c);
    for (int i = 0; i < 100; i++) // much plugging does not count as flapping
        give_alarm(i % 2 ? CATALOGUE_LINK_DOWN : CATALOGUE_LINK_UP, "link b");
    give_alarm(CATALOGUE_LINK_UP, "link b");
    const size_t passed = stage_passed(&st, CATALOGUE_COUNT);
    stage_wait(&st, 7200 * S - 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), passed);
    stage_wait(&st, 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), passed + 1);
    assert_string_equal(stage_last_passed(&st)->related_id, a.id);
}

TEST(maintenance_of_all_spares_the_gateway_and_can_be_stopped)
{
    const struct maintenance_window w = window("all", NULL, 7200 * S);
    assert_true(policy_start_maintenance(st.policy, &w, 0));
    check_held(give(CATALOGUE_BAD_PKEY, "host1"), "maintenance");
    check_passed(give(CATALOGUE_GATEWAY_STARTED, ""));
    struct heard h = give_alarm(CATALOGUE_SUBSCRIPTION_LOST, "subscriptions");
    check_passed(&h);
    h = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&h, "maintenance");
    assert_false(policy_stop_maintenance(st.policy, "nothing", 0));
    assert_true(policy_stop_maintenance(st.policy, "all", 0));
    stage_wait(&st, S);
    assert_string_equal(stage_last_passed(&st)->related_id, h.id);
    give_alarm(CATALOGUE_LINK_UP, LINK);
    h = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_passed(&h);
}

TEST(there_is_a_bound_to_windows)
{
    char name[16];
    for (int i = 0; i < MAINTENANCE_MAX; i++) {
        snprintf(name, sizeof name, "%d", i);
        const struct maintenance_window w = window(name, "x", (i + 1) * S);
        assert_true(policy_start_maintenance(st.policy, &w, 0));
        assert_true(policy_start_maintenance(st.policy, &w, 0));
    }
    const struct maintenance_window more = window("more", "x", 100 * S);
    assert_false(policy_start_maintenance(st.policy, &more, 0));
    assert_true(policy_start_maintenance(st.policy, &more, S)); // one window ended
}

TEST(a_shelved_alarm_is_silent_until_then_but_for_its_end)
{
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    assert_true(policy_shelve(st.policy, LINK, 3600 * S, 0));
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_passed(&up);
    assert_string_equal(up.clears_id, down.id);
    const struct heard again = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&again, "shelved");
    stage_wait(&st, 3600 * S - 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
    stage_wait(&st, 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 2);
    assert_string_equal(stage_last_passed(&st)->related_id, again.id);
}

TEST(a_shelf_can_be_left_early)
{
    assert_true(policy_shelve(st.policy, LINK, 3600 * S, 0));
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&down, "shelved");
    assert_true(policy_shelve(st.policy, LINK, 0, 0));
    stage_wait(&st, 1);
    assert_string_equal(stage_last_passed(&st)->related_id, down.id);
}

static struct event *read_nothing(void *ctx, int64_t number)
{
    (void)ctx, (void)number;
    return NULL;
}

// An alarm found at a start; the journal has dropped the event that raised the alarm.
static struct alarm old_alarm(void)
{
    stage_reads(&st, read_nothing);
    return (struct alarm){.key = LINK,
                          .event_id = "old",
                          .notified_id = "",
                          .cause_id = "",
                          .type = "link-down",
                          .severity = SEVERITY_WARNING,
                          .category = CATEGORY_LINK,
                          .last_sequence = 1};
}

TEST(a_shelved_alarm_is_silent_although_the_journal_has_dropped_its_event)
{
    struct alarm was = old_alarm();
    was.shelved_until_us = 3600 * S;
    assert_true(policy_restore_alarm(st.policy, &was, 0, 0));
    stage_wait(&st, 3600 * S - 1);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), 0);
    stage_wait(&st, 10 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), 1);
}

TEST(a_disabled_alarm_is_silent_although_the_journal_has_dropped_its_event)
{
    struct policy_rule off = rule("off", "link-down", NULL);
    off.enabled = POLICY_NO;
    use_rules(&off, 1);
    const struct alarm was = old_alarm();
    assert_true(policy_restore_alarm(st.policy, &was, 0, 0));
    stage_wait(&st, 3600 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), 0);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    check_held(&up, "never-notified");
}

// Test events.

static const struct heard *give_test(enum catalogue_event type, const char *key)
{
    struct event *event = stage_alarm(&st, type, key);
    event->test = true;
    return stage_give(&st, event);
}

static void give_many_tests(const char *key)
{
    for (int n = 0; n < 100; n++) {
        for (int type = 0; type < CATALOGUE_COUNT; type++) {
            const struct heard *h = give_test((enum catalogue_event)type, key);
            check_passed(h);
            assert_string_equal(h->clears_id, "");
        }
    }
}

TEST(tests_of_every_event_pass_and_leave_no_trace)
{
    give_many_tests(LINK);
    assert_int_equal(policy_due(st.policy), INT64_MAX);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    assert_string_equal(up.clears_id, "");
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_passed(&down);
    check_passed(give(CATALOGUE_BAD_PKEY, LINK));
    stage_wait(&st, 86400 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_COUNT), st.count);
    assert_int_equal(stage_counted(&st, CATALOGUE_COUNT), 0);
}

TEST(tests_do_not_touch_an_alarm_that_stands)
{
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    const struct heard slow = give_alarm(CATALOGUE_LINK_DEGRADED, "rate " LINK);
    give_many_tests(LINK);
    stage_wait(&st, 3600 * S);
    const struct heard again = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_held(&again, "duplicate");
    const struct heard fast = give_alarm(CATALOGUE_LINK_RESTORED, "rate " LINK);
    assert_string_equal(fast.clears_id, slow.id);
    const struct heard up = give_alarm(CATALOGUE_LINK_UP, LINK);
    assert_string_equal(up.clears_id, down.id);
}

TEST(tests_of_a_gateway_that_stands_by_raise_no_alarm)
{
    become_active(false);
    struct event *event = stage_alarm(&st, CATALOGUE_LINK_DOWN, LINK);
    event->test = true;
    check_held(stage_give(&st, event), EVENT_STANDBY);
    become_active(true);
    const struct heard down = give_alarm(CATALOGUE_LINK_DOWN, LINK);
    check_passed(&down);
}

TEST(tests_pass_whatever_holds_real_events)
{
    struct policy_rule off = rule("off", NULL, NULL);
    off.enabled = POLICY_NO;
    off.hold_down_us = 60 * S;
    const struct maintenance_window w = window("all", NULL, 7200 * S);
    assert_true(policy_start_maintenance(st.policy, &w, 0));
    assert_true(policy_shelve(st.policy, LINK, 7200 * S, 0));
    give_many_tests(LINK);
    use_rules(&off, 1);
    give_many_tests(LINK);
    struct event *event = stage_alarm(&st, CATALOGUE_LINK_DOWN, LINK);
    event->test = true;
    strcpy(event->cause_id, "cause");
    check_passed(stage_give(&st, event));
}

TEST(tests_show_the_severity_and_category_of_the_rules)
{
    struct policy_rule loud = rule("loud", "link-down", NULL);
    loud.severity = SEVERITY_ALERT;
    loud.category = CATEGORY_SECURITY;
    use_rules(&loud, 1);
    const struct heard *h = give_test(CATALOGUE_LINK_DOWN, LINK);
    assert_int_equal(h->severity, SEVERITY_ALERT);
    assert_int_equal(h->category, CATEGORY_SECURITY);
    assert_string_equal(h->rule, "loud");
}

// Bounds.

// A stage that keeps all its alarms' events, like a journal.
static struct event *kept[POLICY_PENDING_MAX + 10];

static struct event *read_kept(void *ctx, int64_t number)
{
    (void)ctx;
    return number >= 1 && number <= (int64_t)COUNT(kept) ? event_ref(kept[number - 1]) : NULL;
}

TEST(more_alarms_than_there_is_room_for_wait_in_the_journal)
{
    struct policy_rule r;
    st.options.storm_rate = 0;
    stage_reads(&st, read_kept);
    use_hold_down(&r, 3600);
    char key[32];
    for (size_t i = 0; i < COUNT(kept); i++) {
        snprintf(key, sizeof key, "link %zu", i);
        kept[i] = stage_alarm(&st, CATALOGUE_LINK_DOWN, key);
        kept[i]->number = (int64_t)i + 1;
        check_held(stage_give(&st, event_ref(kept[i])), "hold-down");
    }
    stage_wait(&st, 7200 * S);
    assert_int_equal(stage_passed(&st, CATALOGUE_LINK_DOWN), COUNT(kept));
    for (size_t i = 0; i < COUNT(kept); i++)
        event_unref(kept[i]);
}

// The log records policy's decisions.

TEST(decisions_survive_the_journal)
{
    struct event *e = stage_event(&st, CATALOGUE_STORM_SUMMARY, "");
    e->severity = SEVERITY_ALERT;
    e->category = CATEGORY_SECURITY;
    e->summarised = catalogue_get(CATALOGUE_BAD_PKEY);
    e->repeat_count = 4711;
    e->since_us = SUPPORT_UTC_US;
    strcpy(e->clears_id, "clears");
    strcpy(e->rule, "rule");
    e->cause_number = INT64_C(4711) << 32;
    e->apart = true;
    uint8_t record[EVENT_RECORD_MAX];
    struct error err;
    struct event *again = event_record_read(record, event_record_write(e, record), &err);
    assert_non_null(again);
    assert_int_equal(again->severity, SEVERITY_ALERT);
    assert_int_equal(again->category, CATEGORY_SECURITY);
    assert_ptr_equal(again->summarised, e->summarised);
    assert_int_equal(again->repeat_count, 4711);
    assert_int_equal(again->since_us, SUPPORT_UTC_US);
    assert_string_equal(again->clears_id, "clears");
    assert_string_equal(again->rule, "rule");
    assert_int_equal(again->cause_number, INT64_C(4711) << 32);
    assert_true(again->apart);
    event_unref(again);
    event_unref(e);
}

static struct event *read_record(const char *octets, size_t size)
{
    struct error err;
    return event_record_read((const uint8_t *)octets, size, &err);
}

TEST(what_was_journalled_before_there_was_policy_is_as_its_type)
{
#define OLD                                                                                        \
    "\x01\x01\x00\x08"                                                                             \
    "bad-pkey\x02\x00\x01x"
    struct event *event = read_record(OLD, sizeof OLD - 1);
    assert_non_null(event);
    assert_int_equal(event->severity, SEVERITY_WARNING);
    assert_int_equal(event->category, CATEGORY_SECURITY);
    event_unref(event);
    const char severity[] = OLD "\x3c\x00\x08\0\0\0\0\0\0\0\x08";
    const char category[] = OLD "\x3d\x00\x08\0\0\0\0\0\0\0\x0c";
    assert_null(read_record(severity, sizeof severity - 1));
    assert_null(read_record(category, sizeof category - 1));
}

static struct event *stamped(enum catalogue_event type, uint64_t count)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    event->summarised = catalogue_get(CATALOGUE_BAD_PKEY);
    event->repeat_count = count;
    event->since_us = SUPPORT_UTC_US;
    strcpy(event->subject.name, "leaf1");
    strcpy(event->reason, "why");
    event_builder_stamp(&st.builder, event);
    return event;
}

TEST(summaries_are_sentences)
{
    static const struct {
        enum catalogue_event type;
        const char *text;
    } ROWS[] = {
        {CATALOGUE_STORM_SUMMARY,
         "The journal alone has 12 bad-pkey events since 2026-11-21T03:19:03Z: why."},
        {CATALOGUE_EVENT_REPEATED, "why; the same 12 times more since 2026-11-21T03:19:03Z."},
        {CATALOGUE_FLAPPING, "leaf1 does not come to rest: why. Until it does, its changes are "
                             "only in the journal."},
        {CATALOGUE_SETTLED, "leaf1 came to rest: why."},
        {CATALOGUE_HEARTBEAT, "ibtrapd is alive: why."},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct event *event = stamped(ROWS[i].type, 12);
        assert_string_equal(event->text, ROWS[i].text);
        assert_int_equal(event->time_us, SUPPORT_UTC_US);
        assert_int_equal(strlen(event->id), EVENT_ID_SIZE - 1);
        event_unref(event);
    }
}

TEST(the_end_of_an_alarm_says_where_it_was)
{
    for (uint8_t port = 0; port <= 1; port++) {
        struct event *event = stamped(CATALOGUE_ALARM_CLEARED, 0);
        event->cleared = catalogue_get(port ? CATALOGUE_LINK_DOWN : CATALOGUE_HOST_REMOVED);
        event->subject.port = port;
        event->peer.port = 3;
        strcpy(event->peer.name, "leaf2");
        event->text[0] = '\0';
        event_builder_stamp(&st.builder, event);
        assert_string_equal(
            event->text, port ? "The alarm link-down about port 1 of leaf1 to port 3 of leaf2 is "
                                "over: why."
                              : "The alarm host-removed about leaf1 on port 3 of leaf2 is over: "
                                "why.");
        event_unref(event);
    }
}

TEST(one_is_told_in_the_singular)
{
    static const struct {
        enum catalogue_event type;
        const char *text;
    } ROWS[] = {
        {CATALOGUE_STORM_SUMMARY,
         "The journal alone has 1 bad-pkey event since 2026-11-21T03:19:03Z: why."},
        {CATALOGUE_EVENT_REPEATED, "why; the same once more since 2026-11-21T03:19:03Z."},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct event *event = stamped(ROWS[i].type, 1);
        assert_string_equal(event->text, ROWS[i].text);
        event_unref(event);
    }
}

TEST(a_stamp_changes_only_what_is_missing)
{
    struct event *event = stage_event(&st, CATALOGUE_BAD_PKEY, "host1");
    event->time_us = 1;
    event->subnet_prefix = 2;
    event_builder_stamp(&st.builder, event);
    assert_int_equal(event->time_us, 1);
    assert_int_equal(event->subnet_prefix, 2);
    assert_string_equal(event->text, "Something happened to host1.");
    event_unref(event);
}

TEST(nothing_asks_for_time_when_nothing_is_held)
{
    assert_int_equal(policy_due(st.policy), INT64_MAX);
    for (int r = POLICY_PASSES + 1; r < POLICY_REASON_COUNT; r++)
        assert_in_range(strlen(policy_reason_word((enum policy_reason)r)), 1,
                        EVENT_SUPPRESSED_SIZE - 1);
}

int main(void)
{
#define HERE(test)  cmocka_unit_test_setup_teardown(test, open_stage, close_stage)
#define PLAIN(test) cmocka_unit_test_setup_teardown(test, open_plain_stage, close_stage)
    const struct CMUnitTest tests[] = {
        HERE(multicast_groups_are_journalled_only_and_security_passes),
        HERE(of_the_rules_that_fit_the_last_one_decides_each_item),
        HERE(nodes_are_those_at_either_end_by_name_or_guid),
        PLAIN(a_clear_names_the_event_it_clears),
        PLAIN(an_alarm_that_stands_is_not_raised_again),
        PLAIN(an_alarm_that_gets_worse_is_raised_again),
        HERE(what_clears_nothing_is_news),
        HERE(alarms_of_different_keys_do_not_meet),
        HERE(an_alarm_ends_without_the_counterpart_of_its_event),
        HERE(an_alarm_survives_a_restart),
        HERE(an_alarm_that_was_held_back_at_the_end_is_told_after_the_start),
        HERE(a_rule_that_disables_alarms_can_be_taken_back),
        HERE(a_rule_does_not_suppress_the_end_of_an_alarm_that_was_sent),
        HERE(a_standby_decides_as_the_active_gateway_does),
        HERE(what_is_sent_again_waits_for_a_sweep),
        HERE(without_sweeps_it_does_not_wait_for_ever),
        HERE(a_new_active_gateway_sends_the_standing_alarms_again),
        HERE(old_ends_are_not_sent_again),
        HERE(what_the_active_gateway_held_back_is_told_by_the_next),
        HERE(a_flapping_that_began_at_the_other_gateway_ends),
        HERE(a_link_that_comes_back_within_the_hold_down_says_nothing),
        HERE(a_reason_that_another_reason_follows_is_told),
        HERE(a_link_that_stays_down_is_told_when_the_hold_down_ends),
        HERE(the_same_event_again_is_counted_once_a_window),
        HERE(what_differs_is_no_duplicate),
        HERE(a_counterpart_between_makes_it_news),
        HERE(a_notice_is_the_same_whatever_its_toggle_and_count),
        HERE(more_different_things_than_there_is_room_for_lose_no_count),
        HERE(a_link_that_flaps_for_a_day_is_told_twice),
        HERE(a_link_that_settles_down_is_told_to_be_down),
        HERE(the_end_of_a_flapping_that_a_rule_disabled_is_not_told),
        HERE(changes_that_are_far_apart_are_no_flapping),
        HERE(whoever_turns_the_detection_off_has_no_flapping_left),
        HERE(a_flapping_that_lasted_over_a_restart_is_cleared),
        HERE(the_first_sweep_of_a_new_master_is_one_summary),
        HERE(a_storm_of_bad_keys_is_summed_up_every_period_and_names_the_worst),
        HERE(a_storm_about_hosts_names_each_of_the_hosts_once),
        HERE(a_rate_that_is_just_allowed_is_no_storm),
        HERE(kinds_storm_apart),
        HERE(alarms_that_a_storm_swallowed_are_told_after_it_at_the_allowed_rate),
        HERE(what_was_counted_so_far_is_told_at_the_end),
        HERE(ends_of_alarms_that_a_storm_held_are_told_at_the_end),
        HERE(an_alarm_that_became_worse_in_a_storm_is_told_at_the_end),
        HERE(the_end_of_an_alarm_that_flaps_is_told_at_the_end),
        HERE(what_follows_from_a_dead_switch_is_held_as_its_details),
        HERE(consequences_pass_where_the_site_wants_them),
        HERE(what_follows_from_an_alarm_that_a_rule_disables_is_told),
        HERE(a_new_rule_that_disables_an_alarm_frees_what_follows_from_it),
        HERE(alarms_that_stand_when_maintenance_ends_are_told),
        HERE(maintenance_of_all_spares_the_gateway_and_can_be_stopped),
        HERE(there_is_a_bound_to_windows),
        HERE(a_shelved_alarm_is_silent_until_then_but_for_its_end),
        HERE(a_shelf_can_be_left_early),
        HERE(a_shelved_alarm_is_silent_although_the_journal_has_dropped_its_event),
        HERE(a_disabled_alarm_is_silent_although_the_journal_has_dropped_its_event),
        HERE(tests_of_every_event_pass_and_leave_no_trace),
        PLAIN(tests_do_not_touch_an_alarm_that_stands),
        HERE(tests_of_a_gateway_that_stands_by_raise_no_alarm),
        HERE(tests_pass_whatever_holds_real_events),
        HERE(tests_show_the_severity_and_category_of_the_rules),
        HERE(more_alarms_than_there_is_room_for_wait_in_the_journal),
        HERE(decisions_survive_the_journal),
        HERE(what_was_journalled_before_there_was_policy_is_as_its_type),
        HERE(summaries_are_sentences),
        HERE(the_end_of_an_alarm_says_where_it_was),
        HERE(one_is_told_in_the_singular),
        HERE(a_stamp_changes_only_what_is_missing),
        HERE(nothing_asks_for_time_when_nothing_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
