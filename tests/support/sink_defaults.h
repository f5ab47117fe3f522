// SPDX-License-Identifier: BSD-2-Clause
// Options of sinks from which tests begin. No string is NULL.
#pragma once

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
    ((struct syslog_options){.transport = TRANSPORT_LOCAL,                                         \
                             .path = "/dev/log",                                                   \
                             .host = "",                                                           \
                             .engine_id = "",                                                      \
                             .facility = FORMAT_FACILITY_DAEMON,                                   \
                             .severity_map = {SEVERITY_EMERGENCY, SEVERITY_ALERT,                  \
                                              SEVERITY_CRITICAL, SEVERITY_ERROR, SEVERITY_WARNING, \
                                              SEVERITY_NOTICE, SEVERITY_INFORMATIONAL,             \
                                              SEVERITY_DEBUG},                                     \
                             .tls = NO_TLS})
