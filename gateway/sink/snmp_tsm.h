// SPDX-License-Identifier: BSD-2-Clause
// The Transport Security Model (RFC 5591): SNMPv3 that leaves authentication and privacy to TLS or
// DTLS below it (RFC 6353).
#ifndef IBTRAPD_SINK_SNMP_TSM_H
#define IBTRAPD_SINK_SNMP_TSM_H

// Replaces libsnmp's own implementation, which leaks memory with each answer (5.9.3) and works with
// libsnmp's transports only. Call it once, after init_snmp.
void snmp_tsm_begin(void);

#endif
