// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB: ibSmaMgmtPortInfo, which is the PortInfo of the context's end port, and
// ibSmaPortInfoTable and ibSmaVendDiagInfoTable, of all ports of the device.
#include "agent/device.h"
#include "agent/field.h"
#include "agent/put.h"
#include "agent/tables.h"

#define OF_PORT(...)  .get = field_of_port, .field = {__VA_ARGS__}
#define NUMBER(which) AGENTX_GAUGE32, OF_PORT(.field = (which), .form = FIELD_NUMBER)
#define COUNT(which)  AGENTX_COUNTER32, OF_PORT(.field = (which), .form = FIELD_NUMBER)
#define TRUTH(which)  AGENTX_INTEGER, OF_PORT(.field = (which), .form = FIELD_TRUTH)
// A label for 1 up to `last`, and one for all others; from 0 on, if its labels count from 1.
#define LABEL(which, last)                                                                         \
    AGENTX_INTEGER, OF_PORT(.field = (which), .form = FIELD_LABEL, .least = 1, .most = (last))
#define NEXT_LABEL(which, last)                                                                    \
    AGENTX_INTEGER, OF_PORT(.field = (which), .form = FIELD_NEXT_LABEL, .most = (last))
// One bit: of a word whose least significant octet is `octet`, or of the four bits that end there.
#define BIT(octet, bit)      ATTRIBUTE_FIELD((octet) - (bit) / 8, 7 - (bit) % 8, 1)
#define CAPABILITY(bit)      TRUTH(BIT(23, bit))
#define INIT_TYPE(bit)       TRUTH(BIT(37, bit))
#define INIT_TYPE_REPLY(bit) TRUTH(BIT(41, 4 + (bit)))

static bool sma_ports_prefix(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    const struct fabric_port *port = device_port(snapshot, row);
    return port->detail.known && put_guid(out, port->gid_prefix);
}

static bool sma_ports_lid(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    const struct fabric_port *port = device_port(snapshot, row);
    return port->detail.known && put_number(out, port->lid);
}

static const struct table_column END_COLUMNS[] = {
    {"ibSmaPortMKey", 1, AGENTX_OCTETS, .get = field_get_key,
     .field = {.field = ATTRIBUTE_FIELD(0, 0, 64)}},
    {"ibSmaPortGidPrefix", 2, AGENTX_OCTETS, .get = sma_ports_prefix},
    {"ibSmaPortLid", 3, AGENTX_GAUGE32, .get = sma_ports_lid},
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

static const uint32_t END_ENTRY[] = {TABLES_SMA_IDS, 1, 4};

const struct table SMA_END_PORT =
    TABLE("ibSmaMgmtPortInfo", END_ENTRY, END_COLUMNS, device_seek_scalar);

// The label of a number is its place in the list, from 1 on; that of all others comes behind.
static bool sma_ports_put_listed(const struct agent_snapshot *snapshot, const struct table_row *row,
                                 const uint8_t *list, struct agentx_value *out)
{
    const struct fabric_port *port = device_port(snapshot, row);
    const uint32_t number = fabric_port_info(port, row->column->field.field);
    size_t at = 0;
    while (list[at] != 0 && list[at] != number)
        at++;
    return port->detail.known && put_number(out, (int64_t)at + 1);
}

#define LISTED(name, ...)                                                                          \
    static bool sma_ports_##name(const struct agent_snapshot *snapshot,                            \
                                 const struct table_row *row, struct agentx_value *out)            \
    {                                                                                              \
        static const uint8_t LIST[] = {__VA_ARGS__, 0};                                            \
        return sma_ports_put_listed(snapshot, row, LIST, out);                                     \
    }

// 1: 1X, 2: 4X, 8: 12X; 255 and 15 stand for all that the port supports.
LISTED(widths_on, 1, 2, 3, 8, 9, 10, 11, 255)
LISTED(widths, 1, 3, 11)
LISTED(width, 1, 2, 8)
LISTED(speeds_on, 1, 15)

enum { STATES = 4, PHYSICAL_STATES = 6, DEFAULT_STATES = 2, MTUS_OR_VLS = 5 };

static const struct table_column COLUMNS[] = {
    {"ibSmaPortLinkWidthEnabled", 2, AGENTX_INTEGER, .get = sma_ports_widths_on,
     .field = {.field = PORT_INFO_LINK_WIDTH_ENABLED}},
    {"ibSmaPortLinkWidthSupported", 3, AGENTX_INTEGER, .get = sma_ports_widths,
     .field = {.field = PORT_INFO_LINK_WIDTH_SUPPORTED}},
    {"ibSmaPortLinkWidthActive", 4, AGENTX_INTEGER, .get = sma_ports_width,
     .field = {.field = PORT_INFO_LINK_WIDTH_ACTIVE}},
    {"ibSmaPortLinkSpeedSupported", 5, LABEL(PORT_INFO_LINK_SPEED_SUPPORTED, 1)},
    {"ibSmaPortLinkState", 6, LABEL(PORT_INFO_PORT_STATE, STATES)},
    {"ibSmaPortPhysState", 7, LABEL(PORT_INFO_PHYSICAL_STATE, PHYSICAL_STATES)},
    {"ibSmaPortLinkDownDefaultState", 8, LABEL(PORT_INFO_LINK_DOWN_DEFAULT, DEFAULT_STATES)},
    {"ibSmaPortLidMaskCount", 9, NUMBER(PORT_INFO_LMC)},
    {"ibSmaPortLinkSpeedActive", 10, LABEL(PORT_INFO_LINK_SPEED_ACTIVE, 1)},
    {"ibSmaPortLinkSpeedEnabled", 11, AGENTX_INTEGER, .get = sma_ports_speeds_on,
     .field = {.field = PORT_INFO_LINK_SPEED_ENABLED}},
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

static const uint32_t ENTRY[] = {TABLES_SMA_IDS, 1, 5, 1, 1};

const struct table SMA_PORTS = TABLE("ibSmaPortInfoTable", ENTRY, COLUMNS, device_seek_data_port);

// DiagCode has a part that means the same for all vendors, one of the vendor's, and a bit that says
// whether there is more in VendorDiag.
enum { GENERIC = ATTRIBUTE_FIELD(24, 12, 4), OF_VENDOR = ATTRIBUTE_FIELD(24, 1, 11) };
enum { HAS_MORE = ATTRIBUTE_FIELD(24, 0, 1), GENERIC_CODES = 5 };

static const struct table_column DIAGNOSTIC_COLUMNS[] = {
    {"ibSmaPortGenericDiagCode", 2, NEXT_LABEL(GENERIC, GENERIC_CODES - 1)},
    {"ibSmaPortVendorDiagCode", 3, NUMBER(OF_VENDOR)},
    {"ibSmaPortVendorDiagIndexFwd", 4, TRUTH(HAS_MORE)},
};

static const uint32_t DIAGNOSTIC_ENTRY[] = {TABLES_SMA_IDS, 1, 13, 1, 1};

const struct table SMA_DIAGNOSTICS =
    TABLE("ibSmaVendDiagInfoTable", DIAGNOSTIC_ENTRY, DIAGNOSTIC_COLUMNS, device_seek_port);
