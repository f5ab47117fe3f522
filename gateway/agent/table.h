// Tables as descriptors, and one engine that answers Get and GetNext from them.
#ifndef IBTRAPD_AGENT_TABLE_H
#define IBTRAPD_AGENT_TABLE_H

#include "agent/snapshot.h"
#include "agentx/value.h"

// A row, as a table's `seek` found it. What counts of it is the table's affair.
struct table_row {
    size_t at;           // among the rows, where they can be counted
    uint32_t node, port; // indices in the view's fabric
    uint8_t number;
    struct event *event; // a reference that the engine gives back; NULL: none
};

struct table_column {
    const char *name; // as the MIB has it
    uint32_t number;  // its last sub-identifier
    enum agentx_type type;
    // Fills in what counts for the type, which is set already. False: this row has no such
    // instance. NULL: no row ever has, see mibs/README.md.
    bool (*get)(const struct agent_snapshot *snapshot, const struct table_row *row,
                struct agentx_value *out);
    enum setting_kind setting; // what writing it sets; SETTING_NONE: it cannot be written
};

// A table, or a group of scalars.
struct table {
    const char *name;
    const uint32_t *entry; // OID above the columns; of a group: above the scalars
    size_t entry_length;
    const struct table_column *columns; // readable ones, one at least, ascending by number
    size_t column_count;
    // The row whose index is these ids, or with `after` the first row whose index is greater
    // (length 0: the first of all). On success fills `row`, which comes zeroed, and `found`, the
    // index. Every row is found in lexicographic order of the indices.
    bool (*seek)(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                 bool after, struct table_row *row, struct agentx_oid *found);
};

// For `seek`: the rows are numbered 0 to count - 1 in order of their indices, and `index` appends
// that of one of them to an empty `out`. Binary search.
bool table_seek_sorted(const struct agent_snapshot *snapshot, size_t count,
                       void (*index)(const struct agent_snapshot *snapshot, size_t at,
                                     struct agentx_oid *out),
                       const uint32_t *ids, size_t length, bool after, size_t *at,
                       struct agentx_oid *found);

// For groups of scalars: one row with the index 0.
bool table_seek_scalar(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                       bool after, struct table_row *row, struct agentx_oid *found);

// All tables, ascending by the OID of their first column, and each before the next one's: where a
// table stands between the scalars of a group, these are two groups.
struct table_list {
    const struct table *const *tables;
    size_t count;
};

// As agentx/client.h asks for it. A row whose OID would be too long does not exist. Without a view,
// nothing can be told.
void table_get(const struct table_list *list, const struct agent_snapshot *snapshot,
               const struct agentx_oid *name, struct agentx_value *value);
bool table_get_next(const struct table_list *list, const struct agent_snapshot *snapshot,
                    const struct agentx_oid *name, bool include, const struct agentx_oid *end,
                    struct agentx_oid *found, struct agentx_value *value);

// The column and row of an instance, for a Set. AGENTX_NO_ERROR, or why it cannot be written. Rows
// that can be written have no event.
enum agentx_error table_find_writable(const struct table_list *list,
                                      const struct agent_snapshot *snapshot,
                                      const struct agentx_oid *name,
                                      const struct table_column **column, struct table_row *row);

#endif
