// Answers what `ibtrapctl topology` asks: requests of several pages get all of them from one
// snapshot.
#ifndef IBTRAPD_CONTROL_TOPOLOGY_ANSWERS_H
#define IBTRAPD_CONTROL_TOPOLOGY_ANSWERS_H

#include "control/topology_json.h"

enum { TOPOLOGY_HELD_MAX = 4 }; // snapshots of which somebody has not had all pages yet

struct topology_answers {
    struct journal *journal;
    const struct event_builder *builder; // for names and sentences; of the thread that asks
    struct {
        int64_t number; // 0: not from the journal
        struct fabric *fabric;
    } pages[TOPOLOGY_HELD_MAX];
    unsigned next; // to be replaced
};

// `current` is the fabric as it is now, or NULL; it stays the caller's. NULL: none of these
// commands:
//   "topology"       item "snapshot" (0 or missing: now)
//   "topology-list"
//   "topology-diff"  items "from", "to" (likewise)
// and, to go on after a page, what its "more" has. The thread of the control socket.
json_t *topology_answers_get(struct topology_answers *answers, struct fabric *current,
                             const char *command, const json_t *request);

void topology_answers_clear(struct topology_answers *answers); // releases what is held

#endif
