// SPDX-License-Identifier: BSD-2-Clause
// MADs to nodes and their answers: encodes requests, and decodes attributes of subnet management
// (IBA 14.2), performance management (IBA 16.1) and device management (IBA 16.3). The SA's records
// contain the attributes of subnet management. Pure functions.
#pragma once

#include "ib/mad.h"
#include "model/counter.h"
#include "model/fabric.h"

enum {
    NODE_MAD_OFFSET = 64, // of the attribute within the MAD
    SMP_DATA_SIZE = 64,
    SMP_HOPS_MAX = 63,
    SMP_PKEYS = 32, // P_Keys of a block of the table
    GMP_DATA_SIZE = MAD_SIZE - NODE_MAD_OFFSET,
    GMP_SLOTS_MAX = 255,
};

enum smp_attribute {
    SMP_NODE_DESCRIPTION = 0x10,
    SMP_NODE_INFO = 0x11,
    SMP_SWITCH_INFO = 0x12,
    SMP_PORT_INFO = 0x15,
    SMP_PKEY_TABLE = 0x16,
    SMP_SM_INFO = 0x20,
    SMP_MELLANOX_PORT_INFO = 0xFF90,
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

// Requests. Each function writes MAD_SIZE octets, with TransactionID zero. `mkey` goes with an SMP;
// 0: none.

// Makes the Get of an attribute by directed route. `path` lists the `hops` ports by which the SMP
// leaves each node, the own node first. `hops` is at most SMP_HOPS_MAX; 0: a query to the own node.
void smp_make_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier,
                  const uint8_t *path, uint8_t hops);

// Makes the Get of an attribute by LID. For the counters of a port (MAD_CLASS_PERF), `modifier` is
// the number of the port.
void node_mad_make_get(uint8_t *out, uint8_t mgmt_class, uint16_t attribute, uint32_t modifier,
                       uint64_t mkey);

// Makes the Set by LID of an attribute of subnet management to SMP_DATA_SIZE octets.
void smp_make_lid_set(uint8_t *out, uint64_t mkey, uint16_t attribute, uint32_t modifier,
                      const uint8_t *data);

// Makes Get(PortInfo) without hops, a query to the own port.
void smp_query_own_port(uint8_t *out, uint32_t tid, uint64_t mkey);

// The attribute in an answer to a Get or Set: SMP_DATA_SIZE octets of subnet management, else
// GMP_DATA_SIZE octets. NULL: the answer is NULL or too short, is to another query, or has a status
// other than success.
const uint8_t *node_mad_answer(const uint8_t *mad, size_t size, uint8_t mgmt_class,
                               uint16_t attribute);

// Subnet management.

// Reads NodeInfo into `node`. The other members become zero. `port_guid` and `local_port` get the
// port that answered. Returns false if the type is unknown, if there is no GUID, or if the port
// does not exist.
bool smp_read_node_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_node *node,
                        uint64_t *port_guid, uint8_t *local_port);

// Reads PortInfo of port `number` of a node of that type (enum fabric_type). The port becomes
// known. PortInfo has neither GUID nor peer: they become 0 and FABRIC_NONE. LIDs, GidPrefix and
// capabilities of a switch are read for its port 0 only.
void smp_read_port_info(const uint8_t data[SMP_DATA_SIZE], uint8_t node_type, uint8_t number,
                        struct fabric_port *port);

// Adds what Mellanox's ExtendedPortInfo says of FDR10 to the speeds of the port.
void smp_add_mellanox_speeds(const uint8_t data[SMP_DATA_SIZE], struct fabric_port *port);

// Whether the port that answered has another M_Key than `mkey`, the key of the question, which is
// not 0. A port at protection level 0 shows its M_Key. A port at level 1 shows its M_Key only to
// owners of the key. A port at level 2 or 3 does not answer (IBA 14.2.4.1).
bool smp_has_other_mkey(const uint8_t data[SMP_DATA_SIZE], uint64_t mkey);

void smp_read_description(const uint8_t data[SMP_DATA_SIZE], char out[FABRIC_DESCRIPTION_SIZE]);

void smp_read_switch_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_switch_info *out);

void smp_read_pkeys(const uint8_t data[SMP_DATA_SIZE], uint16_t out[SMP_PKEYS]);

// Reads GUID, priority, state and ActCount of an SMInfo. The count grows while the SM works, and
// begins anew after a restart; the rest of `out` does not change. False:
// it is not valid.
bool smp_read_sm_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_sm *out);

// Performance management.

// The counters that a port has, from ClassPortInfo of the performance class.
struct gmp_counting {
    bool wait;     // PortCounters has PortXmitWait
    bool wide;     // PortCountersExtended exists and has the traffic
    bool extended; // it has the error counters, too (IBA 1.3 and later)
    bool fec;      // PortExtendedSpeedsCounters has the counters of the error correction
};
void gmp_read_counting(const uint8_t data[GMP_DATA_SIZE], struct gmp_counting *out);

// Reads the values from the counter `first` on, from PortCounters or, if `extended`, from
// PortCountersExtended. A counter that the attribute lacks is zero. False, here and below: the
// values are of another port.
bool gmp_read_counters(const uint8_t data[GMP_DATA_SIZE], uint8_t port, bool extended,
                       enum counter first, uint64_t values[COUNTER_COUNT]);

// Reads the blocks of the error correction from PortExtendedSpeedsCounters; the other values do not
// change. With RS-FEC active, the attribute counts the blocks of the port; otherwise the attribute
// counts the blocks of each lane, in octets that RS-FEC reserves.
bool gmp_read_fec(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint64_t values[COUNTER_COUNT]);

// Reads the Tick of PortSamplesControl, in symbol times of a lane: 1 to 256.
bool gmp_read_tick(const uint8_t data[GMP_DATA_SIZE], uint8_t port, uint16_t *tick);

// Sets `known` and the counts of `out`, whose port and counter are set, unless they are of another
// port. Reads PortRcvErrorDetails, PortXmitDiscardDetails or PortExtendedSpeedsCounters.
void gmp_read_details(const uint8_t data[GMP_DATA_SIZE], struct error_details *out);

// Writes the numbers (from 1) of the slots in which IOUnitInfo has a controller; returns how many.
size_t gmp_read_slots(const uint8_t data[GMP_DATA_SIZE], uint8_t slots[GMP_SLOTS_MAX]);

// Reads GUID and name of an IOControllerProfile; the rest of `out` does not change. False: it has
// no GUID.
bool gmp_read_controller(const uint8_t data[GMP_DATA_SIZE], struct fabric_controller *out);
