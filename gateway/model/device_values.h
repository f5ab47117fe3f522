// SPDX-License-Identifier: BSD-2-Clause
// The values that devices and modules tell, as rows: the name of a value in JSON and CSV, the page
// of its register, and how its octets are read. Pure.
//
// Decides: Which values of a cable, a module or a switch does ibtrapctl show?
#pragma once

#include "model/board_pages.h"
#include "model/module_page.h"

enum device_value {
    MODULE_VALUE_KIND,
    MODULE_VALUE_VENDOR,
    MODULE_VALUE_PART,
    MODULE_VALUE_REVISION,
    MODULE_VALUE_SERIAL,
    MODULE_VALUE_DATE,
    MODULE_VALUE_LENGTH, // meters
    MODULE_VALUE_FIRMWARE,
    MODULE_VALUE_TEMPERATURE, // degrees Celsius, here and below
    MODULE_VALUE_TEMPERATURE_HIGH,
    MODULE_VALUE_TEMPERATURE_LOW,
    MODULE_VALUE_VOLTAGE,  // volts
    MODULE_VALUE_RX_POWER, // milliwatts of each lane
    MODULE_VALUE_TX_POWER,
    MODULE_VALUE_BIAS,        // milliamperes of each lane
    PORT_VALUE_RAW_BER,       // bit errors a bit: of the wire
    PORT_VALUE_EFFECTIVE_BER, // behind the error correction
    PORT_VALUE_SYMBOL_BER,
    PORT_VALUE_DOWN_BLAME, // why the link went down last (model/link_reason.h)
    PORT_VALUE_DOWN_REASON,
    PORT_VALUE_DOWN_REMOTE_REASON,
    PORT_VALUE_DEVICE_TEXT,
    DEVICE_VALUE_FIRMWARE,
    DEVICE_VALUE_PSID,
    DEVICE_VALUE_UPTIME, // seconds
    DEVICE_VALUE_SERIAL,
    DEVICE_VALUE_PART,
    DEVICE_VALUE_PRODUCT,
    DEVICE_VALUE_TEMPERATURE, // of the ASIC
    DEVICE_VALUE_TEMPERATURE_HIGH,
    DEVICE_VALUE_AMBIENT,
    DEVICE_VALUE_FANS,     // there
    DEVICE_VALUE_FANS_OUT, // of their range
    DEVICE_VALUE_SUPPLIES, // with power
    SUPPLY_VALUE_POWER,    // watts of each power supply
    SUPPLY_VALUE_SERIAL,
    SUPPLY_VALUE_PART,
    DEVICE_VALUES,
};

const char *device_value_name(enum device_value value); // "temperature_high"
enum register_page device_value_page(enum device_value value);
bool device_value_is_of_port(enum device_value value); // else of the device as a whole
bool device_value_is_text(enum device_value value);    // else a number

// How many lanes or power supplies have a value of their own, and the word for one of them; 1: the
// value is of the whole.
unsigned device_value_lanes(enum device_value value);
const char *device_value_lane_word(enum device_value value);

// Reads a value from the octets of its page: a text, or, with an empty text, a number. `lane`: from
// 0 on. Returns false if the device does not tell the value.
struct device_value_read {
    char text[BOARD_TEXT_SIZE];
    double number;
};
bool device_value_read(enum device_value value, const uint8_t octets[DEVICE_READING_OCTETS],
                       unsigned lane, struct device_value_read *out);
