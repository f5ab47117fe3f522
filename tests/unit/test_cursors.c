// SPDX-License-Identifier: BSD-2-Clause
// Names of receivers that go, come back and change: what becomes of their cursors in the journal.
#include "each_receiver.h"
#include "old_schema.h"
#include "support.h"

#include "journal/journal.h"
#include "model/catalogue.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static struct journal *journal;
static struct journal_options options;
static struct support_time time_;
static struct clock clock_;
static const char *directory;
static char path[SCRATCH_PATH_SIZE + 16];

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static void open_journal(void)
{
    struct error err;
    journal = journal_open(&options, &err);
    assert_non_null(journal);
}

static void reopen(void)
{
    journal_commit(journal);
    journal_close(journal);
    open_journal();
}

static int begin(void **state)
{
    (void)state;
    directory = scratch_make();
    snprintf(path, sizeof path, "%s/journal.db", directory);
    time_ = (struct support_time){SUPPORT_UTC_US, 1000 * CLOCK_US_PER_S};
    clock_ = support_clock(&time_);
    options = (struct journal_options){.directory = directory,
                                       .rows_max = 1000000,
                                       .bytes_max = INT64_C(1) << 30,
                                       .age_us = 86400 * CLOCK_US_PER_S,
                                       .patience_us = SUPPORT_PATIENCE_US,
                                       .notify = ignore_change,
                                       .clock = &clock_,
                                       .random = &random_system,
                                       .log = support_log(NULL)};
    open_journal();
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal_close(journal);
    log_close(options.log);
    scratch_remove(directory);
    return 0;
}

static void pass(int64_t us)
{
    atomic_fetch_add(&time_.monotonic, us);
    atomic_fetch_add(&time_.utc, us);
}

static void add(int n)
{
    for (int i = 0; i < n; i++) {
        struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
        assert_non_null(event);
        event->time_us = clock_utc(&clock_);
        snprintf(event->id, sizeof event->id, "an event");
        journal_append(journal, event, &(struct journal_report){0});
        event_unref(event);
    }
    journal_commit(journal);
}

// The place where a receiver of that name begins.
static int64_t start(const char *name)
{
    int receiver = journal_receiver(journal, name);
    assert_true(receiver >= 0);
    return journal_cursor(journal, receiver);
}

static int64_t start_with_backlog(const char *name)
{
    int receiver = journal_receiver_with_backlog(journal, name);
    assert_true(receiver >= 0);
    return journal_cursor(journal, receiver);
}

static bool is_named(void *ctx, const char *name)
{
    return ctx && strcmp(ctx, name) == 0;
}

// All receivers but that one are gone; NULL: all.
static void keep(char *name)
{
    pass(1);
    journal_end_receivers(journal, is_named, name);
}

struct listed {
    char names[JOURNAL_RECEIVERS_MAX][65];
    int64_t gone_us[JOURNAL_RECEIVERS_MAX];
    size_t count;
};

static void list_one(void *ctx, const struct journal_receiver_state *state)
{
    struct listed *listed = ctx;
    assert_in_range(listed->count, 0, JOURNAL_RECEIVERS_MAX - 1);
    snprintf(listed->names[listed->count], sizeof listed->names[0], "%s", state->name);
    listed->gone_us[listed->count++] = state->gone_us;
}

static struct listed listed;

static void list(void)
{
    listed.count = 0;
    journal_each_receiver(journal, list_one, &listed);
}

static bool has(const char *name)
{
    list();
    for (size_t i = 0; i < listed.count; i++) {
        if (strcmp(listed.names[i], name) == 0)
            return true;
    }
    return false;
}

// The number of cursors in the file.
static int in_file(void)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM receiver", -1, &s, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int count = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return count;
}

TEST(a_name_that_was_gone_begins_with_new_events)
{
    start("nms");
    add(3);
    keep(NULL);
    add(4);
    assert_int_equal(start("nms"), 7);
}

TEST(a_name_that_was_gone_is_so_after_a_restart_too)
{
    start("nms");
    start("siem");
    add(3);
    keep("siem");
    reopen();
    add(4);
    assert_int_equal(start("nms"), 7);
    assert_int_equal(start("siem"), 0);
}

TEST(a_name_that_comes_back_for_its_backlog_goes_on_where_it_stopped)
{
    start("nms");
    add(3);
    journal_advance(journal, journal_receiver(journal, "nms"), 2);
    keep(NULL);
    reopen();
    add(4);
    assert_int_equal(start_with_backlog("nms"), 2);
    keep(NULL);
    assert_int_equal(start_with_backlog("nms"), 2);
    reopen(); // it is not gone any more
    assert_int_equal(start("nms"), 2);
}

TEST(a_new_name_has_no_backlog)
{
    add(3);
    assert_int_equal(start_with_backlog("nms"), 3);
}

TEST(a_crash_does_not_make_a_receiver_go)
{
    start("nms");
    add(3);
    journal_commit(journal);
    reopen(); // nothing ended it
    add(2);
    assert_int_equal(start("nms"), 0);
}

TEST(the_list_says_who_is_gone_and_since_when)
{
    start("nms");
    start("siem");
    keep("siem");
    int64_t since = clock_utc(&clock_);
    pass(5 * CLOCK_US_PER_S);
    keep("siem"); // it was gone before
    reopen();
    list();
    assert_int_equal(listed.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(listed.gone_us[i], strcmp(listed.names[i], "nms") == 0 ? since : 0);
}

// Every receiver of a long life has a new name.
TEST(so_many_names_over_a_life_leave_room)
{
    enum { NAMES = 3 * JOURNAL_RECEIVERS_MAX + 300 };
    char name[32], last[32] = "";
    start("siem");
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "nms%d", i);
        assert_int_equal(start(name), i);
        keep("siem");
        add(1);
        if (i % 200 == 0)
            reopen();
        snprintf(last, sizeof last, "%s", name);
    }
    reopen();
    assert_in_range(in_file(), 2, JOURNAL_RECEIVERS_MAX);
    assert_true(has("siem"));
    assert_int_equal(start_with_backlog("siem"), 0);
    assert_int_equal(start_with_backlog(last), NAMES - 1);
    assert_int_equal(start_with_backlog("nms0"), NAMES); // it was forgotten
}

TEST(who_has_been_gone_longest_is_forgotten_first)
{
    char name[32];
    for (int i = 0; i < JOURNAL_RECEIVERS_MAX; i++) {
        snprintf(name, sizeof name, "nms%d", i);
        start(name);
        keep(NULL);
    }
    start("nms0");
    start("one-more");
    assert_true(has("nms0"));
    assert_false(has("nms1"));
    assert_true(has("nms2"));
}

TEST(receivers_in_use_are_never_forgotten_for_room)
{
    char name[32];
    for (int i = 0; i < JOURNAL_RECEIVERS_MAX; i++) {
        snprintf(name, sizeof name, "nms%d", i);
        start(name);
    }
    assert_int_equal(journal_receiver(journal, "one-more"), -1);
    keep("nms7");
    assert_true(journal_receiver(journal, "one-more") >= 0);
    assert_true(has("nms7"));
}

TEST(only_who_is_gone_can_be_forgotten)
{
    start("nms");
    add(3);
    assert_false(journal_forget_receiver(journal, "nms", true));
    assert_false(journal_forget_receiver(journal, "unknown", true));
    keep(NULL);
    assert_true(journal_forget_receiver(journal, "nms", true));
    assert_false(has("nms"));
    assert_true(journal_has_work(journal));
    reopen();
    assert_false(has("nms"));
    assert_int_equal(start_with_backlog("nms"), 3);
}

TEST(a_new_name_has_the_old_cursor)
{
    start("nms");
    add(3);
    assert_true(journal_rename_receiver(journal, "nms", "manager"));
    assert_false(has("nms"));
    assert_int_equal(start("manager"), 0);
    reopen();
    assert_false(has("nms"));
    assert_int_equal(start("manager"), 0);
    assert_int_equal(in_file(), 1);
}

TEST(a_name_that_is_taken_over_loses_what_it_had)
{
    start("nms");
    start("siem");
    assert_false(journal_rename_receiver(journal, "nms", "siem")); // both are in use
    assert_false(journal_rename_receiver(journal, "unknown", "other"));
    add(3);
    journal_advance(journal, journal_receiver(journal, "siem"), 3);
    keep("nms");
    assert_true(journal_rename_receiver(journal, "nms", "siem"));
    reopen();
    assert_int_equal(start("siem"), 0);
    assert_false(has("nms"));
}

// A start that cannot read the file, and its healing.

static void take_away(void)
{
    char aside[sizeof path + 8];
    journal_commit(journal);
    journal_close(journal);
    snprintf(aside, sizeof aside, "%s.away", path);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    open_journal();
}

static void bring_back(void)
{
    char aside[sizeof path + 8];
    struct journal_status status;
    snprintf(aside, sizeof aside, "%s.away", path);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(aside, path), 0);
    pass(2 * CLOCK_US_PER_S);
    journal_commit(journal);
    journal_get_status(journal, &status);
    assert_true(status.durable);
}

TEST(who_was_gone_is_known_when_the_file_can_be_read)
{
    start("nms");
    start("siem");
    start("archive");
    add(3);
    keep("siem");
    take_away();
    int64_t now = start("nms"); // as its section says
    start_with_backlog("archive");
    start("siem");
    add(2);
    bring_back();
    assert_int_equal(start("nms"), now);
    assert_int_equal(start("archive"), 0);
    assert_int_equal(start("siem"), 0);
    reopen();
    assert_int_equal(start("nms"), now);
    assert_int_equal(start("siem"), 0);
}

TEST(a_new_name_has_the_old_cursor_of_a_file_that_could_not_be_read)
{
    start("nms");
    add(3);
    take_away();
    start("nms");
    assert_true(journal_rename_receiver(journal, "nms", "manager"));
    assert_true(journal_rename_receiver(journal, "manager", "boss"));
    start("boss");
    bring_back();
    assert_int_equal(start("boss"), 0);
    assert_false(has("nms"));
    reopen();
    assert_int_equal(start("boss"), 0);
    assert_false(has("nms"));
}

TEST(who_is_forgotten_while_the_file_is_locked_stays_so)
{
    sqlite3 *db;
    start("nms");
    add(3);
    keep(NULL);
    journal_commit(journal);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_true(journal_forget_receiver(journal, "nms", true));
    start("siem");
    journal_commit(journal);
    sqlite3_close(db);
    pass(2 * CLOCK_US_PER_S);
    journal_commit(journal);
    assert_false(has("nms"));
    reopen();
    assert_false(has("nms"));
    assert_true(has("siem"));
}

// The fourth schema did not know who was gone.
TEST(cursors_of_an_older_file_go_on)
{
    sqlite3 *db;
    if (sqlite3_libversion_number() < 3035000)
        skip(); // it cannot drop columns
    start("nms");
    add(3);
    journal_commit(journal);
    journal_close(journal);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, OLD_SCHEMA(4), NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    open_journal();
    assert_int_equal(start("nms"), 0);
    keep(NULL);
    reopen();
    assert_int_equal(start("nms"), 3);
}

// The number from which on the filter with the digest was in force.
static int64_t filter_since(const char *name, uint64_t digest)
{
    int receiver = journal_receiver(journal, name);
    journal_note_filter(journal, receiver, digest);
    return journal_filter_since(journal, receiver);
}

TEST(the_filter_goes_with_the_name_and_ends_with_it)
{
    assert_int_equal(filter_since("nms", 7), 0);
    add(3);
    assert_int_equal(filter_since("nms", 8), 3);
    reopen();
    assert_int_equal(filter_since("nms", 8), 3);
    assert_true(journal_rename_receiver(journal, "nms", "manager"));
    reopen();
    assert_int_equal(filter_since("manager", 8), 3);
    keep(NULL);
    add(2);
    assert_int_equal(filter_since("manager", 9), 0); // it begins anew
    reopen();
    assert_int_equal(filter_since("manager", 9), 0);
}

static void take_section(void *ctx, const struct journal_receiver_state *state)
{
    *(int64_t *)ctx = state->section;
}

// Whether the last event names several receivers.
static bool last_is_for_several(void)
{
    struct journal_item item;
    assert_int_equal(journal_read(journal, journal_last(journal) - 1, &item, 1), 1);
    const bool several = item.event->for_several;
    event_unref(item.event);
    return several;
}

TEST(an_event_says_whether_several_receivers_get_it)
{
    start("a");
    add(1);
    assert_false(last_is_for_several());
    start("b");
    add(1);
    assert_true(last_is_for_several());
    keep("b");
    add(1);
    assert_false(last_is_for_several());
    reopen();
    start("a");
    start("b");
    assert_true(last_is_for_several()); // read from the file
}

TEST(a_section_is_noted_with_its_receiver)
{
    int64_t section = -1;
    start("nms");
    journal_each_receiver(journal, take_section, &section);
    assert_int_equal(section, 0);
    journal_note_section(journal, journal_receiver(journal, "nms"), INT64_MAX);
    reopen();
    journal_each_receiver(journal, take_section, &section);
    assert_int_equal(section, INT64_MAX);
    assert_true(journal_rename_receiver(journal, "nms", "manager"));
    reopen();
    journal_each_receiver(journal, take_section, &section);
    assert_int_equal(section, INT64_MAX);
}

#define CURSOR_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CURSOR_TEST(a_name_that_was_gone_begins_with_new_events),
        CURSOR_TEST(a_name_that_was_gone_is_so_after_a_restart_too),
        CURSOR_TEST(a_name_that_comes_back_for_its_backlog_goes_on_where_it_stopped),
        CURSOR_TEST(a_new_name_has_no_backlog),
        CURSOR_TEST(a_crash_does_not_make_a_receiver_go),
        CURSOR_TEST(the_list_says_who_is_gone_and_since_when),
        CURSOR_TEST(so_many_names_over_a_life_leave_room),
        CURSOR_TEST(who_has_been_gone_longest_is_forgotten_first),
        CURSOR_TEST(receivers_in_use_are_never_forgotten_for_room),
        CURSOR_TEST(only_who_is_gone_can_be_forgotten),
        CURSOR_TEST(a_new_name_has_the_old_cursor),
        CURSOR_TEST(a_name_that_is_taken_over_loses_what_it_had),
        CURSOR_TEST(who_was_gone_is_known_when_the_file_can_be_read),
        CURSOR_TEST(a_new_name_has_the_old_cursor_of_a_file_that_could_not_be_read),
        CURSOR_TEST(who_is_forgotten_while_the_file_is_locked_stays_so),
        CURSOR_TEST(cursors_of_an_older_file_go_on),
        CURSOR_TEST(the_filter_goes_with_the_name_and_ends_with_it),
        CURSOR_TEST(an_event_says_whether_several_receivers_get_it),
        CURSOR_TEST(a_section_is_noted_with_its_receiver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
