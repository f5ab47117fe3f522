// The tables of the MIBs, below a master agent: the subagent among the gateway's parts. Main
// thread.
#ifndef IBTRAPD_DAEMON_SUBAGENT_H
#define IBTRAPD_DAEMON_SUBAGENT_H

#include "base/error.h"
#include "conf/conf.h"

#include <stdbool.h>

struct agent;
struct gateway;
struct subagent;

// As the configuration wants it: without a socket there are none. A master agent that is away is
// waited for. False with a sentence when memory or threads are short.
bool subagent_start(struct gateway *gateway, struct error *err);
void subagent_stop(struct gateway *gateway);

// After the configuration was exchanged; `old` is what was in force.
bool subagent_change(struct gateway *gateway, const struct conf_subagent *old, struct error *err);

// The agent that serves them, until the next change; NULL when `tables` is.
struct agent *subagent_agent(const struct subagent *tables);

#endif
