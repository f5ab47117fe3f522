// SPDX-License-Identifier: BSD-2-Clause
// Where an SNMP receiver is, and how to speak to it. The configuration's checks (conf/section.h)
// let no target pass whose members contradict each other.
#pragma once

#include "base/clock.h"
#include "model/choices.h"
#include "sink/tls.h"

#include <stddef.h>
#include <stdint.h>

enum snmp_version { SNMP_V1, SNMP_V2C, SNMP_V3 };

enum { SNMP_ENGINE_ID_MAX = 32 };

// An SNMPv3 user. The security level follows from the protocols that are set.
struct snmp_user {
    const char *name;
    enum snmp_auth auth;
    const char *auth_password;
    enum snmp_priv priv; // needs auth
    const char *priv_password;
};

struct snmp_target {
    const char *host; // name or address
    uint16_t port;
    enum transport transport;
    bool ipv6; // TRANSPORT_UDP, TRANSPORT_DTLS: a name's IPv6 addresses before its IPv4 addresses
    enum snmp_version version;
    bool inform;            // not with SNMP_V1
    const char *community;  // SNMP_V1, SNMP_V2C
    const char *context;    // SNMP_V3; empty: the default context
    struct snmp_user user;  // SNMP_V3, but for TRANSPORT_TLS and TRANSPORT_DTLS
    struct tls_options tls; // TRANSPORT_TLS and TRANSPORT_DTLS, which need SNMP_V3, cert_file and
                            // key_file; without a name: the host
    unsigned timeout_ms;    // of one attempt of an inform
    unsigned retries;       // attempts of an inform after the first
    unsigned in_flight_max; // events whose informs may be unanswered, at least 1
    unsigned sets;          // of enum snmp_set; 0: SMA and SWITCH, and OWN for events that neither
                            // of them has
    bool extra;             // append the objects of MIB_EXTRA that a notification does not have
    bool has_trap_address;  // append snmpTrapAddress.0 with agent_address, which is set
    bool has_agent_address;
    uint8_t agent_address[4]; // SNMP_V1; unset: this machine's first address
    const struct clock *clock;
    int64_t started_at; // monotonic; sysUpTime counts from here
};

static inline bool snmp_target_has_tls(const struct snmp_target *target)
{
    return target->transport == TRANSPORT_TLS || target->transport == TRANSPORT_DTLS;
}

static inline bool snmp_target_is_stream(const struct snmp_target *target)
{
    return target->transport == TRANSPORT_TCP || target->transport == TRANSPORT_TLS;
}

// Whether the messages have an SNMPv3 user: TLS and DTLS replace the user.
static inline bool snmp_target_has_user(const struct snmp_target *target)
{
    return target->version == SNMP_V3 && !snmp_target_has_tls(target);
}
