// SPDX-License-Identifier: BSD-2-Clause
// Options of sinks from which tests begin. No string is NULL.
#pragma once

#include "sink/format.h"
#include "sink/snmp_target.h"
#include "sink/syslog.h"

#define NO_TLS                                                                                     \
    {                                                                                              \
        "", "", "", "", "", NULL                                                                   \
    }

// v2c traps to UDP port 162 with community "public"; 1,000 ms, 3 retries, 64 events in flight (128
// would overflow snmptrapd's default socket buffer).
#define SNMP_TARGET_DEFAULTS                                                                       \
    ((struct snmp_target){.port = 162,                                                             \
                          .tls = NO_TLS,                                                           \
                          .transport = TRANSPORT_UDP,                                              \
                          .version = SNMP_V2C,                                                     \
                          .community = "public",                                                   \
                          .context = "",                                                           \
                          .timeout_ms = 1000,                                                      \
                          .retries = 3,                                                            \
                          .in_flight_max = 64})

// RFC 5424 to /dev/log, facility daemon, severities unchanged.
#define SYSLOG_DEFAULTS                                                                            \
    ((struct conf_receiver){.transport = TRANSPORT_LOCAL,                                          \
                            .syslog = {.path = "/dev/log",                                         \
                                       .facility = FORMAT_FACILITY_DAEMON,                         \
                                       .severities = {0, 1, 2, 3, 4, 5, 6, 7}}})
