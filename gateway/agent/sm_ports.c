// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmPortInfoTable.
#include "agent/field.h"
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/tables.h"

static bool sm_ports_prefix(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    const struct fabric_port *port = sm_port(snapshot, row);
    return port->detail.known && put_guid(out, port->gid_prefix);
}

static bool sm_ports_lid(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    const struct fabric_port *port = sm_port(snapshot, row);
    return port->detail.known && put_number(out, port->lid);
}

enum { MTU_OR_VLS_MAX = 5, ACTIVE_DEFER = 5, PHY_TEST = 7, LINK_DOWN_MAX = 3 };

#define OF_PORT(...)  .get = field_of_port, .field = {__VA_ARGS__}
#define NUMBER(which) AGENTX_INTEGER, OF_PORT(.field = (which), .form = FIELD_NUMBER)
#define NUMBER_UP_TO(which, last)                                                                  \
    AGENTX_INTEGER, OF_PORT(.field = (which), .form = FIELD_NUMBER, .most = (last))
#define MTU_OR_VLS(which)                                                                          \
    AGENTX_INTEGER,                                                                                \
        OF_PORT(.field = (which), .form = FIELD_LABEL, .least = 1, .most = MTU_OR_VLS_MAX)
#define TRUTH(which)  AGENTX_INTEGER, OF_PORT(.field = (which), .form = FIELD_TRUTH)
#define OCTETS(which) AGENTX_OCTETS, OF_PORT(.field = (which), .form = FIELD_OCTETS)
#define KEY(octets)                                                                                \
    AGENTX_OCTETS, .get = field_get_key,                                                           \
                   .field = {.field = ATTRIBUTE_FIELD(0, 0, (octets)*8), .form = FIELD_OCTETS}

static const struct table_column COLUMNS[] = {
    {"ibSmPortInfoSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmPortInfoNodeGUID", 2, AGENTX_OCTETS, .get = sm_get_node_guid},
    {"ibSmPortInfoLocalPortNum", 3, AGENTX_INTEGER, .get = sm_get_port_number},
    {"ibSmPortInfoMKey", 4, KEY(8)},
    {"ibSmPortInfoGIDPrefix", 5, AGENTX_OCTETS, .get = sm_ports_prefix},
    {"ibSmPortInfoLID", 6, AGENTX_INTEGER, .get = sm_ports_lid},
    {"ibSmPortInfoMasterSmLID", 7, NUMBER(PORT_INFO_MASTER_SM_LID)},
    {"ibSmPortInfoCapMask", 8, OCTETS(PORT_INFO_CAPABILITY_MASK)},
    {"ibSmPortInfoDiagCode", 9, OCTETS(PORT_INFO_DIAG_CODE)},
    {"ibSmPortInfoMKeyLeasePeriod", 10, NUMBER(PORT_INFO_MKEY_LEASE_PERIOD)},
    {"ibSmPortInfoLinkWidthEnabled", 11, NUMBER(PORT_INFO_LINK_WIDTH_ENABLED)},
    {"ibSmPortInfoLinkWidthSupported", 12, NUMBER(PORT_INFO_LINK_WIDTH_SUPPORTED)},
    {"ibSmPortInfoLinkWidthActive", 13, NUMBER(PORT_INFO_LINK_WIDTH_ACTIVE)},
    {"ibSmPortInfoLinkSpeedSupported", 14, NUMBER(PORT_INFO_LINK_SPEED_SUPPORTED)},
    {"ibSmPortInfoState", 15, NUMBER_UP_TO(PORT_INFO_PORT_STATE, ACTIVE_DEFER)},
    {"ibSmPortInfoPhyState", 16, NUMBER_UP_TO(PORT_INFO_PHYSICAL_STATE, PHY_TEST)},
    {"ibSmPortInfoLinkDownDefState", 17, NUMBER_UP_TO(PORT_INFO_LINK_DOWN_DEFAULT, LINK_DOWN_MAX)},
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

static bool sm_ports_has(const struct fabric_port *port)
{
    (void)port;
    return true;
}

static bool sm_ports_seek(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                          bool after, struct table_row *row, struct agentx_oid *found)
{
    return sm_seek_port(snapshot, ids, length, after, sm_ports_has, row, found);
}

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 3, 1, 1};

const struct table SM_PORTS = {"ibSmPortInfoTable",
                               ENTRY,
                               sizeof ENTRY / sizeof *ENTRY,
                               COLUMNS,
                               sizeof COLUMNS / sizeof *COLUMNS,
                               sm_ports_seek};
