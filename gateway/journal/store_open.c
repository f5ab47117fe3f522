// SPDX-License-Identifier: BSD-2-Clause
// Opens the journal's file: for the writer, for readers, when damaged, or for a process that
// examines the file.
#include "journal/journal.h"
#include "journal/store.h"

#include "base/memory.h"
#include "base/text.h"
#include "journal/store_private.h"
#include "journal/wal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUSY_MS = 2000 };
enum {
    STEP_OPERATIONS = 20000
}; // of SQLite's virtual machine, which does some 20 in a microsecond

// The page cache of each connection. Rows are added and read in order, and few pages are used
// twice; SQLite's default of 2000 KiB is not faster.
#define CACHE_KIB "512"

// A WAL that grew while another program read the file gets its size back when the WAL begins anew.
static int store_open_limit_wal(struct store *store)
{
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA journal_size_limit = %d", (int)WAL_BYTES);
    return store_run(store, pragma);
}

static int store_open_go_on(void *ctx)
{
    const struct store *store = ctx;
    store->watch->step(store->watch->ctx, store->doing);
    return 0;
}

static void store_open_begin_watch(struct store *store, const struct journal_watch *watch)
{
    store->watch = watch && watch->step ? watch : NULL;
    if (store->watch)
        sqlite3_progress_handler(store->db, STEP_OPERATIONS, store_open_go_on, store);
}

void store_end_watch(struct store *store)
{
    store->watch = NULL;
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
}

// The schema.

// The SQL that upgrades the schema from version N to N + 1. A row, once released, never changes.
static const char *const MIGRATIONS[STORE_SCHEMA_VERSION] = {
    "CREATE TABLE event ("
    " sequence INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL,"
    " type TEXT NOT NULL,"
    " time_us INTEGER NOT NULL,"
    " severity INTEGER NOT NULL,"
    " node_guid INTEGER NOT NULL,"
    " report_lid INTEGER NOT NULL,"
    " report_tid INTEGER NOT NULL,"
    " report_digest INTEGER NOT NULL,"
    " record BLOB NOT NULL);"
    "CREATE INDEX event_time ON event (time_us);"
    "CREATE TABLE receiver (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID;",
    "CREATE TABLE snapshot ("
    " number INTEGER PRIMARY KEY,"
    " time_us INTEGER NOT NULL,"
    " digest INTEGER NOT NULL,"
    " nodes INTEGER NOT NULL,"
    " links INTEGER NOT NULL,"
    " record BLOB NOT NULL);"
    "CREATE TABLE alarm ("
    " key TEXT PRIMARY KEY,"
    " event_sequence INTEGER NOT NULL,"
    " event_id TEXT NOT NULL,"
    " type TEXT NOT NULL,"
    " severity INTEGER NOT NULL,"
    " raised_us INTEGER NOT NULL,"
    " last_us INTEGER NOT NULL,"
    " count INTEGER NOT NULL,"
    " node_guid INTEGER NOT NULL,"
    " text TEXT NOT NULL,"
    " acknowledged_us INTEGER NOT NULL,"
    " note TEXT NOT NULL,"
    " shelved_until_us INTEGER NOT NULL);",
    "ALTER TABLE alarm ADD COLUMN told_id TEXT NOT NULL DEFAULT '';"
    "UPDATE alarm SET told_id = event_id;" // before this version, receivers got every event
    "CREATE TABLE maintenance ("
    " name TEXT PRIMARY KEY,"
    " until_us INTEGER NOT NULL,"
    " nodes TEXT NOT NULL);", // one pattern per line
    "CREATE TABLE setting ("
    " kind INTEGER NOT NULL,"
    " guid INTEGER NOT NULL,"
    " number INTEGER NOT NULL,"
    " value BLOB NOT NULL,"
    " PRIMARY KEY (kind, guid, number)) WITHOUT ROWID;",
    "ALTER TABLE alarm ADD COLUMN category INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE alarm ADD COLUMN told INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE alarm ADD COLUMN cause_id TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE alarm ADD COLUMN over INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE alarm ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT 0;"
    "UPDATE alarm SET told = told_id <> '', last_sequence = event_sequence;"
    "ALTER TABLE receiver ADD COLUMN gone_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE receiver ADD COLUMN section INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE receiver ADD COLUMN filter INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE receiver ADD COLUMN filter_since INTEGER NOT NULL DEFAULT 0;",
    "", // made the index that the last row makes
    "CREATE TABLE node_number (number INTEGER PRIMARY KEY, guid INTEGER NOT NULL UNIQUE);",
    "ALTER TABLE alarm ADD COLUMN suppressed TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE alarm ADD COLUMN acknowledged_by TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE alarm ADD COLUMN shelved_by TEXT NOT NULL DEFAULT '';",
    "", // the same
    "ALTER TABLE alarm ADD COLUMN shelved_for_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE maintenance ADD COLUMN length_us INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE alarm ADD COLUMN told_sequence INTEGER NOT NULL DEFAULT 0;"
    "UPDATE alarm SET told_sequence = last_sequence WHERE over = 0;"
    "ALTER TABLE receiver ADD COLUMN began INTEGER NOT NULL DEFAULT 0;"
    // Events that retention has deleted and open alarms need. `ended`: 0 while the alarm is open,
    // then a number behind the end of the alarm.
    "CREATE TABLE kept ("
    " sequence INTEGER PRIMARY KEY,"
    " key TEXT NOT NULL,"
    " ended INTEGER NOT NULL DEFAULT 0,"
    " record BLOB NOT NULL);",
    "ALTER TABLE maintenance ADD COLUMN who TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE maintenance ADD COLUMN comment TEXT NOT NULL DEFAULT '';",
    // Journals of earlier versions have this index without some types.
    "DROP INDEX IF EXISTS event_link;"
    "CREATE INDEX event_link ON event (sequence) WHERE " STORE_OF_LINKS ";",
    "ALTER TABLE receiver ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE receiver ADD COLUMN told_again INTEGER NOT NULL DEFAULT 0;",
    "CREATE TABLE device ("
    " guid INTEGER NOT NULL,"
    " port INTEGER NOT NULL,"
    " page INTEGER NOT NULL,"
    " good INTEGER NOT NULL,"
    " serial TEXT NOT NULL,"
    " PRIMARY KEY (guid, port, page)) WITHOUT ROWID;",
};

// Gives the file a random number, not 0, to tell the file from another file in its place.
static int store_open_identify(struct store *store)
{
    uint32_t number;
    char pragma[64];
    sqlite3_randomness(sizeof number, &number);
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %" PRIu32,
             (number & (uint32_t)INT32_MAX) | 1);
    return store_run(store, pragma);
}

// Tells the number of events: making an index reads every event. The difference of numbers is
// quick, and right because only retention removes events.
static void store_open_tell_upgrade(struct store *store, int version)
{
    int64_t events = 0;
    if (version > 0)
        store_read_number(store, "SELECT coalesce(max(sequence) - min(sequence) + 1, 0) FROM event",
                          &events);
    store_tell(store, "upgrading its schema from version %d to %d, %" PRId64 " events", version,
               (int)STORE_SCHEMA_VERSION, events);
}

static int store_open_upgrade(struct store *store, int version)
{
    store_open_tell_upgrade(store, version);
    int code = store_run(store, "BEGIN IMMEDIATE");
    for (int v = version; v < STORE_SCHEMA_VERSION && code == SQLITE_OK; v++)
        code = store_run(store, MIGRATIONS[v]);
    if (code == SQLITE_OK)
        code = store_open_identify(store);
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", (int)STORE_SCHEMA_VERSION);
    if (code == SQLITE_OK)
        code = store_run(store, pragma);
    if (code == SQLITE_OK)
        code = store_run(store, "COMMIT");
    if (code != SQLITE_OK && !sqlite3_get_autocommit(store->db))
        store_run(store, "ROLLBACK");
    return code;
}

static int store_open_prepare_at(struct store *store, int at)
{
    char sql[STORE_SQL_SIZE];
    const int of_tables = at - STATEMENT_COUNT;
    if (of_tables >= 0)
        store_table_sql((enum store_table)(of_tables / TABLE_STATEMENT_COUNT),
                        (enum store_table_statement)(of_tables % TABLE_STATEMENT_COUNT), sql);
    return sqlite3_prepare_v3(store->db, of_tables >= 0 ? sql : store_sql((enum store_statement)at),
                              -1, SQLITE_PREPARE_PERSISTENT, &store->statements[at], NULL);
}

// `damaged`: makes only the statements that a damaged file allows. Returns a code of SQLite.
static int store_open_prepare(struct store *store, bool damaged)
{
    for (int i = 0; i < STORE_STATEMENTS; i++) {
        const int code = store_open_prepare_at(store, i);
        const bool lacks = code == SQLITE_ERROR || store_classify(code) == STORE_CORRUPT;
        if (code != SQLITE_OK && !(damaged && lacks))
            return code;
    }
    return SQLITE_OK;
}

static enum store_result store_open_prepare_file(struct store *store, bool read_only,
                                                 struct error *err)
{
    sqlite3_busy_timeout(store->db, BUSY_MS);
    store_tell(store, "moving its WAL into the file");
    int64_t version = 0;
    int code = SQLITE_OK;
    // The checkpoint writes the WAL into the file. The WAL may have rows of a commit whose sync
    // failed: a reader could see the rows, although the rows may never reach the disk.
    if (!read_only)
        code = store_run(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                "PRAGMA wal_checkpoint(TRUNCATE);");
    if (!read_only && code == SQLITE_OK)
        code = store_open_limit_wal(store);
    // cell_size_check finds a damaged page at its first read, before a write loses a row.
    if (code == SQLITE_OK)
        code = store_run(store, "PRAGMA cell_size_check = ON; PRAGMA cache_size = -" CACHE_KIB);
    if (code == SQLITE_OK)
        code = store_read_number(store, "PRAGMA user_version", &version);
    if (code == SQLITE_OK && version > STORE_SCHEMA_VERSION) {
        error_set(err,
                  "its schema has version %d, of a later ibtrapd; this one reads versions up to %d",
                  (int)version, (int)STORE_SCHEMA_VERSION);
        return STORE_FAILED;
    }
    if (code == SQLITE_OK && version < STORE_SCHEMA_VERSION && read_only) {
        error_set(err,
                  "its schema has version %d; start this version of ibtrapd, which upgrades it to "
                  "version %d",
                  (int)version, (int)STORE_SCHEMA_VERSION);
        return STORE_FAILED;
    }
    if (code == SQLITE_OK && version < STORE_SCHEMA_VERSION)
        code = store_open_upgrade(store, (int)version);
    if (code == SQLITE_OK)
        code = store_open_prepare(store, false);
    store->rows = -1; // a reader seldom needs the number, and counting is slow
    store_tell(store, "counting its events");
    if (code == SQLITE_OK && !read_only)
        code = store_count_rows(store);
    store_tell(store, "reading its alarms and receivers");
    return store_report(store, code, err);
}

static int store_open_note_wal(void *ctx, sqlite3 *db, const char *name, int pages)
{
    (void)db, (void)name;
    ((struct store *)ctx)->wal_pages = pages;
    return SQLITE_OK;
}

static void store_open_start_wal(struct store *store, const char *path)
{
    sqlite3_wal_hook(store->db, store_open_note_wal, store);
    wal_reserve(path);
    store->wal = wal_start(path);
}

// Creates the file readable by owner and group only. SQLite gives the files beside it the same
// mode.
static void store_open_create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd >= 0)
        close(fd);
}

// SQLite counts its memory behind a lock for all connections, unless switched off before the first
// use of SQLite. The kernel may stop a receiver's thread that has the lock; the commit would wait.
static void store_open_stop_counting(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static void store_open_prepare_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, store_open_stop_counting);
}

// `name` is the path, or a URI with the path.
static enum store_result store_open_named(const char *name, const char *path, int flags,
                                          const struct journal_watch *watch, struct store **out,
                                          struct error *err)
{
    bool read_only = flags & SQLITE_OPEN_READONLY;
    store_open_prepare_library();
    struct store *store = memory_zeroed(1, sizeof *store);
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK)
        store_open_begin_watch(store, watch);
    enum store_result result = code == SQLITE_OK ? store_open_prepare_file(store, read_only, err)
                                                 : store_report(store, code, err);
    if (result == STORE_OK) {
        if (read_only)
            store_leave_wal(store);
        else
            store_open_start_wal(store, path);
        *out = store;
        return STORE_OK;
    }
    error_prefix(err, "journal %s", path);
    store_close(store);
    return result;
}

enum store_result store_open(const char *path, bool read_only, struct store **out,
                             struct error *err)
{
    if (read_only)
        return store_open_named(path, path, SQLITE_OPEN_READONLY, NULL, out, err);
    return store_open_watched(path, NULL, out, err);
}

enum store_result store_open_watched(const char *path, const struct journal_watch *watch,
                                     struct store **out, struct error *err)
{
    store_open_create(path);
    return store_open_named(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, watch, out,
                            err);
}

enum store_result store_open_damaged(const char *path, struct store **out, struct error *err)
{
    store_open_prepare_library();
    struct store *store = memory_zeroed(1, sizeof *store);
    int code = sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        error_set(err, "%s", sqlite3_errstr(code));
        store_close(store);
        return store_classify(code);
    }
    sqlite3_busy_timeout(store->db, BUSY_MS);
    store_run(store, "PRAGMA cell_size_check = ON; PRAGMA cache_size = -" CACHE_KIB);
    store_leave_wal(store);
    if (store_report(store, store_open_prepare(store, true), err) != STORE_FAILED) {
        *out = store;
        return STORE_OK;
    }
    store_close(store);
    return STORE_FAILED;
}

// Whether a file named after the path exists: "-wal", or "-shm", its index. A process that has the
// journal open for writing has both.
static bool store_open_has_part(const char *path, const char *part)
{
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s%s", path, part);
    return access(name, F_OK) == 0;
}

static void store_open_refuse(const char *path, int why, struct error *err)
{
    if (why == ENOENT)
        error_set(err,
                  "there is no journal at %s; start ibtrapd, which creates it, or name another one "
                  "with --instance or --file",
                  path);
    else
        error_set(err, "cannot read the journal %s: %s%s", path, strerror(why),
                  why == EACCES ? "; run this as root or as a member of the file's group" : "");
}

static enum store_result store_open_with_wal(const char *path, struct store **out,
                                             struct error *err)
{
    enum store_result result = store_open(path, true, out, err);
    if (result == STORE_FAILED && !store_open_has_part(path, "-shm") && access(path, W_OK) != 0)
        error_set(err,
                  "cannot read the journal %s: ibtrapd did not stop properly, and reading %s-wal, "
                  "which it left, needs permission to write; run this as root, or start ibtrapd",
                  path, path);
    return result;
}

// Opens the file as immutable: SQLite then locks nothing and creates no files beside it, which
// would need permission to write in the directory.
static enum store_result store_open_at_rest(const char *path, struct store **out, struct error *err)
{
    char uri[3 * PATH_MAX + 32];
    struct text t = text_in(uri, sizeof uri);
    text_add(&t, "file:");
    for (const char *p = path; *p != '\0'; p++) {
        text_add(&t, "%");
        text_add_hex(&t, (const uint8_t *)p, 1);
    }
    text_add(&t, "?immutable=1");
    return store_open_named(uri, path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL, out, err);
}

enum store_result store_examine(const char *path, struct store **out, struct error *err)
{
    struct stat before;
    char real[PATH_MAX]; // the WAL is beside the file that a symbolic link leads to
    if (!realpath(path, real) || stat(real, &before) != 0 || access(real, R_OK) != 0) {
        store_open_refuse(path, errno, err);
        return STORE_FAILED;
    }
    if (store_open_has_part(real, "-wal"))
        return store_open_with_wal(real, out, err);
    enum store_result result = store_open_at_rest(real, out, err);
    if (result == STORE_OK) {
        (*out)->at_rest = true;
        (*out)->before = before;
    }
    return result;
}

static bool store_open_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool store_stood_still(struct store *store, struct error *err)
{
    struct stat now;
    const char *path = sqlite3_db_filename(store->db, "main");
    if (!store->at_rest || (!store_open_has_part(path, "-wal") && stat(path, &now) == 0 &&
                            store_open_is_same(&store->before, &now)))
        return true;
    return error_set(err, "ibtrapd began to write to the journal %s while it was read; try again",
                     path);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (!wal_stop(store->wal))
        store_leave_wal(store);
    for (int i = 0; i < STORE_STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    free(store);
}

enum store_result store_identity(struct store *store, int64_t *out, struct error *err)
{
    return store_report(store, store_read_number(store, "PRAGMA application_id", out), err);
}

bool store_has_moved(struct store *store)
{
    int moved = 0, keep_wal = 1;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved) // the WAL's name may now be that of another file's WAL
        sqlite3_file_control(store->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep_wal);
    return moved;
}
