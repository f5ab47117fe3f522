// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB, read on demand: ibSmaLinForTable and ibSmaMulForTable of a switch. They have rows for
// LIDs that lead somewhere.
#include "agent/device.h"
#include "agent/fetch.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/wire.h"

#include <string.h>

enum { LID_MAX = 0xBFFF, MLID_FIRST = 0xC000, MLID_MAX = 0xFFFE };
enum { LIDS_OF_BLOCK = 64, MLIDS_OF_BLOCK = 32, PORTS_OF_POSITION = 16, NOWHERE = 255 };

static bool sma_routes_has_lid(const struct agent_snapshot *snapshot, struct table_row *row)
{
    const struct fabric_node *node = device_node(snapshot, row);
    if (node->type == FABRIC_SWITCH &&
        row->tail[0] <= fabric_switch_info(node, SWITCH_INFO_LINEAR_FDB_TOP))
        return true;
    row->tail[0] = LID_MAX;
    return false;
}

static bool sma_routes_seek_lid(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                size_t length, bool after, struct table_row *row,
                                struct agentx_oid *found)
{
    static const struct box BOX = {{1}, {LID_MAX}, 1};
    return device_seek_box(snapshot, ids, length, after, &BOX, sma_routes_has_lid, row, found);
}

static bool sma_routes_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    const uint32_t lid = row->tail[0];
    const uint8_t *data =
        fetch_smp(snapshot, row->port, DEMAND_LINEAR_FORWARDING, lid / LIDS_OF_BLOCK);
    return data && data[lid % LIDS_OF_BLOCK] != NOWHERE &&
           put_number(out, data[lid % LIDS_OF_BLOCK]);
}

static const struct table_column LINEAR_COLUMNS[] = {
    {"ibSmaLinForwEgressPort", 2, AGENTX_GAUGE32, .get = sma_routes_port},
};

static const uint32_t LINEAR_ENTRY[] = {TABLES_SMA_IDS, 1, 9, 1, 1};

const struct table SMA_LINEAR =
    TABLE("ibSmaLinForTable", LINEAR_ENTRY, LINEAR_COLUMNS, sma_routes_seek_lid);

// Multicast.

// The last MLID that the switch forwards: MulticastFDBTop, where the subnet manager sets it.
static uint32_t sma_routes_last_mlid(const struct fabric_node *node)
{
    enum { MULTICAST_FDB_TOP = ATTRIBUTE_FIELD(18, 0, 16) };
    const uint32_t size = fabric_switch_info(node, SWITCH_INFO_MULTICAST_FDB_CAP);
    const uint32_t top = attribute_get(node->switch_info.octets, 0, MULTICAST_FDB_TOP);
    const uint32_t last = MLID_FIRST + size - 1;
    return top >= MLID_FIRST - 1 && top < last ? top : last;
}

static bool sma_routes_has_mlid(const struct agent_snapshot *snapshot, struct table_row *row)
{
    const struct fabric_node *node = device_node(snapshot, row);
    if (node->type == FABRIC_SWITCH && row->tail[0] <= sma_routes_last_mlid(node))
        return true;
    row->tail[0] = MLID_MAX;
    return false;
}

static bool sma_routes_seek_mlid(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                 size_t length, bool after, struct table_row *row,
                                 struct agentx_oid *found)
{
    static const struct box BOX = {{MLID_FIRST}, {MLID_MAX}, 1};
    return device_seek_box(snapshot, ids, length, after, &BOX, sma_routes_has_mlid, row, found);
}

// A port list has port 0 in the most significant bit of its first octet (IB-TC-MIB).
static void sma_routes_add_ports(uint8_t *list, uint32_t position, uint16_t mask)
{
    for (uint32_t i = 0; i < PORTS_OF_POSITION; i++) {
        const uint32_t port = position * PORTS_OF_POSITION + i;
        if (mask >> i & 1)
            list[port / 8] |= (uint8_t)(0x80 >> port % 8);
    }
}

static bool sma_routes_mask(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    static const uint8_t NO_PORTS[32];
    uint8_t list[sizeof NO_PORTS] = {0};
    bool all = true;
    const uint32_t at = row->tail[0] - MLID_FIRST;
    const uint32_t positions = device_node(snapshot, row)->port_count / PORTS_OF_POSITION + 1u;
    for (uint32_t i = 0; i < positions && i < sizeof list / 2; i++) {
        const uint8_t *data = fetch_smp(snapshot, row->port, DEMAND_MULTICAST_FORWARDING,
                                        i << 28 | at / MLIDS_OF_BLOCK);
        all = all && data;
        if (data)
            sma_routes_add_ports(list, i, wire_get16(data + (size_t)(at % MLIDS_OF_BLOCK) * 2));
    }
    return all && memcmp(list, NO_PORTS, sizeof list) != 0 && put_octets(out, list, sizeof list);
}

static const struct table_column MULTICAST_COLUMNS[] = {
    {"ibSmaMulForwMask", 2, AGENTX_OCTETS, .get = sma_routes_mask},
};

static const uint32_t MULTICAST_ENTRY[] = {TABLES_SMA_IDS, 1, 11, 1, 1};

const struct table SMA_MULTICAST =
    TABLE("ibSmaMulForTable", MULTICAST_ENTRY, MULTICAST_COLUMNS, sma_routes_seek_mlid);
