// SPDX-License-Identifier: BSD-2-Clause
#include "control/maintenance_answers.h"

#include "base/text.h"
#include "control/answer.h"
#include "control/known_nodes.h"
#include "ctl/protocol.h"

#include <string.h>

// Reads a text. False: it is empty, too long, or has control characters.
static bool maintenance_answers_read_text(const json_t *value, char *out, size_t size)
{
    const char *text = json_string_value(value);
    if (!text || text[0] == '\0' || strlen(text) != json_string_length(value) ||
        strlen(text) >= size)
        return false;
    text_clean(text, strlen(text), out, size);
    return strcmp(out, text) == 0;
}

static bool maintenance_answers_read_nodes(const json_t *value, struct filter_list *out)
{
    size_t i;
    json_t *one;
    if (!value)
        return true;
    if (!json_is_array(value) || json_array_size(value) > FILTER_PATTERNS_MAX)
        return false;
    json_array_foreach(value, i, one)
    {
        if (!maintenance_answers_read_text(one, out->patterns[i], FILTER_PATTERN_SIZE))
            return false;
    }
    out->count = json_array_size(value);
    return true;
}

// Work in the pipeline's thread.

struct window_change {
    struct journal *journal;
    struct journal_maintenance window;
    bool done;
};

// Starts the window and commits it to the journal, before the client gets its answer.
static void start_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct window_change *c = ctx;
    int64_t ahead = c->window.until_us - clock_utc(inside->builder->clock);
    struct policy_maintenance window = {.nodes = c->window.nodes,
                                        .until_us = inside->now_us + ahead};
    memcpy(window.name, c->window.name, sizeof window.name);
    c->done = journal_set_maintenance(c->journal, &c->window) &&
              policy_start_maintenance(inside->policy, &window, inside->now_us);
    journal_commit(c->journal);
}

static void stop_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct window_change *c = ctx;
    bool known = policy_stop_maintenance(inside->policy, c->window.name, inside->now_us);
    c->done = journal_remove_maintenance(c->journal, c->window.name) || known;
    journal_commit(c->journal);
}

// Answers.

// The patterns that fit no node that is known now.
static json_t *maintenance_answers_unknown(const struct control *control,
                                           const struct filter_list *nodes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < nodes->count; i++) {
        if (!known_nodes_fit(control, nodes->patterns[i]))
            json_array_append_new(list, json_string(nodes->patterns[i]));
    }
    return list;
}

json_t *maintenance_answers_start(struct control *control, const json_t *request)
{
    struct window_change c = {.journal = control->parts->journal};
    const int64_t now = clock_utc(control->builder.clock);
    const int64_t last = now + MAINTENANCE_ANSWERS_DAYS_MAX * INT64_C(86400) * CLOCK_US_PER_S;
    c.window.until_us = json_integer_value(json_object_get(request, "until_us"));
    if (!maintenance_answers_read_text(json_object_get(request, "name"), c.window.name,
                                       sizeof c.window.name))
        return answer_refuse(
            "the name of a maintenance must have 1 to 63 characters, and no control characters");
    if (c.window.until_us <= now || c.window.until_us > last)
        return answer_refuse("the end must be in the future, at most 366 days from now");
    if (!maintenance_answers_read_nodes(json_object_get(request, "nodes"), &c.window.nodes))
        return answer_refuse("the nodes must be at most 64 patterns of 1 to 127 characters each");
    if (!pipeline_call(control->parts->pipeline, start_in_pipeline, &c))
        return answer_refuse("the gateway is stopping");
    return c.done ? json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "unknown",
                              maintenance_answers_unknown(control, &c.window.nodes))
                  : answer_refuse("there are 32 maintenances already: stop one of them first");
}

json_t *maintenance_answers_stop(struct control *control, const json_t *request)
{
    struct window_change c = {.journal = control->parts->journal};
    if (!maintenance_answers_read_text(json_object_get(request, "name"), c.window.name,
                                       sizeof c.window.name))
        return answer_refuse("'name' must be the name of a maintenance");
    if (!pipeline_call(control->parts->pipeline, stop_in_pipeline, &c))
        return answer_refuse("the gateway is stopping");
    return c.done ? answer_done() : answer_refuse("there is no maintenance of that name");
}

struct list {
    int64_t now;
    json_t *out;
};

static void add_window(void *ctx, const struct journal_maintenance *window)
{
    const struct list *list = ctx;
    char until[CLOCK_TEXT_SIZE];
    json_t *nodes = json_array();
    if (window->until_us <= list->now) {
        json_decref(nodes);
        return;
    }
    for (size_t i = 0; i < window->nodes.count; i++)
        json_array_append_new(nodes, json_string(window->nodes.patterns[i]));
    clock_format_utc(window->until_us, until);
    json_array_append_new(list->out, json_pack("{s:s, s:s, s:o}", "name", window->name, "until",
                                               until, "nodes", nodes));
}

json_t *maintenance_answers_list(struct control *control, const json_t *request)
{
    (void)request;
    struct list list = {clock_utc(control->builder.clock), json_array()};
    journal_each_maintenance(control->parts->journal, add_window, &list);
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "maintenance", list.out);
}
