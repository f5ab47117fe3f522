// SPDX-License-Identifier: BSD-2-Clause
#include "model/device_reading.h"

#include "base/memory.h"

#include <assert.h>

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
