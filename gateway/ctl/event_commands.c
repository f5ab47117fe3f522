// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "ctl/client.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// Writing events.

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

// Commands.

static const int64_t POLL_US = CLOCK_US_PER_S / 2, TEST_POLL_US = CLOCK_US_PER_S / 20;
static const int64_t TEST_WAIT_US = 10 * CLOCK_US_PER_S;

static void sleep_us(int64_t us)
{
    nanosleep(
        &(struct timespec){.tv_sec = us / CLOCK_US_PER_S, .tv_nsec = us % CLOCK_US_PER_S * 1000},
        NULL);
}

// Lists.

enum { EVENTS_LAST = 50, EVENTS_LIMIT_MAX = 10000 };

// The events that the options choose.
struct event_choice {
    int64_t since_us, until_us;          // UTC; 0: no limit
    const char *severity, *node, *event; // NULL: any
    long long limit;                     // the last ones, up to EVENTS_LIMIT_MAX; 0: the default
};

// Reads the time of an option into `*out`; 0 when it was not given. False with a sentence on
// standard error.
static bool event_commands_read_time(const char *text, int64_t *out)
{
    *out = 0;
    if (!text || time_parse(text, clock_utc(&clock_system), out))
        return true;
    fprintf(stderr, "ibtrapctl: %s is no time; write it as 10m, 2h, 3d or 2026-11-21T04:06:39Z\n",
            text);
    return false;
}

// Reads the limit in the same way.
static bool read_limit(const char *text, long long *out)
{
    *out = 0;
    if (!text || (arguments_read_number(text, out) && *out >= 1 && *out <= EVENTS_LIMIT_MAX))
        return true;
    fprintf(stderr, "ibtrapctl: the limit must be from 1 to %d\n", EVENTS_LIMIT_MAX);
    return false;
}

static bool read_choice(const struct arguments *a, struct event_choice *out)
{
    *out = (struct event_choice){.severity = a->values[OPTION_SEVERITY],
                                 .node = a->values[OPTION_NODE],
                                 .event = a->values[OPTION_EVENT]};
    return event_commands_read_time(a->values[OPTION_SINCE], &out->since_us) &&
           event_commands_read_time(a->values[OPTION_UNTIL], &out->until_us) &&
           read_limit(a->values[OPTION_LIMIT], &out->limit);
}

// Sets an item unless its value is NULL or 0.
static void set_word(json_t *items, const char *key, const char *word)
{
    if (word)
        json_object_set_new(items, key, json_string(word));
}

static void event_commands_set_number(json_t *items, const char *key, int64_t number)
{
    if (number != 0)
        json_object_set_new(items, key, json_integer(number));
}

static json_t *items_of(const struct event_choice *choice)
{
    json_t *items = json_object();
    event_commands_set_number(items, "since_us", choice->since_us);
    event_commands_set_number(items, "until_us", choice->until_us);
    set_word(items, "severity", choice->severity);
    set_word(items, "node", choice->node);
    set_word(items, "event", choice->event);
    return items;
}

static int64_t limit_of(const struct event_choice *choice)
{
    if (choice->limit != 0)
        return choice->limit;
    return choice->since_us != 0 ? EVENTS_LIMIT_MAX : EVENTS_LAST;
}

// Reads all events of the choice, the newest first, and sets `*last` to the number of the journal's
// newest event, `*node_is_known` to false if no node has the name or GUID of the choice. Returns a
// new reference; NULL with a sentence: failed.
static json_t *event_commands_collect(const struct arguments *a, const struct event_choice *choice,
                                      int64_t *last, bool *node_is_known, struct error *err)
{
    json_t *items = items_of(choice), *all = json_array();
    bool ok, more = false, first = true;
    *node_is_known = true;
    event_commands_set_number(items, "limit", limit_of(choice));
    do {
        json_t *page = client_request(a->socket, a->wire, json_copy(items), err);
        const json_t *events = json_object_get(page, "events");
        ok = page && (json_is_array(events) || show_refuse_shape(err));
        if (ok && first)
            *last = member_count(page, "last");
        json_array_extend(all, (json_t *)events);
        if (json_is_false(json_object_get(page, "node_is_known")))
            *node_is_known = false;
        more = ok && pages_turn(items, page);
        first = false;
        json_decref(page);
    } while (more);
    json_decref(items);
    if (!ok)
        json_decref(all);
    return ok ? all : NULL;
}

static void write_event(FILE *out, const json_t *event, bool json)
{
    if (!json) {
        show_event(out, event);
        return;
    }
    json_dumpf(event, out, JSON_COMPACT);
    fputc('\n', out);
}

static void write_json_list(FILE *out, const json_t *newest_first)
{
    fputs("{\"version\":1,\"events\":[", out);
    for (size_t i = json_array_size(newest_first); i > 0; i--) {
        fputs(i == json_array_size(newest_first) ? "\n" : ",\n", out);
        json_dumpf(json_array_get(newest_first, i - 1), out, JSON_COMPACT);
    }
    fputs("\n]}\n", out);
}

static void write_lines(FILE *out, const json_t *newest_first, bool json)
{
    for (size_t i = json_array_size(newest_first); i > 0; i--)
        write_event(out, json_array_get(newest_first, i - 1), json);
}

// Says what an empty list means.
static void event_commands_tell_none(const struct arguments *a, bool node_is_known)
{
    char sentence[400];
    const char *node = a->values[OPTION_NODE];
    snprintf(sentence, sizeof sentence, "No event fits%s%s%s.",
             node_is_known ? "" : ", and no node ", node_is_known ? "" : node,
             node_is_known ? "" : " is known now; 'ibtrapctl topology' lists names and GUIDs");
    terminal_wrap(a->out, 0, sentence);
}

static void event_commands_write_all(const struct arguments *a, const json_t *newest_first,
                                     bool node_is_known)
{
    if (a->json) {
        write_json_list(a->out, newest_first);
    } else if (json_array_size(newest_first) == 0) {
        event_commands_tell_none(a, node_is_known);
    } else {
        show_events_head(a->out);
        write_lines(a->out, newest_first, false);
    }
}

static bool event_commands_flush(FILE *out, struct error *err)
{
    return fflush(out) == 0 || error_set(err, "cannot write");
}

// Writes the events after number `*after`, and advances it. `*quiet`: there are no more now.
static bool follow_once(const struct arguments *a, const struct event_choice *choice,
                        int64_t *after, bool *quiet, struct error *err)
{
    size_t i;
    const json_t *event;
    json_t *items = items_of(choice);
    json_object_set_new(items, "after", json_integer(*after));
    json_t *page = client_request(a->socket, a->wire, items, err);
    if (!page)
        return false;
    json_array_foreach(json_object_get(page, "events"), i, event)
    {
        write_event(a->out, event, a->json);
    }
    *after = member_count(page, "place");
    *quiet = json_is_true(json_object_get(page, "ended"));
    json_decref(page);
    return event_commands_flush(a->out, err);
}

// Writes new events until one cannot be read or written. Then returns false with a sentence.
static bool follow(const struct arguments *a, const struct event_choice *choice, int64_t after,
                   struct error *err)
{
    bool quiet = true, ok = event_commands_flush(a->out, err);
    while (ok && (ok = follow_once(a, choice, &after, &quiet, err))) {
        if (quiet)
            sleep_us(POLL_US);
    }
    return ok;
}

enum command_outcome event_commands_list(const struct arguments *a, struct error *err)
{
    struct event_choice choice;
    int64_t last;
    bool node_is_known, follows = a->values[OPTION_FOLLOW] != NULL;
    if (!read_choice(a, &choice) || (follows && choice.until_us))
        return COMMAND_WRONG_USAGE;
    json_t *all = event_commands_collect(a, &choice, &last, &node_is_known, err);
    if (!all)
        return COMMAND_REFUSED;
    if (follows) {
        if (!a->json)
            show_events_head(a->out);
        write_lines(a->out, all, a->json);
    } else {
        event_commands_write_all(a, all, node_is_known);
    }
    json_decref(all);
    return command_outcome(!follows || follow(a, &choice, last, err));
}

// One event.

enum command_outcome event_commands_explain(const struct arguments *a, struct error *err)
{
    const char *event = a->words[0];
    bool is_number = event[0] != '\0' && event[strspn(event, "0123456789")] == '\0';
    json_t *items = is_number ? json_pack("{s:I}", "number", (json_int_t)strtoll(event, NULL, 10))
                              : json_pack("{s:s}", "id", event);
    json_t *answer = client_request(a->socket, a->wire, items, err);
    bool ok = answer && show_answer(a->out, answer, a->json, show_explanation, err);
    json_decref(answer);
    return command_outcome(ok);
}

// Tests.

// Requests the test, and returns the number of the newest event before it; -1 with a sentence:
// failed.
static int64_t begin_test(const struct arguments *a, struct error *err)
{
    json_t *items = json_object();
    set_word(items, "event", a->words[0]);
    set_word(items, "node", a->values[OPTION_NODE]);
    set_word(items, "receiver", a->values[OPTION_RECEIVER]);
    json_t *answer = client_request(a->socket, a->wire, items, err);
    int64_t last = answer ? member_count(answer, "last") : -1;
    json_decref(answer);
    return last;
}

static int64_t find_test(const json_t *page)
{
    size_t i;
    const json_t *event;
    json_array_foreach(json_object_get(page, "events"), i, event)
    {
        if (json_is_true(json_object_get(event, "test")))
            return member_count(event, "number");
    }
    return 0;
}

// Waits for the test event after number `last` and returns its number; 0 with a sentence: it is not
// in the journal by `until`.
static int64_t await_test(const char *socket, const char *event, int64_t last, int64_t until,
                          struct error *err)
{
    int64_t number = 0;
    bool ok = true;
    while (ok && number == 0 && clock_monotonic(&clock_system) < until) {
        json_t *page =
            client_request(socket, "events",
                           json_pack("{s:I, s:s}", "after", (json_int_t)last, "event", event), err);
        ok = page != NULL;
        number = find_test(page);
        json_decref(page);
        if (number == 0)
            sleep_us(TEST_POLL_US);
    }
    if (ok && number == 0)
        error_set(err, "the event is not in the journal yet; ibtrapd is very busy");
    return number;
}

// Returns the first receiver for which `is_it` is true, or NULL. `only`: the receiver to which the
// test was sent; NULL: to all.
static const json_t *find_receiver(const json_t *answer, const char *only,
                                   bool (*is_it)(const json_t *one, bool is_only))
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(answer, "receivers"), i, one)
    {
        if ((!only || strcmp(member_word(one, "name"), only) == 0) && is_it(one, only != NULL))
            return one;
    }
    return NULL;
}

// Whether the receiver lacks the event: it still waits for it, or the test was sent to it only and
// has not gone out.
static bool is_without(const json_t *one, bool is_only)
{
    const char *state = member_word(one, "state");
    bool has = strcmp(state, "delivered") == 0 || strcmp(state, "sent") == 0;
    return strcmp(state, "waiting") == 0 || (is_only && !has);
}

// Whether the receiver waits for the event, and no known reason keeps it from getting it.
static bool is_about_to(const json_t *one, bool is_only)
{
    (void)is_only;
    return strcmp(member_word(one, "state"), "waiting") == 0 &&
           member_word(one, "reason")[0] == '\0';
}

// Returns the explanation of the event once the receivers have it, or at `until`.
static json_t *await_delivery(const char *socket, int64_t number, const char *receiver,
                              int64_t until, struct error *err)
{
    json_t *answer = NULL;
    do {
        if (answer)
            sleep_us(TEST_POLL_US);
        json_decref(answer);
        answer = client_request(socket, "explain", json_pack("{s:I}", "number", (json_int_t)number),
                                err);
    } while (answer && find_receiver(answer, receiver, is_about_to) &&
             clock_monotonic(&clock_system) < until);
    return answer;
}

static bool report_missing(const json_t *answer, const char *receiver, struct error *err)
{
    const json_t *missing = find_receiver(answer, receiver, is_without);
    if (!missing)
        return true;
    const char *reason = member_word(missing, "reason");
    return error_set(err, "receiver %s has not got it: %s%s%s", member_word(missing, "name"),
                     member_word(missing, "state"), reason[0] ? ", " : "", reason);
}

enum command_outcome event_commands_test(const struct arguments *a, struct error *err)
{
    const char *receiver = a->values[OPTION_RECEIVER];
    int64_t until = clock_monotonic(&clock_system) + TEST_WAIT_US;
    int64_t last = begin_test(a, err);
    int64_t number = last < 0 ? 0 : await_test(a->socket, a->words[0], last, until, err);
    json_t *answer = number == 0 ? NULL : await_delivery(a->socket, number, receiver, until, err);
    if (!answer)
        return COMMAND_REFUSED;
    if (!a->json)
        show_delivery(a->out, answer);
    bool ok = (!a->json || show_json(a->out, answer, err)) && report_missing(answer, receiver, err);
    json_decref(answer);
    return command_outcome(ok);
}
