// SPDX-License-Identifier: BSD-2-Clause
// Golden notices: one of every trap, as 80 octets written out from the Architecture Specification
// (IBA volume 1, 13.4.8.2 and 14.2.5.1). Reserved octets and bits are garbage, because OpenSM sends
// garbage there.
#pragma once

#include "model/notice.h"

// The issuers' GIDs end in these: a subnet manager at LID 1, a switch at LID 3, an adapter at
// LID 7.
#define GOLDEN_SM_GUID     UINT64_C(0x0002c90300a1b2c3)
#define GOLDEN_SWITCH_GUID UINT64_C(0x0002c90300001234)
#define GOLDEN_CA_GUID     UINT64_C(0x0002c903000e8acf)
#define GOLDEN_CA2_GUID    UINT64_C(0x0002c903000e8ad1)
#define GOLDEN_PREFIX      UINT64_C(0xfe80000000000000)

enum golden {
    GOLDEN_64,
    GOLDEN_65,
    GOLDEN_66,
    GOLDEN_67,
    GOLDEN_68,
    GOLDEN_69,
    GOLDEN_128,
    GOLDEN_129,
    GOLDEN_130,
    GOLDEN_131,
    GOLDEN_144,
    GOLDEN_144_MASK_ONLY, // OtherLocalChanges is not set
    GOLDEN_145,
    GOLDEN_256,
    GOLDEN_256_LID_ROUTED,
    GOLDEN_256_FAR, // DRHopCount is 63
    GOLDEN_257,
    GOLDEN_258,
    GOLDEN_259,
    GOLDEN_VENDOR,
    GOLDEN_UNKNOWN,
    GOLDEN_COUNT,
};

// The hexadecimal digits; support_hex turns them into octets.
extern const char *const GOLDEN_DIGITS[GOLDEN_COUNT];

void golden_wire(enum golden golden, uint8_t out[NOTICE_SIZE]);
