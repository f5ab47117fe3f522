#include "ctl/event_commands.h"

#include "base/clock.h"
#include "ctl/client.h"
#include "ctl/member.h"
#include "ctl/pages.h"
#include "ctl/show.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t POLL_US = CLOCK_US_PER_S / 2, TEST_POLL_US = CLOCK_US_PER_S / 20;
static const int64_t TEST_WAIT_US = 10 * CLOCK_US_PER_S;

static void sleep_us(int64_t us)
{
    nanosleep(
        &(struct timespec){.tv_sec = us / CLOCK_US_PER_S, .tv_nsec = us % CLOCK_US_PER_S * 1000},
        NULL);
}

// Lists.

// What is NULL or 0 needs no item. False when memory is short.
static bool set_word(json_t *items, const char *key, const char *word)
{
    return !word || json_object_set_new(items, key, json_string(word)) == 0;
}

static bool event_commands_set_number(json_t *items, const char *key, int64_t number)
{
    return number == 0 || json_object_set_new(items, key, json_integer(number)) == 0;
}

// The items, or NULL where one is missing.
static json_t *if_whole(json_t *items, bool whole)
{
    if (whole)
        return items;
    json_decref(items);
    return NULL;
}

static json_t *items_of(const struct event_choice *choice)
{
    json_t *items = json_object();
    return if_whole(items, event_commands_set_number(items, "since_us", choice->since_us) &&
                               event_commands_set_number(items, "until_us", choice->until_us) &&
                               set_word(items, "severity", choice->severity) &&
                               set_word(items, "node", choice->node) &&
                               set_word(items, "event", choice->event));
}

static int64_t limit_of(const struct event_choice *choice)
{
    if (choice->limit != 0)
        return choice->limit;
    return choice->since_us != 0 ? EVENT_COMMANDS_LIMIT_MAX : EVENT_COMMANDS_LAST;
}

// All that the choice has, the newest first: a new reference; NULL with a sentence. `*last` is the
// newest event of all.
static json_t *event_commands_collect(const char *socket, const struct event_choice *choice,
                                      int64_t *last, struct error *err)
{
    json_t *items = items_of(choice), *all = json_array();
    bool ok, more = false, first = true;
    items = if_whole(items, event_commands_set_number(items, "limit", limit_of(choice)));
    do {
        json_t *page = client_request(socket, "events", json_copy(items), err);
        const json_t *events = json_object_get(page, "events");
        ok = page && (json_is_array(events) || show_refuse_shape(err));
        if (ok && first)
            *last = member_count(page, "last");
        if (ok && json_array_extend(all, (json_t *)events) != 0)
            ok = error_set(err, "out of memory");
        ok = ok && pages_turn(items, page, &more, err);
        first = false;
        json_decref(page);
    } while (ok && more);
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

bool event_commands_list(FILE *out, const char *socket, const struct event_choice *choice,
                         bool json, struct error *err)
{
    int64_t last;
    json_t *all = event_commands_collect(socket, choice, &last, err);
    if (!all)
        return false;
    if (json) {
        write_json_list(out, all);
    } else {
        show_events_head(out);
        write_lines(out, all, false);
    }
    json_decref(all);
    return true;
}

static bool event_commands_flush(FILE *out, struct error *err)
{
    return fflush(out) == 0 || error_set(err, "cannot write");
}

// Writes what came since `*after`, and moves it. `*quiet`: that was all.
static bool follow_once(FILE *out, const char *socket, const struct event_choice *choice, bool json,
                        int64_t *after, bool *quiet, struct error *err)
{
    size_t i;
    const json_t *event;
    json_t *items = items_of(choice);
    bool whole = json_object_set_new(items, "after", json_integer(*after)) == 0;
    json_t *page = client_request(socket, "events", if_whole(items, whole), err);
    if (!page)
        return false;
    json_array_foreach(json_object_get(page, "events"), i, event)
    {
        write_event(out, event, json);
    }
    *after = member_count(page, "place");
    *quiet = json_is_true(json_object_get(page, "ended"));
    json_decref(page);
    return event_commands_flush(out, err);
}

bool event_commands_follow(FILE *out, const char *socket, const struct event_choice *choice,
                           bool json, struct error *err)
{
    int64_t after;
    bool quiet = true;
    json_t *all = event_commands_collect(socket, choice, &after, err);
    if (!all)
        return false;
    if (!json)
        show_events_head(out);
    write_lines(out, all, json);
    json_decref(all);
    bool ok = event_commands_flush(out, err);
    while (ok && (ok = follow_once(out, socket, choice, json, &after, &quiet, err))) {
        if (quiet)
            sleep_us(POLL_US);
    }
    return false;
}

// One event.

static json_t *ask_about(const char *socket, const char *event, struct error *err)
{
    bool is_number = event[0] != '\0' && event[strspn(event, "0123456789")] == '\0';
    json_t *items = is_number ? json_pack("{s:I}", "number", (json_int_t)strtoll(event, NULL, 10))
                              : json_pack("{s:s}", "id", event);
    return client_request(socket, "explain", items, err);
}

bool event_commands_explain(FILE *out, const char *socket, const char *event, bool json,
                            struct error *err)
{
    json_t *answer = ask_about(socket, event, err);
    if (!answer)
        return false;
    bool ok = show_answer(out, answer, json, show_explanation, err);
    json_decref(answer);
    return ok;
}

// Tests.

// Asks for the test, and returns the number of the newest event before it; -1 with a sentence.
static int64_t begin_test(const char *socket, const char *event, const char *node,
                          const char *receiver, struct error *err)
{
    json_t *items = json_object();
    bool whole = set_word(items, "event", event) && set_word(items, "node", node) &&
                 set_word(items, "receiver", receiver);
    json_t *answer = client_request(socket, "test", if_whole(items, whole), err);
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

// The number of the test event that came behind `last`; 0 with a sentence when it did not come.
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

// The first receiver of whom that is true; where only one was to get the event, no other counts.
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

// It still waits for the event, or, as the only one that was to get it, has it not.
static bool is_without(const json_t *one, bool is_only)
{
    const char *state = member_word(one, "state");
    return strcmp(state, "waiting") == 0 || (is_only && strcmp(state, "delivered") != 0);
}

// It is about to get it, as far as anybody knows.
static bool is_about_to(const json_t *one, bool is_only)
{
    (void)is_only;
    return strcmp(member_word(one, "state"), "waiting") == 0 &&
           member_word(one, "reason")[0] == '\0';
}

// The explanation once the receivers have the event, or when time is over.
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

bool event_commands_test(FILE *out, const char *socket, const char *event, const char *node,
                         const char *receiver, bool json, struct error *err)
{
    int64_t until = clock_monotonic(&clock_system) + TEST_WAIT_US;
    int64_t last = begin_test(socket, event, node, receiver, err);
    int64_t number = last < 0 ? 0 : await_test(socket, event, last, until, err);
    json_t *answer = number == 0 ? NULL : await_delivery(socket, number, receiver, until, err);
    if (!answer)
        return false;
    if (!json)
        show_delivery(out, answer);
    bool ok = (!json || show_json(out, answer, err)) && report_missing(answer, receiver, err);
    json_decref(answer);
    return ok;
}
