// Which nodes an avalanche of events is about most, in a fixed amount of memory.
#ifndef IBTRAPD_POLICY_TOP_NODES_H
#define IBTRAPD_POLICY_TOP_NODES_H

#include "base/text.h"
#include "model/event.h"

enum { TOP_NODES_NODES_MAX = 32, TOP_NODES_NAMED_MAX = 5, TOP_NODES_NAME_SIZE = 41 };

// After Metwally, Agrawal and El Abbadi (Space-Saving, 2005): a newcomer takes the place of the
// rarest and its count, which is kept as the newcomer's error.
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

// Adds "leaf1 (412), leaf2 (388) and others": the most frequent first, with counts that are sure.
// False, and adds nothing: no node is known.
bool top_nodes_describe(const struct top_nodes *top, struct text *t);

#endif
