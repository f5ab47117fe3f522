// SPDX-License-Identifier: BSD-2-Clause
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

static bool community(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    const struct setting *set = gsw_setting(snapshot, row, SETTING_COMMUNITY);
    return set ? put_octets(out, set->value, set->size) : put_octets(out, "", 0);
}

// 0.0.0.0: no trap recipient was set.
static bool recipient(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    static const uint8_t NONE[4];
    const struct setting *set = gsw_setting(snapshot, row, SETTING_TRAP_RECIPIENT);
    return put_octets(out, set && set->size == sizeof NONE ? set->value : NONE, sizeof NONE);
}

// Each element has GSW_COMMUNITIES_MAX rows, set or not.
static void gsw_communities_index_of(const struct agent_snapshot *snapshot, size_t at,
                                     struct agentx_oid *out)
{
    uint32_t node = snapshot->switches[at / GSW_COMMUNITIES_MAX];
    gsw_add_global_id(out, &snapshot->fabric->nodes[node]);
    agentx_oid_add(out, (uint32_t)(1 + at % GSW_COMMUNITIES_MAX));
}

static bool gsw_communities_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                 size_t length, bool after, struct table_row *row,
                                 struct agentx_oid *found)
{
    if (!table_seek_sorted(snapshot, snapshot->switch_count * GSW_COMMUNITIES_MAX,
                           gsw_communities_index_of, ids, length, after, &row->at, found))
        return false;
    row->node = snapshot->switches[row->at / GSW_COMMUNITIES_MAX];
    row->number = (uint8_t)(1 + row->at % GSW_COMMUNITIES_MAX);
    return true;
}

static const struct table_column COLUMNS[] = {
    {"gswAgtCmtySwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswAgtCmtyIdx", 2, AGENTX_INTEGER, .get = gsw_get_port_number},
    {"gswAgtCmtyStr", 3, AGENTX_OCTETS, .get = community, .setting = SETTING_COMMUNITY},
    {"gswAgtTrapRcp", 4, AGENTX_IP_ADDRESS, .get = recipient, .setting = SETTING_TRAP_RECIPIENT},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 25, 11, 1};

const struct table GSW_COMMUNITIES = {"gswAgtCmtyTable",
                                      ENTRY,
                                      sizeof ENTRY / sizeof *ENTRY,
                                      COLUMNS,
                                      sizeof COLUMNS / sizeof *COLUMNS,
                                      gsw_communities_seek};
