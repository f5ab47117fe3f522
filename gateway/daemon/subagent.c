// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/subagent.h"

#include "agent/agent.h"
#include "base/memory.h"
#include "base/secret.h"
#include "daemon/gateway.h"
#include "daemon/loop.h"
#include "daemon/settings.h"
#include "daemon/subagent_source.h"
#include "ib/reads.h"
#include "pipeline/role.h"
#include "tables/tables.h"

#include <stdlib.h>
#include <string.h>

struct subagent {
    struct conf_subagent conf; // the agents point into it
    struct reads_options reads;
    struct reads *demand;
    struct agent *agent;        // NULL: the configuration has no item `socket`
    struct agent *fabric_agent; // for the fabric alone; NULL: there is no `fabric_socket`
};

// The sources of the rows. Called in the subagent's thread.

static void read_gateway(void *ctx, struct snapshot_gateway *out)
{
    struct gateway *g = ctx;
    struct sa_status sa;
    sa_client_status(g->parts.client, &sa);
    subagent_source_subscriptions(&sa, out);
    subagent_source_flow(&sa, g->parts.pipeline, g->parts.journal, g->parts.started_at, out);
    pthread_mutex_lock(&g->exchanged);
    bool standby = !pipeline_is_active(g->parts.pipeline);
    for (size_t i = 0; i < g->receiver_count; i++)
        subagent_source_receiver(g->receiver_confs[i], g->receivers[i], standby, out);
    pthread_mutex_unlock(&g->exchanged);
    subagent_source_sort(out);
}

static struct settings *settings_now(void *ctx)
{
    const struct gateway *g = ctx;
    return journal_settings(g->parts.journal);
}

static struct accumulated_counters *accumulated_now(void *ctx)
{
    const struct gateway *g = ctx;
    return pipeline_accumulated(g->parts.pipeline);
}

// None of the time before a reload that ended the readings.
static struct measured_errors *measured_errors_now(void *ctx)
{
    struct gateway *g = ctx;
    pthread_mutex_lock(&g->exchanged);
    const bool read = g->conf->counters.ports != CONF_NO_PORTS;
    pthread_mutex_unlock(&g->exchanged);
    return read ? pipeline_measured_errors(g->parts.pipeline) : NULL;
}

static enum contexts_of subagent_contexts_of(uint16_t conf)
{
    return conf == CONF_CONTEXTS_ALL        ? CONTEXTS_ALL
           : conf == CONF_CONTEXTS_SWITCHES ? CONTEXTS_SWITCHES
                                            : CONTEXTS_OFF;
}

// Reads on demand. Called in the subagent's thread.

static enum demand_state subagent_ask(void *ctx, const struct demand_key *key,
                                      struct demand_answer **answer, int64_t *ticket)
{
    const struct subagent *subagent = ctx;
    return reads_ask(subagent->demand, key, answer, ticket);
}

static void subagent_drop(void *ctx, const struct demand_key *key)
{
    const struct subagent *subagent = ctx;
    reads_drop(subagent->demand, key);
}

static bool subagent_can_ask(void *ctx, const struct demand_key *key)
{
    const struct subagent *subagent = ctx;
    return reads_can_ask(subagent->demand, key);
}

static bool subagent_is_ready(void *ctx, int64_t ticket)
{
    const struct subagent *subagent = ctx;
    return reads_is_ready(subagent->demand, ticket);
}

static int64_t subagent_read_on(void *ctx)
{
    const struct subagent *subagent = ctx;
    return reads_run(subagent->demand);
}

// They are sent as often as the queries of sweeps, but have ended before the request that waits for
// them has to be answered (agentx/client.c).
static struct reads_options subagent_reads(const struct gateway *g)
{
    static const int64_t LONGEST_US = 2 * CLOCK_US_PER_S;
    const struct conf_sweep *sweep = &g->conf->sweep;
    const int64_t longest_us = LONGEST_US / sweep->attempts;
    const int64_t timeout_us = sweep->timeout_ms * CLOCK_US_PER_MS;
    return (struct reads_options){
        .rate = g->conf->subagent.read_rate,
        .attempts = sweep->attempts,
        .timeout_us = timeout_us < longest_us ? timeout_us : longest_us,
        .mkey = sweep->has_mkey ? sweep->mkey : 0,
        .mkeys = sweep->guid2mkey_file[0] != '\0' ? g->mkeys : NULL,
        .client = g->parts.client,
        .clock = &clock_system,
        .random = &random_system,
        .log = g->parts.log,
    };
}

static bool subagent_reads_as(const struct reads_options *a, const struct reads_options *b)
{
    return a->rate == b->rate && a->attempts == b->attempts && a->timeout_us == b->timeout_us &&
           a->mkey == b->mkey && a->mkeys == b->mkeys;
}

static struct agent_options options_of(struct gateway *g, struct subagent *subagent)
{
    const struct conf_subagent *conf = &subagent->conf;
    return (struct agent_options){.master = conf->socket,
                                  .tables = &TABLES,
                                  .device_tables = &DEVICE_TABLES,
                                  .fabric_tables = &FABRIC_DEVICE_TABLES,
                                  .context = conf->context,
                                  .contexts = subagent_contexts_of(conf->contexts),
                                  .writable = conf->writable,
                                  .source = {.topology = g->parts.topology,
                                             .journal = g->parts.journal,
                                             .gateway = read_gateway,
                                             .settings = settings_now,
                                             .sums = accumulated_now,
                                             .errors = measured_errors_now,
                                             .ctx = g,
                                             .fabric_of = subagent_contexts_of(conf->fabric_ports),
                                             .gateway_name = g->name,
                                             .demand = {.fd = reads_fd(subagent->demand),
                                                        .ask = subagent_ask,
                                                        .drop = subagent_drop,
                                                        .can_ask = subagent_can_ask,
                                                        .is_ready = subagent_is_ready,
                                                        .run = subagent_read_on,
                                                        .ctx = subagent},
                                             .event_trap_level = conf->event_trap_level,
                                             .clock = &clock_system},
                                  .change = settings_change,
                                  .switched = settings_tell_beacon,
                                  .ctx = g,
                                  .random = &random_system,
                                  .log = g->parts.log};
}

// Starts the agents that the configuration asks for.
static bool subagent_start_agents(struct gateway *gateway, struct subagent *subagent,
                                  struct error *err)
{
    const struct conf_subagent *conf = &subagent->conf;
    struct agent_options options = options_of(gateway, subagent);
    if (conf->socket[0] != '\0' && !(subagent->agent = agent_start(&options, err)))
        return false;
    if (conf->fabric_socket[0] == '\0' || conf->fabric_ports == CONF_CONTEXTS_OFF)
        return true;
    options.master = conf->fabric_socket;
    options.context = "";
    options.contexts = CONTEXTS_OFF;
    options.fabric_alone = true;
    options.source.demand =
        (struct snapshot_demand){0}; // it is the other agent's thread that reads
    options.writable = false;
    subagent->fabric_agent = agent_start(&options, err);
    return subagent->fabric_agent != NULL;
}

static void subagent_free(struct subagent *subagent)
{
    agent_stop(subagent->agent);
    agent_stop(subagent->fabric_agent);
    reads_free(subagent->demand);
    secret_release(subagent); // it has an M_Key
}

bool subagent_start(struct gateway *gateway, struct error *err)
{
    const struct conf_subagent *conf = &gateway->conf->subagent;
    if (conf->socket[0] == '\0' && conf->fabric_socket[0] == '\0')
        return true;
    struct subagent *subagent = memory_zeroed(1, sizeof *subagent);
    subagent->conf = gateway->conf->subagent;
    subagent->reads = subagent_reads(gateway);
    subagent->demand = reads_new(&subagent->reads, err);
    if (!subagent->demand || !subagent_start_agents(gateway, subagent, err)) {
        subagent_free(subagent);
        return false;
    }
    gateway->subagent = subagent;
    return true;
}

void subagent_stop(struct gateway *gateway)
{
    if (!gateway->subagent)
        return;
    subagent_free(gateway->subagent);
    gateway->subagent = NULL;
}

// Takes it from what the main loop shows, in the loop's thread.
static void subagent_hide(void *ctx)
{
    struct gateway *g = ctx;
    g->parts.subagent = g->parts.fabric_agent = NULL;
    g->parts.demand = NULL;
}

bool subagent_change(struct gateway *gateway, const struct conf_subagent *old, struct error *err)
{
    struct reads_options reads = subagent_reads(gateway);
    const bool same = !gateway->subagent || subagent_reads_as(&gateway->subagent->reads, &reads);
    explicit_bzero(&reads, sizeof reads); // it has an M_Key
    if (!gateway->lacks_part && memcmp(old, &gateway->conf->subagent, sizeof *old) == 0 && same)
        return true;
    loop_call(gateway->loop, subagent_hide, gateway);
    subagent_stop(gateway);
    return subagent_start(gateway, err);
}

struct agent *subagent_agent(const struct subagent *subagent)
{
    return subagent ? subagent->agent : NULL;
}

struct agent *subagent_fabric_agent(const struct subagent *subagent)
{
    return subagent ? subagent->fabric_agent : NULL;
}

// The fabric alone has nothing that is read on demand.
struct reads *subagent_demand(const struct subagent *subagent)
{
    return subagent_agent(subagent) ? subagent->demand : NULL;
}
