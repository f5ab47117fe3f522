// SPDX-License-Identifier: BSD-2-Clause
// Starts and stops the two AgentX subagents (agent/agent.h), and connects them with the gateway's
// other parts. The first subagent serves all tables, the second serves the fabric as one device
// alone. The main thread starts and stops both; in between, the thread of reloads does.
// Decides: When do the subagents start again?
#ifndef IBTRAPD_DAEMON_SUBAGENTS_H
#define IBTRAPD_DAEMON_SUBAGENTS_H

#include "base/error.h"
#include "conf/conf.h"

#include <stdbool.h>

struct agent;
struct reads;
struct gateway;
struct subagents;

// Starts the subagents for which the configuration has a socket of a master agent. A master agent
// that is away is no error. Returns false with a sentence when threads are short.
bool subagents_start(struct gateway *gateway, struct error *err);
void subagents_stop(struct gateway *gateway);

// Restarts both in one of these cases:
// - their configuration differs from `old`, the configuration that was in force before;
// - sweeps query nodes in another way than at the last start;
// - the last reload lacked a part.
bool subagents_change(struct gateway *gateway, const struct conf_subagent *old, struct error *err);

// The subagents for all tables and for the fabric alone, valid until the next change; NULL if there
// is none, or `subagents` is NULL.
struct agent *subagents_agent(const struct subagents *subagents);
struct agent *subagents_fabric_agent(const struct subagents *subagents);

// The reads on demand of the first subagent, as above.
struct reads *subagents_reads(const struct subagents *subagents);

#endif
