#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

static const struct table_column COLUMNS[] = {
    {"gswIBTopoSwitchId", 1, AGENTX_OCTETS, gsw_get_global_id, SETTING_NONE},
    {"gswIBTopoChangeReason", 2, AGENTX_INTEGER, gsw_get_one, SETTING_NONE},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 5, 5, 1};

const struct table GSW_IB_TOPOLOGY = {"gswIBTopoTable",
                                      ENTRY,
                                      sizeof ENTRY / sizeof *ENTRY,
                                      COLUMNS,
                                      sizeof COLUMNS / sizeof *COLUMNS,
                                      gsw_seek_element};
