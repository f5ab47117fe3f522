// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB, read on demand: GUIDs, P_Keys, lanes and their arbitration, forwarding tables, the
// LED.
#include "agent/leds.h"
#include "base/wire.h"
#include "tables/device.h"
#include "tables/tables.h"

#include <string.h>

// ibSmaGuidInfoTable of the end port.

enum { WHICH_PORT = 0, WHICH = 1, GUIDS_MAX = 255, GUID_BLOCK = 8 };

static const struct table_box GUIDS = {{1, 1}, {DEVICE_PORT_0, GUIDS_MAX}, 2};

static bool sma_demand_has_guid(struct look *look)
{
    const uint8_t number = look_port(look)->number;
    return (look->tail[WHICH_PORT] == (number ? number : DEVICE_PORT_0) &&
            look->tail[WHICH] <= fabric_port_info(look_port(look), PORT_INFO_GUID_CAP)) ||
           table_skip(look, WHICH);
}

static bool sma_demand_guid(struct look *look, struct agentx_value *out)
{
    const uint32_t at = look->tail[WHICH] - 1;
    const uint8_t *data = look_smp(look, look->port, DEMAND_GUID_INFO, at / GUID_BLOCK);
    return data && put_guid(out, wire_get64(data + (size_t)(at % GUID_BLOCK) * 8));
}

static const struct table_column SMA_GUIDS_COLUMNS[] = {
    {"ibSmaGuidVal", 3, AGENTX_OCTETS, .get = sma_demand_guid},
};

const struct table SMA_GUIDS = {"ibSmaGuidInfoTable", TABLE_OID(TABLES_SMA_IDS, 1, 3, 1, 1),
                                TABLE_COLUMNS(SMA_GUIDS_COLUMNS),
                                TABLE_BOX(device_seek_box, sma_demand_has_guid, &GUIDS)};

// ibSmaPKeyTable. 255 is the end port; other ports of a switch, with the link up, have the P_Keys
// for their check of packets.

enum { PKEYS_MAX = 65504, PKEY_BLOCK = 32, SHOWN_MAX = 1024 }; // no port has SHOWN_MAX P_Keys
enum { PKEY_FULL = 0x8000, MEMBER_NONE = 1, MEMBER_LIMITED = 2, MEMBER_FULL = 3 };

static const struct table_box PKEYS = {{1, 0}, {DEVICE_PORT_0, PKEYS_MAX}, 2};

static uint32_t sma_demand_pkey_capacity(struct look *look)
{
    const struct fabric_node *node = look_node(look);
    if (look->tail[WHICH_PORT] == DEVICE_PORT_0)
        return node->partition_cap;
    const uint32_t port =
        node->type == FABRIC_SWITCH
            ? fabric_find_port(look->fabric, look->node, (uint8_t)look->tail[WHICH_PORT])
            : FABRIC_NONE;
    if (port == FABRIC_NONE || look->fabric->ports[port].state <= FABRIC_DOWN)
        return 0;
    look->port = port;
    return fabric_switch_info(node, SWITCH_INFO_PARTITION_ENFORCEMENT_CAP);
}

static bool sma_demand_has_pkey(struct look *look)
{
    look->port = look->device;
    return (look->tail[WHICH] < SHOWN_MAX && look->tail[WHICH] < sma_demand_pkey_capacity(look)) ||
           table_skip(look, WHICH);
}

// Returns false if the P_Key is not known.
static bool sma_demand_read_pkey(struct look *look, uint16_t *pkey)
{
    const uint32_t port = look->tail[WHICH_PORT] % DEVICE_PORT_0;
    const uint32_t at = look->tail[WHICH];
    const uint8_t *data =
        look_smp(look, look->port, DEMAND_PKEY_TABLE, port << 16 | at / PKEY_BLOCK);
    if (data)
        *pkey = wire_get16(data + (size_t)(at % PKEY_BLOCK) * 2);
    return data != NULL;
}

static bool sma_demand_membership(struct look *look, struct agentx_value *out)
{
    uint16_t pkey;
    return sma_demand_read_pkey(look, &pkey) &&
           put_number(out, (pkey & ~PKEY_FULL) == 0 ? MEMBER_NONE
                           : pkey & PKEY_FULL       ? MEMBER_FULL
                                                    : MEMBER_LIMITED);
}

static bool sma_demand_pkey(struct look *look, struct agentx_value *out)
{
    uint16_t pkey;
    return sma_demand_read_pkey(look, &pkey) && put_number(out, pkey & ~PKEY_FULL);
}

static const struct table_column SMA_PKEYS_COLUMNS[] = {
    {"ibSmaPKeyMembership", 3, AGENTX_INTEGER, .get = sma_demand_membership},
    {"ibSmaPKeyBase", 4, AGENTX_GAUGE32, .get = sma_demand_pkey},
};

const struct table SMA_PKEYS = {"ibSmaPKeyTable", TABLE_OID(TABLES_SMA_IDS, 1, 6, 1, 1),
                                TABLE_COLUMNS(SMA_PKEYS_COLUMNS),
                                TABLE_BOX(device_seek_box, sma_demand_has_pkey, &PKEYS)};

// ibSmaSL2VLMapTable, for ports whose link is up, and for port 0 of a switch.

enum { OUT = 0, IN = 1, SL = 2, SL_MAX = 15 };

static const struct table_box LANES = {{1, 1, 0}, {DEVICE_PORT_0, DEVICE_PORT_0, SL_MAX}, 3};

// Index of the device's port with that number in an index; FABRIC_NONE: it has no lanes.
static uint32_t sma_demand_lanes_port(const struct look *look, uint32_t number)
{
    const bool is_0 = number == DEVICE_PORT_0;
    if (look_node(look)->type != FABRIC_SWITCH)
        return is_0 ? look->device : FABRIC_NONE;
    const uint32_t port = fabric_find_port(look->fabric, look->node, is_0 ? 0 : (uint8_t)number);
    const bool is_up = port != FABRIC_NONE && look->fabric->ports[port].known &&
                       (is_0 || look->fabric->ports[port].state > FABRIC_DOWN);
    return is_up ? port : FABRIC_NONE;
}

// The port of a host sends through its own lanes: the port is both ends, 255. Only an enhanced port
// 0 sends through lanes of its own.
static bool sma_demand_has_lane(struct look *look)
{
    const struct fabric_node *node = look_node(look);
    look->port = sma_demand_lanes_port(look, look->tail[OUT]);
    const bool sends = look->port != FABRIC_NONE &&
                       (look->tail[OUT] != DEVICE_PORT_0 || node->type != FABRIC_SWITCH ||
                        fabric_switch_info(node, SWITCH_INFO_ENHANCED_PORT_0));
    if (!sends)
        return table_skip(look, IN);
    return sma_demand_lanes_port(look, look->tail[IN]) != FABRIC_NONE || table_skip(look, SL);
}

// Two lanes an octet, the first one in the upper half (IBA 14.2.5.8).
static bool sma_demand_lane(struct look *look, struct agentx_value *out)
{
    const uint32_t in = look->tail[IN] % DEVICE_PORT_0, to = look->tail[OUT] % DEVICE_PORT_0;
    const uint8_t *data = look_smp(look, look->port, DEMAND_SL_TO_VL, in << 8 | to);
    if (!data)
        return false;
    const uint8_t both = data[look->tail[SL] / 2];
    return put_number(out, look->tail[SL] % 2 ? both & 15 : both >> 4);
}

static const struct table_column SMA_LANES_COLUMNS[] = {
    {"ibSmaVirtualLane", 4, AGENTX_GAUGE32, .get = sma_demand_lane},
};

const struct table SMA_LANES = {"ibSmaSL2VLMapTable", TABLE_OID(TABLES_SMA_IDS, 1, 7, 1, 1),
                                TABLE_COLUMNS(SMA_LANES_COLUMNS),
                                TABLE_BOX(device_seek_box, sma_demand_has_lane, &LANES)};

// ibSmaHiPriVlArbTable and ibSmaLowPriVlArbTable. `kind` is the field of PortInfo that has the size
// of the table (IBA 14.2.5.6).

enum { PLACE = 1, PLACES_MAX = 64, LANES_BLOCK = 32, PORT_MAX = 254 };
enum { LOW_BLOCK = 1, HIGH_BLOCK = 3, LANE_MASK = 15 };
enum { LOW = PORT_INFO_VL_ARBITRATION_LOW_CAP, HIGH = PORT_INFO_VL_ARBITRATION_HIGH_CAP };

static const struct table_box ENTRIES = {{1, 1}, {PORT_MAX, PLACES_MAX}, 2};

static bool sma_demand_has_entry(struct look *look)
{
    const uint32_t number = look->tail[OUT];
    const bool is_switch = look_node(look)->type == FABRIC_SWITCH;
    look->port = is_switch ? sma_demand_lanes_port(look, number) : look->device;
    return (look->port != FABRIC_NONE && look_port(look)->number == number &&
            look->tail[PLACE] <= fabric_port_info(look_port(look), look->table->kind)) ||
           table_skip(look, PLACE);
}

// An entry is a lane and its weight (IBA 14.2.5.9).
static const uint8_t *sma_demand_entry(struct look *look)
{
    const uint32_t place = look->tail[PLACE] - 1;
    const bool is_switch = look_node(look)->type == FABRIC_SWITCH;
    const uint32_t block =
        (look->table->kind == LOW ? LOW_BLOCK : HIGH_BLOCK) + place / LANES_BLOCK;
    const uint8_t *data = look_smp(look, look->port, DEMAND_VL_ARBITRATION,
                                   block << 16 | (is_switch ? look->tail[OUT] : 0));
    return data ? data + (size_t)(place % LANES_BLOCK) * 2 : NULL;
}

static bool sma_demand_entry_lane(struct look *look, struct agentx_value *out)
{
    const uint8_t *entry = sma_demand_entry(look);
    return entry && put_number(out, entry[0] & LANE_MASK);
}

static bool sma_demand_entry_weight(struct look *look, struct agentx_value *out)
{
    const uint8_t *entry = sma_demand_entry(look);
    return entry && put_number(out, entry[1]);
}

static const struct table_column SMA_HIGH_COLUMNS[] = {
    {"ibSmaHiPriVirtLane", 3, AGENTX_GAUGE32, .get = sma_demand_entry_lane},
    {"ibSmaHiPriWeight", 4, AGENTX_GAUGE32, .get = sma_demand_entry_weight},
};
static const struct table_column SMA_LOW_COLUMNS[] = {
    {"ibSmaLowPriVirtLane", 3, AGENTX_GAUGE32, .get = sma_demand_entry_lane},
    {"ibSmaLowPriWeight", 4, AGENTX_GAUGE32, .get = sma_demand_entry_weight},
};

#define ARBITRATION(which)                                                                         \
    TABLE_BOX(device_seek_box, sma_demand_has_entry, &ENTRIES), .kind = (which)

const struct table SMA_HIGH = {"ibSmaHiPriVlArbTable", TABLE_OID(TABLES_SMA_IDS, 1, 8, 1, 1),
                               TABLE_COLUMNS(SMA_HIGH_COLUMNS), ARBITRATION(HIGH)};
const struct table SMA_LOW = {"ibSmaLowPriVlArbTable", TABLE_OID(TABLES_SMA_IDS, 1, 8, 2, 1),
                              TABLE_COLUMNS(SMA_LOW_COLUMNS), ARBITRATION(LOW)};

// ibSmaLinForTable and ibSmaMulForTable of a switch: rows for LIDs that lead somewhere.

enum { LID_MAX = 0xBFFF, MLID_FIRST = 0xC000, MLID_MAX = 0xFFFE };
enum { LIDS_OF_BLOCK = 64, MLIDS_OF_BLOCK = 32, PORTS_OF_POSITION = 16, NOWHERE = 255 };

static const struct table_box LIDS = {{1}, {LID_MAX}, 1};
static const struct table_box MLIDS = {{MLID_FIRST}, {MLID_MAX}, 1};

static bool sma_demand_has_lid(struct look *look)
{
    const struct fabric_node *node = look_node(look);
    return (node->type == FABRIC_SWITCH &&
            look->tail[0] <= fabric_switch_info(node, SWITCH_INFO_LINEAR_FDB_TOP)) ||
           table_skip(look, 0);
}

static bool sma_demand_route(struct look *look, struct agentx_value *out)
{
    const uint32_t lid = look->tail[0];
    const uint8_t *data = look_smp(look, look->port, DEMAND_LINEAR_FORWARDING, lid / LIDS_OF_BLOCK);
    return data && data[lid % LIDS_OF_BLOCK] != NOWHERE &&
           put_number(out, data[lid % LIDS_OF_BLOCK]);
}

static const struct table_column SMA_LINEAR_COLUMNS[] = {
    {"ibSmaLinForwEgressPort", 2, AGENTX_GAUGE32, .get = sma_demand_route},
};

const struct table SMA_LINEAR = {"ibSmaLinForTable", TABLE_OID(TABLES_SMA_IDS, 1, 9, 1, 1),
                                 TABLE_COLUMNS(SMA_LINEAR_COLUMNS),
                                 TABLE_BOX(device_seek_box, sma_demand_has_lid, &LIDS)};

// The last MLID that the switch forwards: MulticastFDBTop, where the subnet manager sets it.
static uint32_t sma_demand_last_mlid(const struct fabric_node *node)
{
    enum { MULTICAST_FDB_TOP = ATTRIBUTE_FIELD(18, 0, 16) };
    const uint32_t size = fabric_switch_info(node, SWITCH_INFO_MULTICAST_FDB_CAP);
    const uint32_t top = attribute_get(node->switch_info.octets, 0, MULTICAST_FDB_TOP);
    const uint32_t last = MLID_FIRST + size - 1;
    return top >= MLID_FIRST - 1 && top < last ? top : last;
}

static bool sma_demand_has_mlid(struct look *look)
{
    const struct fabric_node *node = look_node(look);
    return (node->type == FABRIC_SWITCH && look->tail[0] <= sma_demand_last_mlid(node)) ||
           table_skip(look, 0);
}

// A port list has port 0 in the most significant bit of its first octet (IB-TC-MIB).
static void sma_demand_add_ports(uint8_t *list, uint32_t position, uint16_t mask)
{
    for (uint32_t i = 0; i < PORTS_OF_POSITION; i++) {
        const uint32_t port = position * PORTS_OF_POSITION + i;
        if (mask >> i & 1)
            list[port / 8] |= (uint8_t)(0x80 >> port % 8);
    }
}

static bool sma_demand_mask(struct look *look, struct agentx_value *out)
{
    static const uint8_t NO_PORTS[32];
    uint8_t list[sizeof NO_PORTS] = {0};
    bool all = true;
    const uint32_t at = look->tail[0] - MLID_FIRST;
    const uint32_t positions = look_node(look)->port_count / PORTS_OF_POSITION + 1u;
    for (uint32_t i = 0; i < positions && i < sizeof list / 2; i++) {
        const uint8_t *data =
            look_smp(look, look->port, DEMAND_MULTICAST_FORWARDING, i << 28 | at / MLIDS_OF_BLOCK);
        all = all && data;
        if (data)
            sma_demand_add_ports(list, i, wire_get16(data + (size_t)(at % MLIDS_OF_BLOCK) * 2));
    }
    return all && memcmp(list, NO_PORTS, sizeof list) != 0 && put_octets(out, list, sizeof list);
}

static const struct table_column SMA_MULTICAST_COLUMNS[] = {
    {"ibSmaMulForwMask", 2, AGENTX_OCTETS, .get = sma_demand_mask},
};

const struct table SMA_MULTICAST = {"ibSmaMulForTable", TABLE_OID(TABLES_SMA_IDS, 1, 11, 1, 1),
                                    TABLE_COLUMNS(SMA_MULTICAST_COLUMNS),
                                    TABLE_BOX(device_seek_box, sma_demand_has_mlid, &MLIDS)};

// ibSmaLedInfoTable, with a row for the end port if that has an LED.

static bool sma_demand_has_led(struct look *look)
{
    return leds_has(look_port(look));
}

static bool sma_demand_led(struct look *look, struct agentx_value *out)
{
    enum { ON = 2, OFF = 3 }; // ibSmaLedState
    bool on;
    return leds_read(look, look->port, &on) && put_number(out, on ? ON : OFF);
}

static const struct table_column SMA_LEDS_COLUMNS[] = {
    {"ibSmaLedState", 2, AGENTX_INTEGER, .get = sma_demand_led},
};

const struct table SMA_LEDS = {"ibSmaLedInfoTable", TABLE_OID(TABLES_SMA_IDS, 1, 14, 1, 1),
                               TABLE_COLUMNS(SMA_LEDS_COLUMNS), DEVICE_END_PORT,
                               .has = sma_demand_has_led};
