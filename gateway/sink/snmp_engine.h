// SPDX-License-Identifier: BSD-2-Clause
// The process-wide state of libsnmp: a lock, this gateway's SNMPv3 engine, the table of users, the
// Transport Security Model.
//
// Decides: May two receivers have the same SNMPv3 user?
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "sink/snmp_target.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

// libsnmp counts request identifiers and keeps users and engine times in global tables without
// locks. So every thread calls libsnmp between these two functions, and no call waits. The
// functions that encode into a buffer of ours, and may not reallocate the buffer, need no lock:
// with sound arguments that fit, they use only their arguments.
void snmp_lock(void);
void snmp_unlock(void);

// Starts the engine: reads ID and boots from the file "snmp-engine" in `directory`, or makes a new
// ID, and saves boots + 1 there durably. Returns false with a sentence if boots could not be saved,
// or if a damaged file was renamed. `random` outlives the engine.
bool snmp_engine_start(const char *directory, const struct random *random, struct error *err);

// Whether the boots are saved, so that messages under this engine's authority may be sent. Tries
// again to save boots that are not saved. Any thread; not under the lock.
bool snmp_engine_ready(struct error *err);

// Copies the engine ID and returns its length in octets.
size_t snmp_engine_id(uint8_t out[SNMP_ENGINE_ID_MAX]);

// SNMPv3 users: derives keys from passwords, and maintains libsnmp's table of users by engine.

enum { SNMP_USER_NAME_MAX = 32, SNMP_USER_KEY_MAX = 64, SNMP_USER_OID_MAX = 16 };

struct snmp_key {
    oid protocol[SNMP_USER_OID_MAX];
    size_t protocol_length;
    uint8_t octets[SNMP_USER_KEY_MAX]; // not localised; libsnmp derives the engine's key from it
    size_t size;                       // 0: none
};

// A user, with keys instead of passwords.
struct snmp_keys {
    char name[SNMP_USER_NAME_MAX + 1];
    int level; // SNMP_SEC_LEVEL_NOAUTH, ...
    struct snmp_key auth, priv;
};

// Returns false with a sentence, which contains no secret, if libsnmp lacks a protocol.
bool snmp_keys_make(struct snmp_keys *out, const struct snmp_user *user, struct error *err);
void snmp_keys_wipe(struct snmp_keys *keys);

// Adds a user for an engine to libsnmp's table. Receivers share a user with equal keys. SNMPv3
// allows one set of keys for a name and engine, so a user with this name and other keys is refused.
// Each call needs an snmp_user_remove. Call neither under the lock.
bool snmp_user_add(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size,
                   struct error *err);
void snmp_user_remove(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size);

// The Transport Security Model (RFC 5591): TLS or DTLS below SNMPv3 has authenticated and encrypted
// the message (RFC 6353).

// Replaces libsnmp's own implementation, which leaks memory with each answer (5.9.3) and works with
// libsnmp's transports only. Call once, after init_snmp.
void snmp_tsm_begin(void);
