// An event as SNMP notifications: the PDUs, made with libsnmp, ready to send.
#ifndef IBTRAPD_SINK_SNMP_PDU_H
#define IBTRAPD_SINK_SNMP_PDU_H

#include "model/catalogue.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

enum { SNMP_PDU_NOTIFICATIONS_MAX = 5 };

// The notifications that tell of an event, in the order to send them: of the IB-SMA-MIB, of the
// IBSWITCH-MIB (of which a change of the fabric has two) when a switch reported it itself or it
// changed at one, gswEventTrap, of the project's own MIB. `sets` is as of struct snmp_target.
// Returns how many.
size_t snmp_pdu_notifications(const struct event *event, unsigned sets,
                              const struct mib_notification *out[SNMP_PDU_NOTIFICATIONS_MAX]);

// Hands the varbinds of a notification to `take`, but for sysUpTime.0 and snmpTrapOID.0, in the
// MIB's order (RFC 3416 4.2.6), until it returns false; false then. `extra`: those of MIB_EXTRA at
// the end, unless they are in it.
bool snmp_pdu_each_varbind(const struct event *event, const struct mib_notification *notification,
                           bool extra, bool (*take)(void *ctx, const struct mib_varbind *varbind),
                           void *ctx);

struct snmp_pdu_options {
    uint32_t uptime_cs;           // sysUpTime, hundredths of a second
    bool extra;                   // the objects of MIB_EXTRA at the end, unless they are in it
    const uint8_t *trap_address;  // four octets: snmpTrapAddress.0 after everything; NULL: not
    const uint8_t *agent_address; // four octets, for snmp_pdu_make_v1
};

// Both return a PDU of the caller's, to be freed or sent; NULL when memory is short. Under
// libsnmp's lock.

// A trap or an inform with sysUpTime.0, snmpTrapOID.0 and the varbinds in the MIB's order (RFC 3416
// 4.2.6). `command` is SNMP_MSG_TRAP2 or SNMP_MSG_INFORM.
netsnmp_pdu *snmp_pdu_make(int command, const struct event *event,
                           const struct mib_notification *notification,
                           const struct snmp_pdu_options *options);

// The same as an SNMPv1 trap, translated as RFC 3584 3.2 says; the agent-addr stands for
// snmpTrapAddress.0.
netsnmp_pdu *snmp_pdu_make_v1(const struct event *event,
                              const struct mib_notification *notification,
                              const struct snmp_pdu_options *options);

#endif
