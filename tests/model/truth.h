// SPDX-License-Identifier: BSD-2-Clause
// The oracle: the true alarms about the fabric, by the findings of complete sweeps.
//
// - node G: G was seen, and is not visible now.
// - link A/p-B/q: the link was seen and is not visible now, and since it was seen last, neither of
//   its end ports was seen in another link: then it is superseded, and forgotten.
// - port G/n: G, no switch, is visible, and its port n is an end of a link alarm.
// - rate link A/p-B/q: the link is visible, and degraded.
#pragma once

#include "plain_fabric.h"

enum { TRUTH_LINKS_MAX = 512, TRUTH_ALARMS_MAX = 1024 };

struct truth_link {
    struct plain_end ends[2];
    bool visible, degraded;
};

struct truth {
    const struct plain_fabric *fabric; // for names, GUIDs and types only
    bool seen[PLAIN_NODES_MAX], visible[PLAIN_NODES_MAX];
    struct truth_link links[TRUTH_LINKS_MAX]; // the alarms that were seen and are not superseded
    unsigned link_count;
};

enum truth_kind { TRUTH_NODE, TRUTH_LINK, TRUTH_PORT, TRUTH_RATE };

struct truth_alarm {
    char key[PLAIN_KEY_SIZE];
    enum truth_kind kind;
    uint8_t node;             // of a node or port alarm
    struct plain_end ends[2]; // of the link; of a port alarm, of its link
};

struct truth_alarms {
    struct truth_alarm all[TRUTH_ALARMS_MAX];
    unsigned count;
};

void truth_note(struct truth *truth, const struct plain_sight *sight);

// The alarms that are true by the last sight.
void truth_list(const struct truth *truth, struct truth_alarms *out);
const struct truth_alarm *truth_find(const struct truth_alarms *alarms, const char *key); // or NULL

// Whether receivers may lack the alarm, as `believes` its root cause: a missing switch through
// which a missing node was connected; a missing node for its links, and for the port at their other
// end; a port for its link.
bool truth_has_told_root(const struct truth *truth, const struct truth_alarm *alarm,
                         bool (*believes)(const void *ctx, const char *key), const void *ctx);
