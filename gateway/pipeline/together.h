// SPDX-License-Identifier: BSD-2-Clause
// Many nodes leave at once, and no switch explains the loss: a rack has no power. One alarm,
// nodes-removed, names the nodes. The alarms of the nodes are consequences. Pipeline's thread.
// Decides: When do many nodes that leave at once have one message?
// Decides: When does the alarm about many nodes end?
#pragma once

#include "pipeline/emitter.h"
#include "pipeline/open_alarms.h"

enum { TOGETHER_FEW = 5 }; // up to five nodes have a message each

// The alarm takes in the nodes that sweeps miss within this time. Policy holds the alarm down until
// then.
#define TOGETHER_GROW_US (INT64_C(5) * 1000000)

// In this time hosts boot, and the alarm ends when all nodes are back. Later the alarm ends when
// few nodes are missing, and receivers are told of each.
#define TOGETHER_LAST_US (INT64_C(10) * 60 * 1000000)

// Raises the alarm if more than a few hosts and boxes leave, each as a whole and without a root
// cause, or takes the nodes into an alarm that grows. Leaves out the nodes that policy singles out.
// Sets `together` and `is_part` of the changes, and `id` to the event of the alarm; empty: there is
// no alarm. Call together_join before the events of the changes are made.
void together_join(struct emitter *emitter, struct changes *changes, bool late,
                   char id[EVENT_ID_SIZE]);

// Ends the alarms that do not hold. `alarms` notes which alarms about nodes have ended.
void together_end(struct emitter *emitter, const struct open_alarms *alarms);
