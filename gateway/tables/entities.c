// SPDX-License-Identifier: BSD-2-Clause
// ENTITY-MIB (RFC 4133) and ENTITY-SENSOR-MIB (RFC 3433) of a device: the node, its ports, the
// interfaces of the ports in the IF-MIB; and, of NVIDIA's devices, the modules, fans, power
// supplies and sensors that their registers tell of, read on demand. The node has entPhysicalIndex
// 1, a port its own number plus 1.
#include "base/text.h"
#include "model/device_values.h"
#include "tables/device.h"
#include "tables/tables.h"

enum { NODE_INDEX = 1, NO_POSITION = -1 }; // entPhysicalIndex; entPhysicalParentRelPos
enum { UNKNOWN_DATE_SIZE = 8 };            // entPhysicalMfgDate
enum { PER_PORT = 10 };                    // the indices that a sensor of lanes has for each port

enum class { CHASSIS = 3, SUPPLY = 6, FAN, SENSOR, MODULE, PORT };    // entPhysicalClass
enum unit { VOLTS = 4, AMPERES, WATTS, CELSIUS = 8, RPM = 10 };       // entPhySensorType
enum scale { MILLI = 8, UNITS };                                      // ...Scale
enum entity_text { HARDWARE, FIRMWARE, SERIAL, MAKER, MODEL, TEXTS }; // columns
enum numbers { OF_DEVICE, OF_SWITCH, OF_PORTS, OF_FANS, OF_SUPPLIES };

enum kind { THE_NODE, A_PORT, A_FAN, A_SUPPLY, A_MODULE, SENSORS };

// The entities of a kind: numbered from 0, or by port, or a power supply from 1. Sensors come last.
static const struct entities_row {
    uint32_t first; // the index of number 0
    enum class class;
    enum numbers numbers;
    enum kind parent;               // of the same number, unless it is the node
    const char *name;               // followed by the number
    enum device_value texts[TEXTS]; // 0: none
    // Of a sensor. A number has `precision` digits behind the point. Of a fan: its speed.
    enum device_value value;
    enum unit unit;
    enum scale scale;
    unsigned precision, lanes; // 0: the value is of no lane
} ROWS[] = {
    [THE_NODE] = {NODE_INDEX, CHASSIS, OF_DEVICE,
                  .texts = {[FIRMWARE] = DEVICE_VALUE_FIRMWARE,
                            [SERIAL] = DEVICE_VALUE_SERIAL,
                            [MODEL] = DEVICE_VALUE_PART}},
    [A_PORT] = {NODE_INDEX, PORT, OF_PORTS, .name = "InfiniBand port"},
    [A_FAN] = {300, FAN, OF_FANS, .name = "Fan"},
    [A_SUPPLY] = {400, SUPPLY, OF_SUPPLIES, .name = "Power supply",
                  .texts = {[SERIAL] = SUPPLY_VALUE_SERIAL, [MODEL] = SUPPLY_VALUE_PART}},
    [A_MODULE] = {1000, MODULE, OF_PORTS, A_PORT, "Module in port",
                  .texts = {MODULE_VALUE_REVISION, MODULE_VALUE_FIRMWARE, MODULE_VALUE_SERIAL,
                            MODULE_VALUE_VENDOR, MODULE_VALUE_PART}},
#define SENSE(first, numbers, parent, name, ...)                                                   \
    {                                                                                              \
        first, SENSOR, numbers, parent, name, {0}, __VA_ARGS__                                     \
    }
    SENSE(2001, OF_DEVICE, THE_NODE, "Temperature of the ASIC", DEVICE_VALUE_TEMPERATURE, CELSIUS,
          UNITS, 1, 0),
    SENSE(2002, OF_SWITCH, THE_NODE, "Temperature of the air", DEVICE_VALUE_AMBIENT, CELSIUS, UNITS,
          1, 0),
    SENSE(2100, OF_FANS, A_FAN, "Speed of fan", DEVICE_VALUES, RPM, UNITS, 0, 0),
    SENSE(2200, OF_SUPPLIES, A_SUPPLY, "Power of supply", SUPPLY_VALUE_POWER, WATTS, UNITS, 0, 0),
    SENSE(3000, OF_PORTS, A_MODULE, "Temperature of the module in port", MODULE_VALUE_TEMPERATURE,
          CELSIUS, UNITS, 1, 0),
    SENSE(4000, OF_PORTS, A_MODULE, "Voltage of the module in port", MODULE_VALUE_VOLTAGE, VOLTS,
          UNITS, 3, 0),
    SENSE(10000, OF_PORTS, A_MODULE, "Light received by port", MODULE_VALUE_RX_POWER, WATTS, MILLI,
          3, MODULE_LANES),
    SENSE(20000, OF_PORTS, A_MODULE, "Light sent by port", MODULE_VALUE_TX_POWER, WATTS, MILLI, 3,
          MODULE_LANES),
    SENSE(30000, OF_PORTS, A_MODULE, "Laser current of port", MODULE_VALUE_BIAS, AMPERES, MILLI, 3,
          MODULE_LANES),
};

enum { KINDS = sizeof ROWS / sizeof *ROWS };

// Rows of both tables. `tail` has the kind and the lane, from 0 on.

static const struct entities_row *entities_row(const struct look *look)
{
    return &ROWS[look->tail[0]];
}

static size_t entities_numbers(struct look *look, const struct entities_row *row)
{
    const bool is_switch = look_node(look)->type == FABRIC_SWITCH;
    switch (row->numbers) {
    case OF_PORTS:
        return device_count_data_ports(look);
    case OF_FANS:
        return is_switch ? BOARD_FANS : 0;
    case OF_SUPPLIES:
        return is_switch ? BOARD_SUPPLIES : 0;
    default:
        return row->numbers == OF_DEVICE || is_switch;
    }
}

static size_t entities_of_kind(struct look *look, const struct entities_row *row)
{
    return entities_numbers(look, row) * (row->lanes > 0 ? row->lanes : 1);
}

// A table has the kinds from its `kind` on.
static size_t entities_count(struct look *look)
{
    size_t count = 0;
    if (!device_enter(look))
        return 0;
    const uint32_t end = look_can_registers(look) ? KINDS : A_PORT + 1;
    for (uint32_t kind = look->table->kind; kind < end; kind++)
        count += entities_of_kind(look, &ROWS[kind]);
    return count;
}

static uint32_t entities_index(enum kind kind, unsigned number)
{
    return ROWS[kind].first + (kind == THE_NODE ? 0 : number);
}

static void entities_enter(struct look *look)
{
    const struct entities_row *row = &ROWS[look->table->kind];
    size_t at = look->at, count;
    device_enter(look);
    for (; at >= (count = entities_of_kind(look, row)); row++)
        at -= count;
    const unsigned lanes = row->lanes > 0 ? row->lanes : 1;
    look->tail[0] = (uint32_t)(row - ROWS);
    look->tail[1] = (uint32_t)(at % lanes);
    if (row->numbers == OF_PORTS)
        device_take_port(look, at / lanes);
    else
        look->number = (uint8_t)(at + (row->numbers == OF_SUPPLIES));
    agentx_oid_add(&look->found, row->lanes > 0
                                     ? row->first + PER_PORT * look->number + look->tail[1] + 1
                                     : row->first + look->number);
}

// The value of the row's device, power supply, port or lane.
static bool entities_value(struct look *look, enum device_value value,
                           struct device_value_read *out)
{
    const enum register_page page = device_value_page(value);
    const bool is_supply = entities_row(look)->numbers == OF_SUPPLIES;
    const uint8_t *octets = device_value_is_of_port(value) ? look_register(look, look->port, page)
                                                           : look_device_register(look, page);
    return octets &&
           device_value_read(value, octets, is_supply ? look->number - 1U : look->tail[1], out);
}

static bool entities_has_fan(struct look *look)
{
    const uint8_t *octets = look_device_register(look, REGISTER_FANS);
    return octets && attribute_get(octets, 0, FANS_ACTIVE) >> look->number & 1;
}

static bool entities_fan_speed(struct look *look, double *out)
{
    const uint8_t *octets =
        entities_has_fan(look) ? look_fan_register(look, REGISTER_FAN_SPEED, look->number) : NULL;
    *out = octets ? attribute_get(octets, 0, FAN_SPEED) : 0;
    return octets != NULL;
}

static bool entities_sensor(struct look *look, double *out)
{
    struct device_value_read read = {.number = 0};
    if (entities_row(look)->numbers == OF_FANS)
        return entities_fan_speed(look, out);
    const bool known = entities_value(look, entities_row(look)->value, &read);
    *out = read.number;
    return known;
}

// Whether the device has a thing of that number.
static bool entities_has(struct look *look)
{
    double ignored;
    const uint8_t *octets;
    switch (look->tail[0]) {
    case THE_NODE:
    case A_PORT:
        return true;
    case A_FAN:
        return entities_has_fan(look);
    case A_SUPPLY:
        octets = look_device_register(look, REGISTER_SUPPLIES);
        return octets && board_supply(octets, look->number - 1U).present;
    case A_MODULE:
        octets = look_register(look, look->port, REGISTER_MODULE);
        return octets && module_page_is_plugged(octets);
    default:
        return entities_sensor(look, &ignored);
    }
}

// entPhysicalTable.

// "Light received by port 3, lane 1".
static bool entities_put_name(struct look *look, struct agentx_value *out)
{
    char text[64];
    struct text t = text_in(text, sizeof text);
    const struct entities_row *row = entities_row(look);
    text_add(&t, row->name);
    if (row->numbers != OF_DEVICE && row->numbers != OF_SWITCH)
        text_addf(&t, " %u", (unsigned)look->number);
    if (row->lanes > 0)
        text_addf(&t, ", lane %u", (unsigned)look->tail[1] + 1);
    return put_text(out, text, sizeof text);
}

static bool entities_put_number_name(struct look *look, struct agentx_value *out)
{
    char text[8];
    struct text t = text_in(text, sizeof text);
    text_add_number(&t, look->number);
    return put_text(out, text, sizeof text);
}

// The OID of something unknown is 0.0.
static bool entities_put_no_type(struct agentx_value *out)
{
    static const uint32_t NONE[2];
    return put_oid(out, NONE, 2);
}

// What NodeInfo has where no register tells better.
static bool entities_put_of_node(const struct fabric_node *node, uint32_t which,
                                 struct agentx_value *out)
{
    char text[16];
    struct text t = text_in(text, sizeof text);
    if (which == HARDWARE)
        text_addf(&t, "0x%x", (unsigned)node->revision);
    else if (which == MAKER)
        text_addf(&t, "0x%06x", (unsigned)node->vendor);
    else if (which == MODEL)
        text_addf(&t, "0x%04x", (unsigned)node->device);
    return put_text(out, text, sizeof text);
}

// `field` of the column: enum entity_text.
static bool entities_text(struct look *look, struct agentx_value *out)
{
    const uint32_t which = look->column->field.field;
    const enum device_value value = entities_row(look)->texts[which];
    struct device_value_read read;
    if (value != 0 && entities_value(look, value, &read))
        return device_put_text(out, read.text);
    return look->tail[0] == THE_NODE ? entities_put_of_node(look_node(look), which, out)
                                     : field_empty(look, out);
}

static bool entities_is_node(const struct look *look)
{
    return look->tail[0] == THE_NODE;
}

GETTER(entities_descr, entities_is_node(look) ? device_put_description(out, look_node(look))
                                              : entities_put_name(look, out))
GETTER(entities_type,
       entities_is_node(look) ? device_put_kind(out, look_node(look)) : entities_put_no_type(out))
GETTER(entities_contained,
       put_number(out, entities_is_node(look)
                           ? 0
                           : entities_index(entities_row(look)->parent, look->number)))
GETTER(entities_class, put_number(out, entities_is_node(look) && look_node(look)->type == FABRIC_CA
                                           ? MODULE
                                           : entities_row(look)->class))
GETTER(entities_position,
       put_number(out,
                  entities_is_node(look) || look->tail[0] >= SENSORS ? NO_POSITION : look->number))
GETTER(entities_title, entities_is_node(look)
                           ? device_put_text(out, device_name(look, look_node(look)))
                       : look->tail[0] == A_PORT ? entities_put_number_name(look, out)
                                                 : entities_put_name(look, out))
GETTER(entities_replaceable, put_truth(out, entities_is_node(look) || look->tail[0] == A_SUPPLY ||
                                                look->tail[0] == A_MODULE))

#define TEXT(which) AGENTX_OCTETS, .get = entities_text, .field = {.field = (which)}

static const struct table_column ENTITIES_COLUMNS[] = {
    {"entPhysicalDescr", 2, AGENTX_OCTETS, .get = entities_descr},
    {"entPhysicalVendorType", 3, AGENTX_OID, .get = entities_type},
    {"entPhysicalContainedIn", 4, AGENTX_INTEGER, .get = entities_contained},
    {"entPhysicalClass", 5, AGENTX_INTEGER, .get = entities_class},
    {"entPhysicalParentRelPos", 6, AGENTX_INTEGER, .get = entities_position},
    {"entPhysicalName", 7, AGENTX_OCTETS, .get = entities_title},
    {"entPhysicalHardwareRev", 8, TEXT(HARDWARE)},
    {"entPhysicalFirmwareRev", 9, TEXT(FIRMWARE)},
    {"entPhysicalSoftwareRev", 10, AGENTX_OCTETS, .get = field_empty},
    {"entPhysicalSerialNum", 11, TEXT(SERIAL)},
    {"entPhysicalMfgName", 12, TEXT(MAKER)},
    {"entPhysicalModelName", 13, TEXT(MODEL)},
    {"entPhysicalAlias", 14, AGENTX_OCTETS, .get = field_empty},
    {"entPhysicalAssetID", 15, AGENTX_OCTETS, .get = field_empty},
    {"entPhysicalIsFRU", 16, AGENTX_INTEGER, .get = entities_replaceable},
    {"entPhysicalMfgDate", 17, AGENTX_OCTETS, .get = field_zeros,
     .field = {.field = UNKNOWN_DATE_SIZE}},
    {"entPhysicalUris", 18, AGENTX_OCTETS, .get = field_empty},
};

const struct table DEVICE_ENTITIES = {"entPhysicalTable",
                                      TABLE_OID(TABLES_MIB_2_IDS, 47, 1, 1, 1, 1),
                                      TABLE_COLUMNS(ENTITIES_COLUMNS),
                                      TABLE_SORTED(entities_count, entities_enter),
                                      .has = entities_has,
                                      .kind = THE_NODE};

// entAliasMappingTable, whose index is entPhysicalIndex and 0.

static void entities_enter_alias(struct look *look)
{
    device_take_port(look, look->at);
    agentx_oid_add(&look->found, look->number + NODE_INDEX);
    agentx_oid_add(&look->found, 0);
}

static bool entities_alias(struct look *look, struct agentx_value *out)
{
    const uint32_t if_index[] = {TABLES_MIB_2_IDS, 2, 2, 1, 1, look->number};
    return put_oid(out, if_index, sizeof if_index / sizeof *if_index);
}

static const struct table_column ENTITIES_ALIASES_COLUMNS[] = {
    {"entAliasMappingIdentifier", 2, AGENTX_OID, .get = entities_alias},
};

const struct table DEVICE_ALIASES = {"entAliasMappingTable",
                                     TABLE_OID(TABLES_MIB_2_IDS, 47, 1, 3, 2, 1),
                                     TABLE_COLUMNS(ENTITIES_ALIASES_COLUMNS),
                                     TABLE_SORTED(device_count_data_ports, entities_enter_alias)};

// entPhySensorTable.

static bool entities_put_value(struct look *look, struct agentx_value *out)
{
    double number;
    if (!entities_sensor(look, &number))
        return false;
    for (unsigned i = 0; i < entities_row(look)->precision; i++)
        number *= 10;
    return put_number(out, (int64_t)(number < 0 ? number - 0.5 : number + 0.5));
}

static const char *entities_unit(enum unit unit, enum scale scale)
{
    switch (unit) {
    case CELSIUS:
        return "degrees Celsius";
    case VOLTS:
        return "volts";
    case RPM:
        return "revolutions per minute";
    case WATTS:
        return scale == MILLI ? "milliwatts" : "watts";
    default:
        return "milliamperes";
    }
}

enum { SENSOR_OK = 1, AS_OFTEN_AS_ASKED = 0 }; // entPhySensorOperStatus, ...ValueUpdateRate

GETTER(entities_sensor_unit, put_number(out, entities_row(look)->unit))
GETTER(entities_sensor_scale, put_number(out, entities_row(look)->scale))
GETTER(entities_sensor_precision, put_number(out, entities_row(look)->precision))
GETTER(entities_sensor_words,
       put_text(out, entities_unit(entities_row(look)->unit, entities_row(look)->scale), 32))

static const struct table_column ENTITIES_SENSORS_COLUMNS[] = {
    {"entPhySensorType", 1, AGENTX_INTEGER, .get = entities_sensor_unit},
    {"entPhySensorScale", 2, AGENTX_INTEGER, .get = entities_sensor_scale},
    {"entPhySensorPrecision", 3, AGENTX_INTEGER, .get = entities_sensor_precision},
    {"entPhySensorValue", 4, AGENTX_INTEGER, .get = entities_put_value},
    {"entPhySensorOperStatus", 5, AGENTX_INTEGER, FIELD_CONSTANT(SENSOR_OK)},
    {"entPhySensorUnitsDisplay", 6, AGENTX_OCTETS, .get = entities_sensor_words},
    {"entPhySensorValueTimeStamp", 7, AGENTX_TIME_TICKS, .get = NULL},
    {"entPhySensorValueUpdateRate", 8, AGENTX_GAUGE32, FIELD_CONSTANT(AS_OFTEN_AS_ASKED)},
};

const struct table DEVICE_SENSORS = {"entPhySensorTable",
                                     TABLE_OID(TABLES_MIB_2_IDS, 99, 1, 1, 1),
                                     TABLE_COLUMNS(ENTITIES_SENSORS_COLUMNS),
                                     TABLE_SORTED(entities_count, entities_enter),
                                     .has = entities_has,
                                     .kind = SENSORS};
