// SPDX-License-Identifier: BSD-2-Clause
#include "http/alert_list.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/catalogue.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

// The JSON of an alert.

static void alert_list_set(json_t *o, const char *name, const char *value)
{
    char clean[EVENT_TEXT_SIZE];
    const char *text = value;
    if (!text_is_utf8(value)) {
        text_clean(value, strlen(value), clean, sizeof clean);
        text = clean;
    }
    if (text[0] != '\0') // Alertmanager removes empty labels
        json_object_set_new(o, name, memory_need(json_string(text)));
}

// The node's name, or its GUID where it has none.
static void alert_list_set_node(json_t *labels, const char *name, const struct endpoint *node)
{
    char guid[24];
    const uint64_t number = node->node_guid ? node->node_guid : node->guid;
    snprintf(guid, sizeof guid, "0x%016" PRIx64, number);
    if (node->name[0] != '\0')
        alert_list_set(labels, name, node->name);
    else if (number != 0)
        alert_list_set(labels, name, guid);
}

static void alert_list_set_number(json_t *labels, const char *name, unsigned number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    if (number != 0)
        alert_list_set(labels, name, text);
}

static char *alert_list_dump(json_t *o)
{
    char *text = memory_need(json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS));
    json_decref(o);
    return text;
}

char *alert_labels(const struct alarm *alarm, const struct event *event,
                   const struct alert_origin *origin)
{
    char subnet[24];
    json_t *labels = memory_need(json_object());
    snprintf(subnet, sizeof subnet, "%016" PRIx64, event->subnet_prefix);
    alert_list_set(labels, "alertname", alarm->type);
    alert_list_set(labels, "severity", severity_word(alarm->severity));
    alert_list_set(labels, "category", category_word(alarm->category));
    alert_list_set(labels, "source", origin->source);
    if (catalogue_is_own(event->type))
        alert_list_set(labels, "gateway", origin->gateway);
    alert_list_set(labels, "alarmkey", alarm->key);
    alert_list_set_node(labels, "node", &event->subject);
    alert_list_set(labels, "system", event->subject.system);
    alert_list_set_number(labels, "port", event->subject.port);
    alert_list_set_node(labels, "peer", &event->peer);
    alert_list_set(labels, "peersystem", event->peer.system);
    alert_list_set_number(labels, "peerport", event->peer.port);
    if (event->subnet_prefix != 0)
        alert_list_set(labels, "subnet", subnet);
    alert_list_set(labels, "fabric", origin->fabric);
    if (event->test)
        alert_list_set(labels, "test", "true");
    return alert_list_dump(labels);
}

char *alert_annotations(const struct alarm *alarm)
{
    char explain[sizeof alarm->event_id + 24];
    json_t *annotations = memory_need(json_object());
    snprintf(explain, sizeof explain, "ibtrapctl explain %s", alarm->event_id);
    alert_list_set(annotations, "summary", alarm->text);
    alert_list_set(annotations, "remedy", catalogue_remedy(alarm->type));
    alert_list_set(annotations, "explain", explain);
    if (alarm->acknowledged_us != 0)
        alert_list_set(annotations, "acknowledged", alarm->note[0] != '\0' ? alarm->note : "yes");
    return alert_list_dump(annotations);
}

void alert_of_test(const struct event *event, struct alarm *out)
{
    *out = (struct alarm){.event_sequence = event->number,
                          .raised_us = event->time_us,
                          .severity = event->severity,
                          .category = event->category};
    snprintf(out->key, sizeof out->key, "test %.36s", event->id);
    snprintf(out->event_id, sizeof out->event_id, "%s", event->id);
    snprintf(out->type, sizeof out->type, "%s", event->type->name);
    snprintf(out->text, sizeof out->text, "%s", event->text);
}

// The list.

enum { GUESS_WAIT_MAX = 1024 }; // scans

#define TEST_KEY "test" // of all tests

struct alert {
    char *key, *labels, *annotations;       // NULL labels: the receiver does not get this alarm
    int64_t last_sequence, acknowledged_us; // of the alarm, when last put
    int64_t starts_us, ends_us;             // UTC; ends_us: of an ended alert
    int64_t forget_us;                      // monotonic: when an ended alert leaves the list
    uint64_t number;                        // grows with each change; 0 without labels
    uint32_t scan;                          // that saw the alarm last
    uint32_t guessed_at, guess_wait; // the scan; after so many scans the labels are asked for
    bool guessed, ended, is_test;
    bool posted; // to any Alertmanager
    bool waits;  // no Alertmanager was posted the last change
    struct hash_node by_key;
    TAILQ_ENTRY(alert) in_order, in_state;
};

TAILQ_HEAD(alerts, alert);

struct alert_list {
    int64_t expire_us;
    int64_t now_us;              // monotonic: when the last scan began
    struct hash by_key;          // alerts of one key have different labels
    struct alerts order;         // by number
    struct alerts active, ended; // both without tests; ended: oldest first
    struct alerts tests;         // oldest first
    size_t active_count, ended_count, test_count;
    size_t lacking, beyond; // alarms without room: of the scan that goes on, of the last scan
    uint64_t number;        // of the last change
    uint32_t scan;
};

struct alert_list *alert_list_new(int64_t expire_us, const struct random *random)
{
    struct alert_list *list = memory_zeroed(1, sizeof *list);
    hash_init(&list->by_key, 2 * (size_t)ALERT_LIST_MAX + ALERT_LIST_TESTS_MAX, random);
    list->expire_us = expire_us;
    TAILQ_INIT(&list->order);
    TAILQ_INIT(&list->active);
    TAILQ_INIT(&list->ended);
    TAILQ_INIT(&list->tests);
    return list;
}

// The alerts of one state, and how many there are.
static struct alerts *alert_list_state(struct alert_list *list, const struct alert *a,
                                       size_t **count)
{
    *count = a->is_test ? &list->test_count : a->ended ? &list->ended_count : &list->active_count;
    return a->is_test ? &list->tests : a->ended ? &list->ended : &list->active;
}

static void alert_list_enter(struct alert_list *list, struct alert *a)
{
    size_t *count;
    struct alerts *state = alert_list_state(list, a, &count);
    TAILQ_INSERT_TAIL(state, a, in_state);
    ++*count;
}

static void alert_list_leave(struct alert_list *list, struct alert *a)
{
    size_t *count;
    struct alerts *state = alert_list_state(list, a, &count);
    TAILQ_REMOVE(state, a, in_state);
    --*count;
}

static void alert_list_drop(struct alert_list *list, struct alert *a)
{
    alert_list_leave(list, a);
    TAILQ_REMOVE(&list->order, a, in_order);
    hash_remove(&list->by_key, &a->by_key);
    free(a->key);
    free(a->labels);
    free(a->annotations);
    free(a);
}

void alert_list_clear(struct alert_list *list)
{
    for (struct alert *a; (a = TAILQ_FIRST(&list->order)) != NULL;)
        alert_list_drop(list, a);
    list->beyond = 0;
}

void alert_list_free(struct alert_list *list)
{
    if (!list)
        return;
    alert_list_clear(list);
    hash_clear(&list->by_key);
    free(list);
}

// Returns the next alert of the key behind `from`, or the first for NULL.
static struct alert *alert_list_next(const struct alert_list *list, const char *key,
                                     const struct alert *from)
{
    struct hash_node *node = from
                                 ? hash_find_next(&from->by_key)
                                 : hash_find(&list->by_key, hash_digest_string(&list->by_key, key));
    while (node && strcmp(HASH_THING(node, struct alert, by_key)->key, key) != 0)
        node = hash_find_next(node);
    return HASH_THING(node, struct alert, by_key);
}

// Returns the active alert of the key, or NULL.
static struct alert *alert_list_find(const struct alert_list *list, const char *key)
{
    struct alert *a = alert_list_next(list, key, NULL);
    while (a && a->ended)
        a = alert_list_next(list, key, a);
    return a;
}

// Returns the ended alert with these labels, or NULL.
static struct alert *alert_list_find_end(const struct alert_list *list, const char *key,
                                         const char *labels)
{
    struct alert *a = labels ? alert_list_next(list, key, NULL) : NULL;
    while (a && (!a->ended || strcmp(a->labels, labels) != 0))
        a = alert_list_next(list, key, a);
    return a;
}

// Makes the alert the newest change, which is to be posted. A change that waits keeps its place:
// an alert that changes again and again has its turn, too.
static void alert_list_note_change(struct alert_list *list, struct alert *a)
{
    if (a->waits)
        return;
    a->waits = true;
    TAILQ_REMOVE(&list->order, a, in_order);
    TAILQ_INSERT_TAIL(&list->order, a, in_order);
    a->number = ++list->number;
}

// Takes the strings. An ended alert with these labels goes on: a repeated end would end a new
// alert.
static struct alert *alert_list_add(struct alert_list *list, const char *key, char *labels,
                                    char *annotations, bool is_test)
{
    struct alert *a = alert_list_find_end(list, key, labels);
    if (a) {
        alert_list_leave(list, a);
        free(a->labels);
        free(a->annotations);
    } else {
        a = memory_zeroed(1, sizeof *a);
        a->key = memory_copy(key);
        hash_add(&list->by_key, &a->by_key, hash_digest_string(&list->by_key, key));
        TAILQ_INSERT_HEAD(&list->order, a, in_order);
    }
    a->labels = labels;
    a->annotations = annotations;
    a->ended = a->is_test = is_test;
    alert_list_enter(list, a);
    if (labels)
        alert_list_note_change(list, a);
    return a;
}

// The alert is over. The Alertmanagers are told until the alert has expired at each of them.
static void alert_list_finish(struct alert_list *list, struct alert *a, int64_t ended_us)
{
    if (!a->labels || !a->posted) {
        alert_list_drop(list, a);
        return;
    }
    if (list->ended_count >= ALERT_LIST_MAX)
        alert_list_drop(list, TAILQ_FIRST(&list->ended));
    alert_list_leave(list, a);
    a->ended = true;
    a->ends_us = ended_us;
    a->forget_us = list->now_us + list->expire_us;
    alert_list_enter(list, a);
    alert_list_note_change(list, a);
}

// Scans.

void alert_list_begin(struct alert_list *list, int64_t now_us)
{
    list->now_us = now_us;
    list->scan++;
    list->lacking = 0;
}

bool alert_list_see(struct alert_list *list, const struct alarm *alarm)
{
    struct alert *a = alert_list_find(list, alarm->key);
    if (!a || a->last_sequence != alarm->last_sequence ||
        a->acknowledged_us != alarm->acknowledged_us)
        return false;
    if (a->guessed && list->scan - a->guessed_at >= a->guess_wait)
        return false;
    a->scan = list->scan;
    return true;
}

bool alert_list_lacks_room(struct alert_list *list, const struct alarm *alarm)
{
    const bool lacks = list->active_count >= ALERT_LIST_MAX && !alert_list_find(list, alarm->key);
    list->lacking += lacks;
    return lacks;
}

// Returns whether the alert stays the same with these labels; then the alert takes the annotations.
static bool alert_list_renew(struct alert_list *list, struct alert *a, const char *labels,
                             char *annotations)
{
    if (!a->labels || !labels)
        return !a->labels && !labels;
    if (strcmp(a->labels, labels) != 0)
        return false;
    if (strcmp(a->annotations, annotations) != 0)
        alert_list_note_change(list, a);
    free(a->annotations);
    a->annotations = annotations;
    return true;
}

// What the labels lack may be known later, or never: the list asks ever more rarely.
static void alert_list_note_guess(const struct alert_list *list, struct alert *a,
                                  const struct alarm *alarm, bool guessed)
{
    if (!guessed || a->last_sequence != alarm->last_sequence)
        a->guess_wait = 0;
    if (a->guess_wait < GUESS_WAIT_MAX)
        a->guess_wait = a->guess_wait == 0 ? 1 : 2 * a->guess_wait;
    a->guessed = guessed;
    a->guessed_at = list->scan;
}

void alert_list_put(struct alert_list *list, const struct alarm *alarm, char *labels,
                    char *annotations, bool guessed)
{
    struct alert *a = alert_list_find(list, alarm->key);
    // Labels, or that the receiver does not get the alarm, that were known of the same event stay.
    const bool keeps = a && guessed && !a->guessed && a->last_sequence == alarm->last_sequence;
    const char *wanted = keeps ? a->labels : labels;
    if (!wanted) {
        free(annotations);
        annotations = NULL;
    }
    if (a && alert_list_renew(list, a, wanted, annotations)) {
        free(labels);
    } else {
        if (a)
            alert_list_finish(list, a, alarm->last_us);
        a = alert_list_add(list, alarm->key, labels, annotations, false);
        a->starts_us = alarm->raised_us;
    }
    alert_list_note_guess(list, a, alarm, guessed && !keeps);
    a->last_sequence = alarm->last_sequence;
    a->acknowledged_us = alarm->acknowledged_us;
    a->scan = list->scan;
}

static void alert_list_forget(struct alert_list *list, struct alerts *ended)
{
    for (struct alert *a; (a = TAILQ_FIRST(ended)) != NULL && a->forget_us <= list->now_us;)
        alert_list_drop(list, a);
}

void alert_list_end(struct alert_list *list, bool whole, int64_t utc_us)
{
    struct alert *next;
    list->beyond = list->lacking;
    for (struct alert *a = TAILQ_FIRST(&list->active); a && whole; a = next) {
        next = TAILQ_NEXT(a, in_state);
        if (a->scan != list->scan)
            alert_list_finish(list, a, utc_us);
    }
    alert_list_forget(list, &list->ended);
    alert_list_forget(list, &list->tests);
}

void alert_list_add_test(struct alert_list *list, char *labels, char *annotations, int64_t lasts_us,
                         const struct alert_list_times *times)
{
    if (list->test_count >= ALERT_LIST_TESTS_MAX)
        alert_list_drop(list, TAILQ_FIRST(&list->tests));
    struct alert *a = alert_list_add(list, TEST_KEY, labels, annotations, true);
    a->starts_us = times->utc_us;
    a->ends_us = times->utc_us + lasts_us;
    a->forget_us = times->now_us + lasts_us;
}

size_t alert_list_beyond(const struct alert_list *list)
{
    return list->beyond;
}

// Batches.

// Writes times by the Alertmanager's clock. An end in the future of that clock would be an alert
// that goes on. Alertmanager refuses an alert that ends before the start: then the alert starts
// now.
static void alert_list_write_alert(const struct alert_list *list, const struct alert *a,
                                   const struct alert_list_times *times, struct text *body)
{
    int64_t ends = a->ends_us, starts = a->starts_us;
    if (!a->ended)
        ends = times->utc_us + list->expire_us;
    else if (!a->is_test && ends > times->utc_us)
        ends = times->utc_us;
    if (starts >= ends)
        starts = a->ended ? ends : times->utc_us;
    char time[CLOCK_TEXT_SIZE];
    text_addf(body, "{\"labels\":%s,\"annotations\":%s", a->labels, a->annotations);
    clock_format_utc(starts, time);
    text_addf(body, ",\"startsAt\":\"%s\"", time);
    clock_format_utc(ends, time);
    text_addf(body, ",\"endsAt\":\"%s\"}", time);
}

// A batch that is being written.
struct alert_batch {
    const struct alert_list_times *times;
    struct text *body;
    size_t count, max;
};

// Writes the alerts with numbers beyond `*at` and up to `last`; moves `*at`. Returns whether all
// fit.
static bool alert_list_write(struct alert_list *list, struct alert_batch *b, uint64_t *at,
                             uint64_t last)
{
    struct alert *a;
    TAILQ_FOREACH(a, &list->order, in_order)
    {
        const struct text before = *b->body;
        if (a->number <= *at)
            continue;
        if (a->number > last)
            break;
        if (b->count == b->max)
            return false;
        text_add(b->body, b->count > 0 ? "," : "");
        alert_list_write_alert(list, a, b->times, b->body);
        if (b->body->cut || b->body->len + 2 >= b->body->size) {
            text_go_back(b->body, &before);
            return false;
        }
        a->posted = true;
        a->waits = false;
        b->count++;
        *at = a->number;
    }
    return true;
}

static bool alert_list_is_round_due(const struct alert_list *list, const struct alert_place *place,
                                    int64_t now_us)
{
    return !place->in_round &&
           (place->owes_round || now_us >= place->began_us + list->expire_us / 4);
}

// Writes changes. Beside a round, changes have half of a batch: neither waits for the end of the
// other. A round that has come to the changes goes on with them.
static void alert_list_write_changes(struct alert_list *list, struct alert_batch *b,
                                     struct alert_place *next)
{
    const size_t max = b->max, size = b->body->size;
    const bool is_round = next->in_round && !next->wrapped && next->at == next->told;
    if (next->in_round && !is_round) {
        b->max = (max + 1) / 2;
        b->body->size = size / 2;
    }
    if (alert_list_write(list, b, &next->told, UINT64_MAX))
        next->told = list->number;
    if (is_round)
        next->at = next->told;
    b->max = max;
    b->body->size = size;
}

// Writes part of a round: the alerts behind the place, then the alerts before the place.
static void alert_list_go_round(struct alert_list *list, struct alert_batch *b,
                                struct alert_place *next)
{
    if (!next->wrapped) {
        if (next->told < next->last || !alert_list_write(list, b, &next->at, next->last))
            return;
        next->wrapped = true;
        next->at = 0;
    }
    if (alert_list_write(list, b, &next->at, next->stop))
        next->in_round = next->owes_round = false;
}

bool alert_list_take(struct alert_list *list, const struct alert_place *place,
                     const struct alert_list_times *times, size_t max, struct text *body,
                     size_t *count, struct alert_place *next)
{
    struct alert_batch b = {.times = times,
                            .body = body,
                            .max = max < ALERT_LIST_BATCH_MAX ? max : ALERT_LIST_BATCH_MAX};
    const bool begins = alert_list_is_round_due(list, place, times->now_us);
    *next = *place;
    if (begins) {
        next->in_round = true;
        next->wrapped = false;
        next->stop = next->at;
        next->last = place->at == place->told ? list->number : place->told;
        next->began_us = times->now_us;
    }
    text_add(body, "[");
    alert_list_write_changes(list, &b, next);
    if (next->in_round)
        alert_list_go_round(list, &b, next);
    text_add(body, "]");
    *count = b.count;
    return b.count > 0 || begins;
}

void alert_place_move(struct alert_place *place, const struct alert_place *next, int64_t now_us)
{
    const bool goes_round = place->in_round || place->began_us != next->began_us;
    *place = *next;
    if (goes_round && !place->in_round)
        place->lasted_us = now_us - place->began_us;
}

void alert_place_forget(struct alert_place *place)
{
    place->in_round = false;
    place->owes_round = true;
}

bool alert_list_has_due(const struct alert_list *list, const struct alert_place *place,
                        int64_t now_us)
{
    return place->told != list->number || place->in_round ||
           alert_list_is_round_due(list, place, now_us);
}

bool alert_list_is_told(const struct alert_list *list, const struct alert_place *place)
{
    return place->told == list->number && !place->owes_round;
}

int64_t alert_list_lateness(const struct alert_list *list, const struct alert_place *place,
                            int64_t now_us)
{
    const int64_t going = place->in_round ? now_us - place->began_us : 0;
    const int64_t lasts = going > place->lasted_us ? going : place->lasted_us;
    return lasts > list->expire_us / 2 ? lasts : 0;
}
