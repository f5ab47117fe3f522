// SPDX-License-Identifier: BSD-2-Clause
#include "model/notice.h"

#include "base/text.h"
#include "base/wire.h"

#include <stddef.h>
#include <string.h>

enum { DETAILS = 10, ISSUER_GID = 64 }; // offsets in the Notice
enum { CHANGE_FLAGS = 0x3F };           // of 144; the other bits are reserved

static void decode_gid(struct notice *n, const uint8_t *d)
{
    memcpy(n->gid1, d + 6, sizeof n->gid1);
}

static void decode_link_state(struct notice *n, const uint8_t *d)
{
    n->lid = wire_get16(d);
}

static void decode_port_threshold(struct notice *n, const uint8_t *d)
{
    n->lid = wire_get16(d + 2);
    n->port = d[4];
}

static void decode_capability(struct notice *n, const uint8_t *d)
{
    n->lid = wire_get16(d + 2);
    n->local_changes = d[5] & 1;
    n->capability_mask = wire_get32(d + 6);
    n->change_flags = n->local_changes ? wire_get16(d + 10) & CHANGE_FLAGS : 0;
    n->capability_mask2 = n->local_changes ? wire_get16(d + 12) : 0;
}

static void decode_system_image_guid(struct notice *n, const uint8_t *d)
{
    n->lid = wire_get16(d + 2);
    n->system_image_guid = wire_get64(d + 6);
}

static void decode_bad_mkey(struct notice *n, const uint8_t *d)
{
    n->lid = wire_get16(d + 2);
    n->method = d[6];
    n->attribute = wire_get16(d + 8);
    n->attribute_modifier = wire_get32(d + 10);
    n->key = wire_get64(d + 14);
    n->dr = d[23] & 0x80;
    if (!n->dr)
        return;
    n->dr_slid = wire_get16(d + 4);
    n->dr_truncated = d[23] & 0x40;
    n->dr_hops = d[23] & 0x3F;
    if (n->dr_hops > NOTICE_DR_PATH_SIZE)
        n->dr_hops = NOTICE_DR_PATH_SIZE;
    memcpy(n->dr_path, d + 24, n->dr_hops);
}

static void decode_bad_key(struct notice *n, const uint8_t *d)
{
    n->lid = wire_get16(d + 2);
    n->lid2 = wire_get16(d + 4);
    // A P_Key is 16 bits wide; the octets before it in the 32-bit field are reserved.
    n->key = n->trap == NOTICE_BAD_PKEY ? wire_get16(d + 8) : wire_get32(d + 6);
    n->sl = d[10] >> 4;
    n->qp1 = wire_get24(d + 11);
    n->qp2 = wire_get24(d + 15);
    memcpy(n->gid1, d + 18, sizeof n->gid1);
    memcpy(n->gid2, d + 34, sizeof n->gid2);
}

static void decode_bad_pkey_at_switch(struct notice *n, const uint8_t *d)
{
    uint16_t valid = n->data_valid = wire_get16(d) & 0xFF;
    if (valid & NOTICE_VALID_LID1)
        n->lid = wire_get16(d + 2);
    if (valid & NOTICE_VALID_LID2)
        n->lid2 = wire_get16(d + 4);
    if (valid & NOTICE_VALID_PKEY)
        n->key = wire_get16(d + 6);
    if (valid & NOTICE_VALID_SL)
        n->sl = d[8] >> 4;
    if (valid & NOTICE_VALID_QP1)
        n->qp1 = wire_get24(d + 9);
    if (valid & NOTICE_VALID_QP2)
        n->qp2 = wire_get24(d + 13);
    if (valid & NOTICE_VALID_GID1)
        memcpy(n->gid1, d + 16, sizeof n->gid1);
    if (valid & NOTICE_VALID_GID2)
        memcpy(n->gid2, d + 32, sizeof n->gid2);
    n->switch_lid = wire_get16(d + 48);
    n->port = d[50];
}

static void decode_details(struct notice *n, const uint8_t *d)
{
    switch (n->trap) {
    case NOTICE_GID_IN_SERVICE:
    case NOTICE_GID_OUT_OF_SERVICE:
    case NOTICE_MCAST_GROUP_CREATED:
    case NOTICE_MCAST_GROUP_DELETED:
        decode_gid(n, d);
        break;
    case NOTICE_LINK_STATE:
        decode_link_state(n, d);
        break;
    case NOTICE_LINK_INTEGRITY:
    case NOTICE_BUFFER_OVERRUN:
    case NOTICE_FLOW_CONTROL:
        decode_port_threshold(n, d);
        break;
    case NOTICE_CAPABILITY:
        decode_capability(n, d);
        break;
    case NOTICE_SYSTEM_IMAGE_GUID:
        decode_system_image_guid(n, d);
        break;
    case NOTICE_BAD_MKEY:
        decode_bad_mkey(n, d);
        break;
    case NOTICE_BAD_PKEY:
    case NOTICE_BAD_QKEY:
        decode_bad_key(n, d);
        break;
    case NOTICE_BAD_PKEY_AT_SWITCH:
        decode_bad_pkey_at_switch(n, d);
        break;
    default:
        break;
    }
}

struct notice notice_decode(const uint8_t wire[NOTICE_SIZE])
{
    struct notice n = {
        .generic = wire[0] & 0x80,
        .type = wire[0] & 0x7F,
        .producer = wire_get24(wire + 1),
        .trap = wire_get16(wire + 4),
        .issuer_lid = wire_get16(wire + 6),
    };
    memcpy(n.issuer_gid, wire + ISSUER_GID, sizeof n.issuer_gid);
    if (n.generic)
        decode_details(&n, wire + DETAILS);
    return n;
}

// Encoding.

static void encode_bad_mkey(const struct notice *n, uint8_t *d)
{
    wire_put(d + 2, 2, n->lid);
    wire_put(d + 4, 2, n->dr_slid);
    d[6] = n->method;
    wire_put(d + 8, 2, n->attribute);
    wire_put(d + 10, 4, n->attribute_modifier);
    wire_put(d + 14, 8, n->key);
    d[23] = (uint8_t)((n->dr ? 0x80 : 0) | (n->dr_truncated ? 0x40 : 0) | (n->dr_hops & 0x3F));
    memcpy(d + 24, n->dr_path, n->dr_hops < NOTICE_DR_PATH_SIZE ? n->dr_hops : NOTICE_DR_PATH_SIZE);
}

static void encode_bad_key(const struct notice *n, uint8_t *d)
{
    wire_put(d + 2, 2, n->lid);
    wire_put(d + 4, 2, n->lid2);
    wire_put(d + 6, 4, n->key);
    d[10] = (uint8_t)(n->sl << 4);
    wire_put(d + 11, 3, n->qp1);
    wire_put(d + 15, 3, n->qp2);
    memcpy(d + 18, n->gid1, sizeof n->gid1);
    memcpy(d + 34, n->gid2, sizeof n->gid2);
}

static void encode_bad_pkey_at_switch(const struct notice *n, uint8_t *d)
{
    wire_put(d, 2, n->data_valid);
    wire_put(d + 2, 2, n->lid);
    wire_put(d + 4, 2, n->lid2);
    wire_put(d + 6, 2, n->key);
    d[8] = (uint8_t)(n->sl << 4);
    wire_put(d + 9, 3, n->qp1);
    wire_put(d + 13, 3, n->qp2);
    memcpy(d + 16, n->gid1, sizeof n->gid1);
    memcpy(d + 32, n->gid2, sizeof n->gid2);
    wire_put(d + 48, 2, n->switch_lid);
    d[50] = n->port;
}

static void encode_capability(const struct notice *n, uint8_t *d)
{
    wire_put(d + 2, 2, n->lid);
    d[5] = n->local_changes;
    wire_put(d + 6, 4, n->capability_mask);
    wire_put(d + 10, 2, n->change_flags);
    wire_put(d + 12, 2, n->capability_mask2);
}

static void encode_details(const struct notice *n, uint8_t *d)
{
    switch (n->trap) {
    case NOTICE_GID_IN_SERVICE:
    case NOTICE_GID_OUT_OF_SERVICE:
    case NOTICE_MCAST_GROUP_CREATED:
    case NOTICE_MCAST_GROUP_DELETED:
        memcpy(d + 6, n->gid1, sizeof n->gid1);
        break;
    case NOTICE_LINK_STATE:
        wire_put(d, 2, n->lid);
        break;
    case NOTICE_LINK_INTEGRITY:
    case NOTICE_BUFFER_OVERRUN:
    case NOTICE_FLOW_CONTROL:
        wire_put(d + 2, 2, n->lid);
        d[4] = n->port;
        break;
    case NOTICE_CAPABILITY:
        encode_capability(n, d);
        break;
    case NOTICE_SYSTEM_IMAGE_GUID:
        wire_put(d + 2, 2, n->lid);
        wire_put(d + 6, 8, n->system_image_guid);
        break;
    case NOTICE_BAD_MKEY:
        encode_bad_mkey(n, d);
        break;
    case NOTICE_BAD_PKEY:
    case NOTICE_BAD_QKEY:
        encode_bad_key(n, d);
        break;
    case NOTICE_BAD_PKEY_AT_SWITCH:
        encode_bad_pkey_at_switch(n, d);
        break;
    default:
        break;
    }
}

void notice_encode(const struct notice *notice, uint8_t out[NOTICE_SIZE])
{
    memset(out, 0, NOTICE_SIZE);
    out[0] = (uint8_t)((notice->generic ? 0x80 : 0) | (notice->type & 0x7F));
    wire_put(out + 1, 3, notice->producer);
    wire_put(out + 4, 2, notice->trap);
    wire_put(out + 6, 2, notice->issuer_lid);
    memcpy(out + ISSUER_GID, notice->issuer_gid, sizeof notice->issuer_gid);
    if (notice->generic)
        encode_details(notice, out + DETAILS);
}

// Words.

struct notice_word {
    unsigned number;
    const char *word;
};

static const struct notice_word NOTICE_METHODS[] = {
    {0x01, "SubnGet"},  {0x02, "SubnSet"},         {0x03, "SubnSend"},
    {0x05, "SubnTrap"}, {0x07, "SubnTrapRepress"}, {0x81, "SubnGetResp"},
};

static const struct notice_word NOTICE_ATTRIBUTES[] = {
    {0x0002, "Notice"},
    {0x0010, "NodeDescription"},
    {0x0011, "NodeInfo"},
    {0x0012, "SwitchInfo"},
    {0x0014, "GUIDInfo"},
    {0x0015, "PortInfo"},
    {0x0016, "P_KeyTable"},
    {0x0017, "SLtoVLMappingTable"},
    {0x0018, "VLArbitrationTable"},
    {0x0019, "LinearForwardingTable"},
    {0x001A, "RandomForwardingTable"},
    {0x001B, "MulticastForwardingTable"},
    {0x0020, "SMInfo"},
    {0x0030, "VendorDiag"},
    {0x0031, "LedInfo"},
};

static const struct notice_word NOTICE_CHANGES[] = {
    {0x01, "NodeDescription"}, {0x02, "LinkWidthEnabled"}, {0x04, "LinkSpeedEnabled"},
    {0x08, "SM priority"},     {0x10, "HierarchyInfo"},    {0x20, "CapabilityMask2"},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *notice_find_word(const struct notice_word *words, size_t n, unsigned number)
{
    for (size_t i = 0; i < n; i++) {
        if (words[i].number == number)
            return words[i].word;
    }
    return NULL;
}

const char *notice_method_word(uint8_t method)
{
    return notice_find_word(NOTICE_METHODS, COUNT(NOTICE_METHODS), method);
}

const char *notice_attribute_word(uint16_t attribute)
{
    return notice_find_word(NOTICE_ATTRIBUTES, COUNT(NOTICE_ATTRIBUTES), attribute);
}

void notice_add_changes(struct text *t, uint16_t flags)
{
    const char *separator = "";
    for (size_t i = 0; i < COUNT(NOTICE_CHANGES); i++) {
        if (flags & NOTICE_CHANGES[i].number) {
            text_addf(t, "%s%s", separator, NOTICE_CHANGES[i].word);
            separator = ", ";
        }
    }
}
