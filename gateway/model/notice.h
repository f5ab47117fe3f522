// SPDX-License-Identifier: BSD-2-Clause
// A Notice, decoded. IBA volume 1, 13.4.8.2 (Notice) and 14.2.5.1 (the traps' DataDetails).
#pragma once

#include "model/address.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    NOTICE_SIZE = 80, // octets, in a Report: DataDetails and the IssuerGID included
    NOTICE_DR_PATH_SIZE = 30,
};

// The generic traps that ibtrapd knows.
enum notice_trap {
    NOTICE_GID_IN_SERVICE = 64,
    NOTICE_GID_OUT_OF_SERVICE = 65,
    NOTICE_MCAST_GROUP_CREATED = 66,
    NOTICE_MCAST_GROUP_DELETED = 67,
    NOTICE_UNPATH = 68,
    NOTICE_REPATH = 69,
    NOTICE_LINK_STATE = 128,
    NOTICE_LINK_INTEGRITY = 129,
    NOTICE_BUFFER_OVERRUN = 130,
    NOTICE_FLOW_CONTROL = 131,
    NOTICE_CAPABILITY = 144,
    NOTICE_SYSTEM_IMAGE_GUID = 145,
    NOTICE_BAD_MKEY = 256,
    NOTICE_BAD_PKEY = 257,
    NOTICE_BAD_QKEY = 258,
    NOTICE_BAD_PKEY_AT_SWITCH = 259,
};

enum notice_producer {
    NOTICE_PRODUCER_CA = 1,
    NOTICE_PRODUCER_SWITCH = 2,
    NOTICE_PRODUCER_ROUTER = 3,
    NOTICE_PRODUCER_CLASS_MANAGER = 4,
};

// The trap decides which of the fields after the empty line are set; the others are zero.
struct notice {
    bool generic;
    uint8_t type;      // 0 fatal, 1 urgent, 2 security, 3 subnet management, 4 informational
    uint32_t producer; // enum notice_producer; the VendorID when not generic
    uint16_t trap;     // the DeviceID when not generic
    uint16_t issuer_lid;
    uint8_t issuer_gid[ADDRESS_GID_SIZE];

    uint16_t lid;                   // LIDADDR or LIDADDR1
    uint16_t lid2;                  // LIDADDR2
    uint8_t gid1[ADDRESS_GID_SIZE]; // the GID of 64 to 67; GIDADDR1
    uint8_t gid2[ADDRESS_GID_SIZE];
    uint8_t port;
    bool local_changes; // 144: OtherLocalChanges, without which change_flags is zero
    uint16_t change_flags;
    uint32_t capability_mask;
    uint16_t capability_mask2;
    uint64_t system_image_guid;
    uint64_t key; // M_Key (256), P_Key (257, 259), Q_Key (258)
    uint8_t method;
    uint16_t attribute;
    uint32_t attribute_modifier;
    bool dr; // 256: the packet was directed-route, and the next four fields are set
    uint16_t dr_slid;
    bool dr_truncated;
    uint8_t dr_hops; // of dr_path, at most NOTICE_DR_PATH_SIZE
    uint8_t dr_path[NOTICE_DR_PATH_SIZE];
    uint8_t sl;
    uint32_t qp1, qp2;   // 24 bits
    uint16_t data_valid; // 259, as on the wire: bit 0 (0x0001) is LIDADDR1
    uint16_t switch_lid;
};

// Bits of data_valid (trap 259).
enum notice_valid {
    NOTICE_VALID_LID1 = 1 << 0,
    NOTICE_VALID_LID2 = 1 << 1,
    NOTICE_VALID_PKEY = 1 << 2,
    NOTICE_VALID_SL = 1 << 3,
    NOTICE_VALID_QP1 = 1 << 4,
    NOTICE_VALID_QP2 = 1 << 5,
    NOTICE_VALID_GID1 = 1 << 6,
    NOTICE_VALID_GID2 = 1 << 7,
};

// Decodes the 80 octets of a Notice. Reads no reserved fields, since OpenSM leaves garbage there.
// Never fails: an unknown trap has only the fields before the empty line. In a trap 259, a field is
// zero unless DataValid marks the field as valid.
struct notice notice_decode(const uint8_t wire[NOTICE_SIZE]);

// Encodes a Notice for notice_decode. Reserved octets are zero; without DataDetails, their octets
// are zero, too.
void notice_encode(const struct notice *notice, uint8_t out[NOTICE_SIZE]);

// Words for the numbers of a Notice.

// "SubnSet" and the like (IBA 14.2.2), or NULL.
const char *notice_method_word(uint8_t method);

// "PortInfo" and the like (IBA 14.2.5), or NULL.
const char *notice_attribute_word(uint16_t attribute);

// Adds "NodeDescription, LinkWidthEnabled" for the change flags of a trap 144 (IBA 14.2.5.1).
struct text;
void notice_add_changes(struct text *t, uint16_t flags);
