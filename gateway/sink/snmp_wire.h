// SPDX-License-Identifier: BSD-2-Clause
// The socket below one libsnmp session. It replaces libsnmp's transports, which wait (for a
// connection, for a full socket) inside calls that are made under a lock. Here, libsnmp only queues
// packets; they are sent outside of the lock.
#ifndef IBTRAPD_SINK_SNMP_WIRE_H
#define IBTRAPD_SINK_SNMP_WIRE_H

#include "base/error.h"
#include "sink/tls.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdint.h>

struct snmp_packet;

struct snmp_wire {
    int fd;
    bool stream;
    struct tls *tls;  // NULL: none
    int broken;       // errno of the first failure; 0: none
    struct error why; // with TLS: the reason of that failure
    char peer[320];
    struct snmp_packet *first, **end; // packets to be sent
    size_t unasked;                   // octets read since the last answer; see snmp_wire_answered
    bool talks;                       // too many of them: the reason why it is broken
};

// Resolves the name and connects to the first address that answers, within a few seconds. A
// connected UDP socket learns from ICMP that no program listens. `tls`, for TLS or DTLS, may be
// NULL.
bool snmp_wire_open(struct snmp_wire *wire, const char *host, uint16_t port, bool stream,
                    const struct tls_options *tls, struct error *err);

// Makes a transport for snmp_sess_add, under the lock. The session owns it; the wire outlives it.
// NULL: out of memory.
netsnmp_transport *snmp_wire_transport(struct snmp_wire *wire);

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
