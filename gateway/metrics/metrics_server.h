// SPDX-License-Identifier: BSD-2-Clause
// Serves metrics over HTTP (GET and HEAD) in the main loop, at /metrics; a hint at /. One request
// per connection.
#ifndef IBTRAPD_METRICS_METRICS_SERVER_H
#define IBTRAPD_METRICS_METRICS_SERVER_H

#include "base/error.h"
#include "base/log.h"

#include <stddef.h>
#include <stdint.h>

struct event_base; // of libevent

enum {
    METRICS_SERVER_CLIENTS_MAX = 8, // at a time; a further one replaces the oldest
    METRICS_SERVER_VERDICT_SIZE = 1100,
    METRICS_SERVER_REQUEST_MAX = 8192, // octets of a request's head
    METRICS_SERVER_IDLE_S = 10, // a client that neither sends nor reads for so long is dropped
};

// Returns a text of `size` octets from malloc, which the caller frees; NULL: out of memory.
typedef char *(*metrics_renderer)(void *ctx, size_t *size);

// Writes the verdict on the gateway in a line with its newline, and returns whether it is good. For
// `ready`: whether Reports reach the gateway.
typedef bool (*metrics_judge)(void *ctx, bool ready, char *out, size_t size);

struct metrics_server;

// Listens at an IP address in the loop of `base`, whose thread calls `render`. Port 0: any. Logs a
// warning if other hosts can reach the address. NULL with a sentence: failed.
struct metrics_server *metrics_server_start(struct event_base *base, const char *address,
                                            uint16_t port, metrics_renderer render, void *ctx,
                                            struct log *log, struct error *err);

// Also serves the verdict at /healthz and /readyz: 200 if it is good, else 503. The loop's thread
// calls `judge` with the context of `render`.
void metrics_server_serve_health(struct metrics_server *server, metrics_judge judge);

void metrics_server_stop(struct metrics_server *server); // NULL is allowed

#endif
