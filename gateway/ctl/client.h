// SPDX-License-Identifier: BSD-2-Clause
// The client's end of the control socket.
// Decides: How long does ibtrapctl wait for an answer?
#ifndef IBTRAPD_CTL_CLIENT_H
#define IBTRAPD_CTL_CLIENT_H

#include "base/error.h"

#include <jansson.h>
#include <stdio.h>

// A connected descriptor, the caller's, or -1 with a sentence and errno. Waits at most five
// seconds, and as long for room in each later send.
int client_connect(const char *path, struct error *err);

// Sends one command with its items, an object (takes over the reference), and waits at most ten
// seconds for the answer, and thirty for that of a reload. Returns a new reference; NULL with a
// sentence: no answer came, or the daemon refused. At a terminal it shows from
// the third second on that it waits (ctl/progress.h).
json_t *client_request(const char *path, const char *command, json_t *items, struct error *err);

// What the caller does while it waits for the daemon.
struct client_idle {
    // Returns after at most a second, or once poll(2) reports these events of the descriptor.
    // `events` 0: the daemon accepts nobody yet. False: gives the request up.
    bool (*wait)(void *ctx, int fd, short events);
    void *ctx;
};

// As client_request, but shows nothing: the caller does.
json_t *client_request_idly(const char *path, const char *command, json_t *items,
                            const struct client_idle *idle, struct error *err);

// The same as client_request for a command whose answer has nothing to report.
bool client_send(const char *path, const char *command, json_t *items, struct error *err);

// Answers that come in pages: item "more" of a page has the items that request the next page.

// How the pages of an answer are written.
struct pages {
    FILE *out;
    const char *list; // the item whose value is spread over the pages
    bool (*show)(FILE *out, const json_t *page, bool first); // NULL: as JSON
};

// A list of an object in JSON, one item a line, so that the whole list is never in memory.
struct pages_list {
    FILE *out;
    size_t count; // of the items so far
};

// Writes the members of the object but the list `name` and "more", and begins the list.
void pages_list_begin(struct pages_list *list, const json_t *page, const char *name);
void pages_list_add(struct pages_list *list, const json_t *one);
void pages_list_end(struct pages_list *list);

// Changes `items` so that they request the page after this one. Returns whether there is one.
bool pages_turn(json_t *items, const json_t *page);

// Requests all pages and writes them; takes over the reference of `items`. False with a sentence:
// a page did not come; the pages before it are written.
bool pages_write(const struct pages *pages, const char *socket, const char *command, json_t *items,
                 struct error *err);

#endif
