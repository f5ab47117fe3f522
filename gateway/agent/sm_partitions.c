// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmPartitionTable, from the SA's P_KeyTableRecords. A partition is named by its P_Key
// with the membership bit set.
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/sm_records.h"
#include "agent/tables.h"

enum { PKEY_SIZE = 2, PARTITION_ELEMENT_SIZE = 10 };

static bool sm_partitions_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    return sm_records_seek(snapshot, RECORDS_PARTITIONS, ids, length, after, row, found);
}

static bool sm_partitions_pkey(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    const struct records *records = snapshot->records[RECORDS_PARTITIONS];
    return put_octets(out, records_index(records, row->at), PKEY_SIZE);
}

static bool sm_partitions_element_size(const struct agent_snapshot *snapshot,
                                       const struct table_row *row, struct agentx_value *out)
{
    (void)snapshot, (void)row;
    return put_number(out, PARTITION_ELEMENT_SIZE);
}

static const struct table_column COLUMNS[] = {
    {"ibSmPartitionSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmPartitionKey", 2, AGENTX_OCTETS, .get = sm_partitions_pkey},
    {"ibSmPartitionVectorIndex", 3, AGENTX_INTEGER, .get = sm_records_piece,
     .field = {.field = RECORDS_PARTITIONS}},
    {"ibSmPartitionVector", 4, AGENTX_OCTETS, .get = sm_records_vector,
     .field = {.field = RECORDS_PARTITIONS}},
    {"ibSmPartitionVectorSize", 5, AGENTX_INTEGER, .get = sm_records_vector_size,
     .field = {.field = RECORDS_PARTITIONS}},
    {"ibSmPartitionVectorElementSize", 6, AGENTX_INTEGER, .get = sm_partitions_element_size},
    {"ibSmPartitionLastChange", 7, AGENTX_TIME_TICKS, .get = NULL},
};

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 5, 1, 1};

const struct table SM_PARTITIONS = {"ibSmPartitionTable",
                                    ENTRY,
                                    sizeof ENTRY / sizeof *ENTRY,
                                    COLUMNS,
                                    sizeof COLUMNS / sizeof *COLUMNS,
                                    sm_partitions_seek};
