// SPDX-License-Identifier: BSD-2-Clause
// The choices that the configuration (conf/word.c) offers for receivers, contexts and sweeps.
// sink/, http/, agent/ and ib/ make the choices happen.
#pragma once

#include <stdint.h>

// The receiver's kind says which transports there are: sink/snmp_target.h, sink/syslog.h.
enum transport {
    TRANSPORT_UDP,
    TRANSPORT_TCP,
    TRANSPORT_TLS,
    TRANSPORT_DTLS,
    TRANSPORT_LOCAL, // the socket of the machine's logger
    TRANSPORT_RELP,
    TRANSPORT_RELP_TLS,
    TRANSPORT_STDOUT,
    TRANSPORT_COUNT,
};

// Authentication of SNMPv3, without MD5, which is weak.
enum snmp_auth {
    SNMP_NO_AUTH,
    SNMP_SHA1,
    SNMP_SHA224,
    SNMP_SHA256,
    SNMP_SHA384,
    SNMP_SHA512,
};

// Encryption of SNMPv3, without DES, which is weak. AES-192 and AES-256 are not standardised.
// libsnmp has two variants of each, which extend the key differently: the draft of Blumenthal, and
// Cisco's.
enum snmp_priv {
    SNMP_NO_PRIV,
    SNMP_AES128,
    SNMP_AES192,
    SNMP_AES256,
    SNMP_AES192_CISCO,
    SNMP_AES256_CISCO,
};

// Sets of notifications, by MIB.
enum snmp_set {
    SNMP_SET_SMA = 1,
    SNMP_SET_SWITCH = 2,
    SNMP_SET_OWN = 4,
    SNMP_SET_EVENT = 8, // gswEventTrap, for events severe enough for their switch
};

// Of an event in a line of text; sink/format.h has the code.
enum format {
    FORMAT_RFC5424,     // syslog with structured data
    FORMAT_RFC3164,     // BSD syslog: the sentence, then name=value
    FORMAT_ECS,         // JSON, Elastic Common Schema 8
    FORMAT_CEF,         // ArcSight Common Event Format
    FORMAT_LEEF,        // QRadar Log Event Extended Format 2.0
    FORMAT_JSON,        // JSON, every field by its name
    FORMAT_CLOUDEVENTS, // JSON, CloudEvents 1.0 around FORMAT_JSON
    FORMAT_COUNT,
    FORMAT_UNSET = FORMAT_COUNT, // while conf/ reads a section; then the transport decides
};

// What a request of the kind `http` is; http/body.h has the code.
enum http_format {
    HTTP_JSON,        // an array of objects with every field
    HTTP_CLOUDEVENTS, // CloudEvents 1.0: a batch, or one event alone in structured mode
    HTTP_OTLP,        // OpenTelemetry's logs in JSON
    HTTP_LOKI,
    HTTP_SPLUNK,                           // HTTP event collector
    HTTP_ELASTIC,                          // _bulk
    HTTP_FORMAT_COUNT,                     // of the formats of events
    HTTP_OTLP_METRICS = HTTP_FORMAT_COUNT, // no events: OpenTelemetry's metrics in JSON
};

// The end ports with an SNMP context of their own (agent/contexts.h).
enum contexts_of { CONTEXTS_OFF, CONTEXTS_SWITCHES, CONTEXTS_ALL };

enum sweep_method {
    SWEEP_OFF,
    SWEEP_SMP, // queries every node by directed route
    SWEEP_SA,  // queries the SA for its tables
};

enum counter_ports { COUNTERS_OFF, COUNTERS_OF_SWITCHES, COUNTERS_OF_ALL }; // whose are read

// When a link is unreliable (topology/link_history.h).
struct link_history_limits {
    unsigned occasions; // so many within the window make a link unreliable; 0: no number does.
                        // At most LINK_HISTORY_OCCASIONS_MAX
    int64_t window_us;
};
