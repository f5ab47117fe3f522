// A receiver of SNMP notifications behind a master agent, such as net-snmp's snmpd: it has a
// session of its own, over which the notifications go (RFC 2741 6.2.10), and the master's trap
// sinks, targets and notification log apply.
//
// Each event stays pending until the master has answered all its notifications.
#ifndef IBTRAPD_SINK_AGENTX_H
#define IBTRAPD_SINK_AGENTX_H

#include "base/random.h"
#include "sink/sink.h"

struct agentx_target {
    const char *master;  // as in agentx/client.h
    const char *context; // NULL: the default context, ""
    unsigned sets;       // both as of struct snmp_target
    bool extra;
    const struct random *random; // outlives the receiver
};

// Fills `out`; false with a sentence when memory is short. What `target` points to is copied, but
// for `random`.
bool agentx_sink(struct sink *out, const char *name, const struct agentx_target *target,
                 struct error *err);

#endif
