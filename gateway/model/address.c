#include "model/address.h"

#include "base/text.h"
#include "base/wire.h"

#include <arpa/inet.h>
#include <string.h>

void address_format_guid(uint64_t guid, char out[ADDRESS_GUID_TEXT_SIZE])
{
    uint8_t octets[8];
    struct text t = text_in(out, ADDRESS_GUID_TEXT_SIZE);
    wire_put(octets, sizeof octets, guid);
    text_add(&t, "0x");
    text_add_hex(&t, octets, sizeof octets);
}

void address_format_gid(const uint8_t gid[ADDRESS_GID_SIZE], char out[ADDRESS_GID_TEXT_SIZE])
{
    inet_ntop(AF_INET6, gid, out, ADDRESS_GID_TEXT_SIZE);
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
