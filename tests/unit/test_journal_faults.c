// SPDX-License-Identifier: BSD-2-Clause
// The journal while everything below it fails once, at every point in turn: each call of SQLite
// with each kind of failure. After the failure every event is on disk, once and in order, and so
// are alarms, windows, the cursor and the fabric.
//
// In memory (/dev/shm), because each of the hundreds of lives syncs its file. The linker
// substitutes the functions in this file for SQLite's (--wrap).
#include "support.h"

#include "event/event_builder.h"
#include "event/test_event.h"
#include "journal/journal.h"
#include "journal/wal.h"

#include <sqlite3.h>

enum { EVENTS = 6, POINTS_MAX = 2000, NEVER = 0 };

// The n-th call of SQLite from now on fails with that code; NEVER: none.
static struct {
    unsigned sqlite;
    int code;
    bool failed; // it did
} fault;

static bool sqlite_fails(void)
{
    bool fails = fault.sqlite != NEVER && --fault.sqlite == 0;
    fault.failed |= fails;
    return fails;
}

static void begin_fault(unsigned sqlite, int code)
{
    fault.sqlite = sqlite;
    fault.code = code;
    fault.failed = false;
}

static bool end_fault(void) // whether it occurred
{
    fault.sqlite = NEVER;
    return fault.failed;
}

int __real_sqlite3_step(sqlite3_stmt *s);
int __wrap_sqlite3_step(sqlite3_stmt *s);
int __wrap_sqlite3_step(sqlite3_stmt *s)
{
    return sqlite_fails() ? fault.code : __real_sqlite3_step(s);
}

int __real_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
                        void *ctx, char **why);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
                        void *ctx, char **why);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
                        void *ctx, char **why)
{
    return sqlite_fails() ? fault.code : __real_sqlite3_exec(db, sql, each, ctx, why);
}

int __real_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out,
                              const char **tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out,
                              const char **tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out,
                              const char **tail)
{
    return sqlite_fails() ? fault.code : __real_sqlite3_prepare_v2(db, sql, n, out, tail);
}

int __real_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int n, unsigned flags,
                              sqlite3_stmt **out, const char **tail);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int n, unsigned flags,
                              sqlite3_stmt **out, const char **tail);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int n, unsigned flags,
                              sqlite3_stmt **out, const char **tail)
{
    return sqlite_fails() ? fault.code : __real_sqlite3_prepare_v3(db, sql, n, flags, out, tail);
}

int __real_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs)
{
    if (!sqlite_fails())
        return __real_sqlite3_open_v2(path, out, flags, vfs);
    *out = NULL;
    return fault.code;
}

// The events, alarms and other rows of the test.

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;
static struct log *log_;
static const char *directory;
static struct event *events[EVENTS];
static const uint8_t FABRIC[] = {1, 2, 3, 4};

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static struct journal *open_journal(struct error *err)
{
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore_change,
                                            .clock = &clock_,
                                            .random = &chance,
                                            .log = log_};
    return journal_open(&options, err);
}

static void pass(int64_t us)
{
    now.utc += us;
    now.monotonic += us;
}

static void count_one_window(void *ctx, const struct maintenance_window *window)
{
    *(size_t *)ctx += strcmp(window->name, "rack7") == 0;
}

static size_t count_windows(struct journal *journal)
{
    size_t count = 0;
    journal_each_maintenance(journal, count_one_window, &count);
    return count;
}

// Calls every reading function of the journal, while something fails.
static void ask(struct journal *journal)
{
    struct journal_item items[EVENTS];
    struct journal_snapshot fabrics[JOURNAL_SNAPSHOTS_MAX + 1], fabric;
    struct error err;
    size_t size, n = journal_read(journal, 0, items, EVENTS);
    for (size_t i = 0; i < n; i++)
        event_unref(items[i].event);
    n = journal_read_back(journal, 1 + EVENTS / 2, items, EVENTS);
    for (size_t i = 0; i < n; i++)
        event_unref(items[i].event);
    assert_in_range(journal_list_snapshots(journal, fabrics), 0, 2);
    free(journal_read_snapshot(journal, 0, &fabric, &size, &err));
}

static void set_window(struct journal *journal)
{
    struct maintenance_window window = {.name = "rack7",
                                        .until_us = now.utc + 3600 * CLOCK_US_PER_S,
                                        .nodes = {.count = 2, .patterns = {"node*", "leaf2"}}};
    assert_true(journal_set_maintenance(journal, &window));
}

static void set_name(struct journal *journal)
{
    const struct setting name = {.kind = SETTING_SWITCH_NAME, .guid = 7, .size = 1, .value = "x"};
    assert_true(journal_change_settings(journal, &name, 1));
}

static bool has_name(struct journal *journal)
{
    struct settings *settings = journal_settings(journal);
    bool has = settings_find(settings, SETTING_SWITCH_NAME, 7, 0) != NULL;
    settings_unref(settings);
    return has;
}

// Writes rows of all kinds to the journal and reads them. Returns the number of the first event.
static int64_t use(struct journal *journal, int *receiver)
{
    int64_t first = 0;
    *receiver = journal_receiver(journal, "nms");
    set_window(journal);
    set_name(journal);
    journal_save_snapshot(journal, &(struct journal_snapshot){.time_us = now.utc, .digest = 7},
                          FABRIC, sizeof FABRIC);
    for (int i = 0; i < EVENTS; i++) {
        int64_t number = journal_append(journal, events[i], &(struct journal_report){1, 2, 3});
        first = i == 0 ? number : first;
        assert_int_equal(number, first + i);
        journal_acknowledge_alarm(journal, events[i]->alarm_key, "Kim", "seen");
        if (i % 2 == 1)
            journal_commit(journal);
        journal_advance(journal, *receiver, number);
        ask(journal);
        journal_request_prune(journal, 3600 * CLOCK_US_PER_S);
        pass(CLOCK_US_PER_S / 4);
    }
    return first;
}

static void expect_events(struct journal *journal, int64_t first)
{
    struct journal_item items[EVENTS];
    assert_int_equal(journal_read(journal, first - 1, items, EVENTS), EVENTS);
    for (int i = 0; i < EVENTS; i++) {
        assert_int_equal(items[i].sequence, first + i);
        assert_non_null(items[i].event);
        assert_string_equal(items[i].event->id, events[i]->id);
        event_unref(items[i].event);
    }
}

static void expect_all(struct journal *journal, int64_t first)
{
    struct journal_status status;
    struct journal_snapshot fabric;
    struct error err;
    size_t size;
    journal_get_status(journal, &status);
    assert_true(status.durable);
    assert_int_equal(status.pending, 0);
    expect_events(journal, first);
    assert_int_equal(count_windows(journal), 1);
    assert_true(has_name(journal));
    assert_int_equal(status.alarms, 1);
    assert_int_equal(journal_cursor(journal, journal_receiver(journal, "nms")), first + EVENTS - 1);
    uint8_t *record = journal_read_snapshot(journal, 0, &fabric, &size, &err);
    assert_non_null(record);
    assert_int_equal(size, sizeof FABRIC);
    assert_memory_equal(record, FABRIC, size);
    free(record);
}

static int begin(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * CLOCK_US_PER_S};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder = (struct event_builder){.clock = &clock_, .random = &chance};
    log_ = support_log(NULL);
    for (int i = 0; i < EVENTS; i++) {
        struct test_event test = {.type = i % 2 ? CATALOGUE_LINK_UP : CATALOGUE_LINK_DOWN};
        test_event_make_up(&test);
        events[i] = test_event_make(&builder, &test);
        assert_non_null(events[i]);
        events[i]->test = false;
    }
    // The last one raises an alarm.
    event_unref(events[EVENTS - 1]);
    events[EVENTS - 1] = event_copy(events[0]);
    assert_non_null(events[EVENTS - 1]);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < EVENTS; i++)
        event_unref(events[i]);
    log_close(log_);
    return 0;
}

// Prepares the file: it has settings.
static void prepare(void)
{
    struct error err;
    const struct setting names[] = {
        {.kind = SETTING_SWITCH_NAME, .guid = 8, .size = 1, .value = "y"},
        {.kind = SETTING_SWITCH_NAME, .guid = 9, .size = 1, .value = "z"}};
    struct journal *journal = open_journal(&err);
    assert_non_null(journal);
    assert_true(journal_change_settings(journal, names, 2));
    journal_commit(journal);
    journal_close(journal);
}

// Opens, uses and closes a journal with the fault, and then again without. Returns whether the
// fault occurred.
static bool live(unsigned sqlite, int code)
{
    struct error err = {""};
    int receiver;
    directory = scratch_make_in_memory();
    prepare();
    begin_fault(sqlite, code);
    struct journal *journal = open_journal(&err);
    assert_non_null(journal);
    int64_t first = use(journal, &receiver);
    bool met = end_fault();
    pass(2 * CLOCK_US_PER_S);
    journal_commit(journal);
    journal_commit(journal);
    expect_all(journal, first);
    journal_close(journal);
    journal = open_journal(&err);
    assert_non_null(journal);
    expect_all(journal, first);
    journal_close(journal);
    scratch_remove(directory);
    return met;
}

static void add_events(struct journal *journal, int n, int receiver)
{
    for (int i = 0; i < n; i++) {
        events[i]->time_us = now.utc;
        journal_advance(journal, receiver,
                        journal_append(journal, events[i], &(struct journal_report){0}));
    }
    journal_commit(journal);
}

static void ask_to_prune(struct journal *journal)
{
    journal_request_prune(journal, 3600 * CLOCK_US_PER_S);
    journal_commit(journal);
}

static struct journal_status status_now(struct journal *journal)
{
    struct journal_status status;
    pass(2 * CLOCK_US_PER_S);
    journal_commit(journal);
    journal_get_status(journal, &status);
    return status;
}

// Prunes with the fault, and then again. Returns whether the fault occurred.
static bool live_and_prune(unsigned sqlite, int code)
{
    struct error err;
    directory = scratch_make_in_memory();
    struct journal *journal = open_journal(&err);
    assert_non_null(journal);
    int receiver = journal_receiver(journal, "nms");
    add_events(journal, EVENTS, receiver);
    pass(7200 * CLOCK_US_PER_S);
    begin_fault(sqlite, code);
    ask_to_prune(journal);
    bool met = end_fault();
    struct journal_status status = status_now(journal);
    assert_true(status.durable);
    assert_in_range(status.rows, 0, EVENTS);
    assert_int_equal(status.dropped, 0); // the receiver had received them
    ask_to_prune(journal);
    pass(CLOCK_US_PER_S);
    assert_false(journal_has_work(journal));
    add_events(journal, 1, receiver);
    journal_close(journal);
    journal = open_journal(&err);
    assert_non_null(journal);
    status = status_now(journal);
    assert_int_equal(status.rows, 1);
    assert_int_equal(status.first, EVENTS + 1);
    assert_int_equal(journal_cursor(journal, journal_receiver(journal, "nms")), EVENTS + 1);
    journal_close(journal);
    scratch_remove(directory);
    return met;
}

static void fail_each_point(bool (*life)(unsigned sqlite, int code), int code)
{
    unsigned points = 1;
    while (life(points, code))
        assert_in_range(++points, 1, POINTS_MAX);
    print_message("%u points\n", points - 1);
    assert_in_range(points, 10, POINTS_MAX); // some calls did fail
}

static void check_every_point(int code)
{
    fail_each_point(live, code);
    fail_each_point(live_and_prune, code);
}

TEST(the_disk_is_full)
{
    check_every_point(SQLITE_FULL);
}

TEST(the_disk_fails)
{
    check_every_point(SQLITE_IOERR);
}

TEST(the_file_is_damaged)
{
    check_every_point(SQLITE_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_disk_is_full),
        cmocka_unit_test(the_disk_fails),
        cmocka_unit_test(the_file_is_damaged),
    };
    support_limit_files(WAL_BYTES / 2);
    return cmocka_run_group_tests(tests, begin, end);
}
