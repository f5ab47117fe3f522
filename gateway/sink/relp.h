// SPDX-License-Identifier: BSD-2-Clause
// The client's side of a RELP session: the receiver confirms each syslog message, in any order.
// Over TCP, or over TLS from the first octet, as in rsyslog.
#ifndef IBTRAPD_SINK_RELP_H
#define IBTRAPD_SINK_RELP_H

#include "base/clock.h"
#include "base/error.h"
#include "sink/relp_window.h"
#include "sink/tls.h"

#include <stddef.h>
#include <stdint.h>

struct relp;

// Connects and opens a session. `host`, `tls` (may be NULL) and `clock` stay the caller's and
// outlive it. NULL with a sentence: failed.
struct relp *relp_open(const char *host, uint16_t port, const struct tls_options *tls,
                       const struct clock *clock, struct error *err);

// Sends one message; at most RELP_WINDOW may be unconfirmed. If none is, and the receiver has ended
// the session, opens another one first. False with a sentence: the session cannot be used any more.
bool relp_send(struct relp *relp, const char *message, size_t size, struct error *err);

// Waits up to `timeout_ms` for confirmations. Returns how many of the oldest messages are now
// confirmed; -1 with a sentence: no more confirmations will come.
int relp_wait(struct relp *relp, int timeout_ms, struct error *err);

// Which message the receiver has refused, counted from the oldest pending one, 0; -1: none.
int relp_refused(const struct relp *relp);

// Closes the session. The outcome of unconfirmed messages stays unknown.
void relp_close(struct relp *relp);

#endif
