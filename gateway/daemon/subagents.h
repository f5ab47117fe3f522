// SPDX-License-Identifier: BSD-2-Clause
// Starts and stops the two AgentX subagents (agent/agent.h), and connects them with the gateway's
// other parts. The first subagent serves all tables, the second serves the fabric as one device
// alone. The main thread starts and stops both; in between, the thread of reloads does.
// Decides: When do the subagents start again?
#pragma once

#include "base/error.h"
#include "conf/conf.h"

#include <stdbool.h>

struct gateway;

// Starts the subagents for which the configuration has a socket of a master agent. A master agent
// that is away is no error. Returns false with a sentence when threads are short.
bool subagents_start(struct gateway *gateway, struct error *err);
void subagents_stop(struct gateway *gateway);

// Restarts both in one of these cases:
// - their configuration differs from `old`, the configuration that was in force before;
// - sweeps query nodes in another way than at the last start;
// - the last reload lacked a part.
bool subagents_change(struct gateway *gateway, const struct conf_subagent *old, struct error *err);

// Puts the subagents into the parts that the main loop shows. Loop's thread, or the main thread
// before the loop runs.
void subagents_show(struct gateway *gateway);
