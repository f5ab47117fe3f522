// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/text.h"
#include "control/answer.h"
#include "ctl/protocol.h"
#include "pipeline/statements.h"
#include "policy/rules.h"
#include "topology/alarm_key.h"

#include <stdlib.h>
#include <string.h>

// Choosing alarms.

// The conditions of a request. `nodes`: those on nodes alone, for the events that raised the
// alarms: a policy may have changed an alarm's severity since.
struct alarm_choice {
    struct filter all, nodes;
};

static bool alarm_answers_choose(const json_t *request, struct alarm_choice *out, struct error *err)
{
    if (!event_answers_read_filter(request, &out->all, err))
        return false;
    filter_init(&out->nodes);
    out->nodes.nodes = out->all.nodes;
    out->nodes.guids = out->all.guids;
    return true;
}

static bool alarm_answers_fits_node(struct journal *journal, const struct filter *nodes,
                                    const struct alarm *alarm)
{
    struct event *event = journal_read_at(journal, alarm->event_sequence);
    const bool fits = event ? filter_matches(nodes, event)
                            : filter_list_has_guid(&nodes->guids, alarm->node_guid);
    event_unref(event);
    return fits;
}

// `choice` NULL: every alarm fits. Calls the journal.
static bool alarm_answers_fits(struct journal *journal, const struct alarm_choice *choice,
                               const struct alarm *alarm)
{
    if (!choice)
        return true;
    const struct filter *all = &choice->all;
    return alarm->severity <= all->severity &&
           (all->events.count == 0 || filter_list_has(&all->events, alarm->type)) &&
           (all->nodes.count + all->guids.count == 0 ||
            alarm_answers_fits_node(journal, &choice->nodes, alarm));
}

// The worst alarms.

enum { WORST_AT_ONCE = 256 };

struct worst_search {
    struct worst_alarms *out;
    size_t most;
};

static bool alarm_answers_goes_before(const struct alarm *a, const struct alarm *b)
{
    const bool aside_a = alarm_is_aside(a), aside_b = alarm_is_aside(b);
    if (aside_a != aside_b)
        return aside_b;
    if (a->severity != b->severity)
        return a->severity < b->severity;
    if (a->consequences != b->consequences)
        return a->consequences > b->consequences;
    return a->raised_us > b->raised_us;
}

// Alarms are large. Only pointers to alarms are moved.
static void alarm_answers_take_worst(struct worst_search *s, const struct alarm *alarm)
{
    struct worst_alarms *w = s->out;
    size_t at;
    SEARCH_FIRST(at, (size_t)0, w->count, !alarm_answers_goes_before(alarm, w->all[at]));
    w->left_out += w->count == s->most;
    if (at == s->most)
        return;
    const bool full = w->count == s->most;
    struct alarm *place = full ? w->all[w->count - 1] : &w->room[w->count];
    w->count += !full;
    memmove(&w->all[at + 1], &w->all[at], (w->count - 1 - at) * sizeof(struct alarm *));
    *place = *alarm;
    w->all[at] = place;
}

void worst_alarms_find(struct journal *journal, const struct alarm_choice *choice, size_t most,
                       struct worst_alarms *out)
{
    struct alarm_page page = {.all = memory_zeroed(WORST_AT_ONCE, sizeof *page.all),
                              .room = WORST_AT_ONCE};
    struct worst_search search = {.out = out, .most = most};
    *out = (struct worst_alarms){.all = memory_zeroed(most, sizeof *out->all),
                                 .room = memory_zeroed(most, sizeof *out->room)};
    do {
        journal_read_alarms(journal, JOURNAL_ACTIVE_ALARMS, &page);
        for (size_t i = 0; i < page.count; i++) {
            const struct alarm *alarm = &page.all[i];
            if (alarm->cause_id[0] == '\0' && alarm_answers_fits(journal, choice, alarm))
                alarm_answers_take_worst(&search, alarm);
        }
    } while (page.more);
    free(page.all);
}

void worst_alarms_free(struct worst_alarms *worst)
{
    free(worst->all);
    free(worst->room);
}

// Lists.

static json_t *alarm_answers_text_or_null(const char *text)
{
    return text[0] != '\0' ? protocol_text(text) : json_null();
}

json_t *alarm_answers_json(const struct alarm *a, const char *system, const char *fabric)
{
    const bool notified = a->notified == ALARM_NOTIFIED || a->notified == ALARM_NOTIFIED_ELSEWHERE;
    return json_pack(
        "{s:I, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:s}",
        "number", (json_int_t)a->event_sequence, "fabric", protocol_text(fabric), "key",
        protocol_text(a->key), "event", a->type, "severity", severity_word(a->severity), "category",
        category_word(a->category), "id", a->event_id, "text", protocol_text(a->text), "remedy",
        catalogue_remedy(a->type), "node", a->node_guid ? protocol_guid(a->node_guid) : json_null(),
        "system", protocol_text(system), "raised", protocol_time(a->raised_us), "last",
        protocol_time(a->last_us), "count", (json_int_t)a->count, "acknowledged",
        protocol_time(a->acknowledged_us), "acknowledged_by",
        alarm_answers_text_or_null(a->acknowledged_by), "note", protocol_text(a->note),
        "shelved_until", protocol_time(a->shelved_until_us), "shelved_by",
        alarm_answers_text_or_null(a->shelved_by), "suppressed",
        alarm_answers_text_or_null(a->suppressed), "cause", alarm_answers_text_or_null(a->cause_id),
        "consequences", (json_int_t)a->consequences, "notified", notified, "standing",
        alarm_standing_word(alarm_standing(a, catalogue_find(a->type))));
}

static void alarm_answers_add_end(json_t *ends, const struct endpoint *end)
{
    const uint64_t guid = end->node_guid != 0 ? end->node_guid : end->guid;
    if (guid != 0)
        json_array_append_new(ends, json_pack("{s:o, s:o, s:o, s:i}", "guid", protocol_guid(guid),
                                              "name", protocol_text(end->name), "system",
                                              protocol_text(end->system), "port", (int)end->port));
}

json_t *alarm_answers_document(const struct alarm *alarm, const struct event *event,
                               const char *fabric, const char *gateway)
{
    json_t *document = alarm_answers_json(alarm, event->subject.system, fabric),
           *ends = json_array();
    alarm_answers_add_end(ends, &event->subject);
    alarm_answers_add_end(ends, &event->peer);
    json_object_set_new(document, "gateway", protocol_text(gateway));
    json_object_set_new(document, "ends", ends);
    return document;
}

// The last event about the alarm has the system.
static json_t *alarm_answers_one(const struct parts *parts, const struct alarm *alarm)
{
    struct event *event = journal_read_one(parts->journal, alarm->last_sequence);
    json_t *one = alarm_answers_json(alarm, event ? event->subject.system : "", parts->fabric_name);
    event_unref(event);
    return one;
}

static json_t *alarm_answers_worst(const struct parts *parts, const struct alarm_choice *choice)
{
    struct worst_alarms worst;
    json_t *list = json_array();
    worst_alarms_find(parts->journal, choice, ALARM_ANSWERS_WORST, &worst);
    for (size_t i = 0; i < worst.count; i++)
        json_array_append_new(list, alarm_answers_one(parts, worst.all[i]));
    json_t *answer = json_pack("{s:i, s:o, s:I}", "version", PROTOCOL_VERSION, "alarms", list,
                               "left_out", (json_int_t)worst.left_out);
    worst_alarms_free(&worst);
    return answer;
}

static json_t *alarm_answers_all(const struct parts *parts, const struct alarm_choice *choice,
                                 int64_t after)
{
    struct journal *journal = parts->journal;
    struct alarm_page page = {.all = memory_zeroed(ALARM_ANSWERS_PAGE, sizeof *page.all),
                              .room = ALARM_ANSWERS_PAGE,
                              .after = after};
    json_t *list = json_array();
    journal_read_alarms(journal, JOURNAL_ACTIVE_ALARMS, &page);
    for (size_t i = 0; i < page.count; i++) {
        if (alarm_answers_fits(journal, choice, &page.all[i]))
            json_array_append_new(list, alarm_answers_one(parts, &page.all[i]));
    }
    free(page.all);
    json_t *answer = json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "alarms", list);
    if (page.more)
        json_object_set_new(answer, "more", json_pack("{s:I}", "after", (json_int_t)page.after));
    return answer;
}

json_t *alarm_answers_list(struct control *c, const json_t *request)
{
    struct alarm_choice choice;
    struct error err;
    int64_t after;
    if (!answer_read_number(request, "after", INT64_MAX, &after))
        return answer_refuse("'after' must be a number");
    if (!alarm_answers_choose(request, &choice, &err))
        return answer_refuse("%s", err.text);
    return json_is_true(json_object_get(request, "all"))
               ? alarm_answers_all(c->parts, &choice, after)
               : alarm_answers_worst(c->parts, &choice);
}

// Finding an alarm.

// Finds the key of the alarm in the request: item "alarm" has the key or the number. False: the
// request names no alarm.
static bool alarm_answers_read_key(struct journal *journal, const json_t *request,
                                   char key[EVENT_KEY_SIZE])
{
    if (!answer_read_text(request, "alarm", key, EVENT_KEY_SIZE) || key[0] == '\0')
        return false;
    if (key[strspn(key, "0123456789")] != '\0')
        return true;
    struct alarm alarm = {.event_sequence = 0};
    const int64_t number = strtoll(key, NULL, 10);
    struct alarm_page page = {.all = &alarm, .room = 1, .after = number - 1};
    journal_read_alarms(journal, JOURNAL_ACTIVE_ALARMS, &page);
    if (page.count == 1 && alarm.event_sequence == number)
        memcpy(key, alarm.key, EVENT_KEY_SIZE);
    return true;
}

static json_t *alarm_answer_found(bool found, const char *key)
{
    return found ? json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "key", protocol_text(key))
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
    return alarm_answer_found(journal_acknowledge_alarm(c->parts->journal, key, who, note), key);
}

json_t *alarm_answers_unacknowledge(struct control *c, const json_t *request)
{
    char key[EVENT_KEY_SIZE];
    if (!alarm_answers_read_key(c->parts->journal, request, key))
        return answer_refuse("'alarm' must be the key or the number of an alarm");
    return alarm_answer_found(journal_acknowledge_alarm(c->parts->journal, key, NULL, ""), key);
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
    json_t *answer = alarm_answer_found(s.done, key);
    if (s.done && until != 0)
        json_object_set_new(answer, "until", protocol_time(until));
    return answer;
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
static bool alarm_answers_is_link_over(void *ctx, const struct policy_alarm *alarm,
                                       const struct alarm_key *key, struct text *why)
{
    const struct clearing *c = ctx;
    struct alarm_key node;
    (void)alarm;
    text_add(why, c->reason);
    return key && key->kind == ALARM_KEY_LINK && key->about == ALARM_ABOUT_PLACE &&
           alarm_key_read(c->key, &node) && node.kind == ALARM_KEY_NODE &&
           (key->guid == node.guid || key->peer_guid == node.guid);
}

static void alarm_answers_clear_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct clearing *c = ctx;
    journal_each_alarm(c->journal, JOURNAL_ACTIVE_ALARMS, alarm_answers_find_type, c);
    if (c->type[0] == '\0')
        return;
    statements_compare_all(inside->emitter,
                           &(struct detector){.is_over = alarm_answers_is_link_over, .ctx = c});
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
    const bool is_of_fabric = alarm_key_parse(key, &what);
    if (is_of_fabric && what.about == ALARM_ABOUT_INACTIVE)
        return "The next sweep raises it again if the link is still not active.";
    if (!is_of_fabric || what.about != ALARM_ABOUT_PLACE)
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
        return alarm_answer_found(false, "");
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
    struct maintenance_window before; // of this name, until now; without a name: there is none
    bool all;                         // the user asks for all nodes
    bool done;
    struct error err;
};

// The window of this name that has not ended becomes `before`.
static void alarm_answers_find_before(void *ctx, const struct maintenance_window *window)
{
    struct window_change *c = ctx;
    if (strcmp(window->name, c->window.name) == 0)
        c->before = *window;
}

static bool alarm_answers_has_same_nodes(const struct filter_list *a, const struct filter_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->patterns[i], b->patterns[i]) == 0;
    return same;
}

// A name that is in use keeps its nodes. Nobody mutes all nodes by leaving the nodes out.
static bool alarm_answers_settle_nodes(struct window_change *c, int64_t now_us)
{
    struct maintenance_window *window = &c->window;
    journal_each_maintenance(c->journal, alarm_answers_find_before, c);
    if (c->before.until_us <= now_us)
        c->before = (struct maintenance_window){.until_us = 0};
    const bool extends = c->before.name[0] != '\0', asks = c->all || window->nodes.count > 0;
    if (!extends && !asks)
        return error_set(&c->err,
                         "say which nodes, or --all for all nodes: there is no "
                         "maintenance '%s' yet",
                         window->name);
    if (extends && asks && !alarm_answers_has_same_nodes(&window->nodes, &c->before.nodes))
        return error_set(&c->err,
                         "the maintenance '%s' is there for other nodes: leave the nodes "
                         "out to give it another end, stop it first, or take another name",
                         window->name);
    if (extends)
        window->nodes = c->before.nodes;
    if (extends && window->comment[0] == '\0')
        memcpy(window->comment, c->before.comment, sizeof window->comment);
    return true;
}

// Starts the window and commits the window to the journal before the client gets its answer.
static void alarm_answers_start_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct window_change *c = ctx;
    journal_follow_clock(c->journal);
    const int64_t now_us = clock_utc(inside->builder->clock);
    if (!alarm_answers_settle_nodes(c, now_us))
        return;
    struct maintenance_window monotonic = c->window;
    monotonic.until_us += inside->now_us - now_us;
    c->done = journal_set_maintenance(c->journal, &c->window) &&
              policy_start_maintenance(inside->policy, &monotonic, inside->now_us);
    if (!c->done)
        error_set(&c->err, "there are 32 maintenances already: stop one of them first");
    journal_commit(c->journal);
}

static void alarm_answers_stop_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct window_change *c = ctx;
    journal_each_maintenance(c->journal, alarm_answers_find_before, c);
    bool known = policy_stop_maintenance(inside->policy, c->window.name, inside->now_us);
    c->done = journal_remove_maintenance(c->journal, c->window.name) || known;
    journal_commit(c->journal);
}

// Answers.

// Whether an active alarm is about a node that the pattern fits: the node may have left.
static bool alarm_answers_has_node(struct control *control, const char *pattern)
{
    json_t *request = json_pack("{s:s}", "node", pattern),
           *answer = alarm_answers_list(control, request);
    const bool has = json_array_size(json_object_get(answer, "alarms")) > 0;
    json_decref(request);
    json_decref(answer);
    return has;
}

// The patterns that fit no known node, or only nodes without a name.
static json_t *alarm_answers_patterns(struct control *control, const struct filter_list *nodes,
                                      enum known_nodes fit)
{
    json_t *list = json_array();
    for (size_t i = 0; i < nodes->count; i++) {
        if (known_nodes_fit(control->systems, control->names, nodes->patterns[i]) == fit &&
            (fit != KNOWN_NODES_NONE || !alarm_answers_has_node(control, nodes->patterns[i])))
            json_array_append_new(list, json_string(nodes->patterns[i]));
    }
    return list;
}

static json_t *alarm_answers_window_json(const struct maintenance_window *window)
{
    json_t *nodes = json_array();
    for (size_t i = 0; i < window->nodes.count; i++)
        json_array_append_new(nodes, json_string(window->nodes.patterns[i]));
    return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o}", "name", window->name, "until",
                     protocol_time(window->until_us), "nodes", nodes, "all",
                     (int)maintenance_covers_all(window), "who",
                     alarm_answers_text_or_null(window->who), "comment",
                     alarm_answers_text_or_null(window->comment));
}

json_t *maintenance_answers_start(struct control *control, const json_t *request)
{
    struct window_change c = {.journal = control->parts->journal};
    const int64_t now = clock_utc(control->builder.clock);
    const int64_t last = now + MAINTENANCE_ANSWERS_DAYS_MAX * INT64_C(86400) * CLOCK_US_PER_S;
    const json_t *comment = json_object_get(request, "comment");
    c.window.until_us = json_integer_value(json_object_get(request, "until_us"));
    c.all = json_is_true(json_object_get(request, "all"));
    peer_credentials_name(control->user, c.window.who);
    if (!alarm_answers_read_text(json_object_get(request, "name"), c.window.name,
                                 sizeof c.window.name))
        return answer_refuse(
            "the name of a maintenance must have 1 to 63 characters, and no control characters");
    if (c.window.until_us <= now || c.window.until_us > last)
        return answer_refuse("the end must be in the future, at most 366 days from now");
    if (!alarm_answers_read_nodes(json_object_get(request, "nodes"), &c.window.nodes))
        return answer_refuse("the nodes must be at most 64 patterns of 1 to 127 characters each");
    if (c.all && c.window.nodes.count > 0)
        return answer_refuse("name nodes or give --all, not both");
    if (comment && !alarm_answers_read_text(comment, c.window.comment, sizeof c.window.comment))
        return answer_refuse(
            "the comment must have 1 to 255 characters, and no control characters");
    if (!pipeline_call(control->parts->pipeline, alarm_answers_start_in_pipeline, &c))
        return answer_refuse("the gateway is stopping");
    if (!c.done)
        return answer_refuse("%s", c.err.text);
    return json_pack("{s:i, s:o, s:b, s:o, s:o}", "version", PROTOCOL_VERSION, "window",
                     alarm_answers_window_json(&c.window), "extended",
                     (int)(c.before.name[0] != '\0'), "unknown",
                     alarm_answers_patterns(control, &c.window.nodes, KNOWN_NODES_NONE), "nameless",
                     alarm_answers_patterns(control, &c.window.nodes, KNOWN_NODES_NAMELESS));
}

json_t *maintenance_answers_stop(struct control *control, const json_t *request)
{
    struct window_change c = {.journal = control->parts->journal};
    if (!alarm_answers_read_text(json_object_get(request, "name"), c.window.name,
                                 sizeof c.window.name))
        return answer_refuse("'name' must be the name of a maintenance");
    if (!pipeline_call(control->parts->pipeline, alarm_answers_stop_in_pipeline, &c))
        return answer_refuse("the gateway is stopping");
    return c.done ? json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "window",
                              alarm_answers_window_json(&c.before))
                  : answer_refuse("there is no maintenance of that name");
}

struct list {
    int64_t now;
    json_t *out;
};

static void alarm_answers_add_window(void *ctx, const struct maintenance_window *window)
{
    const struct list *list = ctx;
    if (window->until_us > list->now)
        json_array_append_new(list->out, alarm_answers_window_json(window));
}

json_t *maintenance_answers_all(const struct control *control)
{
    struct list list = {clock_utc(control->builder.clock), json_array()};
    journal_each_maintenance(control->parts->journal, alarm_answers_add_window, &list);
    return list.out;
}

// Notes in the list how many alarms each window holds back.
struct held {
    struct journal *journal;
    const struct maintenance *windows;
    json_t *list;
    int64_t now;
};

static void alarm_answers_count_held(const struct held *h, const struct alarm *alarm)
{
    size_t i;
    json_t *one;
    struct event *event = journal_read_at(h->journal, alarm->last_sequence);
    for (size_t w = 0; event && w < h->windows->count; w++) {
        const struct maintenance_window *window = &h->windows->windows[w];
        if (!maintenance_holds(window, event, h->now))
            continue;
        json_array_foreach(h->list, i, one)
        {
            json_t *count = json_object_get(one, "held_back");
            if (strcmp(json_string_value(json_object_get(one, "name")), window->name) == 0)
                json_integer_set(count, json_integer_value(count) + 1);
        }
    }
    event_unref(event);
}

json_t *maintenance_answers_held(const struct control *control)
{
    enum { EVENTS_READ_MAX = 2000 };
    struct maintenance *windows = memory_zeroed(1, sizeof *windows);
    struct alarm_page page = {.all = memory_zeroed(WORST_AT_ONCE, sizeof *page.all),
                              .room = WORST_AT_ONCE};
    struct held held = {.journal = control->parts->journal,
                        .windows = windows,
                        .list = maintenance_answers_all(control),
                        .now = clock_utc(control->builder.clock)};
    size_t window;
    json_t *one;
    page.more = json_array_size(held.list) > 0;
    parts_windows(control->parts, windows);
    json_array_foreach(held.list, window, one)
        json_object_set_new(one, "held_back", json_integer(0));
    for (size_t read = 0; page.more && read < EVENTS_READ_MAX;) {
        journal_read_alarms(held.journal, JOURNAL_ACTIVE_ALARMS, &page);
        for (size_t i = 0; i < page.count; i++) {
            if (strcmp(page.all[i].suppressed, EVENT_MAINTENANCE) == 0 && read++ < EVENTS_READ_MAX)
                alarm_answers_count_held(&held, &page.all[i]);
        }
    }
    free(page.all);
    free(windows);
    return held.list;
}

json_t *maintenance_answers_list(struct control *control, const json_t *request)
{
    (void)request;
    struct alarm_counts counts;
    journal_count_alarms(control->parts->journal, &counts);
    return json_pack("{s:i, s:o, s:I}", "version", PROTOCOL_VERSION, "maintenance",
                     maintenance_answers_held(control), "held_back",
                     (json_int_t)counts.by_standing[ALARM_IN_MAINTENANCE]);
}
