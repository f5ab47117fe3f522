// SPDX-License-Identifier: BSD-2-Clause
// The control socket: a Unix socket on which ibtrapctl sends one JSON object per line and gets one
// back.
// Decides: Which client of the control socket loses its place?
#ifndef IBTRAPD_CONTROL_SERVER_H
#define IBTRAPD_CONTROL_SERVER_H

#include "base/log.h"
#include "control/peer_credentials.h"
#include "control/worker.h"

#include <jansson.h>
#include <sys/types.h>

struct event_base; // of libevent
struct evbuffer;   // as well

enum {
    SERVER_CLIENTS_MAX = 32,
    SERVER_STRANGER_MAX = 8,     // clients of a user without privileges
    SERVER_OUTPUT_MAX = 4 << 20, // octets that a client may leave unread; beyond, it is dropped
};

// Answers the request `command` of that client. Returns a new reference; NULL: unknown command.
typedef json_t *(*server_handler)(void *ctx, const struct peer_credentials *client,
                                  const char *command, const json_t *request);

// Requests that the threads of workers answer, as that takes long or waits for a disk. Meanwhile
// the loop goes on; the client's further requests wait, so that its answers keep their order. A
// client that leaves gives up its request; work that has begun goes on.
struct server_later {
    // Loop's thread. The worker that answers that command, which may stop, but outlives the server;
    // NULL: the handler does. Only one of them ever gets a command, as both could be at it at once.
    // A NULL function: the handler answers everything.
    struct worker *(*worker_of)(void *ctx, const char *command);
    // Loop's thread. Makes the work of answering a request; takes a reference to it.
    void *(*begin)(void *ctx, const struct peer_credentials *client, const char *command,
                   json_t *request);
    void (*work)(void *work); // in the worker's thread
    // Loop's thread. How long the client waits; after that, it gets a sentence and no answer.
    int64_t (*patience_us)(const void *work);
    // Loop's thread. The sentence for a client whose patience is over, before `end`: the work has
    // `begun`, or waits for that of others.
    const char *(*late)(const void *work, bool begun);
    // Loop's thread. Frees the work, done or not. Adds the answer as a line to `out`; NULL: nobody
    // wants it.
    void (*end)(void *work, struct evbuffer *out);
};

// The group of the process itself.
#define SERVER_OWN_GROUP ((gid_t)-1)

struct server_options {
    struct event_base *base;
    const char *path;
    gid_t group; // of the socket, or SERVER_OWN_GROUP
    server_handler handler;
    bool (*reads_only)(const char *command); // true: every client may send that command
    struct server_later later;
    void *ctx;
    struct log *log;
};

struct server;

// Makes libevent and jansson erase what they free, as a request may have a configuration with
// communities in it, and end the process when memory ends. Call it before anything else of either
// library.
void server_own_memory(void);

// Listens on `path`, mode 0660, in the loop of `base`. Replaces a socket that no process serves.
// The handler runs in the loop's thread. A command that is not `reads_only` is for root, our own
// user and the members of the group; the log names the user. NULL with a sentence: failed.
//
// When all places are taken, a new client gets that of the client with the least rights that was
// silent longest: strangers before members of the group, these before root and our own user. It
// gets no place from a client with more rights, nor from one with the same rights that reads its
// answers; one that waits for the worker has nothing to read yet. A stranger who has
// SERVER_STRANGER_MAX clients loses the one that was silent longest. The log tells it, and a client
// that waits for a worker hears so in a sentence, which says whether its request has begun.
struct server *server_start(const struct server_options *options, struct error *err);

// Drops all clients, as ibtrapd stops; never waits. A client that waits for a worker gets its
// answer, if the worker has just made it, or a sentence as above. Call it when the loop has ended
// and the workers have stopped, while all that answers are made of is still there. NULL is allowed.
void server_dismiss(struct server *server);

void server_stop(struct server *server); // removes the socket; NULL is allowed

#endif
