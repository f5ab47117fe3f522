// SPDX-License-Identifier: BSD-2-Clause
// Questions to tables for tests, each with a look of its own at the snapshot.
#pragma once

#include "agent/table.h"

static inline void looks_get(const struct table_list *list, struct agent_snapshot *snapshot,
                             const struct agentx_oid *name, struct agentx_value *value)
{
    struct look look = look_at(snapshot);
    table_get(list, &look, name, value);
}

static inline bool looks_next(const struct table_list *list, struct agent_snapshot *snapshot,
                              const struct agentx_oid *name, bool include,
                              const struct agentx_oid *end, struct agentx_oid *found,
                              struct agentx_value *value)
{
    struct look look = look_at(snapshot);
    return table_get_next(list, &look, name, include, end, found, value);
}

// The look then has the row. `device`: index of an end port; FABRIC_NONE: none.
static inline bool looks_seek(const struct table *table, struct agent_snapshot *snapshot,
                              uint32_t device, const uint32_t *ids, size_t length, bool after,
                              struct look *look)
{
    *look = look_at(snapshot);
    look->device = device;
    look->table = table;
    look->column = table->columns;
    look->ids = ids;
    look->length = length;
    look->after = after;
    return table->seek(look);
}
