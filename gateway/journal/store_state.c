// SPDX-License-Identifier: BSD-2-Clause
// What the journal's file has besides events: cursors, alarms, maintenance windows, settings, node
// numbers and snapshots.
#include "journal/store.h"

#include "base/text.h"
#include "journal/store_statements.h"
#include "model/catalogue.h"

#include <string.h>

// Cursors.

void store_set_cursor(struct store *store, const struct store_cursor *cursor)
{
    sqlite3_stmt *s = store_begin_statement(store, SET_CURSOR);
    if (!s)
        return;
    sqlite3_bind_text(s, 1, cursor->receiver, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, cursor->sequence);
    sqlite3_bind_int64(s, 3, cursor->gone_us);
    sqlite3_bind_int64(s, 4, cursor->section);
    sqlite3_bind_int64(s, 5, (sqlite3_int64)cursor->filter);
    sqlite3_bind_int64(s, 6, cursor->filter_since);
    store_finish_statement(store, s);
}

void store_delete_cursors(struct store *store)
{
    sqlite3_stmt *s = store_begin_statement(store, DELETE_CURSORS);
    if (s)
        store_finish_statement(store, s);
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
        const struct store_cursor cursor = {.receiver = store_text(s, 0),
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

// Alarms.

void store_set_alarm(struct store *store, const struct alarm *alarm)
{
    sqlite3_stmt *s = store_begin_statement(store, SET_ALARM);
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
    store_finish_statement(store, s);
}

void store_delete_alarm(struct store *store, const char *key)
{
    sqlite3_stmt *s = store_begin_statement(store, DELETE_ALARM);
    if (!s)
        return;
    sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    store_finish_statement(store, s);
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
    store_copy_text(alarm.key, sizeof alarm.key, s, 0);
    store_copy_text(alarm.event_id, sizeof alarm.event_id, s, 2);
    store_copy_text(alarm.type, sizeof alarm.type, s, 3);
    alarm.category = category_of(sqlite3_column_int(s, 14), alarm.type);
    store_copy_text(alarm.text, sizeof alarm.text, s, 9);
    store_copy_text(alarm.note, sizeof alarm.note, s, 11);
    store_copy_text(alarm.notified_id, sizeof alarm.notified_id, s, 13);
    store_copy_text(alarm.cause_id, sizeof alarm.cause_id, s, 18);
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

// Maintenance windows.

void store_delete_windows(struct store *store)
{
    sqlite3_stmt *s = store_begin_statement(store, DELETE_WINDOWS);
    if (s)
        store_finish_statement(store, s);
}

void store_add_window(struct store *store, const struct journal_maintenance *window)
{
    char nodes[FILTER_PATTERNS_MAX * FILTER_PATTERN_SIZE];
    struct text t = text_in(nodes, sizeof nodes);
    sqlite3_stmt *s = store_begin_statement(store, ADD_WINDOW);
    if (!s)
        return;
    for (size_t i = 0; i < window->nodes.count; i++)
        text_addf(&t, "%s%s", i ? "\n" : "", window->nodes.patterns[i]);
    sqlite3_bind_text(s, 1, window->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, window->until_us);
    sqlite3_bind_text(s, 3, nodes, -1, SQLITE_STATIC);
    store_finish_statement(store, s);
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
        store_copy_text(window.name, sizeof window.name, s, 0);
        read_patterns(&window.nodes, store_text(s, 2));
        each(ctx, &window);
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

// Settings.

void store_delete_settings(struct store *store)
{
    sqlite3_stmt *s = store_begin_statement(store, DELETE_SETTINGS);
    if (s)
        store_finish_statement(store, s);
}

void store_add_setting(struct store *store, const struct setting *setting)
{
    sqlite3_stmt *s = store_begin_statement(store, ADD_SETTING);
    if (!s)
        return;
    sqlite3_bind_int(s, 1, (int)setting->kind);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)setting->guid);
    sqlite3_bind_int(s, 3, setting->number);
    sqlite3_bind_blob(s, 4, setting->value, setting->size, SQLITE_STATIC);
    store_finish_statement(store, s);
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

// Node numbers.

void store_delete_node_number(struct store *store, uint32_t number)
{
    sqlite3_stmt *s = store_begin_statement(store, DELETE_NODE_NUMBER);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, number);
    store_finish_statement(store, s);
}

void store_add_node_number(struct store *store, const struct node_number *number)
{
    sqlite3_stmt *s = store_begin_statement(store, ADD_NODE_NUMBER);
    if (!s)
        return;
    sqlite3_bind_int64(s, 1, number->number);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)number->guid);
    store_finish_statement(store, s);
}

static enum store_result store_state_read_numbers(struct store *store, enum store_statement which,
                                                  void (*each)(void *ctx,
                                                               const struct node_number *number),
                                                  void *ctx, struct error *err)
{
    sqlite3_stmt *s = store->statements[which];
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        const int64_t number = sqlite3_column_int64(s, 0);
        const struct node_number one = {
            .number = number > 0 && number <= NODE_NUMBERS_LAST ? (uint32_t)number : 0,
            .guid = (uint64_t)sqlite3_column_int64(s, 1)};
        each(ctx, &one);
    }
    enum store_result result = store_report(store, code, err);
    sqlite3_reset(s);
    return result;
}

enum store_result store_read_node_numbers(struct store *store,
                                          void (*each)(void *ctx, const struct node_number *number),
                                          void *ctx, struct error *err)
{
    struct error again;
    const enum store_result result =
        store_state_read_numbers(store, READ_NODE_NUMBERS, each, ctx, err);
    if (result == STORE_CORRUPT)
        store_state_read_numbers(store, READ_NODE_NUMBERS_BACKWARDS, each, ctx, &again);
    return result;
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
