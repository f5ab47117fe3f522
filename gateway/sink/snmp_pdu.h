// SPDX-License-Identifier: BSD-2-Clause
// Turns an event into SNMP notifications: PDUs made with libsnmp, ready to be sent.
#pragma once

#include "model/catalogue.h"
#include "model/mib.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

enum { SNMP_PDU_NOTIFICATIONS_MAX = 3 + MIB_GSW_TRAPS_MAX };

// The notifications of an event, in the order of sending: of the IB-SMA-MIB; of the IBSWITCH-MIB
// (model/mib.h); gswEventTrap; of the project's own MIB. `sets` and `extra` are members of
// struct snmp_target. Returns the number of notifications. Without `extra`, a test event goes out
// under the project's own MIB alone, because nobody could tell other test notifications from real
// notifications.
//
// Decides: Which SNMP notifications does a receiver get for an event?
size_t snmp_pdu_notifications(const struct event *event, unsigned sets, bool extra,
                              const struct mib_notification *out[SNMP_PDU_NOTIFICATIONS_MAX]);

// Calls `take` for each varbind of a notification, in the MIB's order (RFC 3416 4.2.6), without
// sysUpTime.0 and snmpTrapOID.0. `extra` adds the missing objects of MIB_EXTRA. A test event always
// has ibtrapdTest. Stops and returns false when `take` returns false.
bool snmp_pdu_each_varbind(const struct event *event, const struct mib_notification *notification,
                           bool extra, bool (*take)(void *ctx, const struct mib_varbind *varbind),
                           void *ctx);

struct snmp_pdu_options {
    uint32_t uptime_cs;          // sysUpTime, hundredths of a second
    bool extra;                  // add the objects of MIB_EXTRA that the notification does not have
    const uint8_t *trap_address; // four octets: add snmpTrapAddress.0 at the end; NULL: do not
    const uint8_t *agent_address; // four octets, for snmp_pdu_make_v1
};

// Both return a PDU, which the caller frees or sends. Call them under libsnmp's lock.

// A trap or an inform with sysUpTime.0, snmpTrapOID.0 and the varbinds in the MIB's order (RFC 3416
// 4.2.6). `command` is SNMP_MSG_TRAP2 or SNMP_MSG_INFORM.
netsnmp_pdu *snmp_pdu_make(int command, const struct event *event,
                           const struct mib_notification *notification,
                           const struct snmp_pdu_options *options);

// Encodes (BER) the varbinds that snmp_pdu_make puts behind sysUpTime.0. Needs no lock. Returns the
// number of octets; 0 if the varbinds do not fit.
enum { SNMP_PDU_VARBINDS_SIZE = 16384 };
size_t snmp_pdu_encode(const struct event *event, const struct mib_notification *notification,
                       const struct snmp_pdu_options *options, uint8_t out[SNMP_PDU_VARBINDS_SIZE]);

// The same as an SNMPv1 trap, translated by RFC 3584 3.2; the agent-addr replaces
// snmpTrapAddress.0.
netsnmp_pdu *snmp_pdu_make_v1(const struct event *event,
                              const struct mib_notification *notification,
                              const struct snmp_pdu_options *options);
