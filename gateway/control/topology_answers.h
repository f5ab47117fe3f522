// SPDX-License-Identifier: BSD-2-Clause
// Answers the commands about the fabric. A long answer comes in pages; all its pages show the same
// snapshot. Item "more" of a page has the items that request the next one.
#ifndef IBTRAPD_CONTROL_TOPOLOGY_ANSWERS_H
#define IBTRAPD_CONTROL_TOPOLOGY_ANSWERS_H

#include "control/control.h"

// "topology", with item "snapshot" (0 or missing: now): nodes, ports and links.
json_t *topology_answers_show(struct control *control, const json_t *request);

// "topology-list": the snapshots that the journal has.
json_t *topology_answers_list(struct control *control, const json_t *request);

// "topology-diff", with items "from" and "to" (snapshots, as in "topology"): the changes between
// them.
json_t *topology_answers_diff(struct control *control, const json_t *request);

// Drops the snapshots that are kept for further pages.
void topology_answers_clear(struct control_pages *pages);

#endif
