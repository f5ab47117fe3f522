// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_link.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/event.h"
#include "sink/snmp_engine.h"

#include <net-snmp/library/large_fd_set.h>

#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 20, OPEN_MS = 4500 };

// One call reads so many packets; the next call goes on.
enum { READS_MAX = 256 };

// Forgets the details of an earlier error, which libsnmp would add to the text of the next one, be
// it another receiver's. Under the lock, before what may fail.
static void snmp_link_forget_details(void)
{
    snmp_api_errstring(SNMPERR_SUCCESS);
}

// Under the lock, as the text is libsnmp's own.
static bool snmp_link_explain(const struct snmp_link *s, int snmp_error, struct error *err)
{
    return error_set(err, "cannot send to %s: %s", s->wire.peer, snmp_api_errstring(snmp_error));
}

// Answers.

// Notes why no answer will come: the peer's name, then the three texts. Keeps the first reason.
static void snmp_link_note(struct snmp_link *s, const char *does, const char *reason,
                           const char *end)
{
    if (s->problem[0] == '\0')
        snprintf(s->problem, sizeof s->problem, "%s %s%s%s", s->wire.peer, does, reason, end);
}

static void snmp_link_note_report(struct snmp_link *s, netsnmp_pdu *pdu)
{
    snmp_link_note(s, "answers: ", snmp_api_errstring(snmpv3_get_report_type(pdu)), "");
}

bool snmp_link_check_response(struct snmp_link *s, int operation, netsnmp_pdu *pdu)
{
    switch (operation) {
    case NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE:
        if (pdu->command == SNMP_MSG_REPORT) {
            if (snmpv3_get_report_type(pdu) != SNMPERR_NOT_IN_TIME_WINDOW)
                snmp_link_note_report(s, pdu);
            return false; // after this report, libsnmp retransmits with the right time
        }
        snmp_wire_answered(&s->wire);
        if (pdu->errstat == SNMP_ERR_NOERROR)
            return true;
        snmp_link_note(s, "answers with error '", snmp_errstring((int)pdu->errstat), "'");
        return false;
    case NETSNMP_CALLBACK_OP_TIMED_OUT:
        snmp_link_note(s, "does not answer", "", "");
        return false;
    case NETSNMP_CALLBACK_OP_RESEND:
        return false;
    default:
        snmp_link_note_report(s, pdu);
        return false;
    }
}

// Sending and reading.

bool snmp_link_queue(struct snmp_link *s, netsnmp_pdu *pdu, snmp_callback answer, void *magic,
                     struct error *err)
{
    if (s->wire.broken != 0) { // libsnmp may have let go of the connection
        snmp_free_pdu(pdu);
        return snmp_wire_check(&s->wire, err);
    }
    snmp_link_forget_details();
    if (snmp_sess_async_send(s->handle, pdu, answer, magic) != 0)
        return true;
    snmp_free_pdu(pdu);
    return snmp_link_explain(s, snmp_sess_session(s->handle)->s_snmp_errno, err);
}

bool snmp_link_flush(struct snmp_link *s, struct error *err)
{
    return snmp_wire_check(&s->wire, err) && snmp_wire_flush(&s->wire, err);
}

static void snmp_link_read_one(struct snmp_link *s)
{
    netsnmp_large_fd_set set;
    netsnmp_large_fd_set_init(&set, s->wire.fd + 1);
    netsnmp_large_fd_setfd(s->wire.fd, &set);
    snmp_lock();
    snmp_link_forget_details();
    snmp_sess_read2(s->handle, &set);
    snmp_unlock();
    netsnmp_large_fd_set_cleanup(&set);
}

bool snmp_link_serve(struct snmp_link *s, int timeout_ms, struct error *err)
{
    bool came = snmp_wire_poll(&s->wire, timeout_ms);
    for (int i = 0; i < READS_MAX && came && s->wire.broken == 0; i++) {
        snmp_link_read_one(s);
        came = snmp_wire_poll(&s->wire, 0);
    }
    snmp_lock();
    snmp_link_forget_details();
    if (s->wire.broken == 0)
        snmp_sess_timeout(s->handle);
    snmp_unlock();
    if (!snmp_wire_check(&s->wire, err))
        return false;
    if (s->problem[0] != '\0')
        return error_set(err, "%s", s->problem);
    return snmp_wire_flush(&s->wire, err);
}

// Opening.

static void snmp_link_describe(const struct snmp_link *s, netsnmp_session *plain)
{
    static const long VERSIONS[] = {
        [SNMP_V1] = SNMP_VERSION_1, [SNMP_V2C] = SNMP_VERSION_2c, [SNMP_V3] = SNMP_VERSION_3};
    const struct snmp_target *t = s->target;
    snmp_sess_init(plain);
    plain->version = VERSIONS[t->version];
    plain->timeout = (long)t->timeout_ms * 1000;
    plain->retries = (int)t->retries;
    plain->callback_magic = s->owner;
    if (t->version != SNMP_V3) {
        plain->community = (u_char *)t->community;
        plain->community_len = strlen(t->community);
        return;
    }
    plain->contextName = (char *)t->context;
    plain->contextNameLen = strlen(t->context);
    if (snmp_target_has_tls(t)) {
        plain->securityModel = SNMP_SEC_MODEL_TSM;
        plain->securityLevel = SNMP_SEC_LEVEL_AUTHPRIV;
        return;
    }
    plain->securityModel = SNMP_SEC_MODEL_USM;
    plain->securityLevel = s->keys->level;
    plain->securityName = (char *)s->keys->name;
    plain->securityNameLen = strlen(s->keys->name);
    plain->securityEngineID = (u_char *)s->engine_id;
    plain->securityEngineIDLen = s->engine_id_size;
    // libsnmp would wait for the discovery, under the lock, and add the user; discover does both.
    plain->flags |= SNMP_FLAGS_DONT_PROBE | SNMP_FLAGS_USER_CREATED;
}

// The context engine is always this gateway's (RFC 3413 3.2), even if the receiver's engine is
// authoritative.
static bool snmp_link_start_session(struct snmp_link *s, struct error *err)
{
    netsnmp_session plain;
    uint8_t own[SNMP_ENGINE_ID_MAX];
    size_t own_size = snmp_engine_id(own);
    snmp_lock();
    snmp_link_forget_details();
    snmp_link_describe(s, &plain);
    if (plain.version == SNMP_VERSION_3) {
        plain.contextEngineID = own;
        plain.contextEngineIDLen = own_size;
    }
    s->handle = snmp_sess_add(&plain, snmp_wire_transport(&s->wire), NULL, NULL);
    if (s->handle) // snmp_sess_add clears the flag
        snmp_sess_session(s->handle)->flags |= SNMP_FLAGS_DONT_PROBE;
    else
        snmp_link_explain(s, plain.s_snmp_errno, err);
    snmp_unlock();
    return s->handle;
}

// Discovery of the other engine (RFC 3414 4).

static int snmp_link_read_report(int operation, netsnmp_session *session, int id, netsnmp_pdu *pdu,
                                 void *magic)
{
    (void)session;
    (void)id;
    struct snmp_link *s = magic;
    if (operation == NETSNMP_CALLBACK_OP_TIMED_OUT) {
        snmp_link_check_response(s, operation, pdu);
    } else if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE && !s->answered &&
               pdu->securityEngineIDLen <= sizeof s->engine_id) {
        s->engine_id_size = pdu->securityEngineIDLen;
        memcpy(s->engine_id, pdu->securityEngineID, s->engine_id_size);
        s->answered = true;
        snmp_wire_answered(&s->wire);
    }
    return 1;
}

static bool snmp_link_ask(struct snmp_link *s, struct error *err)
{
    snmp_lock();
    netsnmp_pdu *pdu = memory_need(snmp_pdu_create(SNMP_MSG_GET));
    pdu->version = SNMP_VERSION_3;
    pdu->securityModel = SNMP_SEC_MODEL_USM;
    pdu->securityLevel = SNMP_SEC_LEVEL_NOAUTH;
    pdu->securityName = memory_copy("");
    bool ok = snmp_link_queue(s, pdu, snmp_link_read_report, s, err);
    snmp_unlock();
    return ok && snmp_link_flush(s, err);
}

static bool snmp_link_await(struct snmp_link *s, int64_t until, struct error *err)
{
    while (!s->answered) {
        if (!snmp_link_serve(s, TICK_MS, err))
            return false;
        if (clock_now() > until)
            return error_set(err, "%s does not answer", s->wire.peer);
    }
    return true;
}

static bool snmp_link_discover(struct snmp_link *s, int64_t until, struct error *err)
{
    if (!snmp_link_ask(s, err) || !snmp_link_await(s, until, err))
        return false;
    const size_t size = s->engine_id_size;
    s->engine_id_size = 0; // no user is added yet
    if (!snmp_user_add(s->keys, s->engine_id, size, err))
        return false;
    s->engine_id_size = size;
    return true;
}

// Traps: this gateway's engine is the authoritative one.
static bool snmp_link_use_own_engine(struct snmp_link *s, struct error *err)
{
    if (!snmp_engine_ready(err))
        return false;
    size_t size = snmp_engine_id(s->engine_id);
    if (!snmp_user_add(s->keys, s->engine_id, size, err))
        return false;
    s->engine_id_size = size;
    return true;
}

// Agrees on keys over the wire.
static bool snmp_link_start(struct snmp_link *s, int64_t until, struct error *err)
{
    const bool has_user = snmp_target_has_user(s->target), inform = s->target->inform;
    return (!has_user || inform || snmp_link_use_own_engine(s, err)) &&
           snmp_link_start_session(s, err) &&
           (!has_user || !inform || snmp_link_discover(s, until, err));
}

// Undoes that.
static void snmp_link_end(struct snmp_link *s)
{
    snmp_lock();
    if (s->handle)
        snmp_sess_close(s->handle);
    s->handle = NULL;
    snmp_unlock();
    if (s->engine_id_size > 0)
        snmp_user_remove(s->keys, s->engine_id, s->engine_id_size);
    s->engine_id_size = 0;
    s->answered = false;
    s->problem[0] = '\0';
}

// Starts at the wire's address, or at the next addresses while nobody is at the address.
static bool snmp_link_start_any(struct snmp_link *s, int64_t until, struct error *err)
{
    while (!snmp_link_start(s, until, err)) {
        snmp_link_end(s);
        if (!snmp_wire_open_next(&s->wire, until, err)) {
            snmp_wire_close(&s->wire);
            return false;
        }
    }
    return true;
}

int64_t snmp_link_deadline(void)
{
    return clock_now() + OPEN_MS * CLOCK_US_PER_MS;
}

bool snmp_link_open(struct snmp_link *s, const struct snmp_target *target,
                    const struct snmp_keys *keys, void *owner, struct error *err)
{
    *s = (struct snmp_link){.target = target, .keys = keys, .owner = owner};
    int64_t until = snmp_link_deadline();
    return snmp_wire_open(&s->wire, target, until, err) && snmp_link_start_any(s, until, err);
}

bool snmp_link_open_next(struct snmp_link *s, int64_t until, struct error *err)
{
    snmp_link_end(s);
    return snmp_wire_open_next(&s->wire, until, err) && snmp_link_start_any(s, until, err);
}

void snmp_link_close(struct snmp_link *s)
{
    snmp_link_end(s);
    snmp_wire_close(&s->wire);
}

enum {
    PDU_HEAD_MAX = 64,      // octets of a PDU before snmpTrapOID.0
    MESSAGE_HEAD_MAX = 512, // of a message before its PDU; libsnmp makes room if it is longer
};

// A message is built from its end.
struct snmp_trap_room {
    u_char *octets;
    size_t size, used;
};

// Without `realloc`, these functions of libsnmp use nothing but their arguments.

static bool snmp_trap_put_number(struct snmp_trap_room *r, long number)
{
    return asn_realloc_rbuild_int(&r->octets, &r->size, &r->used, 0, ASN_INTEGER, &number,
                                  sizeof number);
}

// Puts a tag and a length in front of all that is there.
static bool snmp_trap_put_header(struct snmp_trap_room *r, int tag)
{
    return asn_realloc_rbuild_header(&r->octets, &r->size, &r->used, 0, (u_char)tag, r->used);
}

static bool snmp_trap_put_uptime(struct snmp_trap_room *r, uint32_t uptime_cs)
{
    static const oid UPTIME[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
    size_t length = OID_LENGTH(UPTIME);
    u_long uptime = uptime_cs;
    return snmp_realloc_rbuild_var_op(&r->octets, &r->size, &r->used, 0, UPTIME, &length,
                                      ASN_TIMETICKS, (u_char *)&uptime, sizeof uptime);
}

// The varbinds are at the end of the room already.
static bool snmp_trap_put_pdu(struct snmp_trap_room *r, uint32_t uptime_cs, long request)
{
    return snmp_trap_put_uptime(r, uptime_cs) &&
           snmp_trap_put_header(r, ASN_SEQUENCE | ASN_CONSTRUCTOR) && snmp_trap_put_number(r, 0) &&
           snmp_trap_put_number(r, 0) && snmp_trap_put_number(r, request) &&
           snmp_trap_put_header(r, SNMP_MSG_TRAP2);
}

// RFC 1901 3.
static bool snmp_trap_put_community(struct snmp_trap_room *r, const char *community)
{
    const u_char *octets = (const u_char *)community;
    return asn_realloc_rbuild_string(&r->octets, &r->size, &r->used, 0, ASN_OCTET_STR, octets,
                                     strlen(community)) &&
           snmp_trap_put_number(r, SNMP_VERSION_2c) &&
           snmp_trap_put_header(r, ASN_SEQUENCE | ASN_CONSTRUCTOR);
}

// Whether libsnmp would send it: a longer message gets its error.
static bool snmp_trap_send(struct snmp_link *link, const struct snmp_trap_room *r)
{
    const bool fits = r->used <= snmp_sess_session(link->handle)->sndMsgMaxSize;
    if (fits)
        snmp_wire_add(&link->wire, r->octets + r->size - r->used, r->used);
    return fits;
}

// What snmp_sess_async_send takes from the session.
static netsnmp_pdu snmp_trap_describe(const netsnmp_session *s, long request)
{
    return (netsnmp_pdu){.version = SNMP_VERSION_3,
                         .command = SNMP_MSG_TRAP2,
                         .reqid = request,
                         .msgid = snmp_get_next_msgid(),
                         .securityModel = s->securityModel,
                         .securityLevel = s->securityLevel,
                         .securityName = s->securityName ? s->securityName : (char *)"",
                         .securityNameLen = s->securityNameLen,
                         .securityEngineID = s->securityEngineID,
                         .securityEngineIDLen = s->securityEngineIDLen,
                         .contextEngineID = s->contextEngineID,
                         .contextEngineIDLen = s->contextEngineIDLen,
                         .contextName = s->contextName,
                         .contextNameLen = s->contextNameLen};
}

// RFC 3412 6. Under the lock.
static bool snmp_trap_put_v3(struct snmp_trap_room *out, const struct snmp_trap_room *pdu,
                             netsnmp_session *session, long request)
{
    netsnmp_pdu head = snmp_trap_describe(session, request);
    return session->contextName && session->contextEngineIDLen > 0 &&
           snmpv3_packet_realloc_rbuild(&out->octets, &out->size, &out->used, session, &head,
                                        pdu->octets + pdu->size - pdu->used, pdu->used) == 0;
}

static bool snmp_trap_send_v3(struct snmp_link *link, const struct snmp_trap_room *pdu,
                              long request)
{
    struct snmp_trap_room all = {.size = pdu->used + MESSAGE_HEAD_MAX};
    all.octets = memory_get(all.size); // libsnmp may make it longer
    snmp_lock();
    bool ok = snmp_trap_put_v3(&all, pdu, snmp_sess_session(link->handle), request);
    snmp_unlock();
    ok = ok && snmp_trap_send(link, &all);
    free(all.octets);
    return ok;
}

static bool snmp_trap_queue_encoded(struct snmp_link *link, const void *varbinds, size_t size,
                                    uint32_t uptime_cs)
{
    const struct snmp_target *t = link->target;
    u_char octets[SNMP_PDU_VARBINDS_SIZE + PDU_HEAD_MAX + MESSAGE_HEAD_MAX];
    struct snmp_trap_room r = {.octets = octets, .size = sizeof octets, .used = size};
    memcpy(octets + sizeof octets - size, varbinds, size);
    snmp_lock();
    long request = snmp_get_next_reqid();
    snmp_unlock();
    if (!snmp_trap_put_pdu(&r, uptime_cs, request))
        return false;
    if (t->version == SNMP_V3)
        return snmp_trap_send_v3(link, &r, request);
    return t->community[0] != '\0' && snmp_trap_put_community(&r, t->community) &&
           snmp_trap_send(link, &r);
}

// What the varbinds depend on beside the event.
static uint64_t snmp_trap_variant(const struct mib_notification *notification,
                                  const struct snmp_pdu_options *options)
{
    const uint64_t digest = digest_add(DIGEST_OF_NOTHING, &notification, sizeof notification);
    const uint64_t extra = digest_add(digest, &options->extra, sizeof options->extra);
    return options->trap_address ? digest_add(extra, options->trap_address, 4) : extra;
}

bool snmp_trap_queue(struct snmp_link *link, const struct event *event, size_t nth,
                     const struct mib_notification *notification,
                     const struct snmp_pdu_options *options)
{
    const uint64_t variant = snmp_trap_variant(notification, options);
    const unsigned place = EVENT_TEXT_SNMP + (unsigned)nth;
    const bool shared = nth < EVENT_TEXT_SNMP_PLACES;
    const struct event_text *kept = shared ? event_text_find(event, place, variant) : NULL;
    if (link->wire.broken != 0)
        return false;
    if (kept)
        return snmp_trap_queue_encoded(link, kept->octets, kept->size, options->uptime_cs);
    uint8_t varbinds[SNMP_PDU_VARBINDS_SIZE];
    size_t size = snmp_pdu_encode(event, notification, options, varbinds);
    if (size > 0 && shared)
        event_text_keep(event, place, variant, varbinds, size);
    return size > 0 && snmp_trap_queue_encoded(link, varbinds, size, options->uptime_cs);
}
