// SPDX-License-Identifier: BSD-2-Clause
// Why a port counted errors: PortRcvErrorDetails says it of PortRcvErrors, PortXmitDiscardDetails
// of PortXmitDiscards (IBA 16.1.4). Pure.
#ifndef IBTRAPD_MODEL_ERROR_DETAILS_H
#define IBTRAPD_MODEL_ERROR_DETAILS_H

#include "base/text.h"
#include "model/counter.h"

enum { ERROR_DETAILS_CAUSES = 6, ERROR_DETAILS_MAX = 32 }; // causes of a counter; ports at a time

struct error_details {
    uint64_t node_guid;
    uint8_t port;
    enum counter counter; // COUNTER_RCV_ERRORS or COUNTER_XMIT_DISCARDS
    bool known;           // the port has the attribute, and answered
    // Since the port's counters were reset, in the order of the attribute; a full one has
    // UINT16_MAX.
    uint16_t counts[ERROR_DETAILS_CAUSES];
};

// Details that were asked for together.
struct error_details_list {
    size_t count;
    struct error_details all[ERROR_DETAILS_MAX];
};

// Whether there are details of that counter.
bool error_details_exist(enum counter counter);

// Adds "12 malformed packets, 3 VL mapping errors"; nothing if there are none.
void error_details_describe(struct text *t, const struct error_details *details);

#endif
