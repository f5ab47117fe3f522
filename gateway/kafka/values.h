// SPDX-License-Identifier: BSD-2-Clause
// The values of pending messages, one behind the other in a ring. librdkafka reads them where they
// are until it has reported the message, so that it neither copies nor frees them. Not thread-safe.
#ifndef IBTRAPD_KAFKA_VALUES_H
#define IBTRAPD_KAFKA_VALUES_H

#include "kafka/options.h"

enum {
    VALUES_SIZE = 8 * 1024 * 1024, // octets; those that were never used take no memory
    VALUE_SIZE_MAX = FORMAT_SIZE,
};

struct values {
    char *octets;
    size_t used;                        // up to here
    size_t begins[KAFKA_IN_FLIGHT_MAX]; // of the values kept, in a ring
    size_t first, count;
};

void values_init(struct values *values);
void values_free(struct values *values);

// Room for a value: an empty text of VALUE_SIZE_MAX octets, valid until the next call. Its `buf` is
// NULL while older values take the room. Not while KAFKA_IN_FLIGHT_MAX values are kept.
struct text values_room(struct values *values);

// Keeps the value that was written to the latest room.
void values_keep(struct values *values, const struct text *value);

// Gives up the oldest `n` values.
void values_drop(struct values *values, size_t n);

#endif
