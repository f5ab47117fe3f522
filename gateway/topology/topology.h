// SPDX-License-Identifier: BSD-2-Clause
// The current fabric: processes the results of sweeps, finds the changes, and looks up ports and
// nodes by address.
#pragma once

#include "base/log.h"
#include "base/random.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"
#include "model/systems.h"
#include "topology/changes.h"
#include "topology/joined.h"

// A complete sweep replaces the current fabric; only a silent I/O unit keeps its controllers. An
// incomplete sweep is merged with the current fabric: merge.h says which nodes stay, and when a
// node is gone.

enum { TOPOLOGY_BASE_SWEEPS_MAX = 3 }; // incomplete sweeps that are enough for a base, see below

struct topology;

// `names` may be NULL; the topology keeps a reference. `random` protects a hash table. `log` may be
// NULL, else it outlives the topology.
struct topology *topology_new(struct names *names, const struct random *random, struct log *log);
void topology_free(struct topology *topology); // NULL is allowed

// The following functions are for one thread only, the pipeline's.

// Uses other names from now on; NULL: none. Keeps a reference.
void topology_rename(struct topology *topology, struct names *names);

// Reads the host parts of names by other patterns (model/systems.h), from the next topology_rename
// or topology_update on. Copies the patterns. An empty list: the default.
void topology_set_host_names(struct topology *topology, const struct filter_list *patterns);

// Restores the fabric of the run before. The changes between this fabric and the base sweep are
// reported as late. Takes over the reference. Call topology_restore before the first update; first
// with older fabrics, the oldest first, for the names that nodes have lost since.
void topology_restore(struct topology *topology, struct fabric *last);

// Takes over the reference of a sweep's result and adds the changes to `out`. The first complete
// sweep, or the TOPOLOGY_BASE_SWEEPS_MAX-th incomplete sweep, is the base, which is compared with
// the restored fabric. `late`: the changes are relative to the restored fabric. Sweeps before the
// base add no changes.
void topology_update(struct topology *topology, struct fabric *seen, struct changes *out,
                     bool *late);

// Says which nodes left, and which nodes are parts of one host or box (joined.h), ascending by
// GUID, for the next updates. Takes over `all`, made with malloc.
void topology_set_absent(struct topology *topology, struct joined_absent *all, uint32_t count);

// When a sweep can tell more of a node that waits for others, UTC; 0: none waits. `topology` may be
// NULL.
int64_t topology_waits_until(const struct topology *topology);

// Whether a sweep was the base. Before the base, the current fabric lacks the nodes that no sweep
// of this run found yet, even restored nodes.
bool topology_has_base(const struct topology *topology);

// The part of the current fabric that carries traffic (joined.h), and its systems, valid until the
// next update or renaming; NULL: there is no base yet. The changes of topology_update are those of
// this part.
const struct systems *topology_joined(const struct topology *topology);

// Any thread.

// A reference, the caller's. NULL: none yet.
struct fabric *topology_current(struct topology *topology);

// The systems of the current fabric and this fabric: a reference, the caller's. A node whose name
// is one of the factory belongs to the system of its last name. NULL: no fabric yet.
struct systems *topology_systems(struct topology *topology);

// A reference, the caller's; NULL: there are none.
struct names *topology_names(struct topology *topology);

// Describe a port or node into `out`. Return false, and leave `out` unchanged, if the port or node
// is not known. The pipeline's thread. Before the first sweep, the restored fabric has the GUIDs;
// LIDs are not known, since other ports may have them.
bool topology_find_lid(const struct topology *topology, uint16_t lid, struct endpoint *out);
// The GUID of a port or a node, which may have departed lately.
bool topology_find_guid(const struct topology *topology, uint64_t guid, struct endpoint *out);
// Adds the names that the nodes and ports of the event had lately (former_names.h), the names of
// their systems, and the descriptions of nodes without a name. `topology` may be NULL.
void topology_add_other_names(const struct topology *topology, struct event *event);
// The port at the other end of this port's link.
bool topology_find_peer(const struct topology *topology, uint64_t node_guid, uint8_t port,
                        struct endpoint *out);
