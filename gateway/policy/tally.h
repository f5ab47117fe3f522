// Which nodes an avalanche of events is about most, in a fixed amount of memory.
#ifndef IBTRAPD_POLICY_TALLY_H
#define IBTRAPD_POLICY_TALLY_H

#include "base/text.h"
#include "model/event.h"

enum { TALLY_NODES_MAX = 32, TALLY_NAMED_MAX = 5, TALLY_NAME_SIZE = 41 };

// After Metwally, Agrawal and El Abbadi (Space-Saving, 2005): a newcomer takes the place of the
// rarest and its count, which is kept as the newcomer's error.
struct tally {
    struct tally_node {
        uint64_t guid; // or the LID where no GUID is known
        uint64_t count, error;
        char name[TALLY_NAME_SIZE]; // may be cut
    } nodes[TALLY_NODES_MAX];
    size_t used;
    uint64_t total;
    bool spilled; // there were more nodes than places
};

void tally_clear(struct tally *tally);
void tally_add(struct tally *tally, const struct event *event);

// Adds "leaf1 (412), leaf2 (388) and others": the most frequent first, with counts that are sure.
// False, and adds nothing: no node is known.
bool tally_describe(const struct tally *tally, struct text *t);

#endif
