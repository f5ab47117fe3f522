// SPDX-License-Identifier: BSD-2-Clause
// Starts and stops the AgentX subagent (agent/agent.h), and connects it with the gateway's other
// parts. The main thread starts and stops it; in between, the thread of reloads does.
#ifndef IBTRAPD_DAEMON_SUBAGENT_H
#define IBTRAPD_DAEMON_SUBAGENT_H

#include "base/error.h"
#include "conf/conf.h"

#include <stdbool.h>

struct agent;
struct reads;
struct gateway;
struct subagent;

// Starts it if the configuration has a socket of a master agent. It is no error if the master agent
// is away. Returns false with a sentence when threads are short.
bool subagent_start(struct gateway *gateway, struct error *err);
void subagent_stop(struct gateway *gateway);

// Restarts it if its configuration differs from `old`, the one that was in force before, if sweeps
// query nodes in another way than when it was started, or if the last reload lacked a part.
bool subagent_change(struct gateway *gateway, const struct conf_subagent *old, struct error *err);

// The agents for all tables and for the fabric alone, valid until the next change; NULL if there is
// none, or `subagent` is NULL.
struct agent *subagent_agent(const struct subagent *subagent);
struct agent *subagent_fabric_agent(const struct subagent *subagent);

// The same of its reads on demand.
struct reads *subagent_demand(const struct subagent *subagent);

#endif
