// SPDX-License-Identifier: BSD-2-Clause
// Registers of NVIDIA's devices, as read: what is asked of which node or port, and the octets of
// the answer.
#pragma once

#include "model/attribute.h"

enum {
    DEVICE_READING_OCTETS = 220, // of a register, that a MAD has
    DEVICE_READINGS_MAX = 1024,  // questions at a time: more than one device has, 2 for each port
};

// A question and its answer.
struct device_reading {
    uint64_t node_guid;
    uint8_t port;  // 0: about the whole device
    uint8_t page;  // enum register_page
    bool answered; // well; the octets are zero otherwise
    uint8_t octets[DEVICE_READING_OCTETS];
};

// What has to be known of a page after a restart, too.
enum { DEVICE_SERIAL_SIZE = 49, DEVICE_MEMORIES_MAX = 1 << 19 };
struct device_memory {
    uint64_t guid; // of the node
    uint64_t good; // what was good in some reading: bits of the page (topology/device_rules.h)
    uint8_t port, page;
    char serial[DEVICE_SERIAL_SIZE]; // of the last module in the port; empty: not told
};

struct device_readings {
    int64_t time_us; // UTC, of the begin
    bool complete;   // all questions were asked
    bool ends_round; // all devices have had their turn since the last such list
    size_t count, room;
    struct device_reading all[];
};

// Made with malloc; `room` questions at most.
struct device_readings *device_readings_new(size_t room);

// Adds a question. Do not call it without room.
void device_readings_ask(struct device_readings *readings, uint64_t node_guid, uint8_t port,
                         enum register_page page);

// Writes a text of a register to `out`, without the blanks behind the text, as text_clean does.
// Returns `out`.
const char *device_reading_text(const uint8_t *octets, size_t size, char *out, size_t out_size);

// Converts a temperature of 16 bits, in parts of a degree. Returns false for the two values that
// stand for no temperature: 0 and -32768.
bool device_reading_celsius(uint32_t value, int per_degree, double *out);
