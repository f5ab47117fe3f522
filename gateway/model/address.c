// SPDX-License-Identifier: BSD-2-Clause
#include "model/address.h"

#include "base/text.h"
#include "base/wire.h"

#include <string.h>

enum { GROUPS = ADDRESS_GID_SIZE / 2 }; // of a GID's text

struct run {
    unsigned first, length;
};

void address_format_guid(uint64_t guid, char out[ADDRESS_GUID_TEXT_SIZE])
{
    struct text t = text_in(out, ADDRESS_GUID_TEXT_SIZE);
    text_add(&t, "0x");
    text_add_hex_number(&t, guid, 16);
}

static int address_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool address_take_hex(const char **p, const char *end, uint64_t *out)
{
    const char *first = *p;
    int digit;
    for (*out = 0; *p < end && (digit = address_digit(**p)) >= 0; ++*p)
        *out = *out << 4 | (unsigned)digit;
    return *p > first && *p - first <= 16;
}

static uint16_t address_group(const uint8_t gid[ADDRESS_GID_SIZE], unsigned i)
{
    return wire_get16(gid + (size_t)2 * i);
}

// The longest run of two zeros or more, of several the first.
static struct run address_find_zeros(const uint8_t gid[ADDRESS_GID_SIZE])
{
    struct run longest = {.first = GROUPS, .length = 1};
    for (unsigned i = 0, length = 0; i < GROUPS; i++) {
        length = address_group(gid, i) == 0 ? length + 1 : 0;
        if (length > longest.length)
            longest = (struct run){.first = i + 1 - length, .length = length};
    }
    return longest;
}

void address_format_gid(const uint8_t gid[ADDRESS_GID_SIZE], char out[ADDRESS_GID_TEXT_SIZE])
{
    struct text t = text_in(out, ADDRESS_GID_TEXT_SIZE);
    struct run zeros = address_find_zeros(gid);
    unsigned after = zeros.first + zeros.length;
    for (unsigned i = 0; i < GROUPS; i++) {
        if (i == zeros.first)
            text_add(&t, "::");
        if (i >= zeros.first && i < after)
            continue;
        text_add(&t, i > 0 && i != after ? ":" : "");
        text_add_hex_number(&t, address_group(gid, i), 1);
    }
}

uint64_t address_gid_interface(const uint8_t gid[ADDRESS_GID_SIZE])
{
    return wire_get64(gid + 8);
}

bool address_gid_is_multicast(const uint8_t gid[ADDRESS_GID_SIZE])
{
    return gid[0] == 0xFF;
}

bool address_gid_is_zero(const uint8_t gid[ADDRESS_GID_SIZE])
{
    static const uint8_t ZERO[ADDRESS_GID_SIZE];
    return memcmp(gid, ZERO, sizeof ZERO) == 0;
}
