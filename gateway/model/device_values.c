// SPDX-License-Identifier: BSD-2-Clause
#include "model/device_values.h"

#include "base/wire.h"
#include "model/link_reason.h"

#include <stdio.h>

// How a value is read.
enum form {
    FORM_NUMBER, // an attribute, in `unit`; 0: the device does not tell it
    FORM_COUNT,  // the bits of an attribute that are set
    FORM_LENGTH,
    FORM_MODULE_CELSIUS, // `field`: enum module_page_field
    FORM_LANES,          // enum module_lanes
    FORM_BOARD_CELSIUS,  // enum board_field
    FORM_SUPPLIES,
    FORM_WATTS,
    FORM_RATIO,   // `field`: the octet of a coefficient of 4 bits, and an exponent of 10 of 8 bits
    FORM_KIND,    // the first text
    FORM_VERSION, // of a module, of 8, 8 and 16 bits
    FORM_MODULE_TEXT, // enum module_text
    FORM_BOARD_TEXT,  // enum board_text
    FORM_SUPPLY_TEXT, // enum board_text
    FORM_FIRMWARE,
    FORM_BLAME,
    FORM_REASON, // `field`: a number
    FORM_DEVICE_TEXT,
};

enum { PHYSICAL_RAW = 8 + 0x60, PHYSICAL_EFFECTIVE = 8 + 0x64, PHYSICAL_SYMBOL = 8 + 0x68 };

static const struct row {
    const char *name;
    enum register_page page;
    enum form form;
    unsigned field;
    double unit;
} ROWS[DEVICE_VALUES] = {
    [MODULE_VALUE_KIND] = {"kind", REGISTER_MODULE, FORM_KIND, MODULE_KIND, 0},
    [MODULE_VALUE_VENDOR] = {"vendor", REGISTER_MODULE, FORM_MODULE_TEXT, MODULE_VENDOR, 0},
    [MODULE_VALUE_PART] = {"part", REGISTER_MODULE, FORM_MODULE_TEXT, MODULE_PART, 0},
    [MODULE_VALUE_REVISION] = {"revision", REGISTER_MODULE, FORM_MODULE_TEXT, MODULE_REVISION, 0},
    [MODULE_VALUE_SERIAL] = {"serial", REGISTER_MODULE, FORM_MODULE_TEXT, MODULE_SERIAL, 0},
    [MODULE_VALUE_DATE] = {"date", REGISTER_MODULE, FORM_MODULE_TEXT, MODULE_DATE, 0},
    [MODULE_VALUE_LENGTH] = {"length", REGISTER_MODULE, FORM_LENGTH, MODULE_LENGTH, 0},
    [MODULE_VALUE_FIRMWARE] = {"module_firmware", REGISTER_MODULE, FORM_VERSION, MODULE_FIRMWARE,
                               0},
    [MODULE_VALUE_TEMPERATURE] = {"temperature", REGISTER_MODULE, FORM_MODULE_CELSIUS,
                                  MODULE_TEMPERATURE, 0},
    [MODULE_VALUE_TEMPERATURE_HIGH] = {"temperature_high", REGISTER_MODULE, FORM_MODULE_CELSIUS,
                                       MODULE_TEMPERATURE_HIGH, 0},
    [MODULE_VALUE_TEMPERATURE_LOW] = {"temperature_low", REGISTER_MODULE, FORM_MODULE_CELSIUS,
                                      MODULE_TEMPERATURE_LOW, 0},
    [MODULE_VALUE_VOLTAGE] = {"voltage", REGISTER_MODULE, FORM_NUMBER, MODULE_VOLTAGE, 1e-4},
    [MODULE_VALUE_RX_POWER] = {"rx_power", REGISTER_MODULE, FORM_LANES, MODULE_RX, 1e-3},
    [MODULE_VALUE_TX_POWER] = {"tx_power", REGISTER_MODULE, FORM_LANES, MODULE_TX, 1e-3},
    [MODULE_VALUE_BIAS] = {"bias", REGISTER_MODULE, FORM_LANES, MODULE_BIAS, 2e-3},
    [PORT_VALUE_RAW_BER] = {"raw_ber", REGISTER_PHYSICAL, FORM_RATIO, PHYSICAL_RAW, 0},
    [PORT_VALUE_EFFECTIVE_BER] = {"effective_ber", REGISTER_PHYSICAL, FORM_RATIO,
                                  PHYSICAL_EFFECTIVE, 0},
    [PORT_VALUE_SYMBOL_BER] = {"symbol_ber", REGISTER_PHYSICAL, FORM_RATIO, PHYSICAL_SYMBOL, 0},
    [PORT_VALUE_DOWN_BLAME] = {"down_blame", REGISTER_LINK_DOWN, FORM_BLAME, LINK_DOWN_BLAME, 0},
    [PORT_VALUE_DOWN_REASON] = {"down_reason", REGISTER_LINK_DOWN, FORM_REASON,
                                LINK_DOWN_LOCAL_REASON, 0},
    [PORT_VALUE_DOWN_REMOTE_REASON] = {"down_remote_reason", REGISTER_LINK_DOWN, FORM_REASON,
                                       LINK_DOWN_REMOTE_REASON, 0},
    [PORT_VALUE_DEVICE_TEXT] = {"device_text", REGISTER_TROUBLESHOOTING, FORM_DEVICE_TEXT,
                                TROUBLE_MESSAGE, 0},
    [DEVICE_VALUE_FIRMWARE] = {"firmware", REGISTER_FIRMWARE, FORM_FIRMWARE, 0, 0},
    [DEVICE_VALUE_PSID] = {"psid", REGISTER_FIRMWARE, FORM_BOARD_TEXT, FIRMWARE_PSID, 0},
    [DEVICE_VALUE_UPTIME] = {"uptime", REGISTER_FIRMWARE, FORM_NUMBER, FIRMWARE_UPTIME, 1},
    [DEVICE_VALUE_SERIAL] = {"serial", REGISTER_BOARD, FORM_BOARD_TEXT, BOARD_SERIAL, 0},
    [DEVICE_VALUE_PART] = {"part", REGISTER_BOARD, FORM_BOARD_TEXT, BOARD_PART, 0},
    [DEVICE_VALUE_PRODUCT] = {"product", REGISTER_BOARD, FORM_BOARD_TEXT, BOARD_PRODUCT, 0},
    [DEVICE_VALUE_TEMPERATURE] = {"temperature", REGISTER_TEMPERATURE, FORM_BOARD_CELSIUS,
                                  SENSOR_TEMPERATURE, 0},
    [DEVICE_VALUE_TEMPERATURE_HIGH] = {"temperature_high", REGISTER_TEMPERATURE, FORM_BOARD_CELSIUS,
                                       SENSOR_HIGH, 0},
    [DEVICE_VALUE_AMBIENT] = {"ambient", REGISTER_AMBIENT, FORM_BOARD_CELSIUS, SENSOR_TEMPERATURE,
                              0},
    [DEVICE_VALUE_FANS] = {"fans", REGISTER_FANS, FORM_COUNT, FANS_ACTIVE, 0},
    [DEVICE_VALUE_FANS_OUT] = {"fans_out", REGISTER_FANS_OUT, FORM_COUNT, FANS_UNDER, 0},
    [DEVICE_VALUE_SUPPLIES] = {"supplies", REGISTER_SUPPLIES, FORM_SUPPLIES, 0, 0},
    [SUPPLY_VALUE_POWER] = {"supply_power", REGISTER_SUPPLIES, FORM_WATTS, 0, 0},
    [SUPPLY_VALUE_SERIAL] = {"supply_serial", REGISTER_SUPPLIES, FORM_SUPPLY_TEXT, SUPPLY_SERIAL,
                             0},
    [SUPPLY_VALUE_PART] = {"supply_part", REGISTER_SUPPLIES, FORM_SUPPLY_TEXT, SUPPLY_PART, 0},
};

const char *device_value_name(enum device_value value)
{
    return ROWS[value].name;
}

enum register_page device_value_page(enum device_value value)
{
    return ROWS[value].page;
}

bool device_value_is_of_port(enum device_value value)
{
    return ROWS[value].page < REGISTER_FIRMWARE; // the pages of ports come first
}

unsigned device_value_lanes(enum device_value value)
{
    const enum form form = ROWS[value].form;
    return form == FORM_LANES                               ? MODULE_LANES
           : form == FORM_WATTS || form == FORM_SUPPLY_TEXT ? BOARD_SUPPLIES
                                                            : 1;
}

const char *device_value_lane_word(enum device_value value)
{
    return ROWS[value].page == REGISTER_SUPPLIES ? "supply" : "lane";
}

// 6 bits of tenths, units, tens or hundreds of meters, as the upper two bits say (CMIS).
static double device_values_length(uint32_t octet)
{
    static const double UNITS[] = {0.1, 1, 10, 100};
    return (octet & 0x3F) * UNITS[octet >> 6];
}

static const char *device_values_kind(uint32_t kind)
{
    static const char *const WORDS[] = {[MODULE_ACTIVE] = "active cable",
                                        [MODULE_OPTICAL] = "optical",
                                        [MODULE_COPPER] = "copper",
                                        [MODULE_UNPLUGGED] = "unplugged",
                                        [MODULE_CPO] = "co-packaged optics"};
    const char *word = kind < sizeof WORDS / sizeof *WORDS ? WORDS[kind] : NULL;
    return word ? word : "unknown";
}

// Light is told by modules that measure light, in a known unit.
static bool device_values_lane(const struct row *row, const uint8_t *octets, unsigned lane,
                               double *out)
{
    const bool has_unit =
        row->field == MODULE_BIAS || module_page_get(octets, MODULE_IN_MICROWATT) != 0;
    *out = module_page_lane(octets, row->field, lane) * row->unit;
    return has_unit && *out > 0;
}

static double device_values_ratio(const uint8_t *octets, unsigned octet)
{
    const uint32_t word = wire_get32(octets + octet);
    double ratio = word & 0xF;
    for (uint32_t i = word >> 8 & 0xFF; i > 0; i--)
        ratio /= 10;
    return ratio;
}

static double device_values_supplies(const uint8_t *octets)
{
    unsigned count = 0;
    for (unsigned i = 0; i < BOARD_SUPPLIES; i++) {
        const struct board_supply supply = board_supply(octets, i);
        count += supply.present && supply.has_power;
    }
    return count;
}

static bool device_values_number(const struct row *row, const uint8_t *octets, unsigned lane,
                                 double *out)
{
    switch (row->form) {
    case FORM_COUNT:
        *out = __builtin_popcount(attribute_get(octets, 0, row->field));
        return true;
    case FORM_LENGTH:
        *out = device_values_length(attribute_get(octets, 0, row->field));
        return *out > 0;
    case FORM_MODULE_CELSIUS:
        return module_page_celsius(octets, row->field, out);
    case FORM_BOARD_CELSIUS:
        return board_celsius(octets, row->field, out);
    case FORM_LANES:
        return device_values_lane(row, octets, lane, out);
    case FORM_RATIO:
        *out = device_values_ratio(octets, row->field);
        return wire_get32(octets + row->field) != 0;
    case FORM_SUPPLIES:
        *out = device_values_supplies(octets);
        return true;
    case FORM_WATTS:
        *out = board_supply(octets, lane).watts;
        return board_supply(octets, lane).present && *out > 0;
    default:
        *out = attribute_get(octets, 0, row->field) * row->unit;
        return *out > 0;
    }
}

static bool device_values_text(const struct row *row, const uint8_t *octets, unsigned lane,
                               char out[BOARD_TEXT_SIZE])
{
    const uint32_t number = row->form == FORM_VERSION ? attribute_get(octets, 0, row->field) : 0;
    switch (row->form) {
    case FORM_KIND:
        snprintf(out, BOARD_TEXT_SIZE, "%s",
                 device_values_kind(attribute_get(octets, 0, row->field)));
        return true;
    case FORM_VERSION:
        snprintf(out, BOARD_TEXT_SIZE, "%u.%u.%u", number >> 24, number >> 16 & 0xFF,
                 number & 0xFFFF);
        return number != 0;
    case FORM_MODULE_TEXT:
        return module_page_text(octets, row->field, out)[0] != '\0';
    case FORM_BOARD_TEXT:
        return board_text(octets, row->field, out)[0] != '\0';
    case FORM_BLAME:
        return snprintf(out, BOARD_TEXT_SIZE, "%s",
                        link_end_word((uint8_t)attribute_get(octets, 0, row->field))) > 0;
    case FORM_REASON:
        return snprintf(out, BOARD_TEXT_SIZE, "%s",
                        link_reason_words((uint8_t)attribute_get(octets, 0, row->field))) > 0;
    case FORM_DEVICE_TEXT:
        return device_reading_text(octets + row->field, DEVICE_READING_OCTETS - row->field, out,
                                   BOARD_TEXT_SIZE)[0] != '\0';
    case FORM_SUPPLY_TEXT:
        return board_supply_text(octets, lane, row->field, out)[0] != '\0';
    default:
        return row->form == FORM_FIRMWARE && board_firmware(octets, out);
    }
}

bool device_value_is_text(enum device_value value)
{
    return ROWS[value].form >= FORM_KIND;
}

bool device_value_read(enum device_value value, const uint8_t octets[DEVICE_READING_OCTETS],
                       unsigned lane, struct device_value_read *out)
{
    const struct row *row = &ROWS[value];
    out->text[0] = '\0';
    out->number = 0;
    return device_value_is_text(value) ? device_values_text(row, octets, lane, out->text)
                                       : device_values_number(row, octets, lane, &out->number);
}
