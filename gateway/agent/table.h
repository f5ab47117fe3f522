// SPDX-License-Identifier: BSD-2-Clause
// Describes tables by lists of columns, and answers Get and GetNext for all of them.
// Decides: When does a row of a table have no instance in a column?
#pragma once

#include "agent/look.h"
#include "agentx/value.h"

// The part of a row that a column shows: the field of an attribute, by model/attribute.h, or the
// offset of a member of a struct, and how (agent/column.h); or the counter (enum counter); or
// another number for the getter.
struct table_field {
    uint32_t field;
    uint16_t size;        // of the member
    uint8_t form;         // enum field_form
    uint16_t least, most; // numbers that have an instance; both 0: all
};

struct table_column {
    const char *name; // in the MIB
    uint32_t number;  // its last sub-identifier
    enum agentx_type type;
    // Fills the value of the look's row; the type is set already. Returns false if the row has no
    // value in this column. A NULL function: no row has a value; mibs/README.md says why.
    bool (*get)(struct look *look, struct agentx_value *out);
    enum setting_kind setting; // that a Set changes; SETTING_NONE: the column cannot be written
    bool creates;              // or a Set makes or changes a row of agent/paths.h
    bool switches;             // or a Set switches the LED of the row's node (agent/leds.h)
    struct table_field field;  // for getters that many columns share
};

// Defines a getter that returns the expression of `look` and `out`.
#define GETTER(name, expression)                                                                   \
    static bool name(struct look *look, struct agentx_value *out)                                  \
    {                                                                                              \
        (void)look;                                                                                \
        return expression;                                                                         \
    }

// The possible ends of indices: each identifier from `first` to `last`.
struct table_box {
    uint32_t first[LOOK_TAIL_MAX], last[LOOK_TAIL_MAX];
    size_t length;
};

// A table, or a group of scalars.
struct table {
    const char *name;
    const uint32_t *entry; // OID above the columns; for a group, above the scalars
    size_t entry_length;
    const struct table_column *columns; // readable ones, one at least, ascending by number
    size_t column_count;
    // Finds the row whose index is look->ids, or with look->after the first row whose index is
    // greater (length 0: the first row). Fills the look's members of the row, which are zeroed.
    // Rows are in lexicographic order of their indices. Returns false if there is no such row.
    // Returns false also if no row can have a value in the column: then nobody asks row by row.
    bool (*seek)(struct look *look);

    // For a shared `seek`, whose comment says which members are used.
    size_t (*count)(struct look *look); // how many rows
    void (*enter)(struct look *look);   // fills row look->at, and appends its index to look->found
    bool (*has)(struct look *look);     // whether the row is there; may fill its members
    const struct table_box *box;
    bool counted;  // without a reading of counters, the table has no row
    uint32_t kind; // a number for functions of several tables
};

#define TABLE_OID(...)                                                                             \
    .entry = (const uint32_t[]){__VA_ARGS__},                                                      \
    .entry_length = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define TABLE_BOX(seeking, having, ends) .seek = (seeking), .has = (having), .box = (ends)
#define TABLE_SORTED(how_many, entering)                                                           \
    .seek = table_seek_sorted, .count = (how_many), .enter = (entering)
#define TABLE_COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof *(list)

// The `seek` of a group of scalars: one row, whose index is 0. Uses `has`; NULL: the row is there.
bool table_seek_scalar(struct look *look);

// A `seek` by binary search among `count` rows with ascending indices, which `enter` fills. `has`
// leaves rows out (NULL: none), and may set look->at to the last of several missing rows. A NULL
// `count`: there are no rows.
bool table_seek_sorted(struct look *look);

// Parts of other seeks.

// Fills row `at`.
void table_enter(struct look *look, size_t at, void (*enter)(struct look *look));

// Returns the number of the first of `count` rows whose index is not less than the first `length`
// of look->ids.
size_t table_search(struct look *look, size_t count, void (*enter)(struct look *look),
                    size_t length);

// Finds the row whose index ends with `ids`, or with look->after the first row whose index ends
// with more than `ids`, within the table's `box`, for which `has` returns true of look->tail.
// Appends the end to look->found. `has` may skip further ends.
bool table_seek_box(struct look *look, const uint32_t *ids, size_t length);

// Sets look->tail, from that place on, to the last end in the box. Returns false: a `has` can end
// with this call.
bool table_skip(struct look *look, size_t from);

// All tables, ascending by the OID of their first column. No two may interleave: if a table lies
// between the scalars of a group, split the group in two.
struct table_list {
    const struct table *const *tables;
    size_t count;
    const struct table_root {
        const uint32_t *ids;
        size_t length;
    } * roots; // above all tables, to be registered at a master agent
    size_t root_count;
};

// The handlers get and get_next of agentx/options.h. A row whose OID would be too long does not
// exist. Without a snapshot the answer is AGENTX_NOT_NOW. While a row or its value is being read on
// demand, the answer is AGENTX_LATER; a GetNext then asks for the values of some more rows, too.
// While the SA is away, a table of the SA is AGENTX_NOT_NOW to a walk of that table, and empty to a
// walk that comes from another table. Both end the look.
void table_get(const struct table_list *list, struct look *look, const struct agentx_oid *name,
               struct agentx_value *value);
bool table_get_next(const struct table_list *list, struct look *look, const struct agentx_oid *name,
                    bool include, const struct agentx_oid *end, struct agentx_oid *found,
                    struct agentx_value *value);

// Finds the column and row of an instance for a Set: look->column and the members of the row.
// AGENTX_NO_ERROR, or why the instance cannot be written. The row of a column that can be written
// has no event.
enum agentx_error table_find_writable(const struct table_list *list, struct look *look,
                                      const struct agentx_oid *name);

// The column of a name whose rows are made by Sets, and the row's index. Returns NULL if it is
// none.
const struct table_column *table_find_creatable(const struct table_list *list,
                                                const struct agentx_oid *name,
                                                struct agentx_oid *index);
