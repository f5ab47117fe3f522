// SPDX-License-Identifier: BSD-2-Clause
// MADs by which the adapters and switches of NVIDIA tell their registers: management class 0x0A,
// Get alone, attributes GeneralInfo (0x17) and AccessRegister (0x51). Source of the layouts:
// Mellanox/mstflint (mtcr_ul/mtcr_ib_ofed.c, reg_access/reg_ids.h). Pure functions.
//
// An answer has 220 octets of a register. All fields below are in the first 220 octets, so no
// register is joined from two MADs: between two MADs somebody may pull a module.
#pragma once

#include "base/clock.h"
#include "ib/mad.h"
#include "model/attribute.h"
#include "model/counter.h"
#include "model/link_reason.h"

enum {
    REGISTER_MAD_SIZE = 220, // octets of a register in a MAD
    REGISTER_MAD_GENERAL_INFO = 0x0017,
    REGISTER_MAD_ACCESS = 0x0051,
};

// How long a device is not asked for a register that the device refused, or did not answer for.
#define REGISTER_MAD_REFUSAL_US (INT64_C(24) * 3600 * CLOCK_US_PER_S)

// Writes MAD_SIZE octets, with TransactionID zero: Get(AccessRegister) of a page, `port` 0 for a
// page of the whole device, and the number of the fan for its speed. `vskey`: 0 where the subnet
// has no class keys.
void register_mad_make(uint8_t *out, enum register_page page, uint8_t port, uint64_t vskey);
void register_mad_make_general_info(uint8_t *out, uint64_t vskey);

// The REGISTER_MAD_SIZE octets of the register in an answer. NULL: `mad` is NULL or too short, or
// has another page, port or block, or a status other than success.
const uint8_t *register_mad_read(const uint8_t *mad, size_t size, enum register_page page,
                                 uint8_t port);

// Whether GeneralInfo says that the device answers AccessRegister.
bool register_mad_has_access(const uint8_t *mad, size_t size);

// Whether the status of an answer says that the device lacks the class, the method or the register
// (0x04, 0x0C, 0x14), and will lack it tomorrow. `mad` may be NULL.
bool register_mad_is_refusal(const uint8_t *mad, size_t size);

// Each adds what the page says.
void register_mad_read_link_down(const uint8_t octets[REGISTER_MAD_SIZE], struct link_reason *out);
void register_mad_read_trouble(const uint8_t octets[REGISTER_MAD_SIZE], struct link_reason *out);

// The bins of a histogram that have codewords near the limit of the error correction: the codewords
// needed more than three quarters of the corrections that are possible. No bins: not known.
struct register_bins {
    uint8_t first, end;
};
void register_mad_read_bins(const uint8_t octets[REGISTER_MAD_SIZE], struct register_bins *out);

// Adds the counters of the page. `bins`: of REGISTER_HISTOGRAM.
void register_mad_read_counters(const uint8_t octets[REGISTER_MAD_SIZE], enum register_page page,
                                const struct register_bins *bins, struct counter_sample *out);
