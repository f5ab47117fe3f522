// SPDX-License-Identifier: BSD-2-Clause
// Describes a port, node or subnet manager of a snapshot as the endpoint of an event. Pure.
// Decides: How is a node called that has no name?
#pragma once

#include "base/text.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"
#include "model/systems.h"

// The name that `names` (may be NULL) has for the node's or the port's GUID (0: none), else the
// node description, also a factory's, else empty: what patterns match. The name lives as long as
// the node and the names.
const char *describe_name(const struct fabric_node *node, uint64_t port_guid,
                          const struct names *names);

// How people call a node: by its name of its own (names_of_node). A host or router without one is
// called by its link to a node with a name, "host at leaf3 port 12"; any other node by the end of
// its GUID, "switch ..0e1234". Namesakes keep their name there: "ubuntu HCA-1 at leaf3 port 12".
// `port`: the port of the node in question, FABRIC_NONE: the node as a whole. Returns the name, or
// `out` with a text; lives as long as the node, the names and `out`.
const char *describe_label(const struct fabric *fabric, uint32_t node, uint32_t port,
                           const struct names *names, char out[NAMES_NAME_SIZE]);

// The following functions overwrite `out`: GUID, node GUID, type, port number, LID, GID and what
// describe_label says. The ports of a switch have the LID and GID of its port 0, and the switch's
// GUID.

// `port` is an index into the fabric's ports.
void describe_port(const struct fabric *fabric, uint32_t port, const struct names *names,
                   struct endpoint *out);

// A node as a whole: port number 0, and the LID and GID of its first port that has a GUID.
void describe_node(const struct fabric *fabric, uint32_t node, const struct names *names,
                   struct endpoint *out);

// The port of a subnet manager, with the GUID and LID from its SMInfo. `sm` is an index into the
// fabric's subnet managers.
void describe_sm(const struct fabric *fabric, uint32_t sm, const struct names *names,
                 struct endpoint *out);

// The systems of a snapshot without a history: by the names that its nodes have now. `patterns`: as
// in model/systems.h. Returns one reference, the caller's.
struct systems *describe_systems(const struct fabric *fabric, const struct names *names,
                                 const struct filter_list *patterns);

// The name by which a node belongs to a system; NULL: the node has none.
const char *describe_name_in_system(const struct names *names, const struct fabric_node *node);

// Sets the name of the system of the endpoint's node. A node without a name is called by the name
// of its host: an adapter whose host boots. Returns false, and changes nothing, if the systems do
// not have the node. `systems` may be NULL.
bool describe_system(const struct systems *systems, struct endpoint *who);
// The same, where the endpoint's node is known already: an index into the fabric of the systems.
void describe_system_of(const struct systems *systems, uint32_t node, struct endpoint *who);

// The nodes that have no name of their own, and are part of no system with a name.
uint32_t describe_count_nameless(const struct systems *systems, const struct names *names);

// Adds the endpoint's name, or its node GUID if the endpoint has no name; the second, as "port 3 of
// leaf1".
void describe_add_name(struct text *text, const struct endpoint *who);
void describe_add_port(struct text *text, const struct endpoint *who);
