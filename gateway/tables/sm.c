// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: the tables of nodes, ports, switches, links and subnet managers, from sweeps.
#include "tables/sm.h"

#include "agent/column.h"
#include "base/wire.h"
#include "tables/tables.h"

enum { ENABLE = 1, ROW_ACTIVE = 1 };
enum { MTU_OR_VLS_MAX = 5, ACTIVE_DEFER = 5, PHY_TEST = 7, LINK_DOWN_MAX = 3 };

// Rows.

void sm_add_guid(struct agentx_oid *oid, uint64_t guid)
{
    uint8_t octets[sizeof guid];
    wire_put(octets, sizeof octets, guid);
    agentx_oid_add_octets(oid, octets, sizeof octets);
}

void sm_add_prefix(struct look *look)
{
    sm_add_guid(&look->found, look->fabric->subnet_prefix);
}

bool sm_get_prefix(struct look *look, struct agentx_value *out)
{
    return put_guid(out, look->fabric->subnet_prefix);
}

static size_t sm_count_nodes(struct look *look)
{
    return look->fabric ? look->fabric->node_count : 0;
}

static void sm_enter_node(struct look *look)
{
    look->node = (uint32_t)look->at;
    sm_add_prefix(look);
    sm_add_guid(&look->found, look_node(look)->guid);
}

// The fabric's ports ascend by node and number.
static size_t sm_count_ports(struct look *look)
{
    return look->fabric ? look->fabric->port_count : 0;
}

static void sm_enter_port(struct look *look)
{
    look->port = (uint32_t)look->at;
    look->node = fabric_node_of_port(look->fabric, look->port);
    look->number = look_port(look)->number;
    sm_add_prefix(look);
    sm_add_guid(&look->found, look_node(look)->guid);
    agentx_oid_add(&look->found, look->number);
}

bool sm_seek_box(struct look *look)
{
    enum { NODE_LENGTH = 16 }; // of the index of a node
    const size_t count = sm_count_nodes(look);
    const size_t used = look->length < NODE_LENGTH ? look->length : NODE_LENGTH;
    const size_t first = table_search(look, count, sm_enter_node, used);
    for (size_t at = first; at < count; at++) {
        table_enter(look, at, sm_enter_node);
        const bool within = at == first && look->length > NODE_LENGTH &&
                            agentx_oid_compare(look->found.ids, NODE_LENGTH, look->ids, used) == 0;
        if (!within && !look->after)
            return false;
        if (table_seek_box(look, within ? look->ids + NODE_LENGTH : NULL,
                           within ? look->length - NODE_LENGTH : 0))
            return true;
        if (!look->after)
            return false;
    }
    return false;
}

// ibSmConfigTable, with one row, for the master subnet manager. Its settings are in files of its
// host: a column has a value only if a MAD tells the value.

static size_t sm_count_masters(struct look *look)
{
    return look->fabric && fabric_master(look->fabric) != FABRIC_NONE;
}

static void sm_enter_master(struct look *look)
{
    look->at = fabric_master(look->fabric);
    look->node = look->fabric->sms[look->at].node;
    look->port = fabric_find_port(look->fabric, look->node, look->fabric->sms[look->at].port);
    sm_add_prefix(look);
}

// A setting of the subnet manager at its own port.
GETTER(sm_master_port, look->port != FABRIC_NONE && field_of_port(look, out))

#define OF_MASTER(which)                                                                           \
    AGENTX_INTEGER, .get = sm_master_port, .field = {.field = (which), .form = FIELD_NUMBER}

static const struct table_column SM_CONFIG_COLUMNS[] = {
    {"ibSmConfigSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmConfigGUID", 2, AGENTX_OCTETS, SM_MEMBER(guid, FIELD_OCTETS)},
    {"ibSmConfigPriority", 3, AGENTX_INTEGER, SM_MEMBER(priority, FIELD_NUMBER)},
    {"ibSmConfigSMKey", 4, FIELD_KEY(8)},
    {"ibSmConfigAdminStatus", 5, AGENTX_INTEGER, FIELD_CONSTANT(ENABLE)},
    {"ibSmConfigOperStatus", 6, AGENTX_INTEGER, SM_MEMBER(state, FIELD_NUMBER)},
    {"ibSmConfigActCount", 7, AGENTX_COUNTER32, .get = field_sm_activity},
    {"ibSmConfigStatus", 8, AGENTX_INTEGER, FIELD_CONSTANT(ROW_ACTIVE)},
    {"ibSmConfigSweepInterval", 9, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigResponseTimeout", 10, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigPortAgingTime", 11, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMinUnicastLID", 12, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMaxUnicastLID", 13, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigDefaultLMC", 14, OF_MASTER(PORT_INFO_LMC)},
    {"ibSmConfigMasterPollInterval", 15, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMasterPollRetries", 16, AGENTX_INTEGER, .get = NULL},
    {"ibSmConfigMKeyLeasePeriod", 17, OF_MASTER(PORT_INFO_MKEY_LEASE_PERIOD)},
};

const struct table SM_CONFIG = {"ibSmConfigTable", TABLE_OID(TABLES_SM_IDS, 1, 1, 1, 1),
                                TABLE_COLUMNS(SM_CONFIG_COLUMNS),
                                TABLE_SORTED(sm_count_masters, sm_enter_master)};

// ibSmNodeInfoTable.

GETTER(sm_local_port,
       look_node(look)->partition_cap != 0 && put_number(out, look_node(look)->local_port))

static const struct table_column SM_NODES_COLUMNS[] = {
    {"ibSmNodeInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmNodeInfoNodeGUID", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmNodeInfoBaseVersion", 3, AGENTX_INTEGER, NODE_MEMBER(base_version, FIELD_KNOWN)},
    {"ibSmNodeInfoClassVersion", 4, AGENTX_INTEGER, NODE_MEMBER(class_version, FIELD_KNOWN)},
    {"ibSmNodeInfoType", 5, AGENTX_INTEGER, NODE_MEMBER(type, FIELD_NUMBER)},
    {"ibSmNodeInfoNumPorts", 6, AGENTX_INTEGER, NODE_MEMBER(port_count, FIELD_NUMBER)},
    {"ibSmNodeInfoSystemImageGUID", 7, AGENTX_OCTETS, NODE_MEMBER(system_guid, FIELD_OCTETS)},
    {"ibSmNodeInfoPortGUID", 8, AGENTX_OCTETS, .get = field_node_port_guid},
    {"ibSmNodeInfoPartitionCap", 9, AGENTX_INTEGER, NODE_MEMBER(partition_cap, FIELD_KNOWN)},
    {"ibSmNodeInfoDeviceID", 10, AGENTX_OCTETS, NODE_MEMBER(device, FIELD_OCTETS)},
    {"ibSmNodeInfoRevision", 11, AGENTX_OCTETS, NODE_MEMBER(revision, FIELD_OCTETS)},
    {"ibSmNodeInfoLocalPortNum", 12, AGENTX_INTEGER, .get = sm_local_port},
    {"ibSmNodeInfoVendorID", 13, AGENTX_OCTETS, NODE_MEMBER(vendor, FIELD_BIG_ENDIAN, .most = 3)},
    {"ibSmNodeInfoDescription", 14, AGENTX_OCTETS, .get = field_node_description},
};

const struct table SM_NODES = {"ibSmNodeInfoTable", TABLE_OID(TABLES_SM_IDS, 1, 2, 1, 1),
                               TABLE_COLUMNS(SM_NODES_COLUMNS),
                               TABLE_SORTED(sm_count_nodes, sm_enter_node)};

// ibSmPortInfoTable.

#define NUMBER(which)      AGENTX_INTEGER, PORT_FIELD(which, FIELD_NUMBER)
#define UP_TO(which, last) AGENTX_INTEGER, PORT_FIELD(which, FIELD_NUMBER, .most = (last))
#define MTU_OR_VLS(which)                                                                          \
    AGENTX_INTEGER, PORT_FIELD(which, FIELD_LABEL, .least = 1, .most = MTU_OR_VLS_MAX)
#define TRUTH(which)  AGENTX_INTEGER, PORT_FIELD(which, FIELD_TRUTH)
#define OCTETS(which) AGENTX_OCTETS, PORT_FIELD(which, FIELD_OCTETS)

static const struct table_column SM_PORTS_COLUMNS[] = {
    {"ibSmPortInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmPortInfoNodeGUID", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmPortInfoLocalPortNum", 3, AGENTX_INTEGER, .get = field_row_number},
    {"ibSmPortInfoMKey", 4, FIELD_KEY(8)},
    {"ibSmPortInfoGIDPrefix", 5, AGENTX_OCTETS, .get = field_gid_prefix},
    {"ibSmPortInfoLID", 6, AGENTX_INTEGER, .get = field_lid},
    {"ibSmPortInfoMasterSmLID", 7, NUMBER(PORT_INFO_MASTER_SM_LID)},
    {"ibSmPortInfoCapMask", 8, OCTETS(PORT_INFO_CAPABILITY_MASK)},
    {"ibSmPortInfoDiagCode", 9, OCTETS(PORT_INFO_DIAG_CODE)},
    {"ibSmPortInfoMKeyLeasePeriod", 10, NUMBER(PORT_INFO_MKEY_LEASE_PERIOD)},
    {"ibSmPortInfoLinkWidthEnabled", 11, NUMBER(PORT_INFO_LINK_WIDTH_ENABLED)},
    {"ibSmPortInfoLinkWidthSupported", 12, NUMBER(PORT_INFO_LINK_WIDTH_SUPPORTED)},
    {"ibSmPortInfoLinkWidthActive", 13, NUMBER(PORT_INFO_LINK_WIDTH_ACTIVE)},
    {"ibSmPortInfoLinkSpeedSupported", 14, NUMBER(PORT_INFO_LINK_SPEED_SUPPORTED)},
    {"ibSmPortInfoState", 15, UP_TO(PORT_INFO_PORT_STATE, ACTIVE_DEFER)},
    {"ibSmPortInfoPhyState", 16, UP_TO(PORT_INFO_PHYSICAL_STATE, PHY_TEST)},
    {"ibSmPortInfoLinkDownDefState", 17, UP_TO(PORT_INFO_LINK_DOWN_DEFAULT, LINK_DOWN_MAX)},
    {"ibSmPortInfoMKeyProtBits", 18, NUMBER(PORT_INFO_MKEY_PROTECT_BITS)},
    {"ibSmPortInfoLMC", 19, NUMBER(PORT_INFO_LMC)},
    {"ibSmPortInfoLinkSpeedActive", 20, NUMBER(PORT_INFO_LINK_SPEED_ACTIVE)},
    {"ibSmPortInfoLinkSpeedEnabled", 21, NUMBER(PORT_INFO_LINK_SPEED_ENABLED)},
    {"ibSmPortInfoNeighborMTU", 22, MTU_OR_VLS(PORT_INFO_NEIGHBOR_MTU)},
    {"ibSmPortInfoMasterSmSL", 23, NUMBER(PORT_INFO_MASTER_SM_SL)},
    {"ibSmPortInfoVLCap", 24, MTU_OR_VLS(PORT_INFO_VL_CAP)},
    {"ibSmPortInfoVLHighLimit", 25, NUMBER(PORT_INFO_VL_HIGH_LIMIT)},
    {"ibSmPortInfoVLArbHighCap", 26, NUMBER(PORT_INFO_VL_ARBITRATION_HIGH_CAP)},
    {"ibSmPortInfoVLArbLowCap", 27, NUMBER(PORT_INFO_VL_ARBITRATION_LOW_CAP)},
    {"ibSmPortInfoMTUCap", 28, MTU_OR_VLS(PORT_INFO_MTU_CAP)},
    {"ibSmPortInfoVLStallCount", 29, NUMBER(PORT_INFO_VL_STALL_COUNT)},
    {"ibSmPortInfoHOQLife", 30, NUMBER(PORT_INFO_HOQ_LIFE)},
    {"ibSmPortInfoOperVL", 31, MTU_OR_VLS(PORT_INFO_OPERATIONAL_VLS)},
    {"ibSmPortInfoInPartEnforce", 32, TRUTH(PORT_INFO_PARTITION_INBOUND)},
    {"ibSmPortInfoOutPartEnforce", 33, TRUTH(PORT_INFO_PARTITION_OUTBOUND)},
    {"ibSmPortInfoInFilterRawPktEnf", 34, TRUTH(PORT_INFO_FILTER_RAW_INBOUND)},
    {"ibSmPortInfoOutFilterRawPktEnf", 35, TRUTH(PORT_INFO_FILTER_RAW_OUTBOUND)},
    {"ibSmPortInfoMKeyViolation", 36, NUMBER(PORT_INFO_MKEY_VIOLATIONS)},
    {"ibSmPortInfoPKeyViolation", 37, NUMBER(PORT_INFO_PKEY_VIOLATIONS)},
    {"ibSmPortInfoQKeyViolation", 38, NUMBER(PORT_INFO_QKEY_VIOLATIONS)},
    {"ibSmPortInfoGUIDCap", 39, NUMBER(PORT_INFO_GUID_CAP)},
    {"ibSmPortInfoSubnetTimeout", 40, NUMBER(PORT_INFO_SUBNET_TIMEOUT)},
    {"ibSmPortInfoRespTime", 41, NUMBER(PORT_INFO_RESPONSE_TIME)},
    {"ibSmPortInfoLocalPhyError", 42, NUMBER(PORT_INFO_LOCAL_PHY_ERRORS)},
    {"ibSmPortInfoOverrunError", 43, NUMBER(PORT_INFO_OVERRUN_ERRORS)},
    {"ibSmPortInfoInitType", 44, OCTETS(PORT_INFO_INIT_TYPE)},
    {"ibSmPortInfoInitTypeReply", 45, OCTETS(PORT_INFO_INIT_TYPE_REPLY)},
};

const struct table SM_PORTS = {"ibSmPortInfoTable", TABLE_OID(TABLES_SM_IDS, 1, 3, 1, 1),
                               TABLE_COLUMNS(SM_PORTS_COLUMNS),
                               TABLE_SORTED(sm_count_ports, sm_enter_port)};

// ibSmSwitchInfoTable.

#define SWITCH_NUMBER(which) AGENTX_INTEGER, SWITCH_FIELD(which, FIELD_NUMBER)
#define SWITCH_TRUTH(which)  AGENTX_INTEGER, SWITCH_FIELD(which, FIELD_TRUTH)

static const struct table_column SM_SWITCHES_COLUMNS[] = {
    {"ibSmSwitchInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmSwitchInfoNodeGUID", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmSwitchInfoLinearFdbCap", 3, SWITCH_NUMBER(SWITCH_INFO_LINEAR_FDB_CAP)},
    {"ibSmSwitchInfoRandomFdbCap", 4, SWITCH_NUMBER(SWITCH_INFO_RANDOM_FDB_CAP)},
    {"ibSmSwitchInfoMcastFdbCap", 5, SWITCH_NUMBER(SWITCH_INFO_MULTICAST_FDB_CAP)},
    {"ibSmSwitchInfoLinearFdbTop", 6, SWITCH_NUMBER(SWITCH_INFO_LINEAR_FDB_TOP)},
    {"ibSmSwitchInfoDefaultPort", 7, SWITCH_NUMBER(SWITCH_INFO_DEFAULT_PORT)},
    {"ibSmSwitchInfoDefPriMcastPort", 8, SWITCH_NUMBER(SWITCH_INFO_MULTICAST_PRIMARY_PORT)},
    {"ibSmSwitchInfoDefNonPriMcastPort", 9, SWITCH_NUMBER(SWITCH_INFO_MULTICAST_NOT_PRIMARY_PORT)},
    {"ibSmSwitchInfoLifeTimeValue", 10, SWITCH_NUMBER(SWITCH_INFO_LIFE_TIME_VALUE)},
    {"ibSmSwitchInfoPortStateChange", 11, SWITCH_NUMBER(SWITCH_INFO_PORT_STATE_CHANGE)},
    {"ibSmSwitchInfoLIDsPerPort", 12, SWITCH_NUMBER(SWITCH_INFO_LIDS_PER_PORT)},
    {"ibSmSwitchInfoPartitionEnfCap", 13, SWITCH_NUMBER(SWITCH_INFO_PARTITION_ENFORCEMENT_CAP)},
    {"ibSmSwitchInfoInEnfCap", 14, SWITCH_TRUTH(SWITCH_INFO_INBOUND_ENFORCEMENT)},
    {"ibSmSwitchInfoOutEnfCap", 15, SWITCH_TRUTH(SWITCH_INFO_OUTBOUND_ENFORCEMENT)},
    {"ibSmSwitchInfoInFilterRawPktCap", 16, SWITCH_TRUTH(SWITCH_INFO_FILTER_RAW_INBOUND)},
    {"ibSmSwitchInfoOutFilterRawPktCap", 17, SWITCH_TRUTH(SWITCH_INFO_FILTER_RAW_OUTBOUND)},
    {"ibSmSwitchInfoEnhanced0", 18, SWITCH_TRUTH(SWITCH_INFO_ENHANCED_PORT_0)},
};

static bool sm_has_switch(struct look *look)
{
    return look_node(look)->switch_info.known;
}

const struct table SM_SWITCHES = {
    "ibSmSwitchInfoTable", TABLE_OID(TABLES_SM_IDS, 1, 4, 1, 1), TABLE_COLUMNS(SM_SWITCHES_COLUMNS),
    TABLE_SORTED(sm_count_nodes, sm_enter_node), .has = sm_has_switch};

// ibSmSMInfoTable. The master has its row in ibSmConfigTable, all others have their rows here.

static size_t sm_count_managers(struct look *look)
{
    return look->fabric ? look->fabric->sm_count : 0;
}

static void sm_enter_manager(struct look *look)
{
    sm_add_prefix(look);
    sm_add_guid(&look->found, look->fabric->sms[look->at].guid);
}

static bool sm_has_manager(struct look *look)
{
    return look->at != fabric_master(look->fabric);
}

static const struct table_column SM_MANAGERS_COLUMNS[] = {
    {"ibSmSMInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmSMInfoGUID", 2, AGENTX_OCTETS, SM_MEMBER(guid, FIELD_OCTETS)},
    {"ibSmSMInfoSMKey", 3, FIELD_KEY(2)},
    {"ibSmSMInfoActCount", 4, AGENTX_INTEGER, .get = field_sm_activity},
    {"ibSmSMInfoPriority", 5, AGENTX_INTEGER, SM_MEMBER(priority, FIELD_NUMBER)},
    {"ibSmSMInfoSMState", 6, AGENTX_INTEGER, SM_MEMBER(state, FIELD_NUMBER)},
};

const struct table SM_MANAGERS = {
    "ibSmSMInfoTable", TABLE_OID(TABLES_SM_IDS, 1, 8, 1, 1), TABLE_COLUMNS(SM_MANAGERS_COLUMNS),
    TABLE_SORTED(sm_count_managers, sm_enter_manager), .has = sm_has_manager};

// ibSmLinkTable, with a row for either end of each link.

static bool sm_has_link(struct look *look)
{
    return look_port(look)->peer_node != FABRIC_NONE;
}

GETTER(sm_link_to_node, put_guid(out, look_peer(look)->guid))
GETTER(sm_link_to_port, put_number(out, look_port(look)->peer_port))

static const struct table_column SM_LINKS_COLUMNS[] = {
    {"ibSmLinkSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmLinkFromNodeGUID", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmLinkFromPortNum", 3, AGENTX_INTEGER, .get = field_row_number},
    {"ibSmLinkToNodeGUID", 4, AGENTX_OCTETS, .get = sm_link_to_node},
    {"ibSmLinkToPortNum", 5, AGENTX_INTEGER, .get = sm_link_to_port},
};

const struct table SM_LINKS = {"ibSmLinkTable", TABLE_OID(TABLES_SM_IDS, 1, 9, 1, 1),
                               TABLE_COLUMNS(SM_LINKS_COLUMNS),
                               TABLE_SORTED(sm_count_ports, sm_enter_port), .has = sm_has_link};
