// SPDX-License-Identifier: BSD-2-Clause
// The words of a reload's answer and of the log about waiting events.
#include "support.h"

#include "daemon/receivers.h"
#include "model/catalogue.h"

static struct gateway g;
static struct conf_receiver conf;
static const char *directory;
static char sentences[CONTROL_BACKLOGS_SIZE];
static struct text answer;
static struct error err;
static char *log_text;
static size_t log_size;
static FILE *log_stream;
static struct support_time time_;
static struct clock clock_;

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static int begin(void **state)
{
    (void)state;
    directory = scratch_make();
    log_stream = open_memstream(&log_text, &log_size);
    time_ = (struct support_time){SUPPORT_UTC_US, CLOCK_US_PER_S};
    clock_ = support_clock(&time_);
    answer = text_in(sentences, sizeof sentences);
    g = (struct gateway){.parts = {.log = support_log(log_stream)}, .backlogs = &answer};
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore_change,
                                            .clock = &clock_,
                                            .random = &random_system,
                                            .log = g.parts.log};
    g.parts.journal = journal_open(&options, &err);
    assert_non_null(g.parts.journal);
    conf = (struct conf_receiver){.name = "nms"};
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal_close(g.parts.journal);
    log_close(g.parts.log);
    fclose(log_stream);
    free(log_text);
    scratch_remove(directory);
    return 0;
}

// Makes a receiver of this name run, with `events` waiting events.
static void run(const char *name, int events)
{
    assert_true(journal_receiver(g.parts.journal, name) >= 0);
    for (int i = 0; i < events; i++) {
        struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
        assert_non_null(event);
        event->time_us = clock_utc(&clock_);
        journal_append(g.parts.journal, event, &(struct journal_report){0});
        event_unref(event);
    }
    journal_commit(g.parts.journal);
}

static bool nobody(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return false;
}

static void end_all(void)
{
    receivers_tell_gone(&g, nobody, NULL);
    journal_end_receivers(g.parts.journal, nobody, NULL);
}

// The answer has these sentences, each with a line feed, and no more.
static void check(const char *expected)
{
    assert_string_equal(sentences, expected);
    fflush(log_stream);
    answer = text_in(sentences, sizeof sentences);
}

TEST(who_is_gone_gets_nothing_more)
{
    run("nms", 3);
    end_all();
    check("receiver nms is gone, and 3 events that waited for it will not be sent, unless it comes "
          "back with start = \"backlog\"\n");
    assert_non_null(strstr(log_text, "receiver nms is gone, and 3 events that"));
    end_all();
    check(""); // said once
}

TEST(who_is_gone_without_a_backlog_is_gone_too)
{
    run("nms", 0);
    end_all();
    check("receiver nms is gone; no event waited for it\n");
}

TEST(who_comes_back_hears_what_it_missed)
{
    run("nms", 1);
    end_all();
    answer = text_in(sentences, sizeof sentences);
    receivers_tell_start(&g, &conf, "");
    check("receiver nms was gone since 2026-11-21T03:19:03.123456Z and begins with new events: of "
          "1 event from before it gets the ends of alarms alone, as it has not start = "
          "\"backlog\"\n");
    conf.from_backlog = true;
    receivers_tell_start(&g, &conf, "");
    check("receiver nms was gone since 2026-11-21T03:19:03.123456Z and goes on where it stopped: 1 "
          "event waited for it\n");
}

TEST(who_has_changed_goes_on)
{
    run("nms", 2);
    receivers_tell_start(&g, &conf, "nms");
    check("receiver nms has changed and goes on where it was: 2 events waited for it\n");
}

TEST(who_has_another_name_goes_on)
{
    run("manager", 2);
    receivers_tell_start(&g, &conf, "manager");
    check("receiver manager is called nms now and goes on where it was: 2 events waited for it\n");
}

TEST(nothing_is_said_of_nothing)
{
    receivers_tell_start(&g, &conf, ""); // new
    run("nms", 0);
    receivers_tell_start(&g, &conf, "");    // at a start
    receivers_tell_start(&g, &conf, "nms"); // changed, and nothing waits
    check("");
}

TEST(without_a_reload_the_log_alone_tells)
{
    run("nms", 2);
    g.backlogs = NULL;
    end_all();
    fflush(log_stream);
    assert_string_equal(sentences, "");
    assert_non_null(strstr(log_text, "receiver nms is gone"));
}

#define BACKLOG_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BACKLOG_TEST(who_is_gone_gets_nothing_more),
        BACKLOG_TEST(who_is_gone_without_a_backlog_is_gone_too),
        BACKLOG_TEST(who_comes_back_hears_what_it_missed),
        BACKLOG_TEST(who_has_changed_goes_on),
        BACKLOG_TEST(who_has_another_name_goes_on),
        BACKLOG_TEST(nothing_is_said_of_nothing),
        BACKLOG_TEST(without_a_reload_the_log_alone_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
