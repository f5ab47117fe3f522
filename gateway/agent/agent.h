// The AgentX subagent: the tables of the IBSWITCH-MIB and the IBTRAPD-MIB, below net-snmp's snmpd.
// A thread of its own: a slow or absent master delays nothing else.
#ifndef IBTRAPD_AGENT_AGENT_H
#define IBTRAPD_AGENT_AGENT_H

#include "agent/snapshot.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"

struct agent_options {
    const char *master; // as in agentx/client.h
    // The context of this instance, AGENTX_CONTEXT_SIZE - 1 octets at most; empty: the default
    // context only. The first instance that registers gets the default context as well.
    const char *context;
    bool writable;
    struct snapshot_source source;
    // Saves the changes and lets them take effect, all or none. `who` is a part of a sentence that
    // names the one who asked. Called in the agent's thread; may wait. False with a sentence:
    // nothing was changed.
    bool (*change)(void *ctx, const struct setting *changes, size_t n, const char *who,
                   struct error *err);
    void *ctx;
    const struct random *random;
    struct log *log;
};

struct agent_status {
    bool up;
    char problem[256]; // why not; empty: it is up
    uint64_t varbinds; // that Get, GetNext and GetBulk asked for
    uint64_t sets;     // that changed something
};

struct agent;

// Starts the thread. The options are copied; what they point to outlives the agent. It is no error
// if the master agent is away: the agent tries again. NULL with a sentence when memory or threads
// are short.
struct agent *agent_start(const struct agent_options *options, struct error *err);
void agent_stop(struct agent *agent);                                 // NULL is allowed
void agent_get_status(struct agent *agent, struct agent_status *out); // any thread

#endif
