// SPDX-License-Identifier: BSD-2-Clause
// Serves metrics over HTTP (GET and HEAD) in the main loop, at /metrics; a hint at /. One request
// per connection; a client that ends its side after it gets the answer, but does not follow events.
// An answer that is longer than a piece is made piece by piece, as the client reads it (RFC
// 9112 7.1): neither does it stop the loop, nor is it ever whole in memory.
// Decides: Who may use the page and /metrics?
#ifndef IBTRAPD_WEB_WEB_SERVER_H
#define IBTRAPD_WEB_WEB_SERVER_H

#include "base/error.h"
#include "base/log.h"
#include "web/followers.h"

#include <stddef.h>
#include <stdint.h>

struct event_base; // of libevent

enum {
    // At a time. A further one replaces the oldest that has its answer; or else that asked nothing,
    // or took nothing of its answer, for a second; or else that has not asked yet; or else of all.
    WEB_SERVER_CLIENTS_MAX = 8,
    WEB_SERVER_VERDICT_SIZE = 1100,
    WEB_SERVER_REQUEST_MAX = 8192, // octets of a request's head
    WEB_SERVER_IDLE_S = 10,        // a client that neither sends nor reads for so long is dropped
    WEB_SERVER_CLIENT_S = 60,      // so is one that takes so long for all, however it reads
};

// Makes the metrics. The server's thread calls all functions.
struct web_source {
    // Begins a scrape, which ends with `end`.
    void *(*begin)(void *ctx);
    // Sets `text` to the next piece, which lives until the next call and may be empty; a call takes
    // a millisecond or so. Returns whether another piece follows.
    bool (*next)(void *scrape, const char **text, size_t *size);
    void (*end)(void *scrape);
};

// Writes the verdict on the gateway in a line with its newline, and returns whether it is good. For
// `ready`: whether Reports reach the gateway.
typedef bool (*web_judge)(void *ctx, bool ready, char *out, size_t size);

// A document of the page.
struct web_document {
    const char *type; // of its content; static
    const char *text; // the document's, until the next call
    size_t size;
};

enum { WEB_PATH_SIZE = 32 }; // of a document that is made later

// The page. The server's thread calls all functions.
struct web_page {
    // Whether there is a document at a path such as "/page.css", or the events are there.
    bool (*has)(void *ctx, const char *path);
    // Makes the document, without stopping the loop. Returns false if it cannot; call
    // web_server_take_documents when the document is made.
    bool (*make)(void *ctx, const char *path, struct web_document *out);
    const char *events; // the path of the events, which `follow` makes
    followers_source follow;
    void *ctx;
};

struct web_server;

// Listens at an IP address in the loop of `base`, whose thread calls the source's functions. Copies
// the source. Port 0: any. Logs a warning if other hosts can reach the address. NULL with a
// sentence: failed.
struct web_server *web_server_start(struct event_base *base, const char *address, uint16_t port,
                                    const struct web_source *source, void *ctx, struct log *log,
                                    struct error *err);

// Also serves the verdict at /healthz and /readyz: 200 if it is good, else 503. The loop's thread
// calls `judge` with the context of the source.
void web_server_serve_health(struct web_server *server, web_judge judge);

// Also serves the page, which is copied, with headers that let a browser load nothing from
// elsewhere. To a request whose Host is a name with a dot it is refused: by such a name a page of
// somebody else could make a browser read this one (DNS rebinding). At most FOLLOWERS_MAX clients
// follow the events at a time, besides the others.
void web_server_serve_page(struct web_server *server, const struct web_page *page);

// A document was made: asks again for those that clients wait for. The loop's
// thread. A client that waits for WEB_SERVER_IDLE_S hears that it is not there.
void web_server_take_documents(struct web_server *server);

void web_server_stop(struct web_server *server); // NULL is allowed

#endif
