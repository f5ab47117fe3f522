// SPDX-License-Identifier: BSD-2-Clause
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/wire.h"

#define PORT(name, expression)                                                                     \
    static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,           \
                     struct agentx_value *out)                                                     \
    {                                                                                              \
        const struct fabric_port *port = gsw_port(snapshot, row);                                  \
        return port->known && put_number(out, expression);                                         \
    }

#define DETAIL(name, field)                                                                        \
    static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,           \
                     struct agentx_value *out)                                                     \
    {                                                                                              \
        const struct fabric_port *port = gsw_port(snapshot, row);                                  \
        return port->detail.known && put_number(out, fabric_port_info(port, field));               \
    }

// Where a field has values that the Architecture Specification reserves, too: these have no
// instance.
#define PORT_UP_TO(name, member, most, expression)                                                 \
    static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,           \
                     struct agentx_value *out)                                                     \
    {                                                                                              \
        const struct fabric_port *port = gsw_port(snapshot, row);                                  \
        return port->known && port->member <= (most) && put_number(out, expression);               \
    }

#define DETAIL_WITHIN(name, field, least, most)                                                    \
    static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,           \
                     struct agentx_value *out)                                                     \
    {                                                                                              \
        const struct fabric_port *port = gsw_port(snapshot, row);                                  \
        const unsigned value = fabric_port_info(port, field), first = least, last = most;          \
        return port->detail.known && value >= first && value <= last && put_number(out, value);    \
    }

enum { ACTIVE_DEFER = 5, PHY_TEST = 7, POLLING = 2, MTU_256 = 1, MTU_4096 = 5 };
enum { VL0 = 1, VL0_TO_VL14 = 5 };

// The MIB counts these numbers from 1.
PORT(width_enabled, port->width_enabled + 1)
PORT(width_supported, port->width_supported + 1)
PORT(width_active, port->width_active + 1)
PORT_UP_TO(state, state, ACTIVE_DEFER, port->state + 1)
PORT_UP_TO(physical_state, physical, PHY_TEST, port->physical + 1)

PORT(speed_enabled, port->speed_enabled)
PORT(speed_supported, port->speed_supported)
PORT(speed_active, port->speed_active)
PORT(lmc, port->lmc)
PORT(capabilities, (int32_t)port->capabilities) // the same 32 bits, signed

DETAIL(diag_code, PORT_INFO_DIAG_CODE)
DETAIL_WITHIN(link_down_default, PORT_INFO_LINK_DOWN_DEFAULT, 0, POLLING)
DETAIL_WITHIN(neighbor_mtu, PORT_INFO_NEIGHBOR_MTU, MTU_256, MTU_4096)
DETAIL_WITHIN(vl_cap, PORT_INFO_VL_CAP, VL0, VL0_TO_VL14)
DETAIL_WITHIN(mtu_cap, PORT_INFO_MTU_CAP, MTU_256, MTU_4096)
DETAIL_WITHIN(operational_vls, PORT_INFO_OPERATIONAL_VLS, VL0, VL0_TO_VL14)
DETAIL(mkey_violations, PORT_INFO_MKEY_VIOLATIONS)
DETAIL(pkey_violations, PORT_INFO_PKEY_VIOLATIONS)
DETAIL(qkey_violations, PORT_INFO_QKEY_VIOLATIONS)
DETAIL(local_phy_errors, PORT_INFO_LOCAL_PHY_ERRORS)
DETAIL(overrun_errors, PORT_INFO_OVERRUN_ERRORS)

static bool put_lid(struct agentx_value *out, uint16_t lid)
{
    uint8_t octets[2];
    wire_put(octets, sizeof octets, lid);
    return put_octets(out, octets, sizeof octets);
}

static bool gsw_ib_ports_lid(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    const struct fabric_port *port = gsw_port(snapshot, row);
    return port->known && put_lid(out, port->lid);
}

static bool sm_lid(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    const struct fabric_port *port = gsw_port(snapshot, row);
    return port->detail.known &&
           put_lid(out, (uint16_t)fabric_port_info(port, PORT_INFO_MASTER_SM_LID));
}

static bool gid_prefix(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out)
{
    const struct fabric_port *port = gsw_port(snapshot, row);
    return port->detail.known && put_guid(out, port->gid_prefix);
}

static bool gsw_ib_ports_reason(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    enum { UNKNOWN = 0 };
    (void)snapshot;
    (void)row;
    return put_number(out, UNKNOWN);
}

static const struct table_column COLUMNS[] = {
    {"gswIBPortSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswIBPortIndex", 2, AGENTX_INTEGER, .get = gsw_get_port_number},
    {"gswIBGidPrefix", 6, AGENTX_OCTETS, .get = gid_prefix},
    {"gswIBLID", 7, AGENTX_OCTETS, .get = gsw_ib_ports_lid},
    {"gswIBMasterSMLID", 8, AGENTX_OCTETS, .get = sm_lid},
    {"gswIBCapabilityMask", 9, AGENTX_INTEGER, .get = capabilities},
    {"gswIBDiagCode", 10, AGENTX_INTEGER, .get = diag_code},
    {"gswIBLinkWidthEnabled", 12, AGENTX_INTEGER, .get = width_enabled},
    {"gswIBLinkWidthSupported", 13, AGENTX_INTEGER, .get = width_supported},
    {"gswIBLinkWidthActive", 14, AGENTX_INTEGER, .get = width_active},
    {"gswIBLinkSpeedSupported", 15, AGENTX_INTEGER, .get = speed_supported},
    {"gswIBPortState", 16, AGENTX_INTEGER, .get = state},
    {"gswIBPortPhysicalState", 17, AGENTX_INTEGER, .get = physical_state},
    {"gswIBLinkDownDefaultState", 18, AGENTX_INTEGER, .get = link_down_default},
    {"gswIBLMC", 20, AGENTX_INTEGER, .get = lmc},
    {"gswIBLinkSpeedActive", 21, AGENTX_INTEGER, .get = speed_active},
    {"gswIBLinkSpeedEnabled", 22, AGENTX_INTEGER, .get = speed_enabled},
    {"gswIBNeighborMTU", 23, AGENTX_INTEGER, .get = neighbor_mtu},
    {"gswIBVLCap", 24, AGENTX_INTEGER, .get = vl_cap},
    {"gswIBMTUCap", 25, AGENTX_INTEGER, .get = mtu_cap},
    {"gswIBOperationalVLs", 28, AGENTX_INTEGER, .get = operational_vls},
    {"gswIBMKeyViolations", 29, AGENTX_INTEGER, .get = mkey_violations},
    {"gswIBPKeyViolations", 30, AGENTX_INTEGER, .get = pkey_violations},
    {"gswIBQKeyViolations", 32, AGENTX_INTEGER, .get = qkey_violations},
    {"gswIBLocalPhyErrors", 36, AGENTX_INTEGER, .get = local_phy_errors},
    {"gswIBOverrunErrors", 37, AGENTX_INTEGER, .get = overrun_errors},
    {"gswIBPortChangeReason", 38, AGENTX_INTEGER, .get = gsw_ib_ports_reason},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 10, 5, 1};

const struct table GSW_IB_PORTS = {"gswIBPortTable",
                                   ENTRY,
                                   sizeof ENTRY / sizeof *ENTRY,
                                   COLUMNS,
                                   sizeof COLUMNS / sizeof *COLUMNS,
                                   gsw_seek_any_port};
