// SPDX-License-Identifier: BSD-2-Clause
// The commands of the control socket: one row each in commands.c.
// Decides: Which commands may every user run, and which thread answers a command?
#pragma once

#include "control/handlers.h"
#include "control/server.h"

// Whether a command only reads. A row without this item writes: unprivileged clients cannot run the
// command, and the log names the user.
enum control_access { CONTROL_WRITES, CONTROL_READS };

// The thread that makes the answer: at once, the thread of the control socket; `answers` for a
// command that takes long or reads the journal's file; `changes` for a command that waits for the
// pipeline, and perhaps for the journal's disk; `reloads` for a command that also waits for the end
// of receivers. The workers use only the members of `control` set at the begin of their work.
enum control_place { CONTROL_AT_ONCE, CONTROL_BY_ANSWERS, CONTROL_BY_CHANGES, CONTROL_BY_RELOADS };

struct control_command {
    const char *name; // item "command" of the request
    // Returns the answer, a new reference: an object with item "version", and with "error" when the
    // command was refused.
    control_handler *answer;
    enum control_access access;
    enum control_place place;
};

// All commands, in no order.
const struct control_command *control_commands(size_t *count);

// Copies the settings of the configuration; NULL: there is none. Main thread.
struct control_settings control_settings_of(const struct conf *conf);

// Answers one request. A server_handler (control/server.h). The context is a struct control.
json_t *control_answer(void *ctx, const struct peer_credentials *client, const char *command,
                       const json_t *request);

// The work of workers. The context is a struct control. Each worker does one piece of work at a
// time.
extern const struct server_later CONTROL_LATER;

// True when every client may send the command; false if the command writes or does not exist.
bool control_reads_only(const char *command);
