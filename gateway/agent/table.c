// SPDX-License-Identifier: BSD-2-Clause
#include "agent/table.h"

#include "base/search.h"

#include <assert.h>
#include <string.h>

// Seeks.

bool table_seek_scalar(struct look *look)
{
    if (look->after ? look->length > 0 : look->length != 1 || look->ids[0] != 0)
        return false;
    agentx_oid_add(&look->found, 0);
    return !look->table->has || look->table->has(look);
}

void table_enter(struct look *look, size_t at, void (*enter)(struct look *look))
{
    look->at = at;
    look->found.length = 0;
    enter(look);
}

// Fills row `at`, and compares its index with the first `length` of look->ids: negative, 0,
// positive.
static int table_compare(struct look *look, size_t at, void (*enter)(struct look *look),
                         size_t length)
{
    table_enter(look, at, enter);
    return agentx_oid_compare(look->found.ids, look->found.length, look->ids, length);
}

size_t table_search(struct look *look, size_t count, void (*enter)(struct look *look),
                    size_t length)
{
    size_t at;
    SEARCH_FIRST(at, 0, count, table_compare(look, at, enter, length) < 0);
    return at;
}

bool table_seek_sorted(struct look *look)
{
    const struct table *table = look->table;
    const size_t count = table->count ? table->count(look) : 0;
    size_t at = table_search(look, count, table->enter, look->length);
    if (at < count && look->after && table_compare(look, at, table->enter, look->length) == 0)
        at++;
    for (; at < count; at = look->at + 1) {
        if (table_compare(look, at, table->enter, look->length) != 0 && !look->after)
            return false;
        if (!table->has || table->has(look))
            return true;
    }
    return false;
}

// Counts look->tail up to the next end in the box. Returns false if there is none.
static bool table_count_up(struct look *look)
{
    const struct table_box *box = look->table->box;
    for (size_t i = box->length; i-- > 0;) {
        if (look->tail[i] >= box->last[i])
            continue;
        look->tail[i]++;
        memcpy(look->tail + i + 1, box->first + i + 1, (box->length - i - 1) * sizeof *look->tail);
        return true;
    }
    return false;
}

bool table_skip(struct look *look, size_t from)
{
    const struct table_box *box = look->table->box;
    memcpy(look->tail + from, box->last + from, (box->length - from) * sizeof *look->tail);
    return false;
}

// Sets look->tail to the first end in the box after `ids`. Returns false if there is none.
static bool table_begin_after(struct look *look, const uint32_t *ids, size_t length)
{
    const struct table_box *box = look->table->box;
    const size_t given = length < box->length ? length : box->length;
    memcpy(look->tail, box->first, box->length * sizeof *look->tail);
    for (size_t i = 0; i < given; i++) {
        if (ids[i] < box->first[i])
            return true;
        look->tail[i] = ids[i];
        if (ids[i] <= box->last[i])
            continue;
        table_skip(look, i);
        return table_count_up(look);
    }
    return length < box->length || table_count_up(look);
}

// Sets look->tail to `ids`. Returns false if `ids` is not in the box.
static bool table_begin_at(struct look *look, const uint32_t *ids, size_t length)
{
    const struct table_box *box = look->table->box;
    for (size_t i = 0; i < length && length == box->length; i++) {
        if (ids[i] < box->first[i] || ids[i] > box->last[i])
            return false;
        look->tail[i] = ids[i];
    }
    return length == box->length;
}

bool table_seek_box(struct look *look, const uint32_t *ids, size_t length)
{
    const struct table *table = look->table;
    bool is_one =
        look->after ? table_begin_after(look, ids, length) : table_begin_at(look, ids, length);
    while (is_one && !table->has(look))
        is_one = look->after && table_count_up(look);
    for (size_t i = 0; is_one && i < table->box->length; i++)
        agentx_oid_add(&look->found, look->tail[i]);
    return is_one;
}

// Names.

// Compares a name with the subtree of an OID: negative: before; 0: in it; positive: after.
static int table_compare_subtree(const struct agentx_oid *name, const uint32_t *ids, size_t length)
{
    if (name->length >= length)
        return agentx_oid_compare(name->ids, length, ids, length);
    int order = agentx_oid_compare(name->ids, name->length, ids, length);
    return order < 0 ? -1 : order;
}

// Whether the table's first column comes after the name.
static bool table_begins_after(const struct table *table, const struct agentx_oid *name)
{
    int order = table_compare_subtree(name, table->entry, table->entry_length);
    if (order != 0)
        return order < 0;
    return name->length <= table->entry_length ||
           name->ids[table->entry_length] < table->columns[0].number;
}

// The only table that can have the name: the last table whose first column does not come after the
// name, or the first table.
static size_t table_find_table(const struct table_list *list, const struct agentx_oid *name)
{
    size_t after_name;
    SEARCH_FIRST(after_name, 0, list->count, !table_begins_after(list->tables[after_name], name));
    return after_name > 0 ? after_name - 1 : 0;
}

// The index of the first column whose number is not less than the number in the name; column_count:
// there is none.
static size_t table_find_column(const struct table *table, const struct agentx_oid *name)
{
    int order = table_compare_subtree(name, table->entry, table->entry_length);
    if (order != 0)
        return order < 0 ? 0 : table->column_count;
    uint32_t number = name->length > table->entry_length ? name->ids[table->entry_length] : 0;
    size_t at;
    SEARCH_FIRST(at, 0, table->column_count, table->columns[at].number < number);
    return at;
}

// The column in whose subtree the name is; NULL: none.
static const struct table_column *table_column_of(const struct table_list *list,
                                                  const struct agentx_oid *name,
                                                  const struct table **table)
{
    if (list->count == 0)
        return NULL;
    *table = list->tables[table_find_table(list, name)];
    if (name->length <= (*table)->entry_length ||
        table_compare_subtree(name, (*table)->entry, (*table)->entry_length) != 0)
        return NULL;
    size_t at = table_find_column(*table, name);
    bool is_it = at < (*table)->column_count &&
                 (*table)->columns[at].number == name->ids[(*table)->entry_length];
    return is_it ? &(*table)->columns[at] : NULL;
}

static void table_set_type(struct agentx_value *value, enum agentx_type type)
{
    value->type = type;
    value->number = 0;
    value->size = 0;
    value->oid.length = 0;
}

// Finds a row of the table for the column, after or at the index.
static bool table_seek(struct look *look, const struct table *table,
                       const struct table_column *column, const struct agentx_oid *index,
                       bool after)
{
    *look = (struct look){.snapshot = look->snapshot,
                          .fabric = look->fabric,
                          .device = look->device,
                          .of_fabric = look->of_fabric,
                          .contexts = look->contexts,
                          .fetched = look->fetched,
                          .ticket = look->ticket,
                          .sa_away = look->sa_away,
                          .table = table,
                          .column = column,
                          .ids = index->ids,
                          .length = index->length,
                          .after = after};
    const bool is_found = (!table->counted || look->snapshot->accumulated) && table->seek(look);
    look->ids = NULL; // of the caller
    return is_found;
}

// Reads the value of the look's row, and drops the row's event.
static bool table_read(struct look *look, struct agentx_value *value)
{
    table_set_type(value, look->column->type);
    const bool has = look->column->get(look, value);
    event_unref(look->event);
    look->event = NULL;
    return has;
}

// The answer without a value: the value cannot be found now, comes later, or does not exist.
static void table_set_missing(const struct look *look, struct agentx_value *value)
{
    table_set_type(value, look->sa_away  ? AGENTX_NOT_NOW
                          : look->ticket ? AGENTX_LATER
                                         : AGENTX_NO_SUCH_INSTANCE);
    value->number = look->ticket;
}

// The part of a name below the column.
static void table_index_of(const struct table *table, const struct agentx_oid *name,
                           struct agentx_oid *index)
{
    const size_t above = table->entry_length + 1;
    index->length = (uint8_t)(name->length - above);
    memcpy(index->ids, name->ids + above, index->length * sizeof *index->ids);
}

static bool table_seek_instance(struct look *look, const struct table *table,
                                const struct table_column *column, const struct agentx_oid *name)
{
    struct agentx_oid index;
    if (name->length == table->entry_length + 1)
        return false;
    table_index_of(table, name, &index);
    return table_seek(look, table, column, &index, false);
}

void table_get(const struct table_list *list, struct look *look, const struct agentx_oid *name,
               struct agentx_value *value)
{
    const struct table *table;
    const struct table_column *column = table_column_of(list, name, &table);
    if (!column)
        table_set_type(value, AGENTX_NO_SUCH_OBJECT);
    else if (!look->snapshot)
        table_set_type(value, AGENTX_NOT_NOW);
    else if (!column->get || !table_seek_instance(look, table, column, name) ||
             !table_read(look, value))
        table_set_missing(look, value);
    look_end(look);
}

enum agentx_error table_find_writable(const struct table_list *list, struct look *look,
                                      const struct agentx_oid *name)
{
    const struct table *table;
    const struct table_column *column = table_column_of(list, name, &table);
    if (!column || (column->setting == SETTING_NONE && !column->switches))
        return AGENTX_NOT_WRITABLE;
    if (!table_seek_instance(look, table, column, name))
        return AGENTX_NO_CREATION;
    assert(!look->event);
    return AGENTX_NO_ERROR;
}

const struct table_column *table_find_creatable(const struct table_list *list,
                                                const struct agentx_oid *name,
                                                struct agentx_oid *index)
{
    const struct table *table;
    const struct table_column *column = table_column_of(list, name, &table);
    if (!column || !column->creates)
        return NULL;
    table_index_of(table, name, index);
    return column;
}

// A GetNext: the request, and the place of the answer.
struct search {
    struct look *look;
    const struct agentx_oid *name, *end;
    bool include;
    struct agentx_oid *found;
    struct agentx_value *value;
};

static bool table_is_before_end(const struct search *s)
{
    return s->end->length == 0 ||
           agentx_oid_compare(s->found->ids, s->found->length, s->end->ids, s->end->length) < 0;
}

// Sets `found` to the OID of the column.
static void table_name_column(const struct search *s, const struct table *table,
                              const struct table_column *column)
{
    memcpy(s->found->ids, table->entry, table->entry_length * sizeof *s->found->ids);
    s->found->length = (uint8_t)table->entry_length;
    agentx_oid_add(s->found, column->number);
}

static bool table_append(struct agentx_oid *oid, const struct agentx_oid *index)
{
    if (index->length > AGENTX_OID_MAX - oid->length)
        return false;
    memcpy(oid->ids + oid->length, index->ids, index->length * sizeof *oid->ids);
    oid->length = (uint8_t)(oid->length + index->length);
    return true;
}

enum outcome { FOUND, NOT_HERE, BEYOND };

enum { AHEAD = 16 }; // rows that are asked for after a row that comes later

// Whether to go on to the next row: the row is missing, or comes later.
static bool table_goes_on(const struct search *s, enum outcome outcome, unsigned *ahead)
{
    return outcome == NOT_HERE && (s->look->ticket == 0 || ++*ahead < AHEAD);
}

// Copies name and value of the row, if the row has the column.
static enum outcome table_copy_row(const struct search *s)
{
    table_name_column(s, s->look->table, s->look->column);
    const bool has_name = table_append(s->found, &s->look->found);
    const bool has_value = table_read(s->look, s->value);
    if (!table_is_before_end(s))
        return BEYOND;
    return has_name && has_value ? FOUND : NOT_HERE;
}

static enum outcome table_search_column(const struct search *s, const struct table *table,
                                        const struct table_column *column)
{
    struct look *look = s->look;
    struct agentx_oid index = {.length = 0};
    enum outcome outcome = NOT_HERE;
    table_name_column(s, table, column);
    if (!table_is_before_end(s))
        return BEYOND;
    if (table_compare_subtree(s->name, s->found->ids, s->found->length) == 0)
        table_index_of(table, s->name, &index);
    if (s->include && index.length > 0 && table_seek(look, table, column, &index, false))
        outcome = table_copy_row(s);
    for (unsigned ahead = 0; table_goes_on(s, outcome, &ahead); index = look->found) {
        if (!table_seek(look, table, column, &index, true))
            break;
        const bool waits = look->ticket != 0;
        outcome = table_copy_row(s);
        if (waits)
            outcome = NOT_HERE; // a row before it comes first
    }
    return outcome;
}

// Whether the request is about this table: the name is in the table, or above, where a walk of the
// table begins. Else a walk of another table has come to its end.
static bool table_is_meant(const struct table *table, const struct agentx_oid *name)
{
    const size_t length = name->length < table->entry_length ? name->length : table->entry_length;
    return memcmp(name->ids, table->entry, length * sizeof *name->ids) == 0;
}

static bool table_find_next(const struct table_list *list, const struct search *s)
{
    for (size_t t = table_find_table(list, s->name); t < list->count; t++) {
        const struct table *table = list->tables[t];
        for (size_t c = table_find_column(table, s->name); c < table->column_count; c++) {
            if (!table->columns[c].get)
                continue;
            const enum outcome outcome = table_search_column(s, table, &table->columns[c]);
            if (outcome != NOT_HERE || s->look->ticket != 0)
                return outcome == FOUND;
            if (!table_is_meant(table, s->name))
                s->look->sa_away = false; // nobody misses this table
            else if (s->look->sa_away)
                return false;
        }
    }
    return false;
}

bool table_get_next(const struct table_list *list, struct look *look, const struct agentx_oid *name,
                    bool include, const struct agentx_oid *end, struct agentx_oid *found,
                    struct agentx_value *value)
{
    const struct search s = {look, name, end, include, found, value};
    const bool is_found = look->snapshot && table_find_next(list, &s);
    look_end(look);
    if (!look->snapshot)
        table_set_type(value, AGENTX_NOT_NOW);
    else if (is_found && look->ticket == 0 && !look->sa_away)
        return true;
    else
        table_set_missing(look, value); // a row before this one could not be read
    return value->type != AGENTX_NO_SUCH_INSTANCE;
}
