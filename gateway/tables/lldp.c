// SPDX-License-Identifier: BSD-2-Clause
// LLDP-MIB of IEEE 802.1AB, for the maps of managers: the other end of each interface of the fabric
// as one device. No port speaks LLDP: a sweep found the links. A local port's number is its
// ifIndex. A remote system is a node; its port has the name that ifName has in the node's own
// context.
#include "base/text.h"
#include "tables/device.h"
#include "tables/fabric_device.h"
#include "tables/tables.h"

#include <string.h>

enum { LOCAL = 7 };                                         // LldpChassisIdSubtype
enum { INTERFACE_NAME = 5 };                                // LldpPortIdSubtype
enum { BRIDGE = 0x20, ROUTER = 0x08, STATION_ONLY = 0x01 }; // LldpSystemCapabilitiesMap
enum { TIME_MARK = 0, INDEX = 1, LENGTH = 3 };              // of the index of a neighbour

// Local system.

GETTER(lldp_local_capabilities, put_big_endian(out, BRIDGE, 1))

static const struct table_column LLDP_SYSTEM_COLUMNS[] = {
    {"lldpLocChassisIdSubtype", 1, AGENTX_INTEGER, FIELD_CONSTANT(LOCAL)},
    {"lldpLocChassisId", 2, AGENTX_OCTETS, .get = fabric_device_name},
    {"lldpLocSysName", 3, AGENTX_OCTETS, .get = fabric_device_name},
    {"lldpLocSysDesc", 4, AGENTX_OCTETS, .get = fabric_device_descr},
    {"lldpLocSysCapSupported", 5, AGENTX_OCTETS, .get = lldp_local_capabilities},
    {"lldpLocSysCapEnabled", 6, AGENTX_OCTETS, .get = lldp_local_capabilities},
};

const struct table LLDP_SYSTEM = {"lldpLocalSystemData", TABLE_OID(TABLES_LLDP_IDS, 1, 3),
                                  TABLE_COLUMNS(LLDP_SYSTEM_COLUMNS), .seek = table_seek_scalar,
                                  .has = fabric_device_has};

// Local ports.

static const struct table_column LLDP_PORTS_COLUMNS[] = {
    {"lldpLocPortIdSubtype", 2, AGENTX_INTEGER, FIELD_CONSTANT(INTERFACE_NAME)},
    {"lldpLocPortId", 3, AGENTX_OCTETS, .get = device_port_name},
    {"lldpLocPortDesc", 4, AGENTX_OCTETS, .get = device_port_name},
};

const struct table LLDP_PORTS = {"lldpLocPortTable", TABLE_OID(TABLES_LLDP_IDS, 1, 3, 7, 1),
                                 TABLE_COLUMNS(LLDP_PORTS_COLUMNS),
                                 .seek = fabric_device_seek_port};

// Neighbours.

static bool lldp_remote_chassis(struct look *look, struct agentx_value *out)
{
    char text[17];
    struct text t = text_in(text, sizeof text);
    text_add_hex_number(&t, look_peer(look)->guid, 16);
    return put_text(out, text, sizeof text);
}

static bool lldp_remote_port(struct look *look, struct agentx_value *out)
{
    char text[8];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "%u", (unsigned)look_port(look)->peer_port);
    return put_text(out, text, sizeof text);
}

GETTER(lldp_remote_port_descr,
       device_put_port_name(out, look, look_port(look)->peer_node, look_port(look)->peer_port))

GETTER(lldp_remote_name, device_put_text(out, device_name(look, look_peer(look))))
GETTER(lldp_remote_descr, device_put_description(out, look_peer(look)))

static bool lldp_remote_capabilities(struct look *look, struct agentx_value *out)
{
    static const uint8_t OF[] = {
        [FABRIC_CA] = STATION_ONLY, [FABRIC_SWITCH] = BRIDGE, [FABRIC_ROUTER] = ROUTER};
    const uint8_t type = look_peer(look)->type;
    return type < sizeof OF && put_octets(out, &OF[type], 1);
}

static const struct table_column LLDP_NEIGHBOURS_COLUMNS[] = {
    {"lldpRemChassisIdSubtype", 4, AGENTX_INTEGER, FIELD_CONSTANT(LOCAL)},
    {"lldpRemChassisId", 5, AGENTX_OCTETS, .get = lldp_remote_chassis},
    {"lldpRemPortIdSubtype", 6, AGENTX_INTEGER, FIELD_CONSTANT(INTERFACE_NAME)},
    {"lldpRemPortId", 7, AGENTX_OCTETS, .get = lldp_remote_port},
    {"lldpRemPortDesc", 8, AGENTX_OCTETS, .get = lldp_remote_port_descr},
    {"lldpRemSysName", 9, AGENTX_OCTETS, .get = lldp_remote_name},
    {"lldpRemSysDesc", 10, AGENTX_OCTETS, .get = lldp_remote_descr},
    {"lldpRemSysCapSupported", 11, AGENTX_OCTETS, .get = lldp_remote_capabilities},
    {"lldpRemSysCapEnabled", 12, AGENTX_OCTETS, .get = lldp_remote_capabilities},
};

// The least ifIndex whose row { TIME_MARK, ifIndex, INDEX } comes after the wanted index.
static uint64_t lldp_least_after(const struct look *look)
{
    if (look->length == 0)
        return 0;
    if (look->ids[0] != TIME_MARK)
        return UINT64_MAX;
    if (look->length == 1)
        return 0;
    return (uint64_t)look->ids[1] + (look->length > 2 && look->ids[2] >= INDEX);
}

static bool lldp_seek_neighbour(struct look *look)
{
    const bool can_be = look->after || (look->length == LENGTH && look->ids[0] == TIME_MARK &&
                                        look->ids[2] == INDEX);
    uint64_t least = look->after ? lldp_least_after(look) : can_be ? look->ids[1] : UINT64_MAX;
    while (can_be && fabric_device_find(look, least)) {
        if (!look->after && look->at != look->ids[1])
            return false;
        if (look_port(look)->peer_node != FABRIC_NONE)
            return agentx_oid_add(&look->found, TIME_MARK) &&
                   agentx_oid_add(&look->found, (uint32_t)look->at) &&
                   agentx_oid_add(&look->found, INDEX);
        least = look->at + 1;
    }
    return false;
}

const struct table LLDP_NEIGHBOURS = {"lldpRemTable", TABLE_OID(TABLES_LLDP_IDS, 1, 4, 1, 1),
                                      TABLE_COLUMNS(LLDP_NEIGHBOURS_COLUMNS),
                                      .seek = lldp_seek_neighbour};
