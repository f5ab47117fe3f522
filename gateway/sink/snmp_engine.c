// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_engine.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"

#include <net-snmp/library/snmp_secmod.h>
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RANDOM_SIZE = 12,        // random octets of a new engine ID
    BOOTS_LAST = 0x7ffffffe, // RFC 3414 2.2.2: the next number means that the count has ended
};

static struct {
    pthread_mutex_t lock; // guards the members below
    bool started, ready;
    char directory[4096];
    const struct random *random;
    uint8_t id[SNMP_ENGINE_ID_MAX];
    size_t id_size;
    uint32_t boots;
} engine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void snmp_lock(void)
{
    pthread_mutex_lock(&library);
}

void snmp_unlock(void)
{
    pthread_mutex_unlock(&library);
}

// Makes a new engine ID: the enterprise number of net-snmp, whose library is used, and format 5,
// octets of our choice (RFC 3411, SnmpEngineID).
static void snmp_engine_begin_anew(void)
{
    static const uint8_t HEAD[] = {0x80, 0x00, 0x1f, 0x88, 0x05};
    memcpy(engine.id, HEAD, sizeof HEAD);
    engine.random->fill(engine.random->ctx, engine.id + sizeof HEAD, RANDOM_SIZE);
    engine.id_size = sizeof HEAD + RANDOM_SIZE;
    engine.boots = 0;
}

// The file has the lines "engine-id <hexadecimal>" and "boots <number>".

static bool snmp_engine_parse_id(const char *digits)
{
    size_t n = strlen(digits) / 2;
    if (n < 5 || n > SNMP_ENGINE_ID_MAX || strlen(digits) % 2 != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (sscanf(digits + 2 * i, "%2" SCNx8, &engine.id[i]) != 1)
            return false;
    }
    engine.id_size = n;
    return true;
}

static bool snmp_engine_parse(FILE *f)
{
    char digits[2 * SNMP_ENGINE_ID_MAX + 2], boots[11];
    if (fscanf(f, "engine-id %65[0-9a-f] boots %10[0-9] ", digits, boots) != 2 || fgetc(f) != EOF)
        return false;
    const uint64_t number = strtoull(boots, NULL, 10);
    engine.boots = (uint32_t)number;
    return number >= 1 && number <= UINT32_MAX && snmp_engine_parse_id(digits);
}

static bool snmp_engine_set_aside(const char *path, struct error *err)
{
    char aside[sizeof engine.directory + 40];
    snprintf(aside, sizeof aside, "%s.damaged", path);
    snmp_engine_begin_anew();
    if (rename(path, aside) != 0)
        return error_set(err, "'%s' is damaged and cannot be renamed: %s", path, strerror(errno));
    return error_set(
        err,
        "'%s' was damaged and is now '%s'; the gateway has a new SNMPv3 engine ID, which "
        "receivers of SNMPv3 traps must learn",
        path, aside);
}

static bool snmp_engine_load(const char *path, struct error *err)
{
    FILE *f = fopen(path, "re");
    if (!f && errno == ENOENT) {
        if (engine.id_size == 0)
            snmp_engine_begin_anew();
        return true;
    }
    if (!f)
        return error_set(err, "cannot read '%s': %s", path, strerror(errno));
    bool ok = snmp_engine_parse(f);
    fclose(f);
    if (!ok)
        return snmp_engine_set_aside(path, err);
    if (engine.boots >= BOOTS_LAST)
        snmp_engine_begin_anew();
    return true;
}

static bool snmp_engine_save(const char *path, struct error *err)
{
    char buffer[2 * SNMP_ENGINE_ID_MAX + 64];
    struct text t = text_in(buffer, sizeof buffer);
    text_add(&t, "engine-id ");
    text_add_hex(&t, engine.id, engine.id_size);
    text_addf(&t, "\nboots %" PRIu32 "\n", engine.boots);
    return regular_file_replace(path, t.buf, t.len) ||
           error_set(err, "cannot save the SNMPv3 engine boots in '%s': %s", path, strerror(errno));
}

// Passes ID and boots to libsnmp, which accepts "boots" only in its configuration, and there as the
// number of the last start.
static void snmp_engine_configure_library(void)
{
    char line[32];
    snprintf(line, sizeof line, "%" PRIu32, engine.boots - 1);
    snmp_lock();
    set_exact_engineID(engine.id, engine.id_size);
    engineBoots_conf("engineBoots", line);
    set_enginetime(engine.id, (u_int)engine.id_size, (u_int)snmpv3_local_snmpEngineBoots(),
                   (u_int)snmpv3_local_snmpEngineTime(), TRUE);
    snmp_unlock();
}

static bool snmp_engine_load_and_count(struct error *err)
{
    char path[sizeof engine.directory + 16];
    snprintf(path, sizeof path, "%s/snmp-engine", engine.directory);
    bool sound = snmp_engine_load(path, err);
    if (!sound && engine.id_size == 0)
        snmp_engine_begin_anew();
    struct error why;
    engine.boots++;
    engine.ready = snmp_engine_save(path, &why);
    if (!engine.ready)
        engine.boots--;
    else
        snmp_engine_configure_library();
    if (!engine.ready && sound)
        *err = why;
    return sound && engine.ready;
}

bool snmp_engine_start(const char *directory, const struct random *random, struct error *err)
{
    pthread_mutex_lock(&engine.lock);
    snprintf(engine.directory, sizeof engine.directory, "%s", directory);
    engine.random = random;
    engine.id_size = 0;
    bool ok = snmp_engine_load_and_count(err);
    pthread_mutex_unlock(&engine.lock);
    return ok;
}

bool snmp_engine_ready(struct error *err)
{
    pthread_mutex_lock(&engine.lock);
    bool ready = engine.ready || (snmp_engine_load_and_count(err), engine.ready);
    pthread_mutex_unlock(&engine.lock);
    return ready;
}

size_t snmp_engine_id(uint8_t out[SNMP_ENGINE_ID_MAX])
{
    pthread_mutex_lock(&engine.lock);
    size_t size = engine.id_size;
    memcpy(out, engine.id, size);
    pthread_mutex_unlock(&engine.lock);
    return size;
}

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

static bool snmp_engine_set_protocol(struct snmp_key *key, const oid *protocol, size_t length,
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
static bool snmp_engine_make_key(struct snmp_key *key, const struct snmp_key *hash,
                                 const char *password, const char *what, struct error *err)
{
    key->size = sizeof key->octets;
    return generate_Ku(hash->protocol, (u_int)hash->protocol_length, (const u_char *)password,
                       strlen(password), key->octets, &key->size) == SNMPERR_SUCCESS ||
           error_set(err, "libsnmp cannot make a key from the SNMPv3 %s password", what);
}

static bool snmp_engine_make_keys(struct snmp_keys *out, const struct snmp_user *user,
                                  struct error *err)
{
    size_t auth_length = 0, priv_length = 0;
    const oid *auth = sc_get_auth_oid(AUTH_TYPES[user->auth], &auth_length);
    const oid *priv = sc_get_priv_oid(PRIV_TYPES[user->priv], &priv_length);
    return snmp_engine_set_protocol(&out->auth, auth, auth_length, err) &&
           (user->auth == SNMP_NO_AUTH ||
            snmp_engine_make_key(&out->auth, &out->auth, user->auth_password, "authentication",
                                 err)) &&
           snmp_engine_set_protocol(&out->priv, priv, priv_length, err) &&
           (user->priv == SNMP_NO_PRIV ||
            snmp_engine_make_key(&out->priv, &out->auth, user->priv_password, "privacy", err));
}

bool snmp_keys_make(struct snmp_keys *out, const struct snmp_user *user, struct error *err)
{
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", user->name);
    out->level = user->auth == SNMP_NO_AUTH   ? SNMP_SEC_LEVEL_NOAUTH
                 : user->priv == SNMP_NO_PRIV ? SNMP_SEC_LEVEL_AUTHNOPRIV
                                              : SNMP_SEC_LEVEL_AUTHPRIV;
    snmp_lock();
    bool ok = snmp_engine_make_keys(out, user, err);
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

static bool snmp_engine_same_key(const struct snmp_key *a, const struct snmp_key *b)
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

static bool snmp_engine_install_user(const struct snmp_keys *keys, const uint8_t *engine_id,
                                     size_t size, struct error *err)
{
    struct usm_entry **place = snmp_user_find(keys->name, engine_id, size);
    if (*place) {
        const struct snmp_keys *theirs = &(*place)->keys;
        if (!snmp_engine_same_key(&theirs->auth, &keys->auth) ||
            !snmp_engine_same_key(&theirs->priv, &keys->priv))
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
    bool ok = snmp_engine_install_user(keys, engine_id, size, err);
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

// RFC 5591 4.2. libsnmp builds messages backwards: in front of the scoped PDU, this puts empty
// security parameters, then the global data. Returns an SNMPERR_ code, as decode does.
static int snmp_engine_encode(struct snmp_secmod_outgoing_params *p)
{
    u_char **message = p->wholeMsg;
    size_t *size = p->wholeMsgLen, *used = p->wholeMsgOffset;
    if (!asn_realloc_rbuild_header(message, size, used, 1, ASN_OCTET_STR, 0))
        return SNMPERR_TOO_LONG;
    while (*size - *used < p->globalDataLen) {
        if (!asn_realloc(message, size))
            return SNMPERR_TOO_LONG;
    }
    *used += p->globalDataLen;
    memcpy(*message + *size - *used, p->globalData, p->globalDataLen);
    return asn_realloc_rbuild_sequence(message, size, used, 1, ASN_SEQUENCE | ASN_CONSTRUCTOR,
                                       *used)
               ? SNMPERR_SUCCESS
               : SNMPERR_TOO_LONG;
}

// RFC 5591 5.2. The sender needs no security name here: TLS has verified its certificate against
// the configured name.
static int snmp_engine_decode(struct snmp_secmod_incoming_params *p)
{
    u_char type;
    size_t size = p->wholeMsgLen - (size_t)(p->secParams - p->wholeMsg);
    if (p->sess->securityModel != SNMP_SEC_MODEL_TSM) // it did not come over TLS
        return SNMPERR_UNKNOWN_SEC_MODEL;
    u_char *scoped = asn_parse_header(p->secParams, &size, &type);
    if (!scoped || type != ASN_OCTET_STR || size != 0)
        return SNMPERR_ASN_PARSE_ERR;
    *p->scopedPdu = scoped;
    *p->scopedPduLen = p->wholeMsgLen - (size_t)(scoped - p->wholeMsg);
    *p->maxSizeResponse = p->maxMsgSize;
    *p->secEngineIDLen = 0;
    p->secName[0] = '\0';
    *p->secNameLen = 0;
    return SNMPERR_SUCCESS;
}

void snmp_tsm_begin(void)
{
    struct snmp_secmod_def *known = find_sec_mod(SNMP_SEC_MODEL_TSM);
    struct snmp_secmod_def *def = known ? known : memory_zeroed(1, sizeof *def); // libsnmp frees it
    *def = (struct snmp_secmod_def){.encode_reverse = snmp_engine_encode,
                                    .decode = snmp_engine_decode};
    if (!known)
        register_sec_mod(SNMP_SEC_MODEL_TSM, "tsm", def);
}
