// SPDX-License-Identifier: BSD-2-Clause
// Datagrams over UDP to a receiver without confirmations. Takes the name's first address for which
// the kernel does not say that nobody is there.
#ifndef IBTRAPD_SINK_DATAGRAM_H
#define IBTRAPD_SINK_DATAGRAM_H

#include "sink/resolve.h"

struct datagram {
    int fd;
    struct resolve_address all[RESOLVE_MAX]; // of the name
    size_t count, at;                        // `at`: the address of the socket
    bool proven;                             // a datagram went there, and nothing came back
    const char *host;
    uint16_t port;
    char peer[400]; // for messages: host, address and port
};

// Resolves the name and connects a socket to its first address. The host stays the caller's and
// outlives the socket. False with a sentence; then there is nothing to close.
bool datagram_open(struct datagram *datagram, const char *host, uint16_t port,
                   enum resolve_order order, struct error *err);

// Sends. With several addresses, waits up to 50 ms for each address until the kernel refuses the
// first datagram, and sends the datagram to the next address. The last address keeps the datagram
// without a check. Returns false with a sentence if the kernel did not take the datagram.
bool datagram_send(struct datagram *datagram, const void *octets, size_t size, struct error *err);

void datagram_close(struct datagram *datagram);

#endif
