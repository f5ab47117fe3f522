// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/link_commands.h"

#include "ctl/client.h"
#include "ctl/show.h"

enum { WAIT_SHOWN = 1 }; // percent of the time

// Writes "leaf1 port 3", or "leaf1 port 3 (waits 12%)"; without a name, the GUID.
static void show_link_end(FILE *out, const json_t *end)
{
    const char *name = member_word(end, "name");
    const double wait =
        json_real_value(json_object_get(json_object_get(end, "wait"), "short")) * 100;
    fprintf(out, "%s port %lld", name[0] != '\0' ? name : member_word(end, "node"),
            member_count(end, "port"));
    if (wait >= WAIT_SHOWN)
        fprintf(out, " (waits %.0f%%)", wait);
}

static void show_link(FILE *out, const json_t *link)
{
    const json_t *ends = json_object_get(link, "ends");
    const char *last = member_word(link, "last"); // empty: the journal has lost the occasions
    fprintf(out, "%9lld %9lld %6lld %7lld  %-16.16s%c  ", member_count(link, "occasion_count"),
            member_count(link, "failures"), member_count(link, "flaps"),
            member_count(link, "error_alarms"), last, last[0] != '\0' ? 'Z' : '-');
    show_link_end(out, json_array_get(ends, 0));
    fputs(" - ", out);
    show_link_end(out, json_array_get(ends, 1));
    fputs(json_is_true(json_object_get(link, "unreliable")) ? ", unreliable\n" : "\n", out);
}

static bool show_links(FILE *out, const json_t *answer)
{
    size_t i;
    const json_t *link, *links = json_object_get(answer, "links");
    if (!json_is_array(links))
        return false;
    if (json_array_size(links) == 0) {
        fprintf(out, "No link failed in the last %lld days.\n", member_count(answer, "days"));
        return true;
    }
    fprintf(out, "%9s %9s %6s %7s  %-17s  %s\n", "OCCASIONS", "FAILURES", "FLAPS", "ERRORS", "LAST",
            "LINK");
    json_array_foreach(links, i, link) show_link(out, link);
    if ((long long)json_array_size(links) < member_count(answer, "total"))
        fprintf(out, "%lld links failed in the last %lld days.\n", member_count(answer, "total"),
                member_count(answer, "days"));
    return true;
}

enum command_outcome link_commands_list(const struct arguments *a, struct error *err)
{
    long long limit = 0;
    if (a->count > 0 && (!arguments_read_number(a->words[0], &limit) || limit == 0))
        return COMMAND_WRONG_USAGE;
    json_t *items = json_pack("{s:I, s:i}", "limit", (json_int_t)limit, "worst",
                              a->values[OPTION_WORST] != NULL);
    json_t *answer = client_request(a->socket, a->wire, items, err);
    const bool ok = answer && show_answer(a->out, answer, a->json, show_links, err);
    json_decref(answer);
    return command_outcome(ok);
}
