// Puts together what was known with what a sweep saw that did not see all. Pure but for the log.
#ifndef IBTRAPD_TOPOLOGY_MERGE_H
#define IBTRAPD_TOPOLOGY_MERGE_H

#include "base/log.h"
#include "model/fabric.h"

// Nodes that a look did not show though nothing can hide them, ascending by GUID. A second such
// look in a row makes them gone.
struct merge_missed {
    uint64_t *guids; // made with malloc
    uint32_t count;
};

// What `seen` has, and of `known` what `seen` does not disprove. Of one that is complete these are
// the controllers of I/O units that did not tell, and nothing else. An open port is one that was
// not seen to be down or linked: somebody can be behind it.
// - A missing node can be hidden by an open port of a node that was seen, when it was linked to
//   it, or to a missing switch that can be hidden. It stays, marked as silent, with its ports and
//   controllers. So does any other missing node, unless it was missed by the last look, too.
// - A link stays when both its ports are open; a missing node's ports are. That of a missed node
//   stays until the node goes, unless the other end was seen with another link.
// - Of two nodes with one GUID the one that was known stays in its place, whichever was met first.
// - Ports that did not answer keep their values, nodes their descriptions, I/O units their
//   controllers.
// Sets `missed` for the next look. `log` may be NULL. NULL: out of memory; `missed` is as it was.
struct fabric *merge_fabrics(const struct fabric *known, const struct fabric *seen,
                             struct merge_missed *missed, struct log *log);

#endif
