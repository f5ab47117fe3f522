// SPDX-License-Identifier: BSD-2-Clause
// Builds a snapshot of the fabric from nodes, ports and links in any order. A builder belongs to
// one thread.
#pragma once

#include "base/random.h"
#include "model/fabric.h"

// Sets the secret by which builders look up GUIDs: nobody can choose GUIDs for slow look-ups. Call
// the function at the start, before any thread has a builder. Snapshots do not depend on the
// secret.
void fabric_builder_seed(const struct random *random);

struct fabric_builder;
struct fabric_builder *fabric_builder_new(void);
void fabric_builder_free(struct fabric_builder *builder); // NULL is allowed; not after finish

// Adds a node, ignoring first_port, ports, nameless and namesake, and returns its number, valid for
// this builder only. If the builder has a node with the GUID, returns the number of the node and
// changes nothing. Returns FABRIC_NONE if there are FABRIC_NODES_MAX nodes.
uint32_t fabric_builder_node(struct fabric_builder *builder, const struct fabric_node *node);
uint32_t fabric_builder_find(const struct fabric_builder *builder, uint64_t guid);
// Valid until the next node or port is added.
struct fabric_node *fabric_builder_get(struct fabric_builder *builder, uint32_t node);

// Adds or replaces a port, ignoring peer_node, peer_port and detail.has_pkeys; its link and its
// P_Keys stay. Returns false if there are FABRIC_PORTS_MAX ports.
bool fabric_builder_port(struct fabric_builder *builder, uint32_t node,
                         const struct fabric_port *port);

// Calls `each` for every port, in no particular order. `each` may change the port, but add no
// port.
void fabric_builder_each_port(struct fabric_builder *builder,
                              void (*each)(void *ctx, uint32_t node, struct fabric_port *port),
                              void *ctx);

// NULL: there is no such port. Valid until the next node or port is added; do not change its peer.
struct fabric_port *fabric_builder_get_port(struct fabric_builder *builder, uint32_t node,
                                            uint8_t number);

// Links two ports, after removing their old links. Adds a missing port, with known = false.
// Does not link a port to itself. Returns false if there is no room for a missing port.
bool fabric_builder_link(struct fabric_builder *builder, uint32_t node, uint8_t port, uint32_t peer,
                         uint8_t peer_port);

// Add or replace a subnet manager, identified by its GUID, or a controller, identified by node and
// slot. Nodes are given by the builder's numbers. Returns false if there is no room.
bool fabric_builder_sm(struct fabric_builder *builder, const struct fabric_sm *sm);
bool fabric_builder_controller(struct fabric_builder *builder,
                               const struct fabric_controller *controller);

// Adds the P_Key table of a port, with `count` entries in the port's order, FABRIC_PORT_PKEYS_MAX
// at most. An entry with lower bits of 0 is empty. Does nothing if the port is unknown or has a
// table already. Returns false if there is no room; the snapshot counts the missing tables.
bool fabric_builder_pkeys(struct fabric_builder *builder, uint32_t node, uint8_t port,
                          const uint16_t *pkeys, size_t count);

// Frees the builder and returns the snapshot with one reference, the caller's. Nodes are namesakes
// if they answer, have one description and several SystemImageGUIDs. Hosts without a blank in the
// description are namesakes only if there are more than FABRIC_BUILDER_HOST_MAX: each adapter of a
// host may have the name of the host.
enum { FABRIC_BUILDER_HOST_MAX = 32 };
struct fabric *fabric_builder_finish(struct fabric_builder *builder, int64_t time_us,
                                     uint64_t subnet_prefix, bool complete);
