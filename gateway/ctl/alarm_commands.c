// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "ctl/terminal.h"

static bool alarm_command_show_left_out(FILE *out, const json_t *answer)
{
    show_layout(out, "[left_out?and {left_out} more: ibtrapctl alarms --all\n]", answer);
    return true;
}

const struct show_form alarm_form = {
    .list = "alarms",
    .is_paged = true,
    .none = "No alarm is active.\n",
    .head = "  NUMBER  RAISED                SEVERITY       EVENT\n",
    .line =
        "{number:8}  {raised@}  {severity#13}  {event}"
        "[count=0,count=1?|, {count} times]\n"
        "{text>10}"
        "          key: {key}\n"
        "[consequences?          and {consequences} [consequences=1?alarm that follows|alarms that "
        "follow]\n]"
        "[cause?          follows from event {cause}\n]"
        "[suppressed?          suppressed: {suppressed}\n]"
        "[acknowledged?          acknowledged {acknowledged@}"
        "[acknowledged_by? by {acknowledged_by}][note?:]\n{note>12}]"
        "[shelved_until?          shelved until {shelved_until@}"
        "[shelved_by? by {shelved_by}]\n]",
    .rest = alarm_command_show_left_out};

enum command_outcome alarm_commands_list(const struct arguments *a, struct error *err)
{
    static const enum option_id CHOICES[] = {OPTION_SEVERITY, OPTION_NODE, OPTION_EVENT};
    if (a->values[OPTION_FLEET])
        return fleet_commands_alarms(a, err);
    json_t *items = json_pack("{s:b}", "all", (int)(a->values[OPTION_ALL] != NULL));
    struct show_form form = alarm_form;
    for (size_t i = 0; i < sizeof CHOICES / sizeof *CHOICES; i++) {
        const char *value = a->values[CHOICES[i]];
        if (!value)
            continue;
        form.none = "No active alarm fits.\n";
        json_object_set_new(items, arguments_option(CHOICES[i])->name, json_string(value));
    }
    return request_command_send(a, &form, items, err);
}

const struct show_form alarm_cleared_form = {.head = "The alarm is cleared.\n{note>0}"};

// Maintenance windows.

enum { WINDOW_INDENT = 4, MINUTES_MAX = 366 * 24 * 60 };

bool maintenance_commands_read_end(const char *text, int64_t now_us, int64_t *out)
{
    struct tm tm = {0};
    long long minutes;
    if (arguments_read_minutes(text, &minutes) && minutes <= MINUTES_MAX) {
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
        snprintf(sentence, sizeof sentence, "But %s fits %s; %s.", fit,
                 json_string_value(one) ? json_string_value(one) : "?", todo);
        terminal_wrap(out, 0, sentence);
    }
}

static void alarm_command_show_nodes(FILE *out, const json_t *nodes)
{
    size_t i, column = 0;
    json_t *one;
    if (json_array_size(nodes) == 0)
        show_item(out, WINDOW_INDENT, " ", "ALL NODES", &column);
    json_array_foreach(nodes, i, one)
    {
        show_item(out, WINDOW_INDENT, " ", json_is_string(one) ? json_string_value(one) : "?",
                  &column);
    }
    fputc('\n', out);
}

static void alarm_command_show_window(FILE *out, const char *layout, const json_t *window)
{
    show_layout(out, layout, window);
    alarm_command_show_nodes(out, json_object_get(window, "nodes"));
    show_layout(out, "{comment>4}", window);
}

// Warns of patterns that fit no node, or only nodes without a name.
static bool alarm_command_show_started(FILE *out, const json_t *answer)
{
    const json_t *window = json_object_get(answer, "window");
    if (!json_is_object(window))
        return false;
    alarm_command_show_window(out,
                              json_is_true(json_object_get(answer, "extended"))
                                  ? "The maintenance {name} now lasts until {until@}, for\n"
                                  : "The maintenance {name} began, until {until@}, for\n",
                              window);
    alarm_command_warn(out, json_object_get(answer, "unknown"), "no node that is known now",
                       "'ibtrapctl topology' lists names and GUIDs");
    alarm_command_warn(out, json_object_get(answer, "nameless"),
                       "only the description of a factory, which many nodes have,",
                       "name the nodes in node_name_map, or use GUIDs");
    return true;
}

enum command_outcome maintenance_commands_start(const struct arguments *a, struct error *err)
{
    static const struct show_form FORM = {.rest = alarm_command_show_started};
    int64_t until;
    if (!maintenance_commands_read_end(a->words[1], clock_utc(&clock_system), &until))
        return COMMAND_WRONG_USAGE;
    json_t *nodes = json_array();
    for (int i = 2; i < a->count; i++)
        json_array_append_new(nodes, json_string(a->words[i]));
    json_t *items =
        json_pack("{s:s, s:I, s:o, s:b}", "name", a->words[0], "until_us", (json_int_t)until,
                  "nodes", nodes, "all", (int)(a->values[OPTION_ALL] != NULL));
    if (a->values[OPTION_COMMENT])
        json_object_set_new(items, "comment", json_string(a->values[OPTION_COMMENT]));
    return request_command_send(a, &FORM, items, err);
}

const struct show_form maintenance_stopped_form = {
    .head = "The maintenance {window.name} has ended; alarms that are still active are sent.\n"};

bool maintenance_commands_show(FILE *out, const json_t *answer)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(answer, "maintenance"), i, one)
        alarm_command_show_window(out,
                                  "{name} until {until@}[who?, by {who}]"
                                  "[held_back?, {held_back} alarm[held_back=1?|s] held back]\n",
                                  one);
    show_layout(out, "[held_back?{held_back} active alarm[held_back=1? is|s are] held back.\n]",
                answer);
    return true;
}

const struct show_form maintenance_form = {
    .list = "maintenance", .none = "There is no maintenance.\n", .rest = maintenance_commands_show};
