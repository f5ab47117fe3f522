#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

static bool gsw_ports_type(const struct agent_snapshot *snapshot, const struct table_row *row,
                           struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    enum { INFINIBAND = 2 };
    return put_number(out, INFINIBAND);
}

static const struct table_column COLUMNS[] = {
    {"gswPortComSwitchId", 1, AGENTX_OCTETS, gsw_get_global_id, SETTING_NONE},
    {"gswPortComNum", 2, AGENTX_INTEGER, gsw_get_port_number, SETTING_NONE},
    {"gswPortComType", 3, AGENTX_INTEGER, gsw_ports_type, SETTING_NONE},
    {"gswPortComName", 4, AGENTX_OCTETS, NULL, SETTING_NONE},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 2, 4, 1};

const struct table GSW_PORTS = {"gswPortComTable",
                                ENTRY,
                                sizeof ENTRY / sizeof *ENTRY,
                                COLUMNS,
                                sizeof COLUMNS / sizeof *COLUMNS,
                                gsw_seek_any_port};
