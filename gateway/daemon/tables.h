// The tables of the MIBs, below a master agent: the subagent among the gateway's parts. Main
// thread.
#ifndef IBTRAPD_DAEMON_TABLES_H
#define IBTRAPD_DAEMON_TABLES_H

#include "base/error.h"
#include "conf/conf.h"

#include <stdbool.h>

struct agent;
struct gateway;
struct tables;

// As the configuration wants it: without a socket there are none. A master agent that is away is
// waited for. False with a sentence when memory or threads are short.
bool tables_start(struct gateway *gateway, struct error *err);
void tables_stop(struct gateway *gateway);

// After the configuration was exchanged; `old` is what was in force.
bool tables_change(struct gateway *gateway, const struct conf_tables *old, struct error *err);

// The agent that serves them, until the next change; NULL when `tables` is.
struct agent *tables_agent(const struct tables *tables);

#endif
