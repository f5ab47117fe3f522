// SPDX-License-Identifier: BSD-2-Clause
// The fabric that carries traffic. A cable connects two ports, and the link carries nothing until
// the subnet manager has made both ports ACTIVE. Pure.
//
// Decides: When has a node or a link joined the fabric?
#pragma once

#include "model/systems.h"
#include "topology/departed.h"

// The nodes of the fabric that have not joined, ascending by GUID. Starts zeroed; free `all`.
struct joined_waiting {
    struct joined_waiter {
        uint64_t guid;
        int64_t since_us; // the first sweep that found the node
    } * all;
    uint32_t count;
    int64_t until_us; // the next of the nodes waits no longer for others; 0: none
};

// A node that left and did not return. Parts of a host or box that left together have one `group`.
struct joined_absent {
    uint64_t guid, group;
};

// Ascending by GUID. Starts zeroed; free `all`.
struct joined_absence {
    struct joined_absent *all;
    uint32_t count;
    const struct departed_ports *departed;
    bool has_base; // a host of which nothing is known came after the base
};

// Returns the fabric of `now` without the links that wait, and without the nodes behind such links
// alone. A link waits if the link is inactive (fabric_is_inactive), and `before`, what had joined
// at the sweep before, lacks the link. So a link that stops being ACTIVE has joined all the same.
// Where a cable moved, the link of `before` stays until the new link is ACTIVE: then both are one
// change. Returns a reference, the caller's; if nothing waits, to the fabric of `now` itself.
//
// Nodes that came wait for each other, at most JOINED_HOLD_US each. While a link of such nodes
// waits, all nodes wait that links connect to them, and all nodes of their systems: a switch that
// is back and its hosts are one change, and so is a host whose adapters become ACTIVE one by one.
//
// A part of a system waits, too, while parts are absent that left with it. A new host whose
// adapters have names of their own waits for further adapters, JOINED_NEW_US, unless it came with
// its switch. `waiting`: the nodes that waited at the sweep before; it is brought up to date.
struct fabric *joined_fabric(const struct systems *before, const struct systems *now,
                             const struct joined_absence *absence, struct joined_waiting *waiting);

#define JOINED_HOLD_US (INT64_C(30) * 1000000)
#define JOINED_NEW_US  (INT64_C(8) * 1000000)

// Whether the node has inactive links, and no others.
bool joined_is_dark(const struct fabric *fabric, uint32_t node);

// Whether a link of the node waits. `joined`: the result of joined_fabric for `now`.
bool joined_lacks_link(const struct fabric *joined, const struct fabric *now, uint64_t node_guid);
