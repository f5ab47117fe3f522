// SPDX-License-Identifier: BSD-2-Clause
// IBSWITCH-MIB: gswIBSwTable and gswIBTopoTable.
#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

static bool put_count(struct agentx_value *out, uint64_t count)
{
    return put_number(out, count < INT32_MAX ? (int64_t)count : INT32_MAX);
}

static bool bad_mkeys(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    return put_count(out,
                     snapshot_events_bad_mkey(snapshot->events, gsw_node(snapshot, row)->guid));
}

static bool bad_bkeys(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    return put_count(out,
                     snapshot_events_bad_bkey(snapshot->events, gsw_node(snapshot, row)->guid));
}

static const struct table_column SWITCH_COLUMNS[] = {
    {"gswIBSwSwitchId", 1, AGENTX_OCTETS, gsw_get_global_id, SETTING_NONE},
    {"gswIBBadMKeyCounter", 6, AGENTX_INTEGER, bad_mkeys, SETTING_NONE},
    {"gswIBBadBKeyCounter", 7, AGENTX_INTEGER, bad_bkeys, SETTING_NONE},
    {"gswIBSwitchChangeReason", 8, AGENTX_INTEGER, gsw_get_one, SETTING_NONE},
};

static const uint32_t SWITCH_ENTRY[] = {TABLES_GSW_IDS, 2, 25, 1};

const struct table GSW_IB_SWITCHES = {"gswIBSwTable",
                                      SWITCH_ENTRY,
                                      sizeof SWITCH_ENTRY / sizeof *SWITCH_ENTRY,
                                      SWITCH_COLUMNS,
                                      sizeof SWITCH_COLUMNS / sizeof *SWITCH_COLUMNS,
                                      gsw_seek_element};

static const struct table_column TOPOLOGY_COLUMNS[] = {
    {"gswIBTopoSwitchId", 1, AGENTX_OCTETS, gsw_get_global_id, SETTING_NONE},
    {"gswIBTopoChangeReason", 2, AGENTX_INTEGER, gsw_get_one, SETTING_NONE},
};

static const uint32_t TOPOLOGY_ENTRY[] = {TABLES_GSW_IDS, 5, 5, 1};

const struct table GSW_IB_TOPOLOGY = {"gswIBTopoTable",
                                      TOPOLOGY_ENTRY,
                                      sizeof TOPOLOGY_ENTRY / sizeof *TOPOLOGY_ENTRY,
                                      TOPOLOGY_COLUMNS,
                                      sizeof TOPOLOGY_COLUMNS / sizeof *TOPOLOGY_COLUMNS,
                                      gsw_seek_element};
