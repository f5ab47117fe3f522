// The fabric as it is known now: takes what sweeps find, tells what changed, and knows everybody by
// name.
#ifndef IBTRAPD_TOPOLOGY_TOPOLOGY_H
#define IBTRAPD_TOPOLOGY_TOPOLOGY_H

#include "base/log.h"
#include "topology/changes.h"

// A complete sweep is believed as it is, but an I/O unit that did not tell keeps its controllers.
// One that is not complete adds to what was known (see merge.h): who can be behind a port that did
// not answer stays, marked as silent; anybody else is gone when two sweeps in a row do not show
// him.

enum { TOPOLOGY_BASE_SWEEPS_MAX = 3 }; // where none is complete, so many make a begin

struct topology;

// `names` may be NULL; it keeps a reference. `log` may be NULL, else it outlives the topology.
// NULL: out of memory.
struct topology *topology_new(struct names *names, struct log *log);
void topology_free(struct topology *topology); // NULL is allowed

// One thread writes, the pipeline's.

// Other names from now on, or NULL; it keeps a reference.
void topology_rename(struct topology *topology, struct names *names);

// What was known when the gateway ended: the first complete sweep is compared with it, and what
// changed is found late. Takes over the reference. Call it before the first update.
void topology_restore(struct topology *topology, struct fabric *last);

// Takes over the reference of a sweep's result and adds what changed. Nothing is told until a sweep
// is complete, or TOPOLOGY_BASE_SWEEPS_MAX have come; then they are compared with what was
// restored, and `late` says that these changes are found late; without something restored there is
// nothing to tell. When memory is short, the sweep is forgotten or the changes are cut; `out` says
// so.
void topology_update(struct topology *topology, struct fabric *seen, struct changes *out,
                     bool *late);

// Whether what comes is told: before, what is current lacks what a sweep did not show, and what was
// restored.
bool topology_has_base(const struct topology *topology);

// Any thread.

// A reference, the caller's. NULL: none yet.
struct fabric *topology_current(struct topology *topology);

// A reference, the caller's; NULL: there are none.
struct names *topology_names(struct topology *topology);

// Fill what is known into `out`; false, and nothing is changed, when nothing is. Writer's thread.
// GUIDs are looked up in what was restored as long as there is no sweep; LIDs are not, they may be
// others' now.
bool topology_find_lid(const struct topology *topology, uint16_t lid, struct endpoint *out);
// Of a port or a node.
bool topology_find_guid(const struct topology *topology, uint64_t guid, struct endpoint *out);
// The other end of a port's link.
bool topology_find_peer(const struct topology *topology, uint64_t node_guid, uint8_t port,
                        struct endpoint *out);

#endif
