// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_user.h"

#include "base/memory.h"
#include "sink/snmp_engine.h"

#include <stdlib.h>
#include <string.h>

static const int AUTH_TYPES[] = {
    [SNMP_NO_AUTH] = NETSNMP_USMAUTH_NOAUTH,       [SNMP_SHA1] = NETSNMP_USMAUTH_HMACSHA1,
    [SNMP_SHA224] = NETSNMP_USMAUTH_HMAC128SHA224, [SNMP_SHA256] = NETSNMP_USMAUTH_HMAC192SHA256,
    [SNMP_SHA384] = NETSNMP_USMAUTH_HMAC256SHA384, [SNMP_SHA512] = NETSNMP_USMAUTH_HMAC384SHA512,
};

static const int PRIV_TYPES[] = {
    [SNMP_NO_PRIV] = USM_CREATE_USER_PRIV_NONE,
    [SNMP_AES128] = USM_CREATE_USER_PRIV_AES,
    [SNMP_AES192] = USM_CREATE_USER_PRIV_AES192,
    [SNMP_AES256] = USM_CREATE_USER_PRIV_AES256,
    [SNMP_AES192_CISCO] = USM_CREATE_USER_PRIV_AES192_CISCO,
    [SNMP_AES256_CISCO] = USM_CREATE_USER_PRIV_AES256_CISCO,
};

// Keys.

static bool set_protocol(struct snmp_key *key, const oid *protocol, size_t length,
                         struct error *err)
{
    if (!protocol || length > SNMP_USER_OID_MAX)
        return error_set(err, "this libsnmp lacks the configured SNMPv3 protocol");
    memcpy(key->protocol, protocol, length * sizeof *protocol);
    key->protocol_length = length;
    return true;
}

// Makes a key from its password. The hash is that of the authentication protocol for both keys (RFC
// 3414 A.2, 3.4).
static bool make_key(struct snmp_key *key, const struct snmp_key *hash, const char *password,
                     const char *what, struct error *err)
{
    size_t length = password ? strlen(password) : 0;
    if (length < SNMP_PASSWORD_MIN)
        return error_set(err, "the SNMPv3 %s password is shorter than %d octets", what,
                         SNMP_PASSWORD_MIN);
    key->size = sizeof key->octets;
    if (generate_Ku(hash->protocol, (u_int)hash->protocol_length, (const u_char *)password, length,
                    key->octets, &key->size) != SNMPERR_SUCCESS)
        return error_set(err, "libsnmp cannot make a key from the SNMPv3 %s password", what);
    return true;
}

static bool check_user(const struct snmp_user *user, struct error *err)
{
    if (!user->name || user->name[0] == '\0')
        return error_set(err, "SNMPv3 needs a user name");
    if (strlen(user->name) > SNMP_USER_NAME_MAX)
        return error_set(err, "the SNMPv3 user name is longer than %d octets", SNMP_USER_NAME_MAX);
    if (user->priv != SNMP_NO_PRIV && user->auth == SNMP_NO_AUTH)
        return error_set(err, "SNMPv3 has no privacy without authentication");
    return true;
}

static bool make_auth(struct snmp_keys *out, const struct snmp_user *user, struct error *err)
{
    size_t length = 0;
    const oid *protocol = sc_get_auth_oid(AUTH_TYPES[user->auth], &length);
    return set_protocol(&out->auth, protocol, length, err) &&
           (user->auth == SNMP_NO_AUTH ||
            make_key(&out->auth, &out->auth, user->auth_password, "authentication", err));
}

static bool make_priv(struct snmp_keys *out, const struct snmp_user *user, struct error *err)
{
    size_t length = 0;
    const oid *protocol = sc_get_priv_oid(PRIV_TYPES[user->priv], &length);
    return set_protocol(&out->priv, protocol, length, err) &&
           (user->priv == SNMP_NO_PRIV ||
            make_key(&out->priv, &out->auth, user->priv_password, "privacy", err));
}

bool snmp_keys_make(struct snmp_keys *out, const struct snmp_user *user, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (!check_user(user, err))
        return false;
    snprintf(out->name, sizeof out->name, "%s", user->name);
    out->level = user->auth == SNMP_NO_AUTH   ? SNMP_SEC_LEVEL_NOAUTH
                 : user->priv == SNMP_NO_PRIV ? SNMP_SEC_LEVEL_AUTHNOPRIV
                                              : SNMP_SEC_LEVEL_AUTHPRIV;
    snmp_lock();
    bool ok = make_auth(out, user, err) && make_priv(out, user, err);
    snmp_unlock();
    return ok;
}

void snmp_keys_wipe(struct snmp_keys *keys)
{
    explicit_bzero(keys, sizeof *keys);
}

// The users that receivers have added. Used under the lock.
struct usm_entry {
    struct usm_entry *next;
    unsigned holders;
    struct snmp_keys keys;
    uint8_t engine_id[SNMP_ENGINE_ID_MAX];
    size_t engine_id_size;
};

static struct usm_entry *usm_entries;

static struct usm_entry **snmp_user_find(const char *name, const uint8_t *engine_id, size_t size)
{
    struct usm_entry **p = &usm_entries;
    while (*p && (strcmp((*p)->keys.name, name) != 0 || (*p)->engine_id_size != size ||
                  memcmp((*p)->engine_id, engine_id, size) != 0))
        p = &(*p)->next;
    return p;
}

static bool same_key(const struct snmp_key *a, const struct snmp_key *b)
{
    return snmp_oid_compare(a->protocol, a->protocol_length, b->protocol, b->protocol_length) ==
               0 &&
           a->size == b->size && memcmp(a->octets, b->octets, a->size) == 0;
}

static bool snmp_user_configure_library(const struct snmp_keys *keys, uint8_t *engine_id,
                                        size_t size)
{
    netsnmp_session s;
    snmp_sess_init(&s);
    s.version = SNMP_VERSION_3;
    s.securityModel = SNMP_SEC_MODEL_USM;
    s.securityName = (char *)keys->name;
    s.securityNameLen = strlen(keys->name);
    s.securityEngineID = engine_id;
    s.securityEngineIDLen = size;
    s.securityAuthProto = (oid *)keys->auth.protocol;
    s.securityAuthProtoLen = keys->auth.protocol_length;
    s.securityPrivProto = (oid *)keys->priv.protocol;
    s.securityPrivProtoLen = keys->priv.protocol_length;
    memcpy(s.securityAuthKey, keys->auth.octets, keys->auth.size);
    s.securityAuthKeyLen = keys->auth.size;
    memcpy(s.securityPrivKey, keys->priv.octets, keys->priv.size);
    s.securityPrivKeyLen = keys->priv.size;
    bool ok = usm_create_user_from_session(&s) == SNMPERR_SUCCESS;
    explicit_bzero(&s, sizeof s);
    return ok;
}

static bool install_user(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size,
                         struct error *err)
{
    struct usm_entry **place = snmp_user_find(keys->name, engine_id, size);
    if (*place) {
        const struct snmp_keys *theirs = &(*place)->keys;
        if (!same_key(&theirs->auth, &keys->auth) || !same_key(&theirs->priv, &keys->priv))
            return error_set(err,
                             "SNMPv3 user '%s' is in use by another receiver with other passwords "
                             "or protocols: give each its own user name",
                             keys->name);
        (*place)->holders++;
        return true;
    }
    struct usm_entry *u = memory_get(sizeof *u);
    *u = (struct usm_entry){.holders = 1, .keys = *keys, .engine_id_size = size};
    memcpy(u->engine_id, engine_id, size);
    if (!snmp_user_configure_library(keys, u->engine_id, size)) {
        free(u);
        return error_set(err, "libsnmp does not accept SNMPv3 user '%s'", keys->name);
    }
    *place = u;
    return true;
}

bool snmp_user_add(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size,
                   struct error *err)
{
    if (size == 0 || size > SNMP_ENGINE_ID_MAX)
        return error_set(err, "an SNMPv3 engine ID of %zu octets is not possible", size);
    snmp_lock();
    bool ok = install_user(keys, engine_id, size, err);
    snmp_unlock();
    return ok;
}

static void snmp_user_forget(struct usm_entry *u)
{
    struct usmUser *user = usm_get_user(u->engine_id, u->engine_id_size, u->keys.name);
    if (user) {
        usm_remove_user(user);
        usm_free_user(user);
    }
    explicit_bzero(u, sizeof *u);
    free(u);
}

void snmp_user_remove(const struct snmp_keys *keys, const uint8_t *engine_id, size_t size)
{
    snmp_lock();
    struct usm_entry **place = snmp_user_find(keys->name, engine_id, size), *u = *place;
    if (u && --u->holders == 0) {
        *place = u->next;
        snmp_user_forget(u);
    }
    snmp_unlock();
}
