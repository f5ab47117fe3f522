// SPDX-License-Identifier: BSD-2-Clause
// Merges an incomplete sweep into the snapshot before it, and decides which nodes are gone.
// Pure but for the log.
#ifndef IBTRAPD_TOPOLOGY_MERGE_H
#define IBTRAPD_TOPOLOGY_MERGE_H

#include "base/log.h"
#include "model/fabric.h"

// The nodes that the last sweep did not find and that no open port (see below) can hide, ascending
// by GUID. A node that is missed by two sweeps in a row is gone.
struct merge_missed {
    uint64_t *guids; // made with malloc
    uint32_t count;
};

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
// - Ports that did not answer keep their values, nodes their descriptions, I/O units their
//   controllers.
//
// Takes the nodes that the last sweep missed from `missed`, and sets it for the next sweep. `log`
// may be NULL. One reference, the caller's. NULL: out of memory; `missed` is unchanged.
struct fabric *merge_fabrics(const struct fabric *known, const struct fabric *seen,
                             struct merge_missed *missed, struct log *log);

#endif
