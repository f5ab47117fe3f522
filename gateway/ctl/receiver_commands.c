// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/receiver_commands.h"

#include "ctl/client.h"
#include "ctl/pages.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <string.h>

enum { NAME_COLUMNS = 16, KIND_COLUMNS = 7, ADDRESS_COLUMNS = 25 };

static void show_receiver(FILE *out, const json_t *one)
{
    const char *address = member_word(one, "address");
    terminal_cell(out, member_word(one, "name"), NAME_COLUMNS);
    const int printed = fprintf(out, " %-*s ", KIND_COLUMNS, member_word(one, "kind"));
    // A long kind, such as alertmanager, takes columns of the address.
    const int columns = KIND_COLUMNS + 2 + ADDRESS_COLUMNS - printed;
    const bool is_long = (int)strlen(address) > columns;
    fprintf(out, "%-*s ", columns, is_long ? "" : address);
    terminal_word(out, member_word(one, "state"), 8);
    fprintf(out, "%9lld %8lld %8lld %8lld\n", member_count(one, "sent"),
            member_count(one, "queued"), member_count(one, "failed"), member_count(one, "dropped"));
    terminal_wrap(out, 4, is_long ? address : "");
    terminal_wrap(out, 4, member_word(one, "problem"));
}

static void show_gone(FILE *out, const json_t *one)
{
    char line[256];
    long long queued = member_count(one, "queued");
    snprintf(line, sizeof line, "gone since %s: %s, which did not get %lld event%s",
             member_word(one, "since"), member_word(one, "name"), queued, queued == 1 ? "" : "s");
    terminal_wrap(out, 0, line);
}

bool receiver_commands_show(FILE *out, const json_t *answer, bool first)
{
    size_t i;
    const json_t *one;
    if (first)
        fprintf(out, "%-*s %-*s %-*s %-8s%9s %8s %8s %8s\n", NAME_COLUMNS, "RECEIVER", KIND_COLUMNS,
                "KIND", ADDRESS_COLUMNS, "ADDRESS", "STATE", "SENT", "QUEUED", "FAILED", "DROPPED");
    json_array_foreach(json_object_get(answer, "receivers"), i, one) show_receiver(out, one);
    json_array_foreach(json_object_get(answer, "gone"), i, one) show_gone(out, one);
    return true;
}

enum command_outcome receiver_commands_list(const struct arguments *a, struct error *err)
{
    const struct pages pages = {a->out, "receivers", a->json ? NULL : receiver_commands_show};
    return command_outcome(pages_write(&pages, a->socket, a->wire, json_object(), err));
}

enum command_outcome receiver_commands_change(const struct arguments *a, struct error *err)
{
    json_t *items = json_pack("{s:s}", "name", a->words[0]);
    return command_outcome(client_send(a->socket, a->wire, items, err));
}
