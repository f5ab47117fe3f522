// SPDX-License-Identifier: BSD-2-Clause
// LLDP-MIB of IEEE 802.1AB, for the maps of managers: what is at the other end of each interface of
// the fabric as one device. No port speaks LLDP: the links are those that a sweep found. A local
// port's number is its ifIndex. A remote system is a node; its port has the name that ifName has in
// the node's own context.
#include "agent/device.h"
#include "agent/fabric_device.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/text.h"

#include <string.h>

enum { LOCAL = 7 };                                            // LldpChassisIdSubtype
enum { INTERFACE_NAME = 5 };                                   // LldpPortIdSubtype
enum { BRIDGE = 0x20, ROUTER = 0x08, STATION_ONLY = 0x01 };    // LldpSystemCapabilitiesMap
enum { TEXT_MAX = 255, TIME_MARK = 0, INDEX = 1, LENGTH = 3 }; // of the index of a neighbour

// Local system.

static bool lldp_local_subtype(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    (void)snapshot, (void)row;
    return put_number(out, LOCAL);
}

static bool lldp_local_capabilities(const struct agent_snapshot *snapshot,
                                    const struct table_row *row, struct agentx_value *out)
{
    static const uint8_t OCTET = BRIDGE;
    (void)snapshot, (void)row;
    return put_octets(out, &OCTET, 1);
}

static const struct table_column SYSTEM_COLUMNS[] = {
    {"lldpLocChassisIdSubtype", 1, AGENTX_INTEGER, .get = lldp_local_subtype},
    {"lldpLocChassisId", 2, AGENTX_OCTETS, .get = fabric_device_name},
    {"lldpLocSysName", 3, AGENTX_OCTETS, .get = fabric_device_name},
    {"lldpLocSysDesc", 4, AGENTX_OCTETS, .get = fabric_device_descr},
    {"lldpLocSysCapSupported", 5, AGENTX_OCTETS, .get = lldp_local_capabilities},
    {"lldpLocSysCapEnabled", 6, AGENTX_OCTETS, .get = lldp_local_capabilities},
};

static const uint32_t SYSTEM_ENTRY[] = {TABLES_LLDP_IDS, 1, 3};

const struct table LLDP_SYSTEM =
    TABLE("lldpLocalSystemData", SYSTEM_ENTRY, SYSTEM_COLUMNS, fabric_device_seek_scalar);

// Local ports.

static bool lldp_name_subtype(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    (void)snapshot, (void)row;
    return put_number(out, INTERFACE_NAME);
}

static bool lldp_put_name(const struct agent_snapshot *snapshot, uint32_t node, uint8_t port,
                          struct agentx_value *out)
{
    char text[TEXT_MAX + 1];
    struct text t = text_in(text, sizeof text);
    device_add_port_name(&t, snapshot, node, port);
    return put_text(out, text, TEXT_MAX);
}

static bool lldp_local_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    return lldp_put_name(snapshot, row->node, device_port(snapshot, row)->number, out);
}

static const struct table_column PORT_COLUMNS[] = {
    {"lldpLocPortIdSubtype", 2, AGENTX_INTEGER, .get = lldp_name_subtype},
    {"lldpLocPortId", 3, AGENTX_OCTETS, .get = lldp_local_name},
    {"lldpLocPortDesc", 4, AGENTX_OCTETS, .get = lldp_local_name},
};

static const uint32_t PORT_ENTRY[] = {TABLES_LLDP_IDS, 1, 3, 7, 1};

const struct table LLDP_PORTS =
    TABLE("lldpLocPortTable", PORT_ENTRY, PORT_COLUMNS, fabric_device_seek_port);

// Neighbours.

static const struct fabric_node *lldp_peer(const struct agent_snapshot *snapshot,
                                           const struct table_row *row)
{
    return &snapshot->fabric->nodes[device_port(snapshot, row)->peer_node];
}

static bool lldp_remote_chassis(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    char text[17];
    struct text t = text_in(text, sizeof text);
    text_add_hex_number(&t, lldp_peer(snapshot, row)->guid, 16);
    return put_text(out, text, sizeof text);
}

static bool lldp_remote_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    char text[8];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "%u", (unsigned)device_port(snapshot, row)->peer_port);
    return put_text(out, text, sizeof text);
}

static bool lldp_remote_port_descr(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, struct agentx_value *out)
{
    const struct fabric_port *port = device_port(snapshot, row);
    return lldp_put_name(snapshot, port->peer_node, port->peer_port, out);
}

static bool lldp_remote_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    return device_put_text(out, device_name(snapshot, lldp_peer(snapshot, row)));
}

static bool lldp_remote_descr(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    return device_put_description(out, lldp_peer(snapshot, row));
}

static bool lldp_remote_capabilities(const struct agent_snapshot *snapshot,
                                     const struct table_row *row, struct agentx_value *out)
{
    static const uint8_t OF[] = {
        [FABRIC_CA] = STATION_ONLY, [FABRIC_SWITCH] = BRIDGE, [FABRIC_ROUTER] = ROUTER};
    const uint8_t type = lldp_peer(snapshot, row)->type;
    return type < sizeof OF && put_octets(out, &OF[type], 1);
}

static const struct table_column NEIGHBOUR_COLUMNS[] = {
    {"lldpRemChassisIdSubtype", 4, AGENTX_INTEGER, .get = lldp_local_subtype},
    {"lldpRemChassisId", 5, AGENTX_OCTETS, .get = lldp_remote_chassis},
    {"lldpRemPortIdSubtype", 6, AGENTX_INTEGER, .get = lldp_name_subtype},
    {"lldpRemPortId", 7, AGENTX_OCTETS, .get = lldp_remote_port},
    {"lldpRemPortDesc", 8, AGENTX_OCTETS, .get = lldp_remote_port_descr},
    {"lldpRemSysName", 9, AGENTX_OCTETS, .get = lldp_remote_name},
    {"lldpRemSysDesc", 10, AGENTX_OCTETS, .get = lldp_remote_descr},
    {"lldpRemSysCapSupported", 11, AGENTX_OCTETS, .get = lldp_remote_capabilities},
    {"lldpRemSysCapEnabled", 12, AGENTX_OCTETS, .get = lldp_remote_capabilities},
};

static const uint32_t NEIGHBOUR_ENTRY[] = {TABLES_LLDP_IDS, 1, 4, 1, 1};

// The least ifIndex whose row { TIME_MARK, ifIndex, INDEX } comes after the name.
static uint64_t lldp_least_after(const uint32_t *ids, size_t length)
{
    if (length == 0)
        return 0;
    if (ids[0] != TIME_MARK)
        return UINT64_MAX;
    if (length == 1)
        return 0;
    return (uint64_t)ids[1] + (length > 2 && ids[2] >= INDEX);
}

static bool lldp_seek_neighbour(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                size_t length, bool after, struct table_row *row,
                                struct agentx_oid *found)
{
    const bool can_be = after || (length == LENGTH && ids[0] == TIME_MARK && ids[2] == INDEX);
    uint64_t least = after ? lldp_least_after(ids, length) : can_be ? ids[1] : UINT64_MAX;
    while (can_be && fabric_device_find(snapshot, least, row)) {
        if (!after && row->at != ids[1])
            return false;
        if (device_port(snapshot, row)->peer_node != FABRIC_NONE) {
            found->length = 0;
            return agentx_oid_add(found, TIME_MARK) && agentx_oid_add(found, (uint32_t)row->at) &&
                   agentx_oid_add(found, INDEX);
        }
        least = row->at + 1;
    }
    return false;
}

const struct table LLDP_NEIGHBOURS =
    TABLE("lldpRemTable", NEIGHBOUR_ENTRY, NEIGHBOUR_COLUMNS, lldp_seek_neighbour);
