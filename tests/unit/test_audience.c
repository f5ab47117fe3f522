// SPDX-License-Identifier: BSD-2-Clause
// The events of a receiver, without anything that the receiver cannot know.
#include "support.h"

#include "model/catalogue.h"
#include "sink/audience.h"

static struct support_time time_ = {SUPPORT_UTC_US, CLOCK_US_PER_S};
static struct clock clock_;
static const char *directory;
static struct journal *journal;
static struct filter filter;
static struct audience audience;
static struct log *log_;

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static int begin(void **state)
{
    (void)state;
    struct error err;
    clock_ = support_clock(&time_);
    directory = scratch_make();
    log_ = support_log(stderr);
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore_change,
                                            .clock = &clock_,
                                            .random = &random_system,
                                            .log = log_};
    journal = journal_open(&options, &err);
    assert_non_null(journal);
    filter_init(&filter);
    audience = (struct audience){.filter = &filter, .journal = journal, .handle = -1};
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal_close(journal);
    log_close(log_);
    scratch_remove(directory);
    return 0;
}

// The caller's until append takes it over.
static struct event *about(enum catalogue_event type, const char *node, const char *id)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "%s", id);
    snprintf(event->alarm_key, sizeof event->alarm_key, "node %s", node);
    snprintf(event->subject.name, sizeof event->subject.name, "%s", node);
    event->time_us = clock_utc(&clock_);
    return event;
}

// Returns the event's number.
static int64_t append(struct event *event)
{
    const int64_t number = journal_append(journal, event, &(struct journal_report){0});
    journal_commit(journal);
    event_unref(event);
    return number;
}

static struct event *suppressed(enum catalogue_event type, const char *node, int64_t cause,
                                const char *reason)
{
    struct event *event = about(type, node, "suppressed");
    strcpy(event->suppressed, reason);
    strcpy(event->cause_id, "cause");
    event->cause_number = cause;
    event->apart = true;
    return event;
}

static void want_node(const char *name)
{
    filter.nodes.count = 1;
    strcpy(filter.nodes.patterns[0], name);
}

static void check_refused(const struct event *event, const char *why)
{
    const char *refusal = audience_refusal(&audience, event);
    assert_non_null(refusal);
    assert_string_equal(refusal, why);
}

TEST(whoever_hears_of_the_root_cause_does_not_get_what_follows)
{
    const int64_t cause = append(about(CATALOGUE_SWITCH_REMOVED, "leaf1", "cause"));
    struct event *event = suppressed(CATALOGUE_HOST_REMOVED, "node1", cause, "consequence");
    check_refused(event, "suppressed");
    filter.severity = SEVERITY_WARNING;
    check_refused(event, "suppressed");
    event_unref(event);
}

TEST(whoever_does_not_gets_it_as_an_event_like_others)
{
    const int64_t cause = append(about(CATALOGUE_SWITCH_REMOVED, "leaf1", "cause"));
    struct event *event = suppressed(CATALOGUE_HOST_REMOVED, "node1", cause, "consequence");
    want_node("node1");
    assert_null(audience_refusal(&audience, event));
    struct event *view = audience_view(&audience, event);
    assert_string_equal(view->suppressed, "");
    assert_string_equal(view->cause_id, "");
    assert_string_equal(view->id, "suppressed");
    assert_null(audience_refusal(&audience, view)); // a second attempt
    assert_string_equal(event->suppressed, "consequence");
    event->apart = false; // another gateway sends it
    check_refused(event, "suppressed");
    want_node("node2");
    event->apart = true;
    check_refused(event, "nodes");
    event_unref(view);
    event_unref(event);
}

TEST(a_root_cause_that_follows_from_another_is_no_explanation)
{
    const int64_t cause = append(about(CATALOGUE_SWITCH_REMOVED, "leaf1", "cause"));
    const int64_t port = append(suppressed(CATALOGUE_PORT_REMOVED, "node1", cause, "consequence"));
    struct event *event = suppressed(CATALOGUE_LINK_DOWN, "node1", port, "consequence");
    filter.events.count = 1;
    strcpy(filter.events.patterns[0], "link-*");
    assert_null(audience_refusal(&audience, event));
    filter.events.count = 2;
    strcpy(filter.events.patterns[1], "switch-*");
    check_refused(event, "suppressed");
    event_unref(event);
}

// A switch flaps and gets another name: receivers heard of the switch under the former name alone.
TEST(a_root_cause_counts_as_receivers_were_told_of_it)
{
    append(about(CATALOGUE_SWITCH_REMOVED, "leaf1", "cause"));
    struct event *again = about(CATALOGUE_SWITCH_REMOVED, "xleaf1", "again");
    strcpy(again->suppressed, "flapping");
    strcpy(again->alarm_key, "node leaf1");
    struct event *event = suppressed(CATALOGUE_HOST_REMOVED, "node1", append(again), "consequence");
    filter.nodes.count = 2;
    strcpy(filter.nodes.patterns[0], "node*");
    strcpy(filter.nodes.patterns[1], "x*");
    assert_null(audience_refusal(&audience, event));
    strcpy(filter.nodes.patterns[1], "leaf*");
    check_refused(event, "suppressed");
    event_unref(event);
}

TEST(an_end_whose_root_cause_is_unknown_goes_to_all_with_a_filter)
{
    struct event *event = suppressed(CATALOGUE_HOST_ADDED, "node1", 0, "never-notified");
    check_refused(event, "suppressed");
    want_node("node1");
    assert_null(audience_refusal(&audience, event));
    event->cause_number = 4711; // expired
    assert_null(audience_refusal(&audience, event));
    event_unref(event);
}

static struct event *about_host(enum catalogue_event type, const char *name, const char *id)
{
    struct event *event = about(type, "0x1", id);
    strcpy(event->subject.name, name);
    return event;
}

static struct event *clear_of_host(const char *name)
{
    struct event *event = about_host(CATALOGUE_HOST_ADDED, name, "clear");
    strcpy(event->clears_id, "raise");
    event->cleared = catalogue_get(CATALOGUE_HOST_REMOVED);
    event->cleared_severity = SEVERITY_WARNING;
    event->cleared_category = CATEGORY_NODE;
    return event;
}

static void check_reference(struct event *clear, const char *id)
{
    assert_null(audience_refusal(&audience, clear));
    struct event *view = audience_view(&audience, clear);
    assert_string_equal(view->clears_id, id);
    event_unref(view);
}

TEST(an_end_goes_where_its_raise_went_whatever_the_name_is_now)
{
    append(about_host(CATALOGUE_HOST_REMOVED, "h12", "raise"));
    struct event *clear = clear_of_host("MT4119 ConnectX5");
    append(event_ref(clear));
    check_reference(clear, "raise");
    want_node("h1*");
    check_reference(clear, "raise");
    want_node("h2*");
    check_refused(clear, "never told");
    want_node("MT4119*"); // by itself it would pass
    check_refused(clear, "never told");
    filter_init(&filter);
    filter.events.count = 1;
    strcpy(filter.events.patterns[0], "*-removed");
    check_reference(clear, "raise");
    strcpy(filter.events.patterns[0], "host-added"); // the end is all that the receiver wants
    check_reference(clear, "");
    event_unref(clear);
}

// The other gateway told of the alarm, when this one was on standby.
TEST(an_end_of_an_alarm_that_another_gateway_told_goes_where_its_raise_went)
{
    struct event *raise = about_host(CATALOGUE_HOST_REMOVED, "h12", "raise");
    strcpy(raise->suppressed, "standby");
    append(raise);
    struct event *clear = clear_of_host("MT4119 ConnectX5");
    append(event_ref(clear));
    want_node("h1*");
    check_reference(clear, "raise");
    want_node("MT4119*"); // by itself it would pass
    check_refused(clear, "never told");
    event_unref(clear);
}

TEST(settled_goes_where_flapping_went)
{
    struct event *flapping = about(CATALOGUE_FLAPPING, "node1", "raise");
    flapping->summarised = catalogue_get(CATALOGUE_LINK_DOWN);
    append(flapping);
    struct event *settled = about(CATALOGUE_SETTLED, "node1", "clear");
    settled->summarised = catalogue_get(CATALOGUE_LINK_UP);
    settled->cleared = catalogue_get(CATALOGUE_FLAPPING);
    strcpy(settled->clears_id, "raise");
    append(event_ref(settled));
    filter.events.count = 1;
    strcpy(filter.events.patterns[0], "link-down");
    check_reference(settled, "raise");
    strcpy(filter.events.patterns[0], "link-up");
    check_refused(settled, "never told");
    event_unref(settled);
}

TEST(an_end_goes_where_any_of_its_raises_went)
{
    append(about_host(CATALOGUE_HOST_REMOVED, "h12", "first"));
    struct event *worse = about_host(CATALOGUE_HOST_REMOVED, "MT4119 ConnectX5", "raise");
    worse->severity = SEVERITY_ERROR;
    append(worse);
    struct event *clear = clear_of_host("h12");
    append(event_ref(clear));
    want_node("h12");
    check_reference(clear, ""); // it did not get the event that the clear names
    want_node("MT4119*");
    check_reference(clear, "raise");
    want_node("h2*");
    check_refused(clear, "never told");
    event_unref(clear);
    append(clear = clear_of_host("h12")); // a second end
    assert_int_equal(clear->told_number, 0);
}

TEST(whoever_was_told_apart_is_not_told_again)
{
    const int64_t cause = append(about(CATALOGUE_SWITCH_REMOVED, "leaf1", "cause"));
    append(suppressed(CATALOGUE_HOST_REMOVED, "node1", cause, "consequence"));
    struct event *late = about(CATALOGUE_HOST_REMOVED, "node1", "late");
    append(event_ref(late));
    want_node("node1");
    check_refused(late, "told before");
    late->sent_again = true; // an operator wants so
    assert_null(audience_refusal(&audience, late));
    late->sent_again = false;
    late->severity = SEVERITY_CRITICAL; // which says more
    assert_null(audience_refusal(&audience, late));
    late->severity = SEVERITY_ERROR;
    filter_init(&filter);
    assert_null(audience_refusal(&audience, late));
    filter.severity = SEVERITY_WARNING; // it heard of the root cause
    assert_null(audience_refusal(&audience, late));
    audience.handle = journal_receiver(journal, "siem"); // it began when all was told
    want_node("node1");
    assert_null(audience_refusal(&audience, late));
    event_unref(late);
}

// The journal no longer has the root cause: nobody knows whether the receiver was told of the
// alarm.
TEST(an_alarm_is_told_if_its_root_cause_has_expired)
{
    enum { EXPIRED = 1000 };
    append(suppressed(CATALOGUE_HOST_REMOVED, "node1", EXPIRED, "consequence"));
    struct event *late = about(CATALOGUE_HOST_REMOVED, "node1", "late");
    append(event_ref(late));
    assert_int_equal(late->told_number, 1);
    filter.severity = SEVERITY_WARNING;
    assert_null(audience_refusal(&audience, late));
    event_unref(late);
}

TEST(after_a_change_of_the_filter_ends_of_older_alarms_refer_to_nothing)
{
    audience.handle = journal_receiver(journal, "siem");
    journal_note_filter(journal, audience.handle, 1);
    append(about_host(CATALOGUE_HOST_REMOVED, "node1", "raise"));
    journal_note_filter(journal, audience.handle, 2);
    struct event *clear = clear_of_host("leaf1");
    append(event_ref(clear));
    check_reference(clear, "");
    want_node("node9");
    check_reference(clear, ""); // which it gets all the same
    event_unref(clear);
    filter_init(&filter);
    append(about_host(CATALOGUE_HOST_REMOVED, "node1", "raise"));
    append(event_ref(clear = clear_of_host("leaf1")));
    check_reference(clear, "raise");
    event_unref(clear);
}

int main(void)
{
#define HERE(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        HERE(whoever_hears_of_the_root_cause_does_not_get_what_follows),
        HERE(whoever_does_not_gets_it_as_an_event_like_others),
        HERE(a_root_cause_that_follows_from_another_is_no_explanation),
        HERE(a_root_cause_counts_as_receivers_were_told_of_it),
        HERE(an_end_whose_root_cause_is_unknown_goes_to_all_with_a_filter),
        HERE(an_end_goes_where_its_raise_went_whatever_the_name_is_now),
        HERE(an_end_of_an_alarm_that_another_gateway_told_goes_where_its_raise_went),
        HERE(settled_goes_where_flapping_went),
        HERE(an_end_goes_where_any_of_its_raises_went),
        HERE(whoever_was_told_apart_is_not_told_again),
        HERE(an_alarm_is_told_if_its_root_cause_has_expired),
        HERE(after_a_change_of_the_filter_ends_of_older_alarms_refer_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
