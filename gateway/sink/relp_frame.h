// SPDX-License-Identifier: BSD-2-Clause
// The frames of RELP: "TXNR COMMAND DATALEN[ DATA]\n".
#ifndef IBTRAPD_SINK_RELP_FRAME_H
#define IBTRAPD_SINK_RELP_FRAME_H

#include "base/text.h"

enum { RELP_FRAME_COMMAND_MAX = 32, RELP_FRAME_NUMBER_MAX = 999999999 };

struct relp_frame {
    uint32_t transaction; // 0: a hint, which has no answer
    char command[RELP_FRAME_COMMAND_MAX + 1];
    const char *data; // points into the parsed octets
    size_t size;
};

// The answer in a frame "rsp": "CODE[ MESSAGE][\nMORE]". Points into its data.
struct relp_answer {
    unsigned code; // 200: done; three digits
    const char *message, *more;
    size_t message_size, more_size;
};

// The number of the transaction after that one; 1 follows the largest number.
static inline uint32_t relp_frame_next(uint32_t transaction)
{
    return transaction == RELP_FRAME_NUMBER_MAX ? 1 : transaction + 1;
}

// Appends a frame.
void relp_frame_add(struct text *out, uint32_t transaction, const char *command, const char *data,
                    size_t size);

// Parses the frame at the begin of the octets. Returns its length; 0: it is not complete; -1: this
// is not a frame.
long relp_frame_parse(const char *octets, size_t size, struct relp_frame *out);

// False: it is not an answer.
bool relp_frame_answer(const struct relp_frame *frame, struct relp_answer *out);

#endif
