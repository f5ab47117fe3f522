// The socket under one libsnmp session, in place of libsnmp's own transports: those wait (for a
// connection, for a full socket) inside calls that have to be made under a lock. Here libsnmp only
// ever queues what it wants to send, and the octets go out outside of the lock.
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
    struct error why; // with TLS, what it says of that failure
    char peer[320];
    struct snmp_packet *first, **end; // what waits to be sent
};

// Resolves the name and connects to the first address that answers, within a few seconds. A
// connected UDP socket learns from ICMP that nobody listens. `tls`, of TLS or DTLS, may be NULL.
bool snmp_wire_open(struct snmp_wire *wire, const char *host, uint16_t port, bool stream,
                    const struct tls_options *tls, struct error *err);

// A transport for snmp_sess_add, under the lock. It belongs to the session; the wire outlives it.
// NULL when memory is short.
netsnmp_transport *snmp_wire_transport(struct snmp_wire *wire);

// Sends what is queued, not under the lock; waits for a few seconds while the socket is full.
// False: the wire is broken.
bool snmp_wire_flush(struct snmp_wire *wire, struct error *err);

// Waits up to `timeout_ms` for something to read. False: nothing came.
bool snmp_wire_poll(const struct snmp_wire *wire, int timeout_ms);

// Whether it is whole so far; on a stream or with TLS also looks whether the other side has closed
// it.
bool snmp_wire_check(struct snmp_wire *wire, struct error *err);

// Waits up to `timeout_ms` for the other side to say that nobody listens, or that it refuses us;
// with TLS until it has accepted our certificate, too (TLS_ACCEPT_WAIT_US at most). False: it did.
bool snmp_wire_settle(struct snmp_wire *wire, int timeout_ms, struct error *err);

void snmp_wire_close(struct snmp_wire *wire);

#endif
