// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "ctl/client.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 10 };

// Writes a time with microseconds as "2026-11-21T04:06:39Z".
static void show_time(FILE *out, const char *before, const char *time, const char *after)
{
    fprintf(out, "%*s%s%.19sZ%s", INDENT, "", before, time, after);
}

static void show_user(FILE *out, const char *user, const char *after)
{
    fprintf(out, "%s%s%s", user[0] != '\0' ? " by " : "", user, after);
}

static void show_handling(FILE *out, const json_t *alarm)
{
    const char *acknowledged = member_word(alarm, "acknowledged"),
               *note = member_word(alarm, "note");
    const char *shelved = member_word(alarm, "shelved_until");
    if (acknowledged[0] != '\0') {
        show_time(out, "acknowledged ", acknowledged, "");
        show_user(out, member_word(alarm, "acknowledged_by"), note[0] ? ":\n" : "\n");
        terminal_wrap(out, INDENT + 2, note);
    }
    if (shelved[0] != '\0') {
        show_time(out, "shelved until ", shelved, "");
        show_user(out, member_word(alarm, "shelved_by"), "\n");
    }
}

// Shows why receivers get nothing about the alarm, and how many alarms follow from the alarm.
static void show_suppression(FILE *out, const json_t *alarm)
{
    const char *reason = member_word(alarm, "suppressed");
    const long long consequences = member_count(alarm, "consequences");
    if (reason[0] != '\0')
        fprintf(out, "%*ssuppressed: %s\n", INDENT, "", reason);
    if (consequences > 0)
        fprintf(out, "%*s%lld alarm%s from it\n", INDENT, "", consequences,
                consequences == 1 ? " follows" : "s follow");
}

static void show_alarm(FILE *out, const json_t *alarm)
{
    long long count = member_count(alarm, "count");
    fprintf(out, "%8lld  %.19sZ  ", member_count(alarm, "number"), member_word(alarm, "raised"));
    terminal_word(out, member_word(alarm, "severity"), 13);
    fprintf(out, "  %s", member_word(alarm, "event"));
    if (count > 1)
        fprintf(out, ", %lld times", count);
    fputc('\n', out);
    terminal_wrap(out, INDENT, member_word(alarm, "text"));
    fprintf(out, "%*skey: %s\n", INDENT, "", member_word(alarm, "key"));
    show_suppression(out, alarm);
    show_handling(out, alarm);
}

bool alarm_commands_show(FILE *out, const json_t *page, bool first)
{
    size_t i;
    const json_t *alarm;
    const json_t *alarms = json_object_get(page, "alarms");
    if (first && json_array_size(alarms) == 0)
        fputs("No alarm is active.\n", out);
    else if (first)
        fprintf(out, "%8s  %-20s  %-13s  %s\n", "NUMBER", "RAISED", "SEVERITY", "EVENT");
    json_array_foreach(alarms, i, alarm) show_alarm(out, alarm);
    return true;
}

enum command_outcome alarm_commands_list(const struct arguments *a, struct error *err)
{
    const struct pages pages = {a->out, "alarms", a->json ? NULL : alarm_commands_show};
    return command_outcome(pages_write(&pages, a->socket, a->wire, json_object(), err));
}

enum command_outcome alarm_commands_acknowledge(const struct arguments *a, struct error *err)
{
    const char *note = a->count > 1 ? a->words[1] : "";
    json_t *items = json_pack("{s:s, s:s}", "alarm", a->words[0], "note", note);
    return command_outcome(client_send(a->socket, a->wire, items, err));
}

enum command_outcome alarm_commands_shelve(const struct arguments *a, struct error *err)
{
    long long minutes;
    if (!arguments_read_number(a->words[1], &minutes))
        return COMMAND_WRONG_USAGE;
    json_t *items = json_pack("{s:s, s:I}", "alarm", a->words[0], "minutes", (json_int_t)minutes);
    return command_outcome(client_send(a->socket, a->wire, items, err));
}

static bool show_cleared(FILE *out, const json_t *answer)
{
    fputs("The alarm is cleared.\n", out);
    terminal_wrap(out, 0, member_word(answer, "note"));
    return true;
}

enum command_outcome alarm_commands_clear(const struct arguments *a, struct error *err)
{
    json_t *items = json_pack("{s:s, s:s}", "alarm", a->words[0], "reason", a->words[1]);
    json_t *answer = client_request(a->socket, a->wire, items, err);
    const bool ok = answer && show_answer(a->out, answer, a->json, show_cleared, err);
    json_decref(answer);
    return command_outcome(ok);
}

// Maintenance windows.

enum { WINDOW_INDENT = 4, MINUTES_MAX = 366 * 24 * 60 };

static bool read_minutes(const char *text, int64_t now, int64_t *out)
{
    char *end;
    long long minutes = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || minutes > MINUTES_MAX)
        return false;
    *out = now + minutes * 60 * CLOCK_US_PER_S;
    return true;
}

bool maintenance_commands_read_end(const char *text, int64_t now_us, int64_t *out)
{
    struct tm tm = {0};
    if (read_minutes(text, now_us, out))
        return true;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (!end || *end != '\0')
        return false;
    *out = timegm(&tm) * CLOCK_US_PER_S;
    return true;
}

static json_t *list_of(char *const *words, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

// Warns of patterns that fit no node.
static void show_unknown(FILE *out, const json_t *patterns)
{
    size_t i;
    const json_t *one;
    json_array_foreach(patterns, i, one)
    {
        char sentence[300];
        snprintf(sentence, sizeof sentence,
                 "The maintenance began, but no node that is known now fits %s; 'ibtrapctl "
                 "topology' lists names and GUIDs.",
                 json_string_value(one) ? json_string_value(one) : "?");
        terminal_wrap(out, 0, sentence);
    }
}

enum command_outcome maintenance_commands_start(const struct arguments *a, struct error *err)
{
    int64_t until;
    if (!maintenance_commands_read_end(a->words[1], clock_utc(&clock_system), &until))
        return COMMAND_WRONG_USAGE;
    json_t *items = json_pack("{s:s, s:I, s:o}", "name", a->words[0], "until_us", (json_int_t)until,
                              "nodes", list_of(a->words + 2, a->count - 2));
    json_t *answer = client_request(a->socket, a->wire, items, err);
    bool ok = answer != NULL;
    if (ok && a->json)
        ok = show_json(a->out, answer, err);
    else if (ok)
        show_unknown(a->out, json_object_get(answer, "unknown"));
    json_decref(answer);
    return command_outcome(ok);
}

enum command_outcome maintenance_commands_stop(const struct arguments *a, struct error *err)
{
    json_t *items = json_pack("{s:s}", "name", a->words[0]);
    return command_outcome(client_send(a->socket, a->wire, items, err));
}

static void show_nodes(FILE *out, const json_t *nodes)
{
    size_t i, column = 0;
    json_t *one;
    if (json_array_size(nodes) == 0)
        fprintf(out, "%*sall nodes", WINDOW_INDENT, "");
    json_array_foreach(nodes, i, one)
    {
        const char *pattern = json_is_string(one) ? json_string_value(one) : "?";
        const size_t width = strlen(pattern) + 1;
        if (column > 0 && column + width > (size_t)terminal_columns(out)) {
            fputc('\n', out);
            column = 0;
        }
        column += (size_t)fprintf(out, "%*s%s", column ? 1 : WINDOW_INDENT, "", pattern);
    }
    fputc('\n', out);
}

static bool maintenance_commands_show(FILE *out, const json_t *answer)
{
    size_t i;
    json_t *one;
    const json_t *all = json_object_get(answer, "maintenance");
    if (!json_is_array(all))
        return false;
    if (json_array_size(all) == 0)
        fputs("There is no maintenance.\n", out);
    json_array_foreach(all, i, one)
    {
        const char *name, *until;
        json_t *nodes;
        if (json_unpack(one, "{s:s, s:s, s:o}", "name", &name, "until", &until, "nodes", &nodes) !=
            0)
            return false;
        fprintf(out, "%s until %.19sZ\n", name, until);
        show_nodes(out, nodes);
    }
    return true;
}

enum command_outcome maintenance_commands_list(const struct arguments *a, struct error *err)
{
    json_t *answer = client_request(a->socket, a->wire, json_object(), err);
    bool ok = answer && show_answer(a->out, answer, a->json, maintenance_commands_show, err);
    json_decref(answer);
    return command_outcome(ok);
}
