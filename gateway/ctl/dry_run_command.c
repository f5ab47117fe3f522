// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/dry_run_command.h"

#include "base/memory.h"
#include "base/secret.h"
#include "base/text.h"
#include "ctl/client.h"
#include "ctl/protocol.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 4 };

// Reads the file into a text that the caller frees. NULL with a sentence: failed, or the text is
// too long for a request.
static char *read_config(const char *path, struct error *err)
{
    FILE *f = fopen(path, "re");
    char *text = memory_zeroed(1, PROTOCOL_LINE_MAX + 1);
    size_t n = f ? fread(text, 1, PROTOCOL_LINE_MAX, f) : 0;
    bool ok = f && !ferror(f);
    if (!ok)
        error_set(err, "cannot read the configuration '%s': %s", path, strerror(errno));
    else if (n == PROTOCOL_LINE_MAX)
        ok = error_set(err, "the configuration '%s' is too long for a dry run", path);
    else if (strlen(text) != n)
        ok = error_set(err, "the configuration '%s' is not a text: it has NUL octets", path);
    else if (!text_is_utf8(text))
        ok = error_set(err, "the configuration '%s' is not UTF-8", path);
    if (f)
        fclose(f);
    if (ok)
        return text;
    secret_release(text);
    return NULL;
}

// Writes "link-down 12, link-up 12", broken into lines.
static void show_counts(FILE *out, const json_t *counts)
{
    const char *name;
    json_t *count;
    size_t column = 0;
    json_object_foreach((json_t *)counts, name, count)
    {
        char buffer[100];
        struct text t = text_in(buffer, sizeof buffer);
        text_addf(&t, "%s %lld", name, (long long)json_integer_value(count));
        if (column > 0 && column + t.len + 3 > (size_t)terminal_columns(out)) {
            fputs(",\n", out);
            column = 0;
        } else if (column > 0) {
            column += (size_t)fprintf(out, ", ");
        }
        column += (size_t)fprintf(out, "%*s%s", column ? 0 : INDENT, "", buffer);
    }
    if (column > 0)
        fputc('\n', out);
}

static bool dry_run_command_show(FILE *out, const json_t *answer)
{
    json_int_t events;
    const char *from, *until;
    size_t i;
    json_t *suppressed, *receivers, *one;
    if (json_unpack((json_t *)answer, "{s:I, s:o, s:o}", "events", &events, "suppressed",
                    &suppressed, "receivers", &receivers) != 0)
        return false;
    if (json_unpack((json_t *)answer, "{s:s, s:s}", "from", &from, "until", &until) == 0)
        fprintf(out, "%lld events from %.19sZ to %.19sZ\n", (long long)events, from, until);
    else
        fputs("The journal has no events.\n", out);
    if (json_object_size(suppressed) > 0)
        fputs("Suppressed\n", out);
    show_counts(out, suppressed);
    json_array_foreach(receivers, i, one)
    {
        const char *name;
        json_t *kinds;
        if (json_unpack(one, "{s:s, s:I, s:o}", "name", &name, "events", &events, "by_event",
                        &kinds) != 0)
            return false;
        fprintf(out, "Receiver %s: %lld\n", name, (long long)events);
        show_counts(out, kinds);
    }
    return true;
}

// Makes the items of the request. `events` 0: the daemon's default. NULL with a sentence: failed.
static json_t *dry_run_command_items(const char *path, long long events, struct error *err)
{
    char *text = read_config(path, err);
    if (!text)
        return NULL;
    json_t *items = json_pack("{s:s, s:s}", "config", text, "name", path);
    secret_release(text); // it may have communities
    if (events != 0)
        json_object_set_new(items, "events", json_integer(events));
    return items;
}

enum command_outcome dry_run_command(const struct arguments *a, struct error *err)
{
    long long events = 0;
    if (a->count == 2 && (!arguments_read_number(a->words[1], &events) || events == 0))
        return COMMAND_WRONG_USAGE;
    json_t *items = dry_run_command_items(a->words[0], events, err);
    json_t *answer = items ? client_request(a->socket, a->wire, items, err) : NULL;
    bool ok = answer && show_answer(a->out, answer, a->json, dry_run_command_show, err);
    json_decref(answer);
    return command_outcome(ok);
}
