// SPDX-License-Identifier: BSD-2-Clause
// The firmware of NVIDIA's devices, as rows: what a LID answers to Get(GeneralInfo) and
// Get(AccessRegister) of class 0x0A. It encodes the registers by its own code.
#pragma once

#include "fake_port.h"

enum { FIRMWARE_ROWS_MAX = 64, FIRMWARE_FIELDS_MAX = 12 };
enum { FIRMWARE_PDDR = 0x5031 };

// Bits `low` to `low + bits - 1` of the word at an octet of the register.
struct firmware_field {
    unsigned octet, low, bits;
    uint32_t value;
};

// A page of a register: `first` and `second` are the words of its index.
struct firmware_row {
    uint16_t lid;
    uint16_t id; // of the register
    uint32_t first, second;
    uint16_t status; // not 0: the answer's status, without values
    unsigned text_at;
    const char *text;                                  // NULL: none
    struct firmware_field fields[FIRMWARE_FIELDS_MAX]; // bits 0: no more
};

struct firmware {
    const struct firmware_row *rows;
    size_t count;
    uint64_t vskey;        // a request with another one gets no answer
    bool knows_all;        // a register without a row has zeros
    uint32_t no_access;    // bit LID: GeneralInfo lacks the capability
    uint32_t no_class;     // bit LID: the class gets status 4
    uint32_t deaf;         // bit LID: no answer in the class
    uint32_t busy;         // bit LID: status busy
    uint32_t impostors;    // bit LID: another LID answers
    uint32_t other_port;   // bit LID: the answer is about the next port
    uint32_t repeats;      // bit LID: the answer is another block
    int64_t late_us;       // of each answer
    unsigned infos, reads; // requests
};

// Answers a request of class 0x0A, or returns false. A register without a row gets status 0x14.
bool firmware_answer(struct firmware *f, const struct fake_request *request,
                     struct fake_answer *answer);

// The words of PDDR's index.
uint32_t firmware_port(unsigned port);
