// SPDX-License-Identifier: BSD-2-Clause
// The control socket: a Unix socket. ibtrapctl sends one JSON object per line, and gets one JSON
// object for each line.
// Decides: Which client of the control socket loses its place?
#pragma once

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
    SERVER_OUTPUT_MAX = 4 << 20, // unread octets; a client with more is dropped
};

// Answers the request `command` of the client. Returns a new reference; NULL: unknown command.
typedef json_t *(*server_handler)(void *ctx, const struct peer_credentials *client,
                                  const char *command, const json_t *request);

// Requests for the threads of workers: an answer takes long, or waits for a disk. Meanwhile the
// loop goes on. The client's further requests wait: answers keep the order of the requests. A
// client that leaves gives up its request. Work that has begun goes on.
struct server_later {
    // Loop's thread. Returns the worker for the command; NULL: the handler answers the command. The
    // worker may stop, but outlives the server. A command must always have the same worker or the
    // handler: otherwise both could run the command at once. A NULL function: the handler answers
    // everything.
    struct worker *(*worker_of)(void *ctx, const char *command);
    // Loop's thread. Makes the work of answering a request; takes a reference to the request.
    void *(*begin)(void *ctx, const struct peer_credentials *client, const char *command,
                   json_t *request);
    void (*work)(void *work); // in the worker's thread
    // Loop's thread. How long the client waits. Then the client gets a sentence and no answer.
    int64_t (*patience_us)(const void *work);
    // Loop's thread. The sentence for a client at the end of its patience, before `end`. `begun`:
    // the work has begun; false: the work waits for the work of other clients.
    const char *(*late)(const void *work, bool begun);
    // Loop's thread. Frees the work, done or not. Adds the answer as a line to `out`; NULL: nobody
    // wants the answer.
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

// Makes libevent and jansson erase freed memory: a request may have a configuration with
// communities. The end of memory in either library ends the process. Call server_own_memory before
// any function of the libraries.
void server_own_memory(void);

// Listens on `path`, mode 0660, in the loop of `base`. Replaces a socket that no process serves.
// The handler runs in the loop's thread. A command that writes is for root, our own user and the
// members of the group; the log names the user. NULL with a sentence: failed.
//
// When all places are taken, a new client gets the place of the client with the least rights; of
// clients with equal rights, of the client that was silent longest. Strangers lose their places
// before members of the group, members before root and our own user. A client with more rights than
// the new client keeps its place. A client with equal rights and unread answers keeps its place,
// too; a client that waits for a worker has no unread answer. A stranger with SERVER_STRANGER_MAX
// clients loses the client that was silent longest. The log names both clients. A client that waits
// for a worker gets a sentence: why, and whether its request has begun.
struct server *server_start(const struct server_options *options, struct error *err);

// Drops all clients: ibtrapd stops. Never waits. A client that waits for a worker gets the answer,
// if the worker has just made the answer, or a sentence like the sentence above. Call
// server_dismiss after the end of the loop and the workers, and before the end of the parts of the
// gateway. NULL is allowed.
void server_dismiss(struct server *server);

void server_stop(struct server *server); // removes the socket; NULL is allowed
