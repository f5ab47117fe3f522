// SPDX-License-Identifier: BSD-2-Clause
// SNMPv3 users: derives keys from passwords, and maintains libsnmp's table of users by engine.
#ifndef IBTRAPD_SINK_SNMP_USER_H
#define IBTRAPD_SINK_SNMP_USER_H

#include "sink/snmp_target.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

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

// False with a sentence, which contains no secret: the options contradict each other.
bool snmp_keys_make(struct snmp_keys *out, const struct snmp_user *user, struct error *err);
void snmp_keys_wipe(struct snmp_keys *keys);

// Adds a user for an engine to libsnmp's table. Receivers share a user with equal keys. SNMPv3
// allows one set of keys for a name and engine, so a user of that name with other keys is refused.
// Each call needs an snmp_user_remove. Neither is called under the lock.
bool snmp_user_add(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size,
                   struct error *err);
void snmp_user_remove(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size);

#endif
