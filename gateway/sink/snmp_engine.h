// libsnmp's process-wide state: its lock, and this gateway's own SNMPv3 engine.
#ifndef IBTRAPD_SINK_SNMP_ENGINE_H
#define IBTRAPD_SINK_SNMP_ENGINE_H

#include "base/error.h"
#include "base/random.h"
#include "sink/snmp.h"

// libsnmp counts request identifiers and keeps users and engine times in tables of the process, all
// without locks. Every call into it is made between these two, by whichever thread, and none that
// is made there waits for anything.
void snmp_lock(void);
void snmp_unlock(void);

// The engine: takes its identifier and boots from the file "snmp-engine" in `directory`, or begins
// anew, and saves boots + 1 there durably. False, with a sentence: it could not be saved, or a
// damaged file was set aside. `random` outlives the engine.
bool snmp_engine_start(const char *directory, const struct random *random, struct error *err);

// Whether SNMPv3 messages may go out that this engine is authoritative for: its boots are saved. If
// not, tries to save them again. Any thread; not under the lock.
bool snmp_engine_ready(struct error *err);

// Copies the engine's identifier and returns its octets.
size_t snmp_engine_id(uint8_t out[SNMP_ENGINE_ID_MAX]);

#endif
