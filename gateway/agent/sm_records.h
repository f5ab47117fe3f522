// SPDX-License-Identifier: BSD-2-Clause
// Functions for those tables of the IB-SM-MIB whose rows the SA has (records.h). They are asked for
// when a snapshot first needs them, and the snapshot's from then on.
#ifndef IBTRAPD_AGENT_SM_RECORDS_H
#define IBTRAPD_AGENT_SM_RECORDS_H

#include "agent/table.h"

// The `seek` of such a table: the index is the subnet prefix, that of the record and, of
// a vector, the number of the piece. Fills `at`, the number of the row.
bool sm_records_seek(const struct agent_snapshot *snapshot, enum records_kind kind,
                     const uint32_t *ids, size_t length, bool after, struct table_row *row,
                     struct agentx_oid *found);

// Columns of tables whose rows are pieces of a vector; `field` of the column is its enum
// records_kind.
bool sm_records_piece(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out);
bool sm_records_vector(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out);
bool sm_records_vector_size(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out);

#endif
