// SPDX-License-Identifier: BSD-2-Clause
// The connection to one SNMP receiver: a libsnmp session on a socket of its own. Opens the session,
// discovers the other engine, sends, and reads the answers. Never waits under libsnmp's lock.
#pragma once

#include "sink/snmp_engine.h"
#include "sink/snmp_pdu.h"
#include "sink/snmp_target.h"
#include "sink/snmp_wire.h"

struct snmp_link {
    const struct snmp_target *target;
    const struct snmp_keys *keys; // v3 with users
    struct snmp_wire wire;
    void *handle; // libsnmp's single session
    void *owner;
    uint8_t engine_id[SNMP_ENGINE_ID_MAX]; // v3 with users: the authoritative engine
    size_t engine_id_size;                 // 0: no user was added for it
    bool answered;                         // during discovery: the engine has answered
    char problem[256];                     // why no answer will come; empty: unknown
};

// Connects. With v3, also agrees on keys: through TLS, or for this gateway's engine (traps), or for
// the receiver's engine (informs). Waits up to five seconds for the receiver's answer. `target` and
// `keys` stay the caller's and outlive the session. Returns false with a sentence, and leaves
// nothing open.
bool snmp_link_open(struct snmp_link *s, const struct snmp_target *target,
                    const struct snmp_keys *keys, void *owner, struct error *err);
void snmp_link_close(struct snmp_link *s);

// After a failure because nobody is at the address: opens the session at the name's next address,
// until `until` (monotonic microseconds), at most snmp_link_deadline(). Queued messages are gone.
// If this returns false, close the session; `err` has a sentence, or is unchanged if no further
// address is worth an attempt.
bool snmp_link_open_next(struct snmp_link *s, int64_t until, struct error *err);
int64_t snmp_link_deadline(void);

// Encodes, queues and frees a PDU. Under the lock. `answer` is the callback of
// snmp_sess_async_send, or NULL; callback_magic of the callback's session is the owner.
bool snmp_link_queue(struct snmp_link *s, netsnmp_pdu *pdu, snmp_callback answer, void *magic,
                     struct error *err);

// Sends the queued messages. Not under the lock.
bool snmp_link_flush(struct snmp_link *s, struct error *err);

// Waits up to `timeout_ms` for packets, passes packets to libsnmp, which calls the callbacks, and
// retransmits PDUs that were not answered in time. Returns false with a sentence if the session is
// broken. Not under the lock.
bool snmp_link_serve(struct snmp_link *s, int timeout_ms, struct error *err);

// For callbacks: whether `operation` and the PDU, both from libsnmp, are a proper answer. If not,
// records in `problem` why no answer will come, unless `problem` has a reason already.
bool snmp_link_check_response(struct snmp_link *s, int operation, netsnmp_pdu *pdu);

// SNMPv2 traps, in messages of SNMPv2c and SNMPv3. The varbinds are encoded once for all receivers
// (model/event.h). libsnmp would make the same octets.

// Queues the `nth` notification of an event for this receiver, counted from 0. Not under the lock.
// If this returns false, nothing is queued: snmp_link_queue sends the notification, or says why
// not.
bool snmp_trap_queue(struct snmp_link *link, const struct event *event, size_t nth,
                     const struct mib_notification *notification,
                     const struct snmp_pdu_options *options);
