// SNMPv3 users: keys made from passwords, and libsnmp's table of who may speak to which engine.
#ifndef IBTRAPD_SINK_SNMP_USER_H
#define IBTRAPD_SINK_SNMP_USER_H

#include "sink/snmp.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

enum { SNMP_USER_NAME_MAX = 32, SNMP_USER_KEY_MAX = 64, SNMP_USER_OID_MAX = 16 };

struct snmp_key {
    oid protocol[SNMP_USER_OID_MAX];
    size_t protocol_length;
    uint8_t octets[SNMP_USER_KEY_MAX]; // of no engine yet; libsnmp makes the engine's own from it
    size_t size;                       // 0: none
};

// A user without passwords: they are not kept.
struct snmp_keys {
    char name[SNMP_USER_NAME_MAX + 1];
    int level; // SNMP_SEC_LEVEL_NOAUTH, ...
    struct snmp_key auth, priv;
};

// False, with a sentence without secrets: what is given does not fit together.
bool snmp_keys_make(struct snmp_keys *out, const struct snmp_user *user, struct error *err);
void snmp_keys_wipe(struct snmp_keys *keys);

// Lets libsnmp know the user at that engine. Receivers may share a user there when its keys are the
// same; SNMPv3 allows one set of keys for a name at an engine, so other keys are refused. Balanced
// by snmp_user_remove. Neither is called under the lock.
bool snmp_user_add(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size,
                   struct error *err);
void snmp_user_remove(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size);

#endif
