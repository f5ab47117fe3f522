// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/maintenance_commands.h"

#include "base/clock.h"
#include "ctl/client.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { INDENT = 4, MINUTES_MAX = 366 * 24 * 60 };

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
        fprintf(out, "%*sall nodes", INDENT, "");
    json_array_foreach(nodes, i, one)
    {
        const char *pattern = json_is_string(one) ? json_string_value(one) : "?";
        const size_t width = strlen(pattern) + 1;
        if (column > 0 && column + width > (size_t)terminal_columns(out)) {
            fputc('\n', out);
            column = 0;
        }
        column += (size_t)fprintf(out, "%*s%s", column ? 1 : INDENT, "", pattern);
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
