// SPDX-License-Identifier: BSD-2-Clause
// Answers the requests of a master agent (RFC 2741 7.2.3 and 7.2.4).
#pragma once

#include "agentx/options.h"
#include "agentx/pdu.h"

// A Set under way.
struct agentx_set {
    enum { AGENTX_SET_NONE, AGENTX_SET_TESTED, AGENTX_SET_COMMITTED } phase;
    uint32_t transaction;
    int64_t heard_at; // monotonic: when its last request came
    struct agentx_varbind varbinds[AGENTX_SET_MAX];
    size_t count;
};

// How a response treats a value AGENTX_LATER, and the result.
struct agentx_wait {
    bool may;       // the response may wait; else the value counts as AGENTX_NOT_NOW
    int64_t ticket; // result: of the value; there is no response yet; 0: there is a response
};

// Whether agentx_answer can answer requests of this type.
bool agentx_answer_is_for(const struct pdu_header *request);

// Reads the rest of a request from `in` and writes the response to `w`, which has room for a PDU of
// any size. Writes nothing if the request needs no response. `context`: that of the request; NULL:
// none that there can be. `wait` has no ticket yet; if `wait` gets a ticket, the written octets are
// no response. False: the request is malformed.
bool agentx_answer(const struct agentx_handler *handler, struct agentx_set *set,
                   const struct pdu_header *request, const char *context, struct pdu_reader *in,
                   struct pdu_writer *w, struct agentx_wait *wait, int64_t now);

// Ends a Set under way: cleans up a tested Set, undoes a committed Set.
void agentx_answer_abandon(const struct agentx_handler *handler, struct agentx_set *set);
