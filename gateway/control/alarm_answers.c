// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/text.h"
#include "control/answer.h"
#include "ctl/protocol.h"
#include "pipeline/statements.h"
#include "topology/alarm_key.h"

#include <stdlib.h>
#include <string.h>

// The worst alarms.

enum { WORST_AT_ONCE = 256 };

struct worst_search {
    struct worst_alarms *out;
    size_t most;
    int64_t after, now_us;
};

static bool alarm_answers_is_handled(const struct alarm *a, int64_t now_us)
{
    return a->acknowledged_us != 0 || a->shelved_until_us > now_us;
}

static bool alarm_answers_goes_before(const struct alarm *a, const struct alarm *b, int64_t now_us)
{
    const bool handled_a = alarm_answers_is_handled(a, now_us);
    const bool handled_b = alarm_answers_is_handled(b, now_us);
    if (handled_a != handled_b)
        return handled_b;
    if (a->severity != b->severity)
        return a->severity < b->severity;
    return a->raised_us > b->raised_us;
}

// Alarms are large. Only pointers to alarms are moved.
static void alarm_answers_take_worst(void *ctx, const struct alarm *alarm)
{
    struct worst_search *s = ctx;
    struct worst_alarms *w = s->out;
    size_t at;
    s->after = alarm->event_sequence;
    SEARCH_FIRST(at, (size_t)0, w->count, !alarm_answers_goes_before(alarm, w->all[at], s->now_us));
    if (at == s->most)
        return;
    const bool full = w->count == s->most;
    struct alarm *place = full ? w->all[w->count - 1] : &w->room[w->count];
    w->count += !full;
    memmove(&w->all[at + 1], &w->all[at], (w->count - 1 - at) * sizeof(struct alarm *));
    *place = *alarm;
    w->all[at] = place;
}

void worst_alarms_find(struct journal *journal, int64_t now_us, size_t most,
                       struct worst_alarms *out)
{
    *out = (struct worst_alarms){.all = memory_zeroed(most, sizeof *out->all),
                                 .room = memory_zeroed(most, sizeof *out->room)};
    struct worst_search search = {.out = out, .most = most, .now_us = now_us};
    while (journal_each_alarm_after(journal, search.after, WORST_AT_ONCE, alarm_answers_take_worst,
                                    &search))
        ;
}

void worst_alarms_free(struct worst_alarms *worst)
{
    free(worst->all);
    free(worst->room);
}

// Lists.

struct page {
    int64_t after; // the number of the last alarm in the answer
    json_t *list;
};

static json_t *alarm_answers_text_or_null(const char *text)
{
    return text[0] != '\0' ? protocol_text(text) : json_null();
}

static json_t *alarm_answers_json(const struct alarm *a)
{
    const bool notified = a->notified == ALARM_NOTIFIED || a->notified == ALARM_NOTIFIED_ELSEWHERE;
    return json_pack("{s:I, s:o, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:I,"
                     " s:b}",
                     "number", (json_int_t)a->event_sequence, "key", protocol_text(a->key), "event",
                     a->type, "severity", severity_word(a->severity), "id", a->event_id, "text",
                     protocol_text(a->text), "remedy", catalogue_remedy(a->type), "node",
                     a->node_guid ? protocol_guid(a->node_guid) : json_null(), "raised",
                     protocol_time(a->raised_us), "last", protocol_time(a->last_us), "count",
                     (json_int_t)a->count, "acknowledged", protocol_time(a->acknowledged_us),
                     "acknowledged_by", alarm_answers_text_or_null(a->acknowledged_by), "note",
                     protocol_text(a->note), "shelved_until", protocol_time(a->shelved_until_us),
                     "shelved_by", alarm_answers_text_or_null(a->shelved_by), "suppressed",
                     alarm_answers_text_or_null(a->suppressed), "cause",
                     alarm_answers_text_or_null(a->cause_id), "consequences",
                     (json_int_t)a->consequences, "notified", notified);
}

static void alarm_answers_read(void *ctx, const struct alarm *alarm)
{
    struct page *page = ctx;
    json_array_append_new(page->list, alarm_answers_json(alarm));
    page->after = alarm->event_sequence;
}

static json_t *alarm_answers_worst(struct control *c)
{
    struct worst_alarms worst;
    json_t *list = json_array();
    worst_alarms_find(c->parts->journal, clock_utc(c->builder.clock), ALARM_ANSWERS_WORST, &worst);
    for (size_t i = 0; i < worst.count; i++)
        json_array_append_new(list, alarm_answers_json(worst.all[i]));
    worst_alarms_free(&worst);
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "alarms", list);
}

json_t *alarm_answers_list(struct control *c, const json_t *request)
{
    if (json_is_true(json_object_get(request, "worst")))
        return alarm_answers_worst(c);
    struct page page = {.list = json_array()};
    if (!answer_read_number(request, "after", INT64_MAX, &page.after)) {
        json_decref(page.list);
        return answer_refuse("'after' must be a number");
    }
    const bool more = journal_each_alarm_after(c->parts->journal, page.after, ALARM_ANSWERS_PAGE,
                                               alarm_answers_read, &page);
    json_t *answer = json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "alarms", page.list);
    if (more)
        json_object_set_new(answer, "more", json_pack("{s:I}", "after", (json_int_t)page.after));
    return answer;
}

// Finding an alarm.

struct search {
    int64_t number;
    char key[EVENT_KEY_SIZE];
};

static void alarm_answers_compare(void *ctx, const struct alarm *alarm)
{
    struct search *search = ctx;
    if (alarm->event_sequence == search->number)
        memcpy(search->key, alarm->key, sizeof search->key);
}

// Finds the key of the alarm in the request: item "alarm" has the key or the number. False: the
// request names no alarm.
static bool alarm_answers_read_key(struct journal *journal, const json_t *request,
                                   char key[EVENT_KEY_SIZE])
{
    struct search search = {0};
    if (!answer_read_text(request, "alarm", key, EVENT_KEY_SIZE) || key[0] == '\0')
        return false;
    if (key[strspn(key, "0123456789")] != '\0')
        return true;
    search.number = strtoll(key, NULL, 10);
    journal_each_alarm_after(journal, search.number - 1, 1, alarm_answers_compare, &search);
    if (search.key[0] != '\0')
        memcpy(key, search.key, sizeof search.key);
    return true;
}

static json_t *alarm_answer_found(bool found)
{
    return found ? answer_done()
                 : answer_refuse(
                       "no such alarm is active; 'ibtrapctl alarms' lists keys and numbers");
}

json_t *alarm_answers_acknowledge(struct control *c, const json_t *request)
{
    char key[EVENT_KEY_SIZE], note[ALARM_NOTE_SIZE], who[PEER_CREDENTIALS_NAME_SIZE];
    if (!alarm_answers_read_key(c->parts->journal, request, key))
        return answer_refuse("'alarm' must be the key or the number of an alarm");
    if (!answer_read_text(request, "note", note, sizeof note))
        return answer_refuse("the note must be a text of %d octets at most", (int)sizeof note - 1);
    peer_credentials_name(c->user, who);
    return alarm_answer_found(journal_acknowledge_alarm(c->parts->journal, key, who, note));
}

struct shelving {
    struct journal *journal;
    const char *key, *who;
    int64_t until_us; // UTC; 0: ends the shelving
    bool done;        // such an alarm is active
};

// Shelves the alarm both in the journal, for the next start, and in policy.
static void alarm_answers_shelve_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct shelving *s = ctx;
    int64_t ahead = s->until_us - clock_utc(inside->builder->clock);
    journal_follow_clock(s->journal);
    s->done = journal_shelve_alarm(s->journal, s->key, s->until_us, s->who);
    if (s->done)
        policy_shelve(inside->policy, s->key, ahead > 0 ? inside->now_us + ahead : 0,
                      inside->now_us);
}

json_t *alarm_answers_shelve(struct control *c, const json_t *request)
{
    char key[EVENT_KEY_SIZE], who[PEER_CREDENTIALS_NAME_SIZE];
    int64_t minutes;
    if (!alarm_answers_read_key(c->parts->journal, request, key))
        return answer_refuse("'alarm' must be the key or the number of an alarm");
    if (!answer_read_number(request, "minutes", ALARM_ANSWERS_MINUTES_MAX, &minutes))
        return answer_refuse("the minutes must be from 0 to %d, which is a year",
                             (int)ALARM_ANSWERS_MINUTES_MAX);
    int64_t until = minutes ? clock_utc(c->builder.clock) + minutes * 60 * CLOCK_US_PER_S : 0;
    peer_credentials_name(c->user, who);
    struct shelving s = {.journal = c->parts->journal, .key = key, .who = who, .until_us = until};
    if (!c->parts->pipeline)
        s.done = journal_shelve_alarm(s.journal, key, until, who);
    else if (!pipeline_call(c->parts->pipeline, alarm_answers_shelve_in_pipeline, &s))
        return answer_refuse("the gateway is stopping");
    return alarm_answer_found(s.done);
}

// Clearing an alarm by hand.

struct clearing {
    struct journal *journal;
    char key[EVENT_KEY_SIZE];
    char reason[EVENT_REASON_SIZE];
    char type[ALARM_TYPE_SIZE]; // of the event that raised the alarm; empty: none is active
};

static void alarm_answers_find_type(void *ctx, const struct alarm *alarm)
{
    struct clearing *c = ctx;
    if (strcmp(alarm->key, c->key) == 0)
        memcpy(c->type, alarm->type, sizeof c->type);
}

// A node gone for good took its cables along: ends the alarms about its links. The alarms of links
// end before the alarm of the node: otherwise receivers would get an alarm of a link in place of
// the node's alarm.
static enum statement alarm_answers_say_links_over(void *ctx, const struct policy_alarm *alarm,
                                                   struct text *why)
{
    const struct clearing *c = ctx;
    struct alarm_key node, link;
    text_add(why, c->reason);
    return alarm_key_read(c->key, &node) && node.kind == ALARM_KEY_NODE &&
                   alarm_key_read(alarm->key, &link) && link.kind == ALARM_KEY_LINK &&
                   (link.guid == node.guid || link.peer_guid == node.guid)
               ? STATEMENT_IS_OVER
               : STATEMENT_OF_OTHERS;
}

static void alarm_answers_clear_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct clearing *c = ctx;
    journal_each_alarm(c->journal, alarm_answers_find_type, c);
    if (c->type[0] == '\0')
        return;
    statements_compare_all(inside->emitter,
                           &(struct detector){.say = alarm_answers_say_links_over, .ctx = c});
    emitter_end_alarm(inside->emitter, c->key, catalogue_find(c->type), c->reason);
}

// Writes "cleared by alice (uid 1000): cable replaced", without the full stop of the reason.
static void alarm_answers_explain_clearing(const struct peer_credentials *client,
                                           const char *reason, char out[EVENT_REASON_SIZE])
{
    char name[PEER_CREDENTIALS_NAME_SIZE], sentence[EVENT_REASON_SIZE];
    struct text t = text_in(sentence, sizeof sentence);
    size_t length = strlen(reason);
    while (length > 0 && strchr(" .", reason[length - 1]))
        length--;
    peer_credentials_name(client, name);
    text_addf(&t, "cleared by %s: %.*s", name, (int)length, reason);
    text_clean(sentence, t.len, out, EVENT_REASON_SIZE);
}

// Says when the alarm is raised again.
static const char *alarm_answers_describe_return(const char *key)
{
    struct alarm_key what;
    if (alarm_key_parse(key, &what) && what.about == ALARM_ABOUT_INACTIVE)
        return "The next sweep raises it again if the link is still not active.";
    if (!alarm_key_read(key, &what))
        return "It is raised again when it happens again.";
    switch (what.kind) {
    case ALARM_KEY_RATE:
        return "The next sweep raises it again if the link still runs below its rate.";
    case ALARM_KEY_PORT:
        return "The next sweep raises it again if an alarm says that its link is missing.";
    default:
        return "What is missing is forgotten: it is raised again when a sweep has seen it and it "
               "goes missing again.";
    }
}

json_t *alarm_answers_clear(struct control *c, const json_t *request)
{
    struct clearing clearing = {.journal = c->parts->journal};
    char reason[ALARM_ANSWERS_REASON_SIZE];
    if (!alarm_answers_read_key(c->parts->journal, request, clearing.key))
        return answer_refuse("'alarm' must be the key or the number of an alarm");
    if (!answer_read_text(request, "reason", reason, sizeof reason) ||
        reason[strspn(reason, " .")] == '\0')
        return answer_refuse("say why: the reason must be a text of 1 to %d octets",
                             (int)sizeof reason - 1);
    alarm_answers_explain_clearing(c->user, reason, clearing.reason);
    if (!c->parts->pipeline ||
        !pipeline_call(c->parts->pipeline, alarm_answers_clear_in_pipeline, &clearing))
        return answer_refuse("the gateway is stopping");
    if (clearing.type[0] == '\0')
        return alarm_answer_found(false);
    return json_pack("{s:i, s:o, s:s}", "version", PROTOCOL_VERSION, "key",
                     protocol_text(clearing.key), "note",
                     alarm_answers_describe_return(clearing.key));
}

// Maintenance windows.

// Reads a text. False: the text is empty, too long, or has control characters.
static bool alarm_answers_read_text(const json_t *value, char *out, size_t size)
{
    const char *text = json_string_value(value);
    if (!text || text[0] == '\0' || strlen(text) != json_string_length(value) ||
        strlen(text) >= size)
        return false;
    text_clean(text, strlen(text), out, size);
    return strcmp(out, text) == 0;
}

static bool alarm_answers_read_nodes(const json_t *value, struct filter_list *out)
{
    size_t i;
    json_t *one;
    if (!value)
        return true;
    if (!json_is_array(value) || json_array_size(value) > FILTER_PATTERNS_MAX)
        return false;
    json_array_foreach(value, i, one)
    {
        if (!alarm_answers_read_text(one, out->patterns[i], FILTER_PATTERN_SIZE))
            return false;
    }
    out->count = json_array_size(value);
    return true;
}

// Work in the pipeline's thread.

struct window_change {
    struct journal *journal;
    struct maintenance_window window;
    bool done;
};

// Starts the window and commits the window to the journal before the client gets its answer.
static void alarm_answers_start_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct window_change *c = ctx;
    struct maintenance_window monotonic = c->window;
    monotonic.until_us += inside->now_us - clock_utc(inside->builder->clock);
    journal_follow_clock(c->journal);
    c->done = journal_set_maintenance(c->journal, &c->window) &&
              policy_start_maintenance(inside->policy, &monotonic, inside->now_us);
    journal_commit(c->journal);
}

static void alarm_answers_stop_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct window_change *c = ctx;
    bool known = policy_stop_maintenance(inside->policy, c->window.name, inside->now_us);
    c->done = journal_remove_maintenance(c->journal, c->window.name) || known;
    journal_commit(c->journal);
}

// Answers.

// The patterns that fit no known node, or only nodes without a name.
static json_t *alarm_answers_patterns(const struct control *control,
                                      const struct filter_list *nodes, enum known_nodes fit)
{
    json_t *list = json_array();
    for (size_t i = 0; i < nodes->count; i++) {
        if (known_nodes_fit(control, nodes->patterns[i]) == fit)
            json_array_append_new(list, json_string(nodes->patterns[i]));
    }
    return list;
}

json_t *maintenance_answers_start(struct control *control, const json_t *request)
{
    struct window_change c = {.journal = control->parts->journal};
    const int64_t now = clock_utc(control->builder.clock);
    const int64_t last = now + MAINTENANCE_ANSWERS_DAYS_MAX * INT64_C(86400) * CLOCK_US_PER_S;
    c.window.until_us = json_integer_value(json_object_get(request, "until_us"));
    if (!alarm_answers_read_text(json_object_get(request, "name"), c.window.name,
                                 sizeof c.window.name))
        return answer_refuse(
            "the name of a maintenance must have 1 to 63 characters, and no control characters");
    if (c.window.until_us <= now || c.window.until_us > last)
        return answer_refuse("the end must be in the future, at most 366 days from now");
    if (!alarm_answers_read_nodes(json_object_get(request, "nodes"), &c.window.nodes))
        return answer_refuse("the nodes must be at most 64 patterns of 1 to 127 characters each");
    if (!pipeline_call(control->parts->pipeline, alarm_answers_start_in_pipeline, &c))
        return answer_refuse("the gateway is stopping");
    return c.done
               ? json_pack("{s:i, s:o, s:o}", "version", PROTOCOL_VERSION, "unknown",
                           alarm_answers_patterns(control, &c.window.nodes, KNOWN_NODES_NONE),
                           "nameless",
                           alarm_answers_patterns(control, &c.window.nodes, KNOWN_NODES_NAMELESS))
               : answer_refuse("there are 32 maintenances already: stop one of them first");
}

json_t *maintenance_answers_stop(struct control *control, const json_t *request)
{
    struct window_change c = {.journal = control->parts->journal};
    if (!alarm_answers_read_text(json_object_get(request, "name"), c.window.name,
                                 sizeof c.window.name))
        return answer_refuse("'name' must be the name of a maintenance");
    if (!pipeline_call(control->parts->pipeline, alarm_answers_stop_in_pipeline, &c))
        return answer_refuse("the gateway is stopping");
    return c.done ? answer_done() : answer_refuse("there is no maintenance of that name");
}

struct list {
    int64_t now;
    json_t *out;
};

static void alarm_answers_add_window(void *ctx, const struct maintenance_window *window)
{
    const struct list *list = ctx;
    char until[CLOCK_TEXT_SIZE];
    json_t *nodes = json_array();
    if (window->until_us <= list->now) {
        json_decref(nodes);
        return;
    }
    for (size_t i = 0; i < window->nodes.count; i++)
        json_array_append_new(nodes, json_string(window->nodes.patterns[i]));
    clock_format_utc(window->until_us, until);
    json_array_append_new(list->out, json_pack("{s:s, s:s, s:o}", "name", window->name, "until",
                                               until, "nodes", nodes));
}

json_t *maintenance_answers_list(struct control *control, const json_t *request)
{
    (void)request;
    struct list list = {clock_utc(control->builder.clock), json_array()};
    journal_each_maintenance(control->parts->journal, alarm_answers_add_window, &list);
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "maintenance", list.out);
}
