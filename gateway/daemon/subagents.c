// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/subagents.h"

#include "agent/agent.h"
#include "agent/snapshot.h"
#include "base/memory.h"
#include "base/secret.h"
#include "daemon/gateway.h"
#include "daemon/loop.h"
#include "daemon/settings.h"
#include "ib/reads.h"
#include "ib/sa_client.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"
#include "tables/tables.h"

#include <stdlib.h>
#include <string.h>

// Rows of the IBTRAPD-MIB.

// Numbers of ibtrapdSubState, ibtrapdRcvKind and ibtrapdRcvState.
enum { SUB_ASKING = 2, SUB_SUBSCRIBED = 3, SUB_RETRYING = 4, SUB_REJECTED = 5, SUB_NO_ANSWER = 6 };
enum {
    KIND_OTHER = 1,
    KIND_SNMP_TRAP = 2,
    KIND_SNMP_INFORM = 3,
    KIND_AGENTX = 4,
    KIND_SYSLOG_LOCAL = 5,
    KIND_SYSLOG_UDP = 6,
    KIND_SYSLOG_TCP = 7,
    KIND_SYSLOG_TLS = 8,
    KIND_RELP = 9,
    KIND_FILE = 10,
    KIND_STDOUT = 11,
};
enum { UNTRIED = 1, UP = 2, RETRYING = 3, FAILING = 4, PAUSED = 5, STANDBY = 6 };

enum { RETRIES_MAX = 5 }; // failures after which the state is no longer retrying but no answer

static uint8_t subagents_subscription_state(const struct subscription *one)
{
    static const uint8_t STATES[] = {[SUBSCRIPTION_PENDING] = SUB_ASKING,
                                     [SUBSCRIPTION_SUBSCRIBED] = SUB_SUBSCRIBED,
                                     [SUBSCRIPTION_REJECTED] = SUB_REJECTED,
                                     [SUBSCRIPTION_NO_ANSWER] = SUB_NO_ANSWER};
    const bool retries = one->state == SUBSCRIPTION_NO_ANSWER && one->failures < RETRIES_MAX;
    return retries ? SUB_RETRYING : STATES[one->state];
}

static void subagents_add_subscriptions(const struct sa_status *status,
                                        struct snapshot_gateway *out)
{
    out->subscription_count = SUBSCRIPTIONS_COUNT;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        const struct subscription *one = &status->subscriptions[i];
        struct snapshot_subscription *row = &out->subscriptions[i];
        *row = (struct snapshot_subscription){.trap = one->trap,
                                              .state = subagents_subscription_state(one),
                                              .status = one->status,
                                              .changed_at = one->changed_at,
                                              .last_report_at = one->report_at,
                                              .reports = one->reports};
        struct text t = text_in(row->reason, sizeof row->reason);
        subscriptions_add_detail(&t, one, status->has_sa_key);
    }
}

static uint64_t subagents_count_suppressed(const struct event_counts *counts)
{
    uint64_t suppressed = 0;
    for (size_t i = 0; i < POLICY_REASON_COUNT; i++)
        suppressed += atomic_load(&counts->reasons[i]);
    return suppressed;
}

static void subagents_add_flow(const struct sa_status *status, struct pipeline *pipeline,
                               struct journal *journal, int64_t started_at,
                               struct snapshot_gateway *out)
{
    struct pipeline_counters counters;
    struct journal_status written;
    pipeline_get_counters(pipeline, &counters);
    journal_get_status(journal, &written);
    uint64_t pending = (uint64_t)written.pending;
    out->flow = (struct snapshot_flow){
        .reports = status->counters.reports,
        .acknowledged = status->counters.acknowledged,
        .repeated = counters.repeated,
        .malformed = status->counters.malformed,
        .foreign = status->counters.foreign,
        .ring_full = status->counters.no_room,
        .events = counters.events,
        .suppressed = subagents_count_suppressed(pipeline_event_counts(pipeline)),
        .journalled = counters.events > pending ? counters.events - pending : 0,
        .dropped = written.dropped,
        .since = started_at,
    };
}

static uint8_t subagents_receiver_kind(const struct conf_receiver *conf)
{
    static const uint8_t SYSLOG_KINDS[] = {
        [TRANSPORT_LOCAL] = KIND_SYSLOG_LOCAL, [TRANSPORT_UDP] = KIND_SYSLOG_UDP,
        [TRANSPORT_TCP] = KIND_SYSLOG_TCP,     [TRANSPORT_TLS] = KIND_SYSLOG_TLS,
        [TRANSPORT_RELP] = KIND_RELP,          [TRANSPORT_RELP_TLS] = KIND_RELP,
        [TRANSPORT_STDOUT] = KIND_STDOUT};
    switch (conf->kind) {
    case CONF_SNMP:
        return conf->snmp.inform ? KIND_SNMP_INFORM : KIND_SNMP_TRAP;
    case CONF_SYSLOG:
        return SYSLOG_KINDS[conf->transport];
    case CONF_AGENTX:
        return KIND_AGENTX;
    case CONF_FILE:
        return KIND_FILE;
    case CONF_KAFKA:
    case CONF_HTTP:
    case CONF_ALERTMANAGER:
        return KIND_OTHER;
    }
    return KIND_OTHER;
}

static uint8_t subagents_receiver_state(const struct receiver_status *s, bool standby)
{
    if (s->paused)
        return PAUSED;
    if (s->problem[0] != '\0')
        return s->failures == 1 ? RETRYING : FAILING;
    if (standby)
        return STANDBY;
    return s->untried ? UNTRIED : UP;
}

static bool subagents_add_receiver(const struct conf_receiver *conf, struct receiver *receiver,
                                   bool standby, struct snapshot_gateway *out)
{
    if (out->receiver_count == SNAPSHOT_RECEIVERS_MAX)
        return false;
    struct snapshot_receiver *row = &out->receivers[out->receiver_count++];
    struct receiver_status s;
    receiver_get_status(receiver, &s);
    const struct sink *sink = receiver_sink(receiver);
    *row = (struct snapshot_receiver){.kind = subagents_receiver_kind(conf),
                                      .state = subagents_receiver_state(&s, standby),
                                      .changed_at = s.changed_at,
                                      .last_success_at = s.delivered_at,
                                      .sent = s.handed,
                                      .acknowledged = s.sent,
                                      .retried = s.repeated,
                                      .filtered = s.filtered,
                                      .dropped = s.dropped,
                                      .lag_events = s.lag > 0 ? (uint64_t)s.lag : 0,
                                      .oldest_us = s.oldest_us};
    snprintf(row->name, sizeof row->name, "%s", sink->name);
    snprintf(row->address, sizeof row->address, "%.*s", (int)sizeof row->address - 1,
             sink->address);
    snprintf(row->reason, sizeof row->reason, "%.*s", (int)sizeof row->reason - 1, s.problem);
    return true;
}

static void subagents_add_window(void *ctx, const struct maintenance_window *window)
{
    struct snapshot_gateway *out = ctx;
    if (window->until_us <= clock_utc(&clock_system) || out->window_count == MAINTENANCE_MAX)
        return;
    struct snapshot_window *row = &out->windows[out->window_count++];
    struct text nodes = text_in(row->nodes, sizeof row->nodes);
    row->until_us = window->until_us;
    row->all = maintenance_covers_all(window);
    memcpy(row->name, window->name, sizeof row->name);
    memcpy(row->who, window->who, sizeof row->who);
    memcpy(row->comment, window->comment, sizeof row->comment);
    for (size_t i = 0; i < window->nodes.count; i++)
        text_addf(&nodes, "%s%s", i > 0 ? " " : "", window->nodes.patterns[i]);
}

static int subagents_by_index(const void *a, const void *b)
{
    const struct snapshot_receiver *x = a, *y = b;
    size_t m = strlen(x->name), n = strlen(y->name);
    return m == n ? strcmp(x->name, y->name) : (m > n) - (m < n);
}

// The subagent.

struct subagents {
    struct conf_subagent conf; // the agents point into it
    struct reads_options reads;
    struct reads *demand;
    struct agent *agent;        // NULL: the configuration has no item `socket`
    struct agent *fabric_agent; // for the fabric alone; NULL: there is no `fabric_socket`
};

// What the agent asks for. Its thread calls these functions.

static void subagents_read_gateway(void *ctx, struct snapshot_gateway *out)
{
    struct gateway *g = ctx;
    struct sa_status sa;
    sa_client_status(g->parts.client, &sa);
    subagents_add_subscriptions(&sa, out);
    subagents_add_flow(&sa, g->parts.pipeline, g->parts.journal, g->parts.started_at, out);
    journal_each_maintenance(g->parts.journal, subagents_add_window, out);
    pthread_mutex_lock(&g->exchanged);
    bool standby = !pipeline_is_active(g->parts.pipeline);
    for (size_t i = 0; i < g->parts.receiver_count; i++)
        subagents_add_receiver(g->receiver_confs[i], g->receivers[i], standby, out);
    pthread_mutex_unlock(&g->exchanged);
    qsort(out->receivers, out->receiver_count, sizeof *out->receivers, subagents_by_index);
}

static struct settings *subagents_settings(void *ctx)
{
    const struct gateway *g = ctx;
    return journal_settings(g->parts.journal);
}

static struct accumulated_counters *subagents_accumulated(void *ctx)
{
    const struct gateway *g = ctx;
    return correlator_accumulated(pipeline_correlator(g->parts.pipeline));
}

// Returns no errors from before a reload that ended the readings.
static struct measured_errors *subagents_errors(void *ctx)
{
    struct gateway *g = ctx;
    pthread_mutex_lock(&g->exchanged);
    const bool read = g->conf->counters.ports != COUNTERS_OFF;
    pthread_mutex_unlock(&g->exchanged);
    return read ? correlator_measured_errors(pipeline_correlator(g->parts.pipeline)) : NULL;
}

// Reads on demand are sent as often as the queries of sweeps, but end earlier than the time for the
// answer to the waiting request (agentx/client.c).
static struct reads_options subagents_reads_options(const struct gateway *g)
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
        .registers = sweep->vendor_registers,
        .vskey = sweep->vskey,
        .client = g->parts.client,
        .clock = &clock_system,
        .random = &random_system,
        .log = g->parts.log,
    };
}

static bool subagents_read_alike(const struct reads_options *a, const struct reads_options *b)
{
    return a->rate == b->rate && a->attempts == b->attempts && a->timeout_us == b->timeout_us &&
           a->mkey == b->mkey && a->mkeys == b->mkeys && a->registers == b->registers &&
           a->vskey == b->vskey;
}

static struct agent_options subagents_options(struct gateway *g, struct subagents *subagents)
{
    const struct conf_subagent *conf = &subagents->conf;
    return (struct agent_options){.master = conf->socket,
                                  .tables = &TABLES,
                                  .device_tables = &DEVICE_TABLES,
                                  .fabric_tables = &FABRIC_DEVICE_TABLES,
                                  .context = conf->context,
                                  .contexts = conf->contexts,
                                  .writable = conf->writable,
                                  .source = {.topology = g->parts.topology,
                                             .journal = g->parts.journal,
                                             .gateway = subagents_read_gateway,
                                             .settings = subagents_settings,
                                             .sums = subagents_accumulated,
                                             .errors = subagents_errors,
                                             .ctx = g,
                                             .fabric_of = conf->fabric_ports,
                                             .gateway_name = g->parts.gateway_name,
                                             .fabric_name = g->parts.fabric_name,
                                             .demand = {.fd = reads_fd(subagents->demand),
                                                        .ask = reads_ask,
                                                        .drop = reads_drop,
                                                        .can_ask = reads_can_ask,
                                                        .is_ready = reads_is_ready,
                                                        .run = reads_run,
                                                        .reads = subagents->demand},
                                             .event_trap_level = conf->event_trap_level,
                                             .clock = &clock_system},
                                  .change = settings_change,
                                  .switched = settings_tell_beacon,
                                  .ctx = g,
                                  .random = &random_system,
                                  .log = g->parts.log};
}

// Starts the agents that the configuration asks for.
static bool subagents_start_agents(struct gateway *gateway, struct subagents *subagents,
                                   struct error *err)
{
    const struct conf_subagent *conf = &subagents->conf;
    struct agent_options options = subagents_options(gateway, subagents);
    if (conf->socket[0] != '\0' && !(subagents->agent = agent_start(&options, err)))
        return false;
    if (conf->fabric_socket[0] == '\0' || conf->fabric_ports == CONTEXTS_OFF)
        return true;
    options.master = conf->fabric_socket;
    options.context = "";
    options.contexts = CONTEXTS_OFF;
    options.fabric_alone = true;
    options.source.demand = (struct snapshot_demand){0}; // only the first agent's thread reads
    options.writable = false;
    subagents->fabric_agent = agent_start(&options, err);
    return subagents->fabric_agent != NULL;
}

static void subagents_free(struct subagents *subagents)
{
    agent_stop(subagents->agent);
    agent_stop(subagents->fabric_agent);
    reads_free(subagents->demand);
    secret_release(subagents); // it has an M_Key
}

bool subagents_start(struct gateway *gateway, struct error *err)
{
    const struct conf_subagent *conf = &gateway->conf->subagent;
    if (conf->socket[0] == '\0' && conf->fabric_socket[0] == '\0')
        return true;
    struct subagents *subagents = memory_zeroed(1, sizeof *subagents);
    subagents->conf = gateway->conf->subagent;
    subagents->reads = subagents_reads_options(gateway);
    subagents->demand = reads_new(&subagents->reads, err);
    if (!subagents->demand || !subagents_start_agents(gateway, subagents, err)) {
        subagents_free(subagents);
        return false;
    }
    gateway->subagents = subagents;
    return true;
}

void subagents_stop(struct gateway *gateway)
{
    if (!gateway->subagents)
        return;
    subagents_free(gateway->subagents);
    gateway->subagents = NULL;
}

// Takes the agents from the parts that the main loop shows. Loop's thread.
static void subagents_hide(void *ctx)
{
    struct gateway *g = ctx;
    g->parts.subagent = g->parts.fabric_agent = NULL;
    g->parts.demand = NULL;
}

bool subagents_change(struct gateway *gateway, const struct conf_subagent *old, struct error *err)
{
    struct reads_options reads = subagents_reads_options(gateway);
    const bool same =
        !gateway->subagents || subagents_read_alike(&gateway->subagents->reads, &reads);
    explicit_bzero(&reads, sizeof reads); // it has an M_Key
    if (!gateway->lacks_part && memcmp(old, &gateway->conf->subagent, sizeof *old) == 0 && same)
        return true;
    loop_call(gateway->loop, subagents_hide, gateway);
    subagents_stop(gateway);
    return subagents_start(gateway, err);
}

void subagents_show(struct gateway *gateway)
{
    const struct subagents *subagents = gateway->subagents;
    gateway->parts.subagent = subagents ? subagents->agent : NULL;
    gateway->parts.fabric_agent = subagents ? subagents->fabric_agent : NULL;
    // The agent for the fabric alone reads nothing on demand.
    gateway->parts.demand = gateway->parts.subagent ? subagents->demand : NULL;
}
