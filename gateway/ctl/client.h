// SPDX-License-Identifier: BSD-2-Clause
// The client's end of the control socket.
#ifndef IBTRAPD_CTL_CLIENT_H
#define IBTRAPD_CTL_CLIENT_H

#include "base/error.h"

#include <jansson.h>

// A connected descriptor, the caller's, or -1 with a sentence and errno. Waits at most five
// seconds, and as long for room in each later send.
int client_connect(const char *path, struct error *err);

// Sends one command with its items, an object (takes over the reference), and waits at most ten
// seconds for the answer, and thirty for that of a reload. Returns a new reference; NULL with a
// sentence: no answer came, or the daemon refused. `items` NULL: memory was short; sends nothing,
// since a command without one of its items may do more than was asked.
json_t *client_request(const char *path, const char *command, json_t *items, struct error *err);

// The same for a command whose answer has nothing to report.
bool client_send(const char *path, const char *command, json_t *items, struct error *err);

#endif
