// SPDX-License-Identifier: BSD-2-Clause
// Settings made by SNMP in the journal, and files of earlier schemas.
#include "journal_fixture.h"
#include "old_schema.h"

#include "journal/store.h"
#include "model/catalogue.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A file of version 1 of the schema.
static void test_a_file_of_the_first_schema_is_brought_up_to_date(void **state)
{
    static const char SCHEMA_1[] =
        "CREATE TABLE event (sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL,"
        " time_us INTEGER NOT NULL, severity INTEGER NOT NULL, node_guid INTEGER NOT NULL,"
        " report_lid INTEGER NOT NULL, report_tid INTEGER NOT NULL, report_digest INTEGER NOT NULL,"
        " record BLOB NOT NULL);"
        "CREATE INDEX event_time ON event (time_us);"
        "CREATE TABLE receiver (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID;"
        "PRAGMA user_version = 1; PRAGMA journal_mode = WAL;"
        "INSERT INTO event SELECT * FROM old.event; INSERT INTO receiver VALUES ('nms', 2);";
    struct fixture *f = *state;
    add_many(f, 3);
    journal_close(f->journal);
    f->journal = NULL;
    char old[120], attach[200];
    snprintf(old, sizeof old, "%s.old", f->path);
    snprintf(attach, sizeof attach, "ATTACH '%s' AS old;", old);
    assert_int_equal(rename(f->path, old), 0);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, SCHEMA_1, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct store *store;
    struct error err;
    assert_int_equal(store_open(f->path, true, &store, &err), STORE_FAILED);
    assert_non_null(strstr(err.text,
                           "its schema has version 1; start this version of ibtrapd, which "
                           "upgrades it to version 15"));
    reopen(f);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    int receiver = journal_receiver(f->journal, "nms");
    assert_int_equal(journal_cursor(f->journal, receiver), 2);
    assert_int_equal(read_all(f, 0, 3), 3);
    raise_alarm(f, "a");
    save_fabric(f, 1, 10);
    journal_commit(f->journal);
    reopen(f);
    assert_alarms(f, "a");
    assert_fabric(f, 0, 1, 1, 10);
}

// Settings made by SNMP.

static struct setting make_setting(uint64_t guid, const char *name)
{
    struct setting setting = {
        .kind = SETTING_SWITCH_NAME, .guid = guid, .size = (uint16_t)strlen(name)};
    memcpy(setting.value, name, setting.size);
    return setting;
}

static void set_name(struct fixture *f, uint64_t guid, const char *name)
{
    const struct setting setting = make_setting(guid, name);
    assert_true(journal_change_settings(f->journal, &setting, 1));
}

static void assert_name(struct fixture *f, uint64_t guid, const char *name)
{
    struct settings *settings = journal_settings(f->journal);
    const struct setting *found = settings_find(settings, SETTING_SWITCH_NAME, guid, 0);
    assert_int_equal(found != NULL, name != NULL);
    if (found) {
        assert_int_equal(found->size, strlen(name));
        assert_memory_equal(found->value, name, found->size);
    }
    settings_unref(settings);
}

static void test_settings_survive_a_restart(void **state)
{
    struct fixture *f = *state;
    struct setting row = {.kind = SETTING_TRAP_RECIPIENT,
                          .guid = UINT64_MAX,
                          .number = 6,
                          .size = 4,
                          .value = {10, 0, 255, 0}};
    struct setting longest = {.kind = SETTING_FABRIC_NAME, .guid = 1, .size = sizeof longest.value};
    memset(longest.value, 'x', sizeof longest.value);
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    assert_true(journal_change_settings(f->journal, &row, 1));
    assert_true(journal_change_settings(f->journal, &longest, 1));
    set_name(f, 7, "leaf7");
    set_name(f, 8, "leaf8");
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    assert_false(journal_has_work(f->journal));
    reopen(f);
    set_name(f, 8, "");
    journal_commit(f->journal);
    reopen(f);
    assert_name(f, 7, "leaf7");
    assert_name(f, 8, NULL);
    struct settings *settings = journal_settings(f->journal);
    assert_int_equal(settings_count(settings), 3);
    const struct setting *found = settings_find(settings, row.kind, row.guid, row.number);
    assert_non_null(found);
    assert_memory_equal(found, &row, sizeof row);
    found = settings_find(settings, longest.kind, longest.guid, 0);
    assert_non_null(found);
    assert_memory_equal(found, &longest, sizeof longest);
    settings_unref(settings);
}

// Communities. The group with the right to read the journal must not get communities.

#define COMMUNITY "of the managers"

static struct setting make_community(uint64_t guid, const char *community)
{
    struct setting setting = make_setting(guid, community);
    setting.kind = SETTING_COMMUNITY;
    setting.number = 2;
    return setting;
}

static void set_community(struct fixture *f, uint64_t guid, const char *community)
{
    const struct setting setting = make_community(guid, community);
    assert_true(journal_change_settings(f->journal, &setting, 1));
    journal_commit(f->journal);
}

static void assert_community(struct fixture *f, uint64_t guid, const char *community)
{
    struct settings *settings = journal_settings(f->journal);
    const struct setting *found = settings_find(settings, SETTING_COMMUNITY, guid, 2);
    assert_int_equal(found != NULL, community != NULL);
    if (found) {
        assert_int_equal(found->size, strlen(community));
        assert_memory_equal(found->value, community, found->size);
    }
    settings_unref(settings);
}

// The number of files in the directory that have the text in them and that other users can read.
static unsigned open_files_with(struct fixture *f, const char *text)
{
    unsigned found = 0;
    DIR *d = opendir(f->directory);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        static char octets[16 << 20];
        struct stat st;
        int fd = openat(dirfd(d), e->d_name, O_RDONLY);
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0) {
            ssize_t n = read(fd, octets, sizeof octets);
            found += memmem(octets, (size_t)n, text, strlen(text)) != NULL;
        }
        close(fd);
    }
    closedir(d);
    return found;
}

static void test_communities_are_in_a_file_of_their_own(void **state)
{
    struct fixture *f = *state;
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/communities", f->directory);
    set_name(f, 7, "leaf7");
    journal_commit(f->journal);
    assert_int_equal(stat(path, &st), -1);
    set_community(f, 7, COMMUNITY);
    set_community(f, UINT64_MAX, " ~");
    assert_int_equal(open_files_with(f, "leaf7"), 1); // in the WAL
    assert_int_equal(open_files_with(f, COMMUNITY), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    reopen(f);
    assert_int_equal(open_files_with(f, COMMUNITY), 0);
    assert_name(f, 7, "leaf7");
    assert_community(f, 7, COMMUNITY);
    assert_community(f, UINT64_MAX, " ~");
    set_community(f, UINT64_MAX, "");
    reopen(f);
    assert_community(f, 7, COMMUNITY);
    assert_community(f, UINT64_MAX, NULL);
    set_community(f, 7, "");
    assert_int_equal(stat(path, &st), -1);
}

// An earlier version kept the communities with the other settings.
static void test_communities_leave_the_file_of_an_earlier_version(void **state)
{
    struct fixture *f = *state;
    tamper(f,
           "INSERT INTO setting VALUES (5, 7, 2, CAST('" COMMUNITY "' AS BLOB)), (1, 7, 0, x'41')");
    assert_community(f, 7, COMMUNITY);
    assert_name(f, 7, "A");
    assert_true(journal_has_work(f->journal));
    journal_commit(f->journal);
    reopen(f); // what is in the WAL goes into the file
    reopen(f);
    assert_community(f, 7, COMMUNITY);
    assert_name(f, 7, "A");
    assert_int_equal(open_files_with(f, COMMUNITY), 0);
}

// A directory in place of the new file makes its writing fail, for root, too.
static void test_communities_that_cannot_be_saved(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    char path[200];
    snprintf(path, sizeof path, "%s/communities.new", f->directory);
    set_community(f, 7, COMMUNITY);
    assert_int_equal(mkdir(path, 0700), 0);
    set_community(f, 7, "another");
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    assert_non_null(strstr(status.problem, "cannot save the communities in "));
    assert_community(f, 7, "another");
    assert_int_equal(rmdir(path), 0);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
    reopen(f);
    assert_community(f, 7, "another");
}

static void test_lines_that_are_no_communities_are_not_read(void **state)
{
    struct fixture *f = *state;
    char path[200];
    set_community(f, 7, COMMUNITY);
    journal_close(f->journal);
    f->journal = NULL;
    snprintf(path, sizeof path, "%s/communities", f->directory);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("\n0x0000000000000008 2 zz\nnonsense\n0x0000000000000008 9 41\n"
          "0x0000000000000008 2 41414141414141414141414141414141414141\n"
          "0x0000000000000009 2 414",
          file);
    fclose(file);
    reopen(f);
    assert_community(f, 7, COMMUNITY);
    assert_community(f, 8, NULL);
    assert_community(f, 9, NULL);
}

static void test_settings_while_the_file_is_away(void **state)
{
    struct fixture *f = *state;
    char aside[120];
    snprintf(aside, sizeof aside, "%s.aside", f->path);
    set_name(f, 7, "leaf7");
    set_name(f, 8, "leaf8");
    set_name(f, 9, "leaf9");
    journal_commit(f->journal);
    journal_close(f->journal);
    f->journal = NULL;
    take_the_file_away(f, aside);
    reopen(f);
    assert_name(f, 7, NULL);
    set_name(f, 8, "spine8");
    set_name(f, 9, ""); // the file has a value for it, still unknown
    journal_commit(f->journal);
    assert_name(f, 8, "spine8");
    bring_the_file_back(f, aside);
    assert_name(f, 7, "leaf7");
    assert_name(f, 8, "spine8");
    assert_name(f, 9, NULL);
    reopen(f);
    assert_name(f, 7, "leaf7");
    assert_name(f, 8, "spine8");
    assert_name(f, 9, NULL);
}

static void test_settings_outlive_a_corrupt_file(void **state)
{
    struct fixture *f = *state;
    journal_receiver(f->journal, "nms");
    set_name(f, 7, "leaf7");
    add_many(f, 2000);
    reopen(f); // what is in the WAL goes into the file
    corrupt(f);
    read_all(f, 0, 0); // a slow receiver stumbles over it
    for (int i = 0; i < 20; i++) {
        pass(f, 2 * CLOCK_US_PER_S);
        journal_commit(f->journal);
    }
    assert_true(files_with(f, "corrupt") >= 1);
    reopen(f);
    assert_name(f, 7, "leaf7");
}

static void test_there_is_room_for_so_many_settings(void **state)
{
    struct fixture *f = *state;
    struct setting *all = calloc(SETTINGS_MAX, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < SETTINGS_MAX; i++)
        all[i] = make_setting(i + 1, "x");
    assert_true(journal_change_settings(f->journal, all, SETTINGS_MAX));
    free(all);
    const struct setting more[] = {make_setting(1, "y"), make_setting(SETTINGS_MAX + 1, "z")};
    assert_false(journal_change_settings(f->journal, more, 2));
    assert_name(f, 1, "x"); // either all settings change or none
    set_name(f, 2, "y");
    journal_commit(f->journal);
    reopen(f);
    assert_name(f, 2, "y");
    assert_name(f, SETTINGS_MAX, "x");
}

static size_t count_settings(struct fixture *f)
{
    struct settings *settings = journal_settings(f->journal);
    size_t count = settings_count(settings);
    settings_unref(settings);
    return count;
}

static void test_settings_that_cannot_be_are_not_read(void **state)
{
    struct fixture *f = *state;
    set_name(f, 7, "leaf7");
    journal_commit(f->journal);
    tamper(f, "INSERT INTO setting VALUES (0, 1, 0, x'41'), (99, 1, 0, x'41'), (-1, 1, 0, x'41'),"
              " (1, 1, -1, x'41'), (1, 1, 256, x'41'), (1, 1, 1, x'41'), (1, 1, 0, x''),"
              " (1, 2, 0, zeroblob(257)), (1, 3, 0, x'41FF'), (4, 1, 0, x'06'),"
              " (5, 1, 1, zeroblob(256)), (6, 1, 1, x'0A0000')");
    assert_int_equal(count_settings(f), 1);
    assert_name(f, 7, "leaf7");
}

static void test_a_file_with_too_many_settings(void **state)
{
    struct fixture *f = *state;
    journal_commit(f->journal);
    tamper(f, "WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 20000)"
              " INSERT INTO setting SELECT 1, n, 0, x'41' FROM g");
    assert_int_equal(count_settings(f), SETTINGS_MAX);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_true(status.durable);
}

static void test_so_many_settings_wait_for_the_file(void **state)
{
    struct fixture *f = *state;
    char aside[120];
    snprintf(aside, sizeof aside, "%s.aside", f->path);
    journal_close(f->journal);
    f->journal = NULL;
    take_the_file_away(f, aside);
    reopen(f);
    assert_true(journal_change_settings(f->journal, NULL, 0));
    struct setting *all = calloc(SETTINGS_MAX, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < SETTINGS_MAX; i++)
        all[i] = make_setting(7, "x");
    all[SETTINGS_MAX - 1] = make_setting(7, "last");
    assert_true(journal_change_settings(f->journal, all, SETTINGS_MAX));
    free(all);
    const struct setting more = make_setting(7, "more");
    assert_false(journal_change_settings(f->journal, &more, 1));
    bring_the_file_back(f, aside);
    assert_name(f, 7, "last");
    assert_true(journal_change_settings(f->journal, &more, 1));
}

// Another program locks the file while rows of all kinds wait to be written and deleted.
static void test_everything_waits_for_a_locked_file(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db;
    assert_int_equal(begin_receiver(f, "gone"), 0);
    raise_alarm(f, "a");
    journal_commit(f->journal);
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    journal_forget_receiver(f->journal, "gone", false);
    clear_alarm(f, "a");
    raise_alarm(f, "b");
    set_name(f, 7, "leaf7");
    const struct maintenance_window window =
        make_window("rack7", f->time.utc + CLOCK_US_PER_S * 3600);
    assert_true(journal_set_maintenance(f->journal, &window));
    save_fabric(f, 1, 10);
    journal_commit(f->journal);
    struct journal_status status;
    journal_get_status(f->journal, &status);
    assert_false(status.durable);
    sqlite3_close(db);
    pass(f, 2 * CLOCK_US_PER_S);
    journal_commit(f->journal);
    reopen(f);
    assert_alarms(f, "b");
    assert_name(f, 7, "leaf7");
    assert_int_equal(count_windows(f), 1);
    assert_fabric(f, 0, 1, 1, 10);
    assert_true(begin_receiver(f, "gone") > 0);
}

static void test_a_file_of_the_third_schema_is_brought_up_to_date(void **state)
{
    struct fixture *f = *state;
    if (sqlite3_libversion_number() < 3035000)
        skip(); // it cannot drop columns
    add_many(f, 3);
    raise_alarm(f, "a");
    journal_commit(f->journal);
    tamper(f, OLD_SCHEMA(3));
    assert_int_equal(read_all(f, 0, 4), 4);
    assert_alarms(f, "a");
    const struct alarm_list list = list_alarms(f);
    assert_int_equal(list.alarms[0].notified, ALARM_NOTIFIED);
    assert_int_equal(list.alarms[0].category, catalogue_find(list.alarms[0].type)->category);
    assert_int_not_equal(list.alarms[0].category, CATEGORY_FABRIC);
    assert_int_equal(list.alarms[0].last_sequence, list.alarms[0].event_sequence);
    set_name(f, 7, "leaf7");
    journal_commit(f->journal);
    reopen(f);
    assert_name(f, 7, "leaf7");
}

static void test_a_file_of_the_seventh_schema_is_brought_up_to_date(void **state)
{
    struct fixture *f = *state;
    if (sqlite3_libversion_number() < 3035000)
        skip(); // it cannot drop columns
    raise_alarm(f, "a");
    assert_true(journal_acknowledge_alarm(f->journal, "a", "Kim", "seen"));
    journal_commit(f->journal);
    tamper(f, OLD_SCHEMA(7));
    assert_alarms(f, "a");
    const struct alarm_list list = list_alarms(f);
    assert_string_equal(list.alarms[0].note, "seen");
    assert_string_equal(list.alarms[0].acknowledged_by, "");
    assert_string_equal(list.alarms[0].suppressed, "");
}

static unsigned upgrade_steps, count_steps, other_steps;

static void hear_step(void *ctx, const char *doing)
{
    assert_string_equal(ctx, "the watch");
    if (strcmp(doing, "upgrading its schema from version 5 to 15, 5000 events") == 0)
        upgrade_steps++;
    else if (strcmp(doing, "counting its events") == 0)
        count_steps++;
    else
        other_steps++;
}

// An index over 5,000 events, and counting 10,000, take more operations of SQLite than are between
// two steps.
static void test_who_watches_hears_of_an_upgrade_while_it_goes_on(void **state)
{
    struct fixture *f = *state;
    if (sqlite3_libversion_number() < 3035000)
        skip(); // it cannot drop columns
    upgrade_steps = other_steps = 0;
    add_many(f, 5000);
    f->options.watch = (struct journal_watch){hear_step, "the watch"};
    tamper(f, OLD_SCHEMA(5));
    assert_true(upgrade_steps > 1);
    assert_true(other_steps > 0);
    const unsigned heard = upgrade_steps + count_steps + other_steps;
    add_many(f, 5000); // the journal is open: nobody listens any more
    assert_int_equal(upgrade_steps + count_steps + other_steps, heard);
    upgrade_steps = count_steps = 0;
    reopen(f);
    assert_int_equal(upgrade_steps, 0);
    assert_true(count_steps > 1);
    f->options.watch = (struct journal_watch){0};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_file_of_the_first_schema_is_brought_up_to_date),
        TEST(test_settings_survive_a_restart),
        TEST(test_a_file_of_the_seventh_schema_is_brought_up_to_date),
        TEST(test_communities_are_in_a_file_of_their_own),
        TEST(test_communities_leave_the_file_of_an_earlier_version),
        TEST(test_communities_that_cannot_be_saved),
        TEST(test_lines_that_are_no_communities_are_not_read),
        TEST(test_settings_while_the_file_is_away),
        TEST(test_settings_outlive_a_corrupt_file),
        TEST(test_there_is_room_for_so_many_settings),
        TEST(test_settings_that_cannot_be_are_not_read),
        TEST(test_a_file_with_too_many_settings),
        TEST(test_so_many_settings_wait_for_the_file),
        TEST(test_everything_waits_for_a_locked_file),
        TEST(test_a_file_of_the_third_schema_is_brought_up_to_date),
        TEST(test_who_watches_hears_of_an_upgrade_while_it_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
