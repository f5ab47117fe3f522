// SPDX-License-Identifier: BSD-2-Clause
// IB-PMA-MIB: ibPmaPortCntrsTable and ibPmaPortCntrsOptTable. Their values are the registers of the
// port as the last reading had them, not sums: they stop when they are full, and somebody may reset
// them.
#include "agent/device.h"
#include "agent/put.h"
#include "agent/tables.h"

// A port that has 64 bits is asked for these alone: PortCounters is full beyond its own limit.
static bool pma_counters_get(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    struct counter_sample last;
    const enum counter counter = row->column->field.field;
    if (!accumulated_find_last(snapshot->accumulated, device_node(snapshot, row)->guid,
                               device_port(snapshot, row)->number, &last))
        return false;
    const uint64_t limit = counter_limit(counter), value = last.values[counter];
    return put_number(out, (int64_t)(value < limit ? value : limit));
}

#define COUNTER(which) AGENTX_INTEGER, .get = pma_counters_get, .field = {.field = (which)}
#define TRAFFIC(which) AGENTX_GAUGE32, .get = pma_counters_get, .field = {.field = (which)}

static const struct table_column COLUMNS[] = {
    {"ibPmaSymbolErrCounter", 2, COUNTER(COUNTER_SYMBOL_ERROR)},
    {"ibPmaLinkErrRecoveryCntr", 3, COUNTER(COUNTER_LINK_ERROR_RECOVERY)},
    {"ibPmaLinkDownedCntr", 4, COUNTER(COUNTER_LINK_DOWNED)},
    {"ibPmaPortRcvErr", 5, COUNTER(COUNTER_RCV_ERRORS)},
    {"ibPmaPortRcvRemPhysErr", 6, COUNTER(COUNTER_RCV_REMOTE_PHYSICAL_ERRORS)},
    {"ibPmaPortRcvSwitchRelayErr", 7, COUNTER(COUNTER_RCV_SWITCH_RELAY_ERRORS)},
    {"ibPmaPortXmitDiscard", 8, COUNTER(COUNTER_XMIT_DISCARDS)},
    {"ibPmaPortXmitConstraintErr", 9, COUNTER(COUNTER_XMIT_CONSTRAINT_ERRORS)},
    {"ibPmaPortRcvConstraintErr", 10, COUNTER(COUNTER_RCV_CONSTRAINT_ERRORS)},
    {"ibPmaLocalLinkIntegrityErr", 11, COUNTER(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)},
    {"ibPmaExcessBufOverrunErr", 12, COUNTER(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)},
    {"ibPmaVl15Dropped", 13, COUNTER(COUNTER_VL15_DROPPED)},
};

// Without a reading no port has a value, so that nobody asks row by row.
static bool pma_counters_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                              size_t length, bool after, struct table_row *row,
                              struct agentx_oid *found)
{
    return snapshot->accumulated && device_seek_data_port(snapshot, ids, length, after, row, found);
}

static const uint32_t ENTRY[] = {TABLES_PMA_IDS, 1, 1, 1, 1};

const struct table PMA_COUNTERS = TABLE("ibPmaPortCntrsTable", ENTRY, COLUMNS, pma_counters_seek);

static const struct table_column TRAFFIC_COLUMNS[] = {
    {"ibPmaPortXmitData", 2, TRAFFIC(COUNTER_XMIT_DATA)},
    {"ibPmaPortRcvData", 3, TRAFFIC(COUNTER_RCV_DATA)},
    {"ibPmaPortXmitPkts", 4, TRAFFIC(COUNTER_XMIT_PKTS)},
    {"ibPmaPortRcvPkts", 5, TRAFFIC(COUNTER_RCV_PKTS)},
};

static const uint32_t TRAFFIC_ENTRY[] = {TABLES_PMA_IDS, 1, 1, 2, 1};

const struct table PMA_TRAFFIC =
    TABLE("ibPmaPortCntrsOptTable", TRAFFIC_ENTRY, TRAFFIC_COLUMNS, pma_counters_seek);
