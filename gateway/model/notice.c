// SPDX-License-Identifier: BSD-2-Clause
#include "model/notice.h"

#include "base/text.h"
#include "base/wire.h"

#include <stddef.h>
#include <string.h>

enum { DETAILS = 10, ISSUER_GID = 64 }; // offsets in the Notice

// The DataDetails of each trap (IBA 14.2.5.1): when the Notice has the field, and how; the octet
// where the field begins, and its size; the member of struct notice.
//
// Ways: a `number` has the size in octets; the size of `bits` is a mask for the octet; `gid` and
// `path` are octets. A flag comes before the fields that need the flag. A P_Key is 16 bits wide, at
// the end of a field for 32 bits with reserved octets.
#define TRAP_DETAILS(FIELD)                                                                        \
    case NOTICE_GID_IN_SERVICE:                                                                    \
    case NOTICE_GID_OUT_OF_SERVICE:                                                                \
    case NOTICE_MCAST_GROUP_CREATED:                                                               \
    case NOTICE_MCAST_GROUP_DELETED:                                                               \
        FIELD(true, gid, 6, 16, gid1)                                                              \
        break;                                                                                     \
    case NOTICE_LINK_STATE:                                                                        \
        FIELD(true, number, 0, 2, lid)                                                             \
        break;                                                                                     \
    case NOTICE_LINK_INTEGRITY:                                                                    \
    case NOTICE_BUFFER_OVERRUN:                                                                    \
    case NOTICE_FLOW_CONTROL:                                                                      \
        FIELD(true, number, 2, 2, lid)                                                             \
        FIELD(true, number, 4, 1, port)                                                            \
        break;                                                                                     \
    case NOTICE_CAPABILITY:                                                                        \
        FIELD(true, number, 2, 2, lid)                                                             \
        FIELD(true, bits, 5, 0x01, local_changes)                                                  \
        FIELD(true, number, 6, 4, capability_mask)                                                 \
        FIELD(n->local_changes, bits, 11, 0x3F, change_flags)                                      \
        FIELD(n->local_changes, number, 12, 2, capability_mask2)                                   \
        break;                                                                                     \
    case NOTICE_SYSTEM_IMAGE_GUID:                                                                 \
        FIELD(true, number, 2, 2, lid)                                                             \
        FIELD(true, number, 6, 8, system_image_guid)                                               \
        break;                                                                                     \
    case NOTICE_BAD_MKEY:                                                                          \
        FIELD(true, number, 2, 2, lid)                                                             \
        FIELD(true, number, 6, 1, method)                                                          \
        FIELD(true, number, 8, 2, attribute)                                                       \
        FIELD(true, number, 10, 4, attribute_modifier)                                             \
        FIELD(true, number, 14, 8, key)                                                            \
        FIELD(true, bits, 23, 0x80, dr)                                                            \
        FIELD(n->dr, number, 4, 2, dr_slid)                                                        \
        FIELD(n->dr, bits, 23, 0x40, dr_truncated)                                                 \
        FIELD(n->dr, bits, 23, 0x3F, dr_hops)                                                      \
        FIELD(n->dr, path, 24, 30, dr_path)                                                        \
        break;                                                                                     \
    case NOTICE_BAD_PKEY:                                                                          \
    case NOTICE_BAD_QKEY:                                                                          \
        FIELD(true, number, 2, 2, lid)                                                             \
        FIELD(true, number, 4, 2, lid2)                                                            \
        FIELD(n->trap == NOTICE_BAD_PKEY, number, 8, 2, key)                                       \
        FIELD(n->trap == NOTICE_BAD_QKEY, number, 6, 4, key)                                       \
        FIELD(true, bits, 10, 0xF0, sl)                                                            \
        FIELD(true, number, 11, 3, qp1)                                                            \
        FIELD(true, number, 15, 3, qp2)                                                            \
        FIELD(true, gid, 18, 16, gid1)                                                             \
        FIELD(true, gid, 34, 16, gid2)                                                             \
        break;                                                                                     \
    case NOTICE_BAD_PKEY_AT_SWITCH:                                                                \
        FIELD(true, number, 1, 1, data_valid)                                                      \
        FIELD(n->data_valid &NOTICE_VALID_LID1, number, 2, 2, lid)                                 \
        FIELD(n->data_valid &NOTICE_VALID_LID2, number, 4, 2, lid2)                                \
        FIELD(n->data_valid &NOTICE_VALID_PKEY, number, 6, 2, key)                                 \
        FIELD(n->data_valid &NOTICE_VALID_SL, bits, 8, 0xF0, sl)                                   \
        FIELD(n->data_valid &NOTICE_VALID_QP1, number, 9, 3, qp1)                                  \
        FIELD(n->data_valid &NOTICE_VALID_QP2, number, 13, 3, qp2)                                 \
        FIELD(n->data_valid &NOTICE_VALID_GID1, gid, 16, 16, gid1)                                 \
        FIELD(n->data_valid &NOTICE_VALID_GID2, gid, 32, 16, gid2)                                 \
        FIELD(true, number, 48, 2, switch_lid)                                                     \
        FIELD(true, number, 50, 1, port)                                                           \
        break;

#define LOWEST_BIT(bits) ((bits) & -(bits))

static uint8_t notice_hops(const struct notice *n)
{
    return n->dr_hops < NOTICE_DR_PATH_SIZE ? n->dr_hops : NOTICE_DR_PATH_SIZE;
}

static void notice_get_path(struct notice *n, const uint8_t *path)
{
    n->dr_hops = notice_hops(n);
    memcpy(n->dr_path, path, n->dr_hops);
}

#define GET_number(at, octets, m) n->m = (__typeof__(n->m))wire_get(d + (at), octets)
#define GET_bits(at, bits, m)     n->m = (__typeof__(n->m))((d[at] & (bits)) / LOWEST_BIT(bits))
#define GET_gid(at, octets, m)    memcpy(n->m, d + (at), octets)
#define GET_path(at, octets, m)   notice_get_path(n, d + (at))
#define GET(when, how, at, size, member)                                                           \
    if (when)                                                                                      \
        GET_##how(at, size, member);

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a row for each field
static void notice_get_details(struct notice *n, const uint8_t *d)
{
    switch (n->trap) {
        TRAP_DETAILS(GET)
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
        notice_get_details(&n, wire + DETAILS);
    return n;
}

#define PUT_number(at, octets, m) wire_put(d + (at), octets, n->m)
#define PUT_bits(at, bits, m)     d[at] |= (uint8_t)(n->m * LOWEST_BIT(bits) & (bits))
#define PUT_gid(at, octets, m)    memcpy(d + (at), n->m, octets)
#define PUT_path(at, octets, m)   memcpy(d + (at), n->m, notice_hops(n))
#define PUT(when, how, at, size, member)                                                           \
    if (when)                                                                                      \
        PUT_##how(at, size, member);

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a row for each field
static void notice_put_details(const struct notice *n, uint8_t *d)
{
    switch (n->trap) {
        TRAP_DETAILS(PUT)
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
        notice_put_details(notice, out + DETAILS);
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
