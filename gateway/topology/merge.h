// SPDX-License-Identifier: BSD-2-Clause
// Merges an incomplete sweep into the snapshot before it, and decides which nodes are gone.
// Pure but for the log.
#ifndef IBTRAPD_TOPOLOGY_MERGE_H
#define IBTRAPD_TOPOLOGY_MERGE_H

#include "base/log.h"
#include "model/fabric.h"

struct merge_size {
    uint32_t nodes, ports, controllers;
};

// What a merge needs to know of the sweeps before. Zero-initialised; free `missed` with free(3).
struct merge_memory {
    // The nodes that the last sweep did not find and that no open port (see below) can hide,
    // ascending by GUID. A node that is missed by two sweeps in a row is gone.
    uint64_t *missed;
    uint32_t missed_count;
    // That a sweep found since the last complete one, and that one; controllers: that any found, as
    // I/O units may be silent in a complete one.
    struct merge_size most;
    bool full; // the last merge had no room for all missing nodes
};

// Notes a sweep that needs no merge, or the fabric as it was when the gateway ended.
void merge_note(struct merge_memory *memory, const struct fabric *seen);

// Returns `seen` plus everything in `known` that `seen` does not contradict. With a complete `seen`
// that is only the controllers of I/O units that did not answer: a node missing from a complete
// sweep is gone.
//
// A port is open unless the sweep saw that it is down or linked. An open port can hide a node.
// - A missing node stays, marked as silent, with its ports and controllers, if an open port can
//   hide it. That is: it was linked to an open port of a seen node, or to a missing switch that can
//   itself be hidden.
// - Any other missing node is missed. It stays in the same way for one sweep, and is gone if the
//   next sweep misses it, too.
// - A link stays if both of its ports are open. All ports of a missing node are open. The link of a
//   missed node stays as long as the node, unless the other end was seen with another link.
// - Of two nodes with one GUID, the known one keeps its place, whichever the sweep met first.
// - Ports that did not answer keep their values and P_Key tables, nodes their descriptions, I/O
//   units their controllers.
//
// There is room for as many missing nodes as `memory->most`, and for 1,024 at least, and for as
// many ports, or 16,384; it is not for a switch that shows other made-up nodes in each sweep to
// fill it. Those that most sweeps found stay, by powers of two (`sightings`), and those of the last
// complete sweep before all others. The others are gone at once. Controllers that were not seen
// stay in the same way, 1,024 at least, and so do ports of seen nodes, 16,384 at least, but in any
// order.
//
// Sets `memory` for the next sweep. `log` may be NULL. Returns one reference, the caller's.
struct fabric *merge_fabrics(const struct fabric *known, const struct fabric *seen,
                             struct merge_memory *memory, struct log *log);

#endif
