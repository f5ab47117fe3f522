// SPDX-License-Identifier: BSD-2-Clause
// IBTRAPD-MIB: ibtrapdModuleTable, the cables and modules in the ports of NVIDIA's devices, read on
// demand: page 3 of register PDDR. A port that does not tell has no values.
#include "agent/column.h"
#include "mib_root.h"
#include "model/device_values.h"
#include "tables/tables.h"

static size_t own_modules_count(struct look *look)
{
    return look->fabric ? look->fabric->port_count : 0;
}

static bool own_modules_has(struct look *look)
{
    return look_port(look)->known && fabric_is_nvidia(look_node(look)) &&
           (look->number > 0 || look_node(look)->type != FABRIC_SWITCH);
}

// `field` of the column: enum device_value; `most`: the octets of a text, or the parts of the unit
// that the column counts. Of the lanes in use, the one with the least value.
static bool own_modules_value(struct look *look, struct agentx_value *out)
{
    const enum device_value value = look->column->field.field;
    const uint8_t *octets = look_register(look, look->port, REGISTER_MODULE);
    struct device_value_read read, least = {.number = 0};
    bool known = false;
    for (unsigned lane = 0; octets && lane < device_value_lanes(value); lane++) {
        if (!device_value_read(value, octets, lane, &read))
            continue;
        if (!known || read.number < least.number)
            least = read;
        known = true;
    }
    const double parts = least.number * look->column->field.most;
    return known && (device_value_is_text(value)
                         ? put_text(out, least.text, look->column->field.most)
                         : put_number(out, (int)(parts < 0 ? parts - 0.5 : parts + 0.5)));
}

static bool own_modules_field(struct look *look, struct agentx_value *out)
{
    const uint8_t *octets = look_register(look, look->port, REGISTER_MODULE);
    return octets && field_of_octets(octets, look, out);
}

#define TEXT(which, size)    AGENTX_OCTETS, NUMBER(which, size)
#define NUMBER(which, parts) .get = own_modules_value, .field = {.field = (which), .most = (parts)}

static const struct table_column OWN_MODULES_COLUMNS[] = {
    {"ibtrapdModuleKind", 3, AGENTX_INTEGER, .get = own_modules_field,
     .field = {.field = MODULE_KIND, .form = FIELD_LABEL, .most = 6}},
    {"ibtrapdModuleVendor", 4, TEXT(MODULE_VALUE_VENDOR, 16)},
    {"ibtrapdModulePart", 5, TEXT(MODULE_VALUE_PART, 16)},
    {"ibtrapdModuleRevision", 6, TEXT(MODULE_VALUE_REVISION, 4)},
    {"ibtrapdModuleSerial", 7, TEXT(MODULE_VALUE_SERIAL, 16)},
    {"ibtrapdModuleTemperature", 8, AGENTX_INTEGER, NUMBER(MODULE_VALUE_TEMPERATURE, 100)},
    {"ibtrapdModuleTemperatureHigh", 9, AGENTX_INTEGER, NUMBER(MODULE_VALUE_TEMPERATURE_HIGH, 100)},
    {"ibtrapdModuleTemperatureLow", 10, AGENTX_INTEGER, NUMBER(MODULE_VALUE_TEMPERATURE_LOW, 100)},
    {"ibtrapdModuleVoltage", 11, AGENTX_GAUGE32, NUMBER(MODULE_VALUE_VOLTAGE, 10000)},
    {"ibtrapdModuleLength", 12, AGENTX_GAUGE32, NUMBER(MODULE_VALUE_LENGTH, 10)},
    {"ibtrapdModuleFirmware", 13, TEXT(MODULE_VALUE_FIRMWARE, 16)},
    {"ibtrapdModuleReceivePower", 14, AGENTX_GAUGE32, NUMBER(MODULE_VALUE_RX_POWER, 1000)},
    {"ibtrapdModuleTransmitPower", 15, AGENTX_GAUGE32, NUMBER(MODULE_VALUE_TX_POWER, 1000)},
    {"ibtrapdModuleBias", 16, AGENTX_GAUGE32, NUMBER(MODULE_VALUE_BIAS, 1000)},
};

const struct table OWN_MODULES = {
    "ibtrapdModuleTable", TABLE_OID(MIB_ROOT_IDS, 1, 8, 1), TABLE_COLUMNS(OWN_MODULES_COLUMNS),
    TABLE_SORTED(own_modules_count, tables_enter_port), .has = own_modules_has};
