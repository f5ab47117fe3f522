// SPDX-License-Identifier: BSD-2-Clause
// The sink of the kind `snmp`: traps and informs of every version, over UDP, TCP, TLS or DTLS, IPv4
// or IPv6.
//
// A trap is sent when the kernel has the trap. With informs, the receiver has an event when the
// receiver has answered all notifications of the event. The network may lose datagrams, so informs
// have an order key (tickets.h).
//
#pragma once

#include "base/log.h"
#include "base/random.h"
#include "sink/sink.h"
#include "sink/snmp_target.h"

// Initialises libsnmp, once, before any thread starts, without libsnmp's configuration and MIB
// files. Reads the gateway's SNMPv3 engine ID from the file "snmp-engine" in `state_directory`, or
// creates the file, and saves the incremented number of engine boots there before any message is
// sent. A failure is logged; SNMPv3 traps then wait until a receiver's opening saves the number.
// `random` outlives snmp_end.
void snmp_begin(const char *state_directory, const struct random *random, struct log *log);
void snmp_end(void);

// The engine ID of this gateway, in hexadecimal; empty before snmp_begin. Any thread.
enum { SNMP_ENGINE_TEXT_SIZE = 2 * 32 + 1 };
void snmp_engine_text(char out[SNMP_ENGINE_TEXT_SIZE]);

// Fills `out`. Copies `target`, whose clock and strings outlive the sink. Turns passwords into keys
// and forgets the passwords. Returns false with a sentence, which contains no secret, if libsnmp
// lacks a protocol.
bool snmp_sink(struct sink *out, const char *name, const struct snmp_target *target,
               struct error *err);
