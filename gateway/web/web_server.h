// SPDX-License-Identifier: BSD-2-Clause
// Serves metrics over HTTP (GET and HEAD) in the main loop, at /metrics; a hint at /. One request
// per connection. A client may end its side after the request: the client gets the answer, but does
// not follow events. A long answer is made piece by piece, at the pace of the client (RFC
// 9112 7.1). A long answer never stops the loop and is never whole in memory.
// Decides: Which client of the metrics server loses its place?
// Decides: Who may use the page and /metrics?
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "model/filter.h"
#include "web/followers.h"

#include <stddef.h>
#include <stdint.h>

struct event_base; // of libevent

enum {
    // At a time. A further client takes the place of the oldest client of the first of these groups
    // that has a client:
    // - clients with their whole answer;
    // - clients that have asked nothing for a second;
    // - clients that have taken nothing of their answer for a second;
    // - clients without a request yet;
    // - all clients.
    WEB_SERVER_CLIENTS_MAX = 8,
    WEB_SERVER_VERDICT_SIZE = 1100,
    WEB_SERVER_REQUEST_MAX = 8192, // octets of a request's head
    WEB_SERVER_IDLE_S = 10,        // a client is dropped that neither sends nor reads for so long
    WEB_SERVER_CLIENT_S = 60,      // a client is dropped whose connection lasts longer
};

// Makes the metrics and the verdict. The server's thread calls all functions.
struct web_source {
    // Begins a scrape, which ends with `end`.
    void *(*begin)(void *ctx);
    // Sets `text` to the next piece. The piece lives until the next call, and may be empty. A call
    // takes a millisecond or so. Returns whether another piece follows.
    bool (*next)(void *scrape, const char **text, size_t *size);
    void (*end)(void *scrape);
    // Writes the verdict on the gateway in a line with a newline, and returns whether the verdict
    // is good. With `ready`, returns whether Reports reach the gateway. The verdict is served at
    // /healthz and /readyz: 200 if it is good, else 503. NULL: no verdict is served.
    bool (*judge)(void *ctx, bool ready, char *out, size_t size);
};

// A document of the page.
struct web_document {
    const char *type; // of its content; static
    const char *text; // the document's, until the next call
    size_t size;
};

enum { WEB_PATH_SIZE = 512 }; // of a document that is made later

// The page. The server's thread calls all functions.
struct web_page {
    // Whether the path, for instance "/page.css", has a document or the events.
    bool (*has)(void *ctx, const char *path);
    // Makes the document, without stopping the loop. Returns false if the document takes longer;
    // call web_server_take_documents when the document is made.
    bool (*make)(void *ctx, const char *path, struct web_document *out);
    const char *events; // the path of the events; `follow` makes the events
    followers_source follow;
    void *ctx;
};

struct web_server;

// Listens at an IP address in the loop of `base`. The loop's thread calls the source's functions.
// Copies the source and `hosts`. Refuses a request whose Host is a name with a dot, unless `hosts`
// has the name: by another name, a foreign page could make a browser read the answers (DNS
// rebinding). Port 0: any. Logs a warning if further hosts can reach the address. Returns
// NULL with a sentence on failure.
struct web_server *web_server_start(struct event_base *base, const char *address, uint16_t port,
                                    const struct filter_list *hosts,
                                    const struct web_source *source, void *ctx, struct log *log,
                                    struct error *err);

// Also serves the page, and copies the struct. The page's headers let a browser load nothing from
// elsewhere. FOLLOWERS_MAX clients at most follow the events at a time, besides
// WEB_SERVER_CLIENTS_MAX clients with a request.
void web_server_serve_page(struct web_server *server, const struct web_page *page);

// A document was made: asks `make` again for all documents that clients wait for. The loop's
// thread. A client that has waited for WEB_SERVER_IDLE_S gets an error instead.
void web_server_take_documents(struct web_server *server);

void web_server_stop(struct web_server *server); // NULL is allowed
