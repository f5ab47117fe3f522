// SPDX-License-Identifier: BSD-2-Clause
// Why a port counted errors: PortRcvErrorDetails says it of PortRcvErrors, PortXmitDiscardDetails
// of PortXmitDiscards (IBA 16.1.4). PortExtendedSpeedsCounters says on which lanes an error
// correction was busy. Pure.
#ifndef IBTRAPD_MODEL_ERROR_DETAILS_H
#define IBTRAPD_MODEL_ERROR_DETAILS_H

#include "base/text.h"
#include "model/counter.h"

enum { ERROR_DETAILS_CAUSES = 12, ERROR_DETAILS_MAX = 32 }; // causes of a counter; ports at a time

struct error_details {
    uint64_t node_guid;
    uint8_t port;
    enum counter counter; // of which error_details_exist
    bool known;           // the port has the attribute, and answered
    bool symbols;         // COUNTER_FEC_UNCORRECTABLE: `counts` are corrected symbols, not blocks
    // Since the port's counters were reset, in the order of the attribute: of causes, a full one
    // has UINT16_MAX; or of lanes.
    uint32_t counts[ERROR_DETAILS_CAUSES];
};

// Details that were asked for together.
struct error_details_list {
    size_t count;
    struct error_details all[ERROR_DETAILS_MAX];
};

// Whether there are details of that counter.
bool error_details_exist(enum counter counter);

// Adds "12 malformed packets, 3 VL mapping errors", or "uncorrectable blocks: 3 on lane 1"; nothing
// if there are none.
void error_details_describe(struct text *t, const struct error_details *details);

#endif
