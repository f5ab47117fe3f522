#include "daemon/gateway.h"

#include "control/server.h"
#include "control/status.h"
#include "daemon/heartbeat.h"
#include "daemon/loop.h"
#include "daemon/receivers.h"
#include "daemon/reload.h"
#include "daemon/settings.h"
#include "install.h"
#include "metrics/metrics_parts.h"
#include "metrics/metrics_server.h"
#include "model/fabric_record.h"
#include "pipeline/pipeline.h"
#include "pipeline/policies.h"
#include "pipeline/restore.h"
#include "pipeline/role.h"
#include "sink/snmp.h"
#include "topology/thresholds.h"
#include "topology/topology.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MMAP_THRESHOLD = 128 << 10 }; // octets
// Of alarms.
static const char SUBSCRIPTIONS_KEY[] = "subscriptions", SM_KEY[] = "sm-reachable",
                  JOURNAL_KEY[] = "journal";

// Between the parts.

static bool daemon_on_report(void *ctx, struct sa_report *report)
{
    struct gateway *g = ctx;
    return pipeline_put_report(g->pipeline, report);
}

static void put_occurrence(struct gateway *g, const struct event_builder_occurrence *occurrence,
                           uint64_t subnet_prefix)
{
    if (g->pipeline)
        pipeline_put_occurrence(g->pipeline, occurrence, subnet_prefix);
}

static void request_sweep(void *ctx)
{
    struct gateway *g = ctx;
    struct sweeper *sweeper = atomic_load(&g->sweeper);
    if (sweeper)
        sweeper_trigger(sweeper);
}

static void name_sm(struct gateway *g, struct event_builder_occurrence *o)
{
    struct sa_status status;
    sa_client_status(g->client, &status);
    o->sm_lid = status.port.sm_lid;
    o->sm_guid = status.sm.port_guid;
}

static void daemon_on_change(void *ctx, enum sa_change change, uint64_t subnet_prefix,
                             const char *reason)
{
    static const enum catalogue_event TYPES[] = {
        [SA_SUBSCRIPTIONS_LOST] = CATALOGUE_SUBSCRIPTION_LOST,
        [SA_SUBSCRIPTIONS_RESTORED] = CATALOGUE_SUBSCRIPTION_RESTORED,
        [SA_SM_UNREACHABLE] = CATALOGUE_SM_UNREACHABLE,
        [SA_SM_BACK] = CATALOGUE_SM_BACK};
    bool about_sm = change == SA_SM_UNREACHABLE || change == SA_SM_BACK;
    struct event_builder_occurrence o = {.type = TYPES[change]};
    if (about_sm)
        name_sm(ctx, &o);
    snprintf(o.alarm_key, sizeof o.alarm_key, "%s", about_sm ? SM_KEY : SUBSCRIPTIONS_KEY);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    put_occurrence(ctx, &o, subnet_prefix);
    request_sweep(ctx);
}

// What a sweep took goes back to the system. By itself, a small piece that stays would hold all
// below it.
static void give_memory_back(void)
{
    malloc_trim(0);
}

static void daemon_on_fabric(void *ctx, struct fabric *fabric)
{
    struct gateway *g = ctx;
    pipeline_put_fabric(g->pipeline, fabric);
    give_memory_back();
}

static void daemon_on_counters(void *ctx, struct counter_reading *reading)
{
    struct gateway *g = ctx;
    pipeline_put_counters(g->pipeline, reading);
    give_memory_back();
}

// What was set by SNMP may be known only now.
static void look_at_settings(struct gateway *g)
{
    if (g->settings_changed)
        loop_wake_up(g->settings_changed);
}

static void on_journal_change(void *ctx, enum journal_change change, const char *reason,
                              uint64_t lost)
{
    static const enum catalogue_event TYPES[] = {[JOURNAL_DEGRADED] = CATALOGUE_JOURNAL_DEGRADED,
                                                 [JOURNAL_HEALED] = CATALOGUE_JOURNAL_HEALED,
                                                 [JOURNAL_DROPPING] = CATALOGUE_JOURNAL_DROPPING};
    struct event_builder_occurrence o = {.type = TYPES[change], .lost = lost};
    if (change != JOURNAL_DROPPING)
        snprintf(o.alarm_key, sizeof o.alarm_key, "%s", JOURNAL_KEY);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    put_occurrence(ctx, &o, 0);
    if (change == JOURNAL_HEALED)
        look_at_settings(ctx);
}

static void emit_gateway_event(struct gateway *g, enum catalogue_event type, const char *reason)
{
    struct event_builder_occurrence o = {.type = type};
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    put_occurrence(g, &o, 0);
}

static void daemon_acknowledge(void *ctx, const struct sa_report *report)
{
    struct gateway *g = ctx;
    sa_client_acknowledge(g->client, report);
}

static enum pipeline_role role(void *ctx, const struct fabric *fabric)
{
    const struct gateway *g = ctx;
    struct sa_status status;
    if (!g->conf->fabric.with_master_sm)
        return PIPELINE_ACTIVE;
    sa_client_status(g->client, &status);
    return fabric ? role_of_fabric(g->conf, &status, fabric) : role_of_port(g->conf, &status);
}

// Starting; each part is undone in stop(), in mirrored order.

bool gateway_load_names(const struct conf *conf, struct log *log, struct names **out,
                        struct error *err)
{
    const char *path = conf->fabric.node_name_map;
    *out = NULL;
    if (path[0] == '\0')
        return true;
    *out = names_load(path, err);
    if (*out)
        log_write(log, LOG_LEVEL_INFO, "read %zu names from %s", names_count(*out), path);
    return *out != NULL;
}

static bool open_journal(struct gateway *g, struct error *err)
{
    const struct conf_journal *c = &g->conf->journal;
    memcpy(g->directory, c->directory, sizeof g->directory);
    const struct journal_options options = {.directory = g->directory,
                                            .rows_max = c->rows_max,
                                            .bytes_max = c->bytes_max,
                                            .age_us = c->age_us,
                                            .notify = on_journal_change,
                                            .ctx = g,
                                            .clock = &clock_system,
                                            .random = &random_system,
                                            .log = g->log};
    g->journal = journal_open(&options, err);
    if (!g->journal)
        return false;
    snmp_begin(c->directory, &random_system, g->log);
    return true;
}

static void warn_of_snapshot(struct gateway *g, const struct error *err)
{
    log_write(
        g->log, LOG_LEVEL_WARNING,
        "the last snapshot of the fabric cannot be read (%s); what changed meanwhile will not "
        "be found",
        err->text);
}

// The fabric as it was when the gateway ended.
static void restore_fabric(struct gateway *g)
{
    struct error err;
    struct journal_snapshot newest;
    size_t size;
    if (journal_list_snapshots(g->journal,
                               (struct journal_snapshot[JOURNAL_SNAPSHOTS_MAX + 1]){0}) == 0)
        return;
    uint8_t *record = journal_read_snapshot(g->journal, 0, &newest, &size, &err);
    if (!record) {
        warn_of_snapshot(g, &err);
        return;
    }
    struct fabric *last = fabric_record_read(record, size, &err);
    free(record);
    if (last)
        topology_restore(g->topology, last);
    else
        warn_of_snapshot(g, &err);
}

static bool make_topology(struct gateway *g, struct error *err)
{
    g->topology = topology_new(NULL, g->log);
    g->thresholds = thresholds_new(g->conf->counters.thresholds);
    if (!g->topology || !g->thresholds)
        return error_set(err, "out of memory");
    if (g->conf->sweep.method != CONF_SWEEP_OFF)
        restore_fabric(g);
    return true;
}

static bool daemon_find_lid(void *ctx, uint16_t lid, struct endpoint *out)
{
    return topology_find_lid(ctx, lid, out);
}

static bool daemon_find_guid(void *ctx, uint64_t guid, struct endpoint *out)
{
    return topology_find_guid(ctx, guid, out);
}

static bool daemon_find_peer(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out)
{
    return topology_find_peer(ctx, node_guid, port, out);
}

static bool start_pipeline(struct gateway *g, struct error *err)
{
    struct policy_rule *rules = calloc(POLICY_RULES_MAX, sizeof *rules);
    if (!rules)
        return error_set(err, "out of memory");
    g->lookup = (struct event_builder_lookup){daemon_find_lid, daemon_find_guid, daemon_find_peer,
                                              g->topology};
    struct pipeline_options options = {
        .builder = {.clock = &clock_system, .random = &random_system, .lookup = &g->lookup},
        .journal = g->journal,
        .topology = g->topology,
        .thresholds = g->thresholds,
        .role = role,
        .request_sweep = request_sweep,
        .event_trap_level = settings_trap_level,
        .acknowledge = daemon_acknowledge,
        .ctx = g,
        .log = g->log};
    policies_from_conf(g->conf, &options.policy, rules);
    if (settings_rename(g, &options.builder, err))
        g->pipeline = pipeline_start(&options, err);
    free(rules);
    return g->pipeline != NULL;
}

// Nobody could be told before there was a pipeline, now and at the end of the last run. In the
// pipeline's thread, where the journal tells of what changes from now on.
static void emit_journal_state(void *ctx, const struct pipeline_context *inside)
{
    struct gateway *g = ctx;
    struct journal_status status;
    (void)inside;
    journal_get_status(g->journal, &status);
    if (!status.durable)
        on_journal_change(g, JOURNAL_DEGRADED, status.problem, 0);
    else if (restore_alarm_is_active(g->journal, JOURNAL_KEY))
        on_journal_change(g, JOURNAL_HEALED, "the journal works again", 0);
}

static void emit_gateway_started(struct gateway *g)
{
    char reason[128];
    snprintf(reason, sizeof reason, "version " INSTALL_VERSION ", %zu receiver%s",
             g->conf->receiver_count, g->conf->receiver_count == 1 ? "" : "s");
    emit_gateway_event(g, CATALOGUE_GATEWAY_STARTED, reason);
    pipeline_call(g->pipeline, emit_journal_state, g);
}

static bool make_agent(struct gateway *g, struct error *err)
{
    const struct conf_fabric *f = &g->conf->fabric;
    memcpy(g->device, f->device, sizeof g->device);
    g->choice = (struct umad_choice){.device = g->device, .port = f->port};
    const struct mad_opener *opener = g->options->opener;
    const struct sa_options options = {
        .verify_us = f->verify_interval_s * CLOCK_US_PER_S,
        .refresh_us = f->refresh_interval_s * CLOCK_US_PER_S,
        .has_sa_key = f->has_sa_key,
        .sa_key = f->sa_key,
        .mkey = g->conf->sweep.mkey,
        .was_lost = restore_alarm_is_active(g->journal, SUBSCRIPTIONS_KEY),
        .was_unreachable = restore_alarm_is_active(g->journal, SM_KEY),
        .opener = opener ? *opener : umad_opener(&g->choice),
        .listener = {daemon_on_report, daemon_on_change, g},
        .clock = &clock_system,
        .random = &random_system,
        .log = g->log,
    };
    g->client = sa_client_new(&options, err);
    return g->client != NULL;
}

static bool start_agent(struct gateway *g, struct error *err)
{
    if (!sa_client_start(g->client, err))
        return false;
    g->watch = verbs_watch_start(g->client, g->log);
    return true;
}

struct sweeper_options gateway_sweeper_options(struct gateway *g, const struct conf *conf)
{
    static const enum sweeper_method METHODS[] = {[CONF_SWEEP_OFF] = SWEEPER_OFF,
                                                  [CONF_SWEEP_SMP] = SWEEPER_SMP,
                                                  [CONF_SWEEP_SA] = SWEEPER_SA};
    static const enum sweeper_ports PORTS[] = {[CONF_NO_PORTS] = SWEEPER_NO_PORTS,
                                               [CONF_SWITCH_PORTS] = SWEEPER_SWITCH_PORTS,
                                               [CONF_ALL_PORTS] = SWEEPER_ALL_PORTS};
    const struct conf_sweep *c = &conf->sweep;
    return (struct sweeper_options){
        .method = METHODS[c->method],
        .interval_us = c->interval_s * CLOCK_US_PER_S,
        .settle_us = c->settle_ms * CLOCK_US_PER_MS,
        .in_flight = c->in_flight,
        .attempts = c->attempts,
        .timeout_us = c->timeout_ms * CLOCK_US_PER_MS,
        .has_mkey = c->has_mkey,
        .mkey = c->mkey,
        .counters = PORTS[conf->counters.ports],
        .counters_interval_us = conf->counters.interval_s * CLOCK_US_PER_S,
        .client = g->client,
        .listener = {daemon_on_fabric, daemon_on_counters, g},
        .clock = &clock_system,
        .random = &random_system,
        .log = g->log,
    };
}

static bool start_sweeper(struct gateway *g, struct error *err)
{
    const struct sweeper_options options = gateway_sweeper_options(g, g->conf);
    atomic_store(&g->sweeper, sweeper_start(&options, err));
    return g->sweeper != NULL;
}

static bool start_loop(struct gateway *g, struct error *err)
{
    g->loop = loop_new(err);
    if (!g->loop)
        return false;
    const struct server_options options = {.base = loop_base(g->loop),
                                           .path = g->conf->socket,
                                           .group = g->conf->socket_group,
                                           .handler = control_answer,
                                           .reads_only = control_reads_only,
                                           .ctx = &g->control,
                                           .log = g->log};
    g->server = server_start(&options, err);
    g->settings_changed = loop_wake_new(g->loop, settings_apply, g, err);
    return g->server && g->settings_changed;
}

static bool start_metrics(struct gateway *g, struct error *err)
{
    const struct conf_metrics *c = &g->conf->metrics;
    if (c->host[0] == '\0')
        return true;
    g->metrics = metrics_server_start(loop_base(g->loop), c->host, c->port, metrics_parts_render,
                                      &g->metrics_parts, g->log, err);
    return g->metrics != NULL;
}

static size_t count_failing(const struct gateway *g)
{
    size_t failing = 0;
    for (size_t i = 0; i < g->receiver_count; i++) {
        struct receiver_status status;
        receiver_get_status(g->receivers[i], &status);
        failing += status.problem[0] != '\0';
    }
    return failing;
}

static uint64_t since_last_heartbeat(const struct gateway *g, uint64_t events)
{
    return events > g->heartbeat_events ? events - g->heartbeat_events : 0;
}

static void emit_heartbeat(void *ctx)
{
    struct gateway *g = ctx;
    char reason[EVENT_REASON_SIZE];
    struct pipeline_counters counters;
    struct sa_status sa;
    pipeline_get_counters(g->pipeline, &counters);
    sa_client_status(g->client, &sa);
    heartbeat_describe(&(struct heartbeat){.events = since_last_heartbeat(g, counters.events),
                                           .period_s = g->conf->heartbeat_s,
                                           .receivers = g->receiver_count,
                                           .failing = count_failing(g),
                                           .sm_answers = sa.sm_answers},
                       reason, sizeof reason);
    g->heartbeat_events = counters.events + 1;
    emit_gateway_event(g, CATALOGUE_HEARTBEAT, reason);
}

bool gateway_start_heartbeat(struct gateway *g, struct error *err)
{
    loop_timer_free(g->heartbeat);
    g->heartbeat = NULL;
    if (g->conf->heartbeat_s == 0)
        return true;
    g->heartbeat =
        loop_timer_new(g->loop, g->conf->heartbeat_s * CLOCK_US_PER_S, emit_heartbeat, g, err);
    return g->heartbeat != NULL;
}

static bool daemon_answer_reload(void *ctx, struct text *restart, struct error *err)
{
    struct gateway *g = ctx;
    service_reloading(g->service);
    bool ok = reload_run(g, restart, err);
    service_ready(g->service);
    return ok;
}

static void reload_at_signal(void *ctx)
{
    struct gateway *g = ctx;
    char buffer[CONTROL_RESTART_SIZE];
    struct text restart = text_in(buffer, sizeof buffer);
    struct error err;
    daemon_answer_reload(g, &restart, &err); // it has logged what there is to say
}

// Requests are answered once the loop runs, which is when everything is there.
void gateway_fill_control(struct gateway *g)
{
    topology_answers_clear(&g->control.answers);
    g->control = (struct control){.conf = g->conf,
                                  .started_at = g->started_at,
                                  .log = g->log,
                                  .topology = g->topology,
                                  .journal = g->journal,
                                  .pipeline = g->pipeline,
                                  .client = g->client,
                                  .sweeper = g->sweeper,
                                  .receivers = g->receivers,
                                  .receiver_count = g->receiver_count,
                                  .builder = {.clock = &clock_system, .random = &random_system},
                                  .tables = subagent_agent(g->tables),
                                  .reload = daemon_answer_reload,
                                  .ctx = g};
    g->metrics_parts = (struct metrics_parts){.conf = g->conf,
                                              .started_at = g->started_at,
                                              .journal = g->journal,
                                              .pipeline = g->pipeline,
                                              .client = g->client,
                                              .sweeper = g->sweeper,
                                              .receivers = g->receivers,
                                              .receiver_count = g->receiver_count};
    g->control.answers =
        (struct topology_answers){.journal = g->journal, .builder = &g->control.builder};
}

static uint64_t beats(void *ctx)
{
    const struct gateway *g = ctx;
    return pipeline_progress(g->pipeline);
}

static void daemon_describe(void *ctx, char out[SERVICE_STATUS_SIZE])
{
    const struct gateway *g = ctx;
    struct sa_status s;
    sa_client_status(g->client, &s);
    status_line(&s, out, SERVICE_STATUS_SIZE);
}

static bool start_service(struct gateway *g, struct error *err)
{
    const struct service_options options = {
        .socket = getenv("NOTIFY_SOCKET"),
        .watchdog_us =
            service_watchdog_us(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"), getpid()),
        .base = loop_base(g->loop),
        .beats = beats,
        .describe = daemon_describe,
        .ctx = g,
        .clock = &clock_system,
        .log = g->log};
    g->service = service_start(&options, err);
    if (g->service)
        service_ready(g->service);
    return g->service != NULL;
}

static bool daemon_start(struct gateway *g, struct error *err)
{
    // Only this thread gets the signals, once the loop watches for them.
    sigset_t set, old;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    bool ok = gateway_load_names(g->conf, g->log, &g->map, err) && start_loop(g, err) &&
              start_metrics(g, err) && open_journal(g, err) && make_agent(g, err) &&
              make_topology(g, err) && start_pipeline(g, err) && receivers_start_all(g, err);
    if (ok) {
        settings_apply(g);
        emit_gateway_started(g);
        ok = start_agent(g, err) && start_sweeper(g, err) && subagent_start(g, err) &&
             gateway_start_heartbeat(g, err) && start_service(g, err);
    }
    gateway_fill_control(g);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

static void daemon_stop(struct gateway *g, const char *reason)
{
    subagent_stop(g);
    sweeper_stop(g->sweeper);
    if (g->service)
        service_stopping(g->service);
    verbs_watch_stop(g->watch);
    sa_client_stop(g->client);
    emit_gateway_event(g, CATALOGUE_GATEWAY_STOPPED, reason);
    if (g->pipeline)
        pipeline_stop(g->pipeline); // answers the last reports through the agent's port
    sweeper_free(g->sweeper);
    sa_client_free(g->client);
    if (g->journal)
        journal_commit(g->journal); // the cursors, should a receiver take long to end
    receivers_stop_all(g);
    if (g->journal)
        journal_commit(g->journal);
    pipeline_free(g->pipeline); // after the last commit, which may have something to tell
    if (g->journal)
        snmp_end();
    journal_close(g->journal);
    service_stop(g->service);
    metrics_server_stop(g->metrics);
    loop_timer_free(g->heartbeat);
    server_stop(g->server);
    topology_answers_clear(&g->control.answers);
    loop_wake_free(g->settings_changed);
    loop_free(g->loop);
    thresholds_free(g->thresholds);
    topology_free(g->topology);
    names_unref(g->map);
}

static struct conf *own(const struct conf *conf, struct error *err)
{
    struct conf *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *conf;
    else
        error_set(err, "out of memory");
    return copy;
}

// Large pieces go back to the system when they are freed. glibc would learn to keep them.
static void keep_no_large_pieces(void)
{
    mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
}

bool daemon_run(struct conf *conf, const struct daemon_options *options, struct error *err)
{
    struct gateway g = {.conf = own(conf, err),
                        .options = options,
                        .log = options->log,
                        .started_at = clock_monotonic(&clock_system),
                        .exchanged = PTHREAD_MUTEX_INITIALIZER};
    char reason[LOOP_REASON_SIZE] = "it could not start";
    if (!g.conf) {
        conf_free(conf);
        return false;
    }
    keep_no_large_pieces();
    json_object_seed(0); // it opens a file: before there are threads
    bool ok = daemon_start(&g, err);
    if (ok) {
        log_write(g.log, LOG_LEVEL_INFO, "ibtrapd " INSTALL_VERSION " runs");
        loop_run(g.loop, reload_at_signal, &g, reason);
        log_write(g.log, LOG_LEVEL_INFO, "stopping: %s", reason);
    }
    daemon_stop(&g, reason);
    conf_free(g.conf);
    free(g.conf);
    return ok;
}
