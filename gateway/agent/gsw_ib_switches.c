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

static const struct table_column COLUMNS[] = {
    {"gswIBSwSwitchId", 1, AGENTX_OCTETS, gsw_get_global_id, SETTING_NONE},
    {"gswIBBadMKeyCounter", 6, AGENTX_INTEGER, bad_mkeys, SETTING_NONE},
    {"gswIBBadBKeyCounter", 7, AGENTX_INTEGER, bad_bkeys, SETTING_NONE},
    {"gswIBSwitchChangeReason", 8, AGENTX_INTEGER, gsw_get_one, SETTING_NONE},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 2, 25, 1};

const struct table GSW_IB_SWITCHES = {
    "gswIBSwTable",  ENTRY, sizeof ENTRY / sizeof *ENTRY, COLUMNS, sizeof COLUMNS / sizeof *COLUMNS,
    gsw_seek_element};
