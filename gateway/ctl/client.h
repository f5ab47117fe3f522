// SPDX-License-Identifier: BSD-2-Clause
// The client's end of the control socket.
// Decides: How long does ibtrapctl wait for an answer?
#pragma once

#include "base/error.h"

#include <jansson.h>

// A connected descriptor, the caller's, or -1 with a sentence and errno. Waits at most five
// seconds. Each later send also waits at most five seconds for room.
int client_connect(const char *path, struct error *err);

// Sends one command with the items of the request, an object (takes over the reference). Waits at
// most ten seconds for the answer; for the answer of a reload, thirty. Returns a new reference;
// NULL with a sentence: no answer came, or the daemon refused. From the third second on, a terminal
// shows that ibtrapctl waits (ctl/progress.h).
json_t *client_request(const char *path, const char *command, json_t *items, struct error *err);

// The work of the caller during a wait for the daemon.
struct client_idle {
    // Returns after at most a second, or once poll(2) reports one of the events of the descriptor.
    // `events` 0: the daemon accepts nobody yet. False: gives the request up.
    bool (*wait)(void *ctx, int fd, short events);
    void *ctx;
};

// As client_request, but shows nothing: the caller does.
json_t *client_request_idly(const char *path, const char *command, json_t *items,
                            const struct client_idle *idle, struct error *err);

// Takes a page of an answer. False with a sentence: no further page is requested.
typedef bool client_take(void *ctx, const json_t *page, struct error *err);

// Requests all pages of an answer, and passes each page to `take`: item "more" of a page has the
// items for the request of the next page. Takes over the reference of `items`. False with a
// sentence: a page did not come, or `take` refused a page.
bool client_each_page(const char *path, const char *command, json_t *items, client_take *take,
                      void *ctx, struct error *err);
