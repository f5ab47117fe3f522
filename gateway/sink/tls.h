// SPDX-License-Identifier: BSD-2-Clause
// The files that TLS and DTLS need: authorities, revocation lists, the certificate and its key.
//
// Decides: Which receiver's certificate does ibtrapd accept?
// Decides: When has a receiver accepted the certificate of ibtrapd?
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "model/receiver_conf.h"

#include <stddef.h>
#include <stdint.h>

enum { TLS_FILE_MAX = 16 << 20 }; // octets of a file; lists of revoked certificates are long

// PEM files. The strings stay the caller's.
struct tls_options {
    const char *ca_file; // CAs for the peer's certificate; empty: those that the system trusts
    // The authorities' lists of revoked certificates: each authority of the peer's chain needs a
    // list that has not expired. Empty: revoked certificates are accepted.
    const char *crl_file;
    const char *cert_file; // our certificate and its chain; empty: none
    const char *key_file;  // its key, without a password (base/secret.h); empty: in cert_file
    const char *name;      // of the peer: a host name, or an IP address
    struct log *log;       // NULL: none
};

// The options of a receiver. The strings stay those of `conf`.
struct tls_options tls_options_of(const struct conf_tls *conf, struct log *log);

struct ssl_ctx_st;

// Reads all files into `context` (SSL_CTX). Never waits: a file has to be regular and have at most
// TLS_FILE_MAX octets; a key has at most SECRET_FILE_MAX octets, and nobody else can read the key.
// Returns false with a sentence that begins with the configuration's item if a file cannot be used,
// or if key and certificate do not fit together.
bool tls_files_load(struct ssl_ctx_st *context, const struct tls_options *options,
                    struct error *err);

// Whether the files can be used now: reads the files and forgets them.
bool tls_files_check(const struct tls_options *options, struct error *err);

// Returns the reason of the oldest error in OpenSSL's queue, or else of errno, and empties the
// queue.
const char *tls_files_reason(void);

// TLS 1.2 or later over a connected stream socket, or DTLS 1.2 over a connected datagram socket.
// Verifies the peer's certificate chain and name, as RFC 5425 requires of a syslog client and RFC
// 6353 of an SNMP entity.
//
// Only tls_open waits. No call reads more than TLS_READ_MAX octets: a peer that sends records
// without data, or datagrams of another protocol, without end has failed.
//
// The socket is non-blocking. The caller blocks or ignores SIGPIPE.

enum { TLS_READ_MAX = 256 << 10 }; // beyond the longest handshake and the longest record

// How long a peer may take to verify our certificate; see tls_accepted.
#define TLS_ACCEPT_WAIT_US INT64_C(2000000)

struct tls;

// Makes the handshake, until `deadline` (monotonic microseconds). Reads the files again each time.
// The socket stays the caller's. Returns NULL with a sentence if the handshake failed. Then errno
// is the socket's, such as ECONNREFUSED if nobody is there.
struct tls *tls_open(int fd, const struct tls_options *options, int64_t deadline,
                     struct error *err);

// Writes octets until the socket is full, and returns their number. Returns 0 if the caller has to
// poll(2) the socket for `*events` and to call again with the same octets, -1 with a sentence if
// the connection failed. Writes a datagram whole.
long tls_write(struct tls *tls, const void *octets, size_t size, short *events, struct error *err);

// Does the same without TLS if `tls` is NULL: then errno says why the connection failed.
long tls_send(struct tls *tls, int fd, const void *octets, size_t size, short *events,
              struct error *err);

// Reads up to `size` octets, or one datagram, and returns the number of octets. Returns 0 if there
// are none yet, -1 with a sentence if the peer closed or refused.
long tls_read(struct tls *tls, void *out, size_t size, struct error *err);

// Whether there may be data to read that poll(2) on the socket does not show.
bool tls_pending(const struct tls *tls);

// Whether the connection is open; received data stays to be read. Returns false with a sentence if
// the peer closed or refused, and all earlier data was read.
bool tls_is_connected(struct tls *tls, struct error *err);

// Whether the peer has accepted our certificate, or the lack of a certificate, as far as ibtrapd
// can know. With TLS 1.3, our handshake ends before the peer has verified the certificate; the
// peer's first session ticket or first octets show the verdict. A peer that sends neither has
// accepted if the peer has not refused within TLS_ACCEPT_WAIT_US. Only tls_read and
// tls_is_connected notice the peer's octets.
bool tls_accepted(const struct tls *tls);

// Octets written to the socket so far.
uint64_t tls_written(const struct tls *tls);

// Sends close_notify if the socket has room. The socket stays open.
void tls_close(struct tls *tls);
