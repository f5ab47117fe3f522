// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB: ibSmaNodeInfo and ibSmaSwitchInfo.
#include "agent/device.h"
#include "agent/field.h"
#include "agent/put.h"
#include "agent/tables.h"

enum { DESCRIPTION_MAX = 64, RESERVED_TYPE = 4 }; // of ibSmaNodeString; ibSmaNodeType

static unsigned sma_node_kind(const struct fabric_node *node)
{
    const bool is_known = node->type >= FABRIC_CA && node->type <= FABRIC_ROUTER;
    return is_known ? node->type : RESERVED_TYPE;
}

#define NODE(name, expression)                                                                     \
    static bool sma_node_##name(const struct agent_snapshot *snapshot,                             \
                                const struct table_row *row, struct agentx_value *out)             \
    {                                                                                              \
        const struct fabric_node *node = device_node(snapshot, row);                               \
        return expression;                                                                         \
    }

NODE(description, node->description[0] != '\0' && put_text(out, node->description, DESCRIPTION_MAX))
NODE(base_version, put_known(out, node->base_version))
NODE(class_version, put_known(out, node->class_version))
NODE(type, put_number(out, sma_node_kind(node)))
NODE(num_ports, put_number(out, node->port_count))
NODE(system_guid, put_guid(out, node->system_guid))
NODE(guid, put_guid(out, node->guid))
NODE(partitions, put_known(out, node->partition_cap))
NODE(device, put_big_endian(out, node->device, 2))
NODE(revision, put_big_endian(out, node->revision, 4))
NODE(vendor, put_big_endian(out, node->vendor, 3))

static bool sma_node_port_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    return put_guid(out, device_port(snapshot, row)->guid);
}

// The port that the manager's request came by: none.
static bool sma_node_local_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_number(out, 0);
}

static const struct table_column NODE_COLUMNS[] = {
    {"ibSmaNodeString", 1, AGENTX_OCTETS, .get = sma_node_description},
    {"ibSmaNodeBaseVersion", 2, AGENTX_GAUGE32, .get = sma_node_base_version},
    {"ibSmaNodeClassVersion", 3, AGENTX_GAUGE32, .get = sma_node_class_version},
    {"ibSmaNodeType", 4, AGENTX_INTEGER, .get = sma_node_type},
    {"ibSmaNodeNumPorts", 5, AGENTX_GAUGE32, .get = sma_node_num_ports},
    {"ibSmaSystemImageGuid", 6, AGENTX_OCTETS, .get = sma_node_system_guid},
    {"ibSmaNodeGuid", 7, AGENTX_OCTETS, .get = sma_node_guid},
    {"ibSmaNodePortGuid", 8, AGENTX_OCTETS, .get = sma_node_port_guid},
    {"ibSmaNodePartitionTableNum", 9, AGENTX_GAUGE32, .get = sma_node_partitions},
    {"ibSmaNodeDeviceId", 10, AGENTX_OCTETS, .get = sma_node_device},
    {"ibSmaNodeRevision", 11, AGENTX_OCTETS, .get = sma_node_revision},
    {"ibSmaNodeLocalPortNumOrZero", 12, AGENTX_GAUGE32, .get = sma_node_local_port},
    {"ibSmaNodeVendorId", 13, AGENTX_OCTETS, .get = sma_node_vendor},
};

static const uint32_t NODE_ENTRY[] = {TABLES_SMA_IDS, 1, 1};

const struct table SMA_NODE = TABLE("ibSmaNodeInfo", NODE_ENTRY, NODE_COLUMNS, device_seek_scalar);

#define NUMBER(which)                                                                              \
    AGENTX_GAUGE32, .get = field_of_switch, .field = {.field = (which), .form = FIELD_NUMBER}
#define TRUTH(which)                                                                               \
    AGENTX_INTEGER, .get = field_of_switch, .field = {.field = (which), .form = FIELD_TRUTH}

static const struct table_column SWITCH_COLUMNS[] = {
    {"ibSmaSwLinearFdbTableNum", 1, NUMBER(SWITCH_INFO_LINEAR_FDB_CAP)},
    {"ibSmaSwRandomFdbTableNum", 2, NUMBER(SWITCH_INFO_RANDOM_FDB_CAP)},
    {"ibSmaSwMulticastFdbTableNum", 3, NUMBER(SWITCH_INFO_MULTICAST_FDB_CAP)},
    {"ibSmaSwLinearFdbTop", 4, NUMBER(SWITCH_INFO_LINEAR_FDB_TOP)},
    {"ibSmaSwDefaultPort", 5, NUMBER(SWITCH_INFO_DEFAULT_PORT)},
    {"ibSmaSwDefMcastPriPort", 6, NUMBER(SWITCH_INFO_MULTICAST_PRIMARY_PORT)},
    {"ibSmaSwDefMcastNotPriPort", 7, NUMBER(SWITCH_INFO_MULTICAST_NOT_PRIMARY_PORT)},
    {"ibSmaSwLifeTimeValue", 8, NUMBER(SWITCH_INFO_LIFE_TIME_VALUE)},
    {"ibSmaSwPortStateChange", 9, TRUTH(SWITCH_INFO_PORT_STATE_CHANGE)},
    {"ibSmaSwLidsPerPort", 10, NUMBER(SWITCH_INFO_LIDS_PER_PORT)},
    {"ibSmaSwPartitionEnforceNum", 11, NUMBER(SWITCH_INFO_PARTITION_ENFORCEMENT_CAP)},
    {"ibSmaSwInboundEnforceCap", 12, TRUTH(SWITCH_INFO_INBOUND_ENFORCEMENT)},
    {"ibSmaSwOutboundEnforceCap", 13, TRUTH(SWITCH_INFO_OUTBOUND_ENFORCEMENT)},
    {"ibSmaSwFilterRawPktInputCap", 14, TRUTH(SWITCH_INFO_FILTER_RAW_INBOUND)},
    {"ibSmaSwFilterRawPktOutputCap", 15, TRUTH(SWITCH_INFO_FILTER_RAW_OUTBOUND)},
    {"ibSmaSwEnhancedPort0", 16, TRUTH(SWITCH_INFO_ENHANCED_PORT_0)},
};

static const uint32_t SWITCH_ENTRY[] = {TABLES_SMA_IDS, 1, 2};

const struct table SMA_SWITCH =
    TABLE("ibSmaSwitchInfo", SWITCH_ENTRY, SWITCH_COLUMNS, device_seek_switch);
