// SPDX-License-Identifier: BSD-2-Clause
// What a session with a master agent (agentx/client.h) is to be, and how far it is.
#ifndef IBTRAPD_AGENTX_OPTIONS_H
#define IBTRAPD_AGENTX_OPTIONS_H

#include "agentx/handler.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"

enum {
    AGENTX_REGIONS_MAX = 65536,
    AGENTX_IN_FLIGHT_MAX = 128, // notifications that may wait for their responses
};

// A subtree of the MIB; the master sends us the requests for its objects.
struct agentx_region {
    const uint32_t *ids;
    size_t length;                     // at most AGENTX_OID_MAX
    char context[AGENTX_CONTEXT_SIZE]; // empty: the default context
    bool optional; // if another subagent has registered it, the session continues without it
    bool quiet;    // which the log does not say
};

struct agentx_options {
    const char *master; // path of a Unix socket, or "tcp:HOST:PORT"; HOST is an address, no name
    const char *description; // of the subagent, for the master's log
    const struct agentx_region *regions;
    size_t region_count; // at most AGENTX_REGIONS_MAX; the first ones are registered first.
                         // agentx_client_extend adds some
    struct agentx_handler handler; // functions may be NULL
    const struct clock *clock;
    const struct random *random;
    struct log *log; // NULL: none
};

enum agentx_state {
    AGENTX_AWAY,    // no connection; the client tries again, with a pause that grows up to a minute
    AGENTX_OPENING, // connecting, opening or registering
    AGENTX_UP,      // open, and every region that is not optional is registered
};

#endif
