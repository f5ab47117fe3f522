// SPDX-License-Identifier: BSD-2-Clause
// The alarms of the page, compared with a sorted list of all that were raised; and the names of
// what is gone.
#include "support.h"

#include "control/handlers.h"
#include "ctl/protocol.h"
#include "model/catalogue.h"
#include "web/page_views.h"

enum { ALARMS = 1500, GUID = 0x4711 };

struct fixture {
    struct support_time time;
    struct clock clock;
    struct log *log;
    struct journal *journal;
};

// What the test knows of an alarm: the smaller comes first.
struct known {
    bool handled;
    enum severity severity;
    int64_t raised_us;
};

static void ignore(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static int begin(void **state)
{
    struct error err;
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->time = (struct support_time){SUPPORT_UTC_US, 1};
    f->clock = support_clock(&f->time);
    f->log = support_log(NULL);
    const struct journal_options options = {.directory = scratch_make(),
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = INT64_C(1) << 60,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore,
                                            .clock = &f->clock,
                                            .random = &random_system,
                                            .log = f->log};
    f->journal = journal_open(&options, &err);
    assert_non_null(f->journal);
    *state = f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    assert_true(journal_close(f->journal));
    log_close(f->log);
    free(f);
    return 0;
}

static int64_t raise_alarm(struct fixture *f, const char *key, enum severity severity,
                           int64_t time_us)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_HOST_REMOVED));
    assert_non_null(event);
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", key);
    event->severity = severity;
    event->time_us = time_us;
    event->subject.node_guid = GUID;
    snprintf(event->subject.name, sizeof event->subject.name, "node1");
    const int64_t number = journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
    return number;
}

static int compare(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    if (x->handled != y->handled)
        return x->handled ? 1 : -1;
    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    return x->raised_us > y->raised_us ? -1 : 1;
}

// Raises alarms of all severities, with times in no order, each of them once, and handles some.
static void raise_many(struct fixture *f, struct known all[ALARMS])
{
    for (int i = 0; i < ALARMS; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i);
        const int64_t time_us = f->time.utc + (int64_t)i * 7919 % 10007;
        all[i] = (struct known){.severity = (enum severity)(i * 31 % (SEVERITY_DEBUG + 1)),
                                .raised_us = time_us,
                                .handled = i % 5 == 0};
        raise_alarm(f, key, all[i].severity, time_us);
        if (i % 10 == 0)
            assert_true(journal_acknowledge_alarm(f->journal, key, "Kim", "seen"));
        else if (i % 5 == 0)
            journal_explain_alarm(f->journal, key, "", EVENT_SHELVED);
    }
    journal_commit(f->journal);
}

static void expect_order(const json_t *shown, const struct known *all, size_t count)
{
    assert_int_equal(json_array_size(shown), count);
    for (size_t i = 0; i < count; i++) {
        json_t *raised = protocol_time(all[i].raised_us);
        const json_t *one = json_array_get(shown, i);
        assert_string_equal(json_string_value(json_object_get(one, "raised")),
                            json_string_value(raised));
        assert_string_equal(json_string_value(json_object_get(one, "severity")),
                            severity_word(all[i].severity));
        json_decref(raised);
    }
}

TEST(the_worst_come_first_and_the_handled_last)
{
    struct fixture *f = *state;
    static struct known all[ALARMS];
    struct page_view_names then = {.reads = 0};
    raise_many(f, all);
    qsort(all, ALARMS, sizeof *all, compare);
    json_t *shown = json_object();
    page_views_alarms(shown, f->journal, NULL, NULL, &then);
    expect_order(json_object_get(shown, "alarms"), all, PAGE_VIEWS_ALARMS_MAX);
    assert_int_equal(json_integer_value(json_object_get(shown, "alarms_left_out")),
                     ALARMS - PAGE_VIEWS_ALARMS_MAX);
    json_decref(shown);
}

// What `ibtrapctl watch` asks for.
TEST(the_control_socket_has_the_worst_too)
{
    struct fixture *f = *state;
    static struct known all[ALARMS];
    const struct parts parts = {.journal = f->journal};
    struct control control = {.parts = &parts, .builder.clock = &f->clock};
    raise_many(f, all);
    qsort(all, ALARMS, sizeof *all, compare);
    json_t *request = json_object();
    json_t *answer = alarm_answers_list(&control, request);
    expect_order(json_object_get(answer, "alarms"), all, ALARM_ANSWERS_WORST);
    assert_null(json_object_get(answer, "more"));
    json_decref(answer);
    json_decref(request);
}

TEST(an_event_that_is_not_committed_yet_is_read_later)
{
    struct fixture *f = *state;
    struct page_view_names then = {.reads = PAGE_VIEWS_READS_MAX};
    const int64_t number = raise_alarm(f, "a", SEVERITY_WARNING, f->time.utc);
    const struct page_view_name *early = page_views_find_name(&then, f->journal, number);
    assert_true(!early || early->guid == GUID);
    journal_commit(f->journal);
    const struct page_view_name *name = page_views_find_name(&then, f->journal, number);
    assert_non_null(name);
    assert_int_equal(name->guid, GUID);
    assert_string_equal(name->name, "node1");
}

// A rack that is gone: the second document has the names that were too many for the first one.
TEST(each_document_reads_the_names_of_some_more_events)
{
    enum { GONE = PAGE_VIEWS_READS_MAX + 44 };
    struct fixture *f = *state;
    struct page_view_names *then = calloc(1, sizeof *then);
    int64_t numbers[GONE];
    assert_non_null(then);
    for (int i = 0; i < GONE; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i);
        numbers[i] = raise_alarm(f, key, SEVERITY_WARNING, f->time.utc);
    }
    journal_commit(f->journal);
    for (int found = 0, document = 0; document < 2; document++, found = 0) {
        then->reads = PAGE_VIEWS_READS_MAX;
        for (int i = 0; i < GONE; i++) {
            const struct page_view_name *name = page_views_find_name(then, f->journal, numbers[i]);
            found += name && name->number == numbers[i] && name->guid == GUID;
        }
        assert_int_equal(found, document == 0 ? PAGE_VIEWS_READS_MAX : GONE);
    }
    free(then);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_worst_come_first_and_the_handled_last, begin, end),
        cmocka_unit_test_setup_teardown(the_control_socket_has_the_worst_too, begin, end),
        cmocka_unit_test_setup_teardown(an_event_that_is_not_committed_yet_is_read_later, begin,
                                        end),
        cmocka_unit_test_setup_teardown(each_document_reads_the_names_of_some_more_events, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
