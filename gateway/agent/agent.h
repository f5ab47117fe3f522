// SPDX-License-Identifier: BSD-2-Clause
// The AgentX subagent: offers the tables of the IBSWITCH-MIB, the IB-SM-MIB and the IBTRAPD-MIB to
// a master agent, such as net-snmp's snmpd. The subagent has a thread of its own, so a slow or
// absent master agent delays nothing else.
#pragma once

#include "agent/contexts.h"
#include "agent/table.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"

#define AGENT_FABRIC_CONTEXT "fabric"

struct agent_options {
    const char *master; // as in agentx/client.h
    // The tables of the gateway, of a device in its context, and of the fabric as one device.
    const struct table_list *tables, *device_tables, *fabric_tables;
    // The context of this instance, AGENTX_CONTEXT_SIZE - 1 octets at most; empty: the default
    // context only. The first instance to register gets the default context, too.
    const char *context;
    enum contexts_of contexts; // end ports with contexts of their own
    // False: the fabric as one device (source.fabric_of) has a context of its own,
    // AGENT_FABRIC_CONTEXT, followed by a hyphen and `context` unless `context` is empty. True: the
    // agent offers the fabric alone, in the default context.
    bool fabric_alone;
    bool writable;
    struct snapshot_source source;
    // Saves the changes and puts them in force, all or none. `who` names the user, as a part of a
    // sentence. Called in the agent's thread; may wait. Returns false with a sentence if nothing
    // was changed.
    bool (*change)(void *ctx, const struct setting *changes, size_t n, const char *who,
                   struct error *err);
    // The user switched an LED of the node. Called in the agent's thread; may wait.
    void (*switched)(void *ctx, uint64_t node_guid, bool on, const char *who);
    void *ctx;
    const struct random *random;
    struct log *log;
};

struct agent_status {
    bool up;
    char problem[256];            // why the session is not up; empty: the session is up
    uint64_t varbinds;            // requested by Get, GetNext and GetBulk
    uint64_t sets;                // Sets that were committed
    enum contexts_of contexts_of; // as in the options
    size_t contexts;              // of end ports, since the start
};

struct agent;

// Starts the thread. Copies the options; the objects behind their pointers outlive the agent. While
// the master agent is away, the subagent tries again. Returns NULL with a sentence if the address
// of the master agent is not valid, or if threads or descriptors are short.
struct agent *agent_start(const struct agent_options *options, struct error *err);
void agent_stop(struct agent *agent);                                 // NULL is allowed
void agent_get_status(struct agent *agent, struct agent_status *out); // any thread

// Whether the end port has a context of its own. A new port gets its context within seconds, unless
// there are CONTEXTS_MAX. Any thread.
bool agent_has_context(struct agent *agent, uint64_t port_guid);
