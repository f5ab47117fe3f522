// SPDX-License-Identifier: BSD-2-Clause
// Encodes and decodes MADs of two classes: performance (IBA 16.1) and device management (IBA 16.3).
// Pure functions.
#ifndef IBTRAPD_IB_GMP_DECODE_H
#define IBTRAPD_IB_GMP_DECODE_H

#include "ib/mad.h"
#include "model/counter.h"
#include "model/error_details.h"
#include "model/fabric.h"

enum {
    GMP_DATA_OFFSET = 64, // of the attribute within the MAD
    GMP_DATA_SIZE = MAD_SIZE - GMP_DATA_OFFSET,
    GMP_SLOTS_MAX = 255,
};

enum gmp_attribute {
    GMP_CLASS_PORT_INFO = 0x0001,
    GMP_IO_UNIT_INFO = 0x0010,
    GMP_IO_CONTROLLER_PROFILE = 0x0011,
    GMP_PORT_SAMPLES_CONTROL = 0x0010, // of the performance class, like the next five
    GMP_PORT_COUNTERS = 0x0012,
    GMP_PORT_RCV_ERROR_DETAILS = 0x0015,
    GMP_PORT_XMIT_DISCARD_DETAILS = 0x0016,
    GMP_PORT_COUNTERS_EXTENDED = 0x001D,
    GMP_PORT_EXTENDED_SPEEDS_COUNTERS = 0x001F,
};

// Makes the Get of an attribute: MAD_SIZE octets, with TransactionID zero.
void gmp_make_get(uint8_t *out, uint8_t mgmt_class, enum gmp_attribute attribute,
                  uint32_t modifier);

// Makes the Get of PortCounters or another attribute of the counters of that port.
void gmp_make_get_counters(uint8_t *out, enum gmp_attribute attribute, uint8_t port);

// The attribute in an answer, GMP_DATA_SIZE octets. NULL: the answer is NULL or too short, is to
// another query, or has a status other than success.
const uint8_t *gmp_answer(const uint8_t *mad, size_t size, uint8_t mgmt_class,
                          enum gmp_attribute attribute);

// The counters that a port has, from ClassPortInfo of the performance class.
struct gmp_counting {
    bool wait;     // PortCounters has PortXmitWait
    bool wide;     // PortCountersExtended exists and has the traffic
    bool extended; // it has the error counters, too (IBA 1.3 and later)
    bool fec;      // PortExtendedSpeedsCounters has the counters of the error correction
};
void gmp_read_counting(const uint8_t data[GMP_DATA_SIZE], struct gmp_counting *out);

// Reads the values of PortCounters; without `wait`, PortXmitWait is zero. False, here and below:
// they are of another port.
bool gmp_read_counters(const uint8_t data[GMP_DATA_SIZE], uint8_t port, bool wait,
                       uint64_t values[COUNTER_COUNT]);

// Reads only the traffic from PortCountersExtended; the other values do not change.
bool gmp_read_traffic(const uint8_t data[GMP_DATA_SIZE], uint8_t port,
                      uint64_t values[COUNTER_COUNT]);

// Reads all values from a PortCountersExtended that has the error counters.
bool gmp_read_counters_extended(const uint8_t data[GMP_DATA_SIZE], uint8_t port,
                                uint64_t values[COUNTER_COUNT]);

// Reads the blocks of the error correction from PortExtendedSpeedsCounters; the other values do not
// change. With RS-FEC active, the attribute counts the blocks of the port; otherwise the attribute
// counts the blocks of each lane, in octets that RS-FEC reserves.
bool gmp_read_fec(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint64_t values[COUNTER_COUNT]);

// Reads the Tick of PortSamplesControl, in symbol times of a lane: 1 to 256.
bool gmp_read_tick(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint16_t *tick);

// The attribute with the details of a counter. Sets `known` and the counts of `out`, unless they
// are of another port.
enum gmp_attribute gmp_details_attribute(enum counter counter);
void gmp_read_details(const uint8_t data[GMP_DATA_SIZE], struct error_details *out);

// Writes the numbers (from 1) of the slots in which IOUnitInfo has a controller; returns how many.
size_t gmp_read_slots(const uint8_t data[GMP_DATA_SIZE], uint8_t slots[GMP_SLOTS_MAX]);

// Reads GUID and name of an IOControllerProfile; the rest of `out` does not change. False: it has
// no GUID.
bool gmp_read_controller(const uint8_t data[GMP_DATA_SIZE], struct fabric_controller *out);

#endif
