// SPDX-License-Identifier: BSD-2-Clause
// Gives a running gateway a new configuration: checks the whole configuration first, then puts the
// whole configuration in force, or nothing.
// - Changed in place: policy, thresholds, names, the expected topology, M_Keys, sweeps, the
//   heartbeat, the levels of the log.
// - Started anew: changed receivers; the subagents, if their items changed (subagents.h).
// - Kept until a restart: the items that conf/rows.h tells.
// Decides: What does a reload change in place, and what starts anew?
//
// A receiver that did not change is not disturbed. A changed receiver ends when the events in
// flight are confirmed (receiver_request_stop). Its successor goes on from the same place in the
// journal, and is paused if the receiver was paused. A receiver with a new name is a successor,
// too, if only the name has changed.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

struct gateway;

// The thread of reloads; the main loop goes on meanwhile. Writes two texts:
// - to `restart`, the items that changed and wait for a restart, such as "device, port";
// - to `backlogs`, a sentence a line, the fate of the events that wait for receivers.
// Returns false with a sentence if nothing has changed, or a part of the gateway could not start.
// Logs the result as well. Opens log files again in any case.
bool reload_run(struct gateway *gateway, struct text *restart, struct text *backlogs,
                struct error *err);
