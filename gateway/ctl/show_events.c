// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/show_events.h"

#include "base/clock.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <string.h>

enum { INDENT = 10, NAME_COLUMNS = 20, FATE_COLUMNS = 29, RAW_LINE = 64 };
enum { KIND_COLUMNS = 7, KIND_COLUMNS_MAX = 20 };

void show_events_head(FILE *out)
{
    fprintf(out, "%8s  %-20s  %-13s  %s\n", "NUMBER", "TIME", "SEVERITY", "EVENT");
}

void show_event(FILE *out, const json_t *event)
{
    const char *suppressed = member_word(event, "suppressed");
    fprintf(out, "%8lld  %.19sZ  ", member_count(event, "number"), member_word(event, "time"));
    terminal_word(out, member_word(event, "severity"), 13);
    fprintf(out, "  %s\n", member_word(event, "event"));
    terminal_wrap(out, INDENT, member_word(event, "text"));
    if (suppressed[0] != '\0')
        fprintf(out, "%*ssuppressed: %s\n", INDENT, "", suppressed);
}

// Explanations.

static void show_value(FILE *out, const char *name, const json_t *value)
{
    char buffer[64];
    const char *text = json_string_value(value);
    if (json_is_integer(value))
        snprintf(buffer, sizeof buffer, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        snprintf(buffer, sizeof buffer, "%s", json_is_true(value) ? "true" : "false");
    fprintf(out, "  %-*s", NAME_COLUMNS - 2, name);
    terminal_hang(out, NAME_COLUMNS, text ? text : buffer);
}

static bool is_shown_elsewhere(const char *name)
{
    static const char *const NAMES[] = {"number", "time", "event",     "severity",
                                        "text",   "raw",  "suppressed"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(NAMES[i], name) == 0)
            return true;
    }
    return false;
}

static void show_fields(FILE *out, const json_t *event)
{
    const char *name;
    json_t *value;
    fputs("\nFields\n", out);
    json_object_foreach((json_t *)event, name, value)
    {
        if (!is_shown_elsewhere(name))
            show_value(out, name, value);
    }
}

// Writes 32 octets per line, after the offset of the first one.
static void show_raw(FILE *out, const char *hex)
{
    size_t size = strlen(hex);
    if (size == 0)
        return;
    fprintf(out, "\nRaw, %zu octets\n", size / 2);
    for (size_t i = 0; i < size; i += RAW_LINE)
        fprintf(out, "  %04zx  %.*s\n", i / 2, (int)RAW_LINE, hex + i);
}

static void show_events_other(FILE *out, const char *what, const json_t *other)
{
    if (!json_is_object(other))
        return;
    long long number = member_count(other, "number");
    if (number == 0)
        fprintf(out, "\n%s %s, which the journal no longer has\n", what, member_word(other, "id"));
    else
        fprintf(out, "\n%s %lld, %s\n", what, number, member_word(other, "event"));
    terminal_wrap(out, INDENT, member_word(other, "text"));
}

// A line of a table whose kinds take so many columns.
static void show_fate(FILE *out, const json_t *one, int kind_columns)
{
    const int before = FATE_COLUMNS + kind_columns;
    const char *time = member_word(one, "time"), *reason = member_word(one, "reason");
    terminal_cell(out, member_word(one, "name"), 16);
    fprintf(out, " %-*s ", kind_columns, member_word(one, "kind"));
    terminal_word(out, member_word(one, "state"), 10);
    fprintf(out, " %s%s", time, time[0] && reason[0] ? "  " : "");
    terminal_hang(out, time[0] ? before + CLOCK_TEXT_SIZE + 1 : before, reason);
}

static void show_fates(FILE *out, const json_t *answer)
{
    size_t i;
    int columns = KIND_COLUMNS;
    const json_t *one, *fates = json_object_get(answer, "receivers");
    json_array_foreach(fates, i, one)
    {
        const size_t length = strlen(member_word(one, "kind"));
        if (length > (size_t)columns && length <= KIND_COLUMNS_MAX)
            columns = (int)length;
    }
    fprintf(out, "\n%-16s %-*s %-10s %s\n", "RECEIVER", columns, "KIND", "STATE", "TIME, REASON");
    json_array_foreach(fates, i, one) show_fate(out, one, columns);
}

static void show_notifications(FILE *out, const json_t *list)
{
    size_t i;
    const json_t *one;
    fputs("\nSNMP notifications\n", out);
    json_array_foreach(list, i, one)
    {
        fprintf(out, "  %s::%s%s\n      %s, %zu objects\n", member_word(one, "mib"),
                member_word(one, "name"),
                json_is_true(json_object_get(one, "default")) ? ""
                                                              : " (where a receiver asks for it)",
                member_word(one, "oid"), json_array_size(json_object_get(one, "objects")));
    }
}

bool show_explanation(FILE *out, const json_t *answer)
{
    const json_t *event = json_object_get(answer, "event");
    if (!json_is_object(event) || !json_is_array(json_object_get(answer, "receivers")))
        return false;
    show_events_head(out);
    show_event(out, event);
    show_fields(out, event);
    show_raw(out, member_word(event, "raw"));
    show_events_other(out, "Cause: event", json_object_get(answer, "cause"));
    show_events_other(out, "Related: event", json_object_get(answer, "related"));
    show_fates(out, answer);
    show_notifications(out, json_object_get(answer, "notifications"));
    return true;
}

void show_delivery(FILE *out, const json_t *answer)
{
    show_events_head(out);
    show_event(out, json_object_get(answer, "event"));
    show_fates(out, answer);
}
