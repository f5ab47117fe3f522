// SPDX-License-Identifier: BSD-2-Clause
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/wire.h"

static bool gsw_counters_find(const struct agent_snapshot *snapshot, const struct table_row *row,
                              uint64_t sums[COUNTER_COUNT])
{
    return accumulated_find(snapshot->accumulated, gsw_node(snapshot, row)->guid, row->number,
                            sums);
}

static bool is_read(const struct agent_snapshot *snapshot, const struct table_row *row)
{
    uint64_t sums[COUNTER_COUNT];
    return gsw_counters_find(snapshot, row, sums);
}

static bool gsw_counters_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                              size_t length, bool after, struct table_row *row,
                              struct agentx_oid *found)
{
    return snapshot->accumulated &&
           gsw_seek_port(snapshot, ids, length, after, is_read, row, found);
}

// The column's counter as a GswCounter64: 16 octets, of which the last eight are the number.
static bool gsw_counters_sum(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    uint8_t octets[16] = {0};
    uint64_t sums[COUNTER_COUNT];
    if (!gsw_counters_find(snapshot, row, sums))
        return false;
    wire_put(octets + 8, 8, sums[row->column->field.field]);
    return put_octets(out, octets, sizeof octets);
}

#define SUM(counter) AGENTX_OCTETS, .get = gsw_counters_sum, .field = {.field = (counter)}

static const struct table_column COLUMNS[] = {
    {"gswIBPortPerfSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswIBPortPerfIndex", 2, AGENTX_INTEGER, .get = gsw_get_port_number},
    {"gswIBSymbolErrorCounter", 3, SUM(COUNTER_SYMBOL_ERROR)},
    {"gswIBLinkErrorRecoveryCounter", 4, SUM(COUNTER_LINK_ERROR_RECOVERY)},
    {"gswIBLinkDownedCounter", 5, SUM(COUNTER_LINK_DOWNED)},
    {"gswIBPortRcvErrors", 6, SUM(COUNTER_RCV_ERRORS)},
    {"gswIBPortRcvRemotePhysicalErrors", 7, SUM(COUNTER_RCV_REMOTE_PHYSICAL_ERRORS)},
    {"gswIBPortRcvSwitchRelayErrors", 8, SUM(COUNTER_RCV_SWITCH_RELAY_ERRORS)},
    {"gswIBPortXmitDiscards", 9, SUM(COUNTER_XMIT_DISCARDS)},
    {"gswIBPortXmitConstraintErrors", 10, SUM(COUNTER_XMIT_CONSTRAINT_ERRORS)},
    {"gswIBPortRcvConstraintErrors", 11, SUM(COUNTER_RCV_CONSTRAINT_ERRORS)},
    {"gswIBLocalLinkIntegrityErrors", 12, SUM(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)},
    {"gswIBExcessiveBufferOverrunErrors", 13, SUM(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)},
    {"gswIBVL15Dropped", 14, SUM(COUNTER_VL15_DROPPED)},
    {"gswIBPortXmitData", 15, SUM(COUNTER_XMIT_DATA)},
    {"gswIBPortRcvData", 16, SUM(COUNTER_RCV_DATA)},
    {"gswIBPortXmitPkts", 17, SUM(COUNTER_XMIT_PKTS)},
    {"gswIBPortRcvPkts", 18, SUM(COUNTER_RCV_PKTS)},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 11, 5, 1};

const struct table GSW_COUNTERS = TABLE("gswIBPortPerfTable", ENTRY, COLUMNS, gsw_counters_seek);
