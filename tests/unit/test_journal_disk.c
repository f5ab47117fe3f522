// SPDX-License-Identifier: BSD-2-Clause
// The journal while the disk fails, the file is damaged or away, and the clock is wrong.
#include "journal_fixture.h"

#include "journal/store.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_a_corrupt_file_is_set_aside(void **state)
{
    struct fixture *f = *state;
    add_many(f, 10);
    journal_close(f->journal);
    f->journal = NULL;
    int fd = open(f->path, O_WRONLY | O_TRUNC);
    char garbage[8192];
    memset(garbage, 'x', sizeof garbage);
    assert_int_equal(write(fd, garbage, sizeof garbage), sizeof garbage);
    close(fd);
    reopen(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(files_with(f, "corrupt"), 1);
    add_many(f, 1);
    assert_true(read_all(f, 0, 1) > 10); // the numbers of the lost file are unknown
}

static void test_corruption_while_running(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 2000);
    reopen(f); // what is in the WAL goes into the file
    receiver = journal_receiver(f->journal, "nms");
    corrupt(f);
    read_all(f, 0, 0); // a slow receiver stumbles over it
    for (int i = 0; i < 20; i++) {
        pass(f, 2 * CLOCK_US_PER_S);
        add_many(f, 50);
    }
    journal_advance(f->journal, receiver, 3000);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_true(files_with(f, "corrupt") >= 1);
    assert_int_equal(f->told[JOURNAL_DEGRADED], f->told[JOURNAL_HEALED]);
    // Nothing appended since the start was lost.
    assert_int_equal(read_all(f, 2000, 1000), 3000);
}

static void test_a_missing_disk_degrades_and_heals(void **state)
{
    struct fixture *f = *state;
    char away[80];
    journal_close(f->journal);
    f->journal = NULL;
    // A file is in the place of the directory, so nothing can be created there.
    snprintf(away, sizeof away, "%s/state", f->directory);
    int fd = open(away, O_CREAT | O_WRONLY, 0600);
    close(fd);
    f->options.directory = away;
    reopen(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    assert_non_null(strstr(status.problem, away));
    assert_int_equal(f->told[JOURNAL_DEGRADED], 1);

    int64_t before = journal_last(f->journal);
    add_many(f, 5);
    assert_int_equal(read_all(f, before, 5), before + 5); // from memory
    struct histogram_values times;
    histogram_read(journal_commit_times(f->journal), &times);
    assert_int_equal(times.total, 0);

    unlink(away);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    histogram_read(journal_commit_times(f->journal), &times);
    assert_int_equal(times.total, 1);
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(f->told[JOURNAL_HEALED], 1);
    assert_int_equal(status.pending, 0);
    reopen(f);
    assert_int_equal(read_all(f, before, 5), before + 5); // from disk
}

static void test_a_removed_directory_is_made_anew(void **state)
{
    struct fixture *f = *state;
    char command[128];
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 20);
    snprintf(command, sizeof command, "rm -rf %s", f->directory);
    assert_int_equal(system(command), 0);
    add_many(f, 20);
    assert_int_equal(f->told[JOURNAL_DEGRADED], 1);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_advance(f->journal, receiver, 5);
    journal_commit(f->journal);
    assert_int_equal(f->told[JOURNAL_HEALED], 1);
    reopen(f);
    assert_int_equal(read_all(f, 0, 40), 40);
    assert_int_equal(journal_cursor(f->journal, journal_receiver(f->journal, "nms")), 5);
}

static void test_a_full_disk_degrades_and_heals(void **state)
{
    struct fixture *f = *state;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    add_many(f, 10);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 64 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    add_many(f, 500);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    assert_int_equal(f->told[JOURNAL_DEGRADED], 1);
    assert_int_equal(read_all(f, 0, 510), 510);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(f->told[JOURNAL_HEALED], 1);
    reopen(f);
    assert_int_equal(read_all(f, 0, 510), 510);
}

// The last commit: what does not fit on the disk is lost, and said to be.
static void test_a_stop_while_the_disk_is_full(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    add_many(f, 10);
    assert_true(journal_finish(f->journal, &err));
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 64 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 500);
    journal_advance(f->journal, receiver, 500);
    assert_false(journal_finish(f->journal, &err));
    assert_non_null(strstr(err.text, "to 510 are lost, "));
    assert_non_null(strstr(err.text, "10 of them before every receiver had them"));
    assert_int_equal(read_all(f, 0, 510), 510);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_true(journal_finish(f->journal, &err)); // at once, without waiting for the next attempt
    reopen(f);
    assert_int_equal(read_all(f, 0, 510), 510);
}

// Part of what memory has fits on the disk.
static void test_a_stop_writes_as_much_as_there_is_room_for(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    journal_close(f->journal);
    f->journal = NULL;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 256 * 1024;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    reopen(f);
    for (int i = 0; i < 2000; i++)
        add(f, NULL);
    assert_false(journal_finish(f->journal, &err));
    journal_close(f->journal);
    f->journal = NULL;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    reopen(f);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_in_range(status.rows, 20, 1999);
}

static void test_memory_is_bounded_while_degraded(void **state)
{
    struct fixture *f = *state;
    char away[80];
    journal_close(f->journal);
    f->journal = NULL;
    snprintf(away, sizeof away, "%s/state", f->directory);
    close(open(away, O_CREAT | O_WRONLY, 0600));
    f->options.directory = away;
    reopen(f);
    int64_t before = journal_last(f->journal);
    add_many(f, JOURNAL_MEMORY_MAX + 500);
    unlink(away);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    assert_int_equal(f->told[JOURNAL_DROPPING], 1);
    assert_int_equal(f->told_count[JOURNAL_DROPPING], 500);
    int64_t last = before + JOURNAL_MEMORY_MAX + 500;
    assert_int_equal(read_all(f, before, JOURNAL_MEMORY_MAX), last);
}

static void test_a_crash_keeps_what_was_committed(void **state)
{
    struct fixture *f = *state;
    journal_close(f->journal);
    f->journal = NULL;
    pid_t child = fork();
    if (child == 0) {
        struct error err;
        f->journal = journal_open(&f->options, &err);
        add_many(f, 250);
        add(f, NULL); // never committed
        kill(getpid(), SIGKILL);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    reopen(f);
    assert_int_equal(read_all(f, 0, 250), 250);
}

static void test_the_clock_may_go_back(void **state)
{
    struct fixture *f = *state;
    add_many(f, 3);
    f->time.utc -= 86400 * CLOCK_US_PER_S;
    add_many(f, 3);
    settle(f);
    assert_int_equal(read_all(f, 0, 6), 6);
}

static void test_the_clock_may_go_back_across_a_restart(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 3);
    journal_advance(f->journal, receiver, 2);
    settle(f);
    f->time.utc -= 86400 * CLOCK_US_PER_S;
    f->time.monotonic = 17; // another boot
    reopen(f);
    receiver = journal_receiver(f->journal, "nms");
    assert_int_equal(journal_cursor(f->journal, receiver), 2);
    assert_int_equal(add(f, NULL), 4);
    settle(f);
    assert_int_equal(read_all(f, 0, 4), 4);
}

static bool count_row(void *ctx, const struct store_row *row)
{
    (void)row;
    ++*(unsigned *)ctx;
    return true;
}

static enum store_result add_rows(struct store *store, const struct store_row rows[], size_t count)
{
    struct error err;
    store_begin(store);
    store_add_events(store, rows, count);
    return store_commit(store, &err);
}

// When fsync fails, the rows may be in the file all the same; the journal then adds them again,
// perhaps together with further rows.
static void test_a_row_may_be_added_again(void **state)
{
    struct fixture *f = *state;
    struct store *store;
    struct error err;
    char path[128];
    struct store_row many[STORE_ROWS_MAX];
    for (int i = 0; i < STORE_ROWS_MAX; i++)
        many[i] = (struct store_row){.sequence = 7 + i,
                                     .id = "an identifier",
                                     .type = "link-state-change",
                                     .time_us = START_US,
                                     .record = (const uint8_t *)"record",
                                     .record_size = 6};
    unsigned rows = 0;
    snprintf(path, sizeof path, "%s/other.db", f->directory);
    assert_int_equal(store_open(path, false, &store, &err), STORE_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(add_rows(store, many, 3), STORE_OK);
        assert_int_equal(add_rows(store, many, STORE_ROWS_MAX), STORE_OK);
    }
    many[STORE_ROWS_MAX - 1].id = "another identifier";
    assert_int_equal(add_rows(store, many, STORE_ROWS_MAX), STORE_CORRUPT);
    assert_int_equal(store_read(store, STORE_AFTER, 0, 100, count_row, &rows, &err), STORE_OK);
    assert_int_equal(rows, STORE_ROWS_MAX);
    store_close(store);
}

static void test_numbers_go_on_after_everything_was_pruned(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 100);
    journal_advance(f->journal, receiver, 100);
    pass(f, JOURNAL_YOUNG_US + 1);
    journal_request_prune(f->journal, 1);
    settle(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 0);
    reopen(f);
    receiver = journal_receiver(f->journal, "nms");
    assert_int_equal(add(f, NULL), 101);
    journal_commit(f->journal);
    assert_int_equal(read_all(f, journal_cursor(f->journal, receiver), 1), 101);
}

// The subnet manager may still repeat the Report.
static void test_nobody_prunes_what_is_young(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 10);
    journal_advance(f->journal, receiver, 10);
    pass(f, JOURNAL_YOUNG_US - CLOCK_US_PER_S);
    journal_request_prune(f->journal, 1);
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 10);
}

static void test_two_processes_do_not_share_a_directory(void **state)
{
    struct fixture *f = *state;
    struct error err;
    assert_null(journal_open(&f->options, &err));
    assert_non_null(strstr(err.text, f->directory));
    assert_non_null(strstr(err.text, "another ibtrapd"));
    // Whoever can open the lock can hold it, and no start would work any more.
    struct stat lock;
    char path[300];
    snprintf(path, sizeof path, "%s/lock", f->directory);
    assert_int_equal(stat(path, &lock), 0);
    assert_int_equal(lock.st_mode & 0777, 0600);
}

static void test_what_waited_before_a_degraded_start_is_still_delivered(void **state)
{
    struct fixture *f = *state;
    int receiver = journal_receiver(f->journal, "nms");
    add_many(f, 50);
    journal_advance(f->journal, receiver, 10);
    journal_commit(f->journal);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    receiver = journal_receiver(f->journal, "nms");
    assert_true(journal_cursor(f->journal, receiver) > 1000000);
    add_many(f, 3);
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    // Until the receiver knows of the set-back, its confirmations do not move the cursor.
    int64_t after, last = journal_last(f->journal);
    journal_advance(f->journal, receiver, last);
    assert_true(journal_cursor_was_set_back(f->journal, receiver));
    assert_false(journal_cursor_was_set_back(f->journal, receiver));
    assert_int_equal(journal_cursor(f->journal, receiver), 10);
    assert_int_equal(journal_had_through(f->journal, receiver, &after), last);
    assert_int_equal(after, last - 3);
    struct journal_item items[64];
    assert_int_equal(journal_read(f->journal, 10, items, 64), 43);
    for (size_t i = 0; i < 43; i++) {
        assert_true(items[i].sequence == 11 + (int64_t)i || i >= 40);
        event_unref(items[i].event);
    }
}

static void test_numbers_of_a_degraded_start_count_as_far_as_they_go(void **state)
{
    struct fixture *f = *state;
    add_many(f, 50);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    add_many(f, 3);
    int64_t last = journal_last(f->journal);
    assert_true(last > 50 + 1000000);
    assert_int_equal(journal_between(f->journal, last - 3, last), 2);
    assert_int_equal(journal_between(f->journal, last, last), 0);
    assert_int_equal(journal_between(f->journal, 50, last - 2), 0);
    assert_int_equal(journal_between(f->journal, 50, last), 2);
    assert_int_equal(journal_between(f->journal, 40, last), 2); // the file's content is unknown
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    assert_int_equal(journal_between(f->journal, 40, last), 12);
    assert_int_equal(journal_between(f->journal, 40, 51), 10);
    reopen(f);
    assert_int_equal(journal_between(f->journal, 50, last), 0);
    assert_int_equal(journal_between(f->journal, last - 3, last), 2);
}

// Each start begins with numbers made from its own time.
static void test_two_starts_that_cannot_read_the_file(void **state)
{
    struct fixture *f = *state;
    add_many(f, 50);
    for (int i = 0; i < 2; i++) {
        journal_close(f->journal);
        f->journal = NULL;
        take_away(f);
        pass(f, CLOCK_US_PER_S / 2);
        reopen(f);
        add_many(f, 3);
        bring_back(f);
        pass(f, 2 * CLOCK_US_PER_S);
        journal_commit(f->journal);
    }
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(files_with(f, "corrupt"), 0);
    reopen(f);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 0); // the file was not read yet
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, 56);
}

// Retention counts rows, not numbers.
static void test_retention_drops_nothing_between_two_ranges(void **state)
{
    struct fixture *f = *state;
    f->options.rows_max = ROWS;
    journal_receiver(f->journal, "slow");
    add_many(f, 50);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    reopen(f);
    journal_receiver(f->journal, "slow");
    bring_back(f);
    pass(f, 2 * CLOCK_US_PER_S);
    add_many(f, ROWS + 10);
    for (int i = 0; i < 3; i++)
        settle(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_int_equal(status.rows, ROWS);
    assert_int_equal(status.dropped, 60);
}

// The state after a start with a wrong clock.
static void test_numbers_that_the_file_has_already(void **state)
{
    struct fixture *f = *state;
    add_many(f, 100);
    journal_close(f->journal);
    f->journal = NULL;
    take_away(f);
    f->time.utc = 0;
    f->options.age_us = INT64_C(100) * 366 * 86400 * CLOCK_US_PER_S;
    reopen(f);
    add_many(f, 5);
    bring_back(f);
    f->time.utc = START_US;
    pass(f, 2 * CLOCK_US_PER_S);
    add_many(f, 5);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    assert_int_equal(status.pending, 0);
    assert_int_equal(files_with(f, "corrupt"), 1);
    reopen(f);
    assert_int_equal(read_all(f, 0, 10), 10);
}

static void test_nothing_is_read_while_the_file_is_away(void **state)
{
    struct fixture *f = *state;
    struct journal_item item;
    add_many(f, JOURNAL_MEMORY_MAX + 100);
    take_away(f);
    assert_int_equal(journal_read(f->journal, 0, &item, 1), 0);
    bring_back(f);
    assert_int_equal(journal_read(f->journal, 0, &item, 1), 1);
    assert_int_equal(item.sequence, 1);
    event_unref(item.event);
}

// Waiting for what comes next.

struct waiter {
    struct journal *journal;
    atomic_bool enough;
    bool more;
};

static void *wait_an_hour(void *arg)
{
    struct waiter *w = arg;
    w->more = journal_wait(w->journal, 10, 3600 * CLOCK_US_PER_S, &w->enough);
    return NULL;
}

static void test_a_reader_waits_for_the_next_event(void **state)
{
    struct fixture *f = *state;
    struct waiter w = {.journal = f->journal};
    pthread_t thread;
    add_many(f, 10);
    assert_int_equal(pthread_create(&thread, NULL, wait_an_hour, &w), 0);
    add_many(f, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(w.more);
}

static void test_a_reader_that_shall_end_waits_no_longer(void **state)
{
    struct fixture *f = *state;
    struct waiter w = {.journal = f->journal};
    pthread_t thread;
    add_many(f, 10);
    assert_int_equal(pthread_create(&thread, NULL, wait_an_hour, &w), 0);
    atomic_store(&w.enough, true);
    journal_wake(f->journal);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(w.more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_corrupt_file_is_set_aside),
        TEST(test_corruption_while_running),
        TEST(test_a_missing_disk_degrades_and_heals),
        TEST(test_a_removed_directory_is_made_anew),
        TEST(test_a_full_disk_degrades_and_heals),
        TEST(test_a_stop_while_the_disk_is_full),
        TEST(test_a_stop_writes_as_much_as_there_is_room_for),
        TEST(test_memory_is_bounded_while_degraded),
        TEST(test_a_crash_keeps_what_was_committed),
        TEST(test_the_clock_may_go_back),
        TEST(test_the_clock_may_go_back_across_a_restart),
        TEST(test_a_row_may_be_added_again),
        TEST(test_numbers_go_on_after_everything_was_pruned),
        TEST(test_nobody_prunes_what_is_young),
        TEST(test_two_processes_do_not_share_a_directory),
        TEST(test_what_waited_before_a_degraded_start_is_still_delivered),
        TEST(test_numbers_of_a_degraded_start_count_as_far_as_they_go),
        TEST(test_two_starts_that_cannot_read_the_file),
        TEST(test_retention_drops_nothing_between_two_ranges),
        TEST(test_numbers_that_the_file_has_already),
        TEST(test_nothing_is_read_while_the_file_is_away),
        TEST(test_a_reader_waits_for_the_next_event),
        TEST(test_a_reader_that_shall_end_waits_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
