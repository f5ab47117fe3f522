// SPDX-License-Identifier: BSD-2-Clause
// The commands of the control socket: one row each in commands.c.
#ifndef IBTRAPD_CONTROL_COMMANDS_H
#define IBTRAPD_CONTROL_COMMANDS_H

#include "control/control.h"

// Whether a command only reads. A row without this item writes: such a command is refused to
// unprivileged clients, and the log names its user.
enum control_access { CONTROL_WRITES, CONTROL_READS };

enum control_place { CONTROL_AT_ONCE, CONTROL_BY_WORKER };

struct control_command {
    const char *name; // item "command" of the request
    // Returns the answer, a new reference: an object with item "version", and with "error" when the
    // command was refused. NULL: out of memory.
    json_t *(*answer)(struct control *control, const json_t *request);
    enum control_access access;
    // Whether the thread of the control socket makes the answer, or the worker's, as it takes long
    // or reads the journal's file. That uses those members of `control` only that control_begin
    // fills in.
    enum control_place place;
};

// All commands, in no order.
const struct control_command *control_commands(size_t *count);

// Answers one request. A server_handler (control/server.h) whose context is a struct control.
json_t *control_answer(void *ctx, const struct peer_credentials *client, const char *command,
                       const json_t *request);

// Work for struct server_later, of commands that control_is_for_worker: control_begin takes a
// struct control as control_answer does. Any thread may do the work, but only one at a time, as
// pages are kept for clients.
bool control_is_for_worker(const char *command);
void *control_begin(void *ctx, const struct peer_credentials *client, const char *command,
                    json_t *request);
void control_work(void *work);
json_t *control_end(void *work, bool wanted);

// True when every client may send that command; false for one that writes or does not exist.
bool control_reads_only(const char *command);

#endif
