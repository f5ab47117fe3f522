// SPDX-License-Identifier: BSD-2-Clause
// The control socket's answers about events, alarms and receivers, from the journal to the answer.
#include "policy_options.h"
#include "support.h"

#include "control/handlers.h"
#include "event/event_builder.h"
#include "model/fabric.h"
#include "model/fabric_builder.h"

static struct journal *journal;
static struct support_time now_;
static struct clock clock_;
static struct support_chance chance;
static struct random random_;
static struct event_builder builder;
static struct log *log_;
static struct parts parts; // without a pipeline or receivers
static struct control control;
static const struct peer_credentials ROOT = {.uid = 0}, STRANGER = {.uid = 4000000001};

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static int begin(void **state)
{
    (void)state;
    static char directory[200];
    static unsigned journals;
    struct error err;
    snprintf(directory, sizeof directory, "%s-%u", support_path("journal"), journals++);
    now_ = (struct support_time){.utc = SUPPORT_UTC_US};
    clock_ = support_clock(&now_);
    random_ = support_random(&chance);
    log_ = support_log(NULL);
    builder = (struct event_builder){.clock = &clock_, .random = &random_};
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 100000,
                                            .bytes_max = 64 << 20,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore_change,
                                            .clock = &clock_,
                                            .random = &random_,
                                            .log = log_};
    journal = journal_open(&options, &err);
    assert_non_null(journal);
    parts = (struct parts){.journal = journal};
    control = (struct control){.parts = &parts, .builder = builder};
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal_close(journal);
    log_close(log_);
    return 0;
}

// Adds an event, a second after the event before.
static void append(struct event *event)
{
    assert_non_null(event);
    journal_append(journal, event, &(struct journal_report){0});
    event_unref(event);
    now_.utc += CLOCK_US_PER_S;
}

static void add(enum catalogue_event type, const char *key)
{
    struct event_builder_occurrence o = {.type = type, .reason = "because"};
    snprintf(o.alarm_key, sizeof o.alarm_key, "%s", key);
    append(event_builder_from_occurrence(&builder, &o));
}

// 900 events more than memory holds; every hundredth is of another kind.
enum { MANY = JOURNAL_MEMORY_MAX + 900 };

static void add_many(void)
{
    for (int i = 1; i <= MANY; i++) {
        add(i % 100 == 0 ? CATALOGUE_RECEIVER_BACK : CATALOGUE_GATEWAY_STARTED, "");
        if (i % 200 == 0)
            journal_commit(journal);
    }
    journal_commit(journal);
}

static json_t *ask(const char *items)
{
    json_t *request = json_loads(items, 0, NULL);
    assert_non_null(request);
    json_t *answer = event_answers_list(&control, request);
    assert_non_null(answer);
    json_decref(request);
    return answer;
}

static json_int_t number_at(const json_t *answer, size_t i)
{
    const json_t *one = json_array_get(json_object_get(answer, "events"), i);
    return json_integer_value(json_object_get(one, "number"));
}

static size_t count_of(const json_t *answer)
{
    return json_array_size(json_object_get(answer, "events"));
}

static json_int_t item_of(const json_t *answer, const char *item)
{
    return json_integer_value(json_object_get(answer, item));
}

// The event numbers from a request and its continuations; counts the requests.
static size_t ask_all(json_t *request, json_int_t *numbers, size_t max, unsigned *requests)
{
    size_t n = 0;
    bool more;
    *requests = 0;
    do {
        json_t *answer = event_answers_list(&control, request);
        for (size_t i = 0; i < count_of(answer); i++) {
            assert_in_range(n, 0, max - 1);
            numbers[n++] = number_at(answer, i);
        }
        more = json_object_update(request, json_object_get(answer, "more")) == 0;
        json_decref(answer);
        ++*requests;
    } while (more);
    json_decref(request);
    return n;
}

TEST(an_empty_journal_has_no_events)
{
    json_t *answer = ask("{}");
    assert_int_equal(count_of(answer), 0);
    assert_null(json_object_get(answer, "more"));
    json_decref(answer);
}

TEST(the_newest_come_first_and_each_once)
{
    static json_int_t numbers[MANY];
    unsigned requests;
    add_many();
    size_t n = ask_all(json_pack("{s:i}", "limit", MANY), numbers, MANY, &requests);
    assert_int_equal(n, MANY);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(numbers[i], MANY - i);
    assert_int_equal(requests, (MANY + EVENT_ANSWERS_PAGE - 1) / EVENT_ANSWERS_PAGE);
}

TEST(a_request_looks_at_a_bounded_number_of_events)
{
    add_many();
    json_t *answer = ask("{\"event\":\"link-*\",\"limit\":1}");
    assert_int_equal(count_of(answer), 0);
    assert_int_equal(item_of(answer, "place"), MANY - EVENT_ANSWERS_SCAN + 1);
    assert_int_equal(item_of(json_object_get(answer, "more"), "before"),
                     MANY - EVENT_ANSWERS_SCAN + 1);
    json_decref(answer);
}

TEST(a_choice_is_found_over_several_requests)
{
    static json_int_t numbers[MANY];
    unsigned requests;
    add_many();
    json_t *request = json_pack("{s:s, s:i}", "event", "receiver-*", "limit", 40);
    size_t n = ask_all(request, numbers, MANY, &requests);
    assert_int_equal(n, 40);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(numbers[i], MANY / 100 * 100 - 100 * i);
    assert_int_equal(requests, 2);
}

TEST(times_are_found_without_looking_at_everything)
{
    add_many();
    char items[100];
    // Event n happened n - 1 seconds after the first.
    snprintf(items, sizeof items, "{\"until_us\":%lld,\"since_us\":%lld}",
             (long long)(SUPPORT_UTC_US + 19 * CLOCK_US_PER_S),
             (long long)(SUPPORT_UTC_US + 10 * CLOCK_US_PER_S));
    json_t *answer = ask(items);
    assert_int_equal(count_of(answer), 10);
    assert_int_equal(number_at(answer, 0), 20);
    assert_int_equal(number_at(answer, 9), 11);
    assert_null(json_object_get(answer, "more"));
    assert_int_equal(item_of(answer, "last"), MANY);
    json_decref(answer);
}

TEST(an_end_at_the_newest_event_includes_it)
{
    add(CATALOGUE_GATEWAY_STARTED, "");
    add(CATALOGUE_GATEWAY_STARTED, "");
    journal_commit(journal);
    char items[100];
    snprintf(items, sizeof items, "{\"until_us\":%lld}",
             (long long)(SUPPORT_UTC_US + CLOCK_US_PER_S));
    json_t *answer = ask(items);
    assert_int_equal(count_of(answer), 2);
    json_decref(answer);
}

TEST(what_comes_is_followed_oldest_first)
{
    add(CATALOGUE_GATEWAY_STARTED, "");
    journal_commit(journal);
    json_t *answer = ask("{\"after\":1}");
    assert_int_equal(count_of(answer), 0);
    assert_true(json_is_true(json_object_get(answer, "ended")));
    assert_int_equal(item_of(answer, "place"), 1);
    json_decref(answer);
    for (int i = 0; i < 3; i++)
        add(CATALOGUE_GATEWAY_STARTED, "");
    journal_commit(journal);
    answer = ask("{\"after\":1,\"limit\":2}");
    assert_int_equal(count_of(answer), 2);
    assert_int_equal(number_at(answer, 0), 2);
    assert_int_equal(item_of(answer, "place"), 3);
    assert_false(json_is_true(json_object_get(answer, "ended")));
    json_decref(answer);
}

TEST(the_severity_chooses)
{
    add(CATALOGUE_RECEIVER_FAILING, "x"); // an error
    add(CATALOGUE_RECEIVER_BACK, "x");    // a notice
    journal_commit(journal);
    json_t *answer = ask("{\"severity\":\"error\"}");
    assert_int_equal(count_of(answer), 1);
    assert_int_equal(number_at(answer, 0), 1);
    json_decref(answer);
}

TEST(nonsense_is_refused)
{
    static const char *const REQUESTS[] = {"{\"limit\":-1}",          "{\"before\":\"1\"}",
                                           "{\"after\":1.5}",         "{\"since_us\":null}",
                                           "{\"severity\":\"bad\"}",  "{\"severity\":4}",
                                           "{\"node\":[\"leaf\",4]}", "{\"event\":{}}"};
    for (size_t i = 0; i < COUNT(REQUESTS); i++) {
        json_t *answer = ask(REQUESTS[i]);
        assert_true(json_is_string(json_object_get(answer, "error")));
        json_decref(answer);
    }
}

TEST(every_event_is_found_by_its_identifier)
{
    add_many();
    for (int64_t number = 1; number <= MANY; number += 97) {
        struct event *event = journal_read_at(journal, number);
        assert_non_null(event);
        char other[EVENT_ID_SIZE];
        memcpy(other, event->id, sizeof other);
        other[35] = other[35] == '0' ? '1' : '0';
        assert_int_equal(event_answers_find_id(journal, event->id), number);
        assert_int_equal(event_answers_find_id(journal, other), 0);
        event_unref(event);
    }
    assert_int_equal(event_answers_find_id(journal, ""), 0);
    assert_int_equal(event_answers_find_id(journal, "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz"), 0);
    assert_null(journal_read_at(journal, 0));
    assert_null(journal_read_at(journal, MANY + 1));
}

// Explanations.

static json_t *explain(int64_t number)
{
    json_t *request = json_pack("{s:I}", "number", (json_int_t)number);
    json_t *answer = explain_answer(&control, request);
    explain_finish(&control, answer);
    event_unref(control.found);
    control.found = NULL;
    json_decref(request);
    return answer;
}

static void check_word(const json_t *object, const char *item, const char *expected)
{
    assert_string_equal(json_string_value(json_object_get(object, item)), expected);
}

TEST(an_explanation_names_cause_and_related_events)
{
    add(CATALOGUE_GATEWAY_STARTED, "");
    journal_commit(journal);
    struct event *first = journal_read_at(journal, 1);
    const struct change change = {.type = CATALOGUE_LINK_DOWN, .alarm_key = "link"};
    struct event *event = event_builder_from_change(&builder, &change, false, first->id,
                                                    "01a1fd03-0547-763b-bd41-8a5721ba36bc");
    strcpy(event->suppressed, "standby");
    append(event);
    journal_commit(journal);
    json_t *answer = explain(2);
    check_word(answer, "suppressed", "standby");
    check_word(answer, "title", "Link went down");
    check_word(answer, "remedy", catalogue_remedy("link-down"));
    assert_int_equal(item_of(json_object_get(answer, "cause"), "number"), 1);
    check_word(json_object_get(answer, "cause"), "text", first->text);
    check_word(json_object_get(answer, "related"), "id", "01a1fd03-0547-763b-bd41-8a5721ba36bc");
    assert_true(json_is_null(json_object_get(json_object_get(answer, "related"), "number")));
    // No switch is known, so the only notification is the IBTRAPD-MIB's.
    const json_t *notifications = json_object_get(answer, "notifications");
    assert_int_equal(json_array_size(notifications), 1);
    check_word(json_array_get(notifications, 0), "name", "ibtrapdLinkRemoved");
    assert_true(json_is_true(json_object_get(json_array_get(notifications, 0), "default")));
    json_decref(answer);
    event_unref(first);
}

// Alarms.

typedef json_t *answering(struct control *control, const json_t *request);

static json_t *alarms(answering *answer_of, const char *items)
{
    json_t *request = json_loads(items, 0, NULL);
    assert_non_null(request);
    json_t *answer = answer_of(&control, request);
    json_decref(request);
    return answer;
}

TEST(alarms_come_in_pages)
{
    for (int i = 1; i <= ALARM_ANSWERS_PAGE + 3; i++) {
        char key[20];
        snprintf(key, sizeof key, "key %d", i);
        add(CATALOGUE_RECEIVER_FAILING, key);
    }
    journal_commit(journal);
    json_t *page = alarms(alarm_answers_list, "{\"all\":true}");
    assert_int_equal(json_array_size(json_object_get(page, "alarms")), ALARM_ANSWERS_PAGE);
    json_t *next = json_pack("{s:b}", "all", 1);
    json_object_update(next, json_object_get(page, "more"));
    char *more = json_dumps(next, 0);
    json_decref(next);
    json_decref(page);
    page = alarms(alarm_answers_list, more);
    free(more);
    assert_int_equal(json_array_size(json_object_get(page, "alarms")), 3);
    assert_null(json_object_get(page, "more"));
    check_word(json_array_get(json_object_get(page, "alarms"), 0), "key", "key 501");
    json_decref(page);
}

static void check_keys(const char *items, const char *expected)
{
    char keys[200] = "";
    struct text t = text_in(keys, sizeof keys);
    size_t i;
    const json_t *alarm;
    json_t *answer = alarms(alarm_answers_list, items);
    json_array_foreach(json_object_get(answer, "alarms"), i, alarm)
        text_addf(&t, "%s%s", i ? ", " : "", json_string_value(json_object_get(alarm, "key")));
    assert_string_equal(keys, expected);
    json_decref(answer);
}

TEST(alarms_come_by_their_causes_the_worst_first)
{
    add(CATALOGUE_LINK_DEGRADED, "slow");
    add(CATALOGUE_RECEIVER_FAILING, "receiver nms");
    add(CATALOGUE_LINK_DOWN, "behind");
    journal_commit(journal);
    check_keys("{}", "receiver nms, behind, slow");
    struct alarm worst;
    assert_true(journal_worst_alarm(journal, ALARM_OPEN, &worst));
    assert_string_equal(worst.key, "behind");
    json_t *page = alarms(alarm_answers_list, "{}");
    journal_explain_alarm(journal, "behind",
                          json_string_value(json_object_get(
                              json_array_get(json_object_get(page, "alarms"), 2), "id")),
                          "consequence");
    json_decref(page);
    check_keys("{}", "receiver nms, slow");
    check_keys("{\"all\":true}", "slow, receiver nms, behind");
    check_keys("{\"severity\":\"error\"}", "receiver nms");
    check_keys("{\"event\":\"link-*\"}", "slow");
    check_keys("{\"event\":\"link-*\",\"all\":true}", "slow, behind");
    check_keys("{\"node\":\"nobody\"}", "");
    assert_true(journal_worst_alarm(journal, ALARM_OPEN, &worst));
    assert_string_equal(worst.key, "slow");
    assert_int_equal(worst.consequences, 1);
    assert_true(journal_worst_alarm(journal, ALARM_FOLLOWS, &worst));
    assert_string_equal(worst.key, "behind");
    add(CATALOGUE_LINK_DEGRADED, "newer");
    journal_commit(journal);
    check_keys("{}", "receiver nms, slow, newer"); // one alarm follows from "slow"
    assert_true(journal_worst_alarm(journal, ALARM_OPEN, &worst));
    assert_string_equal(worst.key, "slow");
    journal_explain_alarm(journal, "receiver nms", "", EVENT_SHELVED);
    check_keys("{}", "slow, newer, receiver nms"); // what somebody has put aside comes last
}

static void check_alarm(answering *answer_of, const char *items, bool ok)
{
    json_t *answer = alarms(answer_of, items);
    assert_int_equal(json_object_get(answer, "error") == NULL, ok);
    json_decref(answer);
}

TEST(an_alarm_is_named_by_key_or_number)
{
    add(CATALOGUE_GATEWAY_STARTED, "");
    add(CATALOGUE_RECEIVER_FAILING, "receiver nms");
    journal_commit(journal);
    control.user = &ROOT;
    check_alarm(alarm_answers_acknowledge, "{\"alarm\":\"2\",\"note\":\"mine\"}", true);
    check_alarm(alarm_answers_shelve, "{\"alarm\":\"receiver nms\",\"minutes\":10}", true);
    json_t *page = alarms(alarm_answers_list, "{}");
    const json_t *alarm = json_array_get(json_object_get(page, "alarms"), 0);
    check_word(alarm, "note", "mine");
    check_word(alarm, "remedy", catalogue_remedy("receiver-failing"));
    check_word(alarm, "acknowledged", "2026-11-21T03:19:05.123456Z");
    check_word(alarm, "shelved_until", "2026-11-21T03:29:05.123456Z");
    check_word(alarm, "acknowledged_by", "root (uid 0)");
    check_word(alarm, "shelved_by", "root (uid 0)");
    assert_true(json_is_null(json_object_get(alarm, "cause")));
    assert_true(json_is_null(json_object_get(alarm, "suppressed")));
    assert_int_equal(item_of(alarm, "consequences"), 0);
    assert_true(json_is_true(json_object_get(alarm, "notified")));
    json_decref(page);
    check_alarm(alarm_answers_unacknowledge, "{\"alarm\":\"2\"}", true);
    page = alarms(alarm_answers_list, "{\"all\":true}");
    alarm = json_array_get(json_object_get(page, "alarms"), 0);
    assert_true(json_is_null(json_object_get(alarm, "acknowledged")));
    assert_true(json_is_null(json_object_get(alarm, "acknowledged_by")));
    check_word(alarm, "note", "");
    json_decref(page);
    check_alarm(alarm_answers_unacknowledge, "{\"alarm\":\"1\"}", false);
    check_alarm(alarm_answers_acknowledge, "{\"alarm\":\"1\"}", false);
    check_alarm(alarm_answers_acknowledge, "{\"alarm\":\"receiver\"}", false);
    check_alarm(alarm_answers_acknowledge, "{}", false);
    check_alarm(alarm_answers_acknowledge, "{\"alarm\":\"2\",\"note\":7}", false);
    check_alarm(alarm_answers_shelve, "{\"alarm\":\"2\",\"minutes\":-1}", false);
    check_alarm(alarm_answers_shelve, "{\"alarm\":\"2\",\"minutes\":527041}", false);
    check_alarm(alarm_answers_list, "{\"after\":\"x\"}", false);
}

// Clearing by hand: with a pipeline, whose thread writes to the journal.

static void start_pipeline(void)
{
    struct error err;
    struct pipeline_options options = {.builder = builder, .journal = journal, .log = log_};
    policy_options_init(&options.policy); // without a quiet time, a flapping alarm ends at once
    parts.pipeline = pipeline_start(&options, &err);
    assert_non_null(parts.pipeline);
    control.user = &ROOT;
}

static void stop_pipeline(void)
{
    pipeline_stop(parts.pipeline);
    pipeline_free(parts.pipeline);
    parts.pipeline = NULL;
}

static void check_cleared(const char *items, const char *key, const char *note)
{
    json_t *answer = alarms(alarm_answers_clear, items);
    check_word(answer, "key", key);
    if (!strstr(json_string_value(json_object_get(answer, "note")), note))
        fail_msg("the note lacks '%s'", note);
    json_decref(answer);
}

static void check_clear_refused(const char *items, const char *sentence)
{
    json_t *answer = alarms(alarm_answers_clear, items);
    if (!strstr(json_string_value(json_object_get(answer, "error")), sentence))
        fail_msg("%s is refused without '%s'", items, sentence);
    json_decref(answer);
}

static void check_event(int64_t number, const char *type, const char *key, const char *reason)
{
    struct event *event = journal_read_at(journal, number);
    assert_non_null(event);
    assert_string_equal(event->type->name, type);
    assert_string_equal(event->alarm_key, key);
    assert_string_equal(event->reason, reason);
    event_unref(event);
}

static void check_no_alarm(void)
{
    json_t *page = alarms(alarm_answers_list, "{}");
    assert_int_equal(json_array_size(json_object_get(page, "alarms")), 0);
    json_decref(page);
}

TEST(an_alarm_is_cleared_with_who_and_why)
{
    static const char LINK[] = "link 0x0000000000000010/1-0x0000000000000020/1";
    add(CATALOGUE_LINK_DOWN, LINK);
    add(CATALOGUE_LINK_DEGRADED, "rate link 0x0000000000000010/2-0x0000000000000030/1");
    add(CATALOGUE_RECEIVER_FAILING, "receiver nms");
    journal_commit(journal);
    start_pipeline();
    check_cleared("{\"alarm\":\"1\",\"reason\":\"the cable is gone for good.\"}", LINK,
                  "when a sweep has seen it and it goes missing again");
    check_clear_refused("{\"alarm\":\"1\",\"reason\":\"again\"}", "no such alarm is active");
    control.user = &STRANGER;
    check_cleared("{\"alarm\":\"2\",\"reason\":\"it may be slow\"}",
                  "rate link 0x0000000000000010/2-0x0000000000000030/1", "The next sweep raises");
    check_cleared("{\"alarm\":\"receiver nms\",\"reason\":\"a\\nb\"}", "receiver nms",
                  "when it happens again");
    stop_pipeline();
    check_event(4, "alarm-cleared", LINK, "cleared by root (uid 0): the cable is gone for good");
    check_event(5, "alarm-cleared", "rate link 0x0000000000000010/2-0x0000000000000030/1",
                "cleared by uid 4000000001: it may be slow");
    check_event(6, "alarm-cleared", "receiver nms", "cleared by uid 4000000001: a?b");
    struct event *raise = journal_read_at(journal, 1), *clear = journal_read_at(journal, 4);
    assert_string_equal(clear->clears_id, raise->id);
    assert_ptr_equal(clear->cleared, raise->type);
    event_unref(raise);
    event_unref(clear);
    check_no_alarm();
}

TEST(a_cleared_node_takes_its_links_with_it)
{
    static const char NODE[] = "node 0x0000000000000020",
                      LINK[] = "link 0x0000000000000010/1-0x0000000000000020/1",
                      OTHER[] = "link 0x0000000000000010/2-0x0000000000000030/1";
    add(CATALOGUE_HOST_REMOVED, NODE);
    add(CATALOGUE_LINK_DOWN, LINK);
    add(CATALOGUE_LINK_DOWN, OTHER);
    journal_commit(journal);
    start_pipeline();
    check_cleared("{\"alarm\":\"1\",\"reason\":\"sold\"}", NODE, "goes missing again");
    stop_pipeline();
    check_event(4, "alarm-cleared", LINK, "cleared by root (uid 0): sold");
    check_event(5, "alarm-cleared", NODE, "cleared by root (uid 0): sold");
    json_t *page = alarms(alarm_answers_list, "{}");
    const json_t *left = json_object_get(page, "alarms");
    assert_int_equal(json_array_size(left), 1);
    check_word(json_array_get(left, 0), "key", OTHER);
    json_decref(page);
}

TEST(an_alarm_is_cleared_only_if_it_is_active_and_for_a_reason)
{
    add(CATALOGUE_RECEIVER_FAILING, "receiver nms");
    add(CATALOGUE_RECEIVER_BACK, "receiver nms");
    add(CATALOGUE_RECEIVER_FAILING, "receiver siem");
    journal_commit(journal);
    start_pipeline();
    check_clear_refused("{\"alarm\":\"receiver nms\",\"reason\":\"so\"}",
                        "no such alarm is active");
    check_clear_refused("{\"alarm\":\"1\",\"reason\":\"so\"}", "no such alarm is active");
    check_clear_refused("{\"alarm\":\"99999999999999999999\",\"reason\":\"so\"}", "no such alarm");
    check_clear_refused("{\"reason\":\"so\"}", "'alarm' must be");
    check_clear_refused("{\"alarm\":\"receiver siem\"}", "say why");
    check_clear_refused("{\"alarm\":\"receiver siem\",\"reason\":\" ..\"}", "say why");
    check_clear_refused("{\"alarm\":\"receiver siem\",\"reason\":7}", "say why");
    char longest[ALARM_ANSWERS_REASON_SIZE + 100], reason[ALARM_ANSWERS_REASON_SIZE + 1] = "";
    memset(reason, 'x', ALARM_ANSWERS_REASON_SIZE);
    snprintf(longest, sizeof longest, "{\"alarm\":\"3\",\"reason\":\"%s\"}", reason);
    check_clear_refused(longest, "say why");
    reason[ALARM_ANSWERS_REASON_SIZE - 1] = '\0';
    snprintf(longest, sizeof longest, "{\"alarm\":\"3\",\"reason\":\"%s\"}", reason);
    check_cleared(longest, "receiver siem", "");
    stop_pipeline();
    struct event *clear = journal_read_at(journal, 4);
    assert_string_equal(strrchr(clear->reason, ' ') + 1, reason); // nothing is cut
    event_unref(clear);
    check_clear_refused("{\"alarm\":\"3\",\"reason\":\"so\"}", "the gateway is stopping");
}

static void raise_behind_policys_back(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx, (void)inside;
    add(CATALOGUE_LINK_DOWN, "link");
}

// Policy's table was full when the alarm was raised.
TEST(an_alarm_that_policy_does_not_know_is_cleared)
{
    start_pipeline();
    assert_true(pipeline_call(parts.pipeline, raise_behind_policys_back, NULL));
    check_cleared("{\"alarm\":\"link\",\"reason\":\"so\"}", "link", "when it happens again");
    stop_pipeline();
    struct event *clear = journal_read_at(journal, 2);
    assert_string_equal(clear->reason, "cleared by root (uid 0): so");
    assert_non_null(strstr(clear->text, "The alarm link-down"));
    assert_string_equal(clear->suppressed, "");
    event_unref(clear);
    check_no_alarm();
}

TEST(a_flapping_alarm_is_cleared_as_settled)
{
    add(CATALOGUE_LINK_DOWN, "link");
    add(CATALOGUE_FLAPPING, "flapping link");
    journal_commit(journal);
    start_pipeline();
    check_cleared("{\"alarm\":\"flapping link\",\"reason\":\"reseated\"}", "flapping link", "");
    check_clear_refused("{\"alarm\":\"flapping link\",\"reason\":\"so\"}", "no such alarm");
    stop_pipeline();
    check_event(3, "settled", "flapping link",
                "its alarm stands; cleared by root (uid 0): reseated");
}

// Tests.

static struct fabric *make_fabric(void)
{
    struct fabric_builder *b = fabric_builder_new();
    const struct fabric_node nodes[] = {
        {.guid = 0x10, .type = FABRIC_SWITCH, .port_count = 2, .description = "leaf1"},
        {.guid = 0x20, .type = FABRIC_CA, .port_count = 1, .description = "node1"},
        {.guid = 0x30, .type = FABRIC_CA, .port_count = 1, .description = "alone"}};
    const struct fabric_port port = {.number = 1, .known = true, .guid = 0x21, .lid = 4};
    assert_non_null(b);
    for (uint32_t i = 0; i < COUNT(nodes); i++)
        assert_int_equal(fabric_builder_node(b, &nodes[i]), i);
    assert_true(fabric_builder_port(b, 1, &port));
    assert_true(fabric_builder_link(b, 0, 2, 1, 1));
    struct fabric *fabric = fabric_builder_finish(b, 1, 0, true);
    assert_non_null(fabric);
    return fabric;
}

static bool read_test(const char *items, struct fabric *fabric, struct test_event *out)
{
    struct error err;
    json_t *request = json_loads(items, 0, NULL);
    assert_non_null(request);
    control.fabric = fabric;
    bool ok = test_answers_read(&control, request, out, &err);
    json_decref(request);
    return ok;
}

TEST(a_test_names_a_node_of_the_fabric)
{
    struct test_event test;
    struct fabric *fabric = make_fabric();
    assert_true(read_test("{\"event\":\"link-down\",\"node\":\"leaf1\"}", fabric, &test));
    assert_int_equal(test.type, CATALOGUE_LINK_DOWN);
    assert_int_equal(test.subject.node_guid, 0x10);
    assert_int_equal(test.subject.port, 2);
    assert_string_equal(test.peer.name, "node1");
    static const char *const NODE1[] = {"{\"event\":\"host-removed\",\"node\":\"0x21\"}",
                                        "{\"event\":\"host-removed\",\"node\":\"0x20\"}"};
    for (size_t i = 0; i < COUNT(NODE1); i++) {
        assert_true(read_test(NODE1[i], fabric, &test));
        assert_string_equal(test.subject.name, "node1");
        assert_int_equal(test.subject.lid, 4);
    }
    assert_true(read_test("{\"event\":\"host-removed\",\"node\":\"alone\"}", fabric, &test));
    assert_int_equal(test.subject.node_guid, 0x30);
    assert_int_equal(test.peer.node_guid, 0);
    fabric_unref(fabric);
}

TEST(a_test_without_a_node_makes_one_up)
{
    struct test_event test;
    assert_true(read_test("{\"event\":\"host-removed\"}", NULL, &test));
    assert_string_equal(test.subject.name, "test-host");
}

TEST(a_test_of_nothing_is_refused)
{
    struct test_event test;
    struct fabric *fabric = make_fabric();
    assert_false(read_test("{}", fabric, &test));
    assert_false(read_test("{\"event\":\"link\"}", fabric, &test));
    assert_false(read_test("{\"event\":7}", fabric, &test));
    assert_false(read_test("{\"event\":\"link-down\",\"node\":\"leaf\"}", fabric, &test));
    assert_false(read_test("{\"event\":\"link-down\",\"node\":\"0x\"}", fabric, &test));
    assert_false(read_test("{\"event\":\"link-down\",\"node\":\"0x2x\"}", fabric, &test));
    assert_false(read_test("{\"event\":\"link-down\",\"node\":\"leaf1\"}", NULL, &test));
    assert_false(read_test("{\"event\":\"link-down\",\"receiver\":\"nms\"}", fabric, &test));
    fabric_unref(fabric);
}

// Receivers that are gone.

static bool nobody(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return false;
}

// Whether "receiver-forget" is carried out.
static bool forget(const char *request_text)
{
    json_t *request = json_loads(request_text, 0, NULL);
    json_t *answer = receiver_answers_forget(&control, request);
    assert_non_null(answer);
    bool done = !json_object_get(answer, "error");
    json_decref(answer);
    json_decref(request);
    return done;
}

TEST(who_is_gone_is_listed_and_can_be_forgotten)
{
    journal_receiver(journal, "nms");
    add(CATALOGUE_GATEWAY_STARTED, "");
    journal_commit(journal);
    json_t *answer = receiver_answers_list(&control, NULL);
    assert_int_equal(json_array_size(json_object_get(answer, "gone")), 0);
    json_decref(answer);
    assert_false(forget("{\"name\":\"nms\"}"));
    journal_end_receivers(journal, nobody, NULL);
    answer = receiver_answers_list(&control, NULL);
    const json_t *one = json_array_get(json_object_get(answer, "gone"), 0);
    assert_string_equal(json_string_value(json_object_get(one, "name")), "nms");
    assert_string_equal(json_string_value(json_object_get(one, "since")),
                        "2026-11-21T03:19:04.123456Z");
    assert_int_equal(item_of(one, "queued"), 1);
    assert_int_equal(item_of(one, "cursor"), 0);
    json_decref(answer);
    assert_false(forget("{}"));
    assert_false(forget("{\"name\":7}"));
    assert_false(forget("{\"name\":\"siem\"}"));
    assert_true(forget("{\"name\":\"nms\"}"));
    assert_false(forget("{\"name\":\"nms\"}"));
}

#define ANSWER_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ANSWER_TEST(an_empty_journal_has_no_events),
        ANSWER_TEST(the_newest_come_first_and_each_once),
        ANSWER_TEST(a_request_looks_at_a_bounded_number_of_events),
        ANSWER_TEST(a_choice_is_found_over_several_requests),
        ANSWER_TEST(times_are_found_without_looking_at_everything),
        ANSWER_TEST(an_end_at_the_newest_event_includes_it),
        ANSWER_TEST(what_comes_is_followed_oldest_first),
        ANSWER_TEST(the_severity_chooses),
        ANSWER_TEST(nonsense_is_refused),
        ANSWER_TEST(every_event_is_found_by_its_identifier),
        ANSWER_TEST(an_explanation_names_cause_and_related_events),
        ANSWER_TEST(alarms_come_in_pages),
        ANSWER_TEST(alarms_come_by_their_causes_the_worst_first),
        ANSWER_TEST(an_alarm_is_named_by_key_or_number),
        ANSWER_TEST(an_alarm_is_cleared_with_who_and_why),
        ANSWER_TEST(a_cleared_node_takes_its_links_with_it),
        ANSWER_TEST(an_alarm_is_cleared_only_if_it_is_active_and_for_a_reason),
        ANSWER_TEST(an_alarm_that_policy_does_not_know_is_cleared),
        ANSWER_TEST(a_flapping_alarm_is_cleared_as_settled),
        ANSWER_TEST(a_test_names_a_node_of_the_fabric),
        ANSWER_TEST(a_test_without_a_node_makes_one_up),
        ANSWER_TEST(a_test_of_nothing_is_refused),
        ANSWER_TEST(who_is_gone_is_listed_and_can_be_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
