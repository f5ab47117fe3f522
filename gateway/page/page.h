// SPDX-License-Identifier: BSD-2-Clause
// The page that the metrics server shows while `metrics { page = true }`: its files, the state of
// the gateway and the active alarms as JSON, the fabric as SVG, the events as they come. It reads
// and changes nothing. Main thread.
#ifndef IBTRAPD_PAGE_PAGE_H
#define IBTRAPD_PAGE_PAGE_H

#include "control/control.h"
#include "metrics/metrics_server.h"

enum {
    PAGE_SHARE = 20,      // a state or map that took a millisecond serves for 20 at least
    PAGE_EVENTS_MAX = 50, // of a batch, and of those before a follower began
};

struct page;

// `control` outlives the page; wiring may exchange its members. NULL: out of memory.
struct page *page_new(struct control *control);
void page_free(struct page *page); // NULL is allowed; after the server

// The page for metrics_server_serve_page.
struct metrics_page page_functions(struct page *page);

#endif
