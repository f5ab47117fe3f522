#include "daemon/daemon.h"

#include "ctl/server.h"
#include "daemon/loop.h"
#include "daemon/pipeline.h"
#include "daemon/receivers.h"
#include "daemon/status.h"
#include "ib/umad.h"
#include "ib/verbs_watch.h"
#include "sink/snmp.h"
#include "install.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

static const int64_t FLUSH_US = 2 * CLOCK_US_PER_S;
struct gateway {
    const struct conf *conf;
    struct log *log;
    int64_t started_at;
    struct names *names;
    struct journal *journal;
    struct pipeline *pipeline;
    struct delivery *deliveries[CONF_RECEIVERS_MAX + 1];
    size_t delivery_count;
    struct umad_choice choice;
    struct sa_agent *agent;
    struct verbs_watch *watch;
    struct loop *loop;
    struct server *server;
};

// Between the parts.

static bool take_report(void *ctx, struct sa_report *report)
{
    struct gateway *g = ctx;
    return pipeline_put_report(g->pipeline, report);
}

static void put_occurrence(struct gateway *g, const struct maker_occurrence *occurrence,
                           uint64_t subnet_prefix)
{
    if (g->pipeline)
        pipeline_put_occurrence(g->pipeline, occurrence, subnet_prefix);
}

static void take_change(void *ctx, enum sa_change change, uint64_t subnet_prefix, const char *reason)
{
    if (change != SA_SUBSCRIPTIONS_LOST && change != SA_SUBSCRIPTIONS_RESTORED)
        return; // the subnet manager's silence is told once it is an event
    struct maker_occurrence o = {.type = change == SA_SUBSCRIPTIONS_LOST
                                             ? CATALOGUE_SUBSCRIPTION_LOST
                                             : CATALOGUE_SUBSCRIPTION_RESTORED,
                                 .alarm_key = "subscriptions"};
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    put_occurrence(ctx, &o, subnet_prefix);
}

static void take_journal_change(void *ctx, enum journal_change change, const char *reason,
                                uint64_t lost)
{
    static const enum catalogue_event TYPES[] = {[JOURNAL_DEGRADED] = CATALOGUE_JOURNAL_DEGRADED,
                                                 [JOURNAL_HEALED] = CATALOGUE_JOURNAL_HEALED,
                                                 [JOURNAL_DROPPING] = CATALOGUE_JOURNAL_DROPPING};
    struct maker_occurrence o = {.type = TYPES[change], .lost = lost};
    if (change != JOURNAL_DROPPING)
        snprintf(o.alarm_key, sizeof o.alarm_key, "journal");
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    put_occurrence(ctx, &o, 0);
}

static void take_receiver_change(void *ctx, const char *receiver, enum delivery_change change,
                                 const char *reason, uint64_t dropped)
{
    struct maker_occurrence o = {.type = change == DELIVERY_FAILING ? CATALOGUE_RECEIVER_FAILING
                                                                    : CATALOGUE_RECEIVER_BACK,
                                 .lost = dropped};
    snprintf(o.alarm_key, sizeof o.alarm_key, "receiver %s", receiver);
    snprintf(o.receiver, sizeof o.receiver, "%s", receiver);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    put_occurrence(ctx, &o, 0);
}

static void tell_gateway(struct gateway *g, enum catalogue_event type, const char *reason)
{
    struct maker_occurrence o = {.type = type};
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    put_occurrence(g, &o, 0);
}

static void acknowledge(void *ctx, const struct sa_report *report)
{
    struct gateway *g = ctx;
    sa_agent_acknowledge(g->agent, report);
}

static json_t *prune(struct gateway *g, const json_t *request)
{
    json_int_t days;
    if (json_unpack((json_t *)request, "{s:I}", "days", &days) != 0 || days < 0 || days > 36500)
        return json_pack("{s:i, s:s}", "version", 1, "error", "'days' must be from 0 to 36500");
    journal_ask_to_prune(g->journal, days * 86400 * CLOCK_US_PER_S);
    return json_pack("{s:i}", "version", 1);
}

static json_t *handle(void *ctx, const char *command, const json_t *request)
{
    struct gateway *g = ctx;
    if (strcmp(command, "journal-prune") == 0)
        return prune(g, request);
    if (strcmp(command, "status") == 0)
        return status_json(&(struct status_parts){.agent = g->agent,
                                                  .pipeline = g->pipeline,
                                                  .journal = g->journal,
                                                  .deliveries = g->deliveries,
                                                  .delivery_count = g->delivery_count},
                           clock_monotonic(&clock_system) - g->started_at);
    return NULL;
}

// Starting; each part is undone in stop(), in mirrored order.

static bool start_delivery(struct gateway *g, const struct conf_receiver *c, struct error *err)
{
    struct receiver receiver;
    const struct delivery_options options = {.filter = c->filter,
                                             .rate = c->rate,
                                             .burst = c->burst,
                                             .age_max_us = c->age_us,
                                             .change = take_receiver_change,
                                             .ctx = g,
                                             .journal = g->journal,
                                             .clock = &clock_system,
                                             .random = &random_system,
                                             .log = g->log};
    if (!receivers_make(&receiver, c, &clock_system, g->started_at, err))
        return false;
    struct delivery *d = delivery_start(&receiver, &options, err);
    if (!d) {
        receiver.free(receiver.self);
        return false;
    }
    g->deliveries[g->delivery_count++] = d;
    return true;
}

static bool start_deliveries(struct gateway *g, struct error *err)
{
    for (size_t i = 0; i < g->conf->receiver_count; i++) {
        if (!start_delivery(g, &g->conf->receivers[i], err))
            return false;
    }
    return true;
}

static bool load_names(struct gateway *g, struct error *err)
{
    const char *path = g->conf->fabric.node_name_map;
    if (path[0] == '\0')
        return true;
    g->names = names_load(path, err);
    if (g->names)
        log_write(g->log, LOG_LEVEL_INFO, "read %zu names from %s", names_count(g->names), path);
    return g->names != NULL;
}

static bool open_journal(struct gateway *g, struct error *err)
{
    const struct conf_journal *c = &g->conf->journal;
    const struct journal_options options = {.directory = c->directory,
                                            .rows_max = c->rows_max,
                                            .bytes_max = c->bytes_max,
                                            .age_us = c->age_us,
                                            .tell = take_journal_change,
                                            .ctx = g,
                                            .clock = &clock_system,
                                            .log = g->log};
    g->journal = journal_open(&options, err);
    if (!g->journal)
        return false;
    snmp_begin(c->directory, &random_system, g->log);
    return true;
}

static bool start_pipeline(struct gateway *g, struct error *err)
{
    const struct pipeline_options options = {
        .maker = {.clock = &clock_system, .random = &random_system, .names = g->names},
        .journal = g->journal,
        .acknowledge = acknowledge,
        .ctx = g};
    g->pipeline = pipeline_start(&options, err);
    return g->pipeline != NULL;
}

// What was to be told before there was anybody to tell.
static void tell_start(struct gateway *g)
{
    char reason[128];
    struct journal_status status;
    snprintf(reason, sizeof reason, "version " INSTALL_VERSION ", %zu receiver%s",
             g->conf->receiver_count, g->conf->receiver_count == 1 ? "" : "s");
    tell_gateway(g, CATALOGUE_GATEWAY_STARTED, reason);
    journal_get_status(g->journal, &status);
    if (!status.durable)
        take_journal_change(g, JOURNAL_DEGRADED, status.problem, 0);
}

static bool start_agent(struct gateway *g, struct error *err)
{
    const struct conf_fabric *f = &g->conf->fabric;
    g->choice = (struct umad_choice){.device = f->device, .port = f->port};
    const struct sa_options options = {
        .verify_us = f->verify_interval_s * CLOCK_US_PER_S,
        .refresh_us = f->refresh_interval_s * CLOCK_US_PER_S,
        .has_sa_key = f->has_sa_key,
        .sa_key = f->sa_key,
        .opener = umad_opener(&g->choice),
        .listener = {take_report, take_change, g},
        .clock = &clock_system,
        .random = &random_system,
        .log = g->log,
    };
    g->agent = sa_agent_new(&options, err);
    if (!g->agent || !sa_agent_start(g->agent, err))
        return false;
    g->watch = verbs_watch_start(g->agent, g->log);
    return true;
}

static bool start_loop(struct gateway *g, struct error *err)
{
    g->loop = loop_new(err);
    if (!g->loop)
        return false;
    g->server = server_start(loop_base(g->loop), g->conf->socket, handle, g, err);
    return g->server != NULL;
}

static bool start(struct gateway *g, struct error *err)
{
    // Only this thread gets the signals, once the loop watches for them.
    sigset_t set, old;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    bool ok = load_names(g, err) && start_loop(g, err) && open_journal(g, err) &&
              start_pipeline(g, err) && start_deliveries(g, err);
    if (ok) {
        tell_start(g);
        ok = start_agent(g, err);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

static void reopen_files(void *ctx)
{
    struct gateway *g = ctx;
    log_write(g->log, LOG_LEVEL_INFO, "opening files again");
    for (size_t i = 0; i < g->delivery_count; i++)
        delivery_reopen(g->deliveries[i]);
}

static void stop_deliveries(struct gateway *g)
{
    int64_t stop_by = clock_monotonic(&clock_system) + FLUSH_US;
    for (size_t i = 0; i < g->delivery_count; i++)
        delivery_ask_to_stop(g->deliveries[i], stop_by);
    if (g->journal)
        journal_wake(g->journal);
    while (g->delivery_count > 0)
        delivery_finish(g->deliveries[--g->delivery_count]);
}

static void stop(struct gateway *g, const char *reason)
{
    verbs_watch_stop(g->watch);
    sa_agent_stop(g->agent);
    tell_gateway(g, CATALOGUE_GATEWAY_STOPPED, reason);
    if (g->pipeline)
        pipeline_stop(g->pipeline); // answers the last reports through the agent's port
    sa_agent_free(g->agent);
    if (g->journal)
        journal_commit(g->journal); // the cursors, should a receiver take long to end
    stop_deliveries(g);
    pipeline_free(g->pipeline);
    if (g->journal)
        journal_commit(g->journal);
    if (g->journal)
        snmp_end();
    journal_close(g->journal);
    server_stop(g->server);
    loop_free(g->loop);
    names_free(g->names);
}

bool daemon_run(const struct conf *conf, struct log *log, struct error *err)
{
    struct gateway g = {.conf = conf, .log = log, .started_at = clock_monotonic(&clock_system)};
    char reason[LOOP_REASON_SIZE] = "it could not start";
    bool ok = start(&g, err);
    if (ok) {
        log_write(log, LOG_LEVEL_INFO, "ibtrapd " INSTALL_VERSION " runs");
        loop_run(g.loop, reopen_files, &g, reason);
        log_write(log, LOG_LEVEL_INFO, "stopping: %s", reason);
    }
    stop(&g, reason);
    return ok;
}
