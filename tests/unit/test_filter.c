// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "model/catalogue.h"
#include "model/filter.h"

#include <fnmatch.h>

#define LEAF_GUID UINT64_C(0x0002c90300001234)
#define NODE_GUID UINT64_C(0x0002c903000e8acf)

static struct filter filter;
static struct event *link_event, *key_event, *gateway_event;

// Trap 129 of the switch leaf12 about itself; trap 257 of the adapter node-a, without a switch; an
// occurrence of the gateway, without a node.
static int begin(void **state)
{
    (void)state;
    filter_init(&filter);
    link_event = event_make(catalogue_get(CATALOGUE_LINK_INTEGRITY_THRESHOLD));
    key_event = event_make(catalogue_get(CATALOGUE_BAD_PKEY));
    gateway_event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    assert_true(link_event && key_event && gateway_event);
    link_event->issuer = (struct endpoint){.guid = LEAF_GUID, .lid = 3, .name = "leaf12"};
    link_event->subject = link_event->issuer;
    link_event->switch_guid = LEAF_GUID;
    key_event->issuer = (struct endpoint){.guid = NODE_GUID, .lid = 7, .name = "node-a"};
    key_event->subject = (struct endpoint){.guid = 0x17, .name = "other"};
    return 0;
}

static int end(void **state)
{
    (void)state;
    event_unref(link_event);
    event_unref(key_event);
    event_unref(gateway_event);
    return 0;
}

static void add(struct filter_list *list, const char *pattern)
{
    assert_in_range(list->count, 0, FILTER_PATTERNS_MAX - 1);
    snprintf(list->patterns[list->count++], FILTER_PATTERN_SIZE, "%s", pattern);
}

static void check(bool link, bool key, bool gateway)
{
    assert_int_equal(filter_passes(&filter, link_event), link);
    assert_int_equal(filter_passes(&filter, key_event), key);
    assert_int_equal(filter_passes(&filter, gateway_event), gateway);
}

static void check_pattern(struct filter_list *list, const char *pattern, bool link, bool key,
                          bool gateway)
{
    list->count = 0;
    add(list, pattern);
    check(link, key, gateway);
}

TEST(everything_passes_at_first)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        struct event *event = event_make(catalogue_get((enum catalogue_event)i));
        assert_true(filter_passes(&filter, event));
        event_unref(event);
    }
}

TEST(severity_and_worse)
{
    for (int limit = SEVERITY_EMERGENCY; limit <= SEVERITY_DEBUG; limit++) {
        filter.severity = (enum severity)limit;
        check(link_event->type->severity <= filter.severity,
              key_event->type->severity <= filter.severity,
              gateway_event->type->severity <= filter.severity);
    }
    filter.severity = SEVERITY_WARNING;
    check(true, true, false);
}

TEST(what_the_site_made_of_an_event_counts)
{
    filter.severity = SEVERITY_ERROR;
    link_event->severity = SEVERITY_ERROR;
    check(true, false, false);
    filter.severity = SEVERITY_DEBUG;
    link_event->category = CATEGORY_SECURITY;
    check_pattern(&filter.categories, "security", true, true, false);
}

TEST(a_summary_is_judged_by_what_it_sums_up)
{
    struct event *summary = event_make(catalogue_get(CATALOGUE_STORM_SUMMARY));
    assert_non_null(summary);
    summary->summarised = catalogue_get(CATALOGUE_BAD_PKEY);
    add(&filter.nodes, "leaf*"); // the summary may cover any node
    add(&filter.guids, "0x17");
    add(&filter.events, "bad-*");
    assert_true(filter_passes(&filter, summary));
    strcpy(filter.events.patterns[0], "storm-*");
    assert_true(filter_passes(&filter, summary));
    strcpy(filter.events.patterns[0], "link-*");
    assert_false(filter_passes(&filter, summary));
    filter.events.count = 0;
    strcpy(summary->subject.name, "node-a"); // now it has one subject
    assert_false(filter_passes(&filter, summary));
    event_unref(summary);
}

TEST(security_can_be_kept_out)
{
    filter.security = false;
    check(true, false, true);
    add(&filter.events, "*"); // naming the event does not change that
    add(&filter.categories, "security");
    check(false, false, false);
}

TEST(events_by_identifier)
{
    check_pattern(&filter.events, "link-integrity-threshold", true, false, false);
    check_pattern(&filter.events, "link-*", true, false, false);
    check_pattern(&filter.events, "bad-?key", false, true, false);
    check_pattern(&filter.events, "bad-[pq]key", false, true, false);
    check_pattern(&filter.events, "*", true, true, true);
    check_pattern(&filter.events, "link\\-integrity-threshold", true, false, false);
    check_pattern(&filter.events, "bad\\-*", false, true, false);
    check_pattern(&filter.events, "link", false, false, false); // not a part of it
    check_pattern(&filter.events, "LINK-*", false, false, false);
    add(&filter.events, "gateway-*");
    add(&filter.events, "link-*");
    check(true, false, true); // one match is enough
}

TEST(events_by_category)
{
    check_pattern(&filter.categories, "link", true, false, false);
    check_pattern(&filter.categories, "s*", false, true, false);
    check_pattern(&filter.categories, "gateway", false, false, true);
}

TEST(nodes_by_name)
{
    check_pattern(&filter.nodes, "leaf*", true, false, false);
    check_pattern(&filter.nodes, "node-a", false, true, false); // the issuer
    check_pattern(&filter.nodes, "other", false, true, false);  // the subject
    check_pattern(&filter.nodes, "spine*", false, false, false);
}

TEST(nodes_by_guid)
{
    check_pattern(&filter.guids, "0x0002c90300001234", true, false, false);
    check_pattern(&filter.guids, "0x0002c903*", true, true, false);
    check_pattern(&filter.guids, "0x0000000000000017", false, true, false);
    check_pattern(&filter.guids, "0x17", false, false, false);
    // An unknown GUID matches no pattern, not even zero's.
    check_pattern(&filter.guids, "*", true, true, false);
    check_pattern(&filter.guids, "0x0000000000000000", false, false, false);
}

TEST(what_switches_report_themselves)
{
    check_pattern(&filter.switches, "*", true, false, false);
    check_pattern(&filter.switches, "leaf1?", true, false, false);
    check_pattern(&filter.switches, "0x0002c90300001234", true, false, false);
    check_pattern(&filter.switches, "node-a", false, false, false); // not a switch
    // The name is the switch's, not the subject's.
    strcpy(link_event->subject.name, "node-b");
    check_pattern(&filter.switches, "node-b", false, false, false);
    check_pattern(&filter.switches, "leaf12", true, false, false);
}

// A link between two switches, found by a sweep and reported by no Notice.
static void make_it_a_change(void)
{
    link_event->type = catalogue_get(CATALOGUE_LINK_DOWN);
    link_event->issuer = (struct endpoint){0};
    link_event->subject.node_guid = LEAF_GUID;
    link_event->peer =
        (struct endpoint){.guid = 0x98, .node_guid = 0x99, .port = 3, .name = "spine1"};
}

TEST(both_ends_of_a_link_count)
{
    make_it_a_change();
    check_pattern(&filter.nodes, "leaf*", true, false, false);
    check_pattern(&filter.nodes, "spine1", true, false, false);
    check_pattern(&filter.nodes, "node-b", false, false, false);
    filter.nodes.count = 0;
    check_pattern(&filter.guids, "0x0002c90300001234", true, false, false);
    check_pattern(&filter.guids, "0x0000000000000098", true, false, false);
    check_pattern(&filter.guids, "0x0000000000000099", true, false, false);
    check_pattern(&filter.guids, "0x0000000000000097", false, false, false);
}

TEST(a_change_belongs_to_its_switch)
{
    make_it_a_change();
    check_pattern(&filter.switches, "leaf12", true, false, false);
    check_pattern(&filter.switches, "spine1", false, false, false);
    check_pattern(&filter.switches, "0x0002c90300001234", true, false, false);
    // A host's link: its switch matches.
    link_event->switch_guid = 0x99;
    check_pattern(&filter.switches, "spine1", true, false, false);
    check_pattern(&filter.switches, "leaf12", false, false, false);
    link_event->switch_guid = 0;
    check_pattern(&filter.switches, "*", false, false, false);
}

TEST(all_conditions_must_hold)
{
    add(&filter.events, "link-*");
    add(&filter.nodes, "leaf*");
    add(&filter.guids, "0x*");
    filter.severity = link_event->type->severity;
    check(true, false, false);
    filter.severity = (enum severity)(link_event->type->severity - 1);
    check(false, false, false);
    filter.severity = SEVERITY_DEBUG;
    add(&filter.categories, "node");
    check(false, false, false);
}

static void check_refusal(struct event *event, const char *expected)
{
    const char *item = filter_refusal(&filter, event);
    assert_string_equal(item ? item : "", expected);
}

TEST(a_trap_group_is_of_switches)
{
    static const uint64_t GUIDS[] = {9, LEAF_GUID, 1, 9, UINT64_MAX};
    struct guid_set *group = guid_set_make(GUIDS, COUNT(GUIDS)), *other = guid_set_make(GUIDS, 1);
    struct event *summary = event_make(catalogue_get(CATALOGUE_STORM_SUMMARY));
    summary->summarised = catalogue_get(CATALOGUE_LINK_STATE_CHANGE);
    filter.trap_group = group;
    check(true, false, false);
    assert_false(filter_passes(&filter, summary)); // no switch is involved
    filter.trap_group = other;
    check(false, false, false);
    for (size_t i = 0; i < COUNT(GUIDS); i++)
        assert_true(guid_set_has(group, GUIDS[i]));
    assert_false(guid_set_has(group, 0));
    assert_false(guid_set_equal(group, other));
    guid_set_unref(other);
    other = guid_set_make(GUIDS + 1, COUNT(GUIDS) - 1);
    assert_true(guid_set_equal(group, other));
    guid_set_unref(other);
    guid_set_unref(guid_set_ref(group));
    guid_set_unref(group);
    event_unref(summary);
}

TEST(the_item_that_refuses_is_named)
{
    check_refusal(key_event, "");
    filter.security = false;
    check_refusal(key_event, "security");
    check_refusal(link_event, "");
    add(&filter.switches, "spine1");
    check_refusal(link_event, "switches");
    add(&filter.guids, "0x7*");
    check_refusal(link_event, "guids");
    add(&filter.nodes, "other");
    check_refusal(link_event, "nodes");
    add(&filter.categories, "node");
    check_refusal(link_event, "categories");
    add(&filter.events, "gid-*");
    check_refusal(link_event, "events");
    filter.severity = SEVERITY_EMERGENCY;
    check_refusal(link_event, "severity");
}

#define FILTER_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

// An event that clears an alarm. Receivers were notified of the alarm by link-down.
static struct event *clear_of_link_down(enum catalogue_event type)
{
    struct event *clear = event_make(catalogue_get(type));
    assert_non_null(clear);
    snprintf(clear->alarm_key, sizeof clear->alarm_key, "link a-b");
    snprintf(clear->subject.name, sizeof clear->subject.name, "leaf12");
    clear->cleared = catalogue_get(CATALOGUE_LINK_DOWN);
    clear->cleared_severity = SEVERITY_WARNING;
    clear->cleared_category = CATEGORY_LINK;
    return clear;
}

TEST(a_clear_passes_where_its_raise_would_have)
{
    struct event *clear = clear_of_link_down(CATALOGUE_LINK_UP);
    assert_true(clear->severity > SEVERITY_WARNING);
    filter.severity = SEVERITY_WARNING;
    check_refusal(clear, "");
    assert_false(filter_matches(&filter, clear));
    filter.severity = SEVERITY_ERROR;
    check_refusal(clear, "severity");
    clear->cleared_severity = SEVERITY_ERROR; // a rule made it worse
    check_refusal(clear, "");
    filter.severity = SEVERITY_DEBUG;

    add(&filter.events, "link-down");
    check_refusal(clear, "");
    filter.events.count = 0;
    add(&filter.events, "host-*");
    check_refusal(clear, "events");
    filter.events.count = 0;

    clear->category = CATEGORY_NODE;
    add(&filter.categories, "link");
    check_refusal(clear, "");
    clear->cleared_category = CATEGORY_SECURITY;
    check_refusal(clear, "categories");
    filter.categories.count = 0;
    event_unref(clear);
}

TEST(an_end_without_counterpart_passes_as_its_raise)
{
    struct event *clear = clear_of_link_down(CATALOGUE_ALARM_CLEARED);
    add(&filter.events, "link-*");
    filter.severity = SEVERITY_WARNING;
    check_refusal(clear, "");
    clear->cleared = catalogue_get(CATALOGUE_HOST_REMOVED);
    check_refusal(clear, "severity"); // the item that it does not pass by itself
    event_unref(clear);
}

TEST(a_clear_passes_by_itself)
{
    struct event *clear = clear_of_link_down(CATALOGUE_LINK_UP);
    add(&filter.events, "link-up");
    check_refusal(clear, "");
    clear->cleared_severity = SEVERITY_DEBUG;
    filter.severity = SEVERITY_INFORMATIONAL;
    check_refusal(clear, "");
    // Not with the raise's severity and its own kind.
    clear->cleared_severity = SEVERITY_WARNING;
    filter.severity = SEVERITY_WARNING;
    check_refusal(clear, "severity");
    event_unref(clear);
}

TEST(a_clear_of_security_goes_where_its_raise_went)
{
    struct event *clear = clear_of_link_down(CATALOGUE_LINK_UP);
    filter.security = false;
    clear->cleared_category = CATEGORY_SECURITY;
    check_refusal(clear, ""); // by itself
    clear->category = CATEGORY_SECURITY;
    check_refusal(clear, "security");
    clear->cleared_category = CATEGORY_LINK;
    check_refusal(clear, "");
    event_unref(clear);
}

TEST(the_nodes_of_a_clear_are_its_own)
{
    struct event *clear = clear_of_link_down(CATALOGUE_LINK_UP);
    filter.severity = SEVERITY_WARNING;
    add(&filter.nodes, "leaf*");
    check_refusal(clear, "");
    filter.nodes.count = 0;
    add(&filter.nodes, "spine*");
    check_refusal(clear, "severity");
    event_unref(clear);
}

TEST(a_node_has_its_names_of_lately_too)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_HOST_REMOVED));
    snprintf(event->subject.name, sizeof event->subject.name, "MT4119 ConnectX5");
    event->subject.guid = event->switch_guid = 7;
    add(&filter.nodes, "host1*");
    check_refusal(event, "nodes");
    event->other_name_count = 1;
    event->other_names[0].guid = 7;
    strcpy(event->other_names[0].name, "host12");
    check_refusal(event, "");
    filter.nodes.count = 0;
    add(&filter.switches, "host1*");
    check_refusal(event, "");
    event->switch_guid = 8; // another node's name
    check_refusal(event, "switches");
    event_unref(event);
}

TEST(a_node_has_the_name_of_its_system_too)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_HOST_REMOVED));
    strcpy(event->subject.name, "gpu17 mlx5_3");
    add(&filter.nodes, "gpu17");
    check_refusal(event, "nodes");
    strcpy(event->subject.system, "gpu17");
    check_refusal(event, "");
    event_unref(event);
}

// The journal had dropped the event that raised the alarm: its nodes are not known any more.
TEST(a_clear_that_names_no_node_passes_where_its_raise_may_have)
{
    struct event *clear = event_make(catalogue_get(CATALOGUE_ALARM_CLEARED));
    snprintf(clear->alarm_key, sizeof clear->alarm_key, "link 1");
    clear->cleared = catalogue_get(CATALOGUE_LINK_DOWN);
    clear->cleared_severity = SEVERITY_WARNING;
    clear->cleared_category = CATEGORY_LINK;
    add(&filter.nodes, "leaf1");
    add(&filter.switches, "leaf1");
    assert_true(filter_passes(&filter, clear));
    clear->subject.guid = 7;
    assert_false(filter_passes(&filter, clear));
    clear->subject.guid = 0;
    add(&filter.events, "host-*");
    assert_false(filter_passes(&filter, clear));
    filter.events.count = 0;
    clear->cleared = catalogue_get(CATALOGUE_RECEIVER_FAILING);
    assert_false(filter_passes(&filter, clear));
    event_unref(clear);
}

TEST(only_a_clear_passes_as_another_event)
{
    struct event *clear = clear_of_link_down(CATALOGUE_LINK_UP);
    filter.severity = SEVERITY_WARNING;
    clear->alarm_key[0] = '\0'; // it clears nothing
    check_refusal(clear, "severity");
    event_unref(clear);
    clear = clear_of_link_down(CATALOGUE_LINK_UP);
    clear->cleared = NULL; // not known how receivers were notified
    check_refusal(clear, "severity");
    event_unref(clear);
    struct event *raise = clear_of_link_down(CATALOGUE_LINK_DEGRADED);
    raise->severity = SEVERITY_NOTICE;
    check_refusal(raise, "severity");
    event_unref(raise);
}

// A word of at most `most` characters, made from the digits of a number.
static void spell(char *out, const char *alphabet, size_t most, uint64_t number)
{
    for (size_t i = 0; i < most && number > 0; i++, number /= strlen(alphabet))
        *out++ = alphabet[number % strlen(alphabet)];
    *out = '\0';
}

TEST(patterns_match_as_those_of_the_shell)
{
    unsigned matching = 0;
    for (uint64_t p = 0; p < 9 * 9 * 9 * 9 * 9; p++) {
        struct filter_list *list = &filter.nodes;
        list->count = 1;
        spell(list->patterns[0], "ab*?[]\\!-", 5, p);
        for (uint64_t w = 0; w < 40; w++) {
            char word[5];
            spell(word, "ab[", 4, w);
            const bool expected = fnmatch(list->patterns[0], word, 0) == 0;
            if (filter_list_has(list, word) != expected)
                fail_msg("pattern %s, word %s", list->patterns[0], word);
            matching += expected;
        }
    }
    assert_true(matching > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILTER_TEST(everything_passes_at_first),
        FILTER_TEST(severity_and_worse),
        FILTER_TEST(what_the_site_made_of_an_event_counts),
        FILTER_TEST(a_summary_is_judged_by_what_it_sums_up),
        FILTER_TEST(security_can_be_kept_out),
        FILTER_TEST(events_by_identifier),
        FILTER_TEST(events_by_category),
        FILTER_TEST(nodes_by_name),
        FILTER_TEST(nodes_by_guid),
        FILTER_TEST(what_switches_report_themselves),
        FILTER_TEST(both_ends_of_a_link_count),
        FILTER_TEST(a_change_belongs_to_its_switch),
        FILTER_TEST(all_conditions_must_hold),
        FILTER_TEST(a_trap_group_is_of_switches),
        FILTER_TEST(the_item_that_refuses_is_named),
        FILTER_TEST(a_clear_passes_where_its_raise_would_have),
        FILTER_TEST(an_end_without_counterpart_passes_as_its_raise),
        FILTER_TEST(a_clear_passes_by_itself),
        FILTER_TEST(a_clear_of_security_goes_where_its_raise_went),
        FILTER_TEST(the_nodes_of_a_clear_are_its_own),
        FILTER_TEST(a_node_has_its_names_of_lately_too),
        FILTER_TEST(a_node_has_the_name_of_its_system_too),
        FILTER_TEST(a_clear_that_names_no_node_passes_where_its_raise_may_have),
        FILTER_TEST(only_a_clear_passes_as_another_event),
        FILTER_TEST(patterns_match_as_those_of_the_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
