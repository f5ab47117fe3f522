// SPDX-License-Identifier: BSD-2-Clause
// The control socket: a Unix socket on which ibtrapctl sends one JSON object per line and gets one
// back.
#ifndef IBTRAPD_CONTROL_SERVER_H
#define IBTRAPD_CONTROL_SERVER_H

#include "base/error.h"
#include "base/log.h"

#include <jansson.h>
#include <sys/types.h>

struct event_base; // of libevent

enum {
    SERVER_CLIENTS_MAX = 32,
    SERVER_OUTPUT_MAX = 4 << 20, // octets that a client may leave unread; beyond, it is dropped
};

// Answers the request `command`. Returns a new reference; NULL: unknown command.
typedef json_t *(*server_handler)(void *ctx, const char *command, const json_t *request);

// The group of the process itself.
#define SERVER_OWN_GROUP ((gid_t)-1)

struct server_options {
    struct event_base *base;
    const char *path;
    gid_t group; // of the socket, or SERVER_OWN_GROUP
    server_handler handler;
    bool (*reads_only)(const char *command); // true: every client may send that command
    void *ctx;
    struct log *log;
};

struct server;

// Listens on `path`, mode 0660, in the loop of `base`. Replaces a socket that no process serves.
// The handler runs in the loop's thread. A command that is not `reads_only` is for root, our own
// user and the members of the group; the log names the user. NULL with a sentence: failed.
struct server *server_start(const struct server_options *options, struct error *err);
void server_stop(struct server *server); // removes the socket; NULL is allowed

#endif
