// SPDX-License-Identifier: BSD-2-Clause
// The tables of the journal's file whose rows memory mirrors (mirror.h): the columns, and a single
// way to read and to write rows.
#include "journal/store.h"

#include "base/text.h"
#include "journal/store_private.h"
#include "model/catalogue.h"

#include <string.h>

enum column_kind {
    INTEGER,  // of 1, 2, 4 or 8 octets
    FLAG,     // bool
    TEXT,     // char[]
    PATTERNS, // struct filter_list; the file has one pattern a line
    VALUE,    // the value of a struct setting
};

// A column, and the member of the row that has its value.
struct column {
    const char *name;
    enum column_kind kind;
    size_t offset, size;
};

#define COLUMN(kind, type, member, name)                                                           \
    {                                                                                              \
        name, kind, offsetof(type, member), sizeof((type *)NULL)->member                           \
    }

static const struct column CURSOR_COLUMNS[] = {
    COLUMN(TEXT, struct store_cursor, receiver, "name"),
    COLUMN(INTEGER, struct store_cursor, sequence, "cursor"),
    COLUMN(INTEGER, struct store_cursor, gone_us, "gone_us"),
    COLUMN(INTEGER, struct store_cursor, section, "section"),
    COLUMN(INTEGER, struct store_cursor, filter, "filter"),
    COLUMN(INTEGER, struct store_cursor, filter_since, "filter_since"),
    COLUMN(INTEGER, struct store_cursor, began, "began"),
    COLUMN(INTEGER, struct store_cursor, lost, "lost"),
    COLUMN(INTEGER, struct store_cursor, told_again, "told_again"),
};

static const struct column ALARM_COLUMNS[] = {
    COLUMN(TEXT, struct alarm, key, "key"),
    COLUMN(INTEGER, struct alarm, event_sequence, "event_sequence"),
    COLUMN(TEXT, struct alarm, event_id, "event_id"),
    COLUMN(TEXT, struct alarm, type, "type"),
    COLUMN(INTEGER, struct alarm, severity, "severity"),
    COLUMN(INTEGER, struct alarm, raised_us, "raised_us"),
    COLUMN(INTEGER, struct alarm, last_us, "last_us"),
    COLUMN(INTEGER, struct alarm, count, "count"),
    COLUMN(INTEGER, struct alarm, node_guid, "node_guid"),
    COLUMN(TEXT, struct alarm, text, "text"),
    COLUMN(INTEGER, struct alarm, acknowledged_us, "acknowledged_us"),
    COLUMN(TEXT, struct alarm, note, "note"),
    COLUMN(INTEGER, struct alarm, shelved_until_us, "shelved_until_us"),
    COLUMN(TEXT, struct alarm, notified_id, "told_id"),
    COLUMN(INTEGER, struct alarm, category, "category"),
    COLUMN(INTEGER, struct alarm, notified, "told"),
    COLUMN(FLAG, struct alarm, over, "over"),
    COLUMN(INTEGER, struct alarm, last_sequence, "last_sequence"),
    COLUMN(INTEGER, struct alarm, told_sequence, "told_sequence"),
    COLUMN(TEXT, struct alarm, cause_id, "cause_id"),
    COLUMN(TEXT, struct alarm, suppressed, "suppressed"),
    COLUMN(TEXT, struct alarm, acknowledged_by, "acknowledged_by"),
    COLUMN(TEXT, struct alarm, shelved_by, "shelved_by"),
    COLUMN(INTEGER, struct alarm, shelved_for_us, "shelved_for_us"),
};

static const struct column WINDOW_COLUMNS[] = {
    COLUMN(TEXT, struct maintenance_window, name, "name"),
    COLUMN(INTEGER, struct maintenance_window, until_us, "until_us"),
    COLUMN(PATTERNS, struct maintenance_window, nodes, "nodes"),
    COLUMN(INTEGER, struct maintenance_window, length_us, "length_us"),
    COLUMN(TEXT, struct maintenance_window, who, "who"),
    COLUMN(TEXT, struct maintenance_window, comment, "comment"),
};

static const struct column SETTING_COLUMNS[] = {
    COLUMN(INTEGER, struct setting, kind, "kind"),
    COLUMN(INTEGER, struct setting, guid, "guid"),
    COLUMN(INTEGER, struct setting, number, "number"),
    COLUMN(VALUE, struct setting, value, "value"),
};

static const struct column NODE_NUMBER_COLUMNS[] = {
    COLUMN(INTEGER, struct node_number, number, "number"),
    COLUMN(INTEGER, struct node_number, guid, "guid"),
};

static const struct column DEVICE_COLUMNS[] = {
    COLUMN(INTEGER, struct device_memory, guid, "guid"),
    COLUMN(INTEGER, struct device_memory, port, "port"),
    COLUMN(INTEGER, struct device_memory, page, "page"),
    COLUMN(INTEGER, struct device_memory, good, "good"),
    COLUMN(TEXT, struct device_memory, serial, "serial"),
};

// Checks. A damaged page may have any number. Each check corrects the row; STORE_FAILED leaves the
// row out, STORE_CORRUPT ends the reading.

static bool store_tables_is_number(int64_t sequence)
{
    return sequence >= 0 && sequence <= STORE_SEQUENCE_MAX;
}

static enum store_result store_tables_check_cursor(void *row)
{
    const struct store_cursor *c = row;
    return c->receiver[0] != '\0' && store_tables_is_number(c->sequence) && c->gone_us >= 0 &&
                   store_tables_is_number(c->filter_since)
               ? STORE_OK
               : STORE_CORRUPT;
}

// An alarm of version 0.1.0 has no category: the alarm has the category of its type.
static enum store_result store_tables_check_alarm(void *row)
{
    struct alarm *a = row;
    const struct catalogue_entry *type = catalogue_find(a->type);
    a->severity = (enum severity)(a->severity & 7);
    if (a->category < CATEGORY_FABRIC || a->category > CATEGORY_VENDOR)
        a->category = type ? type->category : CATEGORY_FABRIC;
    if (a->notified > ALARM_END_ELSEWHERE)
        a->notified = ALARM_NOTIFIED;
    return STORE_OK;
}

static enum store_result store_tables_check_setting(void *row)
{
    const struct setting *s = row;
    return s->size > 0 && setting_is_valid(s) ? STORE_OK : STORE_FAILED;
}

static enum store_result store_tables_check_node_number(void *row)
{
    struct node_number *n = row;
    if (n->number > NODE_NUMBERS_LAST)
        n->number = 0;
    return STORE_OK;
}

#define COLUMNS(columns) columns, sizeof(columns) / sizeof(columns)[0]

static const struct {
    const char *name, *order; // of the table; the SQL term by which its rows are read, or NULL
    size_t row_size;
    const struct column *columns;
    size_t column_count, key_count; // the key comes first
    enum store_result (*check)(void *row);
    const char *damage; // the sentence for STORE_CORRUPT of `check`
    bool backwards;     // of a damaged file, the rows behind the damage are read, too
} TABLES[STORE_TABLES] = {
    [STORE_CURSORS] = {"receiver", NULL, sizeof(struct store_cursor), COLUMNS(CURSOR_COLUMNS), 1,
                       store_tables_check_cursor, "a receiver's cursor is damaged", false},
    [STORE_ALARMS] = {"alarm", "event_sequence", sizeof(struct alarm), COLUMNS(ALARM_COLUMNS), 1,
                      store_tables_check_alarm, NULL, false},
    [STORE_WINDOWS] = {"maintenance", "rowid", sizeof(struct maintenance_window),
                       COLUMNS(WINDOW_COLUMNS), 1, NULL, NULL, false},
    [STORE_SETTINGS] = {"setting", NULL, sizeof(struct setting), COLUMNS(SETTING_COLUMNS), 3,
                        store_tables_check_setting, NULL, false},
    [STORE_NODE_NUMBERS] = {"node_number", "number", sizeof(struct node_number),
                            COLUMNS(NODE_NUMBER_COLUMNS), 1, store_tables_check_node_number, NULL,
                            true},
    [STORE_DEVICES] = {"device", NULL, sizeof(struct device_memory), COLUMNS(DEVICE_COLUMNS), 3,
                       NULL, NULL, false},
};

// SQL.

static void store_tables_add_list(struct text *t, enum store_table table, bool names)
{
    for (size_t i = 0; i < TABLES[table].column_count; i++)
        text_addf(t, "%s%s", i ? ", " : "", names ? TABLES[table].columns[i].name : "?");
}

static void store_tables_add_read(struct text *t, enum store_table table, const char *direction)
{
    text_add(t, "SELECT ");
    store_tables_add_list(t, table, true);
    text_addf(t, " FROM %s", TABLES[table].name);
    if (TABLES[table].order)
        text_addf(t, " ORDER BY %s%s", TABLES[table].order, direction);
}

void store_table_sql(enum store_table table, enum store_table_statement which,
                     char out[STORE_SQL_SIZE])
{
    struct text t = text_in(out, STORE_SQL_SIZE);
    if (which == READ_ROWS) {
        store_tables_add_read(&t, table, "");
    } else if (which == READ_ROWS_BACKWARDS) {
        store_tables_add_read(&t, table, " DESC");
    } else if (which == SET_ROW) {
        text_addf(&t, "INSERT OR REPLACE INTO %s (", TABLES[table].name);
        store_tables_add_list(&t, table, true);
        text_add(&t, ") VALUES (");
        store_tables_add_list(&t, table, false);
        text_add(&t, ")");
    } else {
        text_addf(&t, "DELETE FROM %s", TABLES[table].name);
        for (size_t i = 0; which == DELETE_ROW && i < TABLES[table].key_count; i++)
            text_addf(&t, "%s%s = ?", i ? " AND " : " WHERE ", TABLES[table].columns[i].name);
    }
}

// Writing.

static int64_t store_tables_get_integer(const uint8_t *member, size_t size)
{
    union {
        uint8_t one;
        uint16_t two;
        uint32_t four;
        uint64_t eight;
    } value;
    memcpy(&value, member, size);
    return size == 1   ? value.one
           : size == 2 ? value.two
           : size == 4 ? value.four
                       : (int64_t)value.eight;
}

static void store_tables_bind_patterns(sqlite3_stmt *s, int at, const struct filter_list *list)
{
    char lines[FILTER_PATTERNS_MAX * FILTER_PATTERN_SIZE];
    struct text t = text_in(lines, sizeof lines);
    for (size_t i = 0; i < list->count; i++)
        text_addf(&t, "%s%s", i ? "\n" : "", list->patterns[i]);
    sqlite3_bind_text(s, at, lines, -1, SQLITE_TRANSIENT);
}

static void store_tables_bind(sqlite3_stmt *s, int at, const struct column *c, const void *row)
{
    const uint8_t *member = (const uint8_t *)row + c->offset;
    switch (c->kind) {
    case INTEGER:
    case FLAG:
        sqlite3_bind_int64(s, at, store_tables_get_integer(member, c->size));
        break;
    case TEXT:
        sqlite3_bind_text(s, at, (const char *)member, -1, SQLITE_STATIC);
        break;
    case PATTERNS:
        store_tables_bind_patterns(s, at, (const struct filter_list *)(const void *)member);
        break;
    case VALUE:
        sqlite3_bind_blob(s, at, member, ((const struct setting *)row)->size, SQLITE_STATIC);
        break;
    }
}

static sqlite3_stmt **store_tables_statement(struct store *store, enum store_table table,
                                             enum store_table_statement which)
{
    return &store->statements[STATEMENT_COUNT + (int)table * TABLE_STATEMENT_COUNT + (int)which];
}

// Runs the statement with the first `n` columns of the row.
static void store_tables_run(struct store *store, enum store_table table,
                             enum store_table_statement which, const void *row, size_t n)
{
    if (store->failure != SQLITE_OK)
        return;
    sqlite3_stmt *s = *store_tables_statement(store, table, which);
    for (size_t i = 0; i < n; i++)
        store_tables_bind(s, (int)i + 1, &TABLES[table].columns[i], row);
    store_finish_statement(store, s);
}

void store_set_row(struct store *store, enum store_table table, const void *row)
{
    store_tables_run(store, table, SET_ROW, row, TABLES[table].column_count);
}

void store_delete_row(struct store *store, enum store_table table, const void *row)
{
    store_tables_run(store, table, DELETE_ROW, row, TABLES[table].key_count);
}

void store_delete_rows(struct store *store, enum store_table table)
{
    store_tables_run(store, table, DELETE_ROWS, NULL, 0);
}

// Reading.

// A number too great for the member becomes the greatest number of the member.
static void store_tables_put_integer(uint8_t *member, size_t size, int64_t value)
{
    const bool fits = size == sizeof value || (value >= 0 && value < INT64_C(1) << 8 * size);
    const uint64_t number = fits ? (uint64_t)value : UINT64_MAX;
    const uint8_t one = (uint8_t)number;
    const uint16_t two = (uint16_t)number;
    const uint32_t four = (uint32_t)number;
    memcpy(member,
           size == 1   ? (const void *)&one
           : size == 2 ? (const void *)&two
           : size == 4 ? (const void *)&four
                       : (const void *)&number,
           size);
}

static void store_tables_read_patterns(const char *lines, struct filter_list *out)
{
    while (*lines && out->count < FILTER_PATTERNS_MAX) {
        size_t length = strcspn(lines, "\n");
        text_clean(lines, length, out->patterns[out->count++], FILTER_PATTERN_SIZE);
        lines += length + (lines[length] == '\n');
    }
}

static void store_tables_read_value(sqlite3_stmt *s, int at, struct setting *out)
{
    const void *value = sqlite3_column_blob(s, at);
    const int size = sqlite3_column_bytes(s, at);
    if (size <= 0 || size > SETTING_VALUE_MAX)
        return; // no valid setting
    out->size = (uint16_t)size;
    memcpy(out->value, value, (size_t)size);
}

static void store_tables_read(sqlite3_stmt *s, int at, const struct column *c, void *row)
{
    uint8_t *member = (uint8_t *)row + c->offset;
    switch (c->kind) {
    case INTEGER:
        store_tables_put_integer(member, c->size, sqlite3_column_int64(s, at));
        break;
    case FLAG:
        *(bool *)member = sqlite3_column_int64(s, at) != 0;
        break;
    case TEXT:
        store_copy_text((char *)member, c->size, s, at);
        break;
    case PATTERNS:
        store_tables_read_patterns(store_text(s, at), (struct filter_list *)(void *)member);
        break;
    case VALUE:
        store_tables_read_value(s, at, row);
        break;
    }
}

union store_tables_row {
    struct store_cursor cursor;
    struct alarm alarm;
    struct maintenance_window window;
    struct setting setting;
    struct node_number node_number;
    struct device_memory device;
};

static enum store_result store_tables_read_row(sqlite3_stmt *s, enum store_table table,
                                               union store_tables_row *out)
{
    memset(out, 0, TABLES[table].row_size);
    for (size_t i = 0; i < TABLES[table].column_count; i++)
        store_tables_read(s, (int)i, &TABLES[table].columns[i], out);
    return TABLES[table].check ? TABLES[table].check(out) : STORE_OK;
}

static enum store_result store_tables_read_all(struct store *store, enum store_table table,
                                               enum store_table_statement which,
                                               void (*each)(void *ctx, const void *row), void *ctx,
                                               struct error *err)
{
    sqlite3_stmt *s = *store_tables_statement(store, table, which);
    union store_tables_row row;
    enum store_result found = STORE_OK;
    int code = SQLITE_DONE;
    while (found != STORE_CORRUPT && (code = sqlite3_step(s)) == SQLITE_ROW) {
        found = store_tables_read_row(s, table, &row);
        if (found == STORE_OK)
            each(ctx, &row);
    }
    enum store_result result = found == STORE_CORRUPT ? found : store_report(store, code, err);
    if (found == STORE_CORRUPT)
        error_set(err, "%s", TABLES[table].damage);
    sqlite3_reset(s);
    return result;
}

enum store_result store_read_rows(struct store *store, enum store_table table,
                                  void (*each)(void *ctx, const void *row), void *ctx,
                                  struct error *err)
{
    struct error again;
    const enum store_result result = store_tables_read_all(store, table, READ_ROWS, each, ctx, err);
    if (result == STORE_CORRUPT && TABLES[table].backwards)
        store_tables_read_all(store, table, READ_ROWS_BACKWARDS, each, ctx, &again);
    return result;
}

size_t store_row_size(enum store_table table)
{
    return TABLES[table].row_size;
}

enum store_result store_count_alarms(struct store *store, int64_t *out, struct error *err)
{
    return store_report(store, store_read_number(store, "SELECT count(*) FROM alarm", out), err);
}
