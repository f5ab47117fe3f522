// SPDX-License-Identifier: BSD-2-Clause
// The state of a session with a master agent: our requests and their answers, our regions, and the
// master's requests whose values are still being fetched. For one thread.
#pragma once

#include "agentx/answer.h"
#include "agentx/link.h"
#include "agentx/options.h"
#include "base/error.h"

#include <sys/queue.h>

// Requests of the master agent that wait for their values; other requests pass them.

// A further request is answered with genErr at once if its values are not there.
enum {
    AGENTX_LATER_MAX = 256,              // requests
    AGENTX_LATER_SIZE_MAX = 1024 * 1024, // their octets
};

struct agentx_later_request {
    TAILQ_ENTRY(agentx_later_request) in_order;
    int64_t ticket; // of the value to wait for
    int64_t until;  // monotonic: the request gets its response then in any case
    size_t size;
    uint8_t octets[]; // the whole PDU
};
TAILQ_HEAD(agentx_later_requests, agentx_later_request);

struct agentx_later {
    struct agentx_later_requests requests; // oldest first
    size_t count, size;
};

void agentx_later_init(struct agentx_later *later);
void agentx_later_clear(struct agentx_later *later); // forgets all

// Copies a request, for which agentx_later_has_room returned true.
void agentx_later_add(struct agentx_later *later, const uint8_t *octets, size_t size,
                      int64_t ticket, int64_t until);
void agentx_later_remove(struct agentx_later *later, struct agentx_later_request *request);

// Whether the bounds have room for a further request of the size.
bool agentx_later_has_room(const struct agentx_later *later, size_t size);

// When the first request gets its response in any case; INT64_MAX: no request waits.
int64_t agentx_later_until(const struct agentx_later *later);

// Our unanswered requests: notifications, Registers, and one Open or Ping.
enum { REGISTERS_MAX = 64, REQUESTS_MAX = AGENTX_IN_FLIGHT_MAX + REGISTERS_MAX + 1 };

struct request {
    uint8_t type;    // enum pdu_type
    uint32_t region; // of a Register
    uint32_t packet;
    int64_t sent_at;
    bool answered;
    unsigned error; // once answered
};

struct region {
    bool asked;       // a Register is unanswered
    int64_t retry_at; // another subagent has the region; 0: no other subagent
};

struct agentx_client {
    struct agentx_options options;
    struct agentx_address address;
    struct agentx_link link;
    enum agentx_state state;
    struct error problem;  // empty: up
    struct error reported; // the problem that was logged last; empty: none

    uint32_t session, last_packet;
    struct region *regions;
    size_t tried;             // regions: the number of first regions with a sent Register
    size_t registers;         // unanswered
    int64_t regions_retry_at; // the earliest retry_at; INT64_MAX: no region is tried again
    struct request requests[REQUESTS_MAX]; // a ring, the oldest first
    size_t request_head, request_count;
    size_t notifications; // among the requests
    unsigned unasked;     // responses in a row to no request of ours
    struct agentx_set set;
    struct agentx_later later;
    bool is_open; // the master has opened the session
    bool is_full; // the master has to read more before we answer further requests

    int64_t opened_at, heard_at, up_since, retry_at;
    unsigned failures; // in a row
    int64_t master_started_at;
};

// log_write, if there is a log.
#define AGENTX_LOG(c, ...)                                                                         \
    do {                                                                                           \
        if ((c)->options.log)                                                                      \
            log_write((c)->options.log, __VA_ARGS__);                                              \
    } while (0)

// Our requests.

int64_t agentx_session_now(const struct agentx_client *c); // monotonic

// Whether a PDU of any size can be sent.
bool agentx_session_has_room(struct agentx_client *c);

// Begins a PDU of the next packet number. `agentx_session_add` queues the PDU and remembers the
// request; false: there is no room.
struct pdu_writer agentx_session_begin(struct agentx_client *c, enum pdu_type type,
                                       const char *context);
bool agentx_session_add(struct agentx_client *c, struct pdu_writer *w, enum pdu_type type,
                        size_t region);

void agentx_session_open(struct agentx_client *c);
void agentx_session_ping(struct agentx_client *c);

// Sends the reason before the descriptor is closed, which alone would end the session, too.
void agentx_session_close(struct agentx_client *c, enum pdu_reason reason);

// The unanswered request at a place, of request_count, the oldest at 0; the request of a packet, or
// NULL.
struct request *agentx_session_at(struct agentx_client *c, size_t i);
struct request *agentx_session_find(struct agentx_client *c, uint32_t packet);

// Removes answered requests up to the first unanswered one, and reports answered notifications to
// the handler.
void agentx_session_pass(struct agentx_client *c);

// Registers the regions of a session (RFC 2741 6.2.3), REGISTERS_MAX at a time.

// Sends the Registers of further regions.
void agentx_session_register(struct agentx_client *c);

// Takes the response to a Register. False with a sentence: the session cannot go on without it.
bool agentx_session_registered(struct agentx_client *c, size_t region, unsigned error,
                               struct error *err);

// Sends the due Registers of regions that another subagent had.
void agentx_session_register_again(struct agentx_client *c, int64_t now);

// As agentx_client_release.
bool agentx_session_release(struct agentx_client *c, size_t region);
