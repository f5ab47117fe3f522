// SPDX-License-Identifier: BSD-2-Clause
// The protocol of the control socket: the client sends one JSON object per line, and gets one JSON
// object for each line.
// Decides: How long may a request on the control socket be?
#pragma once

#include <jansson.h>
#include <stdint.h>

enum {
    PROTOCOL_VERSION = 1,      // "version" of requests and answers
    PROTOCOL_LINE_MAX = 65536, // octets of a request
};

// Each returns a value of an answer, a new reference.
json_t *protocol_text(const char *s);  // any octets; replaces octets that are not UTF-8
json_t *protocol_guid(uint64_t guid);  // "0x0002c90300001234"
json_t *protocol_time(int64_t utc_us); // RFC 3339; null for 0
json_t *protocol_oid(const uint32_t *ids, size_t count); // "1.3.6.1.4.1"
