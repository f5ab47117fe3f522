// SPDX-License-Identifier: BSD-2-Clause
// IB-IF-MIB: ibIfPortStatTable. Its counters shall not stop (5.0 of the draft): they are the sums
// of the port's registers, modulo 2^32.
#include "agent/device.h"
#include "agent/put.h"
#include "agent/tables.h"

static bool if_errors_get(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    uint64_t sums[COUNTER_COUNT];
    return accumulated_find(snapshot->accumulated, device_node(snapshot, row)->guid,
                            device_port(snapshot, row)->number, sums) &&
           put_number(out, (int64_t)(sums[row->column->field.field] & UINT32_MAX));
}

#define SUM(which) AGENTX_COUNTER32, .get = if_errors_get, .field = {.field = (which)}

// Those without a getter are in attributes that a reading does not have (PortRcvErrorDetails,
// PortXmitDiscardDetails).
static const struct table_column COLUMNS[] = {
    {"ibIfPortSymbolErrs", 2, SUM(COUNTER_SYMBOL_ERROR)},
    {"ibIfPortLinkErrRecovery", 3, SUM(COUNTER_LINK_ERROR_RECOVERY)},
    {"ibIfPortLinkDowned", 4, SUM(COUNTER_LINK_DOWNED)},
    {"ibIfPortStatLocalPhyErrs", 5, AGENTX_COUNTER32, .get = NULL},
    {"ibIfPortStatMalPktErrs", 6, AGENTX_COUNTER32, .get = NULL},
    {"ibIfPortStatRcvRemPhyErrs", 7, SUM(COUNTER_RCV_REMOTE_PHYSICAL_ERRORS)},
    {"ibIfPortStatRcvConstrErrs", 8, SUM(COUNTER_RCV_CONSTRAINT_ERRORS)},
    {"ibIfPortStatInactDiscards", 9, AGENTX_COUNTER32, .get = NULL},
    {"ibIfPortStatNeighMTUDiscards", 10, AGENTX_COUNTER32, .get = NULL},
    {"ibIfPortStatSwLifetimeDiscards", 11, AGENTX_COUNTER32, .get = NULL},
    {"ibIfPortStatHOQLifetimeDiscards", 12, AGENTX_COUNTER32, .get = NULL},
    {"ibIfPortStatLinkIntergrityErrs", 13, SUM(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)},
    {"ibIfPortStatExcBufOverrunErrs", 14, SUM(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)},
    {"ibIfPortStatVL15Dropped", 15, SUM(COUNTER_VL15_DROPPED)},
};

static bool if_errors_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found)
{
    return snapshot->accumulated && device_seek_port(snapshot, ids, length, after, row, found);
}

static const uint32_t ENTRY[] = {TABLES_INFINIBAND_IDS, 2, 1, 1, 1};

const struct table IF_ERRORS = TABLE("ibIfPortStatTable", ENTRY, COLUMNS, if_errors_seek);
