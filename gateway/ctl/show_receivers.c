#include "ctl/show.h"

#include "ctl/member.h"
#include "ctl/terminal.h"

#include <string.h>

enum { NAME_COLUMNS = 16, ADDRESS_COLUMNS = 25 };

static void show_receiver(FILE *out, const json_t *one)
{
    const char *name = member_word(one, "name"), *address = member_word(one, "address");
    bool is_long = strlen(address) > ADDRESS_COLUMNS;
    terminal_cell(out, name, NAME_COLUMNS);
    fprintf(out, " %-7s %-*s ", member_word(one, "kind"), ADDRESS_COLUMNS, is_long ? "" : address);
    terminal_word(out, member_word(one, "state"), 8);
    fprintf(out, "%9lld %8lld %8lld %8lld\n", member_count(one, "sent"),
            member_count(one, "queued"), member_count(one, "failed"), member_count(one, "dropped"));
    terminal_wrap(out, 4, is_long ? address : "");
    terminal_wrap(out, 4, member_word(one, "problem"));
}

bool show_receivers(FILE *out, const json_t *answer, bool first)
{
    size_t i;
    const json_t *one;
    if (first)
        fprintf(out, "%-*s %-7s %-*s %-8s%9s %8s %8s %8s\n", NAME_COLUMNS, "RECEIVER", "KIND",
                ADDRESS_COLUMNS, "ADDRESS", "STATE", "SENT", "QUEUED", "FAILED", "DROPPED");
    json_array_foreach(json_object_get(answer, "receivers"), i, one) show_receiver(out, one);
    return true;
}
