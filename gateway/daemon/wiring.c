// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/wiring.h"

#include "daemon/loop.h"
#include "daemon/own_alarms.h"
#include "daemon/receivers.h"
#include "daemon/subagents.h"
#include "pipeline/role.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>

void wiring_emit(struct gateway *g, enum catalogue_event type, const char *what, const char *reason,
                 uint64_t lost)
{
    struct event_builder_occurrence o = {.type = type, .lost = lost};
    if (what)
        own_alarms_key(g, what, o.alarm_key);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    pipeline_put_occurrence(g->parts.pipeline, &o, 0);
}

bool wiring_on_report(void *ctx, struct sa_report *report)
{
    struct gateway *g = ctx;
    return pipeline_put_report(g->parts.pipeline, report);
}

void wiring_request_sweep(void *ctx)
{
    struct gateway *g = ctx;
    struct sweeper *sweeper = atomic_load(&g->parts.sweeper);
    if (sweeper)
        sweeper_trigger(sweeper);
}

void wiring_read_counters(void *ctx, const uint64_t *switches, size_t count)
{
    struct gateway *g = ctx;
    struct sweeper *sweeper = atomic_load(&g->parts.sweeper);
    if (sweeper)
        sweeper_read_counters(sweeper, switches, count);
}

int64_t wiring_ask_reasons(void *ctx, const struct link_reasons *ports)
{
    struct gateway *g = ctx;
    struct sweeper *sweeper = atomic_load(&g->parts.sweeper);
    const struct conf_sweep *conf = &g->conf->sweep;
    if (!sweeper || !conf->vendor_registers || conf->settle_ms == 0)
        return 0;
    sweeper_ask_reasons(sweeper, ports);
    return conf->settle_ms * CLOCK_US_PER_MS;
}

static void wiring_name_sm(struct gateway *g, struct event_builder_occurrence *o)
{
    struct sa_status status;
    sa_client_status(g->parts.client, &status);
    o->sm_lid = status.port.sm_lid;
    o->sm_guid = status.sm.port_guid;
}

void wiring_on_sa_change(void *ctx, enum sa_change change, uint64_t subnet_prefix,
                         const char *reason)
{
    static const enum catalogue_event TYPES[] = {
        [SA_SUBSCRIPTIONS_LOST] = CATALOGUE_SUBSCRIPTION_LOST,
        [SA_SUBSCRIPTIONS_RESTORED] = CATALOGUE_SUBSCRIPTION_RESTORED,
        [SA_SM_UNREACHABLE] = CATALOGUE_SM_UNREACHABLE,
        [SA_SM_BACK] = CATALOGUE_SM_BACK};
    struct gateway *g = ctx;
    if (change == SA_REPORTS_MISSED) {
        wiring_request_sweep(g);
        return;
    }
    bool about_sm = change == SA_SM_UNREACHABLE || change == SA_SM_BACK;
    struct event_builder_occurrence o = {.type = TYPES[change]};
    if (about_sm)
        wiring_name_sm(g, &o);
    own_alarms_key(g, about_sm ? OWN_ALARMS_SM : OWN_ALARMS_SUBSCRIPTIONS, o.alarm_key);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    pipeline_put_occurrence(g->parts.pipeline, &o, subnet_prefix);
    wiring_request_sweep(g);
}

// The next two functions return the memory of a sweep or a reading to the system. free() alone does
// not: a small piece in use keeps all memory below the piece in the heap.

static void wiring_on_fabric(void *ctx, struct fabric *fabric)
{
    struct gateway *g = ctx;
    pipeline_put_fabric(g->parts.pipeline, fabric);
    malloc_trim(0);
}

static void wiring_on_counters(void *ctx, struct counter_reading *reading)
{
    struct gateway *g = ctx;
    pipeline_put_counters(g->parts.pipeline, reading);
    malloc_trim(0);
}

static void wiring_on_reasons(void *ctx, struct link_reasons *list)
{
    struct gateway *g = ctx;
    pipeline_put_reasons(g->parts.pipeline, list);
}

static void wiring_on_registers(void *ctx, struct device_readings *readings)
{
    struct gateway *g = ctx;
    pipeline_put_registers(g->parts.pipeline, readings);
}

static void wiring_on_overflow(void *ctx, bool over, const char *reason)
{
    wiring_emit(ctx, over ? CATALOGUE_SWEEP_OVERFLOW : CATALOGUE_SWEEP_RECOVERED, OWN_ALARMS_SWEEP,
                reason, 0);
}

static void wiring_on_twin(void *ctx, const char *reason)
{
    wiring_emit(ctx, CATALOGUE_GUID_DUPLICATE, NULL, reason, 0);
}

// The fabric after the last sweep; before the first sweep, the restored fabric. A reference, the
// caller's; NULL: the fabric is not known. The sweeper's thread.
static struct fabric *wiring_known_fabric(void *ctx)
{
    struct gateway *g = ctx;
    struct fabric *current = topology_current(g->parts.topology);
    if (current) {
        fabric_unref(g->restored);
        g->restored = NULL;
    }
    return current || !g->restored ? current : fabric_ref(g->restored);
}

void wiring_on_journal_change(void *ctx, enum journal_change change, const char *reason,
                              uint64_t lost)
{
    static const struct {
        enum catalogue_event type;
        const char *alarm;
    } EVENTS[JOURNAL_CHANGES] = {
        [JOURNAL_DEGRADED] = {CATALOGUE_JOURNAL_DEGRADED, OWN_ALARMS_JOURNAL},
        [JOURNAL_HEALED] = {CATALOGUE_JOURNAL_HEALED, OWN_ALARMS_JOURNAL},
        [JOURNAL_DROPPING] = {CATALOGUE_JOURNAL_DROPPING, OWN_ALARMS_DROPPING},
        [JOURNAL_DROPPING_ENDED] = {CATALOGUE_JOURNAL_DROPPING_ENDED, OWN_ALARMS_DROPPING}};
    struct gateway *g = ctx;
    if (change == JOURNAL_DEGRADED || change == JOURNAL_HEALED)
        own_alarms_note_journal(g, change == JOURNAL_HEALED ? journal_last(g->parts.journal) : -1);
    wiring_emit(g, EVENTS[change].type, EVENTS[change].alarm, reason, lost);
    if (change == JOURNAL_HEALED && g->settings_changed)
        loop_wake_up(g->settings_changed); // the journal may have read the settings only now
}

// Ends the alarms of the last run about the subnet manager: the SA client does not know these
// alarms.
static void wiring_end_sm_alarms(struct gateway *g)
{
    struct sa_status status;
    size_t subscribed = 0;
    sa_client_status(g->parts.client, &status);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        subscribed += status.subscriptions[i].state == SUBSCRIPTION_SUBSCRIBED;
    if (status.sm_answers && own_alarms_is_active(g, OWN_ALARMS_SM))
        wiring_on_sa_change(g, SA_SM_BACK, 0, "it answers");
    if (subscribed == SUBSCRIPTIONS_COUNT && own_alarms_is_active(g, OWN_ALARMS_SUBSCRIPTIONS))
        wiring_on_sa_change(g, SA_SUBSCRIPTIONS_RESTORED, 0, "all are confirmed");
}

void wiring_on_late_read(void *ctx)
{
    struct gateway *g = ctx;
    receivers_recall_failing(g);
    wiring_end_sm_alarms(g);
    journal_resume_dropping(g->parts.journal, own_alarms_is_active(g, OWN_ALARMS_DROPPING));
}

void wiring_acknowledge(void *ctx, const struct sa_report *report)
{
    struct gateway *g = ctx;
    sa_client_acknowledge(g->parts.client, report);
}

enum pipeline_role wiring_role(void *ctx, const struct fabric *fabric)
{
    struct gateway *g = ctx;
    struct sa_status status;
    if (!g->conf->fabric.with_master_sm)
        return PIPELINE_ACTIVE;
    sa_client_status(g->parts.client, &status);
    return role_decide(&g->role, g->conf, &status, fabric);
}

struct sweeper_options wiring_sweeper_options(struct gateway *g, const struct conf *conf)
{
    const struct conf_sweep *c = &conf->sweep;
    return (struct sweeper_options){
        .method = c->method,
        .interval_us = c->interval_s * CLOCK_US_PER_S,
        .settle_us = c->settle_ms * CLOCK_US_PER_MS,
        .in_flight = c->in_flight,
        .attempts = c->attempts,
        .timeout_us = c->timeout_ms * CLOCK_US_PER_MS,
        .has_mkey = c->has_mkey,
        .mkey = c->mkey,
        .pkeys = c->pkeys,
        .mkeys = c->guid2mkey_file[0] != '\0' ? g->mkeys : NULL,
        .counters = conf->counters.ports,
        .counters_interval_us = conf->counters.interval_s * CLOCK_US_PER_S,
        .link_reasons = c->vendor_registers,
        .registers_interval_us = c->vendor_registers ? c->vendor_interval_s * CLOCK_US_PER_S : 0,
        .vskey = c->vskey,
        .nodes_max = c->nodes_max,
        .part_us_max = c->part_s_max * CLOCK_US_PER_S,
        .was_over = own_alarms_is_active(g, OWN_ALARMS_SWEEP),
        .client = g->parts.client,
        .findings = {wiring_on_overflow, wiring_on_twin, g},
        .listener = {wiring_on_fabric, wiring_on_counters, wiring_on_reasons, wiring_on_registers,
                     wiring_known_fabric, g},
        .clock = &clock_system,
        .random = &random_system,
        .log = g->parts.log,
    };
}

// Whether a receiver brings every event to the local syslog. If the log goes to journald, the
// syslog is journald's.
static bool wiring_are_events_seen(const struct conf *conf)
{
    struct filter all;
    bool seen = false;
    filter_init(&all);
    for (size_t i = 0; i < conf->receiver_count; i++) {
        const struct conf_receiver *r = &conf->receivers[i];
        seen |= r->kind == CONF_SYSLOG && r->transport == TRANSPORT_LOCAL &&
                filter_digest(&r->filter) == filter_digest(&all);
    }
    return seen;
}

void wiring_tell_log(struct gateway *g)
{
    log_set_events_seen(g->parts.log, wiring_are_events_seen(g->conf));
}

void wiring_show_parts(struct gateway *g)
{
    wiring_tell_log(g);
    g->parts.conf = g->conf;
    g->parts.receivers = g->receivers;
    subagents_show(g);
}
