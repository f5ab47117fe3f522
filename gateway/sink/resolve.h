// Host names to addresses. Waits for the resolver.
#ifndef IBTRAPD_SINK_RESOLVE_H
#define IBTRAPD_SINK_RESOLVE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { RESOLVE_MAX = 8 };

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

#endif
