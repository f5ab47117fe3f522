// SPDX-License-Identifier: BSD-2-Clause
// What NVIDIA's devices told last of themselves and of the modules in their ports: the registers of
// the last rounds, as octets. Any thread.
//
// Decides: For how long is it remembered what a device told?
#pragma once

#include "model/device_reading.h"

enum { DEVICES_RECORDS_MAX = 1 << 19 }; // further readings are not remembered

// A node that is away for a day may come back with other modules.
#define DEVICES_MEMORY_US (INT64_C(86400) * 1000000)

struct device_record {
    struct device_reading reading;
    int64_t time_us; // UTC, of the reading
    bool link_up;    // of the port, at the reading
    uint64_t good;   // what was good in some reading: bits of the page (topology/device_rules.h)
};

struct devices;

struct devices *devices_new(void);
void devices_free(struct devices *devices); // NULL is allowed

// Copies what is remembered of the page; false: nothing is. `devices` may be NULL.
bool devices_find(struct devices *devices, uint64_t node_guid, uint8_t port,
                  enum register_page page, struct device_record *out);

// Remembers a copy in place of the record of the same page.
void devices_put(struct devices *devices, const struct device_record *record);

// Forgets records older than DEVICES_MEMORY_US.
void devices_forget_old(struct devices *devices, int64_t utc_us);
