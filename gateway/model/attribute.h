// SPDX-License-Identifier: BSD-2-Clause
// Attributes: the fields of PortInfo and SwitchInfo (IBA 14.2.5), kept as they came, and the keys
// and answers of reads on demand.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A field of 32 bits at most: its first bit, counted from the most significant bit of an octet of
// the attribute, and its size.
#define ATTRIBUTE_FIELD(octet, bit, bits) (((octet)*8 + (bit)) << 8 | (bits))

enum port_info_field {
    PORT_INFO_MASTER_SM_LID = ATTRIBUTE_FIELD(18, 0, 16),
    PORT_INFO_CAPABILITY_MASK = ATTRIBUTE_FIELD(20, 0, 32),
    PORT_INFO_DIAG_CODE = ATTRIBUTE_FIELD(24, 0, 16),
    PORT_INFO_MKEY_LEASE_PERIOD = ATTRIBUTE_FIELD(26, 0, 16),
    PORT_INFO_LINK_WIDTH_ENABLED = ATTRIBUTE_FIELD(29, 0, 8),
    PORT_INFO_LINK_WIDTH_SUPPORTED = ATTRIBUTE_FIELD(30, 0, 8),
    PORT_INFO_LINK_WIDTH_ACTIVE = ATTRIBUTE_FIELD(31, 0, 8),
    PORT_INFO_LINK_SPEED_SUPPORTED = ATTRIBUTE_FIELD(32, 0, 4),
    PORT_INFO_PORT_STATE = ATTRIBUTE_FIELD(32, 4, 4),
    PORT_INFO_PHYSICAL_STATE = ATTRIBUTE_FIELD(33, 0, 4),
    PORT_INFO_LINK_DOWN_DEFAULT = ATTRIBUTE_FIELD(33, 4, 4),
    PORT_INFO_MKEY_PROTECT_BITS = ATTRIBUTE_FIELD(34, 0, 2),
    PORT_INFO_LMC = ATTRIBUTE_FIELD(34, 5, 3),
    PORT_INFO_LINK_SPEED_ACTIVE = ATTRIBUTE_FIELD(35, 0, 4),
    PORT_INFO_LINK_SPEED_ENABLED = ATTRIBUTE_FIELD(35, 4, 4),
    PORT_INFO_NEIGHBOR_MTU = ATTRIBUTE_FIELD(36, 0, 4),
    PORT_INFO_MASTER_SM_SL = ATTRIBUTE_FIELD(36, 4, 4),
    PORT_INFO_VL_CAP = ATTRIBUTE_FIELD(37, 0, 4),
    PORT_INFO_INIT_TYPE = ATTRIBUTE_FIELD(37, 4, 4),
    PORT_INFO_VL_HIGH_LIMIT = ATTRIBUTE_FIELD(38, 0, 8),
    PORT_INFO_VL_ARBITRATION_HIGH_CAP = ATTRIBUTE_FIELD(39, 0, 8),
    PORT_INFO_VL_ARBITRATION_LOW_CAP = ATTRIBUTE_FIELD(40, 0, 8),
    PORT_INFO_INIT_TYPE_REPLY = ATTRIBUTE_FIELD(41, 0, 4),
    PORT_INFO_MTU_CAP = ATTRIBUTE_FIELD(41, 4, 4),
    PORT_INFO_VL_STALL_COUNT = ATTRIBUTE_FIELD(42, 0, 3),
    PORT_INFO_HOQ_LIFE = ATTRIBUTE_FIELD(42, 3, 5),
    PORT_INFO_OPERATIONAL_VLS = ATTRIBUTE_FIELD(43, 0, 4),
    PORT_INFO_PARTITION_INBOUND = ATTRIBUTE_FIELD(43, 4, 1),
    PORT_INFO_PARTITION_OUTBOUND = ATTRIBUTE_FIELD(43, 5, 1),
    PORT_INFO_FILTER_RAW_INBOUND = ATTRIBUTE_FIELD(43, 6, 1),
    PORT_INFO_FILTER_RAW_OUTBOUND = ATTRIBUTE_FIELD(43, 7, 1),
    PORT_INFO_MKEY_VIOLATIONS = ATTRIBUTE_FIELD(44, 0, 16),
    PORT_INFO_PKEY_VIOLATIONS = ATTRIBUTE_FIELD(46, 0, 16),
    PORT_INFO_QKEY_VIOLATIONS = ATTRIBUTE_FIELD(48, 0, 16),
    PORT_INFO_GUID_CAP = ATTRIBUTE_FIELD(50, 0, 8),
    PORT_INFO_SUBNET_TIMEOUT = ATTRIBUTE_FIELD(51, 3, 5),
    PORT_INFO_RESPONSE_TIME = ATTRIBUTE_FIELD(52, 3, 5),
    PORT_INFO_LOCAL_PHY_ERRORS = ATTRIBUTE_FIELD(53, 0, 4),
    PORT_INFO_OVERRUN_ERRORS = ATTRIBUTE_FIELD(53, 4, 4),
};

enum switch_info_field {
    SWITCH_INFO_LINEAR_FDB_CAP = ATTRIBUTE_FIELD(0, 0, 16),
    SWITCH_INFO_RANDOM_FDB_CAP = ATTRIBUTE_FIELD(2, 0, 16),
    SWITCH_INFO_MULTICAST_FDB_CAP = ATTRIBUTE_FIELD(4, 0, 16),
    SWITCH_INFO_LINEAR_FDB_TOP = ATTRIBUTE_FIELD(6, 0, 16),
    SWITCH_INFO_DEFAULT_PORT = ATTRIBUTE_FIELD(8, 0, 8),
    SWITCH_INFO_MULTICAST_PRIMARY_PORT = ATTRIBUTE_FIELD(9, 0, 8),
    SWITCH_INFO_MULTICAST_NOT_PRIMARY_PORT = ATTRIBUTE_FIELD(10, 0, 8),
    SWITCH_INFO_LIFE_TIME_VALUE = ATTRIBUTE_FIELD(11, 0, 5),
    SWITCH_INFO_PORT_STATE_CHANGE = ATTRIBUTE_FIELD(11, 5, 1),
    SWITCH_INFO_LIDS_PER_PORT = ATTRIBUTE_FIELD(12, 0, 16),
    SWITCH_INFO_PARTITION_ENFORCEMENT_CAP = ATTRIBUTE_FIELD(14, 0, 16),
    SWITCH_INFO_INBOUND_ENFORCEMENT = ATTRIBUTE_FIELD(16, 0, 1),
    SWITCH_INFO_OUTBOUND_ENFORCEMENT = ATTRIBUTE_FIELD(16, 1, 1),
    SWITCH_INFO_FILTER_RAW_INBOUND = ATTRIBUTE_FIELD(16, 2, 1),
    SWITCH_INFO_FILTER_RAW_OUTBOUND = ATTRIBUTE_FIELD(16, 3, 1),
    SWITCH_INFO_ENHANCED_PORT_0 = ATTRIBUTE_FIELD(16, 4, 1),
};

// `octets` begin at octet `first` of the attribute, and include the whole field.
uint32_t attribute_get(const uint8_t *octets, unsigned first, unsigned field);
void attribute_set(uint8_t *octets, unsigned first, unsigned field, uint32_t value);

// How many bits the field has.
unsigned attribute_bits(unsigned field);

// Reads on demand: a sweep does not read these attributes. ibtrapd reads an attribute when a user
// asks for the attribute. A user may set LedInfo.

enum demand_class {
    DEMAND_SMP,      // a Get or Set by LID of subnet management: 64 octets
    DEMAND_PERF,     // a Get of performance management: 192 octets
    DEMAND_SA,       // a GetTable of the SA: its records
    DEMAND_REGISTER, // a Get of a register of NVIDIA's devices: 220 octets
};

// What is read of NVIDIA's devices: a register, or a page of a register (ib/register_mad.h). The
// journal has these numbers: new ones come last.
enum register_page {
    REGISTER_LINK_DOWN,       // PDDR, page 6: why the link went down last
    REGISTER_TROUBLESHOOTING, // PDDR, page 1: why the link is down now, in the device's words
    REGISTER_MODULE,          // PDDR, page 3: the cable or module in the port
    REGISTER_PHYSICAL,        // PPCNT, group 0x16: bit errors and bit error ratios of the port
    REGISTER_HISTOGRAM_BINS,  // PPHCR: the bins of the next page, as the port's FEC has them
    REGISTER_HISTOGRAM,       // PPCNT, group 0x23: codewords, by the number of corrected symbols
    REGISTER_RECOVERY,        // PPCNT, group 0x1A: recoveries of the link, and why it went down
    REGISTER_FIRMWARE,        // MGIR: of the device: PSID, version, uptime
    REGISTER_BOARD,           // MSGI: serial number, part and product of the switch
    REGISTER_TEMPERATURE,     // MTMP of sensor 0: the highest of the switch's ASIC
    REGISTER_AMBIENT,         // MTMP of sensor 1: of the air
    REGISTER_WARM_SENSORS,    // MTWE: which sensors are above their thresholds
    REGISTER_FANS,            // MFCR: which tachometers there are
    REGISTER_FANS_OUT,        // FORE: which of them are out of their range
    REGISTER_SUPPLIES,        // MSPS: the power supplies
    REGISTER_FAN_SPEED,       // MFSM of a tachometer
    REGISTER_PAGES,
};

enum demand_attribute {
    DEMAND_NODE_INFO = 0x11,            // modifier: 0
    DEMAND_GUID_INFO = 0x14,            // of a port; modifier: block of 8
    DEMAND_PKEY_TABLE = 0x16,           // modifier: port << 16 | block of 32
    DEMAND_SL_TO_VL = 0x17,             // modifier: in << 8 | out
    DEMAND_VL_ARBITRATION = 0x18,       // modifier: part << 16 | port
    DEMAND_LINEAR_FORWARDING = 0x19,    // modifier: block of 64
    DEMAND_MULTICAST_FORWARDING = 0x1B, // modifier: position << 28 | block of 32
    DEMAND_LED_INFO = 0x31,             // modifier: 0
    DEMAND_MC_MEMBER_RECORD = 0x38,     // of the SA, as below
    DEMAND_SERVICE_RECORD = 0x31,
    DEMAND_PKEY_TABLE_RECORD = 0x33,
    DEMAND_PATH_RECORD = 0x35,
};

enum { DEMAND_RECORD_SIZE = 64 };

// A question. Two keys are equal if all octets are equal: a key's unused octets are zero.
struct demand_key {
    uint64_t guid;     // of the port that answers; 0: the SA
    uint64_t mask;     // ComponentMask of a query to the SA
    int64_t sweep_us;  // of a query to the SA: the sweep in whose time the answer's LIDs are valid;
                       // 0: none
    uint32_t modifier; // AttributeModifier; DEMAND_PERF, DEMAND_REGISTER: the port, or the fan
    uint16_t attribute; // DEMAND_REGISTER: enum register_page
    uint16_t lid;       // of the port that answers
    uint8_t class;
    uint8_t keyless; // of a query to the SA: 1: without the SA key, like the query of a stranger
    uint8_t sets;    // DEMAND_SMP: 1: a Set to `record`; its answer is given once
    uint8_t reserved[5];
    uint8_t record[DEMAND_RECORD_SIZE]; // of a query to the SA: the values of its mask
};

// Immutable and counted.
struct demand_answer {
    _Atomic unsigned references;
    size_t count, size; // records, and octets of each; of other classes than the SA: one
    uint8_t octets[];
};

// Any thread.
struct demand_answer *demand_answer_new(size_t count, size_t size);
struct demand_answer *demand_answer_ref(struct demand_answer *answer);
void demand_answer_unref(struct demand_answer *answer);                         // NULL is allowed
const uint8_t *demand_answer_at(const struct demand_answer *answer, size_t at); // a record

enum demand_state {
    DEMAND_HERE,
    DEMAND_LATER, // ibtrapd is reading the attribute
    DEMAND_NONE,  // nobody answers, or there is no such attribute
    DEMAND_AWAY,  // of a query to the SA: nobody can be asked now, or the answer is too large
};
