// A RELP session, the client's side: syslog messages whose receipt the receiver confirms, each by
// itself and in any order. Over TCP, or over TLS from its first octet, as rsyslog has it.
#ifndef IBTRAPD_SINK_RELP_H
#define IBTRAPD_SINK_RELP_H

#include "base/clock.h"
#include "base/error.h"
#include "sink/relp_window.h"
#include "sink/tls.h"

#include <stddef.h>
#include <stdint.h>

struct relp;

// Connects and opens a session. Host, `tls` and the clock stay the caller's and outlive it; `tls`
// may be NULL. NULL with a sentence.
struct relp *relp_open(const char *host, uint16_t port, const struct tls_options *tls,
                       const struct clock *clock, struct error *err);

// Hands over one message; at most RELP_WINDOW may be unconfirmed. If none is, and the receiver has
// ended the session meanwhile, opens another first. False with a sentence: the session is of no use
// any more.
bool relp_send(struct relp *relp, const char *message, size_t size, struct error *err);

// Waits up to `timeout_ms` for confirmations. Returns of how many more messages, the oldest ones,
// receipt is certain; -1 with a sentence when there will be no more of them.
int relp_wait(struct relp *relp, int timeout_ms, struct error *err);

// Whatever is not confirmed stays unknown.
void relp_close(struct relp *relp);

#endif
