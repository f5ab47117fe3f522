// SPDX-License-Identifier: BSD-2-Clause
// The page for browsers, which the metrics server shows while `metrics { page = true }`. The page
// has its files, the state of the gateway and the active alarms as JSON, the fabric as SVG, and the
// new events. The page changes nothing. Main thread. A worker's thread makes the state and the map:
// this may take half a second, or read the journal's file.
// Decides: How old may the state and the map of the page be?
#pragma once

#include "control/control.h"
#include "control/worker.h"
#include "web/web_server.h"

enum {
    PAGE_SHARE =
        20, // a state or map that took a millisecond of a processor is used for 20 at least
    PAGE_EVENTS_MAX = 200, // of a batch; as many old events for a new follower
};

// The files of the page. The build copies the files into the program (embed.py).
struct page_file {
    const char *path;
    struct web_document document;
};
extern const struct page_file PAGE_FILES[]; // the last row has the path NULL

struct page;

// All outlive the page, but for the server; wiring may exchange the members of `control`.
struct page *page_new(struct control *control, struct worker *worker, struct web_server *server);
void page_free(struct page *page); // NULL is allowed; after the server, when the worker has stopped

// The page for web_server_serve_page.
struct web_page page_functions(struct page *page);
