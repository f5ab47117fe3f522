// SPDX-License-Identifier: BSD-2-Clause
// The alarms that a receiver with a state is to have. The journal is real; whether the gateway is
// active, and whether it knows all alarms, the test says.
#include "support.h"

#include "daemon/alarm_source.h"
#include "pipeline/pipeline.h"
#include "topology/alarm_key.h"

enum { NODE = 0xa1, PEER = 0xb2, NODE_PORT = 7, PEER_PORT = 12 };

static struct gateway g;
static struct conf conf;
static struct module_alarms alarms;
static struct filter filter;
static struct alarm alarm_;
static const char *directory;
static struct support_time time_;
static struct clock clock_;
static bool active, whole;

bool __wrap_pipeline_is_active(const struct pipeline *pipeline);
bool __wrap_journal_has_all_alarms(struct journal *journal, uint64_t *changes);

bool __wrap_pipeline_is_active(const struct pipeline *pipeline)
{
    (void)pipeline;
    return active;
}

bool __wrap_journal_has_all_alarms(struct journal *journal, uint64_t *changes)
{
    assert_ptr_equal(journal, g.parts.journal);
    *changes = 5;
    return whole;
}

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static int begin(void **state)
{
    struct error err;
    (void)state;
    active = whole = true;
    directory = scratch_make();
    time_ = (struct support_time){SUPPORT_UTC_US, CLOCK_US_PER_S};
    clock_ = support_clock(&time_);
    filter_init(&filter);
    g = (struct gateway){.parts = {.log = support_log(NULL), .gateway_name = "gw1"}};
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore_change,
                                            .clock = &clock_,
                                            .random = &random_system,
                                            .log = g.parts.log};
    g.parts.journal = journal_open(&options, &err);
    assert_non_null(g.parts.journal);
    g.conf = &conf;
    alarms = alarm_source(&g);
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal_close(g.parts.journal);
    log_close(g.parts.log);
    scratch_remove(directory);
    return 0;
}

// Writes an event about the key to the journal; returns its number.
static int64_t append(enum catalogue_event type, const char *key, const char *suppressed)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    event->time_us = SUPPORT_UTC_US;
    snprintf(event->id, sizeof event->id, "raised-by-this");
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", key);
    snprintf(event->suppressed, sizeof event->suppressed, "%s", suppressed);
    snprintf(event->text, sizeof event->text, "As the journal has it.");
    journal_append(g.parts.journal, event, &(struct journal_report){0});
    event_unref(event);
    journal_commit(g.parts.journal);
    return journal_last(g.parts.journal);
}

// An alarm of the type, raised last by the event with the number.
static void set_alarm(enum catalogue_event type, const char *key, int64_t last,
                      enum alarm_notified notified)
{
    const struct catalogue_entry *row = catalogue_get(type);
    alarm_ = (struct alarm){.severity = row->severity,
                            .category = row->category,
                            .notified = notified,
                            .last_sequence = last,
                            .told_sequence = notified != ALARM_NOT_NOTIFIED ? last : 0,
                            .last_us = SUPPORT_UTC_US + 5};
    snprintf(alarm_.type, sizeof alarm_.type, "%s", row->name);
    snprintf(alarm_.key, sizeof alarm_.key, "%s", key);
    snprintf(alarm_.text, sizeof alarm_.text, "As the alarm has it.");
}

// Checks the event that a receiver gets for the alarm. NULL: it does not get the alarm.
static void check_text(const char *expected)
{
    bool refused;
    struct event *event = alarms.event(alarms.ctx, &alarm_, &filter, &refused);
    assert_int_equal(refused, expected == NULL);
    assert_non_null(event);
    assert_string_equal(event->alarm_key, alarm_.key);
    if (expected)
        assert_string_equal(event->text, expected);
    event_unref(event);
}

static bool may_pass(void)
{
    return alarms.may_pass(alarms.ctx, &alarm_, &filter);
}

TEST(the_list_is_whole_or_not_and_its_own_or_not)
{
    for (unsigned i = 0; i < 4; i++) {
        whole = i % 2 == 0;
        active = i / 2 == 0;
        assert_int_equal(alarms.state(alarms.ctx).is_whole, whole);
        assert_int_equal(alarms.state(alarms.ctx).is_standby, !active);
        assert_int_equal(alarms.state(alarms.ctx).changes, 5);
    }
}

TEST(a_standby_tells_only_what_is_wrong_with_itself)
{
    set_alarm(CATALOGUE_LINK_DOWN, "link", 1, ALARM_NOTIFIED);
    assert_true(may_pass());
    active = false;
    assert_false(may_pass());
    set_alarm(CATALOGUE_RECEIVER_FAILING, "receiver", 1, ALARM_NOTIFIED);
    assert_true(may_pass());
}

TEST(an_alarm_is_not_told_while_it_is_shelved)
{
    set_alarm(CATALOGUE_LINK_DOWN, "link", 1, ALARM_NOTIFIED);
    alarm_.shelved_until_us = clock_utc(&clock_system) + 3600 * CLOCK_US_PER_S;
    assert_false(may_pass());
    alarm_.shelved_until_us = clock_utc(&clock_system) - CLOCK_US_PER_S;
    assert_true(may_pass());
}

TEST(the_filter_and_the_catalogue_decide_what_may_pass)
{
    set_alarm(CATALOGUE_LINK_DOWN, "link", 1, ALARM_NOTIFIED);
    snprintf(filter.events.patterns[0], FILTER_PATTERN_SIZE, "link-*");
    filter.events.count = 1;
    assert_true(may_pass());
    snprintf(alarm_.type, sizeof alarm_.type, "link-of-a-later-version");
    assert_false(may_pass());
    set_alarm(CATALOGUE_RECEIVER_FAILING, "receiver", 1, ALARM_NOTIFIED);
    assert_false(may_pass());
}

TEST(the_event_is_the_one_that_raised_the_alarm_last)
{
    const int64_t other = append(CATALOGUE_LINK_DOWN, "another link", "");
    const int64_t raise = append(CATALOGUE_LINK_DOWN, "link", "");
    const int64_t clear = append(CATALOGUE_LINK_UP, "link", "");
    set_alarm(CATALOGUE_LINK_DOWN, "link", raise, ALARM_NOTIFIED);
    check_text("As the journal has it.");
    // Numbers of another file, or what expired: the alarm itself says what it is.
    static const char *const GUESSED = "As the alarm has it.";
    set_alarm(CATALOGUE_LINK_DOWN, "link", other, ALARM_NOTIFIED);
    check_text(GUESSED);
    set_alarm(CATALOGUE_LINK_DOWN, "link", clear, ALARM_NOTIFIED);
    check_text(GUESSED);
    set_alarm(CATALOGUE_LINK_DOWN, "link", clear + 1, ALARM_NOTIFIED);
    check_text(GUESSED);
    set_alarm(CATALOGUE_LINK_DOWN, "link", 0, ALARM_NOTIFIED);
    check_text(GUESSED);
}

TEST(receivers_have_what_they_were_notified_of)
{
    const int64_t told = append(CATALOGUE_LINK_DOWN, "link", "");
    const int64_t standby = append(CATALOGUE_LINK_DOWN, "link", EVENT_STANDBY);
    set_alarm(CATALOGUE_LINK_DOWN, "link", told, ALARM_NOT_NOTIFIED);
    alarm_.told_sequence = told; // apart from others
    check_text("As the journal has it.");
    set_alarm(CATALOGUE_LINK_DOWN, "link", standby, ALARM_NOT_NOTIFIED);
    check_text(NULL);
    set_alarm(CATALOGUE_LINK_DOWN, "link", standby, ALARM_NOTIFIED_ELSEWHERE);
    check_text("As the journal has it.");
    set_alarm(CATALOGUE_LINK_DOWN, "link", 0, ALARM_NOT_NOTIFIED);
    check_text(NULL);
    set_alarm(CATALOGUE_LINK_DOWN, "link", 0, ALARM_NOTIFIED_ELSEWHERE);
    check_text("As the alarm has it.");
    filter.severity = SEVERITY_CRITICAL;
    check_text(NULL);
}

// The subject of a guessed event about the link, as the node that the alarm names.
static void check_subject(uint64_t named, uint64_t subject, unsigned port, uint64_t peer,
                          unsigned peer_port)
{
    bool refused;
    char key[EVENT_KEY_SIZE];
    const struct alarm_key link = {.kind = ALARM_KEY_LINK,
                                   .guid = NODE,
                                   .port = NODE_PORT,
                                   .peer_guid = PEER,
                                   .peer_port = PEER_PORT};
    alarm_key_write(key, &link);
    set_alarm(CATALOGUE_LINK_DOWN, key, 0, ALARM_NOTIFIED);
    alarm_.node_guid = named;
    struct event *event = alarms.event(alarms.ctx, &alarm_, &filter, &refused);
    assert_non_null(event);
    assert_int_equal(event->subject.node_guid, subject);
    assert_int_equal(event->subject.port, port);
    assert_int_equal(event->peer.node_guid, peer);
    assert_int_equal(event->peer.port, peer_port);
    assert_int_equal(event->time_us, alarm_.last_us);
    event_unref(event);
}

TEST(a_guessed_event_is_about_the_nodes_of_the_key)
{
    check_subject(NODE, NODE, NODE_PORT, PEER, PEER_PORT);
    check_subject(PEER, PEER, PEER_PORT, NODE, NODE_PORT);
}

#define SOURCE_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOURCE_TEST(the_list_is_whole_or_not_and_its_own_or_not),
        SOURCE_TEST(a_standby_tells_only_what_is_wrong_with_itself),
        SOURCE_TEST(an_alarm_is_not_told_while_it_is_shelved),
        SOURCE_TEST(the_filter_and_the_catalogue_decide_what_may_pass),
        SOURCE_TEST(the_event_is_the_one_that_raised_the_alarm_last),
        SOURCE_TEST(receivers_have_what_they_were_notified_of),
        SOURCE_TEST(a_guessed_event_is_about_the_nodes_of_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
