// SPDX-License-Identifier: BSD-2-Clause
// Node numbers: which node gets or keeps a number, which node is forgotten; and that the journal
// keeps the numbers.
#include "old_schema.h"
#include "support.h"

#include "journal/journal.h"
#include "model/node_numbers.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static struct node_numbers *numbers;
static struct journal *journal;
static struct journal_options options;
static struct support_time time_;
static struct clock clock_;
static const char *directory;
static char path[SCRATCH_PATH_SIZE + 16];

static int begin(void **state)
{
    (void)state;
    numbers = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    node_numbers_unref(numbers);
    return 0;
}

static void look(const uint64_t *guids, size_t n)
{
    struct node_numbers *next = node_numbers_with(numbers, guids, n);
    assert_non_null(next);
    node_numbers_unref(numbers);
    numbers = next;
}

#define LOOK(...)                                                                                  \
    look((const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static uint32_t number_of(uint64_t guid)
{
    return node_numbers_find(numbers, guid);
}

TEST(each_node_gets_one_and_keeps_it)
{
    LOOK(10, 20, 30);
    assert_int_equal(number_of(10), 1);
    assert_int_equal(number_of(30), 3);
    LOOK(5, 20); // 10 and 30 are gone
    assert_int_equal(number_of(5), 4);
    assert_int_equal(number_of(10), 1);
    LOOK(10, 30, 40);
    assert_int_equal(number_of(10), 1);
    assert_int_equal(number_of(40), 5);
    assert_int_equal(node_numbers_count(numbers), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(node_numbers_at(numbers, i)->number, i + 1);
    assert_int_equal(number_of(41), 0);
}

TEST(nothing_new_changes_nothing)
{
    LOOK(10, 20);
    struct node_numbers *same = node_numbers_with(numbers, (const uint64_t[]){20}, 1);
    assert_ptr_equal(same, numbers);
    node_numbers_unref(same);
    assert_int_equal(node_numbers_find(NULL, 10), 0);
    assert_int_equal(node_numbers_count(NULL), 0);
}

TEST(what_is_not_valid_is_left_out)
{
    static const struct node_number LIST[] = {
        {7, 70}, {7, 71}, {8, 70}, {0, 90}, {9, 0}, {NODE_NUMBERS_LAST + 1, 91}, {2, 20}};
    numbers = node_numbers_of(LIST, COUNT(LIST));
    assert_int_equal(node_numbers_count(numbers), 2);
    assert_int_equal(number_of(20), 2);
    assert_int_equal(number_of(70), 7);
    LOOK(0, 71);
    assert_int_equal(number_of(71), 8);
    assert_int_equal(number_of(0), 0);
}

TEST(after_the_last_number_gaps_are_filled)
{
    static const struct node_number LIST[] = {
        {1, 10}, {2, 20}, {4, 40}, {NODE_NUMBERS_LAST - 1, 50}};
    numbers = node_numbers_of(LIST, COUNT(LIST));
    LOOK(60, 61, 62, 63);
    assert_int_equal(number_of(60), NODE_NUMBERS_LAST);
    assert_int_equal(number_of(61), 3);
    assert_int_equal(number_of(62), 5);
    assert_int_equal(number_of(63), 6);
    assert_true((int64_t)NODE_NUMBERS_LAST * NODE_NUMBERS_STEP + 255 <= INT32_MAX);
    uint32_t before = 0;
    for (size_t i = 0; i < node_numbers_count(numbers); i++) {
        assert_true(node_numbers_at(numbers, i)->number > before);
        before = node_numbers_at(numbers, i)->number;
    }
}

TEST(when_it_is_full_the_nodes_that_are_gone_are_forgotten_first_come_first)
{
    enum { N = NODE_NUMBERS_MAX };
    uint64_t *guids = calloc(N, sizeof *guids);
    assert_non_null(guids);
    for (size_t i = 0; i < N; i++)
        guids[i] = 1000 + i;
    look(guids, N);
    LOOK(1, 1000, 1002); // two of them are there
    assert_int_equal(node_numbers_count(numbers), N);
    assert_int_equal(number_of(1), N + 1);
    assert_int_equal(number_of(1001), 0);
    assert_int_equal(number_of(1000), 1);
    assert_int_equal(number_of(1002), 3);
    assert_int_equal(number_of(1003), 4);
    LOOK(2, 3);
    assert_int_equal(number_of(1000), 0);
    assert_int_equal(number_of(1002), 0);
    assert_int_equal(number_of(1003), 4);
    assert_int_equal(number_of(1), N + 1);
    LOOK(1001); // it comes back as a new one
    assert_int_equal(number_of(1001), N + 4);
    free(guids);
}

// In the journal.

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

static int begin_journal(void **state)
{
    begin(state);
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

static int end_journal(void **state)
{
    end(state);
    journal_close(journal);
    log_close(options.log);
    scratch_remove(directory);
    return 0;
}

static bool number_nodes(uint64_t first, uint64_t second)
{
    return journal_number_nodes(journal, (const uint64_t[]){first, second}, 2);
}

static uint32_t shown(uint64_t guid)
{
    struct node_numbers *now = journal_node_numbers(journal);
    const uint32_t number = node_numbers_find(now, guid);
    node_numbers_unref(now);
    return number;
}

static void commit(void)
{
    atomic_fetch_add(&time_.monotonic, 2 * CLOCK_US_PER_S);
    journal_commit(journal);
}

TEST(a_number_is_shown_once_it_is_on_disk_and_survives_a_restart)
{
    assert_true(number_nodes(10, UINT64_MAX));
    assert_true(journal_has_work(journal));
    assert_int_equal(shown(10), 0);
    commit();
    assert_int_equal(shown(10), 1);
    assert_int_equal(shown(UINT64_MAX), 2);
    journal_close(journal);
    open_journal();
    assert_int_equal(shown(UINT64_MAX), 2);
    assert_true(number_nodes(5, 10));
    assert_int_equal(shown(5), 0);
    commit();
    assert_int_equal(shown(5), 3);
    assert_int_equal(shown(10), 1);
}

// A crash: uncommitted numbers are not there, and nobody has seen the numbers.
TEST(a_number_that_was_not_committed_is_given_again)
{
    number_nodes(10, 20);
    commit();
    number_nodes(30, 40);
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM node_number", -1, &s, NULL), 0);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(s, 0), 2);
    sqlite3_finalize(s);
    sqlite3_close(db);
    assert_int_equal(shown(30), 0);
}

TEST(a_file_that_was_removed_gets_them_again)
{
    number_nodes(10, 20);
    commit();
    assert_int_equal(unlink(path), 0);
    for (int i = 0; i < 5; i++)
        commit();
    assert_int_equal(shown(20), 2);
    journal_close(journal);
    open_journal();
    assert_int_equal(shown(20), 2);
    assert_int_equal(shown(10), 1);
}

static void tamper(const char *sql)
{
    sqlite3 *db;
    journal_close(journal);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    open_journal();
}

TEST(a_file_of_the_sixth_schema_is_brought_up_to_date)
{
    if (sqlite3_libversion_number() < 3035000)
        skip(); // it cannot drop columns
    tamper(OLD_SCHEMA(6));
    assert_true(number_nodes(10, 20));
    commit();
    tamper("");
    assert_int_equal(shown(20), 2);
}

TEST(numbers_that_cannot_be_are_left_out)
{
    number_nodes(10, 20);
    commit();
    tamper("INSERT INTO node_number VALUES (-5, 30), (99999999999, 40), (7, 0);");
    assert_int_equal(shown(20), 2);
    assert_int_equal(shown(30), 0);
    assert_int_equal(shown(40), 0);
    number_nodes(30, 40);
    commit();
    assert_int_equal(shown(30), 3);
    tamper("");
    assert_int_equal(shown(40), 4);
}

static uint32_t get32(const uint8_t *octets)
{
    return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 | (uint32_t)octets[2] << 8 |
           octets[3];
}

// Overwrites the first leaf of the table of numbers (SQLite's file format, 1.6: an interior page
// has its cells' offsets from octet 12 on, and a cell begins with the page to its left).
static void damage_first_numbers(void)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    enum { PAGE_MAX = 65536, INTERIOR = 5 };
    static uint8_t page[PAGE_MAX];
    journal_close(journal);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL), 0);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT rootpage, page_size FROM sqlite_master,"
                                        " pragma_page_size WHERE name = 'node_number'",
                                        -1, &s, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const long root = sqlite3_column_int(s, 0), size = sqlite3_column_int(s, 1);
    sqlite3_finalize(s);
    sqlite3_close(db);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, (root - 1) * size, SEEK_SET), 0);
    assert_int_equal(fread(page, (size_t)size, 1, file), 1);
    assert_int_equal(page[0], INTERIOR);
    const uint32_t leaf = get32(page + (page[12] << 8 | page[13]));
    memset(page, 0xFF, (size_t)size);
    assert_int_equal(fseek(file, (long)(leaf - 1) * size, SEEK_SET), 0);
    assert_int_equal(fwrite(page, (size_t)size, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    open_journal();
}

// A node gets an unused number after the loss of its number: with a used number a manager would
// take the node for the other node.
TEST(after_damage_no_number_is_given_again)
{
    enum { NODES = 5000 };
    static uint64_t guids[NODES + 1];
    for (uint64_t i = 0; i <= NODES; i++)
        guids[i] = 1000 + i;
    assert_true(journal_number_nodes(journal, guids, NODES));
    commit();
    damage_first_numbers();
    for (int i = 0; i < 5; i++)
        commit();
    assert_int_equal(shown(guids[NODES - 1]), NODES);
    assert_int_equal(shown(guids[0]), 0);
    assert_true(journal_number_nodes(journal, guids, NODES + 1));
    commit();
    uint32_t kept = 0;
    for (uint32_t i = 0; i <= NODES; i++) {
        kept += shown(guids[i]) == i + 1;
        assert_true(shown(guids[i]) == i + 1 || shown(guids[i]) > NODES);
    }
    assert_in_range(kept, NODES / 2, NODES - 1);
    tamper("");
    assert_int_equal(shown(guids[NODES - 1]), NODES);
    assert_true(shown(guids[0]) > NODES);
}

// Before the file was read nobody knows the numbers in the file.
TEST(without_its_file_no_numbers_are_given)
{
    number_nodes(10, 20);
    commit();
    journal_close(journal);
    char away[sizeof path + 8];
    snprintf(away, sizeof away, "%s.away", path);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    open_journal();
    assert_false(number_nodes(30, 40));
    commit();
    assert_int_equal(shown(10), 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(away, path), 0);
    for (int i = 0; i < 5; i++)
        commit();
    assert_int_equal(shown(20), 2);
    assert_true(number_nodes(30, 40));
    commit();
    assert_int_equal(shown(30), 3);
}

#define OF_MODEL(test)   cmocka_unit_test_setup_teardown(test, begin, end)
#define OF_JOURNAL(test) cmocka_unit_test_setup_teardown(test, begin_journal, end_journal)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_MODEL(each_node_gets_one_and_keeps_it),
        OF_MODEL(nothing_new_changes_nothing),
        OF_MODEL(what_is_not_valid_is_left_out),
        OF_MODEL(after_the_last_number_gaps_are_filled),
        OF_MODEL(when_it_is_full_the_nodes_that_are_gone_are_forgotten_first_come_first),
        OF_JOURNAL(a_number_is_shown_once_it_is_on_disk_and_survives_a_restart),
        OF_JOURNAL(a_number_that_was_not_committed_is_given_again),
        OF_JOURNAL(a_file_that_was_removed_gets_them_again),
        OF_JOURNAL(a_file_of_the_sixth_schema_is_brought_up_to_date),
        OF_JOURNAL(numbers_that_cannot_be_are_left_out),
        OF_JOURNAL(after_damage_no_number_is_given_again),
        OF_JOURNAL(without_its_file_no_numbers_are_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
