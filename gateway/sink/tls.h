// TLS 1.2 or later over a connected stream socket, or DTLS 1.2 over a connected datagram socket, as
// RFC 5425 asks of a syslog client and RFC 6353 of an SNMP entity: the peer's chain of certificates
// and its name are verified.
//
// The socket does not block. Whoever calls has SIGPIPE blocked or ignored.
#ifndef IBTRAPD_SINK_TLS_H
#define IBTRAPD_SINK_TLS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// How long a peer may take to judge our certificate; see tls_accepted.
#define TLS_ACCEPT_WAIT_US INT64_C(2000000)

// PEM files. The strings stay the caller's.
struct tls_options {
    const char *ca_file;   // who may sign the peer's certificate; empty: whom the system trusts
    const char *cert_file; // our certificate and what links it to its CA; empty: none
    const char *key_file;  // its key, without a password (base/secret.h); empty: in cert_file
    const char *name;      // of the peer: a host name, or an IP address
};

struct tls;

// Agrees on keys by the `deadline` (monotonic microseconds). The files are read again each time.
// NULL with a sentence; the socket stays the caller's in any case.
struct tls *tls_open(int fd, const struct tls_options *options, int64_t deadline,
                     struct error *err);

// Writes what it can: returns how many octets were taken, 0 when the socket must first be ready for
// `*events` of poll(2), -1 with a sentence. After 0, the same octets come again. A datagram is
// taken whole.
long tls_write(struct tls *tls, const void *octets, size_t size, short *events, struct error *err);

// Reads up to `size` octets, or one datagram: returns how many, 0 when there are none yet, -1 with
// a sentence when the peer closed or refused.
long tls_read(struct tls *tls, void *out, size_t size, struct error *err);

// Whether something may be there to read that the socket does not tell of any more.
bool tls_pending(const struct tls *tls);

// Looks at what the peer sent and leaves it to be read. False with a sentence when the peer closed
// or refused, and all before that was read.
bool tls_is_connected(struct tls *tls, struct error *err);

// Whether the peer has accepted our certificate, as far as that can be known. With TLS 1.3 our side
// of the handshake ends before the peer has looked at it, or missed it; the peer's first session
// ticket, or first octets, tell that it is content. A peer that sends neither is believed when it
// has not refused for TLS_ACCEPT_WAIT_US. What it sends is seen by tls_read and tls_is_connected
// only.
bool tls_accepted(const struct tls *tls);

// Octets that went into the socket so far.
uint64_t tls_written(const struct tls *tls);

// Says good-bye if that does not have to wait. The socket stays open.
void tls_close(struct tls *tls);

#endif
