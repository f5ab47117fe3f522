// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/subagent_source.h"

#include <stdlib.h>
#include <string.h>

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

static uint8_t subscription_state(const struct subscription *one)
{
    switch (one->state) {
    case SUBSCRIPTION_SUBSCRIBED:
        return SUB_SUBSCRIBED;
    case SUBSCRIPTION_REJECTED:
        return SUB_REJECTED;
    case SUBSCRIPTION_NO_ANSWER:
        return one->failures < RETRIES_MAX ? SUB_RETRYING : SUB_NO_ANSWER;
    default:
        return SUB_ASKING;
    }
}

void subagent_source_subscriptions(const struct sa_status *status, struct snapshot_gateway *out)
{
    out->subscription_count = SUBSCRIPTIONS_COUNT;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        const struct subscription *one = &status->subscriptions[i];
        struct snapshot_subscription *row = &out->subscriptions[i];
        *row = (struct snapshot_subscription){.trap = one->trap,
                                              .state = subscription_state(one),
                                              .status = one->status,
                                              .changed_at = one->changed_at,
                                              .last_report_at = one->report_at,
                                              .reports = one->reports};
        struct text t = text_in(row->reason, sizeof row->reason);
        subscriptions_add_detail(&t, one, status->has_sa_key);
    }
}

static uint64_t count_suppressed_events(const struct event_counts *counts)
{
    uint64_t suppressed = 0;
    size_t n = atomic_load(&counts->reason_count);
    for (size_t i = 0; i < n; i++)
        suppressed += atomic_load(&counts->reasons[i].count);
    return suppressed;
}

void subagent_source_flow(const struct sa_status *status, struct pipeline *pipeline,
                          struct journal *journal, int64_t started_at, struct snapshot_gateway *out)
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
        .suppressed = count_suppressed_events(pipeline_event_counts(pipeline)),
        .journalled = counters.events > pending ? counters.events - pending : 0,
        .dropped = written.dropped,
        .since = started_at,
    };
}

static uint8_t syslog_kind(enum conf_transport transport)
{
    switch (transport) {
    case CONF_LOCAL:
        return KIND_SYSLOG_LOCAL;
    case CONF_UDP:
        return KIND_SYSLOG_UDP;
    case CONF_TCP:
        return KIND_SYSLOG_TCP;
    case CONF_TLS:
        return KIND_SYSLOG_TLS;
    case CONF_RELP:
    case CONF_RELP_TLS:
        return KIND_RELP;
    case CONF_STDOUT:
        return KIND_STDOUT;
    default:
        return KIND_OTHER;
    }
}

static uint8_t receiver_kind(const struct conf_receiver *conf)
{
    switch (conf->kind) {
    case CONF_SNMP:
        return conf->snmp.inform ? KIND_SNMP_INFORM : KIND_SNMP_TRAP;
    case CONF_SYSLOG:
        return syslog_kind(conf->transport);
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

static uint8_t receiver_state(const struct receiver_status *s, bool standby)
{
    if (s->paused)
        return PAUSED;
    if (s->problem[0] != '\0')
        return s->failures == 1 ? RETRYING : FAILING;
    if (standby)
        return STANDBY;
    return s->untried ? UNTRIED : UP;
}

bool subagent_source_receiver(const struct conf_receiver *conf, struct receiver *receiver,
                              bool standby, struct snapshot_gateway *out)
{
    if (out->receiver_count == SNAPSHOT_RECEIVERS_MAX)
        return false;
    struct snapshot_receiver *row = &out->receivers[out->receiver_count++];
    struct receiver_status s;
    receiver_get_status(receiver, &s);
    const struct sink *sink = receiver_sink(receiver);
    *row = (struct snapshot_receiver){.kind = receiver_kind(conf),
                                      .state = receiver_state(&s, standby),
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

static int by_index(const void *a, const void *b)
{
    const struct snapshot_receiver *x = a, *y = b;
    size_t m = strlen(x->name), n = strlen(y->name);
    return m == n ? strcmp(x->name, y->name) : (m > n) - (m < n);
}

void subagent_source_sort(struct snapshot_gateway *out)
{
    qsort(out->receivers, out->receiver_count, sizeof *out->receivers, by_index);
}
