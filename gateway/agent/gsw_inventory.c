// SPDX-License-Identifier: BSD-2-Clause
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

static bool gsw_inventory_type(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    return put_number(out, gsw_type(gsw_node(snapshot, row)));
}

static bool local_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out)
{
    return put_guid(out, gsw_node(snapshot, row)->guid);
}

// Puts the name that was set; empty: none was.
static bool gsw_inventory_set_name(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, enum setting_kind kind,
                                   struct agentx_value *out)
{
    const struct setting *setting = gsw_setting(snapshot, row, kind);
    return setting ? put_octets(out, setting->value, setting->size) : put_octets(out, "", 0);
}

static bool name(const struct agent_snapshot *snapshot, const struct table_row *row,
                 struct agentx_value *out)
{
    const struct fabric_node *node = gsw_node(snapshot, row);
    const char *known = names_find(snapshot->names, node->guid);
    gsw_inventory_set_name(snapshot, row, SETTING_SWITCH_NAME, out);
    return out->size > 0 || put_text(out, known ? known : node->description, GSW_NAME_MAX);
}

static bool san_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out)
{
    return gsw_inventory_set_name(snapshot, row, SETTING_SAN_NAME, out);
}

static bool fabric_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    return gsw_inventory_set_name(snapshot, row, SETTING_FABRIC_NAME, out);
}

static const struct table_column COLUMNS[] = {
    {"gswInventoryType", 1, AGENTX_INTEGER, .get = gsw_inventory_type},
    {"gswInventoryId", 2, AGENTX_OCTETS, .get = local_id},
    {"gswSwitchName", 7, AGENTX_OCTETS, .get = name, .setting = SETTING_SWITCH_NAME},
    {"gswSwitchGlobalId", 8, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswSwitchEIP", 9, AGENTX_IP_ADDRESS, .get = NULL},
    {"gswSwitchIIP", 10, AGENTX_IP_ADDRESS, .get = NULL},
    {"gswSwitchIGW", 11, AGENTX_IP_ADDRESS, .get = NULL},
    {"gswSwitchSANName", 12, AGENTX_OCTETS, .get = san_name, .setting = SETTING_SAN_NAME},
    {"gswSwitchFabricName", 13, AGENTX_OCTETS, .get = fabric_name, .setting = SETTING_FABRIC_NAME},
};

// Makes a row's index: type and GUID, so that all switches come before all routers.
static void gsw_inventory_index_of(const struct agent_snapshot *snapshot, uint32_t node,
                                   struct agentx_oid *out)
{
    uint8_t id[GSW_GLOBAL_ID_SIZE];
    gsw_global_id(&snapshot->fabric->nodes[node], id);
    out->length = 0;
    agentx_oid_add(out, id[GSW_GLOBAL_ID_SIZE - 1]);
    agentx_oid_add_octets(out, id, GSW_LOCAL_ID_SIZE);
}

// Finds the first row of that type whose index is greater than `ids`; without `after`: equal or
// greater.
static bool gsw_inventory_find(const struct agent_snapshot *snapshot, uint8_t wanted,
                               const uint32_t *ids, size_t length, bool after,
                               struct table_row *row, struct agentx_oid *found)
{
    size_t id_length = length > GSW_LOCAL_ID_SIZE ? GSW_LOCAL_ID_SIZE : length - (length > 0);
    bool named = length > 0 && ids[0] == wanted;
    row->at = named ? gsw_first_element(snapshot, ids + 1, id_length) : 0;
    for (; row->at < snapshot->switch_count; row->at++) {
        row->node = snapshot->switches[row->at];
        if (gsw_type(gsw_node(snapshot, row)) != wanted)
            continue;
        gsw_inventory_index_of(snapshot, row->node, found);
        int order = agentx_oid_compare(found->ids, found->length, ids, length);
        if (after ? order > 0 : order >= 0)
            return true;
    }
    return false;
}

static bool gsw_inventory_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    bool any = false;
    for (uint8_t wanted = GSW_IB_SWITCH; wanted <= GSW_IB_ROUTER && !any; wanted++) {
        if (length == 0 || ids[0] <= wanted)
            any = gsw_inventory_find(snapshot, wanted, ids, length, after, row, found);
    }
    return any && (after || agentx_oid_compare(found->ids, found->length, ids, length) == 0);
}

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 2, 2, 1};

const struct table GSW_INVENTORY = {"gswInventoryTable",
                                    ENTRY,
                                    sizeof ENTRY / sizeof *ENTRY,
                                    COLUMNS,
                                    sizeof COLUMNS / sizeof *COLUMNS,
                                    gsw_inventory_seek};
