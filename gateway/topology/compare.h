// SPDX-License-Identifier: BSD-2-Clause
// The steps of changes_between. Each step compares one kind of thing and adds its changes. A step
// may use an earlier step's changes as causes, so compare_all.c calls the steps in the order of
// this list.
#pragma once

#include "topology/comparison.h"

void compare_nodes(struct comparison *t); // added, removed, moved
void compare_ports(struct comparison *t); // ports of known CAs and routers: added, removed, moved
void compare_links(struct comparison *t); // moved, down, up, degraded, restored
void compare_names(struct comparison *t); // node descriptions and LIDs that changed
void compare_pkeys(struct comparison *t); // P_Key tables of ports that both snapshots have
void compare_services(struct comparison *t); // subnet managers, I/O units and controllers

// A part of compare_services: adds a failover if the later snapshot has a master subnet manager
// that is not `former`. Uses only `after.fabric`, `names` and `out` of the comparison.
void compare_masters(struct comparison *t, const struct endpoint *former);
