// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/alarm_commands.h"

#include "ctl/client.h"
#include "ctl/pages.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

enum { INDENT = 10 };

// Writes a time with microseconds as "2026-11-21T04:06:39Z".
static void show_time(FILE *out, const char *before, const char *time, const char *after)
{
    fprintf(out, "%*s%s%.19sZ%s", INDENT, "", before, time, after);
}

static void show_handling(FILE *out, const json_t *alarm)
{
    const char *acknowledged = member_word(alarm, "acknowledged"),
               *note = member_word(alarm, "note");
    const char *shelved = member_word(alarm, "shelved_until");
    if (acknowledged[0] != '\0') {
        show_time(out, "acknowledged ", acknowledged, note[0] ? ":\n" : "\n");
        terminal_wrap(out, INDENT + 2, note);
    }
    if (shelved[0] != '\0')
        show_time(out, "shelved until ", shelved, "\n");
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
