// SPDX-License-Identifier: BSD-2-Clause
// The current fabric: processes the results of sweeps, finds the changes, and looks up ports and
// nodes by address.
#ifndef IBTRAPD_TOPOLOGY_TOPOLOGY_H
#define IBTRAPD_TOPOLOGY_TOPOLOGY_H

#include "base/log.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"
#include "topology/changes.h"

// A complete sweep replaces the current fabric; only an I/O unit that did not answer keeps its
// controllers. An incomplete sweep is merged with the current fabric: merge.h says which nodes
// stay, and when a node is gone.

enum { TOPOLOGY_BASE_SWEEPS_MAX = 3 }; // incomplete sweeps that are enough for a base, see below

struct topology;

// `names` may be NULL; the topology keeps a reference. `log` may be NULL, else it outlives the
// topology.
struct topology *topology_new(struct names *names, struct log *log);
void topology_free(struct topology *topology); // NULL is allowed

// The following functions are for one thread only, the pipeline's.

// Uses these names from now on; NULL: none. It keeps a reference.
void topology_rename(struct topology *topology, struct names *names);

// Restores the fabric as it was when the gateway ended. The sweep that becomes the base is compared
// with it, and these changes are reported as late. Takes over the reference. Call it before the
// first update.
void topology_restore(struct topology *topology, struct fabric *last);

// Takes over the reference of a sweep's result and adds the changes to `out`. The first complete
// sweep, or the TOPOLOGY_BASE_SWEEPS_MAX-th incomplete one, is the base. It is compared with the
// restored fabric, if there is one; `late` is true then. Sweeps before the base add no changes.
void topology_update(struct topology *topology, struct fabric *seen, struct changes *out,
                     bool *late);

// Whether a sweep was the base. Until then the current fabric lacks the nodes that no sweep found
// yet, even those that were restored.
bool topology_has_base(const struct topology *topology);

// Any thread.

// A reference, the caller's. NULL: none yet.
struct fabric *topology_current(struct topology *topology);

// A reference, the caller's; NULL: there are none.
struct names *topology_names(struct topology *topology);

// Describe a port or node into `out`. False, and `out` is unchanged: it is not known. The
// pipeline's thread. Before the first sweep, GUIDs are looked up in the restored fabric; LIDs are
// not, as other ports may have them now.
bool topology_find_lid(const struct topology *topology, uint16_t lid, struct endpoint *out);
// The GUID of a port or a node, or of one that departed lately.
bool topology_find_guid(const struct topology *topology, uint64_t guid, struct endpoint *out);
// The port at the other end of this port's link.
bool topology_find_peer(const struct topology *topology, uint64_t node_guid, uint8_t port,
                        struct endpoint *out);

#endif
