// SPDX-License-Identifier: BSD-2-Clause
// The registers about a device as a whole: the places of their fields, in the octets of the
// register (Mellanox/mstflint). The layout of the power supplies is not public: stanford-rc's
// ibswinfo reads these digits. Pure.
#pragma once

#include "base/text.h"
#include "model/device_reading.h"

enum {
    BOARD_TEXT_SIZE = 3 * 64 + 1,
    BOARD_FIRMWARE_SIZE = 20,
    BOARD_SUPPLIES = 2,
    BOARD_FANS = 16
};

enum board_field {
    FIRMWARE_UPTIME = ATTRIBUTE_FIELD(0x1C, 0, 32),     // seconds
    SENSOR_TEMPERATURE = ATTRIBUTE_FIELD(0x04, 16, 16), // of MTMP, in eighths of a degree
    SENSOR_HIGH = ATTRIBUTE_FIELD(0x0C, 16, 16),        // the threshold of a warning
    SENSOR_LOW = ATTRIBUTE_FIELD(0x10, 16, 16),         // the end of the warning
    FANS_ACTIVE = ATTRIBUTE_FIELD(0x04, 0, 16),         // of MFCR: a bit for each tachometer
    FANS_UNDER = ATTRIBUTE_FIELD(0x00, 0, 16),          // of FORE, too slow
    FANS_OVER = ATTRIBUTE_FIELD(0x04, 0, 16),           // of FORE, too fast
    FAN_SPEED = ATTRIBUTE_FIELD(0x04, 16, 16),          // of MFSM: revolutions a minute
};

enum board_text {
    FIRMWARE_PSID,
    BOARD_SERIAL,
    BOARD_PART,
    BOARD_REVISION,
    BOARD_PRODUCT,
    SUPPLY_SERIAL, // of power supply 0
    SUPPLY_PART,
    BOARD_TEXTS
};

// Returns `out`, without blanks at its end.
const char *board_text(const uint8_t octets[DEVICE_READING_OCTETS], enum board_text which,
                       char out[BOARD_TEXT_SIZE]);

// Of REGISTER_FIRMWARE: "27.2010.3004". Returns false if the device does not tell.
bool board_firmware(const uint8_t octets[DEVICE_READING_OCTETS], char out[BOARD_FIRMWARE_SIZE]);

// Degrees. Returns false if there is no such value: 0, or the least number.
bool board_celsius(const uint8_t octets[DEVICE_READING_OCTETS], enum board_field field,
                   double *out);

// Of REGISTER_WARM_SENSORS: a bit for each sensor but those of modules.
uint64_t board_warm_sensors(const uint8_t octets[DEVICE_READING_OCTETS]);

// Of REGISTER_SUPPLIES.
struct board_supply {
    bool present, has_power, fan_runs;
    uint16_t watts; // 0: not known
};
struct board_supply board_supply(const uint8_t octets[DEVICE_READING_OCTETS], unsigned number);
const char *board_supply_text(const uint8_t octets[DEVICE_READING_OCTETS], unsigned number,
                              enum board_text which, char out[BOARD_TEXT_SIZE]);
