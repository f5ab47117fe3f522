// SPDX-License-Identifier: BSD-2-Clause
// The connection to the journal's file and its statements. Shared by the files of the store only
// (store_*.c).
#pragma once

#include "journal/store.h"

#include <sqlite3.h>
#include <sys/stat.h>

// Whether an event may be about the failure of a link. The index event_link has such events: a
// change of the words needs a new version of the schema.
#define STORE_OF_LINKS                                                                             \
    "(type = 'link-down' OR type = 'link-interrupted' OR type = 'port-removed'"                    \
    " OR type = 'flapping' OR type = 'link-errors-raised' OR type = 'alarm-cleared'"               \
    " OR type = 'cable-replaced')"

enum store_statement {
    ADD_EVENT,
    ADD_EVENTS,
    FIND_EVENT,
    DELETE_THROUGH,
    KEEP_EVENT,
    END_KEPT,
    DROP_KEPT,
    DROP_KEPT_OF,
    COUNT_WANTED,
    COUNT_INDEXED,
    READ_AFTER, // here the order of enum store_order begins
    READ_BEFORE,
    READ_LINKS_BEFORE,
    READ_KEPT_AFTER,
    READ_KEPT_BEFORE,
    READ_SINCE,
    GET_SIZE,
    FIRST_SINCE,
    ADD_SNAPSHOT,
    DELETE_SNAPSHOTS,
    LIST_SNAPSHOTS,
    READ_SNAPSHOT,
    STATEMENT_COUNT,
};

// The statements of each table of enum store_table. The connection has them behind the others.
enum store_table_statement {
    READ_ROWS,
    READ_ROWS_BACKWARDS,
    SET_ROW,
    DELETE_ROW,
    DELETE_ROWS,
    TABLE_STATEMENT_COUNT,
};

enum {
    STORE_STATEMENTS = STATEMENT_COUNT + (int)STORE_TABLES * (int)TABLE_STATEMENT_COUNT,
    STORE_SQL_SIZE = 1024,
    STORE_ROW_COLUMNS = 10,
};

struct store {
    sqlite3 *db;
    sqlite3_stmt *statements[STORE_STATEMENTS];
    int failure;                       // the transaction's first error, or SQLITE_OK
    bool other;                        // the transaction failed: the number has another event
    int64_t rows, rows_before;         // in the event table: now, and before the transaction
    struct wal *wal;                   // of a connection that writes, until store_finish; else NULL
    int wal_pages;                     // after the last commit
    bool at_rest;                      // opened by store_examine while no process wrote to the file
    struct stat before;                // with at_rest: the file's status at that time
    const struct journal_watch *watch; // NULL: nobody listens
    char doing[96];                    // what the watch hears
};

// Tells the watch, unless there is none, the beginning part of the work.
void store_tell(struct store *store, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Codes of SQLite. store_report says why in `err`, unless the result is STORE_OK.
enum store_result store_classify(int code);
enum store_result store_report(const struct store *store, int code, struct error *err);

// The SQL of a statement.
const char *store_sql(enum store_statement which);
void store_table_sql(enum store_table table, enum store_table_statement which,
                     char out[STORE_SQL_SIZE]);

// Run SQL that is used seldom, and return a code of SQLite. store_read_number sets `out` to the
// first column of the first row; 0: there is none.
int store_run(struct store *store, const char *sql);
int store_read_number(struct store *store, const char *sql, int64_t *out);

// Counts the events. Returns a code of SQLite.
int store_count_rows(struct store *store);

// Makes SQLite leave the WAL unchanged when the connection closes. Otherwise SQLite would move the
// pages that SQLite believes are not in the file yet.
void store_leave_wal(struct store *store);

// Writing. store_note keeps the first error of a transaction, which store_commit returns.
// store_begin_statement returns NULL after an error. store_finish_statement runs the statement and
// returns the number of rows changed.
void store_note(struct store *store, int code);
sqlite3_stmt *store_begin_statement(struct store *store, enum store_statement which);
int store_finish_statement(struct store *store, sqlite3_stmt *s);

// Reading. store_text is valid until the next step; "" for a NULL, which a damaged page may have
// where the schema allows none. store_copy_text leaves out control characters, as a damaged page
// may have any octets.
const char *store_text(sqlite3_stmt *s, int column);
void store_copy_text(char *out, size_t size, sqlite3_stmt *s, int column);
