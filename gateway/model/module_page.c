// SPDX-License-Identifier: BSD-2-Clause
#include "model/module_page.h"

#include "base/wire.h"

#include <string.h>

static const struct {
    uint8_t at, octets;
} TEXTS[MODULE_TEXTS] = {
    [MODULE_VENDOR] = {MODULE_PAGE_AT(0x14), 16},  [MODULE_PART] = {MODULE_PAGE_AT(0x24), 16},
    [MODULE_REVISION] = {MODULE_PAGE_AT(0x34), 4}, [MODULE_SERIAL] = {MODULE_PAGE_AT(0x3C), 16},
    [MODULE_DATE] = {MODULE_PAGE_AT(0xB0), 8},
};

uint32_t module_page_get(const uint8_t octets[DEVICE_READING_OCTETS], enum module_page_field field)
{
    return attribute_get(octets, 0, field);
}

bool module_page_celsius(const uint8_t octets[DEVICE_READING_OCTETS], enum module_page_field field,
                         double *out)
{
    enum { PER_DEGREE = 256 };
    return device_reading_celsius(module_page_get(octets, field), PER_DEGREE, out);
}

unsigned module_page_lane(const uint8_t octets[DEVICE_READING_OCTETS], enum module_lanes what,
                          unsigned lane)
{
    return wire_get16(octets + what + (size_t)2 * lane);
}

const char *module_page_text(const uint8_t octets[DEVICE_READING_OCTETS], enum module_text which,
                             char out[MODULE_TEXT_SIZE])
{
    return device_reading_text(octets + TEXTS[which].at, TEXTS[which].octets, out,
                               MODULE_TEXT_SIZE);
}

void module_page_set_serial(uint8_t octets[DEVICE_READING_OCTETS], const char *serial)
{
    memcpy(octets + TEXTS[MODULE_SERIAL].at, serial, strnlen(serial, TEXTS[MODULE_SERIAL].octets));
}

bool module_page_is_plugged(const uint8_t octets[DEVICE_READING_OCTETS])
{
    return module_page_get(octets, MODULE_KIND) != MODULE_UNPLUGGED;
}

void module_page_describe(struct text *t, const uint8_t octets[DEVICE_READING_OCTETS])
{
    char vendor[MODULE_TEXT_SIZE], part[MODULE_TEXT_SIZE], serial[MODULE_TEXT_SIZE];
    module_page_text(octets, MODULE_VENDOR, vendor);
    module_page_text(octets, MODULE_PART, part);
    module_page_text(octets, MODULE_SERIAL, serial);
    text_add(t, vendor);
    text_addf(t, "%s%s", vendor[0] && part[0] ? " " : "", part);
    if (serial[0] != '\0')
        text_addf(t, "%sserial number %s", vendor[0] || part[0] ? ", " : "", serial);
}
