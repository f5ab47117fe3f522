// SPDX-License-Identifier: BSD-2-Clause
// The nodes that most events of a storm are about, counted in a fixed amount of memory.
#ifndef IBTRAPD_POLICY_TOP_NODES_H
#define IBTRAPD_POLICY_TOP_NODES_H

#include "base/text.h"
#include "model/event.h"

enum { TOP_NODES_NODES_MAX = 32, TOP_NODES_NAMED_MAX = 5, TOP_NODES_NAME_SIZE = 41 };

// Space-Saving (Metwally, Agrawal, El Abbadi, 2005): when all places are taken, a new node replaces
// the one with the smallest count and inherits that count as its error.
struct top_nodes {
    struct top_node {
        uint64_t guid; // or the LID where no GUID is known
        uint64_t count, error;
        char name[TOP_NODES_NAME_SIZE]; // may be cut
    } nodes[TOP_NODES_NODES_MAX];
    size_t used;
    uint64_t total;
    bool spilled; // there were more nodes than places
};

void top_nodes_clear(struct top_nodes *top);
void top_nodes_add(struct top_nodes *top, const struct event *event);

// Adds "leaf1 (412), leaf2 (388) and others": the largest counts first, each less its error. False,
// with nothing added: no node is known.
bool top_nodes_describe(const struct top_nodes *top, struct text *t);

#endif
