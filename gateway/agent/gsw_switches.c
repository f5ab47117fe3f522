#include "agent/gsw.h"
#include "agent/put.h"
#include "agent/tables.h"

#include <stdio.h>

static bool gsw_switches_ports(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    return put_number(out, gsw_node(snapshot, row)->port_count);
}

// NodeInfo's: the only revision that every node tells.
static bool gsw_switches_revision(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, struct agentx_value *out)
{
    char text[11];
    snprintf(text, sizeof text, "0x%x", (unsigned)gsw_node(snapshot, row)->revision);
    return put_text(out, text, 32);
}

static bool gsw_switches_status(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    enum { ONLINE = 1, OFFLINE = 2 }; // GswSwitchStatus
    return put_number(out, gsw_node(snapshot, row)->silent ? OFFLINE : ONLINE);
}

static bool trap_level(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out)
{
    const struct setting *setting = gsw_setting(snapshot, row, SETTING_EVENT_TRAP_LEVEL);
    bool set = setting && setting->size > 0;
    return put_number(out, set ? setting->value[0] : snapshot->source->event_trap_level);
}

static bool events(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out)
{
    return put_number(out, snapshot_events_count(snapshot->events, snapshot->source->journal,
                                                 snapshot_range(snapshot),
                                                 gsw_node(snapshot, row)->guid));
}

static const struct table_column COLUMNS[] = {
    {"gswSwitchSwitchId", 1, AGENTX_OCTETS, gsw_get_global_id, SETTING_NONE},
    {"gswSwitchMaxPortNum", 2, AGENTX_INTEGER, gsw_switches_ports, SETTING_NONE},
    {"gswSensorsNum", 3, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswCurrentDate", 10, AGENTX_OCTETS, gsw_get_date, SETTING_NONE},
    {"gswBootDate", 11, AGENTX_OCTETS, NULL, SETTING_NONE},
    {"gswFWLastUpdated", 12, AGENTX_OCTETS, NULL, SETTING_NONE},
    {"gswFlashLastUpdated", 13, AGENTX_OCTETS, NULL, SETTING_NONE},
    {"gswBootPromLastUpdated", 14, AGENTX_OCTETS, NULL, SETTING_NONE},
    {"gswFirmwareVersion", 20, AGENTX_OCTETS, NULL, SETTING_NONE},
    {"gswHWRevision", 21, AGENTX_OCTETS, gsw_switches_revision, SETTING_NONE},
    {"gswOperStatus", 22, AGENTX_INTEGER, gsw_switches_status, SETTING_NONE},
    {"gswAdmStatus", 23, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswSsn", 26, AGENTX_OCTETS, NULL, SETTING_NONE},
    {"gswBeaconOperStatus", 30, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswBeaconAdmStatus", 31, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswDiagResult", 40, AGENTX_INTEGER, NULL, SETTING_NONE},
    {"gswEventTrapLevel", 41, AGENTX_INTEGER, trap_level, SETTING_EVENT_TRAP_LEVEL},
    {"gswEventNumEntries", 42, AGENTX_INTEGER, events, SETTING_NONE},
};

static const uint32_t ENTRY[] = {TABLES_GSW_IDS, 2, 3, 1};

const struct table GSW_SWITCHES = {"gswSwitchComTable",
                                   ENTRY,
                                   sizeof ENTRY / sizeof *ENTRY,
                                   COLUMNS,
                                   sizeof COLUMNS / sizeof *COLUMNS,
                                   gsw_seek_element};
