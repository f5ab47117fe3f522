// SPDX-License-Identifier: BSD-2-Clause
// What followers of the page get of the last run's events.
#include "support.h"

#include "base/clock.h"
#include "model/catalogue.h"
#include "web/page.h"

#include <event2/event.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS = 5 };

static struct support_time now;
static struct clock clock_;
static struct log *log_;
static struct event_base *base;
static struct worker *worker;
static struct topology *topology;
static const char *directory;
static struct conf conf;
static struct parts parts;
static struct control control = {.parts = &parts};
static struct page *page;
static unsigned made; // events

static void ignore(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static void open_journal(void)
{
    struct error err;
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = INT64_C(1) << 60,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore,
                                            .clock = &clock_,
                                            .random = &random_system,
                                            .log = log_};
    parts.journal = journal_open(&options, &err);
    assert_non_null(parts.journal);
}

static void append(int count)
{
    for (int i = 0; i < count; i++) {
        struct event *event = event_make(catalogue_get(CATALOGUE_HOST_REMOVED));
        assert_non_null(event);
        event->time_us = now.utc;
        snprintf(event->id, sizeof event->id, "%08x-0000-7000-8000-000000000000", ++made);
        journal_append(parts.journal, event, &(struct journal_report){0});
        event_unref(event);
    }
    journal_commit(parts.journal);
}

// A second run, whose journal's file has the events of the first.
static int begin(void **state)
{
    struct error err;
    (void)state;
    now = (struct support_time){SUPPORT_UTC_US, 1};
    clock_ = support_clock(&now);
    log_ = support_log(NULL);
    directory = scratch_make();
    open_journal();
    append(EVENTS);
    assert_true(journal_close(parts.journal));
    open_journal();
    base = event_base_new();
    worker = worker_start(base, "answers", &err);
    topology = topology_new(NULL, &random_system, log_);
    assert_true(base && worker && topology);
    conf.metrics.page = true;
    parts.conf = &conf;
    parts.log = log_;
    parts.topology = topology;
    page = page_new(&control, worker, NULL);
    assert_non_null(page);
    return 0;
}

static int end(void **state)
{
    (void)state;
    assert_true(worker_stop(worker, SUPPORT_PATIENCE_US));
    page_free(page);
    worker_free(worker);
    event_base_free(base);
    topology_free(topology);
    assert_true(journal_close(parts.journal));
    log_close(log_);
    scratch_remove(directory);
    return 0;
}

// Lets the follower look once, and the worker read. Adds the number of new events to `*number`;
// each event has the next number.
static void tick(int64_t *after, int64_t *number)
{
    const struct web_page functions = page_functions(page);
    size_t size;
    char *text = functions.follow(functions.ctx, after, &size);
    assert_non_null(text);
    for (const char *id = text; (id = strstr(id, "id: ")) != NULL; id++)
        assert_int_equal(strtoll(id + 4, NULL, 10), ++*number);
    free(text);
    usleep(5000);
    event_base_loop(base, EVLOOP_NONBLOCK);
}

static void follow(int64_t *after, int64_t *number)
{
    const int64_t until = clock_monotonic(&clock_system) + SUPPORT_PATIENCE_US;
    while (*after < EVENTS + 2 && clock_monotonic(&clock_system) < until)
        tick(after, number);
    assert_int_equal(*after, EVENTS + 2);
    assert_int_equal(*number, EVENTS + 2);
}

// Puts an unreadable thing in the file's place, or takes the thing away.
static void hide(bool hidden)
{
    char file[200], away[200];
    snprintf(file, sizeof file, "%s/journal.db", directory);
    snprintf(away, sizeof away, "%s/away", directory);
    assert_int_equal(hidden ? rename(file, away) : rmdir(file), 0);
    assert_int_equal(hidden ? mkdir(file, 0700) : rename(away, file), 0);
}

TEST(a_follower_gets_the_events_of_the_last_run_first)
{
    (void)state;
    int64_t after = -1, number = 0;
    append(2);
    follow(&after, &number);
}

TEST(a_read_that_fails_is_tried_again)
{
    (void)state;
    int64_t after = -1, number = 0;
    append(2);
    hide(true);
    for (int i = 0; i < 3; i++)
        tick(&after, &number);
    assert_int_equal(number, 0);
    hide(false);
    follow(&after, &number);
}

TEST(a_file_that_cannot_be_read_keeps_no_new_event_back)
{
    (void)state;
    int64_t after = EVENTS - 1, number = EVENTS;
    append(2);
    hide(true);
    follow(&after, &number);
    hide(false);
}

#define PAGE_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAGE_TEST(a_follower_gets_the_events_of_the_last_run_first),
        PAGE_TEST(a_read_that_fails_is_tried_again),
        PAGE_TEST(a_file_that_cannot_be_read_keeps_no_new_event_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
