// SPDX-License-Identifier: BSD-2-Clause
// The parts that all formats share: the size of a line, and its sender.
#ifndef IBTRAPD_SINK_FORMAT_ORIGIN_H
#define IBTRAPD_SINK_FORMAT_ORIGIN_H

#include "model/event.h"
#include "model/severity.h"

enum {
    FORMAT_FACILITY_DAEMON = 3,
    FORMAT_SIZE = 8192 + 1,         // a buffer that holds every line whole
    FORMAT_SIZE_MIN = 2048 + 1,     // a datagram that receivers should accept (RFC 5426)
    FORMAT_SIZE_RFC3164 = 1024 + 1, // a datagram of RFC 3164 over the network
    FORMAT_SEVERITIES = SEVERITY_DEBUG + 1,
};

// The sender of the messages. The strings stay the caller's.
struct format_origin {
    unsigned facility;                             // 0..23
    enum severity severity_map[FORMAT_SEVERITIES]; // the severity sent for each severity
    const char *hostname;                          // "-" when unknown
    const char *process_id;
    bool local;            // the receiver is the machine's logger: RFC 3164 without host name
    const char *ip;        // our address towards the receiver; NULL: unknown
    const char *engine_id; // of our SNMP engine, in hexadecimal; NULL: unknown
    int64_t started_us;    // UTC; 0: unknown
    uint32_t sequence;     // of the message, from 1; 0: not counted
};

// What the process says of itself in each message.
struct format_process {
    char hostname[256]; // "-" when unknown
    char id[16];
};

// Fills in `out` for messages of this process: facility daemon, each severity sent as it is. Its
// strings are those of `process`, which has to outlive it.
void format_origin_own(struct format_origin *out, struct format_process *process);

// The severity to be sent, 0 to 7.
static inline enum severity format_severity(const struct format_origin *origin,
                                            const struct event *event)
{
    return origin->severity_map[event->severity];
}

// PRI of RFC 5424 and RFC 3164: facility and severity in one number.
static inline unsigned format_priority(const struct format_origin *origin,
                                       const struct event *event)
{
    return origin->facility * 8 + format_severity(origin, event);
}

#endif
