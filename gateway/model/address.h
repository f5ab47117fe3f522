// SPDX-License-Identifier: BSD-2-Clause
// GUIDs, GIDs and LIDs, and their text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ADDRESS_GUID_TEXT_SIZE = 19, // "0x0002c90300001234" and its NUL
    ADDRESS_GID_TEXT_SIZE = 40,  // "fe80::2:c903:e:8acf" (RFC 5952, without IPv4), and its NUL
    ADDRESS_GID_SIZE = 16,
};

// The highest LID that names one port; 0xC000 and up are multicast (IBA 4.1.3).
enum { ADDRESS_LID_UNICAST_MAX = 0xBFFF };

void address_format_guid(uint64_t guid, char out[ADDRESS_GUID_TEXT_SIZE]);
void address_format_gid(const uint8_t gid[ADDRESS_GID_SIZE], char out[ADDRESS_GID_TEXT_SIZE]);

// Reads up to 16 hexadecimal digits from `*p` on, and moves `*p` behind them. False: there are no
// digits, or more than 16.
bool address_take_hex(const char **p, const char *end, uint64_t *out);

// The interface id of a GID: its second half, after the subnet prefix (IBA 4.1.1). In a port's
// first GID, the interface id is the port's GUID.
uint64_t address_gid_interface(const uint8_t gid[ADDRESS_GID_SIZE]);

// Multicast GIDs begin with 0xFF.
bool address_gid_is_multicast(const uint8_t gid[ADDRESS_GID_SIZE]);
bool address_gid_is_zero(const uint8_t gid[ADDRESS_GID_SIZE]);
