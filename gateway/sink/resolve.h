// Host names to addresses. The system's resolver may wait for long and cannot be stopped, so names
// are looked up in threads of their own, which nobody waits for longer than RESOLVE_PATIENCE_US.
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

// The addresses of a name, or of an IPv4 or IPv6 address as text, the preferred first. Returns how
// many; 0 with a sentence when there is none.
size_t resolve_all(const char *host, uint16_t port, struct resolve_address out[RESOLVE_MAX],
                   struct error *err);

// The first of them.
bool resolve_host(const char *host, uint16_t port, struct resolve_address *out, struct error *err);

// What resolve_all does with a name; `look_up` is as resolve_all, but waits for as long as it
// likes. Fails, too, while RESOLVE_THREADS_MAX threads still wait for their answers.
typedef size_t resolve_look_up(const char *host, uint16_t port,
                               struct resolve_address out[RESOLVE_MAX], struct error *err);
size_t resolve_within(int64_t patience_us, resolve_look_up *look_up, const char *host,
                      uint16_t port, struct resolve_address out[RESOLVE_MAX], struct error *err);

#endif
