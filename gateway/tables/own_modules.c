// SPDX-License-Identifier: BSD-2-Clause
// IBTRAPD-MIB: ibtrapdModuleTable, the cables and modules in the ports of NVIDIA's devices, read on
// demand: page 3 of register PDDR. A port that does not tell has no values.
#include "agent/column.h"
#include "mib_root.h"
#include "tables/tables.h"

#include <string.h>

enum { PAGE = 8 };

static size_t own_modules_count(struct look *look)
{
    return look->fabric ? look->fabric->port_count : 0;
}

static bool own_modules_has(struct look *look)
{
    return look_port(look)->known && fabric_is_nvidia(look_node(look)) &&
           (look->number > 0 || look_node(look)->type != FABRIC_SWITCH);
}

static const uint8_t *own_modules_page(struct look *look)
{
    const uint8_t *octets = look_register(look, look->port, REGISTER_MODULE);
    return octets ? octets + PAGE : NULL;
}

// ASCII with blanks at its end. `field` of the column: its place; `most`: its octets.
static bool own_modules_text(struct look *look, struct agentx_value *out)
{
    enum { OCTETS_MAX = 16 };
    const struct table_field *field = &look->column->field;
    const uint8_t *page = own_modules_page(look);
    char text[3 * OCTETS_MAX + 1];
    if (!page)
        return false;
    const char *from = (const char *)page + field->field;
    size_t length = strnlen(from, field->most);
    while (length > 0 && from[length - 1] == ' ')
        length--;
    text_clean(from, length, text, sizeof text);
    return length > 0 && put_text(out, text, field->most);
}

// Hundredths of a degree. 0 and the least number: the module does not measure.
static bool own_modules_celsius(struct look *look, struct agentx_value *out)
{
    enum { PER_DEGREE = 256, HUNDREDTHS = 100 };
    const uint8_t *page = own_modules_page(look);
    const int16_t raw =
        page ? (int16_t)(uint16_t)attribute_get(page, 0, look->column->field.field) : 0;
    return raw != 0 && raw != INT16_MIN && put_number(out, raw * HUNDREDTHS / PER_DEGREE);
}

static bool own_modules_field(struct look *look, struct agentx_value *out)
{
    const uint8_t *page = own_modules_page(look);
    return page && field_of_octets(page, look, out);
}

#define TEXT(octet, size)                                                                          \
    AGENTX_OCTETS, .get = own_modules_text, .field = {.field = (octet), .most = (size)}
#define CELSIUS(octet, bit)                                                                        \
    AGENTX_INTEGER, .get = own_modules_celsius, .field = {.field = ATTRIBUTE_FIELD(octet, bit, 16)}

static const struct table_column OWN_MODULES_COLUMNS[] = {
    {"ibtrapdModuleKind", 3, AGENTX_INTEGER, .get = own_modules_field,
     .field = {.field = ATTRIBUTE_FIELD(0x04, 0, 4), .form = FIELD_LABEL, .most = 6}},
    {"ibtrapdModuleVendor", 4, TEXT(0x14, 16)},
    {"ibtrapdModulePart", 5, TEXT(0x24, 16)},
    {"ibtrapdModuleRevision", 6, TEXT(0x34, 4)},
    {"ibtrapdModuleSerial", 7, TEXT(0x3C, 16)},
    {"ibtrapdModuleTemperature", 8, CELSIUS(0x4C, 0)},
    {"ibtrapdModuleTemperatureHigh", 9, CELSIUS(0x80, 0)},
    {"ibtrapdModuleTemperatureLow", 10, CELSIUS(0x80, 16)},
    {"ibtrapdModuleVoltage", 11, AGENTX_GAUGE32, .get = own_modules_field,
     .field =
         {.field = ATTRIBUTE_FIELD(0x4C, 16, 16), .form = FIELD_NUMBER, .least = 1, .most = 65535}},
};

const struct table OWN_MODULES = {
    "ibtrapdModuleTable", TABLE_OID(MIB_ROOT_IDS, 1, 8, 1), TABLE_COLUMNS(OWN_MODULES_COLUMNS),
    TABLE_SORTED(own_modules_count, tables_enter_port), .has = own_modules_has};
