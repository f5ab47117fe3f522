// SPDX-License-Identifier: BSD-2-Clause
// Transactions on the journal's file, and its WAL.
#include "journal/store.h"

#include "journal/store_statements.h"
#include "journal/wal.h"

#include <string.h>

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

// After a failure, SQLite would continue with the next page, as if all pages before were safe, and
// would do so, too, when the connection closes.
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
static bool can_read_all(struct store *store, int which)
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
        if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) // it may shrink meanwhile
            return false;
    }
    return true;
}

bool store_disk_failed(struct store *store, enum store_result result)
{
    if (result == STORE_FAILED)
        return (sqlite3_errcode(store->db) & 0xFF) == SQLITE_IOERR;
    return result == STORE_CORRUPT && (!can_read_all(store, SQLITE_FCNTL_FILE_POINTER) ||
                                       !can_read_all(store, SQLITE_FCNTL_JOURNAL_POINTER));
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
