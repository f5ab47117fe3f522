// SPDX-License-Identifier: BSD-2-Clause
// The commands of the control socket: one row each in commands.c.
#ifndef IBTRAPD_CONTROL_COMMANDS_H
#define IBTRAPD_CONTROL_COMMANDS_H

#include "control/control.h"

// Whether a command only reads. A row without this item writes: such a command is refused to
// unprivileged clients, and the log names its user.
enum control_access { CONTROL_WRITES, CONTROL_READS };

struct control_command {
    const char *name; // item "command" of the request
    // Returns the answer, a new reference: an object with item "version", and with "error" when the
    // command was refused. NULL: out of memory.
    json_t *(*answer)(struct control *control, const json_t *request);
    enum control_access access;
};

// All commands, in no order.
const struct control_command *control_commands(size_t *count);

// Answers one request. A server_handler (control/server.h) whose context is a struct control.
json_t *control_answer(void *ctx, const struct peer_credentials *client, const char *command,
                       const json_t *request);

// True when every client may send that command; false for one that writes or does not exist.
bool control_reads_only(const char *command);

#endif
