// SPDX-License-Identifier: BSD-2-Clause
// The client's side of a RELP session: the receiver confirms each syslog message, in any order.
// Over TCP, or over TLS from the first octet, like rsyslog.
//
// Decides: When does a RELP receiver have a message?
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "sink/tickets.h"
#include "sink/tls.h"

#include <stddef.h>
#include <stdint.h>

enum { RELP_WINDOW = 512 }; // messages that may be unconfirmed

struct relp;

// Connects and opens a session for the messages of `tickets`. `host`, `tls` (may be NULL), `clock`
// and `tickets` stay the caller's and outlive the session. Returns NULL with a sentence on a
// failure.
struct relp *relp_open(const char *host, uint16_t port, const struct tls_options *tls,
                       const struct clock *clock, struct tickets *tickets, struct error *err);

// Sends the message of the newest ticket. If no other message is unconfirmed, and the receiver has
// ended the session, opens another session first. Returns false with a sentence if the session
// cannot be used any more.
bool relp_send(struct relp *relp, const char *message, size_t size, struct error *err);

// Waits up to `timeout_ms` until the receiver confirms or refuses a message, and settles the
// tickets of all answers that came. Returns false with a sentence if no more answers will come.
bool relp_wait(struct relp *relp, int timeout_ms, struct error *err);

// Closes the session. The outcome of unconfirmed messages stays unknown.
void relp_close(struct relp *relp);

// The frames of RELP: "TXNR COMMAND DATALEN[ DATA]\n".

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

// The number of the next transaction; 1 follows the largest number.
static inline uint32_t relp_frame_next(uint32_t transaction)
{
    return transaction == RELP_FRAME_NUMBER_MAX ? 1 : transaction + 1;
}

// Appends a frame.
void relp_frame_add(struct text *out, uint32_t transaction, const char *command, const char *data,
                    size_t size);

// Parses the frame at the begin of the octets. Returns the frame's length; 0 if the frame is not
// complete; -1 if this is no frame.
long relp_frame_parse(const char *octets, size_t size, struct relp_frame *out);

// False: it is not an answer.
bool relp_frame_answer(const struct relp_frame *frame, struct relp_answer *out);
