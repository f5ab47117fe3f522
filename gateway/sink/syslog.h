// SPDX-License-Identifier: BSD-2-Clause
// The sink of the kind `syslog`: the machine's logger, UDP (RFC 5426), TCP (RFC 6587), TLS (RFC
// 5425), RELP, and standard output.
//
// The caller blocks or ignores SIGPIPE in the receiver's thread.
#pragma once

#include "sink/format.h"
#include "sink/sink.h"
#include "sink/tls.h"

#include <stdint.h>

struct syslog_options {
    // When an event counts as sent:
    // - TRANSPORT_LOCAL: the logger's socket has the event; see format.h;
    // - TRANSPORT_UDP: the kernel has the event;
    // - TRANSPORT_TCP, TRANSPORT_TLS: the peer's TCP has the event and did not close; see stream.h;
    // - TRANSPORT_RELP, TRANSPORT_RELP_TLS: the receiver has confirmed the event; see relp.h;
    // - TRANSPORT_STDOUT: the event is written. Only syslog formats have a syslog header there.
    enum transport transport;
    const char *path; // of TRANSPORT_LOCAL
    const char *host; // of the others
    uint16_t port;
    bool ipv6; // over UDP: a name's IPv6 addresses before its IPv4 addresses
    enum format format;
    bool lines; // over TCP and TLS, a line feed ends each message; false: its length precedes it
    unsigned facility;                             // 0..23
    enum severity severity_map[FORMAT_SEVERITIES]; // the severity sent for each severity
    struct tls_options tls; // of the transports with TLS; without a name: the host
    const char *engine_id;  // of our SNMP engine, in hexadecimal; empty: unknown
    int64_t started_us;     // UTC; when the gateway started
};

// Fills `out`. Copies the options; their strings except the engine ID stay the caller's and outlive
// the sink. No string is NULL.
void syslog_sink(struct sink *out, const char *name, const struct syslog_options *options);
