// SPDX-License-Identifier: BSD-2-Clause
// The values of messages in flight, one behind the other in a ring. librdkafka reads each value in
// place until librdkafka has reported the message, and neither copies nor frees the value. Not
// thread-safe.
#pragma once

#include "kafka/in_flight.h"
#include "sink/format.h"

enum {
    VALUES_SIZE = 8 * 1024 * 1024, // octets; octets that were never used take no memory
    VALUE_SIZE_MAX = FORMAT_SIZE,
};

struct values {
    char *octets;
    size_t used; // up to here
    struct {
        size_t begin;
        uint64_t ticket;
    } kept[KAFKA_IN_FLIGHT_MAX]; // a ring
    size_t first, count;
};

void values_init(struct values *values);
void values_free(struct values *values);

// Room for a value: an empty text of VALUE_SIZE_MAX octets, valid until the next call. `buf` of the
// text is NULL while older values take the room. Not while KAFKA_IN_FLIGHT_MAX values are kept.
struct text values_room(struct values *values);

// Keeps the value that was written to the latest room. Tickets ascend.
void values_keep(struct values *values, const struct text *value, uint64_t ticket);

// Gives up the values of the tickets before `oldest`.
void values_drop(struct values *values, uint64_t oldest);
