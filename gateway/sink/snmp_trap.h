// SPDX-License-Identifier: BSD-2-Clause
// Sends SNMPv2 traps, in messages of SNMPv2c and SNMPv3, whose varbinds are encoded once for all
// receivers (model/event.h). The octets are those that libsnmp would make.
#ifndef IBTRAPD_SINK_SNMP_TRAP_H
#define IBTRAPD_SINK_SNMP_TRAP_H

#include "sink/snmp_link.h"
#include "sink/snmp_pdu.h"

// Queues the notification of an event that is the `nth` for its receiver, counted from 0. Not under
// the lock. False: nothing is queued, and snmp_link_queue sends it, or says why it cannot.
bool snmp_trap_queue(struct snmp_link *link, const struct event *event, size_t nth,
                     const struct mib_notification *notification,
                     const struct snmp_pdu_options *options);

#endif
