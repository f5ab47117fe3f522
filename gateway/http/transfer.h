// SPDX-License-Identifier: BSD-2-Clause
// Exchanges with an HTTP server in a row: a POST, then its answer (HTTP/1.1, over TLS if
// the URL says https). The connection stays open between them.
//
// Follows no redirect, uses no proxy and no file of the environment, and speaks no other protocol.
// If an old connection closes before any octet of an answer came, the request is sent again on a
// new connection. The server may get a request twice.
//
// Decides: How much of the answer of an HTTP server is read?
// Decides: When does an HTTP receiver read secrets, certificates and addresses again?
//
// One thread at a time may use a transfer. A sentence names the server, never a secret, and of the
// URL no more than scheme, host and port. The caller blocks or ignores SIGPIPE.
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "sink/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRANSFER_HEADERS_MAX = 64 << 10,  // octets of all headers of an answer
    TRANSFER_RETRY_AFTER_MAX = 3600,  // seconds; a longer Retry-After counts as this
    TRANSFER_CONNECT_MS = 5000,       // to connect, with the handshake of TLS
    TRANSFER_GZIP_MIN = 1024,         // octets; a shorter body is not packed
    TRANSFER_ANSWER_SOME = 256 << 10, // octets of a plain answer, without a verdict on each event
    TRANSFER_RENEW_MS = 300000,       // what `renew_ms` is but for tests
};

// The strings stay the caller's and outlive the transfer.
struct transfer_options {
    const char *url;        // http: or https:, without a user and a fragment
    struct tls_options tls; // `name`: in the server's certificate, if it is not the URL's host
    // User and password are those of basic authentication; a token goes as "Authorization: SCHEME
    // TOKEN". Of a file, the first line counts.
    const struct conf_http_access *access;
    const char *scheme; // such as "Bearer"
    const char *header; // a further "Name: value"; NULL or empty: none
    size_t answer_max;  // octets; of a longer answer, only the beginning is kept
    unsigned renew_ms;  // the age at which a transfer is old, and up to a quarter more
};

// The options of a receiver, without `header` and `answer_max`. The strings stay those of
// `receiver`.
struct transfer_options transfer_options_of(const struct conf_receiver *receiver, const char *url,
                                            const char *scheme);

struct transfer_request {
    const char *path; // with its query, instead of the URL's path and query; NULL: those of the URL
    const char *content_type;
    const void *body; // the caller's; must stay until the exchange has ended
    size_t size;
    bool gzip;      // a body from TRANSFER_GZIP_MIN octets on
    int timeout_ms; // for the whole exchange, at least 1
};

struct transfer_answer {
    int status;       // 101..999; 200..599 from servers in their right mind
    int retry_after;  // seconds, 0..TRANSFER_RETRY_AFTER_MAX; 0: the answer does not say
    int64_t date;     // UTC seconds: the server's clock when it answered; 0: it does not say
    const char *body; // NUL-terminated; valid until the next begin or close
    size_t size;
    bool cut; // the body was longer than answer_max: only its beginning is here
};

struct transfer;

// Whether a transfer with these options could be opened, without network and without reading files.
// False with a sentence.
bool transfer_check(const struct transfer_options *options, struct error *err);

// Reads all files again, and looks up the host, for RESOLVE_PATIENCE_US at most; does not connect.
// NULL with a sentence. The options outlive the transfer.
struct transfer *transfer_open(const struct transfer_options *options, struct error *err);

// Whether files and addresses may have changed since the transfer was opened. A quarter of the age
// is chance: receivers do not all open anew at once.
bool transfer_is_old(const struct transfer *t);

// Opens the transfer anew, as transfer_open does. No exchange may be under way. The results of
// transfer_peer and the last answer become invalid. Returns false with a sentence if the opening
// fails: the old transfer goes on, and is old again after `renew_ms`.
bool transfer_renew(struct transfer **t, struct error *err);

// Does the same, and writes a failure to the log. `log` may be NULL.
static inline void transfer_renew_or_tell(struct transfer **t, struct log *log,
                                          struct log_limit *limit, const char *receiver)
{
    struct error err;
    if (!transfer_renew(t, &err) && log)
        log_write_limited(log, limit, LOG_LEVEL_WARNING,
                          "receiver %s: it goes on with the secrets, certificates and addresses "
                          "that it has, as it cannot get them anew: %s",
                          receiver, err.text);
}

// Begins to post. No exchange may be under way. Returns false with a sentence if the path is longer
// than 2,048 octets.
bool transfer_begin(struct transfer *t, const struct transfer_request *request, struct error *err);

// Goes on with the exchange, and waits up to `timeout_ms` for its end. Returns 1 with `answer` if
// the exchange ended, 0 if it goes on, -1 with a sentence if it failed. After 1 and -1 the next
// exchange may begin.
int transfer_go_on(struct transfer *t, int timeout_ms, struct transfer_answer *answer,
                   struct error *err);

// Scheme, host and port for sentences, "https://host:443"; valid until transfer_close.
const char *transfer_peer(const struct transfer *t);

// Overwrites credentials in a text, such as a server's words (http/hide.h).
void transfer_hide(const struct transfer *t, char *text);

// Breaks off what is under way. NULL is allowed.
void transfer_close(struct transfer *t);
