// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmSwitchInfoTable.
#include "agent/field.h"
#include "agent/sm.h"
#include "agent/tables.h"

#define NUMBER(which)                                                                              \
    AGENTX_INTEGER, .get = field_of_switch, .field = {.field = (which), .form = FIELD_NUMBER}
#define TRUTH(which)                                                                               \
    AGENTX_INTEGER, .get = field_of_switch, .field = {.field = (which), .form = FIELD_TRUTH}

static const struct table_column COLUMNS[] = {
    {"ibSmSwitchInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmSwitchInfoNodeGUID", 2, AGENTX_OCTETS, .get = sm_get_node_guid},
    {"ibSmSwitchInfoLinearFdbCap", 3, NUMBER(SWITCH_INFO_LINEAR_FDB_CAP)},
    {"ibSmSwitchInfoRandomFdbCap", 4, NUMBER(SWITCH_INFO_RANDOM_FDB_CAP)},
    {"ibSmSwitchInfoMcastFdbCap", 5, NUMBER(SWITCH_INFO_MULTICAST_FDB_CAP)},
    {"ibSmSwitchInfoLinearFdbTop", 6, NUMBER(SWITCH_INFO_LINEAR_FDB_TOP)},
    {"ibSmSwitchInfoDefaultPort", 7, NUMBER(SWITCH_INFO_DEFAULT_PORT)},
    {"ibSmSwitchInfoDefPriMcastPort", 8, NUMBER(SWITCH_INFO_MULTICAST_PRIMARY_PORT)},
    {"ibSmSwitchInfoDefNonPriMcastPort", 9, NUMBER(SWITCH_INFO_MULTICAST_NOT_PRIMARY_PORT)},
    {"ibSmSwitchInfoLifeTimeValue", 10, NUMBER(SWITCH_INFO_LIFE_TIME_VALUE)},
    {"ibSmSwitchInfoPortStateChange", 11, NUMBER(SWITCH_INFO_PORT_STATE_CHANGE)},
    {"ibSmSwitchInfoLIDsPerPort", 12, NUMBER(SWITCH_INFO_LIDS_PER_PORT)},
    {"ibSmSwitchInfoPartitionEnfCap", 13, NUMBER(SWITCH_INFO_PARTITION_ENFORCEMENT_CAP)},
    {"ibSmSwitchInfoInEnfCap", 14, TRUTH(SWITCH_INFO_INBOUND_ENFORCEMENT)},
    {"ibSmSwitchInfoOutEnfCap", 15, TRUTH(SWITCH_INFO_OUTBOUND_ENFORCEMENT)},
    {"ibSmSwitchInfoInFilterRawPktCap", 16, TRUTH(SWITCH_INFO_FILTER_RAW_INBOUND)},
    {"ibSmSwitchInfoOutFilterRawPktCap", 17, TRUTH(SWITCH_INFO_FILTER_RAW_OUTBOUND)},
    {"ibSmSwitchInfoEnhanced0", 18, TRUTH(SWITCH_INFO_ENHANCED_PORT_0)},
};

static bool sm_switches_has(const struct fabric_node *node)
{
    return node->switch_info.known;
}

static bool sm_switches_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found)
{
    return sm_seek_node(snapshot, ids, length, after, sm_switches_has, row, found);
}

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 4, 1, 1};

const struct table SM_SWITCHES = {"ibSmSwitchInfoTable",
                                  ENTRY,
                                  sizeof ENTRY / sizeof *ENTRY,
                                  COLUMNS,
                                  sizeof COLUMNS / sizeof *COLUMNS,
                                  sm_switches_seek};
