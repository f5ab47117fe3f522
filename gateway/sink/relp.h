// A RELP session, by librelp: syslog messages whose receipt the receiver confirms.
//
// librelp keeps the confirmations to itself, so what is certain is derived:
//  - A server answers commands in the order in which they came (RELP says so), and librelp takes
//  the
//    next message only when fewer than RELP_WINDOW are unanswered. So once message n + RELP_WINDOW
//    was taken, message n has been confirmed.
//  - When nothing follows, the session is closed. The answer to "close" comes after all others, and
//    librelp reports an error when it does not come, or when any answer is not "200". A closed
//    session without an error therefore confirmed all. The next message opens a new one.
// A refusal or a break is an error of the whole session: nothing that was not certain before
// becomes so.
#ifndef IBTRAPD_SINK_RELP_H
#define IBTRAPD_SINK_RELP_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { RELP_WINDOW = 128 };

struct relp;

// Opens a session. The host stays the caller's. NULL with a sentence.
struct relp *relp_open(const char *host, uint16_t port, struct error *err);

// Hands over one message; opens a new session first after relp_finish. False with a sentence: the
// session is of no use any more.
bool relp_send(struct relp *relp, const char *message, size_t size, struct error *err);

// Of all messages handed over, how many, the oldest ones, are confirmed for certain.
uint64_t relp_confirmed(const struct relp *relp);

// Closes the session, after which all are confirmed. False with a sentence: that is not certain.
bool relp_finish(struct relp *relp, struct error *err);

// Whatever is not confirmed stays unknown.
void relp_close(struct relp *relp);

#endif
