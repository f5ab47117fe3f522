// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB, from sweeps: ibSmaNodeInfo, ibSmaSwitchInfo, ibSmaMgmtPortInfo, the PortInfo of the
// context's end port, ibSmaPortInfoTable and ibSmaVendDiagInfoTable, of all ports of the device,
// and ibSmaSmInfoTable.
#include "base/search.h"
#include "tables/device.h"
#include "tables/tables.h"

// ibSmaNodeInfo.

enum { DESCRIPTION_MAX = 64, RESERVED_TYPE = 4 }; // of ibSmaNodeString; ibSmaNodeType
enum { NO_PORT = 0 };                             // that the manager's request came by

static bool sma_description(struct look *look, struct agentx_value *out)
{
    const char *text = look_node(look)->description;
    return text[0] != '\0' && put_text(out, text, DESCRIPTION_MAX);
}

static bool sma_type(struct look *look, struct agentx_value *out)
{
    const uint8_t type = look_node(look)->type;
    return put_number(out, type >= FABRIC_CA && type <= FABRIC_ROUTER ? type : RESERVED_TYPE);
}

GETTER(sma_port_guid, put_guid(out, look_port(look)->guid))

static const struct table_column SMA_NODE_COLUMNS[] = {
    {"ibSmaNodeString", 1, AGENTX_OCTETS, .get = sma_description},
    {"ibSmaNodeBaseVersion", 2, AGENTX_GAUGE32, NODE_MEMBER(base_version, FIELD_KNOWN)},
    {"ibSmaNodeClassVersion", 3, AGENTX_GAUGE32, NODE_MEMBER(class_version, FIELD_KNOWN)},
    {"ibSmaNodeType", 4, AGENTX_INTEGER, .get = sma_type},
    {"ibSmaNodeNumPorts", 5, AGENTX_GAUGE32, NODE_MEMBER(port_count, FIELD_NUMBER)},
    {"ibSmaSystemImageGuid", 6, AGENTX_OCTETS, NODE_MEMBER(system_guid, FIELD_OCTETS)},
    {"ibSmaNodeGuid", 7, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmaNodePortGuid", 8, AGENTX_OCTETS, .get = sma_port_guid},
    {"ibSmaNodePartitionTableNum", 9, AGENTX_GAUGE32, NODE_MEMBER(partition_cap, FIELD_KNOWN)},
    {"ibSmaNodeDeviceId", 10, AGENTX_OCTETS, NODE_MEMBER(device, FIELD_OCTETS)},
    {"ibSmaNodeRevision", 11, AGENTX_OCTETS, NODE_MEMBER(revision, FIELD_OCTETS)},
    {"ibSmaNodeLocalPortNumOrZero", 12, AGENTX_GAUGE32, FIELD_CONSTANT(NO_PORT)},
    {"ibSmaNodeVendorId", 13, AGENTX_OCTETS, NODE_MEMBER(vendor, FIELD_BIG_ENDIAN, .most = 3)},
};

const struct table SMA_NODE = {"ibSmaNodeInfo", TABLE_OID(TABLES_SMA_IDS, 1, 1),
                               TABLE_COLUMNS(SMA_NODE_COLUMNS), .seek = table_seek_scalar,
                               .has = device_enter};

// ibSmaSwitchInfo.

#define SWITCH_NUMBER(which) AGENTX_GAUGE32, SWITCH_FIELD(which, FIELD_NUMBER)
#define SWITCH_TRUTH(which)  AGENTX_INTEGER, SWITCH_FIELD(which, FIELD_TRUTH)

static const struct table_column SMA_SWITCH_COLUMNS[] = {
    {"ibSmaSwLinearFdbTableNum", 1, SWITCH_NUMBER(SWITCH_INFO_LINEAR_FDB_CAP)},
    {"ibSmaSwRandomFdbTableNum", 2, SWITCH_NUMBER(SWITCH_INFO_RANDOM_FDB_CAP)},
    {"ibSmaSwMulticastFdbTableNum", 3, SWITCH_NUMBER(SWITCH_INFO_MULTICAST_FDB_CAP)},
    {"ibSmaSwLinearFdbTop", 4, SWITCH_NUMBER(SWITCH_INFO_LINEAR_FDB_TOP)},
    {"ibSmaSwDefaultPort", 5, SWITCH_NUMBER(SWITCH_INFO_DEFAULT_PORT)},
    {"ibSmaSwDefMcastPriPort", 6, SWITCH_NUMBER(SWITCH_INFO_MULTICAST_PRIMARY_PORT)},
    {"ibSmaSwDefMcastNotPriPort", 7, SWITCH_NUMBER(SWITCH_INFO_MULTICAST_NOT_PRIMARY_PORT)},
    {"ibSmaSwLifeTimeValue", 8, SWITCH_NUMBER(SWITCH_INFO_LIFE_TIME_VALUE)},
    {"ibSmaSwPortStateChange", 9, SWITCH_TRUTH(SWITCH_INFO_PORT_STATE_CHANGE)},
    {"ibSmaSwLidsPerPort", 10, SWITCH_NUMBER(SWITCH_INFO_LIDS_PER_PORT)},
    {"ibSmaSwPartitionEnforceNum", 11, SWITCH_NUMBER(SWITCH_INFO_PARTITION_ENFORCEMENT_CAP)},
    {"ibSmaSwInboundEnforceCap", 12, SWITCH_TRUTH(SWITCH_INFO_INBOUND_ENFORCEMENT)},
    {"ibSmaSwOutboundEnforceCap", 13, SWITCH_TRUTH(SWITCH_INFO_OUTBOUND_ENFORCEMENT)},
    {"ibSmaSwFilterRawPktInputCap", 14, SWITCH_TRUTH(SWITCH_INFO_FILTER_RAW_INBOUND)},
    {"ibSmaSwFilterRawPktOutputCap", 15, SWITCH_TRUTH(SWITCH_INFO_FILTER_RAW_OUTBOUND)},
    {"ibSmaSwEnhancedPort0", 16, SWITCH_TRUTH(SWITCH_INFO_ENHANCED_PORT_0)},
};

const struct table SMA_SWITCH = {"ibSmaSwitchInfo", TABLE_OID(TABLES_SMA_IDS, 1, 2),
                                 TABLE_COLUMNS(SMA_SWITCH_COLUMNS), .seek = table_seek_scalar,
                                 .has = device_enter_switch};

// ibSmaMgmtPortInfo.

#define NUMBER(which) AGENTX_GAUGE32, PORT_FIELD(which, FIELD_NUMBER)
#define COUNT(which)  AGENTX_COUNTER32, PORT_FIELD(which, FIELD_NUMBER)
#define TRUTH(which)  AGENTX_INTEGER, PORT_FIELD(which, FIELD_TRUTH)
// A label for 1 up to `last`, and a label for all other numbers; from 0 on, if the labels count
// from 1.
#define LABEL(which, last)                                                                         \
    AGENTX_INTEGER, PORT_FIELD(which, FIELD_LABEL, .least = 1, .most = (last))
#define NEXT_LABEL(which, last) AGENTX_INTEGER, PORT_FIELD(which, FIELD_NEXT_LABEL, .most = (last))
// One bit: of a word with the least significant octet `octet`, or of the last four bits of the
// octet.
#define BIT(octet, bit)      ATTRIBUTE_FIELD((octet) - (bit) / 8, 7 - (bit) % 8, 1)
#define CAPABILITY(bit)      TRUTH(BIT(23, bit))
#define INIT_TYPE(bit)       TRUTH(BIT(37, bit))
#define INIT_TYPE_REPLY(bit) TRUTH(BIT(41, 4 + (bit)))

static const struct table_column SMA_END_PORT_COLUMNS[] = {
    {"ibSmaPortMKey", 1, FIELD_KEY(8)},
    {"ibSmaPortGidPrefix", 2, AGENTX_OCTETS, .get = field_gid_prefix},
    {"ibSmaPortLid", 3, AGENTX_GAUGE32, .get = field_lid},
    {"ibSmaPortMasterSmLid", 4, NUMBER(PORT_INFO_MASTER_SM_LID)},
    {"ibSmaPortIsSubnetManager", 5, CAPABILITY(1)},
    {"ibSmaPortIsNoticeSupported", 6, CAPABILITY(2)},
    {"ibSmaPortIsTrapSupported", 7, CAPABILITY(3)},
    {"ibSmaPortIsAutoMigrateSupported", 8, CAPABILITY(5)},
    {"ibSmaPortIsSlMappingSupported", 9, CAPABILITY(6)},
    {"ibSmaPortIsMKeyNvram", 10, CAPABILITY(7)},
    {"ibSmaPortIsPKeyNvram", 11, CAPABILITY(8)},
    {"ibSmaPortIsLedInfoSupported", 12, CAPABILITY(9)},
    {"ibSmaPortIsSmDisabled", 13, CAPABILITY(10)},
    {"ibSmaPortIsSysImgGuidSupported", 14, CAPABILITY(11)},
    {"ibSmaPortIsPKeyExtPortTrapSup", 15, CAPABILITY(12)},
    {"ibSmaPortIsCommManageSupported", 16, CAPABILITY(16)},
    {"ibSmaPortIsSnmpTunnelSupported", 17, CAPABILITY(17)},
    {"ibSmaPortIsReinitSupported", 18, CAPABILITY(18)},
    {"ibSmaPortIsDevManageSupported", 19, CAPABILITY(19)},
    {"ibSmaPortIsVendorClassSupported", 20, CAPABILITY(20)},
    {"ibSmaPortIsDrNoticeSupported", 21, CAPABILITY(21)},
    {"ibSmaPortIsCapMaskNoticSupported", 22, CAPABILITY(22)},
    {"ibSmaPortIsBootMgmtSupported", 23, CAPABILITY(23)},
    {"ibSmaPortMKeyLeasePeriod", 24, NUMBER(PORT_INFO_MKEY_LEASE_PERIOD)},
    {"ibSmaPortMKeyProtectBits", 25, NEXT_LABEL(PORT_INFO_MKEY_PROTECT_BITS, 3)},
    {"ibSmaPortMasterSmSl", 26, NUMBER(PORT_INFO_MASTER_SM_SL)},
    {"ibSmaPortInitTypeLoad", 27, INIT_TYPE(0)},
    {"ibSmaPortInitTypeContent", 28, INIT_TYPE(1)},
    {"ibSmaPortInitTypePresence", 29, INIT_TYPE(2)},
    {"ibSmaPortInitTypeResuscitate", 30, INIT_TYPE(3)},
    {"ibSmaPortInitNoLoadReply", 31, INIT_TYPE_REPLY(0)},
    {"ibSmaPortInitPreserveContReply", 32, INIT_TYPE_REPLY(1)},
    {"ibSmaPortInitPreservePresReply", 33, INIT_TYPE_REPLY(2)},
    {"ibSmaPortMKeyViolations", 34, COUNT(PORT_INFO_MKEY_VIOLATIONS)},
    {"ibSmaPortPKeyViolations", 35, COUNT(PORT_INFO_PKEY_VIOLATIONS)},
    {"ibSmaPortQKeyViolations", 36, COUNT(PORT_INFO_QKEY_VIOLATIONS)},
    {"ibSmaPortNumGuid", 37, NUMBER(PORT_INFO_GUID_CAP)},
    {"ibSmaPortSubnetTimeout", 38, NUMBER(PORT_INFO_SUBNET_TIMEOUT)},
    {"ibSmaPortResponseTimeValue", 39, NUMBER(PORT_INFO_RESPONSE_TIME)},
};

const struct table SMA_END_PORT = {"ibSmaMgmtPortInfo", TABLE_OID(TABLES_SMA_IDS, 1, 4),
                                   TABLE_COLUMNS(SMA_END_PORT_COLUMNS), .seek = table_seek_scalar,
                                   .has = device_enter};

// ibSmaPortInfoTable.

// Lists of numbers, which a zero ends. 1: 1X, 2: 4X, 8: 12X; 255 and 15 stand for all supported
// widths or speeds.
enum list { WIDTHS_ON, WIDTHS, WIDTH, SPEEDS_ON };

static const uint8_t LISTS[][9] = {
    [WIDTHS_ON] = {1, 2, 3, 8, 9, 10, 11, 255},
    [WIDTHS] = {1, 3, 11},
    [WIDTH] = {1, 2, 8},
    [SPEEDS_ON] = {1, 15},
};

// The label of a number is its place in the list, from 1 on; the label of all other numbers comes
// behind.
static bool sma_listed(struct look *look, struct agentx_value *out)
{
    const struct fabric_port *port = look_port(look);
    const struct table_field *how = &look->column->field;
    const uint32_t number = fabric_port_info(port, how->field);
    const uint8_t *list = LISTS[how->most];
    size_t at = 0;
    while (list[at] != 0 && list[at] != number)
        at++;
    return port->detail.known && put_number(out, (int64_t)at + 1);
}

#define LISTED(list, which)                                                                        \
    AGENTX_INTEGER, .get = sma_listed, .field = {.field = (which), .most = (list)}

enum { STATES = 4, PHYSICAL_STATES = 6, DEFAULT_STATES = 2, MTUS_OR_VLS = 5 };

static const struct table_column SMA_PORTS_COLUMNS[] = {
    {"ibSmaPortLinkWidthEnabled", 2, LISTED(WIDTHS_ON, PORT_INFO_LINK_WIDTH_ENABLED)},
    {"ibSmaPortLinkWidthSupported", 3, LISTED(WIDTHS, PORT_INFO_LINK_WIDTH_SUPPORTED)},
    {"ibSmaPortLinkWidthActive", 4, LISTED(WIDTH, PORT_INFO_LINK_WIDTH_ACTIVE)},
    {"ibSmaPortLinkSpeedSupported", 5, LABEL(PORT_INFO_LINK_SPEED_SUPPORTED, 1)},
    {"ibSmaPortLinkState", 6, LABEL(PORT_INFO_PORT_STATE, STATES)},
    {"ibSmaPortPhysState", 7, LABEL(PORT_INFO_PHYSICAL_STATE, PHYSICAL_STATES)},
    {"ibSmaPortLinkDownDefaultState", 8, LABEL(PORT_INFO_LINK_DOWN_DEFAULT, DEFAULT_STATES)},
    {"ibSmaPortLidMaskCount", 9, NUMBER(PORT_INFO_LMC)},
    {"ibSmaPortLinkSpeedActive", 10, LABEL(PORT_INFO_LINK_SPEED_ACTIVE, 1)},
    {"ibSmaPortLinkSpeedEnabled", 11, LISTED(SPEEDS_ON, PORT_INFO_LINK_SPEED_ENABLED)},
    {"ibSmaPortNeighborMtu", 12, LABEL(PORT_INFO_NEIGHBOR_MTU, MTUS_OR_VLS)},
    {"ibSmaPortVirtLaneSupport", 13, LABEL(PORT_INFO_VL_CAP, MTUS_OR_VLS)},
    {"ibSmaPortVlHighPriorityLimit", 14, NUMBER(PORT_INFO_VL_HIGH_LIMIT)},
    {"ibSmaPortVlArbHighCapacity", 15, NUMBER(PORT_INFO_VL_ARBITRATION_HIGH_CAP)},
    {"ibSmaPortVlArbLowCapacity", 16, NUMBER(PORT_INFO_VL_ARBITRATION_LOW_CAP)},
    {"ibSmaPortMtuCapacity", 17, LABEL(PORT_INFO_MTU_CAP, MTUS_OR_VLS)},
    {"ibSmaPortVlStallCount", 18, NUMBER(PORT_INFO_VL_STALL_COUNT)},
    {"ibSmaPortHeadOfQueueLife", 19, NUMBER(PORT_INFO_HOQ_LIFE)},
    {"ibSmaPortOperationalVls", 20, LABEL(PORT_INFO_OPERATIONAL_VLS, MTUS_OR_VLS)},
    {"ibSmaPortPartEnforceInbound", 21, TRUTH(PORT_INFO_PARTITION_INBOUND)},
    {"ibSmaPortPartEnforceOutbound", 22, TRUTH(PORT_INFO_PARTITION_OUTBOUND)},
    {"ibSmaPortFilterRawPktInbound", 23, TRUTH(PORT_INFO_FILTER_RAW_INBOUND)},
    {"ibSmaPortFilterRawPktOutbound", 24, TRUTH(PORT_INFO_FILTER_RAW_OUTBOUND)},
    {"ibSmaPortLocalPhysErrorThreshold", 25, NUMBER(PORT_INFO_LOCAL_PHY_ERRORS)},
    {"ibSmaPortOverrunErrorThreshold", 26, NUMBER(PORT_INFO_OVERRUN_ERRORS)},
};

const struct table SMA_PORTS = {"ibSmaPortInfoTable", TABLE_OID(TABLES_SMA_IDS, 1, 5, 1, 1),
                                TABLE_COLUMNS(SMA_PORTS_COLUMNS), DEVICE_DATA_PORTS};

// ibSmaVendDiagInfoTable.

// DiagCode has a part for all vendors, a part of the vendor, and a bit: VendorDiag has more.
enum { GENERIC = ATTRIBUTE_FIELD(24, 12, 4), OF_VENDOR = ATTRIBUTE_FIELD(24, 1, 11) };
enum { HAS_MORE = ATTRIBUTE_FIELD(24, 0, 1), GENERIC_CODES = 5 };

static const struct table_column SMA_DIAGNOSTICS_COLUMNS[] = {
    {"ibSmaPortGenericDiagCode", 2, NEXT_LABEL(GENERIC, GENERIC_CODES - 1)},
    {"ibSmaPortVendorDiagCode", 3, NUMBER(OF_VENDOR)},
    {"ibSmaPortVendorDiagIndexFwd", 4, TRUTH(HAS_MORE)},
};

const struct table SMA_DIAGNOSTICS = {"ibSmaVendDiagInfoTable",
                                      TABLE_OID(TABLES_SMA_IDS, 1, 13, 1, 1),
                                      TABLE_COLUMNS(SMA_DIAGNOSTICS_COLUMNS), DEVICE_PORTS};

// ibSmaSmInfoTable, with a row where a subnet manager is at the context's end port.

enum { UNKNOWN_STATE = 5 }; // ibSmaSmState

static bool sma_has_manager(struct look *look)
{
    const struct fabric *fabric = look->fabric;
    const uint64_t guid = look_port(look)->guid;
    SEARCH_FIRST(look->at, 0, fabric->sm_count, fabric->sms[look->at].guid < guid);
    return look->at < fabric->sm_count && fabric->sms[look->at].guid == guid;
}

static bool sma_manager_state(struct look *look, struct agentx_value *out)
{
    const uint8_t state = look->fabric->sms[look->at].state;
    return put_number(out, state <= FABRIC_MASTER ? state + 1 : UNKNOWN_STATE);
}

static const struct table_column SMA_MANAGERS_COLUMNS[] = {
    {"ibSmaSmGuid", 2, AGENTX_OCTETS, SM_MEMBER(guid, FIELD_OCTETS)},
    {"ibSmaSmSmKey", 3, FIELD_KEY(8)},
    {"ibSmaSmSmpCount", 4, AGENTX_COUNTER32, .get = field_sm_activity},
    {"ibSmaSmPriority", 5, AGENTX_GAUGE32, SM_MEMBER(priority, FIELD_NUMBER)},
    {"ibSmaSmState", 6, AGENTX_INTEGER, .get = sma_manager_state},
};

const struct table SMA_MANAGERS = {"ibSmaSmInfoTable", TABLE_OID(TABLES_SMA_IDS, 1, 12, 1, 1, 1),
                                   TABLE_COLUMNS(SMA_MANAGERS_COLUMNS), DEVICE_END_PORT,
                                   .has = sma_has_manager};
