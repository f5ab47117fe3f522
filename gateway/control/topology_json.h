// SPDX-License-Identifier: BSD-2-Clause
// Snapshots of the fabric, and the changes between two of them, in JSON.
#ifndef IBTRAPD_CONTROL_TOPOLOGY_JSON_H
#define IBTRAPD_CONTROL_TOPOLOGY_JSON_H

#include "base/error.h"
#include "event/event_builder.h"
#include "journal/journal.h"
#include "model/fabric.h"

#include <jansson.h>

enum {
    TOPOLOGY_PAGE_PORTS = 1024,  // a page ends after the node that reaches them: about 0.5 MB
    TOPOLOGY_PAGE_CHANGES = 500, // of one answer
};

// Each function returns a new reference; NULL: out of memory. A long answer comes in pages: `first`
// is the place where a page begins, 0 for the first page. Item "more" of a page has the items that
// request the next one: "first", and the times of the snapshots. `number` is the number of a
// snapshot in the journal; 0: the fabric as it is now.

// Switches first, then hosts, then routers, each with its ports and their peers.
json_t *topology_json(const struct fabric *fabric, int64_t number, const struct names *names,
                      uint32_t first);

json_t *topology_sms_json(const struct fabric *fabric, const struct names *names);

// The snapshots that the journal keeps, oldest first.
json_t *topology_list_json(struct journal *journal);

struct topology_side {
    const struct fabric *fabric;
    int64_t number;
};

// The changes as sentences; `builder` has the names.
json_t *topology_diff_json(const struct topology_side *from, const struct topology_side *to,
                           const struct event_builder *builder, uint32_t first);

#endif
