// SPDX-License-Identifier: BSD-2-Clause
// IBSWITCH-MIB: the gateway's scalars, and the tables with rows for elements.
#include "tables/gsw.h"

#include "agent/column.h"
#include "agent/leds.h"
#include "tables/tables.h"

#include <stdio.h>
#include <time.h>

enum { LOCAL_ID_SIZE = 8, NAME_MAX = 256 };
enum { IB_SWITCH = 2, IB_ROUTER = 3, TYPES = 2 }; // GswType
enum { COMMUNITIES = SETTING_ROWS_MAX };          // rows of an element, set or not
enum { REASON_NEVER = 1 };                        // Gsw...ChangeReason

#define ELEMENTS TABLE_SORTED(gsw_count_elements, gsw_enter_element)

// Rows.

static size_t gsw_count_elements(struct look *look)
{
    return look->snapshot->switch_count;
}

static void gsw_take_element(struct look *look, size_t at)
{
    look->node = look->snapshot->switches[at];
}

void gsw_add_id(struct agentx_oid *oid, const struct fabric_node *node)
{
    uint8_t id[MIB_GLOBAL_ID_SIZE];
    mib_put_global_id(id, node->guid, node->type);
    agentx_oid_add_octets(oid, id, sizeof id);
}

static void gsw_enter_element(struct look *look)
{
    gsw_take_element(look, look->at);
    gsw_add_id(&look->found, look_node(look));
}

bool gsw_put_id(struct agentx_value *out, const struct fabric_node *node)
{
    uint8_t id[MIB_GLOBAL_ID_SIZE];
    mib_put_global_id(id, node->guid, node->type);
    return put_octets(out, id, sizeof id);
}

bool gsw_get_id(struct look *look, struct agentx_value *out)
{
    return gsw_put_id(out, look_node(look));
}

// Whether PortInfo of the port is known, and speaks for the element: PortInfo of port 0 of a
// switch, and of each port of a router.
static bool gsw_speaks_for_element(const struct fabric_node *node, const struct fabric_port *port)
{
    return port->detail.known && (node->type != FABRIC_SWITCH || port->number == 0);
}

// Settings.

// The setting of this kind for the row's element. Returns NULL if it was never set.
static const struct setting *gsw_setting(const struct look *look, enum setting_kind kind)
{
    return settings_find(look->snapshot->settings, kind, look_node(look)->guid, look->number);
}

// The octets that were set; none if none were.
static bool gsw_set_octets(struct look *look, struct agentx_value *out)
{
    const struct setting *setting = gsw_setting(look, look->column->setting);
    return setting ? put_octets(out, setting->value, setting->size) : field_empty(look, out);
}

// gswMisc and gswSystem.

GETTER(gsw_version, put_octets(out, "0100", 4)) // the module's first revision
GETTER(gsw_element_count, put_number(out, (int64_t)look->snapshot->switch_count))

// The present date, in UTC like gswEventTimeInfo, with the word UTC.
static bool gsw_date(struct look *look, struct agentx_value *out)
{
    char text[64];
    struct tm tm;
    time_t seconds = (time_t)(look->snapshot->time_us / CLOCK_US_PER_S);
    gmtime_r(&seconds, &tm);
    return put_octets(out, text, strftime(text, sizeof text, "%a %b %d %T %Y UTC", &tm));
}

static const struct table_column GSW_MISC_COLUMNS[] = {
    {"gswMIBVersion", 1, AGENTX_OCTETS, .get = gsw_version},
    {"gswMIBCurrentDate", 2, AGENTX_OCTETS, .get = gsw_date},
};

const struct table GSW_MISC = {"gswMisc", TABLE_OID(TABLES_GSW_IDS, 1),
                               TABLE_COLUMNS(GSW_MISC_COLUMNS), .seek = table_seek_scalar};

static const struct table_column GSW_SYSTEM_COLUMNS[] = {
    {"gswNumOfSwitch", 1, AGENTX_INTEGER, .get = gsw_element_count},
};

const struct table GSW_SYSTEM = {"gswSystem", TABLE_OID(TABLES_GSW_IDS, 2),
                                 TABLE_COLUMNS(GSW_SYSTEM_COLUMNS), .seek = table_seek_scalar};

// gswInventoryTable: a row for each element, all switches before all routers.

static uint8_t gsw_type(const struct look *look)
{
    return look_node(look)->type == FABRIC_ROUTER ? IB_ROUTER : IB_SWITCH;
}

static size_t gsw_count_inventory(struct look *look)
{
    return TYPES * look->snapshot->switch_count;
}

static uint8_t gsw_inventory_type(const struct look *look)
{
    return (uint8_t)(IB_SWITCH + look->at / look->snapshot->switch_count);
}

static void gsw_enter_inventory(struct look *look)
{
    uint8_t id[MIB_GLOBAL_ID_SIZE];
    gsw_take_element(look, look->at % look->snapshot->switch_count);
    mib_put_global_id(id, look_node(look)->guid, look_node(look)->type);
    agentx_oid_add(&look->found, gsw_inventory_type(look));
    agentx_oid_add_octets(&look->found, id, LOCAL_ID_SIZE);
}

static bool gsw_has_inventory(struct look *look)
{
    return gsw_type(look) == gsw_inventory_type(look);
}

GETTER(gsw_get_type, put_number(out, gsw_type(look)))

static bool gsw_name(struct look *look, struct agentx_value *out)
{
    const struct fabric_node *node = look_node(look);
    const char *known = names_find(look->snapshot->names, node->guid);
    gsw_set_octets(look, out);
    return out->size > 0 || put_text(out, known ? known : node->description, NAME_MAX);
}

static const struct table_column GSW_INVENTORY_COLUMNS[] = {
    {"gswInventoryType", 1, AGENTX_INTEGER, .get = gsw_get_type},
    {"gswInventoryId", 2, AGENTX_OCTETS, .get = field_node_guid},
    {"gswSwitchName", 7, AGENTX_OCTETS, .get = gsw_name, .setting = SETTING_SWITCH_NAME},
    {"gswSwitchGlobalId", 8, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswSwitchEIP", 9, AGENTX_IP_ADDRESS, .get = NULL},
    {"gswSwitchIIP", 10, AGENTX_IP_ADDRESS, .get = NULL},
    {"gswSwitchIGW", 11, AGENTX_IP_ADDRESS, .get = NULL},
    {"gswSwitchSANName", 12, AGENTX_OCTETS, .get = gsw_set_octets, .setting = SETTING_SAN_NAME},
    {"gswSwitchFabricName", 13, AGENTX_OCTETS, .get = gsw_set_octets,
     .setting = SETTING_FABRIC_NAME},
};

const struct table GSW_INVENTORY = {
    "gswInventoryTable", TABLE_OID(TABLES_GSW_IDS, 2, 2, 1), TABLE_COLUMNS(GSW_INVENTORY_COLUMNS),
    TABLE_SORTED(gsw_count_inventory, gsw_enter_inventory), .has = gsw_has_inventory};

// gswSwitchTable.

// The revision in NodeInfo: every node has that one.
static bool gsw_revision_text(struct look *look, struct agentx_value *out)
{
    char text[11];
    snprintf(text, sizeof text, "0x%x", (unsigned)look_node(look)->revision);
    return put_text(out, text, 32);
}

static bool gsw_status(struct look *look, struct agentx_value *out)
{
    enum { ONLINE = 1, OFFLINE = 2 }; // GswSwitchStatus
    return put_number(out, look_node(look)->silent ? OFFLINE : ONLINE);
}

// LedInfo is both the wanted and the present state of the beacon.
static bool gsw_beacon(struct look *look, struct agentx_value *out)
{
    enum { ON = 1, OFF = 2 }; // GswOnOff
    const uint32_t port = leds_port(look->fabric, look->node);
    bool on;
    return port != FABRIC_NONE && leds_read(look, port, &on) && put_number(out, on ? ON : OFF);
}

// The diagnostic code in PortInfo plus one, because the MIB counts from 1: all is well. Of a
// router, the code of the first port that is not well.
static bool gsw_diag_result(struct look *look, struct agentx_value *out)
{
    const struct fabric_node *node = look_node(look);
    uint16_t code = 0;
    bool known = false;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports && code == 0; i++) {
        const struct fabric_port *port = &look->fabric->ports[i];
        if (gsw_speaks_for_element(node, port)) {
            known = true;
            code = (uint16_t)fabric_port_info(port, PORT_INFO_DIAG_CODE);
        }
    }
    return known && put_number(out, code + 1);
}

static bool gsw_trap_level(struct look *look, struct agentx_value *out)
{
    const struct setting *setting = gsw_setting(look, SETTING_EVENT_TRAP_LEVEL);
    bool set = setting && setting->size > 0;
    return put_number(out, set ? setting->value[0] : look->snapshot->source->event_trap_level);
}

static bool gsw_firmware(struct look *look, struct agentx_value *out)
{
    char version[BOARD_FIRMWARE_SIZE], text[BOARD_FIRMWARE_SIZE + 1];
    if (!look_firmware(look, version))
        return false;
    snprintf(text, sizeof text, "v%s", version);
    return put_text(out, text, 24);
}

GETTER(gsw_event_count,
       put_number(out,
                  snapshot_events_count(look->snapshot->events, look->snapshot->source->journal,
                                        snapshot_range(look->snapshot), look_node(look)->guid)))

static const struct table_column GSW_SWITCHES_COLUMNS[] = {
    {"gswSwitchSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswSwitchMaxPortNum", 2, AGENTX_INTEGER, NODE_MEMBER(port_count, FIELD_NUMBER)},
    {"gswSensorsNum", 3, AGENTX_INTEGER, .get = NULL},
    {"gswCurrentDate", 10, AGENTX_OCTETS, .get = gsw_date},
    {"gswBootDate", 11, AGENTX_OCTETS, .get = NULL},
    {"gswFWLastUpdated", 12, AGENTX_OCTETS, .get = NULL},
    {"gswFlashLastUpdated", 13, AGENTX_OCTETS, .get = NULL},
    {"gswBootPromLastUpdated", 14, AGENTX_OCTETS, .get = NULL},
    {"gswFirmwareVersion", 20, AGENTX_OCTETS, .get = gsw_firmware},
    {"gswHWRevision", 21, AGENTX_OCTETS, .get = gsw_revision_text},
    {"gswOperStatus", 22, AGENTX_INTEGER, .get = gsw_status},
    {"gswAdmStatus", 23, AGENTX_INTEGER, .get = NULL},
    {"gswSsn", 26, AGENTX_OCTETS, .get = gsw_set_octets, .setting = SETTING_SERIAL_NUMBER},
    {"gswBeaconOperStatus", 30, AGENTX_INTEGER, .get = gsw_beacon},
    {"gswBeaconAdmStatus", 31, AGENTX_INTEGER, .get = gsw_beacon, .switches = true},
    {"gswDiagResult", 40, AGENTX_INTEGER, .get = gsw_diag_result},
    {"gswEventTrapLevel", 41, AGENTX_INTEGER, .get = gsw_trap_level,
     .setting = SETTING_EVENT_TRAP_LEVEL},
    {"gswEventNumEntries", 42, AGENTX_INTEGER, .get = gsw_event_count},
};

const struct table GSW_SWITCHES = {"gswSwitchComTable", TABLE_OID(TABLES_GSW_IDS, 2, 3, 1),
                                   TABLE_COLUMNS(GSW_SWITCHES_COLUMNS), ELEMENTS};

// gswSensorTable: the temperature of the ASIC, of switches that tell their registers; one row each.

static void gsw_enter_sensor(struct look *look)
{
    gsw_enter_element(look);
    agentx_oid_add(&look->found, 1);
}

// False: the switch does not measure. `high` 0: the switch has no threshold.
static bool gsw_sensor_read(struct look *look, double *celsius, double *high)
{
    const uint8_t *octets = look_node(look)->type == FABRIC_SWITCH
                                ? look_device_register(look, REGISTER_TEMPERATURE)
                                : NULL;
    if (octets && !board_celsius(octets, SENSOR_HIGH, high))
        *high = 0;
    return octets && board_celsius(octets, SENSOR_TEMPERATURE, celsius);
}

enum { SENSOR_NOMINAL = 4, SENSOR_ABOVE_MAX = 5 }; // GswSensorStatusDef

// A column of a switch with a sensor.
#define SENSOR(name, expression)                                                                   \
    static bool gsw_sensor_##name(struct look *look, struct agentx_value *out)                     \
    {                                                                                              \
        double celsius, high;                                                                      \
        return gsw_sensor_read(look, &celsius, &high) && (expression);                             \
    }

SENSOR(id, gsw_get_id(look, out))
SENSOR(one, put_number(out, 1)) // its index, and temperature(1)
SENSOR(status, put_number(out, high > 0 && celsius >= high ? SENSOR_ABOVE_MAX : SENSOR_NOMINAL))
SENSOR(value, put_number(out, (int)celsius))
SENSOR(info, put_text(out, "Temp 1", 255))

static const struct table_column GSW_SENSORS_COLUMNS[] = {
    {"gswSensorSwitchId", 1, AGENTX_OCTETS, .get = gsw_sensor_id},
    {"gswSensorIndex", 2, AGENTX_INTEGER, .get = gsw_sensor_one},
    {"gswSensorType", 3, AGENTX_INTEGER, .get = gsw_sensor_one},
    {"gswSensorStatus", 4, AGENTX_INTEGER, .get = gsw_sensor_status},
    {"gswSensorValue", 5, AGENTX_INTEGER, .get = gsw_sensor_value},
    {"gswSensorInfo", 6, AGENTX_OCTETS, .get = gsw_sensor_info},
};

const struct table GSW_SENSORS = {"gswSensorTable", TABLE_OID(TABLES_GSW_IDS, 2, 10, 1),
                                  TABLE_COLUMNS(GSW_SENSORS_COLUMNS),
                                  TABLE_SORTED(gsw_count_elements, gsw_enter_sensor)};

// gswIBNodeTable.

// The MIB has a signed number: its 32 bits are those of the revision.
GETTER(gsw_revision, put_number(out, (int32_t)look_node(look)->revision))

static const struct table_column GSW_IB_NODES_COLUMNS[] = {
    {"gswIBNodeSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswIBNodeString", 2, AGENTX_OCTETS, .get = field_node_description},
    {"gswIBBaseVersion", 3, AGENTX_INTEGER, NODE_MEMBER(base_version, FIELD_KNOWN)},
    {"gswIBClassVersion", 4, AGENTX_INTEGER, NODE_MEMBER(class_version, FIELD_KNOWN)},
    {"gswIBNodeType", 5, AGENTX_INTEGER, NODE_MEMBER(type, FIELD_NUMBER)},
    {"gswIBNumPorts", 6, AGENTX_INTEGER, NODE_MEMBER(port_count, FIELD_NUMBER)},
    {"gswIBNodeGUID", 7, AGENTX_OCTETS, .get = field_node_guid},
    {"gswIBPortGUID", 8, AGENTX_OCTETS, .get = field_node_port_guid},
    {"gswIBDeviceID", 9, AGENTX_INTEGER, NODE_MEMBER(device, FIELD_NUMBER)},
    {"gswIBRevision", 10, AGENTX_INTEGER, .get = gsw_revision},
    {"gswIBVendorID", 11, AGENTX_INTEGER, NODE_MEMBER(vendor, FIELD_NUMBER)},
};

const struct table GSW_IB_NODES = {"gswIBNodeTable", TABLE_OID(TABLES_GSW_IDS, 2, 20, 1),
                                   TABLE_COLUMNS(GSW_IB_NODES_COLUMNS), ELEMENTS};

// gswIBSwTable and gswIBTopoTable.

// The sum of the ports' M_KeyViolations in PortInfo, with or without a trap.
static bool gsw_bad_mkeys(struct look *look, struct agentx_value *out)
{
    const struct fabric_node *node = look_node(look);
    int64_t violations = 0;
    bool known = false;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        const struct fabric_port *port = &look->fabric->ports[i];
        if (gsw_speaks_for_element(node, port)) {
            known = true;
            violations += fabric_port_info(port, PORT_INFO_MKEY_VIOLATIONS);
        }
    }
    return known && put_number(out, violations);
}

static const struct table_column GSW_IB_SWITCHES_COLUMNS[] = {
    {"gswIBSwSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswIBBadMKeyCounter", 6, AGENTX_INTEGER, .get = gsw_bad_mkeys},
    {"gswIBBadBKeyCounter", 7, AGENTX_INTEGER, .get = NULL},
    {"gswIBSwitchChangeReason", 8, AGENTX_INTEGER, FIELD_CONSTANT(REASON_NEVER)},
};

const struct table GSW_IB_SWITCHES = {"gswIBSwTable", TABLE_OID(TABLES_GSW_IDS, 2, 25, 1),
                                      TABLE_COLUMNS(GSW_IB_SWITCHES_COLUMNS), ELEMENTS};

static const struct table_column GSW_IB_TOPOLOGY_COLUMNS[] = {
    {"gswIBTopoSwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswIBTopoChangeReason", 2, AGENTX_INTEGER, FIELD_CONSTANT(REASON_NEVER)},
};

const struct table GSW_IB_TOPOLOGY = {"gswIBTopoTable", TABLE_OID(TABLES_GSW_IDS, 5, 5, 1),
                                      TABLE_COLUMNS(GSW_IB_TOPOLOGY_COLUMNS), ELEMENTS};

// gswAgtCmtyTable.

static size_t gsw_count_communities(struct look *look)
{
    return look->snapshot->switch_count * COMMUNITIES;
}

static void gsw_enter_community(struct look *look)
{
    gsw_take_element(look, look->at / COMMUNITIES);
    look->number = (uint8_t)(1 + look->at % COMMUNITIES);
    gsw_add_id(&look->found, look_node(look));
    agentx_oid_add(&look->found, look->number);
}

// 0.0.0.0: no trap recipient was set.
static bool gsw_recipient(struct look *look, struct agentx_value *out)
{
    static const uint8_t NONE[4];
    const struct setting *set = gsw_setting(look, SETTING_TRAP_RECIPIENT);
    return put_octets(out, set && set->size == sizeof NONE ? set->value : NONE, sizeof NONE);
}

static const struct table_column GSW_COMMUNITIES_COLUMNS[] = {
    {"gswAgtCmtySwitchId", 1, AGENTX_OCTETS, .get = gsw_get_id},
    {"gswAgtCmtyIdx", 2, AGENTX_INTEGER, .get = field_row_number},
    {"gswAgtCmtyStr", 3, AGENTX_OCTETS, .get = gsw_set_octets, .setting = SETTING_COMMUNITY},
    {"gswAgtTrapRcp", 4, AGENTX_IP_ADDRESS, .get = gsw_recipient,
     .setting = SETTING_TRAP_RECIPIENT},
};

const struct table GSW_COMMUNITIES = {"gswAgtCmtyTable", TABLE_OID(TABLES_GSW_IDS, 25, 11, 1),
                                      TABLE_COLUMNS(GSW_COMMUNITIES_COLUMNS),
                                      TABLE_SORTED(gsw_count_communities, gsw_enter_community)};
