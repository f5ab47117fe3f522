// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB, read on demand: ibSmaGuidInfoTable of the end port, and ibSmaPKeyTable of it and of a
// switch's ports whose link is up.
#include "agent/device.h"
#include "agent/fetch.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/wire.h"

enum {
    WHICH_PORT = 0,
    WHICH = 1,
    GUIDS_MAX = 255,
    GUID_BLOCK = 8,
    PKEYS_MAX = 65504,
    PKEY_BLOCK = 32
};

static bool sma_keys_has_guid(const struct agent_snapshot *snapshot, struct table_row *row)
{
    const uint8_t number = device_port(snapshot, row)->number;
    if (row->tail[WHICH_PORT] == (number ? number : DEVICE_PORT_0) &&
        row->tail[WHICH] <= fabric_port_info(device_port(snapshot, row), PORT_INFO_GUID_CAP))
        return true;
    row->tail[WHICH] = GUIDS_MAX;
    return false;
}

static bool sma_keys_seek_guid(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    static const struct box BOX = {{1, 1}, {DEVICE_PORT_0, GUIDS_MAX}, 2};
    return device_seek_box(snapshot, ids, length, after, &BOX, sma_keys_has_guid, row, found);
}

static bool sma_keys_guid(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    const uint32_t at = row->tail[WHICH] - 1;
    const uint8_t *data = fetch_smp(snapshot, row->port, DEMAND_GUID_INFO, at / GUID_BLOCK);
    return data && put_guid(out, wire_get64(data + (size_t)(at % GUID_BLOCK) * 8));
}

static const struct table_column GUID_COLUMNS[] = {
    {"ibSmaGuidVal", 3, AGENTX_OCTETS, .get = sma_keys_guid},
};

static const uint32_t GUID_ENTRY[] = {TABLES_SMA_IDS, 1, 3, 1, 1};

const struct table SMA_GUIDS =
    TABLE("ibSmaGuidInfoTable", GUID_ENTRY, GUID_COLUMNS, sma_keys_seek_guid);

// P_Keys. 255 is the end port; a switch's other ports have those that they check packets for.

enum { SHOWN_MAX = 1024 }; // P_Keys of a port: none has as many

static uint32_t sma_keys_capacity(const struct agent_snapshot *snapshot, struct table_row *row)
{
    const struct fabric_node *node = device_node(snapshot, row);
    if (row->tail[WHICH_PORT] == DEVICE_PORT_0)
        return node->partition_cap;
    const uint32_t port =
        node->type == FABRIC_SWITCH
            ? fabric_find_port(snapshot->fabric, row->node, (uint8_t)row->tail[WHICH_PORT])
            : FABRIC_NONE;
    if (port == FABRIC_NONE || snapshot->fabric->ports[port].state <= FABRIC_DOWN)
        return 0;
    row->port = port;
    return fabric_switch_info(node, SWITCH_INFO_PARTITION_ENFORCEMENT_CAP);
}

static bool sma_keys_has_pkey(const struct agent_snapshot *snapshot, struct table_row *row)
{
    row->port = snapshot->scope.port;
    if (row->tail[WHICH] < SHOWN_MAX && row->tail[WHICH] < sma_keys_capacity(snapshot, row))
        return true;
    row->tail[WHICH] = PKEYS_MAX;
    return false;
}

static bool sma_keys_seek_pkey(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    static const struct box BOX = {{1, 0}, {DEVICE_PORT_0, PKEYS_MAX}, 2};
    return device_seek_box(snapshot, ids, length, after, &BOX, sma_keys_has_pkey, row, found);
}

// False: it is not known.
static bool sma_keys_read(const struct agent_snapshot *snapshot, const struct table_row *row,
                          uint16_t *pkey)
{
    const uint32_t port = row->tail[WHICH_PORT] % DEVICE_PORT_0;
    const uint32_t at = row->tail[WHICH];
    const uint8_t *data =
        fetch_smp(snapshot, row->port, DEMAND_PKEY_TABLE, port << 16 | at / PKEY_BLOCK);
    if (data)
        *pkey = wire_get16(data + (size_t)(at % PKEY_BLOCK) * 2);
    return data != NULL;
}

enum { PKEY_FULL = 0x8000, MEMBER_NONE = 1, MEMBER_LIMITED = 2, MEMBER_FULL = 3 };

static bool sma_keys_membership(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    uint16_t pkey;
    return sma_keys_read(snapshot, row, &pkey) &&
           put_number(out, (pkey & ~PKEY_FULL) == 0 ? MEMBER_NONE
                           : pkey & PKEY_FULL       ? MEMBER_FULL
                                                    : MEMBER_LIMITED);
}

static bool sma_keys_base(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    uint16_t pkey;
    return sma_keys_read(snapshot, row, &pkey) && put_number(out, pkey & ~PKEY_FULL);
}

static const struct table_column PKEY_COLUMNS[] = {
    {"ibSmaPKeyMembership", 3, AGENTX_INTEGER, .get = sma_keys_membership},
    {"ibSmaPKeyBase", 4, AGENTX_GAUGE32, .get = sma_keys_base},
};

static const uint32_t PKEY_ENTRY[] = {TABLES_SMA_IDS, 1, 6, 1, 1};

const struct table SMA_PKEYS =
    TABLE("ibSmaPKeyTable", PKEY_ENTRY, PKEY_COLUMNS, sma_keys_seek_pkey);
