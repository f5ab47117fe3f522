// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "base/text.h"
#include "base/wire.h"
#include "ctl/fabric_json.h"
#include "ctl/protocol.h"
#include "install.h"
#include "model/fabric.h"
#include "pipeline/role.h"
#include "sink/snmp.h"
#include "topology/describe.h"

#include <string.h>

static json_t *status_port_json(const struct sa_status *s)
{
    uint8_t gid[ADDRESS_GID_SIZE];
    char gid_text[ADDRESS_GID_TEXT_SIZE];
    wire_put(gid, 8, s->port.subnet_prefix);
    wire_put(gid + 8, 8, s->id.guid);
    address_format_gid(gid, gid_text);
    return json_pack(
        "{s:s, s:i, s:s, s:i, s:o, s:s, s:s, s:o}", "device", s->open ? s->id.device : "", "port",
        (int)s->id.port, "state", fabric_state_word(s->port.state), "lid", (int)s->port.lid, "guid",
        protocol_guid(s->id.guid), "gid", gid_text, "known_by",
        s->smp_refusal[0] ? "kernel" : "smp", "no_smps", protocol_text(s->smp_refusal));
}

static json_t *status_sm_json(const struct sa_status *s)
{
    char name[130];
    text_clean(s->sm.description, strlen(s->sm.description), name, sizeof name);
    return json_pack("{s:i, s:o, s:s, s:b, s:i, s:o}", "lid", (int)s->port.sm_lid, "guid",
                     protocol_guid(s->sm.port_guid), "name", name, "answers", (int)s->sm_answers,
                     "sa_lid", (int)(s->sa.lid ? s->sa.lid : s->port.sm_lid), "unanswered",
                     protocol_text(s->unanswered));
}

static json_t *status_subscription_json(const struct subscription *one, const struct sa_status *s)
{
    char detail[200];
    struct text t = text_in(detail, sizeof detail);
    subscriptions_add_detail(&t, one, s->has_sa_key);
    const int64_t wait_us = one->ask_at > s->now ? one->ask_at - s->now : 0;
    // Without a port, or without an answering SM, the time of the next request is unknown.
    const bool is_due = s->open && s->sm_answers;
    return json_pack("{s:o, s:s, s:s, s:o}", "trap",
                     one->trap == MAD_TRAP_VENDOR ? json_string("vendor") : json_integer(one->trap),
                     "state", subscriptions_state_word(one->state), "detail", detail, "retry_in",
                     is_due ? json_integer(wait_us / CLOCK_US_PER_S) : json_null());
}

static json_t *status_journal_json(struct journal *journal)
{
    struct journal_status s;
    journal_get_status(journal, &s);
    return json_pack("{s:b, s:b, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "durable",
                     (int)s.durable, "pruning", (int)s.pruning, "problem", protocol_text(s.problem),
                     "warning", protocol_text(s.warning), "rows", (json_int_t)s.rows, "bytes",
                     (json_int_t)s.bytes, "first", (json_int_t)s.first, "last", (json_int_t)s.last,
                     "pending", (json_int_t)s.pending, "dropped", (json_int_t)s.dropped, "commits",
                     (json_int_t)s.commits, "alarms", (json_int_t)s.alarms, "alarms_missed",
                     (json_int_t)s.alarms_missed);
}

static const char *status_method_word(enum sweep_method method)
{
    static const char *const WORDS[] = {
        [SWEEP_OFF] = "off", [SWEEP_SMP] = "smp", [SWEEP_SA] = "sa"};
    return WORDS[method];
}

static json_t *status_sweep_json(const struct control *c, const struct sweeper_status *s)
{
    const uint32_t nameless = c->systems ? describe_count_nameless(c->systems, c->names) : 0;
    if (s->method == SWEEP_OFF)
        return json_pack("{s:s}", "method", "off");
    return json_pack(
        "{s:s, s:o, s:b, s:I, s:o, s:I, s:b, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:I, s:I, s:I, s:I, s:o}",
        "method", status_method_word(s->method), "no_smps", protocol_text(s->no_smps), "running",
        (int)s->running, "found", (json_int_t)(s->running ? s->found : 0), "last",
        protocol_time(s->last_begin_us), "duration_us", (json_int_t)s->last_duration_us, "complete",
        (int)s->last_complete, "problem", protocol_text(s->problem), "mkeys",
        protocol_text(s->locked), "sweeps", (json_int_t)s->sweeps, "failed", (json_int_t)s->failed,
        "overflowed", (json_int_t)s->overflowed, "mads", (json_int_t)s->mads, "unanswered",
        (json_int_t)s->unanswered, "nodes", (json_int_t)s->nodes, "switches",
        (json_int_t)s->switches, "links", (json_int_t)s->links, "silent", (json_int_t)s->silent,
        "inactive", (json_int_t)s->inactive, "hidden", (json_int_t)s->hidden, "nameless",
        (json_int_t)nameless, "pkeys", protocol_text(s->pkeys));
}

static json_t *status_port_counters_json(const struct sweeper_status *s,
                                         const struct correlator_unwatched *unwatched)
{
    if (s->counters_last_us == 0)
        return json_pack("{s:n}", "last");
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I}", "last", protocol_time(s->counters_last_us),
                     "duration_us", (json_int_t)s->counters_duration_us, "ports",
                     (json_int_t)s->counters_ports, "silent", (json_int_t)s->counters_silent,
                     "unwatched_errors", (json_int_t)unwatched->errors, "unwatched_waits",
                     (json_int_t)unwatched->waits);
}

static json_t *status_role_json(const struct control *c, const struct sa_status *sa)
{
    const bool active = pipeline_is_active(c->parts->pipeline);
    return json_pack("{s:b, s:o}", "active", (int)active, "reason",
                     protocol_text(role_words(c->parts->conf, sa, c->fabric, active)));
}

static json_t *status_counters_json(const struct sa_counters *sa, const struct pipeline_counters *p)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "reports", (json_int_t)sa->reports,
                     "acknowledged", (json_int_t)sa->acknowledged, "repeated",
                     (json_int_t)p->repeated, "foreign", (json_int_t)sa->foreign, "malformed",
                     (json_int_t)sa->malformed, "no_room", (json_int_t)sa->no_room, "missed",
                     (json_int_t)sa->missed, "events", (json_int_t)p->events);
}

static json_t *status_policy_json(const struct policy_counters *p)
{
    return json_pack("{s:I, s:I}", "overflowed", (json_int_t)p->overflowed, "read_back",
                     (json_int_t)p->read_back);
}

static json_t *status_reads_json(struct reads *demand)
{
    struct reads_counters counters;
    if (!demand)
        return json_null();
    reads_get_counters(demand, &counters);
    return json_pack("{s:I, s:I, s:I}", "sent", (json_int_t)counters.sent, "answered",
                     (json_int_t)counters.answered, "silent", (json_int_t)counters.silent);
}

static json_t *status_subagent_json(struct agent *subagent, struct reads *demand,
                                    const char *socket, const char *context)
{
    struct agent_status status;
    if (!subagent)
        return json_null();
    agent_get_status(subagent, &status);
    return json_pack("{s:s, s:s, s:b, s:o, s:I, s:I, s:o}", "socket", socket, "context", context,
                     "up", (int)status.up, "problem", protocol_text(status.problem), "varbinds",
                     (json_int_t)status.varbinds, "sets", (json_int_t)status.sets, "reads",
                     status_reads_json(demand));
}

static json_t *status_reload_json(const struct reload_refusal *refusal)
{
    if (refusal->time_us == 0)
        return json_null();
    return json_pack("{s:o, s:o}", "refused", protocol_time(refusal->time_us), "reason",
                     protocol_text(refusal->reason.text));
}

void status_line(const struct sa_status *sa, char *out, size_t size)
{
    unsigned subscribed = 0;
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        subscribed += sa->subscriptions[i].state == SUBSCRIPTION_SUBSCRIBED;
    if (sa->open)
        snprintf(out, size, "%s port %u %s, %u of %u subscriptions", sa->id.device, sa->id.port,
                 fabric_state_word(sa->port.state), subscribed, (unsigned)SUBSCRIPTIONS_COUNT);
    else
        snprintf(out, size, "Waiting for an InfiniBand port");
}

json_t *status_answer(struct control *c, const json_t *request)
{
    (void)request;
    struct sa_status s;
    struct pipeline_counters p;
    struct sweeper_status sweep;
    struct health health;
    parts_judge(c->parts, &health);
    sa_client_status(c->parts->client, &s);
    pipeline_get_counters(c->parts->pipeline, &p);
    sweeper_get_status(c->parts->sweeper, &sweep);
    json_t *subscriptions = json_array();
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        json_array_append_new(subscriptions, status_subscription_json(&s.subscriptions[i], &s));
    char engine_id[SNMP_ENGINE_TEXT_SIZE];
    snmp_engine_text(engine_id);
    const int64_t uptime_us = clock_now() - c->parts->started_at;
    return json_pack(
        "{s:i, s:s, s:s, s:s, s:{s:s}, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:I, s:o, s:o, s:o, s:o, s:o}",
        "version", PROTOCOL_VERSION, "release", INSTALL_VERSION, "gateway_name",
        c->parts->gateway_name, "fabric_name", c->parts->fabric_name, "snmp", "engine_id",
        engine_id, "uptime", (json_int_t)(uptime_us / CLOCK_US_PER_S), "problem",
        protocol_text(s.problem), "port", status_port_json(&s), "sm", status_sm_json(&s),
        "subscriptions", subscriptions, "counters", status_counters_json(&s.counters, &p),
        "journal", status_journal_json(c->parts->journal), "policy", status_policy_json(&p.policy),
        "receivers", receiver_answers_all(c), "role", status_role_json(c, &s), "reload",
        status_reload_json(&c->parts->refusal), "health", health_answers_verdicts(&health),
        "maintenance", maintenance_answers_all(c), "held_back",
        (json_int_t)health.by_standing[ALARM_IN_MAINTENANCE], "tables",
        status_subagent_json(c->parts->subagent, c->parts->demand, c->parts->conf->subagent.socket,
                             c->parts->conf->subagent.context),
        "fabric_device",
        status_subagent_json(c->parts->fabric_agent, NULL, c->parts->conf->subagent.fabric_socket,
                             ""),
        "sweep", status_sweep_json(c, &sweep), "port_counters",
        status_port_counters_json(&sweep, &p.unwatched), "sms",
        c->fabric ? fabric_json_sms(c->fabric, c->names) : json_array());
}
