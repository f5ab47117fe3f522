// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/subagent.h"

#include "agent/agent.h"
#include "daemon/gateway.h"
#include "daemon/settings.h"
#include "daemon/subagent_source.h"
#include "pipeline/role.h"

#include <stdlib.h>
#include <string.h>

struct subagent {
    struct conf_subagent conf; // the agent points into it
    struct agent *agent;
};

// The sources of the rows. Called in the subagent's thread.

static void read_gateway(void *ctx, struct snapshot_gateway *out)
{
    struct gateway *g = ctx;
    struct sa_status sa;
    sa_client_status(g->client, &sa);
    subagent_source_subscriptions(&sa, out);
    subagent_source_flow(&sa, g->pipeline, g->journal, g->started_at, out);
    pthread_mutex_lock(&g->exchanged);
    bool standby = !pipeline_is_active(g->pipeline);
    for (size_t i = 0; i < g->receiver_count; i++)
        subagent_source_receiver(g->receiver_confs[i], g->receivers[i], standby, out);
    pthread_mutex_unlock(&g->exchanged);
    subagent_source_sort(out);
}

static struct settings *settings_now(void *ctx)
{
    const struct gateway *g = ctx;
    return journal_settings(g->journal);
}

static struct accumulated_counters *accumulated_now(void *ctx)
{
    const struct gateway *g = ctx;
    return pipeline_accumulated(g->pipeline);
}

// None of the time before a reload that ended the readings.
static struct measured_errors *measured_errors_now(void *ctx)
{
    struct gateway *g = ctx;
    pthread_mutex_lock(&g->exchanged);
    const bool read = g->conf->counters.ports != CONF_NO_PORTS;
    pthread_mutex_unlock(&g->exchanged);
    return read ? pipeline_measured_errors(g->pipeline) : NULL;
}

static struct agent_options options_of(struct gateway *g, const struct conf_subagent *conf)
{
    static const enum contexts_of CONTEXTS[] = {[CONF_CONTEXTS_SWITCHES] = CONTEXTS_SWITCHES,
                                                [CONF_CONTEXTS_ALL] = CONTEXTS_ALL,
                                                [CONF_CONTEXTS_OFF] = CONTEXTS_OFF};
    return (struct agent_options){.master = conf->socket,
                                  .context = conf->context,
                                  .contexts = CONTEXTS[conf->contexts],
                                  .writable = conf->writable,
                                  .source = {.topology = g->topology,
                                             .journal = g->journal,
                                             .gateway = read_gateway,
                                             .settings = settings_now,
                                             .sums = accumulated_now,
                                             .errors = measured_errors_now,
                                             .ctx = g,
                                             .event_trap_level = conf->event_trap_level,
                                             .clock = &clock_system},
                                  .change = settings_change,
                                  .ctx = g,
                                  .random = &random_system,
                                  .log = g->log};
}

bool subagent_start(struct gateway *gateway, struct error *err)
{
    if (gateway->conf->subagent.socket[0] == '\0')
        return true;
    struct subagent *subagent = calloc(1, sizeof *subagent);
    if (!subagent)
        return error_set(err, "out of memory");
    subagent->conf = gateway->conf->subagent;
    const struct agent_options options = options_of(gateway, &subagent->conf);
    subagent->agent = agent_start(&options, err);
    if (!subagent->agent) {
        free(subagent);
        return false;
    }
    gateway->subagent = subagent;
    return true;
}

void subagent_stop(struct gateway *gateway)
{
    if (!gateway->subagent)
        return;
    agent_stop(gateway->subagent->agent);
    free(gateway->subagent);
    gateway->subagent = NULL;
}

bool subagent_change(struct gateway *gateway, const struct conf_subagent *old, struct error *err)
{
    if (memcmp(old, &gateway->conf->subagent, sizeof *old) == 0)
        return true;
    subagent_stop(gateway);
    return subagent_start(gateway, err);
}

struct agent *subagent_agent(const struct subagent *subagent)
{
    return subagent ? subagent->agent : NULL;
}
