// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "base/memory.h"
#include "conf/rows.h"
#include "control/answer.h"
#include "ctl/protocol.h"
#include "health/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *gateway_answers_sweep(struct control *c, const json_t *request)
{
    (void)request;
    if (c->parts->conf->sweep.method == SWEEP_OFF)
        return answer_refuse("ibtrapd does not sweep: item 'method' of section 'sweep' is off");
    sweeper_sweep_now(c->parts->sweeper);
    return answer_done();
}

json_t *gateway_answers_resubscribe(struct control *c, const json_t *request)
{
    (void)request;
    sa_client_resubscribe(c->parts->client);
    return answer_done();
}

json_t *gateway_answers_log(struct control *c, const json_t *request)
{
    char level_word[16], folder_word[16];
    int64_t level;
    enum log_folder folder = LOG_FOLDER_COUNT;
    if (!answer_read_text(request, "level", level_word, sizeof level_word) ||
        !word_value(WORDS_LOG_LEVEL, level_word, &level))
        return answer_refuse("the level must be one of error, warning, info, debug");
    if (!answer_read_text(request, "folder", folder_word, sizeof folder_word) ||
        (folder_word[0] != '\0' && !log_folder_from_word(folder_word, &folder)))
        return answer_refuse("%s", log_folder_refusal());
    for (unsigned i = 0; i < LOG_FOLDER_COUNT; i++) {
        if (folder == LOG_FOLDER_COUNT || folder == i)
            log_set_level(c->parts->log, (enum log_folder)i, (enum log_level)level);
    }
    return answer_done();
}

// A line of a configuration may have octets that are no UTF-8.
static json_t *gateway_answers_line_json(const char *line, size_t length)
{
    json_t *text = json_stringn(line, length);
    return text ? text : json_string("(a line that is not UTF-8)");
}

static json_t *gateway_answers_lines_json(const char *lines)
{
    json_t *list = json_array();
    for (size_t length; *lines != '\0'; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        json_array_append_new(list, gateway_answers_line_json(lines, length));
    }
    return list;
}

json_t *gateway_answers_configuration(struct control *c, const json_t *request)
{
    (void)request;
    char *text = NULL;
    size_t size;
    FILE *out = memory_need(open_memstream(&text, &size));
    conf_print(c->parts->conf, out);
    fclose(out);
    json_t *answer = json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "configuration",
                               gateway_answers_lines_json(text));
    free(text);
    return answer;
}

json_t *gateway_answers_reload(struct control *c, const json_t *request)
{
    (void)request;
    char items[CONTROL_RESTART_SIZE], sentences[CONTROL_BACKLOGS_SIZE];
    struct text restart = text_in(items, sizeof items);
    struct text backlogs = text_in(sentences, sizeof sentences);
    struct error err;
    if (!c->reload(c->ctx, &restart, &backlogs, &err))
        return answer_refuse("%s", err.text);
    return json_pack("{s:i, s:s, s:o}", "version", PROTOCOL_VERSION, "restart", items, "backlogs",
                     gateway_answers_lines_json(sentences));
}

json_t *gateway_answers_prune(struct control *c, const json_t *request)
{
    json_int_t days;
    if (json_unpack((json_t *)request, "{s:I}", "days", &days) != 0 || days < 0 ||
        days > GATEWAY_ANSWERS_DAYS_MAX)
        return answer_refuse("'days' must be from 0 to %d", GATEWAY_ANSWERS_DAYS_MAX);
    journal_request_prune(c->parts->journal, days * 86400 * CLOCK_US_PER_S);
    return answer_done();
}

// The verdict.

static json_t *gateway_answers_verdict_json(const struct health *health, enum health_about about)
{
    const struct health_verdict *verdict = &health->of[about];
    char line[HEALTH_LINE_SIZE];
    struct text t = text_in(line, sizeof line);
    json_t *findings = json_array();
    health_add_line(health, about, &t);
    for (size_t i = 0; i < verdict->count; i++)
        json_array_append_new(
            findings, json_pack("{s:s, s:o}", "state", health_word(verdict->findings[i].state),
                                "sentence", protocol_text(verdict->findings[i].sentence)));
    return json_pack("{s:s, s:o, s:o}", "state", health_word(verdict->state), "line",
                     protocol_text(line), "findings", findings);
}

static json_t *gateway_answers_severities_json(const struct health *health, bool open)
{
    json_t *counts = json_object();
    for (int i = 0; i <= SEVERITY_DEBUG; i++)
        json_object_set_new(
            counts, severity_word((enum severity)i),
            json_integer(open ? (json_int_t)health->open[i] : (json_int_t)health->alarms_of[i]));
    return counts;
}

json_t *health_answers_verdicts(const struct health *h)
{
    const enum health_about worse = health_worse(h);
    return json_pack("{s:s, s:s, s:o, s:o}", "state", health_word(h->of[worse].state), "worse",
                     health_about_word(worse), "gateway",
                     gateway_answers_verdict_json(h, HEALTH_OF_GATEWAY), "fabric",
                     gateway_answers_verdict_json(h, HEALTH_OF_FABRIC));
}

json_t *health_answers_get(struct control *c, const json_t *request)
{
    (void)request;
    struct health h;
    parts_judge(c->parts, &h);
    json_t *answer = json_pack(
        "{s:i, s:b, s:b, s:{s:I, s:I}, s:o, s:{s:I, s:I, s:I, s:I}, s:I, s:o, s:o, s:I, s:o}",
        "version", PROTOCOL_VERSION, "ready", (int)h.ready, "standby", (int)h.standby,
        "subscriptions", "subscribed", (json_int_t)h.subscribed, "all",
        (json_int_t)SUBSCRIPTIONS_COUNT, "sweep_age",
        h.sweep_age_s < 0 ? json_null() : json_integer(h.sweep_age_s), "receivers", "all",
        (json_int_t)h.receivers, "failing", (json_int_t)h.failing, "paused", (json_int_t)h.paused,
        "waiting", (json_int_t)h.waiting, "events", (json_int_t)h.events, "alarms",
        gateway_answers_severities_json(&h, false), "open_alarms",
        gateway_answers_severities_json(&h, true), "held_back",
        (json_int_t)h.by_standing[ALARM_IN_MAINTENANCE], "worst",
        h.worst_number ? json_integer(h.worst_number) : json_null());
    json_t *verdicts = health_answers_verdicts(&h);
    json_object_update(answer, verdicts);
    json_decref(verdicts);
    return answer;
}
