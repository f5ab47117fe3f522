// SPDX-License-Identifier: BSD-2-Clause
// The alarms about links that are connected and carry nothing, since an end is in the state Init or
// Armed: link-inactive, ended by link-active. Pipeline's thread.
//
// Decides: When is a link inactive for too long?
#pragma once

#include "pipeline/emitter.h"

// The alarm is raised in two cases:
// - `sweeps` sweeps in a row found the link inactive. One sweep within `interval_us` counts: traps
//   cause many sweeps, and the subnet manager needs some time for a large fabric.
// - 5 of the last 10 sweeps found the link inactive, and in between the link was active.
// The alarm ends when the link is active, or is gone. Behind a switch without an active link, all
// alarms are consequences of the first: one message has their number. So are the alarms of a host
// with several links: one message has the ports.
struct inactive_links_limits {
    uint32_t sweeps; // 0: no alarm
    int64_t interval_us;
};

struct inactive_link;

// Starts zeroed. Call inactive_links_clear in the end.
struct inactive_links {
    struct inactive_link *all; // inactive lately; ascending by the first end
    size_t count, capacity;
};

// Call it after the events of a snapshot's changes, with the snapshot current.
void inactive_links_update(struct inactive_links *links, struct emitter *emitter,
                           const struct inactive_links_limits *limits);

void inactive_links_clear(struct inactive_links *links);
