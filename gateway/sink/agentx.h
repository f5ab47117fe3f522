// SPDX-License-Identifier: BSD-2-Clause
// The sink of the kind `agentx`: sends notifications through a master agent, such as net-snmp's
// snmpd, in an AgentX session of its own (RFC 2741 6.2.10). The master's trap sinks, targets and
// notification log apply.
//
// An event is pending until the master has answered all of its notifications.
#pragma once

#include "base/random.h"
#include "sink/sink.h"

struct agentx_target {
    const char *master;  // as in agentx/client.h
    const char *context; // empty: the default context
    unsigned sets;       // both as of struct snmp_target
    bool extra;
    const struct random *random; // outlives the receiver
};

// Fills `out`. Copies `target`, whose strings outlive the sink.
void agentx_sink(struct sink *out, const char *name, const struct agentx_target *target);
