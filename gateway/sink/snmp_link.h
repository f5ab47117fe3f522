// The way to one receiver, a libsnmp session on a socket of its own: opening it, finding out the
// other engine, sending, and reading what comes back. Nothing here waits under libsnmp's lock.
#ifndef IBTRAPD_SINK_SNMP_LINK_H
#define IBTRAPD_SINK_SNMP_LINK_H

#include "sink/snmp_user.h"
#include "sink/snmp_wire.h"

struct snmp_link_options {
    const char *host;
    uint16_t port;
    bool stream;
    long version; // SNMP_VERSION_1, ...
    bool inform;
    unsigned timeout_ms, retries;
    const char *community;         // v1, v2c
    const struct tls_options *tls; // v3 over TLS or DTLS, which then stands for users; NULL: plain
    const struct snmp_keys *keys;  // v3 without TLS
    const char *context;           // v3, and what follows
    const uint8_t *engine_id;      // informs: the engine that the other side must be
    size_t engine_id_size;         // 0: any
};

struct snmp_link {
    const struct snmp_link_options *options;
    struct snmp_wire wire;
    void *handle; // libsnmp's single session
    void *owner;
    uint8_t engine_id[SNMP_ENGINE_ID_MAX]; // v3 with users: the authoritative one
    size_t engine_id_size;                 // 0: no user was added there
    bool answered;                         // while the other engine is asked for
    char problem[256];                     // why an answer will not come; empty: none known
};

// Connects; with v3 also agrees on keys: by TLS, or with this gateway's own engine for traps, with
// the other side's for informs, which takes an answer from it and waits for that up to five
// seconds. `options` stay the caller's and outlive the session. False: nothing is left open.
bool snmp_link_open(struct snmp_link *s, const struct snmp_link_options *options, void *owner,
                    struct error *err);
void snmp_link_close(struct snmp_link *s);

// Encodes and queues a PDU, and frees it. Under the lock. `answer` is as of snmp_sess_async_send,
// or NULL; its session's callback_magic is the owner.
bool snmp_link_queue(struct snmp_link *s, netsnmp_pdu *pdu, snmp_callback answer, void *magic,
                     struct error *err);

// Sends what is queued. Not under the lock.
bool snmp_link_flush(struct snmp_link *s, struct error *err);

// Waits up to `timeout_ms` for something to arrive, lets libsnmp have all of it, and sends again
// what was not answered in time. Calls the callbacks. False: broken. Not under the lock.
bool snmp_link_serve(struct snmp_link *s, int timeout_ms, struct error *err);

// For callbacks: notes why no answer will come, unless something is noted. What libsnmp reports
// with `operation` and the PDU that came; returns true when it is a proper answer.
bool snmp_link_check_response(struct snmp_link *s, int operation, netsnmp_pdu *pdu);

#endif
