// What a subagent has to offer a master agent: the functions that answer its requests.
#ifndef IBTRAPD_AGENTX_HANDLER_H
#define IBTRAPD_AGENTX_HANDLER_H

#include "agentx/value.h"

enum { AGENTX_SET_MAX = 64 }; // varbinds of one Set; a larger one is refused: resourceUnavailable

// Called from agentx_client_run and agentx_client_free. Of the client's functions they may call
// agentx_client_notify only, and only from `notified`.
struct agentx_handler {
    // Fills `value`; of type AGENTX_NO_SUCH_OBJECT or AGENTX_NO_SUCH_INSTANCE when there is none,
    // and, here and below, AGENTX_NOT_NOW when memory is too short to tell: the answer is genErr.
    void (*get)(void *ctx, const struct agentx_oid *name, struct agentx_value *value);

    // The first instance after `name` (or at it, with `include`) and before `end` (empty: no end),
    // with its value. False: there is none.
    bool (*get_next)(void *ctx, const struct agentx_oid *name, bool include,
                     const struct agentx_oid *end, struct agentx_oid *found,
                     struct agentx_value *value);

    // The phases of a Set (RFC 2741 7.2.4). `failed` gets the index in `varbinds` of the one an
    // error is about. After a test that found no error, either commit or cleanup comes; after
    // commit, undo or cleanup, unless it failed. When the session is lost in the middle, or the
    // master does not go on for a minute, what was tested is cleaned up, and what was committed is
    // undone.
    enum agentx_error (*test)(void *ctx, const struct agentx_varbind *varbinds, size_t n,
                              size_t *failed);
    enum agentx_error (*commit)(void *ctx);
    enum agentx_error (*undo)(void *ctx);
    void (*cleanup)(void *ctx);

    // A notification was answered; these come in the order of the sending. `error`:
    // AGENTX_NO_ERROR, or what the master answered. When the session is lost, those under way are
    // lost with it, without a call.
    void (*notified)(void *ctx, unsigned error);
    void *ctx;
};

#endif
