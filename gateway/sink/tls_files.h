// SPDX-License-Identifier: BSD-2-Clause
// The files that TLS and DTLS need: authorities, revocation lists, the certificate and its key.
#ifndef IBTRAPD_SINK_TLS_FILES_H
#define IBTRAPD_SINK_TLS_FILES_H

#include "base/error.h"
#include "base/log.h"

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

#endif
