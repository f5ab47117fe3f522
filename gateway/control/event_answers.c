// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "base/memory.h"
#include "base/search.h"
#include "control/answer.h"
#include "ctl/protocol.h"
#include "model/catalogue.h"
#include "model/filter.h"
#include "model/mib.h"
#include "policy/rules.h"
#include "sink/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64, ID_SCAN = 20000 };

static json_t *event_answers_json(int64_t number, const struct event *event)
{
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    format_line(&t, FORMAT_JSON, &(struct format_origin){.hostname = "-", .process_id = "-"},
                event);
    json_t *all = json_pack("{s:I}", "number", (json_int_t)number);
    json_t *line = json_loads(buffer, 0, NULL);
    json_object_update(all, line);
    json_decref(line);
    return all;
}

// Reading a request.

struct query {
    struct filter filter;
    int64_t since_us, until_us; // UTC; 0: no limit
};

static void event_answers_add_pattern(struct filter_list *list, const char *pattern)
{
    if (pattern[0] != '\0')
        snprintf(list->patterns[list->count++], FILTER_PATTERN_SIZE, "%s", pattern);
}

// Whether the pattern in the list fits an event of the catalogue.
static bool event_answers_know(const struct filter_list *list)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        if (filter_list_has(list, catalogue_get((enum catalogue_event)i)->name))
            return true;
    }
    return false;
}

bool event_answers_refuse(const char *event, struct error *err)
{
    char hint[80];
    struct text t = text_in(hint, sizeof hint);
    catalogue_add_hint(event, &t);
    return error_set(err, "there is no event '%s'%s", event, hint);
}

// Reads a pattern, or a list of patterns of which one has to match.
static bool event_answers_read_nodes(const json_t *request, struct filter *filter)
{
    const json_t *node = json_object_get(request, "node");
    const size_t count = json_is_array(node) ? json_array_size(node) : node != NULL;
    for (size_t i = 0; i < count && count <= FILTER_PATTERNS_MAX; i++) {
        const json_t *one = json_is_array(node) ? json_array_get(node, i) : node;
        const char *pattern = json_string_value(one);
        if (!pattern || json_string_length(one) >= FILTER_PATTERN_SIZE)
            return false;
        event_answers_add_pattern(strncmp(pattern, "0x", 2) == 0 ? &filter->guids : &filter->nodes,
                                  pattern);
    }
    return count <= FILTER_PATTERNS_MAX;
}

bool event_answers_read_filter(const json_t *request, struct filter *filter, struct error *err)
{
    char severity[16], event[FILTER_PATTERN_SIZE];
    filter_init(filter);
    if (!answer_read_text(request, "severity", severity, sizeof severity) ||
        (severity[0] && !severity_find(severity, &filter->severity)))
        return error_set(err,
                         "the severity must be emergency, alert, critical, error, warning, notice, "
                         "informational or debug");
    if (!answer_read_text(request, "event", event, sizeof event) ||
        !event_answers_read_nodes(request, filter))
        return error_set(err,
                         "'event' must be a pattern of %d octets at most, and 'node' another, or a "
                         "list of %d at most",
                         FILTER_PATTERN_SIZE - 1, FILTER_PATTERNS_MAX);
    event_answers_add_pattern(&filter->events, event);
    if (event[0] != '\0' && !event_answers_know(&filter->events))
        return event_answers_refuse(event, err);
    return true;
}

static bool event_answers_read_query(const json_t *request, struct query *q, struct error *err)
{
    if (!answer_read_number(request, "since_us", INT64_MAX, &q->since_us) ||
        !answer_read_number(request, "until_us", INT64_MAX, &q->until_us))
        return error_set(err, "'since_us' and 'until_us' must be numbers");
    return event_answers_read_filter(request, &q->filter, err);
}

// Scanning the journal, in either direction.

struct event_answers_scan {
    struct journal *journal;
    const struct query *query;
    bool back;
    int64_t place; // number of the last event read
    size_t count, wanted;
    bool ended;
    json_t *found;
};

static bool event_answers_goes_on(const struct event_answers_scan *s)
{
    return !s->ended && json_array_size(s->found) < s->wanted && s->count < EVENT_ANSWERS_SCAN;
}

static void event_answers_scan_event(struct event_answers_scan *s, const struct journal_item *item)
{
    const struct query *q = s->query;
    s->place = item->sequence;
    s->count++;
    if (!item->event)
        return;
    if (s->back && item->event->time_us < q->since_us)
        s->ended = true;
    else if (item->event->time_us >= q->since_us &&
             (q->until_us == 0 || item->event->time_us <= q->until_us) &&
             filter_matches(&q->filter, item->event))
        json_array_append_new(s->found, event_answers_json(item->sequence, item->event));
}

static void event_answers_scan(struct event_answers_scan *s)
{
    struct journal_item items[CHUNK];
    while (event_answers_goes_on(s)) {
        size_t n = s->back ? journal_read_back(s->journal, s->place, items, CHUNK)
                           : journal_read(s->journal, s->place, items, CHUNK);
        s->ended = n == 0;
        for (size_t i = 0; i < n; i++) {
            if (event_answers_goes_on(s))
                event_answers_scan_event(s, &items[i]);
            event_unref(items[i].event);
        }
    }
}

// Whether there is an event after the number, not younger than `time_us`.
static bool event_answers_goes_on_until(struct journal *journal, int64_t sequence, int64_t time_us)
{
    struct journal_item item;
    if (journal_read(journal, sequence, &item, 1) == 0)
        return false;
    const bool younger = item.event && item.event->time_us > time_us;
    event_unref(item.event);
    return !younger;
}

// The number of the last event at `time_us` or before; 0: none. If the clock was set back, several
// events may fit; returns the number of one.
static int64_t event_answers_last_until(struct journal *journal, int64_t time_us)
{
    int64_t at;
    SEARCH_FIRST(at, 0, journal_last(journal), event_answers_goes_on_until(journal, at, time_us));
    return at;
}

static json_t *event_answers_scan_json(const struct event_answers_scan *s, int64_t limit,
                                       int64_t last)
{
    const int64_t left = limit - (int64_t)json_array_size(s->found);
    json_t *answer = json_pack("{s:i, s:I, s:I, s:b, s:O}", "version", PROTOCOL_VERSION, "last",
                               (json_int_t)last, "place", (json_int_t)s->place, "ended",
                               (int)s->ended, "events", s->found);
    if (!s->ended && left > 0)
        json_object_set_new(answer, "more",
                            json_pack("{s:I, s:I}", s->back ? "before" : "after",
                                      (json_int_t)s->place, "limit", (json_int_t)left));
    return answer;
}

json_t *event_answers_list(struct control *control, const json_t *request)
{
    struct journal *journal = control->parts->journal;
    struct error err;
    struct query query;
    int64_t before, after, limit, last = journal_last(journal);
    if (!answer_read_number(request, "before", INT64_MAX, &before) ||
        !answer_read_number(request, "after", INT64_MAX, &after) ||
        !answer_read_number(request, "limit", INT64_MAX, &limit))
        return answer_refuse("'before', 'after' and 'limit' must be numbers");
    if (!event_answers_read_query(request, &query, &err))
        return answer_refuse("%s", err.text);
    if (limit == 0)
        limit = EVENT_ANSWERS_PAGE;
    if (before == 0)
        before = (query.until_us ? event_answers_last_until(journal, query.until_us) : last) + 1;
    struct event_answers_scan s = {.journal = journal,
                                   .query = &query,
                                   .back = json_object_get(request, "after") == NULL,
                                   .wanted = limit < EVENT_ANSWERS_PAGE ? (size_t)limit
                                                                        : EVENT_ANSWERS_PAGE,
                                   .found = json_array()};
    s.place = s.back ? before : after;
    event_answers_scan(&s);
    json_t *answer = event_answers_scan_json(&s, limit, last);
    const char *node = json_string_value(json_object_get(request, "node"));
    if (node && node[0] != '\0' && json_array_size(s.found) == 0)
        json_object_set_new(answer, "node_is_known",
                            json_boolean(known_nodes_fit(control->systems, control->names, node) !=
                                         KNOWN_NODES_NONE));
    json_decref(s.found);
    return answer;
}

// One event.

// Reads the time from an identifier. The identifier begins with the milliseconds of its creation:
// 12 hexadecimal digits in groups of 8 and 4.
static bool event_answers_read_id_time(const char *id, int64_t *time_us)
{
    char digits[13];
    if (strlen(id) != EVENT_ID_SIZE - 1 || id[8] != '-')
        return false;
    memcpy(digits, id, 8);
    memcpy(digits + 8, id + 9, 4);
    digits[12] = '\0';
    char *end;
    *time_us = strtoll(digits, &end, 16) * CLOCK_US_PER_MS;
    return *end == '\0';
}

int64_t event_answers_find_id(struct journal *journal, const char *id)
{
    int64_t time_us, found = 0;
    if (!event_answers_read_id_time(id, &time_us))
        return 0;
    int64_t place = event_answers_last_until(journal, time_us - 1);
    struct journal_item items[CHUNK];
    size_t n, count = 0;
    bool over = false;
    while (found == 0 && !over && count < ID_SCAN &&
           (n = journal_read(journal, place, items, CHUNK)) > 0) {
        for (size_t i = 0; i < n; i++) {
            const struct event *event = items[i].event;
            if (event && strcmp(event->id, id) == 0)
                found = items[i].sequence;
            over = event && event->time_us >= time_us + CLOCK_US_PER_MS;
            place = items[i].sequence;
            event_unref(items[i].event);
        }
        count += n;
    }
    return found;
}

static int64_t event_answers_find(struct journal *journal, const json_t *request)
{
    char id[EVENT_ID_SIZE];
    int64_t number;
    if (!answer_read_number(request, "number", INT64_MAX, &number) ||
        !answer_read_text(request, "id", id, sizeof id))
        return 0;
    if (strcmp(id, EVENT_ANSWERS_LAST) == 0)
        return journal_last(journal);
    return number != 0 ? number : event_answers_find_id(journal, id);
}

// All about one event.

// Receivers.

// Why the receiver does not have the event; empty: the receiver has the event, or the reason is
// unknown. Points into the arguments.
static const char *event_answers_explain_reason_of(struct receiver *receiver,
                                                   const struct receiver_status *status,
                                                   const struct receiver_event_outcome *result,
                                                   const struct event *event)
{
    const char *refusal = receiver_refusal(receiver, event);
    if (result->outcome == RECEIVER_DELIVERED || result->outcome == RECEIVER_SENT ||
        result->outcome == RECEIVER_GIVEN_UP)
        return result->reason;
    if (refusal || result->outcome != RECEIVER_WAITING)
        return refusal ? refusal : "";
    return status->paused ? "paused" : status->problem;
}

static json_t *event_answers_explain_receiver_json(struct receiver *receiver, int64_t number,
                                                   const struct event *event)
{
    struct receiver_status status;
    receiver_get_status(receiver, &status);
    const struct receiver_event_outcome result = receiver_outcome_of(receiver, number);
    const struct sink *r = receiver_sink(receiver);
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:b}", "name", r->name, "kind", r->kind, "state",
        receiver_outcome_word(result.outcome), "time", protocol_time(result.time_us), "reason",
        protocol_text(event_answers_explain_reason_of(receiver, &status, &result, event)), "trying",
        (int)(status.hurried && !status.paused));
}

static json_t *event_answers_explain_receivers_json(const struct control *c, int64_t number,
                                                    const struct event *event)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->parts->receiver_count; i++)
        json_array_append_new(
            list, event_answers_explain_receiver_json(c->parts->receivers[i], number, event));
    return list;
}

// Notifications.

static bool event_answers_is_printable(const uint8_t *octets, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!isprint(octets[i]))
            return false;
    }
    return true;
}

static json_t *event_answers_value_json(const struct mib_varbind *v)
{
    char hex[MIB_VALUE_MAX * 2 + 3];
    struct text t = text_in(hex, sizeof hex);
    if (v->syntax == MIB_INTEGER32)
        return json_integer((int32_t)v->number);
    if (v->syntax == MIB_UNSIGNED32)
        return json_integer(v->number);
    if (event_answers_is_printable(v->octets, v->size))
        return json_stringn((const char *)v->octets, v->size);
    text_add(&t, "0x");
    text_add_hex(&t, v->octets, v->size);
    return json_string(hex);
}

static json_t *event_answers_objects_json(const struct mib_notification *n,
                                          const struct event *event)
{
    json_t *list = json_array();
    for (size_t i = 0; i < MIB_OBJECTS_MAX && n->objects[i]; i++) {
        struct mib_varbind v;
        mib_encode(n->objects[i], event, &v);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", n->objects[i]->name, "oid",
                                              protocol_oid(v.oid, v.oid_length), "value",
                                              event_answers_value_json(&v)));
    }
    return list;
}

static void event_answers_add_notification(json_t *list, const struct event *event, const char *mib,
                                           bool by_default, const struct mib_notification *n)
{
    if (n)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:b, s:o}", "mib", mib, "name", n->name, "oid",
                            protocol_oid(n->oid.ids, n->oid.length), "default", (int)by_default,
                            "objects", event_answers_objects_json(n, event)));
}

// Lists the notifications of all MIBs. By default, receivers get the notification of the
// IBTRAPD-MIB in three cases (sink/snmp_pdu.h): the other MIBs have no notification for the event,
// the other notifications say less, or the event is a test.
static json_t *event_answers_notifications_json(const struct event *event)
{
    const struct catalogue_entry *type = event->type;
    const struct mib_notification *traps[MIB_GSW_TRAPS_MAX];
    const size_t n = mib_gsw_traps(event, traps);
    const bool real = !event->test;
    json_t *list = json_array();
    event_answers_add_notification(list, event, "IB-SMA-MIB", real, type->sma);
    for (size_t i = 0; i < n; i++)
        event_answers_add_notification(list, event, "IBSWITCH-MIB", real, traps[i]);
    event_answers_add_notification(list, event, "IBTRAPD-MIB",
                                   event->test || json_array_size(list) == 0 || type->own_says_more,
                                   type->own || real ? type->own : &mib_ibtrapdTestEvent);
    return list;
}

// Other events.

static json_t *event_answers_other_json(struct journal *journal, const char *id)
{
    if (id[0] == '\0')
        return json_null();
    int64_t number = event_answers_find_id(journal, id);
    struct event *event = journal_read_at(journal, number);
    if (!event)
        return json_pack("{s:s, s:n, s:n, s:n}", "id", id, "number", "event", "text");
    json_t *other = json_pack("{s:s, s:I, s:s, s:o}", "id", id, "number", (json_int_t)number,
                              "event", event->type->name, "text", protocol_text(event->text));
    event_unref(event);
    return other;
}

// The names of the maintenance windows that cover the event's nodes now.
static json_t *event_answers_windows_json(const struct control *control, const struct event *event)
{
    struct maintenance *windows = memory_zeroed(1, sizeof *windows);
    json_t *names = json_array();
    parts_windows(control->parts, windows);
    for (size_t i = 0; i < windows->count; i++) {
        const struct maintenance_window *window = &windows->windows[i];
        if (maintenance_holds(window, event, clock_utc(control->builder.clock)))
            json_array_append_new(names, protocol_text(window->name));
    }
    free(windows);
    return names;
}

json_t *explain_answer(struct control *control, const json_t *request)
{
    struct journal *journal = control->parts->journal;
    int64_t number = event_answers_find(journal, request);
    struct event *event = journal_read_at(journal, number);
    if (!event)
        return answer_refuse("the journal has no such event; 'ibtrapctl events' lists numbers");
    json_t *answer = json_pack(
        "{s:i, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "version", PROTOCOL_VERSION, "number",
        (json_int_t)number, "title", event->type->title, "remedy", event->type->remedy, "event",
        event_answers_json(number, event), "suppressed", protocol_text(event->suppressed),
        "maintenance", event_answers_windows_json(control, event), "cause",
        event_answers_other_json(journal, event->cause_id), "related",
        event_answers_other_json(journal, event->related_id), "notifications",
        event_answers_notifications_json(event));
    control->found = event;
    return answer;
}

void explain_finish(struct control *control, json_t *answer)
{
    const int64_t number = json_integer_value(json_object_get(answer, "number"));
    json_object_set_new(answer, "receivers",
                        event_answers_explain_receivers_json(control, number, control->found));
}
