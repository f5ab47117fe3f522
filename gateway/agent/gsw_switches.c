// SPDX-License-Identifier: BSD-2-Clause
// IBSWITCH-MIB: gswSwitchTable, and the ports and sensors of each switch.
#include "agent/gsw.h"
#include "agent/leds.h"
#include "agent/put.h"
#include "agent/tables.h"

#include <stdio.h>

// gswSwitchTable.

static bool gsw_switches_ports(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    return put_number(out, gsw_node(snapshot, row)->port_count);
}

// The revision in NodeInfo: every node has that one.
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

// The serial number that was set; empty: none was.
static bool serial_number(const struct agent_snapshot *snapshot, const struct table_row *row,
                          struct agentx_value *out)
{
    const struct setting *setting = gsw_setting(snapshot, row, SETTING_SERIAL_NUMBER);
    return setting ? put_octets(out, setting->value, setting->size) : put_octets(out, "", 0);
}

// LedInfo is what the beacon was told and what it does.
static bool gsw_switches_beacon(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    enum { ON = 1, OFF = 2 }; // GswOnOff
    const uint32_t port = leds_port(snapshot->fabric, row->node);
    bool on;
    return port != FABRIC_NONE && leds_read(snapshot, port, &on) && put_number(out, on ? ON : OFF);
}

// One more than DiagCode in PortInfo, as the MIB counts from 1, which says that all is well. Of a
// router, of the first port that has something to say.
static bool diag_result(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    const struct fabric_node *node = gsw_node(snapshot, row);
    uint16_t code = 0;
    bool known = false;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports && code == 0; i++) {
        const struct fabric_port *port = &snapshot->fabric->ports[i];
        if (gsw_speaks_for_element(node, port)) {
            known = true;
            code = (uint16_t)fabric_port_info(port, PORT_INFO_DIAG_CODE);
        }
    }
    return known && put_number(out, code + 1);
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

static const struct table_column SWITCH_COLUMNS[] = {
    {"gswSwitchSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswSwitchMaxPortNum", 2, AGENTX_INTEGER, .get = gsw_switches_ports},
    {"gswSensorsNum", 3, AGENTX_INTEGER, .get = NULL},
    {"gswCurrentDate", 10, AGENTX_OCTETS, .get = gsw_get_date},
    {"gswBootDate", 11, AGENTX_OCTETS, .get = NULL},
    {"gswFWLastUpdated", 12, AGENTX_OCTETS, .get = NULL},
    {"gswFlashLastUpdated", 13, AGENTX_OCTETS, .get = NULL},
    {"gswBootPromLastUpdated", 14, AGENTX_OCTETS, .get = NULL},
    {"gswFirmwareVersion", 20, AGENTX_OCTETS, .get = NULL},
    {"gswHWRevision", 21, AGENTX_OCTETS, .get = gsw_switches_revision},
    {"gswOperStatus", 22, AGENTX_INTEGER, .get = gsw_switches_status},
    {"gswAdmStatus", 23, AGENTX_INTEGER, .get = NULL},
    {"gswSsn", 26, AGENTX_OCTETS, .get = serial_number, .setting = SETTING_SERIAL_NUMBER},
    {"gswBeaconOperStatus", 30, AGENTX_INTEGER, .get = gsw_switches_beacon},
    {"gswBeaconAdmStatus", 31, AGENTX_INTEGER, .get = gsw_switches_beacon, .switches = true},
    {"gswDiagResult", 40, AGENTX_INTEGER, .get = diag_result},
    {"gswEventTrapLevel", 41, AGENTX_INTEGER, .get = trap_level,
     .setting = SETTING_EVENT_TRAP_LEVEL},
    {"gswEventNumEntries", 42, AGENTX_INTEGER, .get = events},
};

static const uint32_t SWITCH_ENTRY[] = {TABLES_GSW_IDS, 2, 3, 1};

const struct table GSW_SWITCHES = {"gswSwitchComTable",
                                   SWITCH_ENTRY,
                                   sizeof SWITCH_ENTRY / sizeof *SWITCH_ENTRY,
                                   SWITCH_COLUMNS,
                                   sizeof SWITCH_COLUMNS / sizeof *SWITCH_COLUMNS,
                                   gsw_seek_element};

// gswPortComTable.

static bool gsw_ports_type(const struct agent_snapshot *snapshot, const struct table_row *row,
                           struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    enum { INFINIBAND = 2 };
    return put_number(out, INFINIBAND);
}

static const struct table_column PORT_COLUMNS[] = {
    {"gswPortComSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_global_id},
    {"gswPortComNum", 2, AGENTX_INTEGER, .get = gsw_get_port_number},
    {"gswPortComType", 3, AGENTX_INTEGER, .get = gsw_ports_type},
    {"gswPortComName", 4, AGENTX_OCTETS, .get = NULL},
};

static const uint32_t PORT_ENTRY[] = {TABLES_GSW_IDS, 2, 4, 1};

const struct table GSW_PORTS = {"gswPortComTable",
                                PORT_ENTRY,
                                sizeof PORT_ENTRY / sizeof *PORT_ENTRY,
                                PORT_COLUMNS,
                                sizeof PORT_COLUMNS / sizeof *PORT_COLUMNS,
                                gsw_seek_any_port};

// gswSensorTable.

// The fabric has no attribute about sensors, so there are no rows.
static bool gsw_sensors_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found)
{
    (void)snapshot, (void)ids, (void)length, (void)after, (void)row, (void)found;
    return false;
}

static const struct table_column SENSOR_COLUMNS[] = {
    {"gswSensorSwitchId", 1, AGENTX_OCTETS, .get = NULL},
    {"gswSensorIndex", 2, AGENTX_INTEGER, .get = NULL},
    {"gswSensorType", 3, AGENTX_INTEGER, .get = NULL},
    {"gswSensorStatus", 4, AGENTX_INTEGER, .get = NULL},
    {"gswSensorValue", 5, AGENTX_INTEGER, .get = NULL},
    {"gswSensorInfo", 6, AGENTX_OCTETS, .get = NULL},
};

static const uint32_t SENSOR_ENTRY[] = {TABLES_GSW_IDS, 2, 10, 1};

const struct table GSW_SENSORS = {"gswSensorTable",
                                  SENSOR_ENTRY,
                                  sizeof SENSOR_ENTRY / sizeof *SENSOR_ENTRY,
                                  SENSOR_COLUMNS,
                                  sizeof SENSOR_COLUMNS / sizeof *SENSOR_COLUMNS,
                                  gsw_sensors_seek};
