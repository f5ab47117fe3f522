// SPDX-License-Identifier: BSD-2-Clause
// A file that is damaged, removed or replaced: what receivers have yet to get is in the new file,
// or the journal says how much is lost.
#include "support.h"

#include "event/event_builder.h"
#include "journal/journal.h"
#include "journal/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENTS = 2400, HAD = 700, PAGE = 4096 };

static const char *directory;
static char path[96], saved[96];
static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;
static struct log *log_;
static struct journal *journal;
static struct error err;
static int receiver;
static unsigned told[JOURNAL_CHANGES];
static uint64_t lost;

// The disk does not read these pages of the file; 0: it reads all. Below SQLite: they replace the C
// library's functions.
static ino_t bad_file;
static off_t bad_first, bad_last;

static ssize_t read_at(int fd, void *octets, size_t size, off_t at)
{
    struct stat status;
    off_t first = at / PAGE, last = (at + (off_t)size - 1) / PAGE;
    if (bad_file == 0 || last < bad_first || first > bad_last || fstat(fd, &status) != 0 ||
        status.st_ino != bad_file)
        return syscall(SYS_pread64, fd, octets, size, at);
    errno = EIO;
    return -1;
}

ssize_t pread(int fd, void *octets, size_t size, off_t at)
{
    return read_at(fd, octets, size, at);
}

ssize_t pread64(int fd, void *octets, size_t size, off64_t at);
ssize_t pread64(int fd, void *octets, size_t size, off64_t at)
{
    return read_at(fd, octets, size, at);
}

// A file that cannot be renamed; NULL: none.
static const char *keeps_name;

int rename(const char *from, const char *to)
{
    if (!keeps_name || strcmp(from, keeps_name) != 0)
        return renameat(AT_FDCWD, from, AT_FDCWD, to);
    errno = EIO;
    return -1;
}

static void take_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)reason;
    told[change]++;
    if (change == JOURNAL_DROPPING)
        lost = count;
}

static void pass(int64_t us)
{
    now.utc += us;
    now.monotonic += us;
}

static void start(void)
{
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = take_change,
                                            .clock = &clock_,
                                            .random = &chance,
                                            .log = log_};
    journal = journal_open(&options, &err);
    assert_non_null(journal);
    receiver = journal_receiver(journal, "nms");
}

static int64_t add(enum catalogue_event type, const char *key)
{
    struct event_builder_occurrence o = {.type = type};
    snprintf(o.alarm_key, sizeof o.alarm_key, "%s", key);
    pass(1000); // so that identifiers differ
    struct event *event = event_builder_from_occurrence(&builder, &o);
    assert_non_null(event);
    int64_t sequence = journal_append(journal, event, &(struct journal_report){0});
    event_unref(event);
    return sequence;
}

static void add_many(int n)
{
    for (int i = 1; i <= n; i++) {
        add(CATALOGUE_HEARTBEAT, "");
        if (i % 100 == 0 || i == n)
            journal_commit(journal);
    }
}

static void commit_again(void)
{
    for (int i = 0; i < 3; i++) {
        pass(2 * CLOCK_US_PER_S);
        journal_commit(journal);
    }
}

static struct journal_status status_now(void)
{
    struct journal_status status;
    journal_get_status(journal, &status);
    return status;
}

// Reads as the receiver does. Returns the number of events after its cursor; each number is larger
// than the one before.
static int64_t count_waiting(void)
{
    struct journal_item items[64];
    int64_t after = journal_cursor(journal, receiver), count = 0;
    for (int idle = 0; idle < 4;) {
        size_t n = journal_read(journal, after, items, 64);
        for (size_t i = 0; i < n; i++) {
            assert_non_null(items[i].event);
            assert_true(items[i].sequence > after);
            after = items[i].sequence;
            event_unref(items[i].event);
        }
        count += (int64_t)n;
        idle = n == 0 ? idle + 1 : 0;
        if (n == 0)
            commit_again();
    }
    return count;
}

static size_t files_with(const char *part)
{
    DIR *d = opendir(directory);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += strstr(e->d_name, part) != NULL;
    closedir(d);
    return n;
}

static void copy(const char *from, const char *to)
{
    char command[256];
    snprintf(command, sizeof command, "cp %s %s", from, to);
    assert_int_equal(system(command), 0);
}

static off_t size_of(const char *file)
{
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    return status.st_size;
}

static void damage(off_t page)
{
    char garbage[PAGE];
    int fd = open(path, O_WRONLY);
    memset(garbage, 'x', sizeof garbage);
    assert_int_equal(pwrite(fd, garbage, sizeof garbage, page * PAGE), sizeof garbage);
    close(fd);
}

static int begin(void **state)
{
    (void)state;
    now = (struct support_time){SUPPORT_UTC_US, 1000 * CLOCK_US_PER_S};
    clock_ = support_clock(&now);
    counting = (struct support_chance){0};
    chance = support_random(&counting);
    builder = (struct event_builder){.clock = &clock_, .random = &chance};
    log_ = support_log(NULL);
    memset(told, 0, sizeof told);
    lost = 0;
    bad_file = 0;
    keeps_name = NULL;
    directory = scratch_make_in_memory();
    snprintf(path, sizeof path, "%s/journal.db", directory);
    snprintf(saved, sizeof saved, "%s/saved", directory);
    start();
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

// A file with rows in every table. The receiver has the first HAD events.
static void fill(void)
{
    const struct setting name = {.kind = SETTING_SWITCH_NAME, .guid = 7, .size = 1, .value = "x"};
    const struct maintenance_window window = {.name = "rack7",
                                              .until_us = now.utc + 3600 * CLOCK_US_PER_S};
    const uint8_t fabric[3 * PAGE] = {1};
    assert_true(journal_change_settings(journal, &name, 1));
    assert_true(journal_set_maintenance(journal, &window));
    journal_save_snapshot(journal, &(struct journal_snapshot){.time_us = 1, .digest = 7}, fabric,
                          sizeof fabric);
    add(CATALOGUE_SM_UNREACHABLE, "stays");
    add_many(EVENTS - 1);
    journal_advance(journal, receiver, HAD);
    journal_commit(journal);
}

// Starts, with a file of which a page is damaged, and lets the receiver get all there is. Returns
// whether the file was set aside.
static bool live_with(off_t page)
{
    damage(page);
    memset(told, 0, sizeof told);
    lost = 0;
    start();
    told[JOURNAL_DROPPING] = 0; // nobody listens yet
    journal_resume_dropping(journal, false);
    int64_t cursor = journal_cursor(journal, receiver);
    add_many(10);
    commit_again();
    int64_t got = count_waiting();
    struct journal_status status = status_now();
    assert_true(status.durable);
    assert_int_equal(status.pending, 0);
    assert_int_equal(told[JOURNAL_DEGRADED], told[JOURNAL_HEALED]);
    int64_t expected = EVENTS - HAD + 10;
    if (cursor == HAD) // its cursor could be read
        assert_int_equal(got + (int64_t)status.dropped, expected);
    else
        assert_int_equal(got, 10);
    assert_true((cursor == HAD && got == expected) || told[JOURNAL_DROPPING] == 1);
    if (told[JOURNAL_DROPPING] == 1)
        assert_int_equal(lost, status.dropped);
    bool aside = files_with("corrupt") > 0;
    journal_close(journal);
    journal = NULL;
    return aside;
}

static void remove_set_aside(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -f %s/journal.db*", directory);
    assert_int_equal(system(command), 0);
}

TEST(each_page_may_be_damaged_at_rest)
{
    fill();
    journal_close(journal);
    copy(path, saved);
    unsigned set_aside = 0;
    off_t pages = size_of(path) / PAGE;
    for (off_t page = 0; page < pages; page++) {
        remove_set_aside();
        copy(saved, path);
        set_aside += live_with(page);
    }
    print_message("%lld pages, set aside with %u of them\n", (long long)pages, set_aside);
    assert_in_range(set_aside, 10, pages - 10);
    remove_set_aside();
    start();
}

// The gateway runs, with the WAL in the file, when a page is damaged; then somebody lists all
// events.
static bool live_while_damaged(off_t page)
{
    struct journal_item items[64];
    memset(told, 0, sizeof told);
    lost = 0;
    start();
    told[JOURNAL_DROPPING] = 0; // nobody listens yet
    journal_resume_dropping(journal, false);
    damage(page);
    int64_t before = journal_last(journal) + 1;
    for (size_t n = 1; n > 0; before = n > 0 ? items[n - 1].sequence : before) {
        n = journal_read_back(journal, before, items, 64);
        for (size_t i = 0; i < n; i++)
            event_unref(items[i].event);
    }
    add_many(10);
    commit_again();
    int64_t got = count_waiting();
    struct journal_status status = status_now();
    assert_true(status.durable);
    assert_int_equal(got + (int64_t)status.dropped, EVENTS - HAD + 10);
    assert_int_equal(told[JOURNAL_DROPPING], status.dropped > 0);
    bool aside = files_with("corrupt") > 0;
    journal_close(journal);
    journal = NULL;
    return aside;
}

TEST(each_page_may_be_damaged_while_it_runs)
{
    fill();
    journal_close(journal);
    copy(path, saved);
    unsigned set_aside = 0;
    off_t pages = size_of(path) / PAGE;
    for (off_t page = 1; page < pages; page++) {
        remove_set_aside();
        copy(saved, path);
        set_aside += live_while_damaged(page);
    }
    print_message("%lld pages, set aside with %u of them\n", (long long)pages, set_aside);
    assert_in_range(set_aside, 10, pages - 10);
    remove_set_aside();
    start();
}

static bool can_read(int64_t after)
{
    struct journal_item items[64];
    size_t n = journal_read(journal, after, items, 64);
    for (size_t i = 0; i < n; i++)
        event_unref(items[i].event);
    return n == 64;
}

// A reader of history finds damage that no receiver minds.
TEST(damaged_history_condemns_nothing)
{
    fill();
    journal_close(journal);
    copy(path, saved);
    unsigned met = 0;
    for (off_t page = 1; page < size_of(saved) / PAGE; page++) {
        remove_set_aside();
        copy(saved, path);
        start();
        damage(page);
        bool history = can_read(100), waiting = can_read(HAD);
        if (!history && waiting) {
            met++;
            commit_again();
            assert_int_equal(count_waiting(), EVENTS - HAD);
            assert_int_equal(files_with("corrupt"), 0);
            assert_int_equal(told[JOURNAL_DEGRADED], 0);
            assert_int_equal(told[JOURNAL_DROPPING], 0);
        }
        journal_close(journal);
    }
    assert_in_range(met, 1, 10);
    remove_set_aside();
    start();
}

TEST(a_file_that_is_removed)
{
    fill();
    assert_int_equal(unlink(path), 0);
    add_many(5);
    commit_again();
    assert_int_equal(count_waiting(), EVENTS - HAD + 5);
    assert_true(status_now().durable);
    assert_int_equal(told[JOURNAL_DROPPING], 0);
    journal_close(journal);
    start();
    assert_int_equal(journal_cursor(journal, receiver), HAD);
    assert_int_equal(count_waiting(), EVENTS - HAD + 5);
}

static bool knows(int64_t number)
{
    struct event *event = journal_read_one(journal, number);
    event_unref(event);
    return event != NULL;
}

// The alarm of event 1 is open: also a copy of the event is copied.
TEST(the_new_file_has_the_events_of_open_alarms)
{
    fill();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(unlink(path), 0);
        commit_again();
        assert_true(knows(1));
        assert_false(knows(2));
        journal_close(journal);
        start();
        assert_true(knows(1));
        journal_advance(journal, receiver, EVENTS);
        pass(2 * JOURNAL_YOUNG_US);
        journal_request_prune(journal, 1);
        commit_again();
    }
    add(CATALOGUE_SM_BACK, "stays");
    assert_int_equal(unlink(path), 0);
    commit_again();
    assert_true(knows(1)); // the end is judged by it
}

TEST(a_directory_that_is_removed)
{
    char command[128];
    fill();
    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0);
    add_many(5);
    commit_again();
    assert_int_equal(count_waiting(), EVENTS - HAD + 5);
    assert_int_equal(told[JOURNAL_DROPPING], 0);
}

// Another gateway's file, with other events under the same numbers, is moved into place.
TEST(a_file_that_is_replaced)
{
    fill();
    journal_close(journal);
    assert_int_equal(rename(path, saved), 0);
    start();
    fill();
    assert_int_equal(rename(saved, path), 0);
    add_many(5);
    commit_again();
    assert_int_equal(count_waiting(), EVENTS - HAD + 5);
    assert_true(status_now().durable);
    assert_int_equal(files_with("corrupt"), 2); // and the WAL that this gateway left there
    assert_int_equal(files_with("-wal"), 1);
    assert_int_equal(told[JOURNAL_DROPPING], 0);
}

static void run(const char *command, const char *from, const char *to)
{
    char line[256];
    snprintf(line, sizeof line, "%s %s %s", command, from, to);
    assert_int_equal(system(line), 0);
}

// Another gateway's directory is moved into place, and a receiver wants to read before the journal
// notices that: it waits until its own events are back.
TEST(nobody_gets_events_of_another_gateway)
{
    struct journal_item items[64];
    char other[128], own[128];
    snprintf(other, sizeof other, "%s-other", directory);
    snprintf(own, sizeof own, "%s-own", directory);
    fill();
    journal_close(journal);
    run("mv", directory, other);
    start();
    const int64_t began = now.utc;
    fill();
    run("mv", directory, own);
    run("mv", other, directory);
    assert_int_equal(journal_read(journal, HAD, items, 64), 0);
    add_many(5);
    commit_again();
    size_t n = journal_read(journal, HAD, items, 64);
    assert_int_equal(n, 64);
    for (size_t i = 0; i < n; i++) {
        assert_true(items[i].event->time_us > began);
        event_unref(items[i].event);
    }
    assert_int_equal(count_waiting(), EVENTS - HAD + 5);
    run("rm -rf", own, "");
}

// The file cannot be used, as another program has locked it, and is removed meanwhile: then nothing
// is left to copy from.
TEST(a_file_that_is_removed_while_it_is_not_open)
{
    sqlite3 *db;
    fill();
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    add_many(5);
    assert_false(status_now().durable);
    assert_int_equal(unlink(path), 0);
    sqlite3_close(db);
    commit_again();
    int64_t got = count_waiting();
    assert_true(status_now().durable);
    assert_int_equal(told[JOURNAL_DROPPING], 1);
    assert_int_equal(got + (int64_t)lost, EVENTS - HAD + 5);
    journal_close(journal);
    start();
    assert_int_equal(journal_cursor(journal, receiver), HAD);
    assert_int_equal(count_waiting(), got);
}

// A new file may have the inode of the removed file, for instance on ext4.
TEST(a_file_that_is_emptied_while_it_is_not_open)
{
    sqlite3 *db;
    fill();
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    add_many(5);
    assert_false(status_now().durable);
    sqlite3_close(db);
    assert_int_equal(truncate(path, 0), 0);
    commit_again();
    int64_t got = count_waiting();
    assert_true(status_now().durable);
    assert_int_equal(told[JOURNAL_DROPPING], 1);
    assert_int_equal(got + (int64_t)lost, EVENTS - HAD + 5);
    journal_close(journal);
    start();
    assert_int_equal(journal_cursor(journal, receiver), HAD);
    assert_int_equal(count_waiting(), got);
}

// A file with a page that a receiver needs and the disk does not read.
static void start_with_bad_page(void)
{
    struct stat status;
    fill();
    journal_close(journal);
    copy(path, saved);
    for (bad_first = bad_last = 1;; bad_first = ++bad_last) {
        assert_true(bad_first < size_of(saved) / PAGE);
        remove_set_aside();
        copy(saved, path);
        assert_int_equal(stat(path, &status), 0);
        bad_file = status.st_ino;
        start();
        if (status_now().durable && can_read(HAD) && !can_read(HAD + 100))
            break;
        bad_file = 0;
        journal_close(journal);
    }
    memset(told, 0, sizeof told);
}

TEST(a_page_that_cannot_be_read_for_a_while_costs_nothing)
{
    start_with_bad_page();
    for (int s = 0; s < 20; s++) {
        assert_false(can_read(HAD + 100));
        pass(CLOCK_US_PER_S);
        add_many(1);
    }
    bad_file = 0;
    assert_int_equal(count_waiting(), EVENTS - HAD + 20);
    for (int s = 0; s < 60; s++) {
        assert_true(can_read(HAD));
        pass(CLOCK_US_PER_S);
        add_many(1);
    }
    assert_int_equal(files_with("corrupt"), 0);
    assert_int_equal(told[JOURNAL_DROPPING], 0);
    assert_int_equal(told[JOURNAL_DEGRADED], 0);
}

// After some time the journal gives up the events on that page, and says so. All others arrive.
TEST(a_page_that_is_never_read_again)
{
    int64_t got = 0;
    start_with_bad_page();
    for (int s = 0; s < 200 && told[JOURNAL_DROPPING] == 0; s++) {
        can_read(HAD + 100);
        pass(CLOCK_US_PER_S);
        add_many(1);
        got++;
    }
    assert_int_equal(told[JOURNAL_DROPPING], 1);
    got = count_waiting() - got;
    assert_in_range(lost, 1, 100);
    assert_int_equal(got + (int64_t)lost, EVENTS - HAD);
    assert_int_equal(status_now().dropped, lost);
    assert_true(status_now().durable);
    assert_int_equal(files_with("corrupt"), 1);
}

// A crash at any step between the old file's damage and the new file's name.
TEST(a_crash_while_the_file_is_replaced)
{
    char part[120], made[120], aside[120];
    fill();
    journal_close(journal);
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(made, sizeof made, "%s.new", path);
    snprintf(aside, sizeof aside, "%s.corrupt-then", path);
    copy(path, part); // it was still being built
    damage(0);
    assert_int_equal(rename(path, saved), 0);
    assert_int_equal(rename(part, made), 0);
    for (int step = 0; step < 2; step++) {
        if (step == 0) // the new file is complete, the old one is still there
            copy(saved, path);
        start();
        assert_int_equal(journal_cursor(journal, receiver), HAD);
        assert_int_equal(count_waiting(), EVENTS - HAD);
        assert_true(status_now().durable);
        assert_int_equal(files_with(".new"), 0);
        journal_close(journal);
        copy(path, made); // the old file has its other name, the new file has not
        assert_int_equal(rename(path, aside), 0);
    }
    start();
    assert_int_equal(count_waiting(), EVENTS - HAD);
}

// The name of the file that was set aside, or of its WAL; empty: there is none.
static void find_set_aside(bool wal, char out[NAME_MAX + 1])
{
    DIR *d = opendir(directory);
    out[0] = '\0';
    for (struct dirent *e; (e = readdir(d));) {
        if (strstr(e->d_name, ".corrupt-") && (strstr(e->d_name, "-wal") != NULL) == wal)
            snprintf(out, NAME_MAX + 1, "%s", e->d_name);
    }
    closedir(d);
}

// The file gets its other name long after its WAL did: both names have the same time, and belong
// together by this time.
TEST(a_crash_between_the_new_names_of_wal_and_file)
{
    char made[120], wal[120], file_aside[NAME_MAX + 1], wal_aside[NAME_MAX + 1];
    fill();
    journal_close(journal);
    snprintf(made, sizeof made, "%s.new", path);
    snprintf(wal, sizeof wal, "%s-wal", path);
    copy(path, made);
    copy(path, wal);
    keeps_name = path;
    start();
    keeps_name = NULL;
    journal_close(journal);
    find_set_aside(false, file_aside);
    assert_string_equal(file_aside, "");
    pass(3600 * CLOCK_US_PER_S);
    start();
    find_set_aside(false, file_aside);
    find_set_aside(true, wal_aside);
    assert_string_not_equal(file_aside, "");
    assert_int_equal(strncmp(wal_aside, file_aside, strlen(file_aside)), 0);
    assert_string_equal(wal_aside + strlen(file_aside), "-wal");
    assert_int_equal(count_waiting(), EVENTS - HAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_page_may_be_damaged_at_rest, begin, end),
        cmocka_unit_test_setup_teardown(each_page_may_be_damaged_while_it_runs, begin, end),
        cmocka_unit_test_setup_teardown(damaged_history_condemns_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_removed, begin, end),
        cmocka_unit_test_setup_teardown(the_new_file_has_the_events_of_open_alarms, begin, end),
        cmocka_unit_test_setup_teardown(a_directory_that_is_removed, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_replaced, begin, end),
        cmocka_unit_test_setup_teardown(nobody_gets_events_of_another_gateway, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_removed_while_it_is_not_open, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_emptied_while_it_is_not_open, begin, end),
        cmocka_unit_test_setup_teardown(a_crash_while_the_file_is_replaced, begin, end),
        cmocka_unit_test_setup_teardown(a_crash_between_the_new_names_of_wal_and_file, begin, end),
        cmocka_unit_test_setup_teardown(a_page_that_cannot_be_read_for_a_while_costs_nothing, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_page_that_is_never_read_again, begin, end),
    };
    support_limit_files(1 << 22);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
