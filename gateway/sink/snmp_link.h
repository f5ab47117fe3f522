// SPDX-License-Identifier: BSD-2-Clause
// The connection to one SNMP receiver: a libsnmp session on a socket of its own. Opens it,
// discovers the other engine, sends, and reads the answers. Never waits under libsnmp's lock.
#ifndef IBTRAPD_SINK_SNMP_LINK_H
#define IBTRAPD_SINK_SNMP_LINK_H

#include "sink/snmp_engine.h"
#include "sink/snmp_pdu.h"
#include "sink/snmp_wire.h"

struct snmp_link_options {
    const char *host;
    uint16_t port;
    bool stream;
    bool ipv6;    // for datagrams: a name's IPv6 addresses before its IPv4 addresses
    long version; // SNMP_VERSION_1, ...
    bool inform;
    unsigned timeout_ms, retries;
    const char *community;         // v1, v2c
    const struct tls_options *tls; // v3 over TLS or DTLS, instead of users; NULL: none
    const struct snmp_keys *keys;  // v3 without TLS
    const char *context;           // v3, as are the next two
    const uint8_t *engine_id;      // informs: the engine ID that the receiver must have
    size_t engine_id_size;         // 0: any
};

struct snmp_link {
    const struct snmp_link_options *options;
    struct snmp_wire wire;
    void *handle; // libsnmp's single session
    void *owner;
    uint8_t engine_id[SNMP_ENGINE_ID_MAX]; // v3 with users: the authoritative engine
    size_t engine_id_size;                 // 0: no user was added for it
    bool answered;                         // during discovery: the engine has answered
    char problem[256];                     // why no answer will come; empty: unknown
};

// Connects. With v3, also agrees on keys: through TLS, or for this gateway's engine (traps), or for
// the receiver's engine (informs), for whose answer it waits up to five seconds. `options` stay the
// caller's and outlive the session. False with a sentence; nothing is left open.
bool snmp_link_open(struct snmp_link *s, const struct snmp_link_options *options, void *owner,
                    struct error *err);
void snmp_link_close(struct snmp_link *s);

// After a failure that says that nobody is at the address: opens the session at the next address of
// the name, until `until` (monotonic microseconds), at most snmp_link_deadline(). What was queued
// is gone. False: close it; `err` has a sentence, or stays as it is if no further address is worth
// an attempt.
bool snmp_link_open_next(struct snmp_link *s, int64_t until, struct error *err);
int64_t snmp_link_deadline(void);

// Encodes, queues and frees a PDU. Under the lock. `answer` is the callback of
// snmp_sess_async_send, or NULL; its session's callback_magic is the owner.
bool snmp_link_queue(struct snmp_link *s, netsnmp_pdu *pdu, snmp_callback answer, void *magic,
                     struct error *err);

// Sends what is queued. Not under the lock.
bool snmp_link_flush(struct snmp_link *s, struct error *err);

// Waits up to `timeout_ms` for packets, passes them to libsnmp, which calls the callbacks, and
// retransmits PDUs that were not answered in time. False with a sentence: broken. Not under the
// lock.
bool snmp_link_serve(struct snmp_link *s, int timeout_ms, struct error *err);

// For callbacks: whether `operation` and the PDU, as libsnmp passes them, are a proper answer.
// Otherwise records in `problem` why no answer will come, unless it has a reason already.
bool snmp_link_check_response(struct snmp_link *s, int operation, netsnmp_pdu *pdu);

// Sends SNMPv2 traps, in messages of SNMPv2c and SNMPv3, whose varbinds are encoded once for all
// receivers (model/event.h). The octets are those that libsnmp would make.

// Queues the notification of an event that is the `nth` for its receiver, counted from 0. Not under
// the lock. False: nothing is queued, and snmp_link_queue sends it, or says why it cannot.
bool snmp_trap_queue(struct snmp_link *link, const struct event *event, size_t nth,
                     const struct mib_notification *notification,
                     const struct snmp_pdu_options *options);

#endif
