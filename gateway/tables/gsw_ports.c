// SPDX-License-Identifier: BSD-2-Clause
// IBSWITCH-MIB: the tables with rows for ports of elements, by GswGlobalId and port.
#include "agent/column.h"
#include "base/search.h"
#include "base/wire.h"
#include "tables/gsw.h"
#include "tables/tables.h"

#define PORTS(which) TABLE_SORTED(gsw_ports_count, gsw_ports_enter), .has = (which)

enum { TYPE_INFINIBAND = 2, LINK_UP = 1, REASON_UNKNOWN = 0 }; // of the MIB

static size_t gsw_ports_count(struct look *look)
{
    return look->fabric ? look->fabric->port_count : 0;
}

static void gsw_ports_enter(struct look *look)
{
    look->port = (uint32_t)look->at;
    look->node = fabric_node_of_port(look->fabric, look->port);
    look->number = look_port(look)->number;
    gsw_add_id(&look->found, look_node(look));
    agentx_oid_add(&look->found, look->number);
}

// Whether the row's node is an element. Skips the ports of other nodes up to the next element.
static bool gsw_ports_has(struct look *look)
{
    const struct agent_snapshot *s = look->snapshot;
    size_t next;
    if (fabric_is_element(look_node(look)->type))
        return true;
    SEARCH_FIRST(next, 0, s->switch_count, s->switches[next] < look->node);
    look->at = (next < s->switch_count ? look->fabric->nodes[s->switches[next]].first_port
                                       : look->fabric->port_count) -
               1;
    return false;
}

// gswPortComTable.

static const struct table_column GSW_PORTS_COLUMNS[] = {
    {"gswPortComSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswPortComNum", 2, AGENTX_INTEGER, .get = field_row_number},
    {"gswPortComType", 3, AGENTX_INTEGER, FIELD_CONSTANT(TYPE_INFINIBAND)},
    {"gswPortComName", 4, AGENTX_OCTETS, .get = NULL},
};

const struct table GSW_PORTS = {"gswPortComTable", TABLE_OID(TABLES_GSW_IDS, 2, 4, 1),
                                TABLE_COLUMNS(GSW_PORTS_COLUMNS), PORTS(gsw_ports_has)};

// gswTopoComTable: links to other elements, not to hosts.

static bool gsw_ports_has_link(struct look *look)
{
    return gsw_ports_has(look) && look_port(look)->peer_node != FABRIC_NONE &&
           fabric_is_element(look_peer(look)->type);
}

GETTER(gsw_ports_peer_id, gsw_put_id(out, look_peer(look)))
GETTER(gsw_ports_peer_port, put_number(out, look_port(look)->peer_port))

static const struct table_column GSW_LINKS_COLUMNS[] = {
    {"gswTopoComSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswTopoComPortIndex", 2, AGENTX_INTEGER, .get = field_row_number},
    {"gswTopoComNbSwitchId", 3, AGENTX_OCTETS, .get = gsw_ports_peer_id},
    {"gswTopoComNbSwitchPort", 4, AGENTX_INTEGER, .get = gsw_ports_peer_port},
    {"gswTopoComSwitchStatus", 5, AGENTX_INTEGER, FIELD_CONSTANT(LINK_UP)},
};

const struct table GSW_LINKS = {"gswTopoComTable", TABLE_OID(TABLES_GSW_IDS, 5, 1, 1),
                                TABLE_COLUMNS(GSW_LINKS_COLUMNS), PORTS(gsw_ports_has_link)};

// gswIBPortTable. Numbers reserved by the Architecture Specification have no instance. The MIB
// counts some numbers from 1.

enum { ACTIVE_DEFER = 5, PHY_TEST = 7, POLLING = 2, MTU_256 = 1, MTU_4096 = 5 };
enum { VL0 = 1, VL0_TO_VL14 = 5 };

GETTER(gsw_ports_member, look_port(look)->known &&field_of_struct(look_port(look), look, out))

#define MEMBER(member, how) .get = gsw_ports_member, FIELD_MEMBER(struct fabric_port, member, how)
#define DETAIL(which, first, last)                                                                 \
    .get = field_of_port,                                                                          \
    .field = {.field = (which), .form = FIELD_NUMBER, .least = (first), .most = (last)}

#define KNOWN(name, expression)                                                                    \
    static bool gsw_ports_##name(struct look *look, struct agentx_value *out)                      \
    {                                                                                              \
        const struct fabric_port *port = look_port(look);                                          \
        return port->known && (expression);                                                        \
    }

KNOWN(state, port->state <= ACTIVE_DEFER && put_number(out, port->state + 1))
KNOWN(physical_state, port->physical <= PHY_TEST && put_number(out, port->physical + 1))
KNOWN(width_enabled, port->width_enabled != 0 && put_number(out, port->width_enabled + 1))
KNOWN(width_supported, port->width_supported != 0 && put_number(out, port->width_supported + 1))
KNOWN(width_active, port->width_active != 0 && put_number(out, port->width_active + 1))
KNOWN(capabilities, put_number(out, (int32_t)port->capabilities)) // the same 32 bits, signed

static const struct table_column GSW_IB_PORTS_COLUMNS[] = {
    {"gswIBPortSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswIBPortIndex", 2, AGENTX_INTEGER, .get = field_row_number},
    {"gswIBGidPrefix", 6, AGENTX_OCTETS, .get = field_gid_prefix},
    {"gswIBLID", 7, AGENTX_OCTETS, MEMBER(lid, FIELD_OCTETS)},
    {"gswIBMasterSMLID", 8, AGENTX_OCTETS, .get = field_of_port,
     .field = {.field = PORT_INFO_MASTER_SM_LID, .form = FIELD_OCTETS}},
    {"gswIBCapabilityMask", 9, AGENTX_INTEGER, .get = gsw_ports_capabilities},
    {"gswIBDiagCode", 10, AGENTX_INTEGER, DETAIL(PORT_INFO_DIAG_CODE, 0, 0)},
    {"gswIBLinkWidthEnabled", 12, AGENTX_INTEGER, .get = gsw_ports_width_enabled},
    {"gswIBLinkWidthSupported", 13, AGENTX_INTEGER, .get = gsw_ports_width_supported},
    {"gswIBLinkWidthActive", 14, AGENTX_INTEGER, .get = gsw_ports_width_active},
    {"gswIBLinkSpeedSupported", 15, AGENTX_INTEGER, MEMBER(speed_supported, FIELD_KNOWN)},
    {"gswIBPortState", 16, AGENTX_INTEGER, .get = gsw_ports_state},
    {"gswIBPortPhysicalState", 17, AGENTX_INTEGER, .get = gsw_ports_physical_state},
    {"gswIBLinkDownDefaultState", 18, AGENTX_INTEGER,
     DETAIL(PORT_INFO_LINK_DOWN_DEFAULT, 0, POLLING)},
    {"gswIBLMC", 20, AGENTX_INTEGER, MEMBER(lmc, FIELD_NUMBER)},
    {"gswIBLinkSpeedActive", 21, AGENTX_INTEGER, MEMBER(speed_active, FIELD_KNOWN)},
    {"gswIBLinkSpeedEnabled", 22, AGENTX_INTEGER, MEMBER(speed_enabled, FIELD_KNOWN)},
    {"gswIBNeighborMTU", 23, AGENTX_INTEGER, DETAIL(PORT_INFO_NEIGHBOR_MTU, MTU_256, MTU_4096)},
    {"gswIBVLCap", 24, AGENTX_INTEGER, DETAIL(PORT_INFO_VL_CAP, VL0, VL0_TO_VL14)},
    {"gswIBMTUCap", 25, AGENTX_INTEGER, DETAIL(PORT_INFO_MTU_CAP, MTU_256, MTU_4096)},
    {"gswIBOperationalVLs", 28, AGENTX_INTEGER,
     DETAIL(PORT_INFO_OPERATIONAL_VLS, VL0, VL0_TO_VL14)},
    {"gswIBMKeyViolations", 29, AGENTX_INTEGER, DETAIL(PORT_INFO_MKEY_VIOLATIONS, 0, 0)},
    {"gswIBPKeyViolations", 30, AGENTX_INTEGER, DETAIL(PORT_INFO_PKEY_VIOLATIONS, 0, 0)},
    {"gswIBQKeyViolations", 32, AGENTX_INTEGER, DETAIL(PORT_INFO_QKEY_VIOLATIONS, 0, 0)},
    {"gswIBLocalPhyErrors", 36, AGENTX_INTEGER, DETAIL(PORT_INFO_LOCAL_PHY_ERRORS, 0, 0)},
    {"gswIBOverrunErrors", 37, AGENTX_INTEGER, DETAIL(PORT_INFO_OVERRUN_ERRORS, 0, 0)},
    {"gswIBPortChangeReason", 38, AGENTX_INTEGER, FIELD_CONSTANT(REASON_UNKNOWN)},
};

const struct table GSW_IB_PORTS = {"gswIBPortTable", TABLE_OID(TABLES_GSW_IDS, 10, 5, 1),
                                   TABLE_COLUMNS(GSW_IB_PORTS_COLUMNS), PORTS(gsw_ports_has)};

// gswIBPortPerfTable.

static bool gsw_ports_is_read(struct look *look)
{
    uint64_t sums[COUNTER_COUNT];
    return gsw_ports_has(look) && field_sums(look, sums);
}

// The column's counter as a GswCounter64: eight octets of zero and the number.
static bool gsw_ports_sum(struct look *look, struct agentx_value *out)
{
    uint8_t octets[16] = {0};
    uint64_t sums[COUNTER_COUNT];
    if (!field_sums(look, sums))
        return false;
    wire_put(octets + 8, 8, sums[look->column->field.field]);
    return put_octets(out, octets, sizeof octets);
}

#define SUM(counter) AGENTX_OCTETS, .get = gsw_ports_sum, .field = {.field = (counter)}

static const struct table_column GSW_COUNTERS_COLUMNS[] = {
    {"gswIBPortPerfSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswIBPortPerfIndex", 2, AGENTX_INTEGER, .get = field_row_number},
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

const struct table GSW_COUNTERS = {"gswIBPortPerfTable", TABLE_OID(TABLES_GSW_IDS, 11, 5, 1),
                                   TABLE_COLUMNS(GSW_COUNTERS_COLUMNS), PORTS(gsw_ports_is_read),
                                   .counted = true};
