// SPDX-License-Identifier: BSD-2-Clause
// The counters of a port: PortCounters, PortCountersExtended and PortExtendedSpeedsCounters
// (IBA 16.1.3.5, 16.1.4.11), those of NVIDIA's registers, and why the port counted errors. Pure.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum counter {
    COUNTER_SYMBOL_ERROR,
    COUNTER_LINK_ERROR_RECOVERY,
    COUNTER_LINK_DOWNED,
    COUNTER_RCV_ERRORS,
    COUNTER_RCV_REMOTE_PHYSICAL_ERRORS,
    COUNTER_RCV_SWITCH_RELAY_ERRORS,
    COUNTER_XMIT_DISCARDS,
    COUNTER_XMIT_CONSTRAINT_ERRORS,
    COUNTER_RCV_CONSTRAINT_ERRORS,
    COUNTER_LOCAL_LINK_INTEGRITY_ERRORS,
    COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS,
    COUNTER_VL15_DROPPED,
    COUNTER_XMIT_WAIT,
    // Blocks that the error correction of a link repaired, and blocks beyond repair.
    COUNTER_FEC_CORRECTED,
    COUNTER_FEC_UNCORRECTABLE,
    // Of registers of NVIDIA's devices: bit errors behind the error correction; blocks that it
    // could just repair; recoveries of the link; link downs that nobody intended.
    COUNTER_EFFECTIVE_ERRORS,
    COUNTER_FEC_NEAR_LIMIT,
    COUNTER_RECOVERIES,
    COUNTER_UNINTENDED_DOWNS,
    // The traffic counters follow. ibtrapd accumulates traffic counters, but they have neither
    // thresholds nor events: growing with use is normal.
    COUNTER_XMIT_DATA, // in units of four octets, like COUNTER_RCV_DATA
    COUNTER_RCV_DATA,
    COUNTER_XMIT_PKTS,
    COUNTER_RCV_PKTS,
    COUNTER_COUNT,
    COUNTER_ERRORS = COUNTER_XMIT_DATA, // the number of error counters
};

// "SymbolErrorCounter" and so on: the names of IBA and perfquery. The counters of the error
// correction have the names of perfquery -T.
const char *counter_name(enum counter counter);
// The error counter of that name; "Port" at its beginning and "Counter" at its end are optional.
// COUNTER_ERRORS: there is none.
enum counter counter_find(const char *name);
// The value at which the counter saturates in PortCounters, or in PortExtendedSpeedsCounters.
uint64_t counter_limit(enum counter counter);

// By how much the counter grew between two values. A counter with a smaller value was reset, and
// counts from zero.
uint64_t counter_growth(uint64_t before, uint64_t after);

// Orders ports like a reading, by node, then number: below 0, 0 or above 0.
int counter_compare_ports(uint64_t guid_a, uint8_t port_a, uint64_t guid_b, uint8_t port_b);

// Whether the counter counts how often the link went down.
bool counter_counts_downs(enum counter counter);

// What only some ports have, and was read: bits. The counters of the error correction have an
// attribute of their own, the other ones registers.
enum {
    COUNTER_OF_PHYSICAL = 1,
    COUNTER_OF_HISTOGRAM = 2,
    COUNTER_OF_RECOVERY = 4,
    COUNTER_OF_REGISTERS = COUNTER_OF_PHYSICAL | COUNTER_OF_HISTOGRAM | COUNTER_OF_RECOVERY,
    COUNTER_OF_FEC = 8,
};

// The counters of a port at some time.
struct counter_sample {
    uint64_t node_guid;
    uint8_t port;
    bool extended;   // all values have 64 bits (PortCountersExtended with the error counters)
    bool wide;       // at least the traffic counters have 64 bits
    bool no_wait;    // PortXmitWait was not read, and is 0
    uint8_t sources; // that were read; the values of counters of other sources are 0
    uint16_t tick; // of PortXmitWait, in symbol times of a lane, 1 to 256; 0: the port did not say
    uint64_t values[COUNTER_COUNT];
};

// Whether a counter's value can be compared with its value in an earlier sample: both were read,
// with the same size.
bool counter_is_comparable(const struct counter_sample *before, const struct counter_sample *now,
                           enum counter counter);
// Whether the sample has the counter: false without the counter's source.
bool counter_was_read(const struct counter_sample *sample, enum counter counter);
// Whether the counter has reached its limit.
bool counter_is_full(const struct counter_sample *sample, enum counter counter);

// A counter reading: the counters of all ports that answered, ascending by node and port.
struct counter_reading {
    int64_t time_us;      // UTC, when the reading began
    bool early;           // of some switches, because of a trap: neither accumulated nor compared
                          // with thresholds, which limit the growth in a whole interval
    size_t count, silent; // samples; ports that did not answer
    // Of the ports whose errors grew, ascending by node, port and counter; in the same memory.
    const struct error_details *details;
    size_t detail_count;
    struct counter_sample samples[];
};

// Why a port counted errors: PortRcvErrorDetails explains PortRcvErrors, PortXmitDiscardDetails
// explains PortXmitDiscards (IBA 16.1.4). PortExtendedSpeedsCounters counts the corrections of each
// lane: they explain PortFECUncorrectableBlockCtr.

enum { ERROR_DETAILS_CAUSES = 12 }; // the most that a counter has

struct error_details {
    uint64_t node_guid;
    uint8_t port;
    bool known;           // false: the answer was for another port
    bool symbols;         // COUNTER_FEC_UNCORRECTABLE: `counts` are corrected symbols, not blocks
    enum counter counter; // which the details explain
    // Of causes or lanes, in the order of the attribute, since the port's counters were reset. The
    // full count of a cause is UINT16_MAX.
    uint32_t counts[ERROR_DETAILS_CAUSES];
};

// The details in the reading; NULL: the errors did not grow, or the port did not answer, or has no
// such details.
const struct error_details *counter_find_details(const struct counter_reading *reading,
                                                 uint64_t node_guid, uint8_t port,
                                                 enum counter counter);

// Adds "12 malformed packets, 3 VL mapping errors", or "uncorrectable blocks: 3 on lane 1", or
// nothing without errors.
void error_details_describe(struct text *t, const struct error_details *details);
