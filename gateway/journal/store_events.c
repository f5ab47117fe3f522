// SPDX-License-Identifier: BSD-2-Clause
// The events of the journal's file, and the snapshots of the fabric.
#include "journal/store.h"

#include "journal/store_private.h"
#include "model/catalogue.h"

// The file has a row of that number: fails the transaction unless it is the same event.
static void check_known(struct store *store, const struct store_row *row)
{
    sqlite3_stmt *s = store_begin_statement(store, FIND_EVENT);
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
    sqlite3_stmt *s = store_begin_statement(store, ADD_EVENT);
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
    int added = store_finish_statement(store, s);
    store->rows += added;
    if (added == 0)
        check_known(store, row);
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
    int code = sqlite3_step(s);
    store_note(store, code);
    int64_t count = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return count;
}

// Reading.

static struct store_row row_of(sqlite3_stmt *s)
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
static enum store_result read_some(struct store *store, enum store_statement which, int64_t from,
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

enum store_result store_read_links_back(struct store *store, int64_t before, size_t limit,
                                        bool (*each)(void *ctx, const struct store_row *row),
                                        void *ctx, struct error *err)
{
    return read_some(store, READ_LINKS_BEFORE, before, limit, each, ctx, err);
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

// Snapshots.

void store_add_snapshot(struct store *store, const struct store_snapshot *snapshot, int64_t keep,
                        int64_t bytes_max)
{
    sqlite3_stmt *s = store_begin_statement(store, ADD_SNAPSHOT);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, snapshot->time_us);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)snapshot->digest);
    sqlite3_bind_int64(s, 3, snapshot->nodes);
    sqlite3_bind_int64(s, 4, snapshot->links);
    sqlite3_bind_blob64(s, 5, snapshot->record, snapshot->record_size, SQLITE_STATIC);
    store_finish_statement(store, s);
    s = store_begin_statement(store, DELETE_SNAPSHOTS);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, keep);
    sqlite3_bind_int64(s, 2, bytes_max);
    store_finish_statement(store, s);
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

// The size.

enum store_result store_get_size(struct store *store, struct store_size *out, struct error *err)
{
    *out = (struct store_size){0};
    int64_t pages = 0, free_pages = 0, page_size = 0;
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
