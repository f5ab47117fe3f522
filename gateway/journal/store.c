// SPDX-License-Identifier: BSD-2-Clause
#include "journal/store.h"

#include "base/text.h"
#include "journal/wal.h"
#include "model/catalogue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 2000 };

// The page cache of each connection. Rows are added and read in order, so that few pages are used
// twice; SQLite's default of 2000 KiB is not faster.
#define CACHE_KIB "512"

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
};

enum statement {
    ADD_EVENT,
    FIND_EVENT,
    SET_CURSOR,
    DELETE_CURSORS,
    DELETE_THROUGH,
    COUNT_WANTED,
    COUNT_INDEXED,
    READ_AFTER,
    READ_BEFORE,
    READ_SINCE,
    READ_CURSORS,
    GET_SIZE,
    FIRST_SINCE,
    SET_ALARM,
    DELETE_ALARM,
    READ_ALARMS,
    DELETE_WINDOWS,
    ADD_WINDOW,
    READ_WINDOWS,
    DELETE_SETTINGS,
    ADD_SETTING,
    READ_SETTINGS,
    ADD_SNAPSHOT,
    DELETE_SNAPSHOTS,
    LIST_SNAPSHOTS,
    READ_SNAPSHOT,
    STATEMENT_COUNT,
};

#define ROW_COLUMNS                                                                                \
    "sequence, id, type, time_us, severity, node_guid, report_lid, report_tid, report_digest, "    \
    "record"
#define CURSOR_COLUMNS "name, cursor, gone_us, section, filter, filter_since"
#define ALARM_COLUMNS                                                                              \
    "key, event_sequence, event_id, type, severity, raised_us, last_us, count, node_guid, text,"   \
    " acknowledged_us, note, shelved_until_us, told_id, category, told, over,"                     \
    " last_sequence, cause_id"
#define SNAPSHOT_COLUMNS "number, time_us, digest, nodes, links, length(record)"

static const char *const SQL[STATEMENT_COUNT] = {
    // The row may exist: a commit whose sync failed may have written it.
    [ADD_EVENT] = "INSERT INTO event (" ROW_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?)"
                  " ON CONFLICT (sequence) DO NOTHING",
    [FIND_EVENT] = "SELECT count(*) FROM event WHERE sequence = ? AND id = ?",
    [SET_CURSOR] = "INSERT INTO receiver (" CURSOR_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
                   " ON CONFLICT (name) DO UPDATE SET cursor = ?2, gone_us = ?3, section = ?4,"
                   " filter = ?5, filter_since = ?6",
    [DELETE_CURSORS] = "DELETE FROM receiver",
    [DELETE_THROUGH] =
        "DELETE FROM event WHERE sequence IN"
        " (SELECT sequence FROM event WHERE sequence <= ? ORDER BY sequence LIMIT ?)",
    [COUNT_WANTED] = "SELECT count(*) FROM event WHERE sequence > ? AND sequence <= ?"
                     " AND type NOT IN (?, ?)",
    [COUNT_INDEXED] = "SELECT count(*) FROM event INDEXED BY event_time"
                      " WHERE time_us > -9223372036854775807 AND sequence > ? AND sequence <= ?",
    [READ_AFTER] = "SELECT " ROW_COLUMNS " FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?",
    [READ_BEFORE] =
        "SELECT " ROW_COLUMNS " FROM event WHERE sequence < ? ORDER BY sequence DESC LIMIT ?",
    [READ_SINCE] = "SELECT " ROW_COLUMNS " FROM event WHERE time_us >= ? ORDER BY sequence",
    [READ_CURSORS] = "SELECT " CURSOR_COLUMNS " FROM receiver",
    [GET_SIZE] = "SELECT (SELECT min(sequence) FROM event), (SELECT max(sequence) FROM event),"
                 " (SELECT time_us FROM event ORDER BY sequence LIMIT 1),"
                 " (SELECT count(*) FROM snapshot), (SELECT sum(length(record)) FROM snapshot)",
    [FIRST_SINCE] = "SELECT min(sequence) FROM event WHERE time_us >= ?",
    [SET_ALARM] = "INSERT OR REPLACE INTO alarm (" ALARM_COLUMNS
                  ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [DELETE_ALARM] = "DELETE FROM alarm WHERE key = ?",
    [READ_ALARMS] = "SELECT " ALARM_COLUMNS " FROM alarm ORDER BY event_sequence",
    [DELETE_WINDOWS] = "DELETE FROM maintenance",
    [ADD_WINDOW] = "INSERT INTO maintenance (name, until_us, nodes) VALUES (?,?,?)",
    [READ_WINDOWS] = "SELECT name, until_us, nodes FROM maintenance ORDER BY rowid",
    [DELETE_SETTINGS] = "DELETE FROM setting",
    [ADD_SETTING] = "INSERT INTO setting (kind, guid, number, value) VALUES (?,?,?,?)",
    [READ_SETTINGS] = "SELECT kind, guid, number, value FROM setting",
    [ADD_SNAPSHOT] = "INSERT INTO snapshot (time_us, digest, nodes, links, record)"
                     " SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?2 IS NOT"
                     " (SELECT digest FROM snapshot ORDER BY number DESC LIMIT 1)",
    [DELETE_SNAPSHOTS] = "DELETE FROM snapshot WHERE number IN (SELECT number FROM"
                         " (SELECT number, row_number() OVER newest AS place,"
                         " sum(length(record)) OVER newest AS bytes FROM snapshot"
                         " WINDOW newest AS (ORDER BY number DESC))"
                         " WHERE place > ?1 OR (place > 1 AND bytes > ?2))",
    [LIST_SNAPSHOTS] = "SELECT " SNAPSHOT_COLUMNS " FROM snapshot ORDER BY number",
    [READ_SNAPSHOT] = "SELECT " SNAPSHOT_COLUMNS ", record FROM snapshot WHERE ?1 IN (0, number)"
                      " ORDER BY number DESC LIMIT 1",
};

struct store {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    int failure;               // the transaction's first error, or SQLITE_OK
    bool other;                // it failed since an event of the same number is there
    int64_t rows, rows_before; // in the event table: now, and before the transaction
    struct wal *wal;           // of a connection that writes; NULL: its thread could not start
    int wal_pages;             // after the last commit
    bool at_rest;              // opened by store_examine while no process wrote to the file
    struct stat before;        // with at_rest: the file's status at that time
};

static enum store_result classify(int code)
{
    switch (code & 0xFF) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return STORE_OK;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISUSE: // a damaged file lacks the table of the statement
        return STORE_CORRUPT;
    default:
        return STORE_FAILED;
    }
}

static enum store_result store_report(const struct store *store, int code, struct error *err)
{
    enum store_result result = classify(code);
    if (result != STORE_OK)
        error_set(err, "%s", store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code));
    return result;
}

static int store_prepare(struct store *store)
{
    int code = SQLITE_OK;
    for (int i = 0; i < STATEMENT_COUNT && code == SQLITE_OK; i++)
        code = sqlite3_prepare_v3(store->db, SQL[i], -1, SQLITE_PREPARE_PERSISTENT,
                                  &store->statements[i], NULL);
    return code;
}

// Makes the statements that a damaged file allows. False with a sentence: temporary.
static bool prepare_some(struct store *store, struct error *err)
{
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        int code = sqlite3_prepare_v3(store->db, SQL[i], -1, SQLITE_PREPARE_PERSISTENT,
                                      &store->statements[i], NULL);
        if (code != SQLITE_ERROR && store_report(store, code, err) == STORE_FAILED)
            return false;
    }
    return true;
}

static int store_read_number(struct store *store, const char *sql, int64_t *out)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &s, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

static int store_run(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

static int count_rows(struct store *store)
{
    return store_read_number(store, "SELECT count(*) FROM event", &store->rows);
}

static int migrate(struct store *store, int version)
{
    int code = store_run(store, "BEGIN IMMEDIATE");
    for (int v = version; v < STORE_SCHEMA_VERSION && code == SQLITE_OK; v++)
        code = store_run(store, MIGRATIONS[v]);
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

static enum store_result prepare_file(struct store *store, bool read_only, struct error *err)
{
    sqlite3_busy_timeout(store->db, BUSY_MS);
    int64_t version = 0;
    int code = SQLITE_OK;
    // The checkpoint writes the WAL into the file: the WAL may have rows of a commit whose sync
    // failed, which could be read now and never reach the disk.
    if (!read_only)
        code = store_run(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                "PRAGMA wal_checkpoint(TRUNCATE);");
    // cell_size_check finds a damaged page when it is read, before a row written to it is lost.
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
        code = migrate(store, (int)version);
    if (code == SQLITE_OK)
        code = store_prepare(store);
    store->rows = -1; // not counted for a reader: it seldom needs the number, and counting is slow
    if (code == SQLITE_OK && !read_only)
        code = count_rows(store);
    return store_report(store, code, err);
}

static int note_wal(void *ctx, sqlite3 *db, const char *name, int pages)
{
    (void)db, (void)name;
    ((struct store *)ctx)->wal_pages = pages;
    return SQLITE_OK;
}

// Makes SQLite leave the WAL as it is when the connection closes. Otherwise it would move the pages
// that it believes are not in the file yet.
static void leave_wal(struct store *store)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

static void start_wal(struct store *store, const char *path)
{
    sqlite3_wal_hook(store->db, note_wal, store);
    wal_reserve(path);
    store->wal = wal_start(path);
}

// Creates the file readable by owner and group only. SQLite gives the files beside it the same
// mode.
static void create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd >= 0)
        close(fd);
}

// `name` is the path, or a URI that contains it.
static enum store_result open_named(const char *name, const char *path, int flags,
                                    struct store **out, struct error *err)
{
    bool read_only = flags & SQLITE_OPEN_READONLY;
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        error_set(err, "out of memory");
        return STORE_FAILED;
    }
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    enum store_result result =
        code == SQLITE_OK ? prepare_file(store, read_only, err) : store_report(store, code, err);
    if (result == STORE_OK) {
        if (read_only)
            leave_wal(store);
        else
            start_wal(store, path);
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
        return open_named(path, path, SQLITE_OPEN_READONLY, out, err);
    create(path);
    return open_named(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, out, err);
}

enum store_result store_open_damaged(const char *path, struct store **out, struct error *err)
{
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        error_set(err, "out of memory");
        return STORE_FAILED;
    }
    int code = sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        error_set(err, "%s", sqlite3_errstr(code));
        store_close(store);
        return classify(code);
    }
    sqlite3_busy_timeout(store->db, BUSY_MS);
    store_run(store, "PRAGMA cell_size_check = ON; PRAGMA cache_size = -" CACHE_KIB);
    leave_wal(store);
    if (prepare_some(store, err)) {
        *out = store;
        return STORE_OK;
    }
    store_close(store);
    return STORE_FAILED;
}

// Whether a file named after the path exists: "-wal", or "-shm", its index. A process that has the
// journal open for writing has both.
static bool has_part(const char *path, const char *part)
{
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s%s", path, part);
    return access(name, F_OK) == 0;
}

static void refuse_to_examine(const char *path, int why, struct error *err)
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

static enum store_result open_with_wal(const char *path, struct store **out, struct error *err)
{
    enum store_result result = store_open(path, true, out, err);
    if (result == STORE_FAILED && !has_part(path, "-shm") && access(path, W_OK) != 0)
        error_set(err,
                  "cannot read the journal %s: ibtrapd did not stop properly, and reading %s-wal, "
                  "which it left, needs permission to write; run this as root, or start ibtrapd",
                  path, path);
    return result;
}

// Opens the file as immutable: SQLite then locks nothing and creates no files beside it, which
// would need permission to write in the directory.
static enum store_result open_at_rest(const char *path, struct store **out, struct error *err)
{
    char uri[3 * PATH_MAX + 32];
    struct text t = text_in(uri, sizeof uri);
    text_add(&t, "file:");
    for (const char *p = path; *p != '\0'; p++) {
        text_add(&t, "%");
        text_add_hex(&t, (const uint8_t *)p, 1);
    }
    text_add(&t, "?immutable=1");
    return open_named(uri, path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, out, err);
}

enum store_result store_examine(const char *path, struct store **out, struct error *err)
{
    struct stat before;
    char real[PATH_MAX]; // the WAL is beside the file that a symbolic link leads to
    if (!realpath(path, real) || stat(real, &before) != 0 || access(real, R_OK) != 0) {
        refuse_to_examine(path, errno, err);
        return STORE_FAILED;
    }
    if (has_part(real, "-wal"))
        return open_with_wal(real, out, err);
    enum store_result result = open_at_rest(real, out, err);
    if (result == STORE_OK) {
        (*out)->at_rest = true;
        (*out)->before = before;
    }
    return result;
}

static bool store_is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool store_stood_still(struct store *store, struct error *err)
{
    struct stat now;
    const char *path = sqlite3_db_filename(store->db, "main");
    if (!store->at_rest ||
        (!has_part(path, "-wal") && stat(path, &now) == 0 && store_is_same(&store->before, &now)))
        return true;
    return error_set(err, "ibtrapd began to write to the journal %s while it was read; try again",
                     path);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (!wal_stop(store->wal))
        leave_wal(store);
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    free(store);
}

bool store_has_moved(struct store *store)
{
    int moved = 0, keep_wal = 1;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved) // the WAL's name may now be that of another file's WAL
        sqlite3_file_control(store->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep_wal);
    return moved;
}

// Writing. The first error is kept, and store_commit returns it.

static void store_note(struct store *store, int code)
{
    if (store->failure == SQLITE_OK && classify(code) != STORE_OK)
        store->failure = code;
}

static sqlite3_stmt *begin_statement(struct store *store, enum statement which)
{
    return store->failure == SQLITE_OK ? store->statements[which] : NULL;
}

// Returns the number of rows changed.
static int finish_statement(struct store *store, sqlite3_stmt *s)
{
    int code = sqlite3_step(s);
    store_note(store, code);
    int changed = code == SQLITE_DONE ? sqlite3_changes(store->db) : 0;
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return changed;
}

void store_begin(struct store *store)
{
    store->failure = SQLITE_OK;
    store->other = false;
    store->rows_before = store->rows;
    store_note(store, store_run(store, "BEGIN IMMEDIATE"));
}

// The file has a row of that number: fails the transaction unless it is the same event.
static void check_known(struct store *store, const struct store_row *row)
{
    sqlite3_stmt *s = begin_statement(store, FIND_EVENT);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, row->sequence);
    sqlite3_bind_text(s, 2, row->id, -1, SQLITE_STATIC);
    int code = sqlite3_step(s);
    store_note(store, code);
    store->other = code == SQLITE_ROW && sqlite3_column_int64(s, 0) == 0;
    if (store->other)
        store_note(store, SQLITE_CORRUPT);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
}

void store_add_event(struct store *store, const struct store_row *row)
{
    sqlite3_stmt *s = begin_statement(store, ADD_EVENT);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, row->sequence);
    sqlite3_bind_text(s, 2, row->id, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, row->type, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 4, row->time_us);
    sqlite3_bind_int(s, 5, row->severity);
    sqlite3_bind_int64(s, 6, (sqlite3_int64)row->node_guid);
    sqlite3_bind_int(s, 7, row->report_lid);
    sqlite3_bind_int64(s, 8, (sqlite3_int64)row->report_tid);
    sqlite3_bind_int64(s, 9, (sqlite3_int64)row->report_digest);
    sqlite3_bind_blob(s, 10, row->record, (int)row->record_size, SQLITE_STATIC);
    int added = finish_statement(store, s);
    store->rows += added;
    if (added == 0)
        check_known(store, row);
}

void store_set_cursor(struct store *store, const struct store_cursor *cursor)
{
    sqlite3_stmt *s = begin_statement(store, SET_CURSOR);
    if (!s)
        return;
    sqlite3_bind_text(s, 1, cursor->receiver, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, cursor->sequence);
    sqlite3_bind_int64(s, 3, cursor->gone_us);
    sqlite3_bind_int64(s, 4, cursor->section);
    sqlite3_bind_int64(s, 5, (sqlite3_int64)cursor->filter);
    sqlite3_bind_int64(s, 6, cursor->filter_since);
    finish_statement(store, s);
}

void store_delete_cursors(struct store *store)
{
    sqlite3_stmt *s = begin_statement(store, DELETE_CURSORS);
    if (s)
        finish_statement(store, s);
}

int64_t store_delete_through(struct store *store, int64_t sequence, int64_t rows_max)
{
    sqlite3_stmt *s = begin_statement(store, DELETE_THROUGH);
    if (!s)
        return 0;
    sqlite3_bind_int64(s, 1, sequence);
    sqlite3_bind_int64(s, 2, rows_max);
    int64_t deleted = finish_statement(store, s);
    store->rows -= deleted;
    return deleted;
}

int64_t store_count_wanted(struct store *store, int64_t after, int64_t through)
{
    sqlite3_stmt *s = begin_statement(store, COUNT_WANTED);
    if (!s)
        return 0;
    sqlite3_bind_int64(s, 1, after);
    sqlite3_bind_int64(s, 2, through);
    sqlite3_bind_text(s, 3, catalogue_get(CATALOGUE_JOURNAL_DROPPING)->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, catalogue_get(CATALOGUE_JOURNAL_DROPPING_ENDED)->name, -1,
                      SQLITE_STATIC);
    int code = sqlite3_step(s);
    store_note(store, code);
    int64_t count = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return count;
}

void store_set_alarm(struct store *store, const struct alarm *alarm)
{
    sqlite3_stmt *s = begin_statement(store, SET_ALARM);
    if (!s)
        return;
    sqlite3_bind_text(s, 1, alarm->key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, alarm->event_sequence);
    sqlite3_bind_text(s, 3, alarm->event_id, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, alarm->type, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 5, (int)alarm->severity);
    sqlite3_bind_int64(s, 6, alarm->raised_us);
    sqlite3_bind_int64(s, 7, alarm->last_us);
    sqlite3_bind_int64(s, 8, (sqlite3_int64)alarm->count);
    sqlite3_bind_int64(s, 9, (sqlite3_int64)alarm->node_guid);
    sqlite3_bind_text(s, 10, alarm->text, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 11, alarm->acknowledged_us);
    sqlite3_bind_text(s, 12, alarm->note, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 13, alarm->shelved_until_us);
    sqlite3_bind_text(s, 14, alarm->notified_id, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 15, (int)alarm->category);
    sqlite3_bind_int(s, 16, (int)alarm->notified);
    sqlite3_bind_int(s, 17, alarm->over);
    sqlite3_bind_int64(s, 18, alarm->last_sequence);
    sqlite3_bind_text(s, 19, alarm->cause_id, -1, SQLITE_STATIC);
    finish_statement(store, s);
}

void store_delete_alarm(struct store *store, const char *key)
{
    sqlite3_stmt *s = begin_statement(store, DELETE_ALARM);
    if (!s)
        return;
    sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    finish_statement(store, s);
}

void store_delete_windows(struct store *store)
{
    sqlite3_stmt *s = begin_statement(store, DELETE_WINDOWS);
    if (s)
        finish_statement(store, s);
}

void store_add_window(struct store *store, const struct journal_maintenance *window)
{
    char nodes[FILTER_PATTERNS_MAX * FILTER_PATTERN_SIZE];
    struct text t = text_in(nodes, sizeof nodes);
    sqlite3_stmt *s = begin_statement(store, ADD_WINDOW);
    if (!s)
        return;
    for (size_t i = 0; i < window->nodes.count; i++)
        text_addf(&t, "%s%s", i ? "\n" : "", window->nodes.patterns[i]);
    sqlite3_bind_text(s, 1, window->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, window->until_us);
    sqlite3_bind_text(s, 3, nodes, -1, SQLITE_STATIC);
    finish_statement(store, s);
}

void store_delete_settings(struct store *store)
{
    sqlite3_stmt *s = begin_statement(store, DELETE_SETTINGS);
    if (s)
        finish_statement(store, s);
}

void store_add_setting(struct store *store, const struct setting *setting)
{
    sqlite3_stmt *s = begin_statement(store, ADD_SETTING);
    if (!s)
        return;
    sqlite3_bind_int(s, 1, (int)setting->kind);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)setting->guid);
    sqlite3_bind_int(s, 3, setting->number);
    sqlite3_bind_blob(s, 4, setting->value, setting->size, SQLITE_STATIC);
    finish_statement(store, s);
}

void store_add_snapshot(struct store *store, const struct store_snapshot *snapshot, int64_t keep,
                        int64_t bytes_max)
{
    sqlite3_stmt *s = begin_statement(store, ADD_SNAPSHOT);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, snapshot->time_us);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)snapshot->digest);
    sqlite3_bind_int64(s, 3, snapshot->nodes);
    sqlite3_bind_int64(s, 4, snapshot->links);
    sqlite3_bind_blob64(s, 5, snapshot->record, snapshot->record_size, SQLITE_STATIC);
    finish_statement(store, s);
    s = begin_statement(store, DELETE_SNAPSHOTS);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, keep);
    sqlite3_bind_int64(s, 2, bytes_max);
    finish_statement(store, s);
}

enum store_result store_commit(struct store *store, struct error *err)
{
    if (store->failure == SQLITE_OK)
        store_note(store, store_run(store, "COMMIT"));
    int code = store->failure;
    enum store_result result = store_report(store, code, err);
    if (store->other)
        error_set(err, "the file has another event of the same number");
    if (code != SQLITE_OK) {
        store->rows = store->rows_before;
        if (!sqlite3_get_autocommit(store->db))
            store_run(store, "ROLLBACK");
    }
    store->failure = SQLITE_OK;
    return result;
}

enum store_result store_finish(struct store *store, struct error *err)
{
    int left = 0;
    bool good = wal_stop(store->wal);
    store->wal = NULL;
    if (!good) {
        error_set(err, "cannot move the pages of the WAL into the file");
        return STORE_FAILED;
    }
    int code =
        sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_TRUNCATE, &left, NULL);
    return store_report(store, code, err);
}

void store_set_log(struct store *store, struct log *log)
{
    wal_set_log(store->wal, log);
}

// After a failure, SQLite would continue with the next page, as if all pages before were safe, and
// would do so, too, when the connection closes.
enum store_result store_move_wal(struct store *store, struct error *err)
{
    bool own = wal_note(store->wal, store->wal_pages);
    if ((!own || wal_move(store->db)) && !wal_has_failed(store->wal))
        return STORE_OK;
    leave_wal(store);
    error_set(err, "cannot move the pages of the WAL into the file");
    return STORE_FAILED;
}

// Reading.

// A damaged page may have a NULL where the schema allows none.
static const char *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : "";
}

static struct store_row row_of(sqlite3_stmt *s)
{
    return (struct store_row){
        .sequence = sqlite3_column_int64(s, 0),
        .id = text_of(s, 1),
        .type = text_of(s, 2),
        .time_us = sqlite3_column_int64(s, 3),
        .severity = sqlite3_column_int(s, 4),
        .node_guid = (uint64_t)sqlite3_column_int64(s, 5),
        .report_lid = (uint16_t)sqlite3_column_int(s, 6),
        .report_tid = (uint64_t)sqlite3_column_int64(s, 7),
        .report_digest = (uint64_t)sqlite3_column_int64(s, 8),
        .record = sqlite3_column_blob(s, 9),
        .record_size = (size_t)sqlite3_column_bytes(s, 9),
    };
}

static enum store_result read_rows(struct store *store, sqlite3_stmt *s,
                                   bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                                   struct error *err)
{
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        struct store_row row = row_of(s);
        if (!each(ctx, &row))
            break;
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

// Checks the order of the events: a damaged page may have them in any order, and readers could then
// loop for ever.
static enum store_result read_some(struct store *store, enum statement which, int64_t from,
                                   size_t limit,
                                   bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                                   struct error *err)
{
    sqlite3_stmt *s = store->statements[which];
    bool sound = true, more = true;
    int code = SQLITE_DONE;
    sqlite3_bind_int64(s, 1, from);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)limit);
    while (more && (code = sqlite3_step(s)) == SQLITE_ROW) {
        struct store_row row = row_of(s);
        sound = which == READ_AFTER ? row.sequence > from : row.sequence < from;
        from = row.sequence;
        more = sound && each(ctx, &row);
    }
    enum store_result result = sound ? store_report(store, code, err) : STORE_CORRUPT;
    if (!sound)
        error_set(err, "its events are out of order");
    sqlite3_reset(s);
    return result;
}

enum store_result store_read(struct store *store, int64_t after, size_t limit,
                             bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                             struct error *err)
{
    return read_some(store, READ_AFTER, after, limit, each, ctx, err);
}

enum store_result store_read_back(struct store *store, int64_t before, size_t limit,
                                  bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                                  struct error *err)
{
    return read_some(store, READ_BEFORE, before, limit, each, ctx, err);
}

enum store_result store_count_indexed(struct store *store, int64_t after, int64_t through,
                                      int64_t *out, struct error *err)
{
    sqlite3_stmt *s = store->statements[COUNT_INDEXED];
    sqlite3_bind_int64(s, 1, after);
    sqlite3_bind_int64(s, 2, through);
    int code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

enum store_result store_read_since(struct store *store, int64_t since_us,
                                   bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                                   struct error *err)
{
    sqlite3_stmt *s = store->statements[READ_SINCE];
    sqlite3_bind_int64(s, 1, since_us);
    return read_rows(store, s, each, ctx, err);
}

static bool is_number(int64_t sequence)
{
    return sequence >= 0 && sequence <= STORE_SEQUENCE_MAX;
}

enum store_result store_read_cursors(struct store *store,
                                     void (*each)(void *ctx, const struct store_cursor *cursor),
                                     void *ctx, struct error *err)
{
    sqlite3_stmt *s = store->statements[READ_CURSORS];
    bool sound = true;
    int code;
    while (sound && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const struct store_cursor cursor = {.receiver = text_of(s, 0),
                                            .sequence = sqlite3_column_int64(s, 1),
                                            .gone_us = sqlite3_column_int64(s, 2),
                                            .section = sqlite3_column_int64(s, 3),
                                            .filter = (uint64_t)sqlite3_column_int64(s, 4),
                                            .filter_since = sqlite3_column_int64(s, 5)};
        sound = cursor.receiver[0] != '\0' && is_number(cursor.sequence) && cursor.gone_us >= 0 &&
                is_number(cursor.filter_since);
        if (sound)
            each(ctx, &cursor);
    }
    enum store_result result = sound ? store_report(store, code, err) : STORE_CORRUPT;
    if (!sound)
        error_set(err, "a receiver's cursor is damaged");
    sqlite3_reset(s);
    return result;
}

// Copies a text without its control characters, as a damaged page may have any octets.
static void copy_text(char *out, size_t size, sqlite3_stmt *s, int column)
{
    const char *text = text_of(s, column);
    text_clean(text, strlen(text), out, size);
}

// A damaged page may have any number. An alarm of version 0.1.0 has 0: the category of its type.
static enum category category_of(int number, const char *type)
{
    const struct catalogue_entry *entry = catalogue_find(type);
    if (number >= CATEGORY_FABRIC && number <= CATEGORY_VENDOR)
        return (enum category)number;
    return entry ? entry->category : CATEGORY_FABRIC;
}

static enum alarm_notified notified_of(int number)
{
    return number >= ALARM_NOT_NOTIFIED && number <= ALARM_END_ELSEWHERE
               ? (enum alarm_notified)number
               : ALARM_NOTIFIED;
}

static struct alarm alarm_of(sqlite3_stmt *s)
{
    struct alarm alarm = {
        .event_sequence = sqlite3_column_int64(s, 1),
        .severity = (enum severity)(sqlite3_column_int(s, 4) & 7),
        .raised_us = sqlite3_column_int64(s, 5),
        .last_us = sqlite3_column_int64(s, 6),
        .count = (uint64_t)sqlite3_column_int64(s, 7),
        .node_guid = (uint64_t)sqlite3_column_int64(s, 8),
        .acknowledged_us = sqlite3_column_int64(s, 10),
        .shelved_until_us = sqlite3_column_int64(s, 12),
        .notified = notified_of(sqlite3_column_int(s, 15)),
        .over = sqlite3_column_int(s, 16) != 0,
        .last_sequence = sqlite3_column_int64(s, 17),
    };
    copy_text(alarm.key, sizeof alarm.key, s, 0);
    copy_text(alarm.event_id, sizeof alarm.event_id, s, 2);
    copy_text(alarm.type, sizeof alarm.type, s, 3);
    alarm.category = category_of(sqlite3_column_int(s, 14), alarm.type);
    copy_text(alarm.text, sizeof alarm.text, s, 9);
    copy_text(alarm.note, sizeof alarm.note, s, 11);
    copy_text(alarm.notified_id, sizeof alarm.notified_id, s, 13);
    copy_text(alarm.cause_id, sizeof alarm.cause_id, s, 18);
    return alarm;
}

enum store_result store_read_alarms(struct store *store,
                                    void (*each)(void *ctx, const struct alarm *alarm), void *ctx,
                                    struct error *err)
{
    sqlite3_stmt *s = store->statements[READ_ALARMS];
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        const struct alarm alarm = alarm_of(s);
        each(ctx, &alarm);
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

enum store_result store_count_alarms(struct store *store, int64_t *out, struct error *err)
{
    return store_report(store, store_read_number(store, "SELECT count(*) FROM alarm", out), err);
}

static void read_patterns(struct filter_list *list, const char *lines)
{
    while (*lines && list->count < FILTER_PATTERNS_MAX) {
        size_t length = strcspn(lines, "\n");
        text_clean(lines, length, list->patterns[list->count++], FILTER_PATTERN_SIZE);
        lines += length + (lines[length] == '\n');
    }
}

enum store_result store_read_windows(struct store *store,
                                     void (*each)(void *ctx,
                                                  const struct journal_maintenance *window),
                                     void *ctx, struct error *err)
{
    sqlite3_stmt *s = store->statements[READ_WINDOWS];
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        struct journal_maintenance window = {.until_us = sqlite3_column_int64(s, 1)};
        copy_text(window.name, sizeof window.name, s, 0);
        read_patterns(&window.nodes, text_of(s, 2));
        each(ctx, &window);
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

// False: this version would not write such a setting.
static bool read_setting(sqlite3_stmt *s, struct setting *out)
{
    int kind = sqlite3_column_int(s, 0), number = sqlite3_column_int(s, 2);
    const void *value = sqlite3_column_blob(s, 3);
    int size = sqlite3_column_bytes(s, 3);
    *out = (struct setting){.guid = (uint64_t)sqlite3_column_int64(s, 1)};
    if (number < 0 || number > UINT8_MAX || size <= 0 || size > SETTING_VALUE_MAX)
        return false;
    out->kind = (enum setting_kind)kind;
    out->number = (uint8_t)number;
    out->size = (uint16_t)size;
    memcpy(out->value, value, (size_t)size);
    return setting_is_valid(out);
}

enum store_result store_read_settings(struct store *store,
                                      void (*each)(void *ctx, const struct setting *setting),
                                      void *ctx, struct error *err)
{
    sqlite3_stmt *s = store->statements[READ_SETTINGS];
    struct setting setting;
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (read_setting(s, &setting))
            each(ctx, &setting);
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

static enum store_result read_snapshots(struct store *store, sqlite3_stmt *s, bool with_record,
                                        void (*each)(void *ctx,
                                                     const struct store_snapshot *snapshot),
                                        void *ctx, struct error *err)
{
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        const struct store_snapshot snapshot = {
            .number = sqlite3_column_int64(s, 0),
            .time_us = sqlite3_column_int64(s, 1),
            .digest = (uint64_t)sqlite3_column_int64(s, 2),
            .nodes = (uint32_t)sqlite3_column_int64(s, 3),
            .links = (uint32_t)sqlite3_column_int64(s, 4),
            .record_size = (size_t)sqlite3_column_int64(s, 5),
            .record = with_record ? sqlite3_column_blob(s, 6) : NULL,
        };
        each(ctx, &snapshot);
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

enum store_result store_list_snapshots(struct store *store,
                                       void (*each)(void *ctx,
                                                    const struct store_snapshot *snapshot),
                                       void *ctx, struct error *err)
{
    return read_snapshots(store, store->statements[LIST_SNAPSHOTS], false, each, ctx, err);
}

enum store_result store_read_snapshot(struct store *store, int64_t number,
                                      void (*each)(void *ctx,
                                                   const struct store_snapshot *snapshot),
                                      void *ctx, struct error *err)
{
    sqlite3_stmt *s = store->statements[READ_SNAPSHOT];
    sqlite3_bind_int64(s, 1, number);
    return read_snapshots(store, s, true, each, ctx, err);
}

enum store_result store_get_size(struct store *store, struct store_size *out, struct error *err)
{
    *out = (struct store_size){0};
    int64_t pages = 0, free_pages = 0, page_size = 0;
    sqlite3_stmt *s = store->statements[GET_SIZE];
    int code = store->rows < 0 ? count_rows(store) : SQLITE_OK;
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        out->first = sqlite3_column_int64(s, 0);
        out->last = sqlite3_column_int64(s, 1);
        out->oldest_us = sqlite3_column_int64(s, 2);
        out->rows = store->rows;
        out->snapshots = sqlite3_column_int64(s, 3);
        out->snapshot_bytes = sqlite3_column_int64(s, 4);
    }
    enum store_result result = store_report(store, code, err);
    bool empty = result != STORE_OK || sqlite3_column_type(s, 0) == SQLITE_NULL;
    sqlite3_reset(s);
    if (!empty && (out->first < 1 || out->last > STORE_SEQUENCE_MAX)) {
        error_set(err, "the numbers of events are damaged");
        return STORE_CORRUPT;
    }
    if (result != STORE_OK)
        return result;
    code = store_read_number(store, "PRAGMA page_count", &pages);
    if (code == SQLITE_OK)
        code = store_read_number(store, "PRAGMA freelist_count", &free_pages);
    if (code == SQLITE_OK)
        code = store_read_number(store, "PRAGMA page_size", &page_size);
    result = store_report(store, code, err);
    if (result != STORE_OK)
        return result;
    if (free_pages < 0 || free_pages > pages) {
        error_set(err, "the number of free pages is damaged");
        return STORE_CORRUPT;
    }
    out->bytes = (pages - free_pages) * page_size;
    return STORE_OK;
}

enum store_result store_first_since(struct store *store, int64_t time_us, int64_t *out,
                                    struct error *err)
{
    struct store_size size;
    enum store_result result = store_get_size(store, &size, err);
    if (result != STORE_OK)
        return result;
    sqlite3_stmt *s = store->statements[FIRST_SINCE];
    sqlite3_bind_int64(s, 1, time_us);
    int code = sqlite3_step(s);
    bool found = code == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL;
    *out = found ? sqlite3_column_int64(s, 0) : size.last + 1;
    result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

enum store_result store_check(struct store *store, struct error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(1)", -1, &s, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    enum store_result result = store_report(store, code, err);
    if (result == STORE_OK && strcmp((const char *)sqlite3_column_text(s, 0), "ok") != 0) {
        error_set(err, "%s", (const char *)sqlite3_column_text(s, 0));
        result = STORE_CORRUPT;
    }
    sqlite3_finalize(s);
    return result;
}
