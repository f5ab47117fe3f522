// SPDX-License-Identifier: BSD-2-Clause
// IBTRAPD-MIB: ibtrapdModuleTable, the cables and modules in the ports of NVIDIA's devices, read on
// demand: page 3 of register PDDR. A port that does not tell has no values.
#include "agent/column.h"
#include "mib_root.h"
#include "model/module_page.h"
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

// `field` of the column: enum module_text; `most`: its octets.
static bool own_modules_text(struct look *look, struct agentx_value *out)
{
    const struct table_field *field = &look->column->field;
    const uint8_t *octets = look_register(look, look->port, REGISTER_MODULE);
    char text[MODULE_TEXT_SIZE];
    return octets && module_page_text(octets, field->field, text)[0] != '\0' &&
           put_text(out, text, field->most);
}

// Hundredths of a degree.
static bool own_modules_celsius(struct look *look, struct agentx_value *out)
{
    enum { HUNDREDTHS = 100 };
    double degrees;
    const uint8_t *octets = look_register(look, look->port, REGISTER_MODULE);
    return octets && module_page_celsius(octets, look->column->field.field, &degrees) &&
           put_number(out, (int)(degrees * HUNDREDTHS));
}

static bool own_modules_field(struct look *look, struct agentx_value *out)
{
    const uint8_t *octets = look_register(look, look->port, REGISTER_MODULE);
    return octets && field_of_octets(octets, look, out);
}

#define TEXT(which, size)                                                                          \
    AGENTX_OCTETS, .get = own_modules_text, .field = {.field = (which), .most = (size)}
#define CELSIUS(which) AGENTX_INTEGER, .get = own_modules_celsius, .field = {.field = (which)}

static const struct table_column OWN_MODULES_COLUMNS[] = {
    {"ibtrapdModuleKind", 3, AGENTX_INTEGER, .get = own_modules_field,
     .field = {.field = MODULE_KIND, .form = FIELD_LABEL, .most = 6}},
    {"ibtrapdModuleVendor", 4, TEXT(MODULE_VENDOR, 16)},
    {"ibtrapdModulePart", 5, TEXT(MODULE_PART, 16)},
    {"ibtrapdModuleRevision", 6, TEXT(MODULE_REVISION, 4)},
    {"ibtrapdModuleSerial", 7, TEXT(MODULE_SERIAL, 16)},
    {"ibtrapdModuleTemperature", 8, CELSIUS(MODULE_TEMPERATURE)},
    {"ibtrapdModuleTemperatureHigh", 9, CELSIUS(MODULE_TEMPERATURE_HIGH)},
    {"ibtrapdModuleTemperatureLow", 10, CELSIUS(MODULE_TEMPERATURE_LOW)},
    {"ibtrapdModuleVoltage", 11, AGENTX_GAUGE32, .get = own_modules_field,
     .field = {.field = MODULE_VOLTAGE, .form = FIELD_NUMBER, .least = 1, .most = 65535}},
};

const struct table OWN_MODULES = {
    "ibtrapdModuleTable", TABLE_OID(MIB_ROOT_IDS, 1, 8, 1), TABLE_COLUMNS(OWN_MODULES_COLUMNS),
    TABLE_SORTED(own_modules_count, tables_enter_port), .has = own_modules_has};
