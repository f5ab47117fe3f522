// SPDX-License-Identifier: BSD-2-Clause
// The pages of register PDDR: about the cable or module in a port, and why the link went down. The
// places of the fields are octets of the register (Mellanox/mstflint, tools_layouts). Pure.
#pragma once

#include "base/text.h"
#include "model/device_reading.h"

// A field of the page's data, which begins at octet 8 of the register.
#define MODULE_PAGE_AT(octet)               ((octet) + 8)
#define MODULE_PAGE_FIELD(octet, bit, bits) ATTRIBUTE_FIELD(MODULE_PAGE_AT(octet), bit, bits)

enum module_page_field {
    MODULE_IN_MICROWATT = ATTRIBUTE_FIELD(4, 2, 1), // of the index
    MODULE_KIND = MODULE_PAGE_FIELD(0x04, 0, 4),    // enum module_kind
    MODULE_LENGTH = MODULE_PAGE_FIELD(0x04, 8, 8),
    MODULE_IDENTIFIER = MODULE_PAGE_FIELD(0x04, 16, 8),
    MODULE_FIRMWARE = MODULE_PAGE_FIELD(0x38, 0, 32),
    MODULE_TEMPERATURE = MODULE_PAGE_FIELD(0x4C, 0, 16), // 1/256 of a degree, as the limits
    MODULE_VOLTAGE = MODULE_PAGE_FIELD(0x4C, 16, 16),    // 100 uV
    MODULE_TEMPERATURE_HIGH = MODULE_PAGE_FIELD(0x80, 0, 16),
    MODULE_TEMPERATURE_LOW = MODULE_PAGE_FIELD(0x80, 16, 16),
    MODULE_RX_LOW = MODULE_PAGE_FIELD(0x88, 16, 16),
    MODULE_TX_LOW = MODULE_PAGE_FIELD(0x8C, 16, 16),
    MODULE_STATE = MODULE_PAGE_FIELD(0x94, 0, 3), // MODULE_HAS_FAULT, or others
    MODULE_MEASURES = MODULE_PAGE_FIELD(0x9C, 16, 8),
};

enum link_down_field {
    LINK_DOWN_BLAME = MODULE_PAGE_FIELD(0x00, 28, 4),
    LINK_DOWN_LOCAL_REASON = MODULE_PAGE_FIELD(0x04, 24, 8),
    LINK_DOWN_REMOTE_REASON = MODULE_PAGE_FIELD(0x08, 24, 8),
};

enum trouble_field {
    TROUBLE_STATUS = MODULE_PAGE_FIELD(0x04, 16, 16),
    TROUBLE_MESSAGE = MODULE_PAGE_AT(0x0C), // to the end of the register
};

enum module_kind {
    MODULE_ACTIVE = 1,
    MODULE_OPTICAL,
    MODULE_COPPER,
    MODULE_UNPLUGGED,
    MODULE_CPO = 6
};

enum { MODULE_HAS_FAULT = 5 }; // of MODULE_STATE
enum { MODULE_MEASURES_TX = 1 << 2, MODULE_MEASURES_RX = 1 << 3 };

enum { MODULE_LANES = 8 };

// Of each lane, in 16 bits.
enum module_lanes {
    MODULE_RX = MODULE_PAGE_AT(0x50),   // uW, if MODULE_IN_MICROWATT
    MODULE_TX = MODULE_PAGE_AT(0x60),   // the same
    MODULE_BIAS = MODULE_PAGE_AT(0x70), // 2 uA
};

enum module_text {
    MODULE_VENDOR,
    MODULE_PART,
    MODULE_REVISION,
    MODULE_SERIAL,
    MODULE_DATE,
    MODULE_TEXTS
};

// 16 octets as valid UTF-8, three octets each at most, and a NUL.
enum { MODULE_TEXT_SIZE = DEVICE_SERIAL_SIZE };

uint32_t module_page_get(const uint8_t octets[DEVICE_READING_OCTETS], enum module_page_field field);

// Degrees. Returns false if the module does not measure: 0, or the least number.
bool module_page_celsius(const uint8_t octets[DEVICE_READING_OCTETS], enum module_page_field field,
                         double *out);

unsigned module_page_lane(const uint8_t octets[DEVICE_READING_OCTETS], enum module_lanes what,
                          unsigned lane);

// Returns `out`, without blanks at its end.
const char *module_page_text(const uint8_t octets[DEVICE_READING_OCTETS], enum module_text which,
                             char out[MODULE_TEXT_SIZE]);

// Writes the serial number where module_page_text reads it; cuts a longer one.
void module_page_set_serial(uint8_t octets[DEVICE_READING_OCTETS], const char *serial);

bool module_page_is_plugged(const uint8_t octets[DEVICE_READING_OCTETS]);

// Adds "NVIDIA MCP4Y10-N001, serial number MT2231FT00123".
void module_page_describe(struct text *t, const uint8_t octets[DEVICE_READING_OCTETS]);
