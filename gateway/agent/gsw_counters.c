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

// Sets a GswCounter64: 16 octets, of which the last eight are the number.
static bool put_sum(const struct agent_snapshot *snapshot, const struct table_row *row,
                    enum counter counter, struct agentx_value *out)
{
    uint8_t octets[16] = {0};
    uint64_t sums[COUNTER_COUNT];
    if (!gsw_counters_find(snapshot, row, sums))
        return false;
    wire_put(octets + 8, 8, sums[counter]);
    return put_octets(out, octets, sizeof octets);
}

#define SUM(name, counter)                                                                         \
    static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,           \
                     struct agentx_value *out)                                                     \
    {                                                                                              \
        return put_sum(snapshot, row, counter, out);                                               \
    }

SUM(symbol_error, COUNTER_SYMBOL_ERROR)
SUM(link_error_recovery, COUNTER_LINK_ERROR_RECOVERY)
SUM(link_downed, COUNTER_LINK_DOWNED)
SUM(rcv_errors, COUNTER_RCV_ERRORS)
SUM(rcv_remote_physical_errors, COUNTER_RCV_REMOTE_PHYSICAL_ERRORS)
SUM(rcv_switch_relay_errors, COUNTER_RCV_SWITCH_RELAY_ERRORS)
SUM(xmit_discards, COUNTER_XMIT_DISCARDS)
SUM(xmit_constraint_errors, COUNTER_XMIT_CONSTRAINT_ERRORS)
SUM(rcv_constraint_errors, COUNTER_RCV_CONSTRAINT_ERRORS)
SUM(local_link_integrity_errors, COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)
SUM(excessive_buffer_overrun_errors, COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)
SUM(vl15_dropped, COUNTER_VL15_DROPPED)
SUM(xmit_data, COUNTER_XMIT_DATA)
SUM(rcv_data, COUNTER_RCV_DATA)
SUM(xmit_pkts, COUNTER_XMIT_PKTS)
SUM(rcv_pkts, COUNTER_RCV_PKTS)

static const struct table_column COLUMNS[] = {
    {"gswIBPortPerfSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswIBPortPerfIndex", 2, AGENTX_INTEGER, .get = gsw_get_port_number},
    {"gswIBSymbolErrorCounter", 3, AGENTX_OCTETS, .get = symbol_error},
    {"gswIBLinkErrorRecoveryCounter", 4, AGENTX_OCTETS, .get = link_error_recovery},
    {"gswIBLinkDownedCounter", 5, AGENTX_OCTETS, .get = link_downed},
    {"gswIBPortRcvErrors", 6, AGENTX_OCTETS, .get = rcv_errors},
    {"gswIBPortRcvRemotePhysicalErrors", 7, AGENTX_OCTETS, .get = rcv_remote_physical_errors},
    {"gswIBPortRcvSwitchRelayErrors", 8, AGENTX_OCTETS, .get = rcv_switch_relay_errors},
    {"gswIBPortXmitDiscards", 9, AGENTX_OCTETS, .get = xmit_discards},
    {"gswIBPortXmitConstraintErrors", 10, AGENTX_OCTETS, .get = xmit_constraint_errors},
    {"gswIBPortRcvConstraintErrors", 11, AGENTX_OCTETS, .get = rcv_constraint_errors},
    {"gswIBLocalLinkIntegrityErrors", 12, AGENTX_OCTETS, .get = local_link_integrity_errors},
    {"gswIBExcessiveBufferOverrunErrors", 13, AGENTX_OCTETS,
     .get = excessive_buffer_overrun_errors},
    {"gswIBVL15Dropped", 14, AGENTX_OCTETS, .get = vl15_dropped},
    {"gswIBPortXmitData", 15, AGENTX_OCTETS, .get = xmit_data},
    {"gswIBPortRcvData", 16, AGENTX_OCTETS, .get = rcv_data},
    {"gswIBPortXmitPkts", 17, AGENTX_OCTETS, .get = xmit_pkts},
    {"gswIBPortRcvPkts", 18, AGENTX_OCTETS, .get = rcv_pkts},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 11, 5, 1};

const struct table GSW_COUNTERS = {"gswIBPortPerfTable",
                                   ENTRY,
                                   sizeof ENTRY / sizeof *ENTRY,
                                   COLUMNS,
                                   sizeof COLUMNS / sizeof *COLUMNS,
                                   gsw_counters_seek};
