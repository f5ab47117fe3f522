#include "daemon/tables.h"

#include "agent/agent.h"
#include "daemon/gateway.h"
#include "daemon/settings.h"
#include "daemon/table_sources.h"
#include "pipeline/role.h"

#include <stdlib.h>
#include <string.h>

struct tables {
    struct conf_tables conf; // the agent points into it
    struct agent *agent;
};

// Where the rows come from. In the agent's thread.

static void tell_of_gateway(void *ctx, struct view_gateway *out)
{
    struct gateway *g = ctx;
    struct sa_status sa;
    sa_agent_status(g->agent, &sa);
    table_sources_subscriptions(&sa, out);
    table_sources_flow(&sa, g->pipeline, g->journal, g->started_at, out);
    pthread_mutex_lock(&g->exchanged);
    bool standby = role_of_port(g->conf, &sa) != PIPELINE_ACTIVE;
    for (size_t i = 0; i < g->delivery_count; i++)
        table_sources_receiver(g->receivers[i], g->deliveries[i], standby, out);
    pthread_mutex_unlock(&g->exchanged);
    table_sources_sort(out);
}

static struct settings *settings_now(void *ctx)
{
    const struct gateway *g = ctx;
    return journal_settings(g->journal);
}

static struct sums *sums_now(void *ctx)
{
    const struct gateway *g = ctx;
    return pipeline_sums(g->pipeline);
}

static struct agent_options options_of(struct gateway *g, const struct conf_tables *conf)
{
    return (struct agent_options){.master = conf->socket,
                                  .context = conf->context,
                                  .writable = conf->writable,
                                  .source = {.topology = g->topology,
                                             .journal = g->journal,
                                             .gateway = tell_of_gateway,
                                             .settings = settings_now,
                                             .sums = sums_now,
                                             .ctx = g,
                                             .event_trap_level = conf->event_trap_level,
                                             .clock = &clock_system},
                                  .change = settings_change,
                                  .ctx = g,
                                  .random = &random_system,
                                  .log = g->log};
}

bool tables_start(struct gateway *gateway, struct error *err)
{
    if (gateway->conf->tables.socket[0] == '\0')
        return true;
    struct tables *tables = calloc(1, sizeof *tables);
    if (!tables)
        return error_set(err, "out of memory");
    tables->conf = gateway->conf->tables;
    const struct agent_options options = options_of(gateway, &tables->conf);
    tables->agent = agent_start(&options, err);
    if (!tables->agent) {
        free(tables);
        return false;
    }
    gateway->tables = tables;
    return true;
}

void tables_stop(struct gateway *gateway)
{
    if (!gateway->tables)
        return;
    agent_stop(gateway->tables->agent);
    free(gateway->tables);
    gateway->tables = NULL;
}

bool tables_change(struct gateway *gateway, const struct conf_tables *old, struct error *err)
{
    if (memcmp(old, &gateway->conf->tables, sizeof *old) == 0)
        return true;
    tables_stop(gateway);
    return tables_start(gateway, err);
}

struct agent *tables_agent(const struct tables *tables)
{
    return tables ? tables->agent : NULL;
}
