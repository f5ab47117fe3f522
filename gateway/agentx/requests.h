// SPDX-License-Identifier: BSD-2-Clause
// Our own requests to the master agent, and those that it has not answered yet.
#ifndef IBTRAPD_AGENTX_REQUESTS_H
#define IBTRAPD_AGENTX_REQUESTS_H

#include "agentx/state.h"

int64_t agentx_requests_now(const struct agentx_client *c); // monotonic

// Whether a PDU of any size can be sent.
bool agentx_requests_has_room(struct agentx_client *c);

// Begins a PDU of the next packet number. `agentx_requests_add` queues it and remembers the
// request; false: there is no room.
struct pdu_writer agentx_requests_begin(struct agentx_client *c, enum pdu_type type,
                                        const char *context);
bool agentx_requests_add(struct agentx_client *c, struct pdu_writer *w, enum pdu_type type,
                         size_t region);

void agentx_requests_open(struct agentx_client *c);
void agentx_requests_ping(struct agentx_client *c);

// Sends the reason before the descriptor is closed, which alone would end the session, too.
void agentx_requests_close(struct agentx_client *c, enum pdu_reason reason);

// The unanswered request at that place, the oldest at 0, of request_count; the one of that packet,
// NULL: there is none.
struct request *agentx_requests_at(struct agentx_client *c, size_t i);
struct request *agentx_requests_find(struct agentx_client *c, uint32_t packet);

// Removes answered requests up to the first unanswered one, and reports answered notifications to
// the handler.
void agentx_requests_pass(struct agentx_client *c);

#endif
