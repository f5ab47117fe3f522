// SPDX-License-Identifier: BSD-2-Clause
// The systems of a snapshot: what people have are machines and boxes, and a machine has up to eight
// adapters, each a node on another switch. Built once, then immutable; counted.
// Decides: Which nodes make one system, a host or a box, and what is the name of the system?
#pragma once

#include "model/fabric.h"
#include "model/filter.h"

// Every node belongs to one system:
// - A box has all nodes with the SystemImageGUID of a switch: the ASICs of a director or of a
//   switch with several, their aggregation nodes (SHARP). A switch whose SystemImageGUID is 0 is a
//   box alone. The name is the machine's part of the name of the first switch that has a name.
//   A pattern with a blank is for hosts alone.
// - A host has all CAs with the same host part in their names. The first fitting pattern decides
//   the host part (model/node_name.h); without one, the host part is the whole name. A CA without a
//   name of its own belongs to the host of the CAs with its SystemImageGUID, if these are of one
//   host: both ports of a card.
// - A name of the factory neither joins nor splits.
// - A name that two answering CAs have, with the device, is not the name of one machine: "ubuntu
//   mlx5_0" on two hosts. CAs with such a host part are hosts alone.
// - Where one name or one SystemImageGUID has too many nodes, each of the nodes is alone.
enum {
    SYSTEMS_HOST_NODES_MAX = 32,  // of a host
    SYSTEMS_BOX_NODES_MAX = 1024, // of a box
};

struct system {
    const char *name;      // valid UTF-8; empty: none
    uint64_t guid;         // of a box: the SystemImageGUID; otherwise of the first node
    uint32_t first, count; // of the parts
    bool is_box;
    bool has_devices; // a host whose adapters have names of their own behind the host's
};

struct systems {
    _Atomic unsigned references;
    struct fabric *fabric;    // a reference
    const struct system *all; // ascending by the GUID of the first node
    uint32_t count;
    const uint32_t *of;    // the system of each node
    const uint32_t *parts; // nodes; the nodes of a system ascend
    // Groups of nodes that are too large to be systems, and the name or SystemImageGUID of the
    // first.
    uint32_t too_large;
    char too_large_first[64];
};

struct systems_names {
    const struct filter_list *patterns; // NULL or an empty list: "MF0;%h:%d" and "%h %d"
    // The name of a node; `now` is set to whether the node has the name now. False: a name that
    // the node had lately. NULL: the descriptions.
    const char *(*find)(void *ctx, const struct fabric_node *node, bool *now);
    void *ctx;
};

// Returns one reference, the caller's, and takes one to the fabric. Sorts the nodes: n log n.
struct systems *systems_make(struct fabric *fabric, const struct systems_names *names);

// Any thread. NULL is allowed; systems_ref returns its argument.
struct systems *systems_ref(struct systems *systems);
void systems_unref(struct systems *systems);

static inline const struct system *systems_of(const struct systems *systems, uint32_t node)
{
    return &systems->all[systems->of[node]];
}
