// SPDX-License-Identifier: BSD-2-Clause
// Resolves host names. The system's resolver may wait for long and cannot be stopped. So each name
// is looked up in a thread of its own, and the caller waits RESOLVE_PATIENCE_US at most.
#ifndef IBTRAPD_SINK_RESOLVE_H
#define IBTRAPD_SINK_RESOLVE_H

#include "base/error.h"

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

// Resolves a name, or an IPv4 or IPv6 address as text. Returns the number of addresses, the
// preferred one first; 0 with a sentence: there is none.
size_t resolve_all(const char *host, uint16_t port, struct resolve_address out[RESOLVE_MAX],
                   struct error *err);

// Returns the first of them.
bool resolve_host(const char *host, uint16_t port, struct resolve_address *out, struct error *err);

// Calls `look_up`, which may wait without limit, in a thread and waits `patience_us` for it;
// resolve_all uses this for names. Fails, too, while RESOLVE_THREADS_MAX threads are still running.
typedef size_t resolve_look_up(const char *host, uint16_t port,
                               struct resolve_address out[RESOLVE_MAX], struct error *err);
size_t resolve_within(int64_t patience_us, resolve_look_up *look_up, const char *host,
                      uint16_t port, struct resolve_address out[RESOLVE_MAX], struct error *err);

#endif
