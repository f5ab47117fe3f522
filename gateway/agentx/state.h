// SPDX-License-Identifier: BSD-2-Clause
// The state of a session with a master agent, which the files of the client share.
#ifndef IBTRAPD_AGENTX_STATE_H
#define IBTRAPD_AGENTX_STATE_H

#include "agentx/answer.h"
#include "agentx/later.h"
#include "agentx/link.h"
#include "agentx/options.h"
#include "base/error.h"

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
    int64_t retry_at; // another subagent has it; 0: no other one has
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
    size_t tried;             // regions: a Register was sent for each of these first ones
    size_t registers;         // unanswered
    int64_t regions_retry_at; // the earliest retry_at; INT64_MAX: no region is tried again
    struct request requests[REQUESTS_MAX]; // a ring, the oldest first
    size_t request_head, request_count;
    size_t notifications; // among the requests
    unsigned unasked;     // responses to no request of ours, since the last other one
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

#endif
