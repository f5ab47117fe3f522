// SPDX-License-Identifier: BSD-2-Clause
// The socket below one libsnmp session, instead of libsnmp's transports, which wait for a
// connection or for a full socket inside calls under a lock. Here, libsnmp only queues packets;
// ibtrapd sends the packets outside of the lock.
#pragma once

#include "base/error.h"
#include "sink/resolve.h"
#include "sink/snmp_target.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdint.h>

struct snmp_packet;

struct snmp_wire {
    const struct snmp_target *target;
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

// Resolves the name and connects to the first address that answers, until `deadline` (monotonic
// microseconds). A connected UDP socket learns from ICMP that no program listens. `target` outlives
// the wire. Returns false with a sentence, and leaves nothing open.
bool snmp_wire_open(struct snmp_wire *wire, const struct snmp_target *target, int64_t deadline,
                    struct error *err);

// After a failure because nobody is at the address: goes on with the name's next address, and drops
// packets that were not sent. Returns false after another failure, with `err` unchanged, or if no
// further address answers, with a sentence about all addresses.
bool snmp_wire_open_next(struct snmp_wire *wire, int64_t deadline, struct error *err);

// Makes a transport for snmp_sess_add, under the lock. The session owns the transport; the wire
// outlives the transport.
netsnmp_transport *snmp_wire_transport(struct snmp_wire *wire);

// Queues a copy of a packet.
void snmp_wire_add(struct snmp_wire *wire, const void *octets, size_t size);

// Sends the queued packets; waits two seconds at most for room in the socket. Not under the lock.
// Returns false with a sentence if the wire is broken.
bool snmp_wire_flush(struct snmp_wire *wire, struct error *err);

// Waits up to `timeout_ms` for a packet. False: none came.
bool snmp_wire_poll(const struct snmp_wire *wire, int timeout_ms);

// Notes that the octets read until now were an answer to a request. A wire is broken after more
// than SNMP_WIRE_UNASKED_MAX octets without an answer, because libsnmp ignores unasked messages,
// and keeps all octets of a message until the last octet comes.
enum { SNMP_WIRE_UNASKED_MAX = 4 << 20 };
void snmp_wire_answered(struct snmp_wire *wire);

// Whether the wire works. On a stream or with TLS, also checks whether the peer has closed the
// connection.
bool snmp_wire_check(struct snmp_wire *wire, struct error *err);

// Waits up to `timeout_ms` for a sign that no program listens, or that the peer refuses us. With
// TLS, also waits until the peer has accepted our certificate (TLS_ACCEPT_WAIT_US at most). Returns
// false with a sentence if there was a sign.
bool snmp_wire_settle(struct snmp_wire *wire, int timeout_ms, struct error *err);

void snmp_wire_close(struct snmp_wire *wire);
