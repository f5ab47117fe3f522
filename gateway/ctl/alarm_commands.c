// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "ctl/terminal.h"

const struct show_form alarm_form = {
    .list = "alarms",
    .is_paged = true,
    .none = "No alarm is active.\n",
    .head = "  NUMBER  RAISED                SEVERITY       EVENT\n",
    .line = "{number:8}  {raised:.19}Z  {severity#13}  {event}"
            "[count=0,count=1?|, {count} times]\n"
            "{text>10}"
            "          key: {key}\n"
            "[suppressed?          suppressed: {suppressed}\n]"
            "[consequences?          {consequences} "
            "[consequences=1?alarm follows|alarms follow] from it\n]"
            "[acknowledged?          acknowledged {acknowledged:.19}Z"
            "[acknowledged_by? by {acknowledged_by}][note?:]\n{note>12}]"
            "[shelved_until?          shelved until {shelved_until:.19}Z"
            "[shelved_by? by {shelved_by}]\n]"};

const struct show_form alarm_cleared_form = {.head = "The alarm is cleared.\n{note>0}"};

// Maintenance windows.

enum { WINDOW_INDENT = 4, MINUTES_MAX = 366 * 24 * 60 };

bool maintenance_commands_read_end(const char *text, int64_t now_us, int64_t *out)
{
    struct tm tm = {0};
    long long minutes;
    if (arguments_read_number(text, &minutes) && minutes <= MINUTES_MAX) {
        *out = now_us + minutes * 60 * CLOCK_US_PER_S;
        return true;
    }
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (!end || *end != '\0')
        return false;
    *out = timegm(&tm) * CLOCK_US_PER_S;
    return true;
}

static void alarm_command_warn(FILE *out, const json_t *patterns, const char *fit, const char *todo)
{
    size_t i;
    const json_t *one;
    json_array_foreach(patterns, i, one)
    {
        char sentence[300];
        snprintf(sentence, sizeof sentence, "The maintenance began, but %s fits %s; %s.", fit,
                 json_string_value(one) ? json_string_value(one) : "?", todo);
        terminal_wrap(out, 0, sentence);
    }
}

// Warns of patterns that fit no node, or only nodes without a name.
static bool alarm_command_show_unknown(FILE *out, const json_t *answer)
{
    alarm_command_warn(out, json_object_get(answer, "unknown"), "no node that is known now",
                       "'ibtrapctl topology' lists names and GUIDs");
    alarm_command_warn(out, json_object_get(answer, "nameless"),
                       "only the description of a factory, which many nodes have,",
                       "name the nodes in node_name_map, or use GUIDs");
    return true;
}

enum command_outcome maintenance_commands_start(const struct arguments *a, struct error *err)
{
    static const struct show_form FORM = {.rest = alarm_command_show_unknown};
    int64_t until;
    if (!maintenance_commands_read_end(a->words[1], clock_utc(&clock_system), &until))
        return COMMAND_WRONG_USAGE;
    json_t *nodes = json_array();
    for (int i = 2; i < a->count; i++)
        json_array_append_new(nodes, json_string(a->words[i]));
    json_t *items = json_pack("{s:s, s:I, s:o}", "name", a->words[0], "until_us", (json_int_t)until,
                              "nodes", nodes);
    return request_command_send(a, &FORM, items, err);
}

static void alarm_command_show_nodes(FILE *out, const json_t *nodes)
{
    size_t i, column = 0;
    json_t *one;
    if (json_array_size(nodes) == 0)
        show_item(out, WINDOW_INDENT, " ", "all nodes", &column);
    json_array_foreach(nodes, i, one)
    {
        show_item(out, WINDOW_INDENT, " ", json_is_string(one) ? json_string_value(one) : "?",
                  &column);
    }
    fputc('\n', out);
}

static bool alarm_command_show_maintenance(FILE *out, const json_t *answer)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(answer, "maintenance"), i, one)
    {
        show_layout(out, "{name} until {until:.19}Z\n", one);
        alarm_command_show_nodes(out, json_object_get(one, "nodes"));
    }
    return true;
}

const struct show_form maintenance_form = {.list = "maintenance",
                                           .none = "There is no maintenance.\n",
                                           .rest = alarm_command_show_maintenance};
