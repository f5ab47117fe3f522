// SPDX-License-Identifier: BSD-2-Clause
#include "journal/store_statements.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROW_COLUMNS                                                                                \
    "sequence, id, type, time_us, severity, node_guid, report_lid, report_tid, report_digest, "    \
    "record"
#define SNAPSHOT_COLUMNS "number, time_us, digest, nodes, links, length(record)"

static const char *const SQL[STATEMENT_COUNT] = {
    // The row may exist: a commit whose sync failed may have written it.
    [ADD_EVENT] = "INSERT INTO event (" ROW_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?)"
                  " ON CONFLICT (sequence) DO NOTHING",
    [FIND_EVENT] = "SELECT count(*) FROM event WHERE sequence = ? AND id = ?",
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
    [READ_LINKS_BEFORE] =
        "SELECT " ROW_COLUMNS " FROM event INDEXED BY event_link"
        " WHERE sequence < ? AND " STORE_OF_LINKS " ORDER BY sequence DESC LIMIT ?",
    [READ_SINCE] = "SELECT " ROW_COLUMNS " FROM event WHERE time_us >= ? ORDER BY sequence",
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
    va_list args;
    va_start(args, fmt);
    vsnprintf(store->doing, sizeof store->doing, fmt, args);
    va_end(args);
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

// count(*) is the fastest, but a single operation, during which nobody hears that it makes
// progress.
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
