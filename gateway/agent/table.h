// SPDX-License-Identifier: BSD-2-Clause
// Describes tables by lists of columns, and answers Get and GetNext for all of them.
#ifndef IBTRAPD_AGENT_TABLE_H
#define IBTRAPD_AGENT_TABLE_H

#include "agent/box.h"
#include "agent/snapshot.h"
#include "agentx/value.h"

// A row that a table's `seek` found. Each table uses the members that it needs.
struct table_row {
    size_t at;           // number of the row, if the rows are numbered
    uint32_t node, port; // indices in the snapshot's fabric
    uint8_t number;
    uint32_t tail[BOX_LENGTH_MAX];     // the last identifiers of its index
    struct event *event;               // a reference, which table.c drops; NULL: none
    const struct table_column *column; // whose value is wanted; set before `seek`
};

// What a column shows of what its getter has: the field of an attribute, as model/attribute.h
// numbers it, and how (agent/field.h); or the counter (enum counter).
struct table_field {
    uint32_t field;
    uint8_t form;         // enum field_form
    uint16_t least, most; // numbers that have an instance; both 0: all
};

struct table_column {
    const char *name; // in the MIB
    uint32_t number;  // its last sub-identifier
    enum agentx_type type;
    // Fills the value, whose type is set already. False: the row has no value in this column. A
    // NULL function: no row has one; mibs/README.md says why.
    bool (*get)(const struct agent_snapshot *snapshot, const struct table_row *row,
                struct agentx_value *out);
    enum setting_kind setting; // that a Set changes; SETTING_NONE: the column cannot be written
    bool creates;              // or a Set makes or changes a row of agent/paths.h
    bool switches;             // or a Set switches the LED of the row's node (agent/leds.h)
    struct table_field field;  // for getters that many columns share
};

// A table, or a group of scalars.
struct table {
    const char *name;
    const uint32_t *entry; // OID above the columns; for a group, above the scalars
    size_t entry_length;
    const struct table_column *columns; // readable ones, one at least, ascending by number
    size_t column_count;
    // Finds the row whose index is `ids`, or with `after` the first row whose index is greater
    // (length 0: the first row). Fills `row`, which is zeroed but for `column`, and `found`, the
    // row's index. Rows are in lexicographic order of their indices. False: there is no such row,
    // or none that can have a value in the column, so that nobody asks row by row.
    bool (*seek)(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                 bool after, struct table_row *row, struct agentx_oid *found);
};

// Initializes a struct table, whose OID and columns are arrays.
#define TABLE(title, oid, list, find)                                                              \
    {                                                                                              \
        .name = (title), .entry = (oid), .entry_length = sizeof(oid) / sizeof *(oid),              \
        .columns = (list), .column_count = sizeof(list) / sizeof *(list), .seek = (find)           \
    }

// A `seek` by binary search. The rows are numbered 0 to count - 1 in the order of their indices,
// and `index` appends the index of row `at` to an empty `out`.
bool table_seek_sorted(const struct agent_snapshot *snapshot, size_t count,
                       void (*index)(const struct agent_snapshot *snapshot, size_t at,
                                     struct agentx_oid *out),
                       const uint32_t *ids, size_t length, bool after, size_t *at,
                       struct agentx_oid *found);

// The `seek` of a group of scalars: one row, whose index is 0.
bool table_seek_scalar(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                       bool after, struct table_row *row, struct agentx_oid *found);

// All tables, ascending by the OID of their first column. No two may interleave: if a table lies
// between the scalars of a group, split the group in two.
struct table_list {
    const struct table *const *tables;
    size_t count;
};

// The handlers get and get_next of agentx/handler.h. A row whose OID would be too long does not
// exist. Without a snapshot (NULL: the journal could not be read) the answer is AGENTX_NOT_NOW.
// While what a row or its value needs is being read on demand, it is AGENTX_LATER; a GetNext then
// asks for what some more rows need, too. While the SA is away, a table of its is AGENTX_NOT_NOW to
// a walk of that table, and empty to one that comes from another.
void table_get(const struct table_list *list, const struct agent_snapshot *snapshot,
               const struct agentx_oid *name, struct agentx_value *value);
bool table_get_next(const struct table_list *list, const struct agent_snapshot *snapshot,
                    const struct agentx_oid *name, bool include, const struct agentx_oid *end,
                    struct agentx_oid *found, struct agentx_value *value);

// Finds the column and row of an instance for a Set. AGENTX_NO_ERROR, or why it cannot be written.
// The row of a column that can be written has no event.
enum agentx_error table_find_writable(const struct table_list *list,
                                      const struct agent_snapshot *snapshot,
                                      const struct agentx_oid *name,
                                      const struct table_column **column, struct table_row *row);

// The column of a name whose rows are made by Sets, and the row's index. NULL: it is none.
const struct table_column *table_find_creatable(const struct table_list *list,
                                                const struct agentx_oid *name,
                                                struct agentx_oid *index);

#endif
