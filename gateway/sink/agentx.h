// SPDX-License-Identifier: BSD-2-Clause
// The sink of the kind `agentx`: sends notifications through a master agent, such as net-snmp's
// snmpd, in an AgentX session of its own (RFC 2741 6.2.10). The master's trap sinks, targets and
// notification log apply.
//
// An event is pending until the master has answered all of its notifications.
#pragma once

#include "base/random.h"
#include "model/receiver_conf.h"
#include "sink/sink.h"

// Fills `out`. `receiver` and `random` stay the caller's and outlive the sink.
void agentx_sink(struct sink *out, const struct conf_receiver *receiver,
                 const struct random *random);
