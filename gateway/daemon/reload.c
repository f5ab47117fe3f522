// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/reload.h"

#include "base/memory.h"
#include "conf/load.h"
#include "conf/rows.h"
#include "daemon/heartbeat.h"
#include "daemon/loop.h"
#include "daemon/receivers.h"
#include "daemon/settings.h"
#include "daemon/subagents.h"
#include "daemon/surroundings.h"
#include "daemon/wiring.h"
#include "pipeline/options.h"
#include "topology/expectation.h"

#include <stdlib.h>
#include <string.h>

// The new objects, made before anything changes.
struct reload_plan {
    struct gateway *gateway;
    struct conf *conf;
    struct names *map;
    struct notice_book *book;
    struct expectation *expectation;
    struct policy_options policy; // points to the rules
    struct policy_rule rules[POLICY_RULES_MAX];
    struct receivers_made made[CONF_RECEIVERS_MAX + 1]; // new or changed receivers
    size_t made_count;
};

// Whether two parts of configurations are equal. The padding between their members may differ: then
// the parts count as changed, without harm.
static bool reload_is_same(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

// Whether two receivers are equal but for their names.
static bool reload_is_renamed(const struct conf_receiver *a, const struct conf_receiver *b)
{
    const size_t after = offsetof(struct conf_receiver, kind);
    return reload_is_same((const char *)a + after, (const char *)b + after, sizeof *a - after);
}

// Whether a receiver of this configuration runs. The names of trap recipients differ: the function
// does not read trap groups, which the pipeline's thread may be exchanging.
static bool reload_is_running(const struct gateway *g, const struct conf_receiver *wanted)
{
    for (size_t i = 0; i < g->parts.receiver_count; i++) {
        const struct conf_receiver *running = g->receiver_confs[i];
        if (strcmp(running->name, wanted->name) == 0 &&
            reload_is_same(running, wanted, sizeof *wanted))
            return true;
    }
    return false;
}

// Making the plan.

static void reload_discard(struct reload_plan *plan)
{
    for (size_t i = 0; i < plan->made_count; i++)
        receivers_free(&plan->made[i]);
    names_unref(plan->map);
    notice_book_free(plan->book);
    expectation_unref(plan->expectation);
    if (plan->conf)
        conf_free(plan->conf);
    free(plan->conf);
    free(plan);
}

static bool reload_has_successor(const struct reload_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->made_count; i++) {
        if (strcmp(plan->made[i].former, name) == 0)
            return true;
    }
    return false;
}

// Returns the name of the receiver until now: its own name, or the name of an equal receiver that
// is gone. Empty: the receiver is new.
static const char *reload_former(const struct gateway *g, const struct reload_plan *plan,
                                 const struct conf_receiver *wanted)
{
    if (receivers_find(g, wanted->name))
        return wanted->name;
    for (size_t i = 0; i < g->parts.receiver_count; i++) {
        const struct conf_receiver *running = g->receiver_confs[i];
        if (!trap_recipients_are_named(running->name) &&
            !receivers_find_conf(plan->conf, running->name) &&
            !reload_has_successor(plan, running->name) && reload_is_renamed(running, wanted))
            return running->name;
    }
    return "";
}

static bool reload_make_receivers(const struct gateway *g, struct reload_plan *plan,
                                  struct error *err)
{
    for (size_t i = 0; i < plan->conf->receiver_count; i++) {
        const struct conf_receiver *wanted = &plan->conf->receivers[i];
        if (reload_is_running(g, wanted))
            continue;
        struct receivers_made *made = &plan->made[plan->made_count];
        if (!receivers_make(g, wanted, made, err))
            return false;
        snprintf(made->former, sizeof made->former, "%s", reload_former(g, plan, wanted));
        plan->made_count++;
    }
    return true;
}

static struct conf *reload_load(const struct gateway *g, struct error *err)
{
    struct conf *conf = memory_zeroed(1, sizeof *conf);
    if (g->options->load(g->options->ctx, conf, err)) {
        if (conf_may_replace(g->conf, conf, err))
            return conf;
        conf_free(conf);
    }
    free(conf);
    return NULL;
}

// NULL with a sentence.
static struct reload_plan *reload_make_plan(struct gateway *g, struct error *err)
{
    struct reload_plan *plan = memory_zeroed(1, sizeof *plan);
    plan->gateway = g;
    plan->conf = reload_load(g, err);
    if (plan->conf && settings_load_map(plan->conf, g->parts.log, &plan->map, err) &&
        settings_load_book(plan->conf, g->parts.log, &plan->book, err) &&
        settings_load_expectation(plan->conf, g->parts.log, &plan->expectation, err) &&
        reload_make_receivers(g, plan, err)) {
        log_debug(g->parts.log, "reload: read %s; %zu receivers are new or changed",
                  plan->conf->file, plan->made_count);
        options_of_policy(plan->conf, &plan->policy, plan->rules);
        return plan;
    }
    reload_discard(plan);
    return NULL;
}

// Carrying it out.

// Pipeline's thread: exchanges the parts that this thread reads.
static void reload_exchange(void *ctx, const struct pipeline_context *inside)
{
    struct reload_plan *plan = ctx;
    struct gateway *g = plan->gateway;
    struct conf *old_conf = g->conf;
    struct names *old_map = g->map;
    policy_change_options(inside->policy, &plan->policy, inside->now_us);
    const struct inactive_links_limits inactive = options_of_inactive(plan->conf);
    correlator_change_limits(inside->correlator, plan->conf->policy.missing_age_us, &inactive);
    const struct correlator_sources sources = options_of_sources(plan->conf);
    correlator_change_sources(inside->correlator, &sources);
    const struct counter_watch_limits limits = options_of_counters(plan->conf);
    counter_watch_change(g->counter_watch, &limits);
    link_history_change(g->parts.link_history, &plan->conf->unreliable);
    g->map = plan->map;
    struct notice_book *old_book = g->book;
    g->book = plan->book;
    plan->book = old_book;
    pthread_mutex_lock(&g->exchanged);
    g->conf = plan->conf;
    pthread_mutex_unlock(&g->exchanged);
    plan->conf = old_conf;
    plan->map = old_map;
    settings_rename(g, inside->builder);
    correlator_change_expectation(inside->correlator, plan->expectation);
    plan->expectation = NULL;
}

// A receiver goes on if the receiver did not change or is a trap recipient.
static enum receivers_fate reload_fate(void *ctx, const struct conf_receiver *running)
{
    const struct reload_plan *plan = ctx;
    const struct conf_receiver *wanted = receivers_find_conf(plan->gateway->conf, running->name);
    if (trap_recipients_are_named(running->name) ||
        (wanted && reload_is_same(running, wanted, sizeof *running)))
        return RECEIVERS_STAYS;
    return reload_has_successor(plan, running->name) ? RECEIVERS_SUCCEEDED : RECEIVERS_ENDS;
}

// Loop's thread: notes the state for the successor, after the last pause or flush by a client.
static void reload_carry(void *ctx, const struct receiver *receiver)
{
    struct reload_plan *plan = ctx;
    for (size_t i = 0; i < plan->made_count; i++) {
        if (strcmp(plan->made[i].former, receiver_sink(receiver)->name) == 0)
            plan->made[i].carried = receiver_carried(receiver);
    }
}

static void reload_reopen_files(const struct gateway *g)
{
    for (size_t i = 0; i < g->parts.receiver_count; i++)
        receiver_reopen(g->receivers[i]);
}

// Starts the new and changed receivers. Returns false if threads were short.
static bool reload_start_receivers(struct gateway *g, struct reload_plan *plan, struct error *err)
{
    bool ok = true;
    for (size_t i = 0; i < plan->made_count; i++)
        ok &= receivers_start(g, &plan->made[i], err);
    return ok;
}

static bool reload_change_sweeper(struct gateway *g, const struct conf *old, struct error *err)
{
    if (!g->lacks_part && reload_is_same(&old->sweep, &g->conf->sweep, sizeof old->sweep) &&
        old->counters.ports == g->conf->counters.ports &&
        old->counters.interval_s == g->conf->counters.interval_s)
        return true;
    const struct sweeper_options options = wiring_sweeper_options(g, g->conf);
    return sweeper_change(g->parts.sweeper, &options, err);
}

// Loop's thread, while the thread of reloads waits.
static void reload_finish(void *ctx)
{
    const struct reload_plan *plan = ctx;
    struct gateway *g = plan->gateway;
    if (plan->conf->heartbeat_s != g->conf->heartbeat_s)
        heartbeat_start(g);
    wiring_show_parts(g);
}

// Returns false with a sentence in two cases. Either the gateway is stopping, and nothing has
// changed. Or the new configuration is in force, but threads were short for a part; the next reload
// starts the part.
static bool reload_carry_out(struct reload_plan *plan, struct error *err)
{
    struct gateway *g = plan->gateway;
    // Items that need a restart keep their values.
    conf_keep_restart_items(g->conf, plan->conf);
    if (!pipeline_call(g->parts.pipeline, reload_exchange, plan))
        return error_set(err, "the gateway is stopping");
    // From here on the plan has the former configuration and names.
    log_debug(g->parts.log, "reload: the pipeline has the new policies, thresholds and names");
    receivers_end(g, reload_fate, reload_carry, plan); // those that are gone or changed
    reload_reopen_files(g);
    bool ok = reload_start_receivers(g, plan, err);
    log_debug(g->parts.log,
              "reload: receivers that are gone or changed have ended, new ones have started");
    settings_apply(g);
    sa_client_change_mkey(g->parts.client, g->conf->sweep.mkey);
    mkeys_use(g->mkeys, g->conf->sweep.guid2mkey_file);
    ok = reload_change_sweeper(g, plan->conf, err) && ok;
    ok = subagents_change(g, &plan->conf->subagent, err) && ok;
    loop_call(g->loop, reload_finish, plan);
    log_debug(g->parts.log,
              "reload: the sweeper, the heartbeat and the subagent are as configured");
    log_set_levels(g->parts.log, g->conf->log_level, g->conf->folder_levels);
    conf_log_file(g->conf, g->parts.log);
    g->lacks_part = !ok;
    return ok;
}

static void reload_warn(void *ctx, const char *sentence)
{
    struct gateway *g = ctx;
    log_write(g->parts.log, LOG_LEVEL_WARNING, "%s", sentence);
    text_addf(g->backlogs, "%s\n", sentence);
}

static void reload_warn_of_all(struct gateway *g)
{
    struct systems *systems = topology_systems(g->parts.topology);
    struct names *names = topology_names(g->parts.topology);
    conf_warn(g->conf, reload_warn, g);
    surroundings_warn_of_nodes(g->conf, systems, names, reload_warn, g);
    names_unref(names);
    systems_unref(systems);
}

bool reload_run(struct gateway *gateway, struct text *restart, struct text *backlogs,
                struct error *err)
{
    gateway->backlogs = backlogs;
    struct reload_plan *plan = reload_make_plan(gateway, err);
    if (plan)
        conf_add_restart_items(gateway->conf, plan->conf, restart);
    bool ok = plan && reload_carry_out(plan, err);
    if (plan)
        reload_discard(plan);
    if (ok)
        reload_warn_of_all(gateway);
    gateway->backlogs = NULL;
    if (!ok) {
        reload_reopen_files(gateway);
        log_write(gateway->parts.log, LOG_LEVEL_ERROR, "the configuration was not reloaded: %s",
                  err->text);
    } else if (restart->len > 0) {
        log_write(gateway->parts.log, LOG_LEVEL_WARNING,
                  "the configuration was reloaded; these items wait "
                  "for a restart of ibtrapd: %s",
                  restart->buf);
    } else {
        log_write(gateway->parts.log, LOG_LEVEL_INFO, "the configuration was reloaded");
    }
    return ok;
}
