#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

// Nothing on the fabric tells of sensors.
static bool gsw_sensors_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found)
{
    (void)snapshot, (void)ids, (void)length, (void)after, (void)row, (void)found;
    return false;
}

static const struct table_column COLUMNS[] = {
    {"gswSensorSwitchId", 1, AGENTX_OCTETS, NULL, SETTING_NONE},
    {"gswSensorIndex", 2, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswSensorType", 3, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswSensorStatus", 4, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswSensorValue", 5, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswSensorInfo", 6, AGENTX_OCTETS, NULL, SETTING_NONE},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 2, 10, 1};

const struct table GSW_SENSORS = {"gswSensorTable",
                                  ENTRY,
                                  sizeof ENTRY / sizeof *ENTRY,
                                  COLUMNS,
                                  sizeof COLUMNS / sizeof *COLUMNS,
                                  gsw_sensors_seek};
