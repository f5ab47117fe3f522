// SPDX-License-Identifier: BSD-2-Clause
// The socket below one libsnmp session. It replaces libsnmp's transports, which wait (for a
// connection, for a full socket) inside calls that are made under a lock. Here, libsnmp only queues
// packets; they are sent outside of the lock.
#ifndef IBTRAPD_SINK_SNMP_WIRE_H
#define IBTRAPD_SINK_SNMP_WIRE_H

#include "base/error.h"
#include "sink/resolve.h"
#include "sink/tls.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdint.h>

struct snmp_packet;

struct snmp_wire {
    int fd;
    bool stream;
    struct resolve_address all[RESOLVE_MAX]; // of the host
    size_t count, at;                        // `at`: the one that it has, or had
    struct error passed;                     // why those before failed; empty: there are none
    struct tls *tls;                         // NULL: none
    int broken;                              // errno of the first failure; 0: none
    struct error why;                        // with TLS: the reason of that failure
    char peer[400];                          // host, address and port
    struct snmp_packet *first, **end;        // packets to be sent
    size_t unasked; // octets read since the last answer; see snmp_wire_answered
    bool talks;     // too many of them: the reason why it is broken
};

struct snmp_wire_options {
    const char *host; // the caller's; outlives the wire
    uint16_t port;
    bool stream, ipv6;             // `ipv6`: for datagrams, a name's IPv6 addresses first
    const struct tls_options *tls; // TLS or DTLS; NULL: none
};

// Resolves the name and connects to the first address that answers, until `deadline` (monotonic
// microseconds). A connected UDP socket learns from ICMP that no program listens. False with a
// sentence; nothing is left open.
bool snmp_wire_open(struct snmp_wire *wire, const struct snmp_wire_options *options,
                    int64_t deadline, struct error *err);

// After a failure: goes on with the name's next address if the failure says that nobody is at this
// one. Packets that were not sent are dropped. False: that is not so, and `err` stays as it is, or
// no further address answers, and it has a sentence about all of them.
bool snmp_wire_open_next(struct snmp_wire *wire, const struct snmp_wire_options *options,
                         int64_t deadline, struct error *err);

// Makes a transport for snmp_sess_add, under the lock. The session owns it; the wire outlives it.
netsnmp_transport *snmp_wire_transport(struct snmp_wire *wire);

// Queues a packet, which is copied.
void snmp_wire_add(struct snmp_wire *wire, const void *octets, size_t size);

// Sends the queued packets; waits two seconds at most for room in the socket. Not under the lock.
// False with a sentence: the wire is broken.
bool snmp_wire_flush(struct snmp_wire *wire, struct error *err);

// Waits up to `timeout_ms` for a packet. False: none came.
bool snmp_wire_poll(const struct snmp_wire *wire, int timeout_ms);

// Notes that the octets read so far were an answer to a request. A wire on which more than
// SNMP_WIRE_UNASKED_MAX octets come without one is broken: libsnmp ignores what nobody asked for,
// and keeps all octets of a message until its last one comes.
enum { SNMP_WIRE_UNASKED_MAX = 4 << 20 };
void snmp_wire_answered(struct snmp_wire *wire);

// Whether the wire works so far. On a stream or with TLS, also checks whether the peer has closed
// it.
bool snmp_wire_check(struct snmp_wire *wire, struct error *err);

// Waits up to `timeout_ms` for a sign that no program listens, or that the peer refuses us; with
// TLS, also until the peer has accepted our certificate (TLS_ACCEPT_WAIT_US at most). False with a
// sentence: there was such a sign.
bool snmp_wire_settle(struct snmp_wire *wire, int timeout_ms, struct error *err);

void snmp_wire_close(struct snmp_wire *wire);

#endif
