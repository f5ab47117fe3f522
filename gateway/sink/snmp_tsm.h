// The Transport Security Model (RFC 5591): SNMPv3 that leaves authentication and privacy to TLS or
// DTLS below it (RFC 6353).
#ifndef IBTRAPD_SINK_SNMP_TSM_H
#define IBTRAPD_SINK_SNMP_TSM_H

#include <stdbool.h>

// Puts it in the place of libsnmp's own, which loses memory with each answer (in 5.9.3) and works
// with libsnmp's own transports only. Once, after init_snmp. False: memory is short.
bool snmp_tsm_begin(void);

#endif
