// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "ctl/client.h"
#include "ctl/protocol.h"
#include "ctl/terminal.h"

#include <stdlib.h>
#include <string.h>

// Writing events.

enum { FATE_COLUMNS = 29, RAW_LINE = 64 };
enum { KIND_COLUMNS = 7, KIND_COLUMNS_MAX = 20 };

static const char EVENT_HEAD[] = "  NUMBER  TIME                  SEVERITY       EVENT\n";

// One event.
const struct show_form event_form = {
    .head = "{number:8}  {time@}  {severity#13}  {event}\n"
            "{text>10}[suppressed?          suppressed: {suppressed}\n]"};

// Explanations.

static bool event_command_is_shown_elsewhere(const char *name)
{
    static const char *const NAMES[] = {"number", "time", "event",     "severity",
                                        "text",   "raw",  "suppressed"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(NAMES[i], name) == 0)
            return true;
    }
    return false;
}

static void event_command_show_fields(FILE *out, const json_t *event)
{
    const char *name;
    json_t *value;
    fputs("\nFields\n", out);
    json_object_foreach((json_t *)event, name, value)
    {
        json_t *field = json_pack("{s:s, s:O}", "name", name, "value", value);
        if (!event_command_is_shown_elsewhere(name))
            show_layout(out, "  {name:-18}{value~20}", field);
        json_decref(field);
    }
}

// Writes 32 octets per line, after the offset of the first octet.
static void event_command_show_raw(FILE *out, const char *hex)
{
    size_t size = strlen(hex);
    if (size == 0)
        return;
    fprintf(out, "\nRaw, %zu octets\n", size / 2);
    for (size_t i = 0; i < size; i += RAW_LINE)
        fprintf(out, "  %04zx  %.*s\n", i / 2, (int)RAW_LINE, hex + i);
}

// Writes a line of the table. The kinds take `kind_columns` columns.
static void event_command_show_fate(FILE *out, const json_t *one, int kind_columns)
{
    const int before = FATE_COLUMNS + kind_columns;
    const char *time = member_word(one, "time"), *reason = member_word(one, "reason");
    terminal_cell(out, member_word(one, "name"), 16);
    fprintf(out, " %-*s ", kind_columns, member_word(one, "kind"));
    terminal_word(out, member_word(one, "state"), 10);
    fprintf(out, " %s%s", time, time[0] && reason[0] ? "  " : "");
    terminal_hang(out, time[0] ? before + CLOCK_TEXT_SIZE + 1 : before, reason);
}

static void event_command_show_fates(FILE *out, const json_t *answer)
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
    json_array_foreach(fates, i, one) event_command_show_fate(out, one, columns);
}

static const char EVENT_OTHERS[] =
    "[cause?\nCause: event [cause.number?{cause.number}, {cause.event}"
    "|{cause.id}, which the journal no longer has]\n{cause.text>10}]"
    "[related?\nRelated: event [related.number?{related.number}, {related.event}"
    "|{related.id}, which the journal no longer has]\n{related.text>10}]";

static const char EVENT_NOTIFICATION[] =
    "  {mib}::{name}[default?| (where a receiver asks for it)]\n      {oid}, {objects} objects\n";

static bool event_command_show_explanation(FILE *out, const json_t *answer)
{
    const json_t *event = json_object_get(answer, "event");
    if (!json_is_object(event))
        return false;
    fputs(EVENT_HEAD, out);
    show_form(out, &event_form, event, true);
    show_layout(out, "[remedy?\nWhat to do\n{remedy>2}]", answer);
    event_command_show_fields(out, event);
    event_command_show_raw(out, member_word(event, "raw"));
    show_layout(out, EVENT_OTHERS, answer);
    event_command_show_fates(out, answer);
    fputs("\nSNMP notifications\n", out);
    show_each(out, EVENT_NOTIFICATION, json_object_get(answer, "notifications"));
    return true;
}

const struct show_form explanation_form = {.list = "receivers",
                                           .rest = event_command_show_explanation};

static bool event_command_show_delivery(FILE *out, const json_t *answer)
{
    fputs(EVENT_HEAD, out);
    show_form(out, &event_form, json_object_get(answer, "event"), true);
    event_command_show_fates(out, answer);
    return true;
}

const struct show_form delivery_form = {.rest = event_command_show_delivery};

// Commands.

static const int64_t POLL_US = CLOCK_US_PER_S / 2, TEST_POLL_US = CLOCK_US_PER_S / 20;
static const int64_t TEST_WAIT_US = 10 * CLOCK_US_PER_S;

// Lists.

enum { EVENTS_LAST = 50, EVENTS_LIMIT_MAX = 10000 };

// Reads the time of an option into an item. Without the option, sets no item. False with a sentence
// on standard error.
static bool event_command_read_time(const char *text, json_t *items, const char *name)
{
    int64_t time_us;
    if (!text)
        return true;
    if (time_parse(text, clock_utc(&clock_system), &time_us)) {
        json_object_set_new(items, name, json_integer(time_us));
        return true;
    }
    fprintf(stderr, "ibtrapctl: %s is no time; write it as 10m, 2h, 3d or 2026-11-21T04:06:39Z\n",
            text);
    return false;
}

// Reads how many events are wanted. False with a sentence on standard error.
static bool event_command_read_limit(const struct arguments *a, long long *out)
{
    const char *text = a->values[OPTION_LIMIT];
    *out = a->values[OPTION_SINCE] ? EVENTS_LIMIT_MAX : EVENTS_LAST;
    if (!text || (arguments_read_number(text, out) && *out >= 1 && *out <= EVENTS_LIMIT_MAX))
        return true;
    fprintf(stderr, "ibtrapctl: the limit must be from 1 to %d\n", EVENTS_LIMIT_MAX);
    return false;
}

// Sets an item to the value of an option. Without the option, sets no item.
static void event_command_set_word(json_t *items, const char *key, const char *word)
{
    if (word)
        json_object_set_new(items, key, json_string(word));
}

// Makes the items of a request from the options that choose events. NULL: an option has a wrong
// value.
static json_t *event_command_choice(const struct arguments *a)
{
    json_t *items = json_object();
    event_command_set_word(items, "severity", a->values[OPTION_SEVERITY]);
    event_command_set_word(items, "node", a->values[OPTION_NODE]);
    event_command_set_word(items, "event", a->values[OPTION_EVENT]);
    if (event_command_read_time(a->values[OPTION_SINCE], items, "since_us") &&
        event_command_read_time(a->values[OPTION_UNTIL], items, "until_us"))
        return items;
    json_decref(items);
    return NULL;
}

// The chosen events of all pages so far.
struct event_command_list {
    json_t *all;        // the newest first
    int64_t last;       // the number of the journal's newest event; -1: no page came yet
    bool node_is_known; // false: no node has the name or GUID of the choice
};

static bool event_command_take_page(void *ctx, const json_t *page, struct error *err)
{
    struct event_command_list *list = ctx;
    if (json_array_extend(list->all, json_object_get(page, "events")) != 0)
        return show_refuse_shape(err);
    if (list->last < 0)
        list->last = member_count(page, "last");
    if (json_is_false(json_object_get(page, "node_is_known")))
        list->node_is_known = false;
    return true;
}

static void event_command_write(FILE *out, const json_t *event, bool json)
{
    if (!json) {
        show_form(out, &event_form, event, true);
        return;
    }
    json_dumpf(event, out, JSON_COMPACT);
    fputc('\n', out);
}

static void event_command_write_json(FILE *out, const json_t *newest_first)
{
    struct show_list list = {.out = out};
    json_t *head = json_pack("{s:i}", "version", PROTOCOL_VERSION);
    show_list_begin(&list, head, "events");
    for (size_t i = json_array_size(newest_first); i > 0; i--)
        show_list_add(&list, json_array_get(newest_first, i - 1));
    show_list_end(&list);
    json_decref(head);
}

static void event_command_write_lines(FILE *out, const json_t *newest_first, bool json)
{
    if (!json)
        fputs(EVENT_HEAD, out);
    for (size_t i = json_array_size(newest_first); i > 0; i--)
        event_command_write(out, json_array_get(newest_first, i - 1), json);
}

// Says what an empty list means.
static void event_command_tell_none(const struct arguments *a, bool node_is_known)
{
    char sentence[400];
    const char *node = a->values[OPTION_NODE];
    snprintf(sentence, sizeof sentence, "No event fits%s%s%s.",
             node_is_known ? "" : ", and no node ", node_is_known ? "" : node,
             node_is_known ? "" : " is known now; 'ibtrapctl topology' lists names and GUIDs");
    terminal_wrap(a->out, 0, sentence);
}

static bool event_command_flush(FILE *out, struct error *err)
{
    return fflush(out) == 0 || error_set(err, "cannot write");
}

// Writes the events of the choice after number `*after`, and advances `*after`. `*quiet`: there are
// no more events now.
static bool event_command_follow_once(const struct arguments *a, const json_t *choice,
                                      int64_t *after, bool *quiet, struct error *err)
{
    size_t i;
    const json_t *event;
    json_t *items = json_copy((json_t *)choice);
    json_object_set_new(items, "after", json_integer(*after));
    json_t *page = client_request(a->socket, a->command->wire, items, err);
    if (!page)
        return false;
    json_array_foreach(json_object_get(page, "events"), i, event)
        event_command_write(a->out, event, a->json);
    *after = member_count(page, "place");
    *quiet = json_is_true(json_object_get(page, "ended"));
    json_decref(page);
    return event_command_flush(a->out, err);
}

// Writes new events until a page cannot be read or written. Then returns false with a sentence.
static bool event_command_follow(const struct arguments *a, const json_t *choice, int64_t after,
                                 struct error *err)
{
    bool quiet = true, ok = event_command_flush(a->out, err);
    while (ok && (ok = event_command_follow_once(a, choice, &after, &quiet, err))) {
        if (quiet)
            clock_sleep(POLL_US);
    }
    return ok;
}

// Writes the events of the choice.
static bool event_command_list(const struct arguments *a, const json_t *choice, long long limit,
                               struct error *err)
{
    const bool follows = a->values[OPTION_FOLLOW] != NULL;
    struct event_command_list list = {.all = json_array(), .last = -1, .node_is_known = true};
    json_t *items = json_copy((json_t *)choice);
    json_object_set_new(items, "limit", json_integer(limit));
    bool ok =
        client_each_page(a->socket, a->command->wire, items, event_command_take_page, &list, err);
    if (ok && a->json && !follows)
        event_command_write_json(a->out, list.all);
    else if (ok && (follows || json_array_size(list.all) > 0))
        event_command_write_lines(a->out, list.all, a->json);
    else if (ok)
        event_command_tell_none(a, list.node_is_known);
    json_decref(list.all);
    return ok && (!follows || event_command_follow(a, choice, list.last, err));
}

enum command_outcome event_commands_list(const struct arguments *a, struct error *err)
{
    long long limit;
    if (a->values[OPTION_FOLLOW] && a->values[OPTION_UNTIL])
        return COMMAND_WRONG_USAGE;
    json_t *choice = event_command_read_limit(a, &limit) ? event_command_choice(a) : NULL;
    if (!choice)
        return COMMAND_WRONG_USAGE;
    const bool ok = event_command_list(a, choice, limit, err);
    json_decref(choice);
    return command_outcome(ok);
}

// One event.

enum command_outcome event_commands_explain(const struct arguments *a, struct error *err)
{
    const char *event = a->words[0];
    bool is_number = event[0] != '\0' && event[strspn(event, "0123456789")] == '\0';
    json_t *items = is_number ? json_pack("{s:I}", "number", (json_int_t)strtoll(event, NULL, 10))
                              : json_pack("{s:s}", "id", event);
    return request_command_send(a, a->command->form, items, err);
}

// Tests.

// Requests the test, and returns the number of the newest event before the test; -1 with a
// sentence: failed.
static int64_t event_command_begin_test(const struct arguments *a, struct error *err)
{
    json_t *items = json_object();
    event_command_set_word(items, "event", a->words[0]);
    event_command_set_word(items, "node", a->values[OPTION_NODE]);
    event_command_set_word(items, "receiver", a->values[OPTION_RECEIVER]);
    json_t *answer = client_request(a->socket, a->command->wire, items, err);
    int64_t last = answer ? member_count(answer, "last") : -1;
    json_decref(answer);
    return last;
}

static int64_t event_command_find_test(const json_t *page)
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

// Waits for the test event after number `last` and returns its number; 0 with a sentence: the
// journal does not have the event by `until`.
static int64_t event_command_await_test(const char *socket, const char *event, int64_t last,
                                        int64_t until, struct error *err)
{
    int64_t number = 0;
    bool ok = true;
    while (ok && number == 0 && clock_now() < until) {
        json_t *page =
            client_request(socket, "events",
                           json_pack("{s:I, s:s}", "after", (json_int_t)last, "event", event), err);
        ok = page != NULL;
        number = event_command_find_test(page);
        json_decref(page);
        if (number == 0)
            clock_sleep(TEST_POLL_US);
    }
    if (ok && number == 0)
        error_set(err, "the event is not in the journal yet; ibtrapd is very busy");
    return number;
}

// Returns the first receiver without the event, or NULL: the receiver still waits for the event, or
// the test is for this receiver only and has not gone out. `only`: the receiver of the test; NULL:
// all. `hopes`: only a receiver counts that waits without a known reason, or is just trying.
static const json_t *event_command_find_without(const json_t *answer, const char *only, bool hopes)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(answer, "receivers"), i, one)
    {
        const char *state = member_word(one, "state");
        const bool waits = strcmp(state, "waiting") == 0;
        const bool has = strcmp(state, "delivered") == 0 || strcmp(state, "sent") == 0;
        if (only && strcmp(member_word(one, "name"), only) != 0)
            continue;
        const bool hoped =
            member_word(one, "reason")[0] == '\0' || json_is_true(json_object_get(one, "trying"));
        if (hopes ? waits && hoped : waits || (only && !has))
            return one;
    }
    return NULL;
}

// Returns the explanation of the event once the receivers have the event, or at `until`.
static json_t *event_command_await_delivery(const char *socket, int64_t number,
                                            const char *receiver, int64_t until, struct error *err)
{
    json_t *answer = NULL;
    do {
        if (answer)
            clock_sleep(TEST_POLL_US);
        json_decref(answer);
        answer = client_request(socket, "explain", json_pack("{s:I}", "number", (json_int_t)number),
                                err);
    } while (answer && event_command_find_without(answer, receiver, true) && clock_now() < until);
    return answer;
}

static bool event_command_report_missing(const json_t *answer, const char *receiver,
                                         struct error *err)
{
    const json_t *missing = event_command_find_without(answer, receiver, false);
    if (!missing)
        return true;
    const char *reason = member_word(missing, "reason");
    return error_set(err, "receiver %s has not got it: %s%s%s", member_word(missing, "name"),
                     member_word(missing, "state"), reason[0] ? ", " : "", reason);
}

enum command_outcome event_commands_test(const struct arguments *a, struct error *err)
{
    const char *receiver = a->values[OPTION_RECEIVER];
    int64_t until = clock_now() + TEST_WAIT_US;
    int64_t last = event_command_begin_test(a, err);
    int64_t number =
        last < 0 ? 0 : event_command_await_test(a->socket, a->words[0], last, until, err);
    json_t *answer =
        number == 0 ? NULL : event_command_await_delivery(a->socket, number, receiver, until, err);
    if (!answer)
        return COMMAND_REFUSED;
    if (!a->json)
        show_form(a->out, &delivery_form, answer, true);
    bool ok = (!a->json || show_json(a->out, answer, err)) &&
              event_command_report_missing(answer, receiver, err);
    json_decref(answer);
    return command_outcome(ok);
}
