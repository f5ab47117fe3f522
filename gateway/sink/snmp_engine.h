// SPDX-License-Identifier: BSD-2-Clause
// The process-wide state of libsnmp: a lock for it, and this gateway's SNMPv3 engine.
#ifndef IBTRAPD_SINK_SNMP_ENGINE_H
#define IBTRAPD_SINK_SNMP_ENGINE_H

#include "base/error.h"
#include "base/random.h"
#include "sink/snmp_target.h"

// libsnmp counts request identifiers and keeps users and engine times in global tables without
// locks. So every call into libsnmp, in any thread, is made between these two, and none of these
// calls waits. Excepted are the functions that encode into a buffer of ours, without leave to
// reallocate it: they use nothing but their arguments, as long as these are sound and fit.
void snmp_lock(void);
void snmp_unlock(void);

// Starts the engine: reads its ID and boots from the file "snmp-engine" in `directory`, or makes a
// new ID, and saves boots + 1 there durably. False with a sentence: it could not save them, or it
// renamed a damaged file. `random` outlives the engine.
bool snmp_engine_start(const char *directory, const struct random *random, struct error *err);

// Whether the boots are saved, so that messages for which this engine is authoritative may be sent.
// If they are not, tries to save them again. Any thread; not under the lock.
bool snmp_engine_ready(struct error *err);

// Copies the engine ID and returns its length in octets.
size_t snmp_engine_id(uint8_t out[SNMP_ENGINE_ID_MAX]);

#endif
