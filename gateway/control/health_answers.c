// SPDX-License-Identifier: BSD-2-Clause
#include "control/health_answers.h"

#include "control/answer.h"
#include "ctl/protocol.h"
#include "health/parts.h"

static json_t *health_line_json(const struct health *health)
{
    char line[HEALTH_LINE_SIZE];
    struct text t = text_in(line, sizeof line);
    health_add_line(health, &t);
    return protocol_text(line);
}

static json_t *health_findings_json(const struct health *health)
{
    json_t *list = json_array();
    for (size_t i = 0; i < health->count; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "state",
                                              health_word(health->findings[i].state), "sentence",
                                              protocol_text(health->findings[i].sentence)));
    return list;
}

static json_t *health_alarms_json(const struct health *health)
{
    json_t *counts = json_object();
    for (int i = 0; i <= SEVERITY_DEBUG; i++)
        json_object_set_new(counts, severity_word((enum severity)i),
                            json_integer((json_int_t)health->alarms_of[i]));
    return counts;
}

json_t *health_answers_get(struct control *c, const json_t *request)
{
    (void)request;
    struct health h;
    parts_judge(c->parts, &h);
    json_t *age = h.sweep_age_s < 0 ? json_null() : json_integer(h.sweep_age_s);
    return json_pack("{s:i, s:s, s:b, s:b, s:o, s:o, s:{s:I, s:I}, s:o, s:{s:I, s:I, s:I, s:I}, "
                     "s:I, s:o}",
                     "version", PROTOCOL_VERSION, "state", health_word(h.state), "ready",
                     (int)h.ready, "standby", (int)h.standby, "line", health_line_json(&h),
                     "findings", health_findings_json(&h), "subscriptions", "subscribed",
                     (json_int_t)h.subscribed, "all", (json_int_t)SUBSCRIPTIONS_COUNT, "sweep_age",
                     age, "receivers", "all", (json_int_t)h.receivers, "failing",
                     (json_int_t)h.failing, "paused", (json_int_t)h.paused, "waiting",
                     (json_int_t)h.waiting, "events", (json_int_t)h.events, "alarms",
                     health_alarms_json(&h));
}

json_t *health_answers_line(const struct control *c)
{
    struct health h;
    parts_judge(c->parts, &h);
    return health_line_json(&h);
}
