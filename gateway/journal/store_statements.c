// SPDX-License-Identifier: BSD-2-Clause
// The statements of the journal's file, its transactions, and its WAL.
#include "journal/store_private.h"

#include "base/text.h"
#include "journal/wal.h"

#include <string.h>

#define ROW_COLUMNS                                                                                \
    "sequence, id, type, time_us, severity, node_guid, report_lid, report_tid, report_digest, "    \
    "record"
#define KEPT_COLUMNS     "sequence, key, '', 0, 0, 0, 0, 0, 0, record"
#define ADD_EVENTS_BEGIN "INSERT INTO event (" ROW_COLUMNS ") VALUES "
#define ADD_EVENTS_ROW   "(?,?,?,?,?,?,?,?,?,?)"
#define ADD_EVENTS_4     ADD_EVENTS_ROW "," ADD_EVENTS_ROW "," ADD_EVENTS_ROW "," ADD_EVENTS_ROW
// The row may exist: a commit with a failed sync may have written the row.
#define ADD_EVENTS_END   " ON CONFLICT (sequence) DO NOTHING"
#define SNAPSHOT_COLUMNS "number, time_us, digest, nodes, links, length(record)"

static const char *const SQL[STATEMENT_COUNT] = {
    [ADD_EVENT] = ADD_EVENTS_BEGIN ADD_EVENTS_ROW ADD_EVENTS_END,
    [ADD_EVENTS] = ADD_EVENTS_BEGIN ADD_EVENTS_4 "," ADD_EVENTS_4 "," ADD_EVENTS_4
                                                 "," ADD_EVENTS_4 ADD_EVENTS_END,
    [FIND_EVENT] = "SELECT count(*) FROM event WHERE sequence = ? AND id = ?",
    [DELETE_THROUGH] =
        "DELETE FROM event WHERE sequence IN"
        " (SELECT sequence FROM event WHERE sequence <= ? ORDER BY sequence LIMIT ?)",
    [KEEP_EVENT] = "INSERT OR IGNORE INTO kept (sequence, key, record) VALUES (?, ?, ?)",
    [END_KEPT] = "UPDATE kept SET ended = ? WHERE ended = 0"
                 " AND NOT EXISTS (SELECT 1 FROM alarm WHERE alarm.key = kept.key)",
    [DROP_KEPT] = "DELETE FROM kept WHERE ended > 0 AND ended < ?",
    [DROP_KEPT_OF] = "DELETE FROM kept WHERE key = ? AND sequence < ?",
    [COUNT_WANTED] = "SELECT count(*) FROM event WHERE sequence > ? AND sequence <= ?"
                     " AND type NOT IN (?, ?)",
    [COUNT_INDEXED] = "SELECT count(*) FROM event INDEXED BY event_time"
                      " WHERE time_us > -9223372036854775807 AND sequence > ? AND sequence <= ?",
    [READ_AFTER] = "SELECT " ROW_COLUMNS " FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?",
    [READ_BEFORE] =
        "SELECT " ROW_COLUMNS " FROM event WHERE sequence < ? ORDER BY sequence DESC LIMIT ?",
    [READ_LINKS_BEFORE] =
        "SELECT " ROW_COLUMNS " FROM event INDEXED BY event_link"
        " WHERE sequence < ? AND " STORE_OF_LINKS " ORDER BY sequence DESC LIMIT ?",
    [READ_KEPT_AFTER] =
        "SELECT " KEPT_COLUMNS " FROM kept WHERE sequence > ? ORDER BY sequence LIMIT ?",
    [READ_KEPT_BEFORE] =
        "SELECT " KEPT_COLUMNS " FROM kept WHERE sequence < ? ORDER BY sequence DESC LIMIT ?",
    [READ_SINCE] = "SELECT " ROW_COLUMNS " FROM event WHERE time_us >= ? ORDER BY sequence LIMIT ?",
    [GET_SIZE] = "SELECT (SELECT min(sequence) FROM event), (SELECT max(sequence) FROM event),"
                 " (SELECT time_us FROM event ORDER BY sequence LIMIT 1),"
                 " (SELECT count(*) FROM snapshot), (SELECT sum(length(record)) FROM snapshot)",
    [FIRST_SINCE] = "SELECT min(sequence) FROM event WHERE time_us >= ?",
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

enum store_result store_classify(int code)
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

enum store_result store_report(const struct store *store, int code, struct error *err)
{
    enum store_result result = store_classify(code);
    if (result != STORE_OK)
        error_set(err, "%s", store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code));
    return result;
}

const char *store_sql(enum store_statement which)
{
    return SQL[which];
}

void store_tell(struct store *store, const char *fmt, ...)
{
    TEXT_FILL(store->doing, fmt);
    if (store->watch)
        store->watch->step(store->watch->ctx, store->doing);
}

int store_run(struct store *store, const char *sql)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

int store_read_number(struct store *store, const char *sql, int64_t *out)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &s, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

// count(*) is the fastest, but a single operation, without a sign of progress.
int store_count_rows(struct store *store)
{
    const char *sql = store->watch ? "SELECT sum(1) FROM event" : "SELECT count(*) FROM event";
    return store_read_number(store, sql, &store->rows);
}

void store_leave_wal(struct store *store)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

void store_note(struct store *store, int code)
{
    if (store->failure == SQLITE_OK && store_classify(code) != STORE_OK)
        store->failure = code;
}

sqlite3_stmt *store_begin_statement(struct store *store, enum store_statement which)
{
    return store->failure == SQLITE_OK ? store->statements[which] : NULL;
}

int store_finish_statement(struct store *store, sqlite3_stmt *s)
{
    int code = sqlite3_step(s);
    store_note(store, code);
    int changed = code == SQLITE_DONE ? sqlite3_changes(store->db) : 0;
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return changed;
}

const char *store_text(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : "";
}

void store_copy_text(char *out, size_t size, sqlite3_stmt *s, int column)
{
    const char *text = store_text(s, column);
    text_clean(text, strlen(text), out, size);
}

// Transactions.

void store_begin(struct store *store)
{
    store->failure = SQLITE_OK;
    store->other = false;
    store->rows_before = store->rows;
    store_note(store, store_run(store, "BEGIN IMMEDIATE"));
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

// After a failure, SQLite would continue with the next page, as if all pages before were safe, also
// when the connection closes.
enum store_result store_move_wal(struct store *store, struct error *err)
{
    bool own = wal_note(store->wal, store->wal_pages);
    if ((!own || wal_move(store->wal, store->db)) && !wal_has_failed(store->wal))
        return STORE_OK;
    store_leave_wal(store);
    error_set(err, "cannot move the pages of the WAL into the file");
    return STORE_FAILED;
}

int64_t store_wal_held(struct store *store)
{
    return (int64_t)wal_left(store->wal) * WAL_PAGE_BYTES;
}

void store_retry_wal(struct store *store)
{
    wal_retry(store->wal);
}

// Whether the disk reads all of the database (SQLITE_FCNTL_FILE_POINTER) or of its WAL
// (SQLITE_FCNTL_JOURNAL_POINTER).
static bool store_statements_can_read(struct store *store, int which)
{
    enum { OCTETS = 1 << 16 };
    uint8_t octets[OCTETS];
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    sqlite3_file_control(store->db, "main", which, &file);
    if (!file || !file->pMethods || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
        return true;
    for (sqlite3_int64 at = 0; at < size; at += OCTETS) {
        sqlite3_int64 left = size - at < OCTETS ? size - at : OCTETS;
        int code = file->pMethods->xRead(file, octets, (int)left, at);
        if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) // the file may shrink meanwhile
            return false;
    }
    return true;
}

bool store_disk_failed(struct store *store, enum store_result result)
{
    if (result == STORE_FAILED)
        return (sqlite3_errcode(store->db) & 0xFF) == SQLITE_IOERR;
    return result == STORE_CORRUPT &&
           (!store_statements_can_read(store, SQLITE_FCNTL_FILE_POINTER) ||
            !store_statements_can_read(store, SQLITE_FCNTL_JOURNAL_POINTER));
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
