// Syslog receivers: the machine's own logger, UDP (RFC 5426), TCP (RFC 6587), TLS (RFC 5425), RELP,
// and standard output for whoever watches.
//
// SIGPIPE is blocked or ignored in the receiver's thread.
#ifndef IBTRAPD_SINK_SYSLOG_H
#define IBTRAPD_SINK_SYSLOG_H

#include "sink/format.h"
#include "sink/sink.h"
#include "sink/tls.h"

#include <stdint.h>

enum syslog_transport {
    SYSLOG_LOCAL,    // done when the logger's socket took it
    SYSLOG_UDP,      // done when the kernel took it
    SYSLOG_TCP,      // when the peer's TCP has it, and did not close: see stream.h
    SYSLOG_TLS,      // likewise
    SYSLOG_RELP,     // when the receiver confirmed it: see relp.h
    SYSLOG_RELP_TLS, // likewise
    SYSLOG_STDOUT, // when it is written; lines without a syslog header unless the format is syslog
    SYSLOG_TRANSPORTS,
};

struct syslog_options {
    enum syslog_transport transport;
    const char *path; // of SYSLOG_LOCAL
    const char *host; // of the others
    uint16_t port;
    enum format format;
    bool lines; // over TCP and TLS each message ends with a line feed; false: octets are counted
    unsigned facility;                             // 0..23
    enum severity severity_map[FORMAT_SEVERITIES]; // what is sent for each severity of RFC 5424
    struct tls_options tls; // of the transports with TLS; without a name, the host is the name
    const char *engine_id;  // of our SNMP engine, in hexadecimal; empty: unknown
    int64_t started_us;     // UTC; when the gateway started
};

// RFC 5424 to /dev/log as facility daemon, each severity as itself. Strings are empty, not NULL.
extern const struct syslog_options SYSLOG_DEFAULTS;

// Fills `out`. The options are copied; their strings stay the caller's and outlive the receiver,
// but for the engine ID. False when memory is short.
bool syslog_sink(struct sink *out, const char *name, const struct syslog_options *options,
                 struct error *err);

#endif
