#include "control/control.h"

#include "control/alarm_answers.h"
#include "control/answer.h"
#include "control/dry_run.h"
#include "control/event_answers.h"
#include "control/explain.h"
#include "control/maintenance_answers.h"
#include "control/status.h"
#include "control/test_answers.h"
#include "ctl/protocol.h"
#include "pipeline/role.h"

#include <string.h>

static json_t *answer_status(struct control *c, const json_t *request)
{
    (void)request;
    struct sweeper_status sweep;
    struct sa_status sa;
    sweeper_get_status(c->sweeper, &sweep);
    sa_client_status(c->client, &sa);
    struct fabric *fabric = topology_current(c->topology);
    bool active = role_of_port(c->conf, &sa) == PIPELINE_ACTIVE;
    json_t *status = status_json(&(struct status_parts){.client = c->client,
                                                        .pipeline = c->pipeline,
                                                        .journal = c->journal,
                                                        .receivers = c->receivers,
                                                        .receiver_count = c->receiver_count,
                                                        .sweep = &sweep,
                                                        .fabric = fabric,
                                                        .names = c->names,
                                                        .tables = c->tables,
                                                        .tables_conf = &c->conf->subagent,
                                                        .active = active,
                                                        .role = role_words(c->conf, active)},
                                 clock_monotonic(&clock_system) - c->started_at);
    fabric_unref(fabric);
    return status;
}

static json_t *answer_prune(struct control *c, const json_t *request)
{
    json_int_t days;
    if (json_unpack((json_t *)request, "{s:I}", "days", &days) != 0 || days < 0 || days > 36500)
        return answer_refuse("'days' must be from 0 to 36500");
    journal_request_prune(c->journal, days * 86400 * CLOCK_US_PER_S);
    return answer_done();
}

static json_t *answer_sweep(struct control *c, const json_t *request)
{
    (void)request;
    if (c->conf->sweep.method == CONF_SWEEP_OFF)
        return answer_refuse("ibtrapd does not sweep: item 'method' of section 'sweep' is off");
    sweeper_sweep_now(c->sweeper);
    return answer_done();
}

static json_t *answer_resubscribe(struct control *c, const json_t *request)
{
    (void)request;
    sa_client_resubscribe(c->client);
    return answer_done();
}

// Until the next start or reload. "folder" may be missing: then all of them.
static json_t *answer_log(struct control *c, const json_t *request)
{
    char level_word[16], folder_word[16];
    enum log_level level;
    enum log_folder folder = LOG_FOLDER_COUNT;
    if (!answer_read_text(request, "level", level_word, sizeof level_word) ||
        !log_level_from_word(level_word, &level))
        return answer_refuse("the level must be one of error, warning, info, debug");
    if (!answer_read_text(request, "folder", folder_word, sizeof folder_word) ||
        (folder_word[0] != '\0' && !log_folder_from_word(folder_word, &folder)))
        return answer_refuse("%s", log_folder_refusal());
    for (unsigned i = 0; i < LOG_FOLDER_COUNT; i++) {
        if (folder == LOG_FOLDER_COUNT || folder == i)
            log_set_level(c->log, (enum log_folder)i, level);
    }
    return answer_done();
}

static json_t *answer_events(struct control *c, const json_t *request)
{
    return event_answers_list(c->journal, request);
}

static struct receiver_answers receivers_of(const struct control *c)
{
    return (struct receiver_answers){c->receivers, c->receiver_count};
}

static json_t *answer_explain(struct control *c, const json_t *request)
{
    const struct receiver_answers receivers = receivers_of(c);
    return explain_json(c->journal, &receivers, request);
}

// "last" is the number of an event before the test.
static json_t *control_answer_test(struct control *c, const json_t *request)
{
    struct error err;
    struct test_event test;
    const struct receiver_answers receivers = receivers_of(c);
    int64_t last = journal_last(c->journal);
    struct fabric *fabric = topology_current(c->topology);
    bool ok = test_answers_read(request, &receivers, fabric, c->names, &test, &err);
    fabric_unref(fabric);
    if (!ok)
        return answer_refuse("%s", err.text);
    if (!pipeline_put_test_event(c->pipeline, &test))
        return answer_refuse("ibtrapd is too busy for a test now");
    return json_pack("{s:i, s:I}", "version", 1, "last", (json_int_t)last);
}

static json_t *control_reload(struct control *c, const json_t *request)
{
    (void)request;
    char buffer[CONTROL_RESTART_SIZE];
    struct text restart = text_in(buffer, sizeof buffer);
    struct error err;
    if (!c->reload(c->ctx, &restart, &err))
        return answer_refuse("%s", err.text);
    return json_pack("{s:i, s:s}", "version", PROTOCOL_VERSION, "restart", buffer);
}

static const struct {
    const char *command;
    json_t *(*answer)(struct control *c, const json_t *request);
} ANSWERS[] = {
    {"status", answer_status},  {"journal-prune", answer_prune},     {"sweep-now", answer_sweep},
    {"reload", control_reload}, {"resubscribe", answer_resubscribe}, {"log", answer_log},
    {"events", answer_events},  {"explain", answer_explain},         {"test", control_answer_test},
};

static json_t *control_answer_topology(struct control *c, const char *command,
                                       const json_t *request)
{
    struct fabric *current = topology_current(c->topology);
    json_t *answer = topology_answers_get(&c->answers, current, command, request);
    fabric_unref(current);
    return answer;
}

// The groups of commands, each in a file of its own.
static json_t *answer_group(struct control *c, const char *command, const json_t *request)
{
    const struct receiver_answers receivers = receivers_of(c);
    json_t *answer = alarm_answers_get(c->pipeline, c->journal, c->builder.clock, command, request);
    if (!answer)
        answer = receiver_answers_get(&receivers, command, request);
    if (!answer)
        answer =
            maintenance_answers_get(c->pipeline, c->journal, c->builder.clock, command, request);
    if (!answer)
        answer = dry_run_get(c->journal, command, request);
    return answer ? answer : control_answer_topology(c, command, request);
}

bool control_reads_only(const char *command)
{
    static const char *const READS[] = {"status",        "events",        "explain",
                                        "alarms",        "receivers",     "topology",
                                        "topology-list", "topology-diff", "maintenance-list"};
    for (size_t i = 0; i < sizeof READS / sizeof *READS; i++) {
        if (strcmp(command, READS[i]) == 0)
            return true;
    }
    return false;
}

static json_t *control_dispatch(struct control *c, const char *command, const json_t *request)
{
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
        if (strcmp(command, ANSWERS[i].command) == 0)
            return ANSWERS[i].answer(c, request);
    }
    return answer_group(c, command, request);
}

// They may be exchanged at any time, but not within an answer; a reload fills all of `c` anew.
json_t *control_answer(void *ctx, const char *command, const json_t *request)
{
    struct control *c = ctx;
    struct names *names = topology_names(c->topology);
    c->names = names;
    c->builder.names = names;
    json_t *out = control_dispatch(c, command, request);
    c->names = NULL;
    c->builder.names = NULL;
    names_unref(names);
    return out;
}
