// SPDX-License-Identifier: BSD-2-Clause
// IF-MIB: ports of a device as interfaces, by draft-ietf-ipoib-ibif-mib-05, 5.2.7 and 5.4. ifIndex
// is the port's number; port 0 of a switch is 255. With the fabric as the device, external ports
// have the ifIndex of agent/interface_list.h, and names that begin with their node's.
#include "agent/contexts.h"
#include "base/text.h"
#include "base/wire.h"
#include "tables/device.h"
#include "tables/fabric_device.h"
#include "tables/tables.h"

#include <string.h>

enum { TYPE_INFINIBAND = 199 };                             // IANAifType
enum { UP = 1, DOWN = 2, UNKNOWN = 4, DORMANT = 5 };        // ifOperStatus, ifAdminStatus
enum { PHYSICAL_DISABLED = 3, PHYSICAL_LINK_UP = 5 };       // PortInfo.PortPhysicalState
enum { FALSE = 2 };                                         // TruthValue
enum { TRAPS_DISABLED = 2, TEXT_MAX = 255, NAME_MAX = 64 }; // ifLinkUpDownTrapEnable; of texts
enum { OVERHEAD = 4 }; // octets of a packet, not in PortRcvData and PortXmitData

#define INTERFACE(name, expression)                                                                \
    static bool device_interfaces_##name(struct look *look, struct agentx_value *out)              \
    {                                                                                              \
        const struct fabric_port *port = look_port(look);                                          \
        (void)port;                                                                                \
        return expression;                                                                         \
    }

static int64_t device_interfaces_oper(const struct look *look)
{
    const struct fabric_port *port = look_port(look);
    if (!port->known || look_node(look)->silent)
        return UNKNOWN;
    switch (port->state) {
    case FABRIC_ACTIVE:
        return UP;
    case FABRIC_INITIALIZE:
    case FABRIC_ARMED:
        return DORMANT;
    case FABRIC_DOWN:
        return DOWN;
    default:
        return UNKNOWN;
    }
}

// The data rate of a width bit and a speed bit in Mb/s: without the 2 of 10 bits, or from FDR on 2
// of 66, without data. 0: one of them is unknown.
static uint64_t device_interfaces_mbps(uint8_t width, uint16_t speed)
{
    static const uint32_t OF_LANE[] = {2000,  4000,   8000,   13636, 25000,
                                       50000, 100000, 200000, 10000};
    for (size_t i = 0; i < sizeof OF_LANE / sizeof *OF_LANE; i++) {
        if (speed == 1u << i)
            return (uint64_t)OF_LANE[i] * fabric_lanes(width);
    }
    return 0;
}

// The rate of the link; while there is none, the best that the port is set to.
static uint64_t device_interfaces_rate(const struct fabric_port *port)
{
    if (port->physical == PHYSICAL_LINK_UP || port->number == 0)
        return device_interfaces_mbps(port->width_active, port->speed_active);
    return device_interfaces_mbps(fabric_best_width(port->width_enabled, port->width_supported),
                                  fabric_best_speed(port->speed_enabled, port->speed_supported));
}

static bool device_interfaces_put_rate(const struct fabric_port *port, uint64_t times,
                                       struct agentx_value *out)
{
    const uint64_t rate = port->known ? device_interfaces_rate(port) : 0;
    return rate != 0 && put_gauge(out, rate * times);
}

// In octets; 0: not known.
static uint64_t device_interfaces_mtu(const struct fabric_port *port)
{
    enum { MTU_256 = 1, MTU_4096 = 5, SHIFT = 7 };
    const bool active = port->state == FABRIC_ACTIVE;
    const uint32_t mtu =
        fabric_port_info(port, active ? PORT_INFO_NEIGHBOR_MTU : PORT_INFO_MTU_CAP);
    return mtu >= MTU_256 && mtu <= MTU_4096 ? UINT64_C(1) << (mtu + SHIFT) : 0;
}

static bool device_interfaces_descr(struct look *look, struct agentx_value *out)
{
    char text[512], ascii[TEXT_MAX + 1];
    const struct fabric_port *port = look_port(look);
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "%s port %u", device_name(look, look_node(look)), (unsigned)port->number);
    const bool may_change = !look->of_fabric; // managers of fabrics know ports by it
    if (may_change && port->known && port->physical == PHYSICAL_LINK_UP && port->number > 0) {
        text_add(&t, ", ");
        fabric_add_rate(&t, port->width_active, port->speed_active);
    }
    text_ascii(text, ascii, sizeof ascii);
    return put_text(out, ascii, TEXT_MAX);
}

// The port that has the addresses: of a switch its port 0, if port 0 is known.
static const struct fabric_port *device_interfaces_end(const struct look *look)
{
    const struct fabric_node *node = look_node(look);
    return node->type == FABRIC_SWITCH ? &look->fabric->ports[node->first_port] : look_port(look);
}

// The base LID; of a switch, that of its port 0.
static bool device_interfaces_address(struct look *look, struct agentx_value *out)
{
    const struct fabric_port *end = device_interfaces_end(look);
    uint8_t octets[2];
    wire_put(octets, sizeof octets, end->lid);
    return put_octets(out, octets, end->lid != 0 ? sizeof octets : 0);
}

// When the sums of its counters began: at ibtrapd's start, or when the port came, also after a day
// without the port. If the clock was ahead then, the time may be still to come.
static int64_t device_interfaces_began(const struct look *look)
{
    const int64_t start = look->snapshot->gateway.flow.since;
    const int64_t began_us = accumulated_began_at(look->snapshot->accumulated,
                                                  look_node(look)->guid, look_port(look)->number);
    const int64_t came = look->snapshot->now - (look->snapshot->time_us - began_us);
    return began_us != 0 && came > start && came <= look->snapshot->now ? came : start;
}

// The node and port at the other end.
static bool device_interfaces_alias(struct look *look, struct agentx_value *out)
{
    const struct fabric_port *port = look_port(look);
    if (port->peer_node == FABRIC_NONE)
        return put_octets(out, "", 0);
    char text[512], name[NAME_MAX + 1], place[16];
    const char *peer = device_name(look, &look->fabric->nodes[port->peer_node]);
    text_ascii(peer, text, sizeof text);
    struct text at = text_in(place, sizeof place), t = text_in(name, sizeof name);
    text_addf(&at, look->of_fabric ? "/%u" : " port %u", (unsigned)port->peer_port);
    text_addf(&t, "to %.*s%s", (int)(NAME_MAX - strlen("to ") - strlen(place)), text, place);
    return put_text(out, name, NAME_MAX);
}

static bool device_interfaces_last_change(struct look *look, struct agentx_value *out)
{
    const int64_t at = look->contexts
                           ? contexts_changed_at(look->contexts, device_interfaces_end(look)->guid,
                                                 look_port(look)->number)
                           : 0;
    return put_time_stamp(out, look, at);
}

// Sums of counters, by the draft.
struct sum {
    enum counter counters[3];
    uint8_t times[3];
};

enum sum_of {
    IN_OCTETS,
    OUT_OCTETS,
    IN_PACKETS,
    OUT_PACKETS,
    IN_DISCARDS,
    IN_ERRORS,
    OUT_DISCARDS,
    NOTHING,
};

static const struct sum SUMS[] = {
    [IN_OCTETS] = {{COUNTER_RCV_DATA, COUNTER_RCV_PKTS}, {4, OVERHEAD}},
    [OUT_OCTETS] = {{COUNTER_XMIT_DATA, COUNTER_XMIT_PKTS}, {4, OVERHEAD}},
    [IN_PACKETS] = {{COUNTER_RCV_PKTS}, {1}},
    [OUT_PACKETS] = {{COUNTER_XMIT_PKTS, COUNTER_XMIT_DISCARDS, COUNTER_XMIT_CONSTRAINT_ERRORS},
                     {1, 1, 1}},
    [IN_DISCARDS] = {{COUNTER_RCV_CONSTRAINT_ERRORS, COUNTER_VL15_DROPPED}, {1, 1}},
    [IN_ERRORS] = {{COUNTER_RCV_REMOTE_PHYSICAL_ERRORS, COUNTER_RCV_ERRORS}, {1, 1}},
    [OUT_DISCARDS] = {{COUNTER_XMIT_DISCARDS, COUNTER_XMIT_CONSTRAINT_ERRORS}, {1, 1}},
    [NOTHING] = {{0}, {0}},
};

// No instance without a reading of the port. A Counter32 is the sum's last 32 bits.
static bool device_interfaces_sum(struct look *look, struct agentx_value *out)
{
    const struct sum *of = &SUMS[look->column->field.field];
    uint64_t sums[COUNTER_COUNT], sum = 0;
    if (!field_sums(look, sums))
        return false;
    for (size_t i = 0; i < sizeof of->times / sizeof *of->times; i++)
        sum += sums[of->counters[i]] * of->times[i];
    return put_number(out, (int64_t)(out->type == AGENTX_COUNTER32 ? sum & UINT32_MAX : sum));
}

#define SUM(which) .get = device_interfaces_sum, .field = {.field = (which)}

INTERFACE(index, put_number(out, look->of_fabric ? (int64_t)look->at : look->number))
INTERFACE(mtu_octets, put_known(out, device_interfaces_mtu(port)))
INTERFACE(speed, device_interfaces_put_rate(port, 1000000, out))
INTERFACE(high_speed, device_interfaces_put_rate(port, 1, out))
INTERFACE(admin, put_number(out, port->physical == PHYSICAL_DISABLED ? DOWN : UP))
INTERFACE(connector, put_truth(out, port->number > 0))
GETTER(device_interfaces_oper_status, put_number(out, device_interfaces_oper(look)))
GETTER(device_interfaces_discontinuity, put_time_stamp(out, look, device_interfaces_began(look)))

GETTER(device_interfaces_number,
       put_number(out, look_node(look)->type == FABRIC_SWITCH ? look_node(look)->ports : 1))

GETTER(device_interfaces_fabric_number,
       put_number(out, snapshot_interfaces_of(look->snapshot)->interfaces))

static const struct table_column DEVICE_IF_NUMBER_COLUMNS[] = {
    {"ifNumber", 1, AGENTX_INTEGER, .get = device_interfaces_number},
};

static const struct table_column FABRIC_IF_NUMBER_COLUMNS[] = {
    {"ifNumber", 1, AGENTX_INTEGER, .get = device_interfaces_fabric_number},
};

const struct table DEVICE_IF_NUMBER = {"interfaces", TABLE_OID(TABLES_MIB_2_IDS, 2),
                                       TABLE_COLUMNS(DEVICE_IF_NUMBER_COLUMNS),
                                       .seek = table_seek_scalar, .has = device_enter};
const struct table FABRIC_IF_NUMBER = {"interfaces", TABLE_OID(TABLES_MIB_2_IDS, 2),
                                       TABLE_COLUMNS(FABRIC_IF_NUMBER_COLUMNS),
                                       .seek = table_seek_scalar, .has = fabric_device_has};

static const struct table_column COLUMNS[] = {
    {"ifIndex", 1, AGENTX_INTEGER, .get = device_interfaces_index},
    {"ifDescr", 2, AGENTX_OCTETS, .get = device_interfaces_descr},
    {"ifType", 3, AGENTX_INTEGER, FIELD_CONSTANT(TYPE_INFINIBAND)},
    {"ifMtu", 4, AGENTX_INTEGER, .get = device_interfaces_mtu_octets},
    {"ifSpeed", 5, AGENTX_GAUGE32, .get = device_interfaces_speed},
    {"ifPhysAddress", 6, AGENTX_OCTETS, .get = device_interfaces_address},
    {"ifAdminStatus", 7, AGENTX_INTEGER, .get = device_interfaces_admin},
    {"ifOperStatus", 8, AGENTX_INTEGER, .get = device_interfaces_oper_status},
    {"ifLastChange", 9, AGENTX_TIME_TICKS, .get = device_interfaces_last_change},
    {"ifInOctets", 10, AGENTX_COUNTER32, SUM(IN_OCTETS)},
    {"ifInUcastPkts", 11, AGENTX_COUNTER32, SUM(IN_PACKETS)},
    {"ifInDiscards", 13, AGENTX_COUNTER32, SUM(IN_DISCARDS)},
    {"ifInErrors", 14, AGENTX_COUNTER32, SUM(IN_ERRORS)},
    {"ifInUnknownProtos", 15, AGENTX_COUNTER32, SUM(NOTHING)},
    {"ifOutOctets", 16, AGENTX_COUNTER32, SUM(OUT_OCTETS)},
    {"ifOutUcastPkts", 17, AGENTX_COUNTER32, SUM(OUT_PACKETS)},
    {"ifOutDiscards", 19, AGENTX_COUNTER32, SUM(OUT_DISCARDS)},
    {"ifOutErrors", 20, AGENTX_COUNTER32, SUM(NOTHING)},
};

const struct table DEVICE_IF = {"ifTable", TABLE_OID(TABLES_MIB_2_IDS, 2, 2, 1),
                                TABLE_COLUMNS(COLUMNS), DEVICE_PORTS};
const struct table FABRIC_IF = {"ifTable", TABLE_OID(TABLES_MIB_2_IDS, 2, 2, 1),
                                TABLE_COLUMNS(COLUMNS), .seek = fabric_device_seek_port};

static const struct table_column MORE_COLUMNS[] = {
    {"ifName", 1, AGENTX_OCTETS, .get = device_port_name},
    {"ifInMulticastPkts", 2, AGENTX_COUNTER32, SUM(NOTHING)},
    {"ifInBroadcastPkts", 3, AGENTX_COUNTER32, SUM(NOTHING)},
    {"ifOutMulticastPkts", 4, AGENTX_COUNTER32, SUM(NOTHING)},
    {"ifOutBroadcastPkts", 5, AGENTX_COUNTER32, SUM(NOTHING)},
    {"ifHCInOctets", 6, AGENTX_COUNTER64, SUM(IN_OCTETS)},
    {"ifHCInUcastPkts", 7, AGENTX_COUNTER64, SUM(IN_PACKETS)},
    {"ifHCInMulticastPkts", 8, AGENTX_COUNTER64, SUM(NOTHING)},
    {"ifHCInBroadcastPkts", 9, AGENTX_COUNTER64, SUM(NOTHING)},
    {"ifHCOutOctets", 10, AGENTX_COUNTER64, SUM(OUT_OCTETS)},
    {"ifHCOutUcastPkts", 11, AGENTX_COUNTER64, SUM(OUT_PACKETS)},
    {"ifHCOutMulticastPkts", 12, AGENTX_COUNTER64, SUM(NOTHING)},
    {"ifHCOutBroadcastPkts", 13, AGENTX_COUNTER64, SUM(NOTHING)},
    {"ifLinkUpDownTrapEnable", 14, AGENTX_INTEGER, FIELD_CONSTANT(TRAPS_DISABLED)},
    {"ifHighSpeed", 15, AGENTX_GAUGE32, .get = device_interfaces_high_speed},
    {"ifPromiscuousMode", 16, AGENTX_INTEGER, FIELD_CONSTANT(FALSE)},
    {"ifConnectorPresent", 17, AGENTX_INTEGER, .get = device_interfaces_connector},
    {"ifAlias", 18, AGENTX_OCTETS, .get = device_interfaces_alias},
    {"ifCounterDiscontinuityTime", 19, AGENTX_TIME_TICKS, .get = device_interfaces_discontinuity},
};

const struct table DEVICE_IF_X = {"ifXTable", TABLE_OID(TABLES_MIB_2_IDS, 31, 1, 1, 1),
                                  TABLE_COLUMNS(MORE_COLUMNS), DEVICE_PORTS};
const struct table FABRIC_IF_X = {"ifXTable", TABLE_OID(TABLES_MIB_2_IDS, 31, 1, 1, 1),
                                  TABLE_COLUMNS(MORE_COLUMNS), .seek = fabric_device_seek_port};
