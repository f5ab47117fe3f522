// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmSwSLtoVLMapTable, ibSmCaSLtoVLMapTable and ibSmVLArbitrationTable, read on demand.
// Ports whose link is up have rows; port 0 of a switch has rows of lanes, too.
#include "agent/column.h"
#include "tables/sm.h"
#include "tables/tables.h"

enum { PORT_MAX = 254, LANES_SW_FIRST = 5, LANES_CA_FIRST = 4 };

// Lanes.

// Index of the port in the fabric; FABRIC_NONE: it has no lanes.
static uint32_t sm_lanes_port(const struct look *look, uint32_t number)
{
    const struct fabric *fabric = look->fabric;
    const uint32_t port = fabric_find_port(fabric, look->node, (uint8_t)number);
    if (port == FABRIC_NONE || !fabric->ports[port].known)
        return FABRIC_NONE;
    return number == 0 || fabric->ports[port].state > FABRIC_DOWN ? port : FABRIC_NONE;
}

// Only an enhanced port 0 sends through lanes of its own.
static bool sm_lanes_sends(const struct look *look)
{
    return look->tail[1] != 0 || fabric_switch_info(look_node(look), SWITCH_INFO_ENHANCED_PORT_0);
}

// Whether the row can have a value in its column: from the column `first` on, the values are read.
static bool sm_lanes_can(const struct look *look, uint32_t first)
{
    return look->column->number < first || look_can_smp(look, look->port, DEMAND_SL_TO_VL);
}

static const struct table_box PAIRS = {{0, 0}, {PORT_MAX, PORT_MAX}, 2};

static bool sm_lanes_has_pair(struct look *look)
{
    if (look_node(look)->type != FABRIC_SWITCH)
        return table_skip(look, 0);
    if (sm_lanes_port(look, look->tail[0]) == FABRIC_NONE)
        return table_skip(look, 1);
    look->port = sm_lanes_port(look, look->tail[1]);
    if (look->port == FABRIC_NONE || !sm_lanes_sends(look))
        return false;
    return sm_lanes_can(look, LANES_SW_FIRST) || table_skip(look, 0); // as for all of the switch
}

static const struct table_box PORTS = {{1}, {PORT_MAX}, 1};

static bool sm_lanes_has_port(struct look *look)
{
    if (look_node(look)->type == FABRIC_SWITCH)
        return table_skip(look, 0);
    look->port = sm_lanes_port(look, look->tail[0]);
    return look->port != FABRIC_NONE && sm_lanes_can(look, LANES_CA_FIRST);
}

// Two lanes an octet, the first one in the upper half (IBA 14.2.5.8).
static bool sm_lanes_put(struct agentx_value *out, const uint8_t *data, unsigned sl)
{
    return data && put_number(out, sl % 2 ? data[sl / 2] & 15 : data[sl / 2] >> 4);
}

static bool sm_lanes_of_pair(struct look *look, struct agentx_value *out)
{
    const uint32_t pair = look->tail[0] << 8 | look->tail[1];
    return sm_lanes_put(out, look_smp(look, look->port, DEMAND_SL_TO_VL, pair),
                        look->column->number - LANES_SW_FIRST);
}

GETTER(sm_lanes_of_port, sm_lanes_put(out, look_smp(look, look->port, DEMAND_SL_TO_VL, 0),
                                      look->column->number - LANES_CA_FIRST))

#define LANE(table, sl, at, getter)                                                                \
    {                                                                                              \
        "ibSm" table "SLtoVLMapSL" #sl "toVL", (at) + (sl), AGENTX_INTEGER, .get = (getter)        \
    }
#define LANES(table, at, getter)                                                                   \
    LANE(table, 0, at, getter), LANE(table, 1, at, getter), LANE(table, 2, at, getter),            \
        LANE(table, 3, at, getter), LANE(table, 4, at, getter), LANE(table, 5, at, getter),        \
        LANE(table, 6, at, getter), LANE(table, 7, at, getter), LANE(table, 8, at, getter),        \
        LANE(table, 9, at, getter), LANE(table, 10, at, getter), LANE(table, 11, at, getter),      \
        LANE(table, 12, at, getter), LANE(table, 13, at, getter), LANE(table, 14, at, getter),     \
        LANE(table, 15, at, getter)

static const struct table_column SM_SWITCH_LANES_COLUMNS[] = {
    {"ibSmSwSLtoVLMapSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmSwSLtoVLMapNodeGUID", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmSwSLtoVLMapInPortNum", 3, AGENTX_INTEGER, .get = field_tail, .field = {.field = 0}},
    {"ibSmSwSLtoVLMapOutPortNum", 4, AGENTX_INTEGER, .get = field_tail, .field = {.field = 1}},
    LANES("Sw", LANES_SW_FIRST, sm_lanes_of_pair),
};

const struct table SM_SWITCH_LANES = {"ibSmSwSLtoVLMapTable", TABLE_OID(TABLES_SM_IDS, 1, 14, 1, 1),
                                      TABLE_COLUMNS(SM_SWITCH_LANES_COLUMNS),
                                      TABLE_BOX(sm_seek_box, sm_lanes_has_pair, &PAIRS)};

static const struct table_column SM_PORT_LANES_COLUMNS[] = {
    {"ibSmCaSLtoVLMapSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmCaSLtoVLMapNodeGUID", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmCaSLtoVLMapPortNum", 3, AGENTX_INTEGER, .get = field_tail, .field = {.field = 0}},
    LANES("Ca", LANES_CA_FIRST, sm_lanes_of_port),
};

const struct table SM_PORT_LANES = {"ibSmCaSLtoVLMapTable", TABLE_OID(TABLES_SM_IDS, 1, 15, 1, 1),
                                    TABLE_COLUMNS(SM_PORT_LANES_COLUMNS),
                                    TABLE_BOX(sm_seek_box, sm_lanes_has_port, &PORTS)};

// Arbitration.

enum { LOW = 1, HIGH = 2, PORT = 0, PRIORITY = 1, PLACE = 2 };
enum { PLACES_MAX = 64, BLOCK = 32, WEIGHT = 6 };

static const struct table_box ENTRIES = {{1, LOW, 1}, {PORT_MAX, HIGH, PLACES_MAX}, 3};

// Whether rows of the port can have a value in the column: the weights are read.
static bool sm_lanes_can_arbitrate(const struct look *look)
{
    if (look->port == FABRIC_NONE || !look_port(look)->known ||
        look_port(look)->state <= FABRIC_DOWN)
        return false;
    return look->column->number != WEIGHT || look_can_smp(look, look->port, DEMAND_VL_ARBITRATION);
}

// VLArbitrationLowCap and HighCap of the port are the sizes of the tables (IBA 14.2.5.6).
static bool sm_lanes_has_entry(struct look *look)
{
    const enum port_info_field size = look->tail[PRIORITY] == LOW
                                          ? PORT_INFO_VL_ARBITRATION_LOW_CAP
                                          : PORT_INFO_VL_ARBITRATION_HIGH_CAP;
    look->port = fabric_find_port(look->fabric, look->node, (uint8_t)look->tail[PORT]);
    if (!sm_lanes_can_arbitrate(look))
        return table_skip(look, PRIORITY);
    return look->tail[PLACE] <= fabric_port_info(look_port(look), size) || table_skip(look, PLACE);
}

// The low priority table is in the blocks 1 and 2, the high priority table in 3 and 4; an entry is
// a lane and its weight (IBA 14.2.5.9).
static bool sm_lanes_weight(struct look *look, struct agentx_value *out)
{
    const uint32_t place = look->tail[PLACE] - 1;
    const uint32_t block = 1 + 2 * (look->tail[PRIORITY] - LOW) + place / BLOCK;
    const uint32_t port = look_node(look)->type == FABRIC_SWITCH ? look->tail[PORT] : 0;
    const uint8_t *data = look_smp(look, look->port, DEMAND_VL_ARBITRATION, block << 16 | port);
    return data && put_number(out, data[place % BLOCK * 2 + 1]);
}

static const struct table_column SM_ARBITRATION_COLUMNS[] = {
    {"ibSmVLArbitrationSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmVLArbitrationNodeGUID", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"ibSmVLArbitrationPriority", 3, AGENTX_INTEGER, .get = field_tail,
     .field = {.field = PRIORITY}},
    {"ibSmVLArbitrationIndex", 4, AGENTX_INTEGER, .get = field_tail, .field = {.field = PLACE}},
    {"ibSmVLArbitrationPortNum", 5, AGENTX_INTEGER, .get = field_tail, .field = {.field = PORT}},
    {"ibSmVLArbitrationWeight", WEIGHT, AGENTX_INTEGER, .get = sm_lanes_weight},
};

const struct table SM_ARBITRATION = {
    "ibSmVLArbitrationTable", TABLE_OID(TABLES_SM_IDS, 1, 16, 1, 1),
    TABLE_COLUMNS(SM_ARBITRATION_COLUMNS), TABLE_BOX(sm_seek_box, sm_lanes_has_entry, &ENTRIES)};
