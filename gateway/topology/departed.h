// SPDX-License-Identifier: BSD-2-Clause
// The ports that left the fabric lately. They keep their names for later events: the trap about a
// port's return arrives before the sweep that finds the port, and the subnet manager may know a
// node that came back without the node's description. For one thread.
#pragma once

#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"
#include "model/systems.h"

enum { DEPARTED_PORTS_MAX = 1024 }; // the oldest are forgotten first

// Zero-initialised at first.
struct departed_ports {
    struct endpoint ports[DEPARTED_PORTS_MAX]; // without LIDs: other ports may have them now
    size_t next;
};

// Remembers the ports that have a GUID and are in the fabric of `systems` and not in `after`, with
// their systems. `names` may be NULL.
void departed_ports_remember(struct departed_ports *departed, const struct systems *systems,
                             const struct fabric *after, const struct names *names);

// Returns the last description of the departed port with that GUID, or of a port of the node with
// that GUID; NULL: none is known.
const struct endpoint *departed_ports_find(const struct departed_ports *departed, uint64_t guid);
