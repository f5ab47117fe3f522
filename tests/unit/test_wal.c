// SPDX-License-Identifier: BSD-2-Clause
// The size of the WAL, and the moving of its pages to the file, on a disk that fails when the test
// demands it. Functions in this file replace the C library's.
#include "support.h"

#include "journal/wal.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool writes_fail;
static atomic_bool syncs_fail;

ssize_t pwrite(int fd, const void *octets, size_t size, off_t at)
{
    if (!writes_fail)
        return syscall(SYS_pwrite64, fd, octets, size, at);
    errno = EIO;
    return -1;
}

int fdatasync(int fd)
{
    if (!atomic_load(&syncs_fail))
        return (int)syscall(SYS_fdatasync, fd);
    errno = EIO;
    return -1;
}

static int end(void **state)
{
    (void)state;
    writes_fail = false;
    atomic_store(&syncs_fail, false);
    return 0;
}

// The file's path; its WAL has `size` octets.
static const char *make_wal(const char *name, size_t size)
{
    char wal[64], content[32] = "0123456789";
    snprintf(wal, sizeof wal, "%s-wal", name);
    content[size] = '\0';
    support_file(wal, content, 0600);
    return support_path(name);
}

static off_t size_of_wal(const char *path)
{
    char wal[300];
    struct stat status;
    snprintf(wal, sizeof wal, "%s-wal", path);
    assert_int_equal(stat(wal, &status), 0);
    return status.st_size;
}

TEST(a_wal_gets_its_size)
{
    const char *path = make_wal("small", 10);
    wal_reserve(path);
    assert_int_equal(size_of_wal(path), WAL_BYTES);
    wal_reserve(path);
    assert_int_equal(size_of_wal(path), WAL_BYTES);
}

TEST(a_wal_for_which_there_is_no_room_stays_as_it_is)
{
    const char *path = make_wal("no-room", 7);
    writes_fail = true;
    wal_reserve(path);
    assert_int_equal(size_of_wal(path), 7);
    writes_fail = false;
    atomic_store(&syncs_fail, true);
    wal_reserve(path);
    assert_int_equal(size_of_wal(path), 7);
}

TEST(where_there_is_no_wal_none_is_made)
{
    const char *path = support_path("none");
    wal_reserve(path);
    assert_int_not_equal(access(path, F_OK), 0);
}

// A connection whose commits are in the WAL.
static sqlite3 *open_file(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
                                  "CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(20000))",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

static void wait_until_idle(struct wal *wal, int pages)
{
    while (!wal_note(wal, pages) && !wal_has_failed(wal))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

TEST(what_is_left_of_a_full_wal_is_the_writers)
{
    const char *path = support_path("full.db");
    sqlite3 *db = open_file(path);
    struct wal *wal = wal_start(path);
    assert_non_null(wal);
    assert_false(wal_note(wal, WAL_STEP_PAGES - 1));
    assert_false(wal_note(wal, WAL_FULL_PAGES)); // the thread moves all pages, and syncs the file
    wait_until_idle(wal, WAL_FULL_PAGES + 1);
    assert_false(wal_has_failed(wal));
    assert_true(wal_move(wal, db));
    assert_int_equal(wal_left(wal), 0);
    assert_true(wal_stop(wal));
    sqlite3_close(db);
}

// Another connection that reads an earlier state of the file keeps the later pages in the WAL.
TEST(pages_that_a_reader_holds_are_counted)
{
    const char *path = support_path("held.db");
    sqlite3 *db = open_file(path), *reader;
    struct wal *wal = wal_start(path);
    assert_non_null(wal);
    assert_int_equal(sqlite3_open(path, &reader), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT * FROM t", NULL, NULL, NULL), SQLITE_OK);
    assert_true(wal_move(wal, db));
    assert_int_equal(wal_left(wal), 0);
    assert_int_equal(sqlite3_exec(db, "INSERT INTO t VALUES (randomblob(40000))", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_true(wal_move(wal, db));
    assert_true(wal_left(wal) >= 40000 / WAL_PAGE_BYTES);
    assert_int_equal(sqlite3_exec(reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_true(wal_move(wal, db));
    assert_int_equal(wal_left(wal), 0);
    assert_true(wal_stop(wal));
    sqlite3_close(reader);
    sqlite3_close(db);
}

TEST(a_sync_that_fails_is_told)
{
    const char *path = support_path("failing.db");
    sqlite3 *db = open_file(path);
    struct wal *wal = wal_start(path);
    assert_non_null(wal);
    atomic_store(&syncs_fail, true);
    assert_false(wal_note(wal, WAL_FULL_PAGES));
    wait_until_idle(wal, WAL_FULL_PAGES + 1);
    assert_true(wal_has_failed(wal));
    assert_false(wal_stop(wal));
    sqlite3_close(db);
}

TEST(without_a_thread_the_writer_moves_all)
{
    struct wal *wal = wal_start("/nonexistent/journal.db");
    assert_false(wal_note(wal, WAL_STEP_PAGES - 1));
    assert_true(wal_note(wal, WAL_STEP_PAGES));
    wal_retry(wal);
    assert_false(wal_has_failed(wal));
    assert_true(wal_stop(wal));
    assert_true(wal_stop(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wal_gets_its_size),
        cmocka_unit_test_teardown(a_wal_for_which_there_is_no_room_stays_as_it_is, end),
        cmocka_unit_test(where_there_is_no_wal_none_is_made),
        cmocka_unit_test(what_is_left_of_a_full_wal_is_the_writers),
        cmocka_unit_test(pages_that_a_reader_holds_are_counted),
        cmocka_unit_test_teardown(a_sync_that_fails_is_told, end),
        cmocka_unit_test(without_a_thread_the_writer_moves_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
