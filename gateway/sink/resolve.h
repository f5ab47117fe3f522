// SPDX-License-Identifier: BSD-2-Clause
// Resolves host names and connects to their addresses. The system's resolver may wait for long and
// cannot be stopped. So each name is looked up in a thread of its own, and the caller waits
// RESOLVE_PATIENCE_US at most.
//
// Decides: How long may a name server delay a receiver?
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { RESOLVE_MAX = 8, RESOLVE_THREADS_MAX = 64 };

#define RESOLVE_PATIENCE_US INT64_C(2000000)

struct resolve_address {
    struct sockaddr_storage storage;
    socklen_t length;
    char text[64]; // the numeric address, without port
};

// Which addresses of a name come first. Addresses of one kind keep the resolver's order.
enum resolve_order {
    RESOLVE_AS_FOUND,   // the resolver decides (RFC 6724)
    RESOLVE_IPV4_FIRST, // like the tools of Net-SNMP
    RESOLVE_IPV6_FIRST,
};

// Resolves a name, or an IPv4 or IPv6 address in text. Returns the number of addresses; 0 with a
// sentence if there is none.
size_t resolve_all(const char *host, uint16_t port, enum resolve_order order,
                   struct resolve_address out[RESOLVE_MAX], struct error *err);

// The same, but waits `patience_us` (at least 1) for a name, and RESOLVE_PATIENCE_US at most.
size_t resolve_all_within(int64_t patience_us, const char *host, uint16_t port,
                          enum resolve_order order, struct resolve_address out[RESOLVE_MAX],
                          struct error *err);

// Whether an errno of a socket says that nobody is at the address, and the next address is worth an
// attempt.
bool resolve_is_nobody(int error);

// Writes host and port for messages, with the address behind a name: "nms (192.0.2.1) port 162".
void resolve_describe(const char *host, const struct resolve_address *address, uint16_t port,
                      char *out, size_t size);

// Connects a socket to the address before `deadline` (monotonic microseconds). `type` is
// SOCK_STREAM or SOCK_DGRAM, perhaps with SOCK_NONBLOCK. A stream sends small messages at once, and
// breaks when the peer acknowledges nothing for `user_timeout_ms`. Returns the socket; -1 with
// errno.
int resolve_connect(const struct resolve_address *to, int type, unsigned user_timeout_ms,
                    int64_t deadline);

// Waits for poll's `events` on a socket. Returns false with ETIMEDOUT if the deadline passed.
bool resolve_wait(int fd, short events, int64_t deadline);

// Calls `look_up`, which may wait without limit, in a thread, and waits `patience_us` for the
// thread; resolve_all uses this for names. Also fails while RESOLVE_THREADS_MAX threads are
// running.
typedef size_t resolve_look_up(const char *host, uint16_t port, enum resolve_order order,
                               struct resolve_address out[RESOLVE_MAX], struct error *err);
size_t resolve_within(int64_t patience_us, resolve_look_up *look_up, const char *host,
                      uint16_t port, enum resolve_order order,
                      struct resolve_address out[RESOLVE_MAX], struct error *err);
