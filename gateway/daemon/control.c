#include "daemon/control.h"

#include "ctl/server.h"
#include "daemon/reload.h"
#include "daemon/role.h"
#include "daemon/status.h"

#include <string.h>

static json_t *done(void)
{
    return json_pack("{s:i}", "version", SERVER_PROTOCOL);
}

static json_t *refuse(const char *why)
{
    return json_pack("{s:i, s:s}", "version", SERVER_PROTOCOL, "error", why);
}

static json_t *answer_status(struct control *c, const json_t *request)
{
    (void)request;
    struct sweeper_status sweep;
    struct sa_status sa;
    sweeper_get_status(c->sweeper, &sweep);
    sa_agent_status(c->agent, &sa);
    struct fabric *fabric = topology_current(c->topology);
    bool active = role_of_port(c->conf, &sa) == PIPELINE_ACTIVE;
    json_t *status = status_json(&(struct status_parts){.agent = c->agent,
                                                        .pipeline = c->pipeline,
                                                        .journal = c->journal,
                                                        .deliveries = c->deliveries,
                                                        .delivery_count = c->delivery_count,
                                                        .sweep = &sweep,
                                                        .fabric = fabric,
                                                        .names = c->names,
                                                        .active = active,
                                                        .role = role_words(c->conf, active)},
                                 clock_monotonic(&clock_system) - c->started_at);
    fabric_release(fabric);
    return status;
}

static json_t *answer_prune(struct control *c, const json_t *request)
{
    json_int_t days;
    if (json_unpack((json_t *)request, "{s:I}", "days", &days) != 0 || days < 0 || days > 36500)
        return refuse("'days' must be from 0 to 36500");
    journal_ask_to_prune(c->journal, days * 86400 * CLOCK_US_PER_S);
    return done();
}

static json_t *answer_sweep(struct control *c, const json_t *request)
{
    (void)request;
    if (c->conf->sweep.method == CONF_SWEEP_OFF)
        return refuse("ibtrapd does not sweep: item 'method' of section 'sweep' is off");
    sweeper_now(c->sweeper);
    return done();
}

static json_t *answer_reload(struct control *c, const json_t *request)
{
    (void)request;
    char buffer[RELOAD_RESTART_SIZE];
    struct text restart = text_in(buffer, sizeof buffer);
    struct error err;
    if (!c->reload(c->ctx, &restart, &err))
        return refuse(err.text);
    return json_pack("{s:i, s:s}", "version", SERVER_PROTOCOL, "restart", buffer);
}

static const struct {
    const char *command;
    json_t *(*answer)(struct control *c, const json_t *request);
} ANSWERS[] = {
    {"status", answer_status},
    {"journal-prune", answer_prune},
    {"sweep-now", answer_sweep},
    {"reload", answer_reload},
};

static json_t *answer_topology(struct control *c, const char *command, const json_t *request)
{
    struct fabric *current = topology_current(c->topology);
    json_t *answer = topology_answers_get(&c->answers, current, command, request);
    fabric_release(current);
    return answer;
}

json_t *control_answer(void *ctx, const char *command, const json_t *request)
{
    struct control *c = ctx;
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
        if (strcmp(command, ANSWERS[i].command) == 0)
            return ANSWERS[i].answer(c, request);
    }
    return answer_topology(c, command, request);
}
