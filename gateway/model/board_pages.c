// SPDX-License-Identifier: BSD-2-Clause
#include "model/board_pages.h"

#include "base/wire.h"

static const struct {
    uint8_t at, octets;
} TEXTS[BOARD_TEXTS] = {
    [FIRMWARE_PSID] = {0x30, 16}, [BOARD_SERIAL] = {0x00, 24},  [BOARD_PART] = {0x20, 20},
    [BOARD_REVISION] = {0x38, 4}, [BOARD_PRODUCT] = {0x40, 64}, [SUPPLY_SERIAL] = {0x10, 12},
    [SUPPLY_PART] = {0x30, 16},
};

enum { SUPPLY_SIZE = 80 };

const char *board_text(const uint8_t octets[DEVICE_READING_OCTETS], enum board_text which,
                       char out[BOARD_TEXT_SIZE])
{
    return device_reading_text(octets + TEXTS[which].at, TEXTS[which].octets, out, BOARD_TEXT_SIZE);
}

bool board_firmware(const uint8_t octets[DEVICE_READING_OCTETS], char out[BOARD_FIRMWARE_SIZE])
{
    enum { MAJOR = 0x44, MINOR = 0x48, SUB_MINOR = 0x4C };
    struct text t = text_in(out, BOARD_FIRMWARE_SIZE);
    text_addf(&t, "%u.%u.%04u", wire_get16(octets + MAJOR + 2), wire_get16(octets + MINOR + 2),
              wire_get16(octets + SUB_MINOR + 2));
    return wire_get32(octets + MAJOR) != 0;
}

bool board_celsius(const uint8_t octets[DEVICE_READING_OCTETS], enum board_field field, double *out)
{
    enum { PER_DEGREE = 8 };
    return device_reading_celsius(attribute_get(octets, 0, field), PER_DEGREE, out);
}

uint64_t board_warm_sensors(const uint8_t octets[DEVICE_READING_OCTETS])
{
    enum { LAST_WORDS = 8 }; // the first octet has sensor 127
    return wire_get64(octets + LAST_WORDS);
}

struct board_supply board_supply(const uint8_t octets[DEVICE_READING_OCTETS], unsigned number)
{
    enum { PRESENT = 5, POWER = 1, FAN = 2, WATTS = 10 };
    const uint8_t *supply = octets + (size_t)number * SUPPLY_SIZE;
    const uint32_t first = wire_get32(supply), second = wire_get32(supply + 4);
    return (struct board_supply){.present = first >> 28 == PRESENT,
                                 .has_power = (first >> 4 & 0xF) == POWER,
                                 .fan_runs = (second & 0xF) == FAN,
                                 .watts = wire_get16(supply + WATTS)};
}

const char *board_supply_text(const uint8_t octets[DEVICE_READING_OCTETS], unsigned number,
                              enum board_text which, char out[BOARD_TEXT_SIZE])
{
    return device_reading_text(octets + TEXTS[which].at + (size_t)number * SUPPLY_SIZE,
                               TEXTS[which].octets, out, BOARD_TEXT_SIZE);
}
