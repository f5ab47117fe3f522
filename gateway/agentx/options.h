// SPDX-License-Identifier: BSD-2-Clause
// A session with a master agent (agentx/client.h): options, states, and the functions to answer the
// requests of the master agent.
// Decides: What happens when another subagent has registered the same tables?
#pragma once

#include "agentx/value.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"

enum {
    AGENTX_SET_MAX = 64,      // varbinds of one Set; a larger one fails with resourceUnavailable
    AGENTX_CONTEXT_SIZE = 33, // snmpAdminString of VACM contexts (RFC 3415), and a NUL
};

// agentx_client_run and agentx_client_free call these functions. The functions must not call
// functions of the client; only `notified` may call agentx_client_notify.
struct agentx_handler {
    // `context`, here and below: the context of the request; empty: the default context. In a
    // context, the master asks for the names below our regions. A request with an impossible name
    // of a context is answered with unsupportedContext.

    // Fills `value`, of type AGENTX_NO_SUCH_OBJECT or AGENTX_NO_SUCH_INSTANCE if there is none.
    // Here and below, AGENTX_NOT_NOW: the value cannot be found now, because the journal cannot be
    // read or the SA cannot be asked; the response is genErr. AGENTX_LATER: the client asks again
    // once `is_ready` is true of the ticket, or a few seconds have passed; AGENTX_LATER then counts
    // as AGENTX_NOT_NOW. Requests that come meanwhile are answered. A response to GetBulk that has
    // something already does not wait.
    void (*get)(void *ctx, const char *context, const struct agentx_oid *name,
                struct agentx_value *value);

    // Finds the first instance after `name` (with `include`, or equal to it) and before `end`
    // (empty: no end), and its value. False: there is none.
    bool (*get_next)(void *ctx, const char *context, const struct agentx_oid *name, bool include,
                     const struct agentx_oid *end, struct agentx_oid *found,
                     struct agentx_value *value);

    // Whether to ask again for a value AGENTX_LATER. NULL: there are no such values.
    bool (*is_ready)(void *ctx, int64_t ticket);

    // The phases of a Set (RFC 2741 7.2.4). On an error, `test` sets `failed` to the index of the
    // failed varbind in `varbinds`. After a successful test, the client calls either commit or
    // cleanup; after a successful commit, undo or cleanup. If the session is lost during a Set, or
    // the master does not continue it for a minute, the client calls cleanup for a tested Set and
    // undo for a committed one.
    enum agentx_error (*test)(void *ctx, const char *context, const struct agentx_varbind *varbinds,
                              size_t n, size_t *failed);
    enum agentx_error (*commit)(void *ctx);
    enum agentx_error (*undo)(void *ctx);
    void (*cleanup)(void *ctx);

    // The ticket that the last call of test, commit or undo waits for; 0: the call is done. With a
    // ticket, the client repeats the call, with the same arguments, once `is_ready` is true of the
    // ticket. After a few seconds, test has failed with resourceUnavailable, undo with undoFailed,
    // and commit with commitFailed: then the client calls cleanup. NULL: no call waits.
    int64_t (*pending)(void *ctx);

    // The master answered a notification; calls come in the order of sending. `error`:
    // AGENTX_NO_ERROR, or the master's error. If the session is lost, unanswered notifications are
    // lost with it, without a call.
    void (*notified)(void *ctx, unsigned error);
    void *ctx;
};

enum {
    AGENTX_REGIONS_MAX = 65536,
    AGENTX_IN_FLIGHT_MAX = 128, // notifications that may wait for their responses
};

// A subtree of the MIB; the master sends us the requests for its objects.
struct agentx_region {
    const uint32_t *ids;
    size_t length;                     // at most AGENTX_OID_MAX
    char context[AGENTX_CONTEXT_SIZE]; // empty: the default context
    bool optional; // while another subagent has the region, the session continues
    bool quiet;    // the log does not say so
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
    AGENTX_UP,      // open, and the regions are registered, but for optional regions
};
