// SPDX-License-Identifier: BSD-2-Clause
// The files that TLS and DTLS need: authorities, revocation lists, the certificate and its key.
#ifndef IBTRAPD_SINK_TLS_H
#define IBTRAPD_SINK_TLS_H

#include "base/error.h"
#include "base/log.h"

#include <stddef.h>
#include <stdint.h>

enum { TLS_FILE_MAX = 16 << 20 }; // octets of a file; lists of revoked certificates are long

// PEM files. The strings stay the caller's.
struct tls_options {
    const char *ca_file; // CAs for the peer's certificate; empty: those that the system trusts
    // Their lists of revoked certificates: each authority of the peer's chain needs one that has
    // not expired. Empty: a revoked certificate is as good as others.
    const char *crl_file;
    const char *cert_file; // our certificate and its chain; empty: none
    const char *key_file;  // its key, without a password (base/secret.h); empty: in cert_file
    const char *name;      // of the peer: a host name, or an IP address
    struct log *log;       // NULL: none
};

struct ssl_ctx_st;

// Reads all files into `context` (SSL_CTX). Never waits: a file has to be a regular one of at most
// TLS_FILE_MAX octets, a key one of SECRET_FILE_MAX that others cannot read. False with a sentence
// that begins with the configuration's item: a file cannot be used, or the key is not that of the
// certificate.
bool tls_files_load(struct ssl_ctx_st *context, const struct tls_options *options,
                    struct error *err);

// Does the same and forgets the files: whether they can be used now.
bool tls_files_check(const struct tls_options *options, struct error *err);

// Returns the reason of the oldest error in OpenSSL's queue, or else of errno, and empties the
// queue.
const char *tls_files_reason(void);

// TLS 1.2 or later over a connected stream socket, or DTLS 1.2 over a connected datagram socket.
// Verifies the peer's certificate chain and name, as RFC 5425 requires of a syslog client and RFC
// 6353 of an SNMP entity.
//
// No call but tls_open waits, and none reads more than TLS_READ_MAX octets: a peer that sends
// records without data, or datagrams that are none of DTLS, without end has failed.
//
// The socket is non-blocking. The caller blocks or ignores SIGPIPE.

enum { TLS_READ_MAX = 256 << 10 }; // beyond the longest handshake and the longest record

// How long a peer may take to verify our certificate; see tls_accepted.
#define TLS_ACCEPT_WAIT_US INT64_C(2000000)

struct tls;

// Makes the handshake, until `deadline` (monotonic microseconds). Reads the files again each time.
// The socket stays the caller's. NULL with a sentence: failed; errno is that of the socket, such as
// ECONNREFUSED, or does not say that nobody is there.
struct tls *tls_open(int fd, const struct tls_options *options, int64_t deadline,
                     struct error *err);

// Writes as many octets as possible and returns their number; 0: poll(2) the socket for `*events`,
// then call again with the same octets; -1 with a sentence: failed. Writes a datagram whole.
long tls_write(struct tls *tls, const void *octets, size_t size, short *events, struct error *err);

// Reads up to `size` octets, or one datagram, and returns their number; 0: there are none yet; -1
// with a sentence: the peer closed or refused.
long tls_read(struct tls *tls, void *out, size_t size, struct error *err);

// Whether there may be data to read that poll(2) on the socket does not show.
bool tls_pending(const struct tls *tls);

// Whether the connection is open; leaves received data to be read. False with a sentence: the peer
// closed or refused, and all data before that was read.
bool tls_is_connected(struct tls *tls, struct error *err);

// Whether the peer has accepted our certificate, or the lack of one, as far as that can be known.
// With TLS 1.3, our handshake ends before the peer has verified it; the peer's first session ticket
// or first octets show that it has. A peer that sends neither counts as accepting if it has not
// refused within TLS_ACCEPT_WAIT_US. Only tls_read and tls_is_connected notice what the peer sends.
bool tls_accepted(const struct tls *tls);

// Octets written to the socket so far.
uint64_t tls_written(const struct tls *tls);

// Sends close_notify if that does not have to wait. The socket stays open.
void tls_close(struct tls *tls);

#endif
