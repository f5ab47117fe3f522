// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmSwSLtoVLMapTable and ibSmCaSLtoVLMapTable, read on demand. They have rows for
// ports whose link is up, and for port 0 of a switch.
#include "agent/fetch.h"
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/tables.h"

enum { LANES_PORT_MAX = 254, LANES_SW_FIRST = 5, LANES_CA_FIRST = 4 };

// Index of the port in the fabric; FABRIC_NONE: it has no lanes.
static uint32_t sm_lanes_port(const struct agent_snapshot *snapshot, uint32_t node, uint32_t number)
{
    const struct fabric *fabric = snapshot->fabric;
    const uint32_t port = fabric_find_port(fabric, node, (uint8_t)number);
    if (port == FABRIC_NONE || !fabric->ports[port].known)
        return FABRIC_NONE;
    return number == 0 || fabric->ports[port].state > FABRIC_DOWN ? port : FABRIC_NONE;
}

// Only an enhanced port 0 sends through lanes of its own.
static bool sm_lanes_sends(const struct agent_snapshot *snapshot, const struct table_row *row)
{
    const struct fabric_node *node = sm_node(snapshot, row);
    return row->tail[1] != 0 || fabric_switch_info(node, SWITCH_INFO_ENHANCED_PORT_0);
}

// Whether the row can have a value in its column: from that one on they are read.
static bool sm_lanes_can(const struct agent_snapshot *snapshot, const struct table_row *row,
                         uint32_t first)
{
    return row->column->number < first || fetch_can_smp(snapshot, row->port, DEMAND_SL_TO_VL);
}

static bool sm_lanes_next_pair(const struct agent_snapshot *snapshot, const uint32_t *tail,
                               size_t length, struct table_row *row)
{
    static const struct box BOX = {{0, 0}, {LANES_PORT_MAX, LANES_PORT_MAX}, 2};
    if (sm_node(snapshot, row)->type != FABRIC_SWITCH ||
        !box_begin_after(&BOX, tail, length, row->tail))
        return false;
    do {
        if (sm_lanes_port(snapshot, row->node, row->tail[0]) == FABRIC_NONE) {
            row->tail[1] = LANES_PORT_MAX; // none from there
            continue;
        }
        row->port = sm_lanes_port(snapshot, row->node, row->tail[1]);
        if (row->port != FABRIC_NONE && sm_lanes_sends(snapshot, row))
            return sm_lanes_can(snapshot, row, LANES_SW_FIRST); // as for all of the switch
    } while (box_count_up(&BOX, row->tail));
    return false;
}

static bool sm_lanes_next_port(const struct agent_snapshot *snapshot, const uint32_t *tail,
                               size_t length, struct table_row *row)
{
    static const struct box BOX = {{1}, {LANES_PORT_MAX}, 1};
    if (sm_node(snapshot, row)->type == FABRIC_SWITCH ||
        !box_begin_after(&BOX, tail, length, row->tail))
        return false;
    do {
        row->port = sm_lanes_port(snapshot, row->node, row->tail[0]);
        if (row->port != FABRIC_NONE && sm_lanes_can(snapshot, row, LANES_CA_FIRST))
            return true;
    } while (box_count_up(&BOX, row->tail));
    return false;
}

static bool sm_lanes_seek_pair(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    return sm_seek_tail(snapshot, ids, length, after, 2, sm_lanes_next_pair, row, found);
}

static bool sm_lanes_seek_port(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    return sm_seek_tail(snapshot, ids, length, after, 1, sm_lanes_next_port, row, found);
}

static bool sm_lanes_first(const struct agent_snapshot *snapshot, const struct table_row *row,
                           struct agentx_value *out)
{
    (void)snapshot;
    return put_number(out, row->tail[0]);
}

static bool sm_lanes_second(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    (void)snapshot;
    return put_number(out, row->tail[1]);
}

// Two lanes an octet, the first one in the upper half (IBA 14.2.5.8).
static bool sm_lanes_put(struct agentx_value *out, const uint8_t *data, unsigned sl)
{
    return data && put_number(out, sl % 2 ? data[sl / 2] & 15 : data[sl / 2] >> 4);
}

static bool sm_lanes_of_pair(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    const uint32_t pair = row->tail[0] << 8 | row->tail[1];
    return sm_lanes_put(out, fetch_smp(snapshot, row->port, DEMAND_SL_TO_VL, pair),
                        row->column->number - LANES_SW_FIRST);
}

static bool sm_lanes_of_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    return sm_lanes_put(out, fetch_smp(snapshot, row->port, DEMAND_SL_TO_VL, 0),
                        row->column->number - LANES_CA_FIRST);
}

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

static const struct table_column OF_PAIRS[] = {
    {"ibSmSwSLtoVLMapSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmSwSLtoVLMapNodeGUID", 2, AGENTX_OCTETS, .get = sm_get_node_guid},
    {"ibSmSwSLtoVLMapInPortNum", 3, AGENTX_INTEGER, .get = sm_lanes_first},
    {"ibSmSwSLtoVLMapOutPortNum", 4, AGENTX_INTEGER, .get = sm_lanes_second},
    LANES("Sw", LANES_SW_FIRST, sm_lanes_of_pair),
};

static const struct table_column OF_PORTS[] = {
    {"ibSmCaSLtoVLMapSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmCaSLtoVLMapNodeGUID", 2, AGENTX_OCTETS, .get = sm_get_node_guid},
    {"ibSmCaSLtoVLMapPortNum", 3, AGENTX_INTEGER, .get = sm_lanes_first},
    LANES("Ca", LANES_CA_FIRST, sm_lanes_of_port),
};

static const uint32_t PAIR_ENTRY[] = {TABLES_SM_IDS, 1, 14, 1, 1};
static const uint32_t PORT_ENTRY[] = {TABLES_SM_IDS, 1, 15, 1, 1};

const struct table SM_SWITCH_LANES = {"ibSmSwSLtoVLMapTable",
                                      PAIR_ENTRY,
                                      sizeof PAIR_ENTRY / sizeof *PAIR_ENTRY,
                                      OF_PAIRS,
                                      sizeof OF_PAIRS / sizeof *OF_PAIRS,
                                      sm_lanes_seek_pair};

const struct table SM_PORT_LANES = {"ibSmCaSLtoVLMapTable",
                                    PORT_ENTRY,
                                    sizeof PORT_ENTRY / sizeof *PORT_ENTRY,
                                    OF_PORTS,
                                    sizeof OF_PORTS / sizeof *OF_PORTS,
                                    sm_lanes_seek_port};
