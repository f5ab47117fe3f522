// SPDX-License-Identifier: BSD-2-Clause
// Remembers the ports that left the fabric, to give them their names in later events: the trap
// about a port's return arrives before the sweep that finds the port. It does not decide which
// ports left: merge.h does. Pure.
#ifndef IBTRAPD_TOPOLOGY_DEPARTED_PORTS_H
#define IBTRAPD_TOPOLOGY_DEPARTED_PORTS_H

#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"

enum { DEPARTED_PORTS_MAX = 1024 }; // the oldest are forgotten first

struct departed_ports {
    struct endpoint ports[DEPARTED_PORTS_MAX]; // without LIDs: other ports may have them now
    size_t next;
};

// Remembers the ports that have a GUID and are in `before` and not in `after`. `names` may be NULL.
void departed_ports_remember(struct departed_ports *departed, const struct fabric *before,
                             const struct fabric *after, const struct names *names);

// Finds a departed port, as it last was, by its own GUID or its node's. NULL: it is not remembered.
const struct endpoint *departed_ports_find(const struct departed_ports *departed, uint64_t guid);

#endif
