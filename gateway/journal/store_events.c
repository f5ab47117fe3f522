// SPDX-License-Identifier: BSD-2-Clause
// The events of the journal's file, and the snapshots of the fabric.
#include "journal/store.h"

#include "journal/store_private.h"
#include "model/catalogue.h"

// Runs the statement, and sets `out` to the number in its first row; 0: there is none. Returns a
// code of SQLite.
static int store_events_number(sqlite3_stmt *s, int64_t *out)
{
    int code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return code;
}

// The file has a row with the number: fails the transaction unless the row is the same event.
static void store_events_check_known(struct store *store, const struct store_row *row)
{
    sqlite3_stmt *s = store_begin_statement(store, FIND_EVENT);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, row->sequence);
    sqlite3_bind_text(s, 2, row->id, -1, SQLITE_STATIC);
    int64_t same;
    const int code = store_events_number(s, &same);
    store_note(store, code);
    store->other = code == SQLITE_ROW && same == 0;
    if (store->other)
        store_note(store, SQLITE_CORRUPT);
}

// Binds the row to the parameters behind `at`.
static void store_events_bind(sqlite3_stmt *s, int at, const struct store_row *row)
{
    sqlite3_bind_int64(s, at + 1, row->sequence);
    sqlite3_bind_text(s, at + 2, row->id, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, at + 3, row->type, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, at + 4, row->time_us);
    sqlite3_bind_int(s, at + 5, row->severity);
    sqlite3_bind_int64(s, at + 6, (sqlite3_int64)row->node_guid);
    sqlite3_bind_int(s, at + 7, row->report_lid);
    sqlite3_bind_int64(s, at + 8, (sqlite3_int64)row->report_tid);
    sqlite3_bind_int64(s, at + 9, (sqlite3_int64)row->report_digest);
    sqlite3_bind_blob(s, at + STORE_ROW_COLUMNS, row->record, (int)row->record_size, SQLITE_STATIC);
}

// Adds `count` rows: 1 or STORE_ROWS_MAX.
static void store_events_add(struct store *store, const struct store_row rows[], int count)
{
    sqlite3_stmt *s = store_begin_statement(store, count == 1 ? ADD_EVENT : ADD_EVENTS);
    if (!s)
        return;
    for (int i = 0; i < count; i++)
        store_events_bind(s, i * STORE_ROW_COLUMNS, &rows[i]);
    const int added = store_finish_statement(store, s);
    store->rows += added;
    for (int i = 0; added < count && i < count; i++)
        store_events_check_known(store, &rows[i]);
}

void store_add_events(struct store *store, const struct store_row rows[], size_t count)
{
    if (count == STORE_ROWS_MAX)
        store_events_add(store, rows, STORE_ROWS_MAX);
    else
        for (size_t i = 0; i < count; i++)
            store_events_add(store, &rows[i], 1);
}

int64_t store_delete_through(struct store *store, int64_t sequence, int64_t rows_max)
{
    sqlite3_stmt *s = store_begin_statement(store, DELETE_THROUGH);
    if (!s)
        return 0;
    sqlite3_bind_int64(s, 1, sequence);
    sqlite3_bind_int64(s, 2, rows_max);
    int64_t deleted = store_finish_statement(store, s);
    store->rows -= deleted;
    return deleted;
}

void store_keep_event(struct store *store, const struct store_row *row, const char *key)
{
    sqlite3_stmt *s = store_begin_statement(store, KEEP_EVENT);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, row->sequence);
    sqlite3_bind_text(s, 2, key, -1, SQLITE_STATIC);
    sqlite3_bind_blob(s, 3, row->record, (int)row->record_size, SQLITE_STATIC);
    store_finish_statement(store, s);
}

void store_drop_kept_of(struct store *store, const char *key, int64_t before)
{
    sqlite3_stmt *s = store_begin_statement(store, DROP_KEPT_OF);
    if (!s)
        return;
    sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, before);
    store_finish_statement(store, s);
}

void store_drop_kept(struct store *store, int64_t first, int64_t last)
{
    const int64_t limits[] = {last, first};
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *s = store_begin_statement(store, i == 0 ? END_KEPT : DROP_KEPT);
        if (!s)
            return;
        sqlite3_bind_int64(s, 1, limits[i]);
        store_finish_statement(store, s);
    }
}

int64_t store_count_wanted(struct store *store, int64_t after, int64_t through)
{
    sqlite3_stmt *s = store_begin_statement(store, COUNT_WANTED);
    if (!s)
        return 0;
    sqlite3_bind_int64(s, 1, after);
    sqlite3_bind_int64(s, 2, through);
    sqlite3_bind_text(s, 3, catalogue_get(CATALOGUE_JOURNAL_DROPPING)->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, catalogue_get(CATALOGUE_JOURNAL_DROPPING_ENDED)->name, -1,
                      SQLITE_STATIC);
    int64_t count;
    store_note(store, store_events_number(s, &count));
    return count;
}

// Reading.

static struct store_row store_events_row(sqlite3_stmt *s)
{
    return (struct store_row){
        .sequence = sqlite3_column_int64(s, 0),
        .id = store_text(s, 1),
        .type = store_text(s, 2),
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

enum store_result store_read(struct store *store, enum store_order order, int64_t from,
                             size_t limit, bool (*each)(void *ctx, const struct store_row *row),
                             void *ctx, struct error *err)
{
    sqlite3_stmt *s = store->statements[READ_AFTER + (int)order];
    const bool ascends = order == STORE_AFTER || order == STORE_KEPT_AFTER || order == STORE_SINCE;
    int64_t last = order == STORE_SINCE ? 0 : from;
    bool sound = true, more = true;
    int code = SQLITE_DONE;
    sqlite3_bind_int64(s, 1, from);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)limit);
    while (more && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const struct store_row row = store_events_row(s);
        sound = ascends ? row.sequence > last : row.sequence < last;
        last = row.sequence;
        more = sound && each(ctx, &row);
    }
    enum store_result result = sound ? store_report(store, code, err) : STORE_CORRUPT;
    if (!sound)
        error_set(err, "its events are out of order");
    sqlite3_reset(s);
    return result;
}

enum store_result store_count_indexed(struct store *store, int64_t after, int64_t through,
                                      int64_t *out, struct error *err)
{
    sqlite3_stmt *s = store->statements[COUNT_INDEXED];
    sqlite3_bind_int64(s, 1, after);
    sqlite3_bind_int64(s, 2, through);
    return store_report(store, store_events_number(s, out), err);
}

// Snapshots.

void store_add_snapshot(struct store *store, const struct store_snapshot *snapshot, int64_t keep,
                        int64_t bytes_max)
{
    sqlite3_stmt *s = store_begin_statement(store, ADD_SNAPSHOT);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, snapshot->meta.time_us);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)snapshot->meta.digest);
    sqlite3_bind_int64(s, 3, snapshot->meta.nodes);
    sqlite3_bind_int64(s, 4, snapshot->meta.links);
    sqlite3_bind_blob64(s, 5, snapshot->record, snapshot->size, SQLITE_STATIC);
    store_finish_statement(store, s);
    s = store_begin_statement(store, DELETE_SNAPSHOTS);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, keep);
    sqlite3_bind_int64(s, 2, bytes_max);
    store_finish_statement(store, s);
}

enum store_result store_read_snapshots(struct store *store, int64_t number,
                                       void (*each)(void *ctx,
                                                    const struct store_snapshot *snapshot),
                                       void *ctx, struct error *err)
{
    const bool all = number == STORE_ALL_SNAPSHOTS;
    sqlite3_stmt *s = store->statements[all ? LIST_SNAPSHOTS : READ_SNAPSHOT];
    int code;
    if (!all)
        sqlite3_bind_int64(s, 1, number);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        const struct store_snapshot snapshot = {
            .meta = {.number = sqlite3_column_int64(s, 0),
                     .time_us = sqlite3_column_int64(s, 1),
                     .digest = (uint64_t)sqlite3_column_int64(s, 2),
                     .nodes = (uint32_t)sqlite3_column_int64(s, 3),
                     .links = (uint32_t)sqlite3_column_int64(s, 4)},
            .size = (size_t)sqlite3_column_int64(s, 5),
            .record = all ? NULL : sqlite3_column_blob(s, 6),
        };
        each(ctx, &snapshot);
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

// The size.

// The octets of all pages but the free ones; -1: the number of free pages is impossible.
static const char USED[] = "SELECT CASE WHEN freelist_count BETWEEN 0 AND page_count"
                           " THEN (page_count - freelist_count) * page_size ELSE -1 END"
                           " FROM pragma_page_count, pragma_freelist_count, pragma_page_size";

enum store_result store_get_size(struct store *store, struct store_size *out, struct error *err)
{
    *out = (struct store_size){0};
    sqlite3_stmt *s = store->statements[GET_SIZE];
    int code = store->rows < 0 ? store_count_rows(store) : SQLITE_OK;
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
    if (result == STORE_OK)
        result = store_report(store, store_read_number(store, USED, &out->bytes), err);
    if (out->bytes < 0) {
        error_set(err, "the number of free pages is damaged");
        return STORE_CORRUPT;
    }
    return result;
}

enum store_result store_first_since(struct store *store, int64_t time_us, int64_t *out,
                                    struct error *err)
{
    sqlite3_stmt *s = store->statements[FIRST_SINCE];
    sqlite3_bind_int64(s, 1, time_us);
    return store_report(store, store_events_number(s, out), err);
}
