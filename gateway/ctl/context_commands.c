// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/context_commands.h"

#include "ctl/pages.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <string.h>

enum { NAME_COLUMNS = 32 };

static bool context_show(FILE *out, const json_t *page, bool first)
{
    size_t i;
    const json_t *one;
    if (first)
        fprintf(out, "%-*s %-6s %-18s %4s CONTEXT\n", NAME_COLUMNS, "NAME", "TYPE", "NODE GUID",
                "PORT");
    json_array_foreach(json_object_get(page, "contexts"), i, one)
    {
        terminal_cell(out, member_word(one, "name"), NAME_COLUMNS);
        fprintf(out, " %-6s %-18s %4lld %s\n", member_word(one, "type"), member_word(one, "guid"),
                member_count(one, "port"), member_word(one, "context"));
    }
    return true;
}

enum command_outcome context_commands_list(const struct arguments *a, struct error *err)
{
    const struct pages pages = {a->out, "contexts", a->json ? NULL : context_show};
    return command_outcome(pages_write(&pages, a->socket, a->wire, json_object(), err));
}

static const char *context_community; // the word of the command that runs

// The lines of snmpd.conf that give each context a community of its own. The names of nodes are in
// comments: control characters were replaced before.
static bool context_show_communities(FILE *out, const json_t *page, bool first)
{
    size_t i;
    const json_t *one;
    if (first)
        fputs("view ibtrapd-devices included .1.3.6.1.2.1\n"
              "view ibtrapd-devices included .1.3.6.1.3.117\n"
              "group ibtrapd-devices v2c ibtrapd-device\n"
              "access ibtrapd-devices \"\" v2c noauth prefix ibtrapd-devices none none\n",
              out);
    json_array_foreach(json_object_get(page, "contexts"), i, one)
    {
        const char *context = member_word(one, "context");
        fprintf(out, "# %s\n", member_word(one, "name"));
        fprintf(out, "com2sec -Cn %s ibtrapd-device default %s-%s\n", context, context_community,
                context);
    }
    return true;
}

// Whether the word can be the beginning of a community in snmpd.conf.
static bool context_is_community(const char *word)
{
    enum { LONGEST = 32 };
    const size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789_.-");
    return length > 0 && length <= LONGEST && word[length] == '\0';
}

enum command_outcome context_commands_communities(const struct arguments *a, struct error *err)
{
    if (!context_is_community(a->words[0])) {
        error_set(err, "a community here has 1 to 32 letters, digits and _ . - in it");
        return COMMAND_REFUSED;
    }
    context_community = a->words[0];
    const struct pages pages = {a->out, "contexts", a->json ? NULL : context_show_communities};
    return command_outcome(pages_write(&pages, a->socket, a->wire, json_object(), err));
}
