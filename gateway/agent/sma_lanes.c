// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB, read on demand: ibSmaSL2VLMapTable, ibSmaHiPriVlArbTable and ibSmaLowPriVlArbTable.
// They have rows for ports whose link is up, and for port 0 of a switch.
#include "agent/device.h"
#include "agent/fetch.h"
#include "agent/put.h"
#include "agent/tables.h"

enum { OUT = 0, IN = 1, SL = 2, SL_MAX = 15 };
enum { PLACE = 1, PLACES_MAX = 64, LANES_BLOCK = 32, PORT_MAX = 254 };

// Index of the device's port with that number in an index; FABRIC_NONE: it has no lanes.
static uint32_t sma_lanes_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                               uint32_t number)
{
    const bool is_switch = device_node(snapshot, row)->type == FABRIC_SWITCH;
    if (!is_switch)
        return number == DEVICE_PORT_0 ? snapshot->scope.port : FABRIC_NONE;
    const uint32_t port = fabric_find_port(snapshot->fabric, row->node,
                                           number == DEVICE_PORT_0 ? 0 : (uint8_t)number);
    const bool is_up =
        port != FABRIC_NONE && snapshot->fabric->ports[port].known &&
        (number == DEVICE_PORT_0 || snapshot->fabric->ports[port].state > FABRIC_DOWN);
    return is_up ? port : FABRIC_NONE;
}

// The port of a host sends through its own lanes: it is both ends, 255. Only an enhanced port 0
// sends through lanes of its own.
static bool sma_lanes_has(const struct agent_snapshot *snapshot, struct table_row *row)
{
    const struct fabric_node *node = device_node(snapshot, row);
    row->port = sma_lanes_port(snapshot, row, row->tail[OUT]);
    const bool sends = row->port != FABRIC_NONE &&
                       (row->tail[OUT] != DEVICE_PORT_0 || node->type != FABRIC_SWITCH ||
                        fabric_switch_info(node, SWITCH_INFO_ENHANCED_PORT_0));
    if (sends && sma_lanes_port(snapshot, row, row->tail[IN]) != FABRIC_NONE)
        return true;
    row->tail[SL] = SL_MAX;
    if (!sends)
        row->tail[IN] = DEVICE_PORT_0;
    return false;
}

static bool sma_lanes_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found)
{
    static const struct box BOX = {{1, 1, 0}, {DEVICE_PORT_0, DEVICE_PORT_0, SL_MAX}, 3};
    return device_seek_box(snapshot, ids, length, after, &BOX, sma_lanes_has, row, found);
}

// Two lanes an octet, the first one in the upper half (IBA 14.2.5.8).
static bool sma_lanes_get(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    const uint32_t in = row->tail[IN] % DEVICE_PORT_0, to = row->tail[OUT] % DEVICE_PORT_0;
    const uint8_t *data = fetch_smp(snapshot, row->port, DEMAND_SL_TO_VL, in << 8 | to);
    if (!data)
        return false;
    const uint8_t both = data[row->tail[SL] / 2];
    return put_number(out, row->tail[SL] % 2 ? both & 15 : both >> 4);
}

static const struct table_column LANE_COLUMNS[] = {
    {"ibSmaVirtualLane", 4, AGENTX_GAUGE32, .get = sma_lanes_get},
};

static const uint32_t LANE_ENTRY[] = {TABLES_SMA_IDS, 1, 7, 1, 1};

const struct table SMA_LANES =
    TABLE("ibSmaSL2VLMapTable", LANE_ENTRY, LANE_COLUMNS, sma_lanes_seek);

// Arbitration.

// Finds the port of the row, if that table of it has so many entries (IBA 14.2.5.6).
static bool sma_lanes_has_entry(const struct agent_snapshot *snapshot, struct table_row *row,
                                enum port_info_field size)
{
    const uint32_t number = row->tail[OUT];
    const bool is_switch = device_node(snapshot, row)->type == FABRIC_SWITCH;
    row->port = is_switch ? sma_lanes_port(snapshot, row, number) : snapshot->scope.port;
    if (row->port != FABRIC_NONE && device_port(snapshot, row)->number == number &&
        row->tail[PLACE] <= fabric_port_info(device_port(snapshot, row), size))
        return true;
    row->tail[PLACE] = PLACES_MAX;
    return false;
}

static bool sma_lanes_has_high(const struct agent_snapshot *snapshot, struct table_row *row)
{
    return sma_lanes_has_entry(snapshot, row, PORT_INFO_VL_ARBITRATION_HIGH_CAP);
}

static bool sma_lanes_has_low(const struct agent_snapshot *snapshot, struct table_row *row)
{
    return sma_lanes_has_entry(snapshot, row, PORT_INFO_VL_ARBITRATION_LOW_CAP);
}

static const struct box ENTRIES = {{1, 1}, {PORT_MAX, PLACES_MAX}, 2};

static bool sma_lanes_seek_high(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                size_t length, bool after, struct table_row *row,
                                struct agentx_oid *found)
{
    return device_seek_box(snapshot, ids, length, after, &ENTRIES, sma_lanes_has_high, row, found);
}

static bool sma_lanes_seek_low(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    return device_seek_box(snapshot, ids, length, after, &ENTRIES, sma_lanes_has_low, row, found);
}

// An entry is a lane and its weight (IBA 14.2.5.9); `first` is the first block of the table.
static const uint8_t *sma_lanes_entry(const struct agent_snapshot *snapshot,
                                      const struct table_row *row, uint32_t first)
{
    const uint32_t place = row->tail[PLACE] - 1;
    const bool is_switch = device_node(snapshot, row)->type == FABRIC_SWITCH;
    const uint32_t block = first + place / LANES_BLOCK;
    const uint8_t *data = fetch_smp(snapshot, row->port, DEMAND_VL_ARBITRATION,
                                    block << 16 | (is_switch ? row->tail[OUT] : 0));
    return data ? data + (size_t)(place % LANES_BLOCK) * 2 : NULL;
}

enum { LOW_BLOCK = 1, HIGH_BLOCK = 3, LANE_MASK = 15 };

#define ENTRY_GETTERS(name, first)                                                                 \
    static bool sma_lanes_##name##_lane(const struct agent_snapshot *snapshot,                     \
                                        const struct table_row *row, struct agentx_value *out)     \
    {                                                                                              \
        const uint8_t *entry = sma_lanes_entry(snapshot, row, first);                              \
        return entry && put_number(out, entry[0] & LANE_MASK);                                     \
    }                                                                                              \
    static bool sma_lanes_##name##_weight(const struct agent_snapshot *snapshot,                   \
                                          const struct table_row *row, struct agentx_value *out)   \
    {                                                                                              \
        const uint8_t *entry = sma_lanes_entry(snapshot, row, first);                              \
        return entry && put_number(out, entry[1]);                                                 \
    }
ENTRY_GETTERS(high, HIGH_BLOCK)
ENTRY_GETTERS(low, LOW_BLOCK)

static const struct table_column HIGH_COLUMNS[] = {
    {"ibSmaHiPriVirtLane", 3, AGENTX_GAUGE32, .get = sma_lanes_high_lane},
    {"ibSmaHiPriWeight", 4, AGENTX_GAUGE32, .get = sma_lanes_high_weight},
};
static const struct table_column LOW_COLUMNS[] = {
    {"ibSmaLowPriVirtLane", 3, AGENTX_GAUGE32, .get = sma_lanes_low_lane},
    {"ibSmaLowPriWeight", 4, AGENTX_GAUGE32, .get = sma_lanes_low_weight},
};

static const uint32_t HIGH_ENTRY[] = {TABLES_SMA_IDS, 1, 8, 1, 1};
static const uint32_t LOW_ENTRY[] = {TABLES_SMA_IDS, 1, 8, 2, 1};

const struct table SMA_HIGH =
    TABLE("ibSmaHiPriVlArbTable", HIGH_ENTRY, HIGH_COLUMNS, sma_lanes_seek_high);
const struct table SMA_LOW =
    TABLE("ibSmaLowPriVlArbTable", LOW_ENTRY, LOW_COLUMNS, sma_lanes_seek_low);
