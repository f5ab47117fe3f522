// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmVLArbitrationTable, read on demand, for ports whose link is up.
#include "agent/fetch.h"
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/tables.h"

enum { LOW = 1, HIGH = 2, PORT = 0, PRIORITY = 1, PLACE = 2 };
enum { PLACES_MAX = 64, BLOCK = 32, PORT_MAX = 254, WEIGHT = 6 };

// How many entries that table of the port has (IBA 14.2.5.6, VLArbitrationLowCap and HighCap).
static uint32_t sm_arbitration_size(const struct fabric_port *port, uint32_t priority)
{
    const uint32_t size =
        fabric_port_info(port, priority == LOW ? PORT_INFO_VL_ARBITRATION_LOW_CAP
                                               : PORT_INFO_VL_ARBITRATION_HIGH_CAP);
    return size < PLACES_MAX ? size : PLACES_MAX;
}

// Whether rows of the port can have a value in the column: the weights are read.
static bool sm_arbitration_can(const struct agent_snapshot *snapshot, const struct table_row *row)
{
    const struct fabric_port *port =
        row->port != FABRIC_NONE ? &snapshot->fabric->ports[row->port] : NULL;
    return port && port->known && port->state > FABRIC_DOWN &&
           (row->column->number != WEIGHT ||
            fetch_can_smp(snapshot, row->port, DEMAND_VL_ARBITRATION));
}

static bool sm_arbitration_next(const struct agent_snapshot *snapshot, const uint32_t *tail,
                                size_t length, struct table_row *row)
{
    static const struct box BOX = {{1, LOW, 1}, {PORT_MAX, HIGH, PLACES_MAX}, 3};
    const struct fabric *fabric = snapshot->fabric;
    if (!box_begin_after(&BOX, tail, length, row->tail))
        return false;
    do {
        row->port = fabric_find_port(fabric, row->node, (uint8_t)row->tail[PORT]);
        const bool can = sm_arbitration_can(snapshot, row);
        if (can &&
            row->tail[PLACE] <= sm_arbitration_size(sm_port(snapshot, row), row->tail[PRIORITY]))
            return true;
        row->tail[PLACE] = PLACES_MAX; // no further entry there
        if (!can)
            row->tail[PRIORITY] = HIGH;
    } while (box_count_up(&BOX, row->tail));
    return false;
}

static bool sm_arbitration_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                size_t length, bool after, struct table_row *row,
                                struct agentx_oid *found)
{
    return sm_seek_tail(snapshot, ids, length, after, 3, sm_arbitration_next, row, found);
}

static bool sm_arbitration_index(const struct agent_snapshot *snapshot, const struct table_row *row,
                                 struct agentx_value *out)
{
    static const uint8_t WHICH[] = {[3] = PRIORITY, [4] = PLACE, [5] = PORT};
    (void)snapshot;
    return put_number(out, row->tail[WHICH[row->column->number]]);
}

// The low priority table is in the blocks 1 and 2, the high priority table in 3 and 4; an entry is
// a lane and its weight (IBA 14.2.5.9).
static bool sm_arbitration_weight(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, struct agentx_value *out)
{
    const uint32_t place = row->tail[PLACE] - 1, number = row->tail[PORT];
    const uint32_t block = 1 + 2 * (row->tail[PRIORITY] - LOW) + place / BLOCK;
    const bool is_switch = sm_node(snapshot, row)->type == FABRIC_SWITCH;
    const uint8_t *data = fetch_smp(snapshot, row->port, DEMAND_VL_ARBITRATION,
                                    block << 16 | (is_switch ? number : 0));
    return data && put_number(out, data[place % BLOCK * 2 + 1]);
}

static const struct table_column COLUMNS[] = {
    {"ibSmVLArbitrationSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmVLArbitrationNodeGUID", 2, AGENTX_OCTETS, .get = sm_get_node_guid},
    {"ibSmVLArbitrationPriority", 3, AGENTX_INTEGER, .get = sm_arbitration_index},
    {"ibSmVLArbitrationIndex", 4, AGENTX_INTEGER, .get = sm_arbitration_index},
    {"ibSmVLArbitrationPortNum", 5, AGENTX_INTEGER, .get = sm_arbitration_index},
    {"ibSmVLArbitrationWeight", WEIGHT, AGENTX_INTEGER, .get = sm_arbitration_weight},
};

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 16, 1, 1};

const struct table SM_ARBITRATION = {"ibSmVLArbitrationTable",         ENTRY,
                                     sizeof ENTRY / sizeof *ENTRY,     COLUMNS,
                                     sizeof COLUMNS / sizeof *COLUMNS, sm_arbitration_seek};
