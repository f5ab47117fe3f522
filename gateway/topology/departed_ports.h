// Ports that left the fabric lately, so that whoever speaks of them is understood: the trap that
// tells of a port's return comes before the sweep that finds it. Pure.
#ifndef IBTRAPD_TOPOLOGY_DEPARTED_PORTS_H
#define IBTRAPD_TOPOLOGY_DEPARTED_PORTS_H

#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"

enum { DEPARTED_PORTS_MAX = 1024 }; // the oldest are forgotten first

struct departed_ports {
    struct endpoint ports[DEPARTED_PORTS_MAX]; // without LIDs: those may be others' now
    size_t next;
};

// Remembers the ports with a GUID that `before` has and `after` has not. `names` may be NULL.
void departed_ports_remember(struct departed_ports *departed, const struct fabric *before,
                             const struct fabric *after, const struct names *names);

// The port with that GUID, or the node, as it last was; NULL when it is not remembered.
const struct endpoint *departed_ports_find(const struct departed_ports *departed, uint64_t guid);

#endif
