// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/daemon.h"

#include "base/memory.h"
#include "conf/load.h"
#include "control/commands.h"
#include "control/handlers.h"
#include "control/server.h"
#include "daemon/alarm_source.h"
#include "daemon/heartbeat.h"
#include "daemon/loop.h"
#include "daemon/metrics_source.h"
#include "daemon/own_alarms.h"
#include "daemon/presence.h"
#include "daemon/receivers.h"
#include "daemon/reload.h"
#include "daemon/settings.h"
#include "daemon/sm_log_source.h"
#include "daemon/subagents.h"
#include "daemon/wiring.h"
#include "install.h"
#include "model/fabric_builder.h"
#include "model/fabric_record.h"
#include "pipeline/options.h"
#include "pipeline/pipeline.h"
#include "pipeline/role.h"
#include "sink/snmp.h"
#include "smlog/sm_log.h"
#include "topology/counter_watch.h"
#include "topology/former_names.h"
#include "topology/topology.h"
#include "web/page.h"
#include "web/scrape.h"
#include "web/web_server.h"

#include <assert.h>
#include <event2/event.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MMAP_THRESHOLD = 128 << 10 }; // octets

static const int64_t WORKER_STOP_US = 5 * CLOCK_US_PER_S;

// From the signal on. A reload may be under way, and take ten seconds. A stop takes some forty
// seconds when the journal's disk does not write; after ninety seconds, systemd kills.
static const int64_t STOP_BEGINS_US = 20 * CLOCK_US_PER_S, STOP_US = 80 * CLOCK_US_PER_S;

// Starting. daemon_stop ends the parts in the opposite order.

static void daemon_take_name(struct gateway *g)
{
    char host[HOST_NAME_MAX + 1] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "localhost");
    own_alarms_name(g->conf, host, g->parts.gateway_name);
    own_alarms_name_fabric(g->conf, g->parts.gateway_name, g->parts.fabric_name);
} // NOLINT(clang-analyzer-unix.Malloc): daemon_run frees the configuration

static bool daemon_open_journal(struct gateway *g, struct error *err)
{
    const struct conf_journal *c = &g->conf->journal;
    struct service_opening opening;
    memcpy(g->directory, c->directory, sizeof g->directory);
    const struct journal_options options = {.directory = g->directory,
                                            .rows_max = c->rows_max,
                                            .bytes_max = c->bytes_max,
                                            .age_us = c->age_us,
                                            .notify = wiring_on_journal_change,
                                            .ctx = g,
                                            .watch = {service_opening_step, &opening},
                                            .clock = &clock_system,
                                            .random = &random_system,
                                            .log = g->parts.log};
    service_opening_begin(&opening, getenv("NOTIFY_SOCKET"), &clock_system, g->parts.log);
    g->parts.journal = journal_open(&options, err);
    service_opening_end(&opening);
    if (!g->parts.journal)
        return false;
    g->turns = turns_make(turns_processors(), RECEIVERS_TURN_US);
    snmp_begin(c->directory, &random_system, g->parts.log);
    return true;
}

// NULL with a sentence: the journal has no such snapshot, or the snapshot cannot be read.
static struct fabric *daemon_read_fabric(const struct gateway *g, int64_t number, struct error *err)
{
    struct journal_snapshot snapshot;
    size_t size;
    uint8_t *record = journal_read_snapshot(g->parts.journal, number, &snapshot, &size, err);
    struct fabric *fabric = record ? fabric_record_read(record, size, err) : NULL;
    free(record);
    return fabric;
}

// Restores the fabric from the end of the last run, and the names that nodes lost lately.
static void daemon_restore_fabric(struct gateway *g)
{
    struct error err;
    struct journal_snapshot all[JOURNAL_SNAPSHOTS_MAX + 1];
    const size_t count = journal_list_snapshots(g->parts.journal, all);
    const int64_t since = clock_utc(&clock_system) - FORMER_NAMES_US;
    for (size_t i = 0; i + 1 < count; i++) {
        struct fabric *fabric = all[i + 1].time_us > since && all[i].number != 0
                                    ? daemon_read_fabric(g, all[i].number, &err)
                                    : NULL;
        if (fabric)
            topology_restore(g->parts.topology, fabric);
    }
    if (count == 0)
        return;
    g->restored = daemon_read_fabric(g, 0, &err);
    topology_restore(g->parts.topology, g->restored ? fabric_ref(g->restored) : NULL);
    if (!g->restored)
        log_write(g->parts.log, LOG_LEVEL_WARNING,
                  "the last snapshot of the fabric cannot be read (%s); changes during the stop "
                  "will not be found",
                  err.text);
}

static void daemon_make_topology(struct gateway *g)
{
    g->parts.topology = topology_new(NULL, &random_system, g->parts.log);
    const struct counter_watch_limits limits = options_of_counters(g->conf);
    g->counter_watch = counter_watch_new(&limits);
    g->parts.link_history = link_history_new(&g->conf->unreliable);
    g->parts.devices = devices_new();
    if (g->conf->sweep.method != SWEEP_OFF)
        daemon_restore_fabric(g);
    g->alarm_may_stand = own_alarms_may_stand(g);
}

static bool daemon_start_pipeline(struct gateway *g, struct error *err)
{
    struct policy_rule *rules = memory_zeroed(POLICY_RULES_MAX, sizeof *rules);
    g->lookup = event_builder_lookup_in(g->parts.topology);
    struct pipeline_options options = {.builder = {.clock = &clock_system,
                                                   .random = &random_system,
                                                   .fabric = g->parts.fabric_name,
                                                   .lookup = &g->lookup},
                                       .journal = g->parts.journal,
                                       .topology = g->parts.topology,
                                       .correlator = {.watch = g->counter_watch,
                                                      .read_counters = wiring_read_counters,
                                                      .ask_reasons = wiring_ask_reasons,
                                                      .age_us = g->conf->policy.missing_age_us,
                                                      .inactive = options_of_inactive(g->conf),
                                                      .sources = options_of_sources(g->conf),
                                                      .devices = g->parts.devices},
                                       .link_history = g->parts.link_history,
                                       .role = wiring_role,
                                       .request_sweep = wiring_request_sweep,
                                       .event_trap_level = settings_trap_level,
                                       .read_late = wiring_on_late_read,
                                       .acknowledge = wiring_acknowledge,
                                       .ctx = g,
                                       .log = g->parts.log};
    options_of_policy(g->conf, &options.policy, rules);
    settings_rename(g, &options.builder);
    if (settings_load_expectation(g->conf, g->parts.log, &options.correlator.expectation, err))
        g->parts.pipeline = pipeline_start(&options, err);
    free(rules);
    return g->parts.pipeline != NULL;
}

// Makes an event of the journal's state. The journal could not report a change before the pipeline
// ran, at this start or at the end of the last run. Pipeline's thread: there the journal reports
// all later changes.
static void daemon_emit_journal_state(void *ctx, const struct pipeline_context *inside)
{
    struct gateway *g = ctx;
    struct journal_status status;
    journal_get_status(g->parts.journal, &status);
    if (!status.durable)
        wiring_on_journal_change(g, JOURNAL_DEGRADED, status.problem, 0);
    else if (own_alarms_is_active(g, OWN_ALARMS_JOURNAL))
        wiring_on_journal_change(g, JOURNAL_HEALED, "the journal works again", 0);
    else
        own_alarms_note_journal(g, journal_last(g->parts.journal) + g->alarm_may_stand);
    if (status.durable && g->alarm_may_stand && !own_alarms_is_active(g, OWN_ALARMS_JOURNAL))
        emitter_emit(inside->emitter, own_alarms_end_of_journal(g, inside->builder));
    journal_resume_dropping(g->parts.journal, own_alarms_is_active(g, OWN_ALARMS_DROPPING));
}

static void daemon_emit_started(struct gateway *g)
{
    char reason[128];
    snprintf(reason, sizeof reason, "version " INSTALL_VERSION ", %zu receiver%s",
             g->conf->receiver_count, g->conf->receiver_count == 1 ? "" : "s");
    wiring_emit(g, CATALOGUE_GATEWAY_STARTED, NULL, reason, 0);
    pipeline_call(g->parts.pipeline, daemon_emit_journal_state, g);
}

static void daemon_make_client(struct gateway *g)
{
    const struct conf_fabric *f = &g->conf->fabric;
    memcpy(g->device, f->device, sizeof g->device);
    g->choice = (struct umad_choice){.device = g->device, .port = f->port, .pkey = f->pkey};
    const struct mad_opener *opener = g->options->opener;
    g->mkeys = mkeys_new(g->parts.log);
    mkeys_use(g->mkeys, g->conf->sweep.guid2mkey_file);
    struct sa_options options = {
        .verify_us = f->verify_interval_s * CLOCK_US_PER_S,
        .refresh_us = f->refresh_interval_s * CLOCK_US_PER_S,
        .has_sa_key = f->has_sa_key,
        .sa_key = f->sa_key,
        .all_traps = f->all_traps,
        .mkey = g->conf->sweep.mkey,
        .mkeys = g->mkeys,
        .was_lost = own_alarms_is_active(g, OWN_ALARMS_SUBSCRIPTIONS),
        .was_unreachable = own_alarms_is_active(g, OWN_ALARMS_SM),
        .opener = opener ? *opener : umad_opener(&g->choice),
        .listener = {wiring_on_report, wiring_on_sa_change, g},
        .clock = &clock_system,
        .random = &random_system,
        .log = g->parts.log,
    };
    static_assert(sizeof options.key_guids == sizeof f->key_guids, "all of them have room");
    memcpy(options.key_guids, f->key_guids, sizeof options.key_guids);
    options.key_guid_count = f->key_guid_count;
    g->parts.client = sa_client_new(&options);
}

static void daemon_on_adapter(evutil_socket_t fd, short what, void *ctx)
{
    const struct gateway *g = ctx;
    (void)fd, (void)what;
    verbs_watch_process(g->watch);
}

static bool daemon_start_client(struct gateway *g, struct error *err)
{
    if (!sa_client_start(g->parts.client, err))
        return false;
    g->watch = verbs_watch_new(g->parts.client, g->parts.log);
    if (g->watch) {
        g->adapter = memory_need(event_new(loop_base(g->loop), verbs_watch_fd(g->watch),
                                           EV_READ | EV_PERSIST, daemon_on_adapter, g));
        event_add(g->adapter, NULL);
    }
    return true;
}

static bool daemon_start_sweeper(struct gateway *g, struct error *err)
{
    const struct sweeper_options options = wiring_sweeper_options(g, g->conf);
    atomic_store(&g->parts.sweeper, sweeper_start(&options, err));
    return g->parts.sweeper != NULL;
}

// Reloads, in their own thread.

static void daemon_begin_reload(void *ctx)
{
    const struct gateway *g = ctx;
    service_reloading(g->service);
}

struct reload_result {
    struct gateway *gateway;
    struct reload_refusal refusal;
};

static void daemon_end_reload(void *ctx)
{
    const struct reload_result *result = ctx;
    result->gateway->parts.refusal = result->refusal;
    service_ready(result->gateway->service);
}

static bool daemon_answer_reload(void *ctx, struct text *restart, struct text *backlogs,
                                 struct error *err)
{
    struct gateway *g = ctx;
    struct reload_result result = {.gateway = g};
    loop_call(g->loop, daemon_begin_reload, g);
    bool ok = reload_run(g, restart, backlogs, err);
    if (!ok)
        result.refusal =
            (struct reload_refusal){.time_us = clock_utc(&clock_system), .reason = *err};
    loop_call(g->loop, daemon_end_reload, &result);
    return ok;
}

static void daemon_put_task(void *ctx)
{
    struct gateway_task *task = ctx;
    task->again = task->is_asked;
    if (!task->is_asked)
        task->is_asked = worker_put(task->gateway->control.reloads, &task->job);
}

static void daemon_end_task(struct worker_job *job)
{
    struct gateway_task *task = WORKER_THING(job, struct gateway_task);
    task->is_asked = false;
    if (task->again)
        daemon_put_task(task);
}

static struct gateway_task daemon_task(struct gateway *g, void (*run)(struct worker_job *job))
{
    return (struct gateway_task){.job = {.run = run, .done = daemon_end_task}, .gateway = g};
}

static void daemon_run_settings(struct worker_job *job)
{
    settings_apply(WORKER_THING(job, struct gateway_task)->gateway);
}

static void daemon_run_reload(struct worker_job *job)
{
    char items[CONTROL_RESTART_SIZE], sentences[CONTROL_BACKLOGS_SIZE];
    struct text restart = text_in(items, sizeof items);
    struct text backlogs = text_in(sentences, sizeof sentences);
    struct error err;
    // reload_run logs the result itself.
    daemon_answer_reload(WORKER_THING(job, struct gateway_task)->gateway, &restart, &backlogs,
                         &err);
}

static void daemon_take_signal(void *ctx, int number)
{
    loop_signal(ctx, number);
}

static bool daemon_start_signals(struct gateway *g, struct error *err)
{
    const struct signals_options options = {
        .take = daemon_take_signal, .ctx = g->loop, .limit_us = STOP_US, .log = g->parts.log};
    g->signals = signals_start(&options, err);
    return g->signals != NULL;
}

static bool daemon_start_loop(struct gateway *g, struct error *err)
{
    g->loop = loop_new(err);
    if (!g->loop || !daemon_start_signals(g, err))
        return false;
    g->at_signal = daemon_task(g, daemon_run_reload);
    g->settings = daemon_task(g, daemon_run_settings);
    g->control = (struct control){.parts = &g->parts,
                                  .builder = {.clock = &clock_system,
                                              .random = &random_system,
                                              .fabric = g->parts.fabric_name},
                                  .reload = daemon_answer_reload,
                                  .ctx = g};
    struct event_base *base = loop_base(g->loop);
    if (!(g->control.answers = worker_start(base, "answers", err)) ||
        !(g->control.changes = worker_start(base, "changes", err)) ||
        !(g->control.reloads = worker_start(base, "reloads", err)))
        return false;
    const struct server_options options = {.base = base,
                                           .path = g->conf->socket,
                                           .group = g->conf->socket_group,
                                           .handler = control_answer,
                                           .reads_only = control_reads_only,
                                           .later = CONTROL_LATER,
                                           .ctx = &g->control,
                                           .log = g->parts.log};
    g->server = server_start(&options, err);
    g->settings_changed = loop_wake_new(g->loop, daemon_put_task, &g->settings, err);
    g->metrics_source = metrics_source_new(g, err);
    return g->server && g->settings_changed && g->metrics_source;
}

static bool daemon_start_metrics(struct gateway *g, struct error *err)
{
    const struct conf_metrics *c = &g->conf->metrics;
    if (c->host[0] == '\0')
        return true;
    g->metrics = web_server_start(loop_base(g->loop), c->host, c->port, &c->hosts, &SCRAPE_SOURCE,
                                  &g->parts, g->parts.log, err);
    if (!g->metrics)
        return false;
    g->page = page_new(&g->control, g->control.answers, g->metrics);
    const struct web_page page = page_functions(g->page);
    web_server_serve_page(g->metrics, &page);
    return true;
}

static uint64_t daemon_beats(void *ctx)
{
    const struct gateway *g = ctx;
    return pipeline_progress(g->parts.pipeline);
}

static void daemon_describe(void *ctx, char out[SERVICE_STATUS_SIZE])
{
    const struct gateway *g = ctx;
    struct sa_status s;
    sa_client_status(g->parts.client, &s);
    status_line(&s, out, SERVICE_STATUS_SIZE);
    const size_t used = strlen(out);
    if (g->parts.refusal.time_us != 0)
        snprintf(out + used, SERVICE_STATUS_SIZE - used,
                 "; the last reload was refused: see ibtrapctl status");
}

static void daemon_start_service(struct gateway *g)
{
    const struct service_options options = {
        .socket = getenv("NOTIFY_SOCKET"),
        .watchdog_us =
            service_watchdog_us(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"), getpid()),
        .base = loop_base(g->loop),
        .beats = daemon_beats,
        .describe = daemon_describe,
        .ctx = g,
        .clock = &clock_system,
        .log = g->parts.log};
    g->service = service_start(&options);
    service_ready(g->service);
}

static bool daemon_start(struct gateway *g, struct error *err)
{
    // Threads inherit the mask: only this thread and the signals' thread get signals.
    sigset_t set, old;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    daemon_take_name(g);
    g->presence = presence_new(g);
    g->alarms = alarm_source(g);
    wiring_tell_log(g);
    // daemon_run frees the configuration. NOLINTBEGIN(clang-analyzer-unix.Malloc)
    bool ok = settings_load_map(g->conf, g->parts.log, &g->map, err) &&
              settings_load_book(g->conf, g->parts.log, &g->book, err) &&
              daemon_start_loop(g, err) && daemon_start_metrics(g, err) &&
              daemon_open_journal(g, err);
    // NOLINTEND(clang-analyzer-unix.Malloc)
    if (ok) {
        daemon_make_client(g);
        daemon_make_topology(g);
    }
    ok = ok && daemon_start_pipeline(g, err) && receivers_start_all(g, err);
    if (ok) {
        settings_apply(g);
        daemon_emit_started(g);
        own_alarms_end_former(g);
        ok = daemon_start_client(g, err) && daemon_start_sweeper(g, err) &&
             sm_log_source_start(g, err) && subagents_start(g, err);
    }
    if (ok) {
        heartbeat_start(g);
        presence_start(g->presence);
        daemon_start_service(g);
    }
    wiring_show_parts(g);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

// Ends the process without freeing memory that a thread still uses: the thread of a receiver that
// was left behind, or the journal's thread in a call to the disk. `unsaved`: the sentence of the
// journal that could not save everything; NULL: the journal has committed everything.
static _Noreturn void daemon_leave(struct gateway *g, bool ok, const struct error *unsaved)
{
    if (unsaved)
        log_write(g->parts.log, LOG_LEVEL_ERROR, "stopped, but %s", unsaved->text);
    else
        server_stop(g->server); // a disk that hangs would delay an answer
    _exit(ok && !unsaved ? EXIT_SUCCESS : EXIT_FAILURE);
}

// `ok`: the gateway ran. False with a sentence: the journal could not save everything.
static bool daemon_stop(struct gateway *g, const char *reason, bool ok, struct error *err)
{
    subagents_stop(g);
    sm_log_stop(g->sm_log);
    sweeper_stop(g->parts.sweeper);
    if (g->service)
        service_stopping(g->service);
    if (g->adapter)
        event_free(g->adapter);
    verbs_watch_free(g->watch);
    sa_client_stop(g->parts.client);
    wiring_emit(g, CATALOGUE_GATEWAY_STOPPED, NULL, reason, 0);
    // Answers the last Reports through the SA client's port.
    bool answered = !g->parts.pipeline || pipeline_stop(g->parts.pipeline);
    sweeper_free(g->parts.sweeper);
    sa_client_free(g->parts.client);
    mkeys_free(g->mkeys);
    if (g->parts.journal)
        journal_commit(g->parts.journal); // saves the cursors, in case a receiver takes long to end
    answered = worker_stop(g->control.reloads, WORKER_STOP_US) && answered;
    answered = worker_stop(g->control.answers, WORKER_STOP_US) && answered;
    answered = worker_stop(g->control.changes, WORKER_STOP_US) && answered;
    server_dismiss(g->server);
    bool all_ended = receivers_stop_all(g);
    bool saved = !g->parts.journal || journal_finish(g->parts.journal, err);
    if (!all_ended) {
        log_write(g->parts.log, LOG_LEVEL_ERROR,
                  "ending at once: a receiver, or the library of one, has not ended");
        daemon_leave(g, ok, saved ? NULL : err);
    }
    if (g->parts.journal)
        snmp_end();
    if (!answered || !journal_close(g->parts.journal)) // a thread hangs in the journal
        daemon_leave(g, ok, saved ? NULL : err);
    // After the journal, which may report a change to the pipeline.
    pipeline_free(g->parts.pipeline);
    service_stop(g->service);
    web_server_stop(g->metrics);
    page_free(g->page);
    heartbeat_stop(g);
    presence_free(g->presence);
    server_stop(g->server);
    worker_free(g->control.answers);
    worker_free(g->control.changes);
    worker_free(g->control.reloads);
    metrics_source_free(g->metrics_source);
    loop_wake_free(g->settings_changed);
    signals_free(g->signals);
    loop_free(g->loop);
    counter_watch_free(g->counter_watch);
    link_history_free(g->parts.link_history);
    devices_free(g->parts.devices);
    topology_free(g->parts.topology);
    fabric_unref(g->restored);
    names_unref(g->map);
    notice_book_free(g->book);
    turns_free(g->turns);
    return saved;
}

// Fixes the size from which glibc returns a freed piece of memory to the system. Otherwise glibc
// raises the size when it frees a large piece.
static void daemon_fix_mmap_threshold(void)
{
    mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
}

bool daemon_run(struct conf *conf, const struct daemon_options *options, struct error *err)
{
    struct gateway g = {.conf = memory_get(sizeof *g.conf),
                        .options = options,
                        .parts = {.log = options->log,
                                  .started_at = clock_now(),
                                  .started_utc_us = clock_utc(&clock_system)},
                        .exchanged = PTHREAD_MUTEX_INITIALIZER};
    char reason[LOOP_REASON_SIZE] = "it could not start";
    *g.conf = *conf;
    daemon_fix_mmap_threshold();
    server_own_memory();
    json_object_seed(0); // opens a file: call this function before there are threads
    fabric_builder_seed(&random_system);
    struct error unsaved;
    signals_block();
    bool ok = daemon_start(&g, err);
    if (ok) {
        log_write(g.parts.log, LOG_LEVEL_INFO, "ibtrapd " INSTALL_VERSION " runs");
        signals_limit(g.signals, STOP_BEGINS_US);
        loop_run(g.loop, daemon_put_task, &g.at_signal, reason);
        worker_stop(g.control.reloads, STOP_US); // signals_limit bounds it
        signals_limit(g.signals, STOP_US);
        log_write(g.parts.log, LOG_LEVEL_INFO, "stopping: %s", reason);
    } else {
        error_prefix(err, "cannot start");
    }
    if (!daemon_stop(&g, reason, ok, &unsaved) && ok)
        ok = error_set(err, "stopped, but %s", unsaved.text);
    conf_free(g.conf);
    free(g.conf);
    return ok;
}
