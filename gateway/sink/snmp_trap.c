// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_trap.h"

#include "base/hash.h"
#include "base/memory.h"
#include "model/event.h"
#include "sink/snmp_engine.h"

#include <stdlib.h>
#include <string.h>

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
    const struct snmp_link_options *o = link->options;
    u_char octets[SNMP_PDU_VARBINDS_SIZE + PDU_HEAD_MAX + MESSAGE_HEAD_MAX];
    struct snmp_trap_room r = {.octets = octets, .size = sizeof octets, .used = size};
    memcpy(octets + sizeof octets - size, varbinds, size);
    snmp_lock();
    long request = snmp_get_next_reqid();
    snmp_unlock();
    if (!snmp_trap_put_pdu(&r, uptime_cs, request))
        return false;
    if (o->version == SNMP_VERSION_3)
        return snmp_trap_send_v3(link, &r, request);
    return o->community[0] != '\0' && snmp_trap_put_community(&r, o->community) &&
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
