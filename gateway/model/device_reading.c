// SPDX-License-Identifier: BSD-2-Clause
#include "model/device_reading.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

struct device_readings *device_readings_new(size_t room)
{
    struct device_readings *readings =
        memory_zeroed(1, sizeof(struct device_readings) + room * sizeof(struct device_reading));
    readings->room = room;
    return readings;
}

void device_readings_ask(struct device_readings *readings, uint64_t node_guid, uint8_t port,
                         enum register_page page)
{
    assert(readings->count < readings->room);
    readings->all[readings->count++] =
        (struct device_reading){.node_guid = node_guid, .port = port, .page = (uint8_t)page};
}

const char *device_reading_text(const uint8_t *octets, size_t size, char *out, size_t out_size)
{
    const char *text = (const char *)octets;
    size_t length = strnlen(text, size);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text_clean(text, length, out, out_size);
    return out;
}

bool device_reading_celsius(uint32_t value, int per_degree, double *out)
{
    const int16_t raw = (int16_t)(uint16_t)value;
    *out = (double)raw / per_degree;
    return raw != 0 && raw != INT16_MIN;
}
