// SPDX-License-Identifier: BSD-2-Clause
// Reads on demand: attributes that no sweep reads, each asked for when somebody wants to know it.
// Also the one attribute that somebody may set: LedInfo.
#ifndef IBTRAPD_MODEL_DEMAND_H
#define IBTRAPD_MODEL_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum demand_class {
    DEMAND_SMP,  // a Get or Set by LID of subnet management: 64 octets
    DEMAND_PERF, // a Get of performance management: 192 octets
    DEMAND_SA,   // a GetTable of the SA: its records
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

// What is read. Octets decide whether two keys are equal: those that a key does not need are zero.
struct demand_key {
    uint64_t guid;     // of the port that answers; 0: the SA
    uint64_t mask;     // ComponentMask of a query to the SA
    int64_t sweep_us;  // of a query to the SA: its answer has LIDs of that sweep's time; 0: none
    uint32_t modifier; // AttributeModifier; DEMAND_PERF: the port
    uint16_t attribute;
    uint16_t lid; // of the port that answers
    uint8_t class;
    uint8_t keyless; // of a query to the SA: 1: without the SA key, as one of a stranger
    uint8_t sets;    // DEMAND_SMP: 1: a Set to `record`; what it answers is given once
    uint8_t reserved[5];
    uint8_t record[DEMAND_RECORD_SIZE]; // of a query to the SA: what its mask is about
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
    DEMAND_LATER, // it is being read
    DEMAND_NONE,  // nobody answers, or the answer is that there is none
    DEMAND_AWAY,  // of a query to the SA: nobody can be asked now, or the answer is too large
};

#endif
