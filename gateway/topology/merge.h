// SPDX-License-Identifier: BSD-2-Clause
// Merges an incomplete sweep into the snapshot before it, and decides which nodes are gone.
// Pure but for the log.
//
// Decides: When is a node gone that a sweep did not find?
#pragma once

#include "base/log.h"
#include "model/fabric.h"
#include "topology/departed.h"

struct merge_size {
    uint32_t nodes, ports, controllers;
};

// What a merge needs to know of the sweeps before. Zero-initialised; free `missed` with free(3).
struct merge_memory {
    const struct departed_ports *departed; // for names; NULL: none departed
    // The nodes that the last sweep did not find, and no open port (see below) can hide, ascending
    // by GUID. If two sweeps in a row miss a node, the node is gone.
    uint64_t *missed;
    uint32_t missed_count;
    // The most nodes and ports that a sweep found, from the last complete sweep on. The most
    // controllers that any sweep found: I/O units may be silent in a complete sweep.
    struct merge_size most;
    bool full; // the last merge had no room for all missing nodes
};

// Notes a sweep that needs no merge, or the last fabric of the run before.
void merge_note(struct merge_memory *memory, const struct fabric *seen);

// Returns `seen` plus everything in `known` that `seen` does not contradict. A node missing from a
// complete sweep is gone: a complete `seen` takes only descriptions and the controllers of silent
// I/O units from `known`.
//
// A port is open unless the sweep saw the port down or linked. An open port can hide a node.
// - A missing node stays, marked as silent, with its ports and controllers, if an open port can
//   hide the node. Such a node was linked to an open port of a seen node, or to a missing switch
//   that can be hidden.
// - Any other missing node is missed. A missed node stays for one sweep, and is gone if the next
//   sweep misses the node, too.
// - A link stays if both of its ports are open. All ports of a missing node are open. The link of a
//   missed node stays as long as the node, unless the sweep saw the other end with another link.
// - Of two nodes with one GUID, the known node keeps its place. The order in which the sweep met
//   the two does not matter.
// - Silent ports keep their values and P_Key tables, silent I/O units their controllers. A node
//   without a description keeps its last description, also if the node went in between.
//
// There is room for `memory->most` missing nodes, 1,024 at least, and for `memory->most` of their
// ports, 16,384 at least. A switch may show other made-up nodes in each sweep, and must not fill
// the memory. First the nodes of the last complete sweep stay, then the nodes that most sweeps
// found, by powers of two (`sightings`). All further nodes are gone at once. Unseen controllers
// stay in the same way, 1,024 at least. Unseen ports of seen nodes stay in any order, 16,384 at
// least.
//
// Sets `memory` for the next sweep. `log` may be NULL. Returns one reference, the caller's.
struct fabric *merge_fabrics(const struct fabric *known, const struct fabric *seen,
                             struct merge_memory *memory, struct log *log);
