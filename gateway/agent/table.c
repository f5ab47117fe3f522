// SPDX-License-Identifier: BSD-2-Clause
#include "agent/table.h"

#include "base/search.h"

#include <assert.h>
#include <string.h>

// Sets `found` to the index of row `at`, and compares it with `ids`: negative, 0, positive.
static int table_compare(const struct agent_snapshot *snapshot,
                         void (*index)(const struct agent_snapshot *snapshot, size_t at,
                                       struct agentx_oid *out),
                         size_t at, const uint32_t *ids, size_t length, struct agentx_oid *found)
{
    found->length = 0;
    index(snapshot, at, found);
    return agentx_oid_compare(found->ids, found->length, ids, length);
}

bool table_seek_sorted(const struct agent_snapshot *snapshot, size_t count,
                       void (*index)(const struct agent_snapshot *snapshot, size_t at,
                                     struct agentx_oid *out),
                       const uint32_t *ids, size_t length, bool after, size_t *at,
                       struct agentx_oid *found)
{
    int most =
        after ? 0 : -1; // the result of table_compare for rows before the wanted one, at most
    SEARCH_FIRST(*at, 0, count, table_compare(snapshot, index, *at, ids, length, found) <= most);
    if (*at == count)
        return false;
    int order = table_compare(snapshot, index, *at, ids, length, found);
    return after || order == 0;
}

bool table_seek_scalar(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                       bool after, struct table_row *row, struct agentx_oid *found)
{
    (void)snapshot;
    (void)row;
    if (after ? length > 0 : length != 1 || ids[0] != 0)
        return false;
    found->length = 1;
    found->ids[0] = 0;
    return true;
}

// Compares a name with the subtree of an OID: negative: before; 0: in it; positive: after.
static int table_compare_subtree(const struct agentx_oid *name, const uint32_t *ids, size_t length)
{
    if (name->length >= length)
        return agentx_oid_compare(name->ids, length, ids, length);
    int order = agentx_oid_compare(name->ids, name->length, ids, length);
    return order < 0 ? -1 : order;
}

// Whether the table's first column comes after the name.
static bool begins_after(const struct table *table, const struct agentx_oid *name)
{
    int order = table_compare_subtree(name, table->entry, table->entry_length);
    if (order != 0)
        return order < 0;
    return name->length <= table->entry_length ||
           name->ids[table->entry_length] < table->columns[0].number;
}

// The only table that can have the name: the last one whose first column does not come after it, or
// the first table.
static size_t find_table(const struct table_list *list, const struct agentx_oid *name)
{
    size_t after_name;
    SEARCH_FIRST(after_name, 0, list->count, !begins_after(list->tables[after_name], name));
    return after_name > 0 ? after_name - 1 : 0;
}

// The index of the first column whose number is not less than the one in the name; column_count:
// there is none.
static size_t find_column(const struct table *table, const struct agentx_oid *name)
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
static const struct table_column *
column_of(const struct table_list *list, const struct agentx_oid *name, const struct table **table)
{
    if (list->count == 0)
        return NULL;
    *table = list->tables[find_table(list, name)];
    if (name->length <= (*table)->entry_length ||
        table_compare_subtree(name, (*table)->entry, (*table)->entry_length) != 0)
        return NULL;
    size_t at = find_column(*table, name);
    bool is_it = at < (*table)->column_count &&
                 (*table)->columns[at].number == name->ids[(*table)->entry_length];
    return is_it ? &(*table)->columns[at] : NULL;
}

static void set_type(struct agentx_value *value, enum agentx_type type)
{
    value->type = type;
    value->number = 0;
    value->size = 0;
    value->oid.length = 0;
}

// Reads the column's value of a row, and drops the row's event.
static bool read_row(const struct agent_snapshot *snapshot, const struct table_column *column,
                     struct table_row *row, struct agentx_value *value)
{
    set_type(value, column->type);
    bool has = column->get(snapshot, row, value);
    event_unref(row->event);
    row->event = NULL;
    return has;
}

// The answer where there is no value: it cannot be found now, comes later, or does not exist.
static void table_set_missing(const struct agent_snapshot *snapshot, struct agentx_value *value)
{
    const bool sa_away = snapshot_sa_was_away(snapshot);
    const int64_t ticket = snapshot_take_ticket(snapshot);
    set_type(value, sa_away ? AGENTX_NOT_NOW : ticket ? AGENTX_LATER : AGENTX_NO_SUCH_INSTANCE);
    value->number = ticket;
}

static bool seek_instance(const struct agent_snapshot *snapshot, const struct table *table,
                          const struct table_column *column, const struct agentx_oid *name,
                          struct table_row *row)
{
    struct agentx_oid index;
    size_t above = table->entry_length + 1;
    *row = (struct table_row){.column = column};
    return name->length > above &&
           table->seek(snapshot, name->ids + above, name->length - above, false, row, &index);
}

void table_get(const struct table_list *list, const struct agent_snapshot *snapshot,
               const struct agentx_oid *name, struct agentx_value *value)
{
    const struct table *table;
    const struct table_column *column = column_of(list, name, &table);
    struct table_row row;
    if (!column)
        set_type(value, AGENTX_NO_SUCH_OBJECT);
    else if (!snapshot)
        set_type(value, AGENTX_NOT_NOW);
    else if (!column->get || !seek_instance(snapshot, table, column, name, &row) ||
             !read_row(snapshot, column, &row, value))
        table_set_missing(snapshot, value);
}

enum agentx_error table_find_writable(const struct table_list *list,
                                      const struct agent_snapshot *snapshot,
                                      const struct agentx_oid *name,
                                      const struct table_column **column, struct table_row *row)
{
    const struct table *table;
    *column = column_of(list, name, &table);
    if (!*column || ((*column)->setting == SETTING_NONE && !(*column)->switches))
        return AGENTX_NOT_WRITABLE;
    if (!seek_instance(snapshot, table, *column, name, row))
        return AGENTX_NO_CREATION;
    assert(!row->event);
    return AGENTX_NO_ERROR;
}

const struct table_column *table_find_creatable(const struct table_list *list,
                                                const struct agentx_oid *name,
                                                struct agentx_oid *index)
{
    const struct table *table;
    const struct table_column *column = column_of(list, name, &table);
    if (!column || !column->creates)
        return NULL;
    const size_t above = table->entry_length + 1;
    index->length = (uint8_t)(name->length - above);
    memcpy(index->ids, name->ids + above, index->length * sizeof *index->ids);
    return column;
}

// A GetNext: the request, and the place of the answer.
struct search {
    const struct agent_snapshot *snapshot;
    const struct agentx_oid *name, *end;
    bool include;
    struct agentx_oid *found;
    struct agentx_value *value;
};

static bool is_before_end(const struct search *s, const struct agentx_oid *oid)
{
    return s->end->length == 0 ||
           agentx_oid_compare(oid->ids, oid->length, s->end->ids, s->end->length) < 0;
}

static void name_column(const struct table *table, const struct table_column *column,
                        struct agentx_oid *out)
{
    memcpy(out->ids, table->entry, table->entry_length * sizeof *out->ids);
    out->length = (uint8_t)table->entry_length;
    agentx_oid_add(out, column->number);
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

enum { AHEAD = 16 }; // rows after one that comes later, for which it is asked as well

// Whether to go on to the next row: this one is not there, or comes later.
static bool table_goes_on(const struct search *s, enum outcome outcome, unsigned *ahead)
{
    return outcome == NOT_HERE && (s->snapshot->ticket == 0 || ++*ahead < AHEAD);
}

// Copies name and value of a row that was found, if it has this column.
static enum outcome table_copy_row(const struct search *s, const struct table *table,
                                   const struct table_column *column, struct table_row *row,
                                   const struct agentx_oid *index)
{
    name_column(table, column, s->found);
    bool has_name = table_append(s->found, index);
    bool has_value = read_row(s->snapshot, column, row, s->value);
    if (!is_before_end(s, s->found))
        return BEYOND;
    return has_name && has_value ? FOUND : NOT_HERE;
}

static enum outcome search_column(const struct search *s, const struct table *table,
                                  const struct table_column *column)
{
    name_column(table, column, s->found);
    if (!is_before_end(s, s->found))
        return BEYOND;
    struct agentx_oid index = {.length = 0};
    bool exact = false;
    if (table_compare_subtree(s->name, s->found->ids, s->found->length) == 0) {
        index.length = (uint8_t)(s->name->length - s->found->length);
        memcpy(index.ids, s->name->ids + s->found->length, index.length * sizeof *index.ids);
        exact = s->include && index.length > 0;
    }
    enum outcome outcome = NOT_HERE;
    struct table_row row = {.column = column};
    struct agentx_oid next;
    if (exact && table->seek(s->snapshot, index.ids, index.length, false, &row, &next))
        outcome = table_copy_row(s, table, column, &row, &index);
    for (unsigned ahead = 0; table_goes_on(s, outcome, &ahead); index = next) {
        row = (struct table_row){.column = column};
        if (!table->seek(s->snapshot, index.ids, index.length, true, &row, &next))
            break;
        const bool waits = s->snapshot->ticket != 0;
        outcome = table_copy_row(s, table, column, &row, &next);
        if (waits)
            outcome = NOT_HERE; // a row before it comes first
    }
    return outcome;
}

// Whether the request is about this table: its name is in there, or above it, where a walk of it
// begins. Else a walk of another table has come to its end.
static bool table_is_meant(const struct table *table, const struct agentx_oid *name)
{
    const size_t length = name->length < table->entry_length ? name->length : table->entry_length;
    return memcmp(name->ids, table->entry, length * sizeof *name->ids) == 0;
}

static bool find_next(const struct table_list *list, const struct search *s)
{
    for (size_t t = find_table(list, s->name); t < list->count; t++) {
        const struct table *table = list->tables[t];
        for (size_t c = find_column(table, s->name); c < table->column_count; c++) {
            if (!table->columns[c].get)
                continue;
            enum outcome outcome = search_column(s, table, &table->columns[c]);
            if (outcome != NOT_HERE || s->snapshot->ticket != 0)
                return outcome == FOUND;
            if (!table_is_meant(table, s->name))
                snapshot_pass_over(s->snapshot);
            else if (s->snapshot->sa_away)
                return false;
        }
    }
    return false;
}

bool table_get_next(const struct table_list *list, const struct agent_snapshot *snapshot,
                    const struct agentx_oid *name, bool include, const struct agentx_oid *end,
                    struct agentx_oid *found, struct agentx_value *value)
{
    const struct search s = {snapshot, name, end, include, found, value};
    bool is_found = snapshot && find_next(list, &s);
    if (!snapshot)
        set_type(value, AGENTX_NOT_NOW);
    else if (is_found && snapshot->ticket == 0 && !snapshot->sa_away)
        return true;
    else
        table_set_missing(snapshot, value); // a row before this one could not be read
    return value->type != AGENTX_NO_SUCH_INSTANCE;
}
