// SPDX-License-Identifier: BSD-2-Clause
#include "http/alert_list.h"

#include "base/hash.h"
#include "http/alert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { GUESS_WAIT_MAX = 1024 }; // scans
enum { OF_A_KEY_MAX = 64 };     // alerts of one key; a peer that has more than this makes them up

#define TEST_KEY "test" // of all tests

static const int64_t FLYING = INT64_MAX; // in the batch that is under way to the peer

struct alert {
    char *key, *labels, *annotations;       // NULL labels: the receiver does not get this alarm
    int64_t last_sequence, acknowledged_us; // of the alarm, as it was when last put
    int64_t starts_us, ends_us;             // UTC; ends_us: once it ended
    int64_t due[ALERT_LIST_PEERS_MAX];      // monotonic, when to post it next; FLYING
    uint32_t scan;                          // that saw it last
    uint32_t guessed_at, guess_wait;        // the scan; so many later its labels are asked for
    uint8_t told, heard;                    // peers that may have it; that said it lasts there
    uint8_t owed, flying;                   // of an ended one: peers to tell; in their batches
    bool guessed, ended, is_test;
    struct hash_node by_key;
    TAILQ_ENTRY(alert) in_order;
};

TAILQ_HEAD(alerts, alert);

struct alert_list {
    unsigned peers;
    struct hash by_key;          // active and ended ones: those of a key follow each other
    struct alerts active, ended; // ended: oldest first
    size_t active_count, ended_count;
    size_t lacking, beyond; // alarms without room: of the scan that goes on, of the last one
    uint32_t scan;
};

struct alert_list *alert_list_new(unsigned peers, const struct random *random)
{
    struct alert_list *list = calloc(1, sizeof *list);
    if (!list || !hash_init(&list->by_key, 2 * (size_t)ALERT_LIST_MAX, random)) {
        free(list);
        return NULL;
    }
    list->peers = peers;
    TAILQ_INIT(&list->active);
    TAILQ_INIT(&list->ended);
    return list;
}

static void alert_list_free_strings(struct alert *a)
{
    free(a->key);
    free(a->labels);
    free(a->annotations);
    free(a);
}

static void alert_list_drop(struct alert_list *list, struct alert *a)
{
    TAILQ_REMOVE(a->ended ? &list->ended : &list->active, a, in_order);
    *(a->ended ? &list->ended_count : &list->active_count) -= 1;
    hash_remove(&list->by_key, &a->by_key);
    alert_list_free_strings(a);
}

void alert_list_clear(struct alert_list *list)
{
    for (struct alert *a; (a = TAILQ_FIRST(&list->active)) != NULL;)
        alert_list_drop(list, a);
    for (struct alert *a; (a = TAILQ_FIRST(&list->ended)) != NULL;)
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

// The next alert of the key behind `from`; NULL: from the first.
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

static struct alert *alert_list_find(const struct alert_list *list, const char *key)
{
    struct alert *a = alert_list_next(list, key, NULL);
    while (a && a->ended)
        a = alert_list_next(list, key, a);
    return a;
}

// Makes room for an ended one: the oldest is forgotten, and expires at its peers.
static void alert_list_make_room(struct alert_list *list)
{
    if (list->ended_count >= ALERT_LIST_MAX)
        alert_list_drop(list, TAILQ_FIRST(&list->ended));
}

// Takes the strings. NULL: out of memory, or no room.
static struct alert *alert_list_add(struct alert_list *list, const char *key, char *labels,
                                    char *annotations, bool ended)
{
    struct alert *a = calloc(1, sizeof *a);
    char *copy = strdup(key);
    if (ended)
        alert_list_make_room(list);
    if (!a || !copy || (!ended && list->active_count >= ALERT_LIST_MAX)) {
        free(a);
        free(copy);
        free(labels);
        free(annotations);
        return NULL;
    }
    *a = (struct alert){.key = copy, .labels = labels, .annotations = annotations, .ended = ended};
    hash_add(&list->by_key, &a->by_key, hash_digest_string(&list->by_key, key));
    TAILQ_INSERT_TAIL(ended ? &list->ended : &list->active, a, in_order);
    *(ended ? &list->ended_count : &list->active_count) += 1;
    return a;
}

// An end of the same alert that waits. An alert that flaps while a peer is away ends once for it.
static struct alert *alert_list_twin(const struct alert_list *list, const struct alert *a)
{
    struct alert *b = NULL;
    while ((b = alert_list_next(list, a->key, b)) != NULL) {
        if (b->ended && !b->is_test && strcmp(b->labels, a->labels) == 0)
            break;
    }
    return b;
}

// The alert is over: the peers that may have it are to be told.
static void alert_list_finish(struct alert_list *list, struct alert *a, int64_t ended_us)
{
    if (!a->labels || a->told == 0) {
        alert_list_drop(list, a);
        return;
    }
    struct alert *twin = alert_list_twin(list, a);
    const uint8_t owed = (uint8_t)(a->told | (twin ? twin->owed : 0));
    if (twin)
        alert_list_drop(list, twin);
    alert_list_make_room(list);
    TAILQ_REMOVE(&list->active, a, in_order);
    TAILQ_INSERT_TAIL(&list->ended, a, in_order);
    list->active_count--;
    list->ended_count++;
    a->ended = true;
    a->owed = owed;
    a->ends_us = ended_us;
}

// Scans.

void alert_list_begin(struct alert_list *list)
{
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

// Whether the alert stays the same one with these labels; then it takes the annotations.
static bool alert_list_renew(struct alert_list *list, struct alert *a, const char *labels,
                             char *annotations)
{
    if (!a->labels || !labels)
        return !a->labels && !labels;
    if (strcmp(a->labels, labels) != 0)
        return false;
    const bool same = strcmp(a->annotations, annotations) == 0;
    free(a->annotations);
    a->annotations = annotations;
    for (unsigned i = 0; i < list->peers && !same; i++)
        a->due[i] = 0;
    return true;
}

// Whether the labels of the same event were known before, or that it is not for the receiver, as
// the journal has it no longer.
static bool alert_list_knows_better(const struct alert *a, const struct alarm *alarm, bool guessed)
{
    return guessed && !a->guessed && a->last_sequence == alarm->last_sequence;
}

// What the labels lack may be known later, or never: it is asked for ever more rarely.
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

bool alert_list_put(struct alert_list *list, const struct alarm *alarm, char *labels,
                    char *annotations, bool guessed)
{
    struct alert *a = alert_list_find(list, alarm->key);
    const bool better = a && alert_list_knows_better(a, alarm, guessed);
    const char *wanted = better ? a->labels : labels;
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
        if (!a)
            return false;
        a->starts_us = alarm->raised_us;
    }
    alert_list_note_guess(list, a, alarm, guessed && !better);
    a->last_sequence = alarm->last_sequence;
    a->acknowledged_us = alarm->acknowledged_us;
    a->scan = list->scan;
    return true;
}

void alert_list_end(struct alert_list *list, bool whole, int64_t ended_us)
{
    struct alert *next;
    list->beyond = list->lacking;
    for (struct alert *a = TAILQ_FIRST(&list->active); a && whole; a = next) {
        next = TAILQ_NEXT(a, in_order);
        if (a->scan != list->scan)
            alert_list_finish(list, a, ended_us);
    }
}

// Makes room for a test: forgets the oldest.
static void alert_list_make_room_for_test(struct alert_list *list)
{
    struct alert *a;
    TAILQ_FOREACH(a, &list->ended, in_order)
    {
        if (a->is_test)
            break;
    }
    if (a)
        alert_list_drop(list, a);
}

// The test with these labels that waits; NULL: none. Sets `*count` to how many wait, if none.
static struct alert *alert_list_find_test(const struct alert_list *list, const char *labels,
                                          size_t *count)
{
    struct alert *a = NULL;
    *count = 0;
    while ((a = alert_list_next(list, TEST_KEY, a)) != NULL) {
        if (a->is_test && strcmp(a->labels, labels) == 0)
            break;
        *count += a->is_test;
    }
    return a;
}

bool alert_list_add_test(struct alert_list *list, char *labels, char *annotations,
                         int64_t starts_us, int64_t ends_us)
{
    size_t count;
    struct alert *a = alert_list_find_test(list, labels, &count);
    if (a) {
        free(labels);
        free(annotations);
    } else {
        if (count >= ALERT_LIST_TESTS_MAX)
            alert_list_make_room_for_test(list);
        a = alert_list_add(list, TEST_KEY, labels, annotations, true);
    }
    if (!a)
        return false;
    a->is_test = true;
    a->owed = (uint8_t)((1U << list->peers) - 1);
    a->starts_us = starts_us;
    a->ends_us = ends_us;
    return true;
}

// What a peer has.

void alert_list_ask(struct alert_list *list, unsigned peer)
{
    for (struct alert *a = TAILQ_FIRST(&list->active); a; a = TAILQ_NEXT(a, in_order))
        a->heard &= (uint8_t) ~(1U << peer);
}

// Whether both have the same value of a label, which every alert of ours has.
static bool alert_list_agree(const char *labels, const char *others, const char *label)
{
    const char *a = strstr(labels, label), *b = strstr(others, label);
    const size_t n = strlen(label);
    return a && b && strcspn(a + n, "\"") == strcspn(b + n, "\"") &&
           strncmp(a, b, n + strcspn(a + n, "\"")) == 0;
}

// Whether the alert takes the labels that a peer has of it: then `*labels`, which were made with
// malloc, become its own, and NULL.
static bool alert_list_adopt(struct alert *a, char **labels)
{
    if (a->ended || !a->labels || !a->guessed || a->told != 0 ||
        !alert_list_agree(a->labels, *labels, "\"alertname\":\"") ||
        !alert_list_agree(a->labels, *labels, "\"severity\":\""))
        return false;
    free(a->labels);
    a->labels = *labels;
    *labels = NULL;
    a->guessed = false;
    return true;
}

// The alert with these labels, rather one that is active; NULL: none. It may take `*copy` of them
// (alert_list_adopt). Sets `*of_key` to how many alerts the key has.
static struct alert *alert_list_match(const struct alert_list *list, const char *key,
                                      const char *labels, char **copy, size_t *of_key)
{
    struct alert *found = NULL;
    *of_key = 0;
    for (struct alert *a = NULL; (a = alert_list_next(list, key, a)) != NULL; ++*of_key) {
        if (a->labels && (strcmp(a->labels, labels) == 0 || (*copy && alert_list_adopt(a, copy))))
            found = !found || found->ended ? a : found;
    }
    return found;
}

enum alert_hearing alert_list_hear(struct alert_list *list, unsigned peer, const char *key,
                                   const char *labels, bool lasts)
{
    const uint8_t bit = (uint8_t)(1U << peer);
    size_t of_key;
    char *copy = strdup(labels);
    if (!copy)
        return ALERT_NO_MEMORY;
    struct alert *known = alert_list_match(list, key, labels, &copy, &of_key);
    if (known) {
        free(copy);
        known->heard |= lasts ? bit : 0;
        known->told |= bit;
        known->owed |= bit;
        return ALERT_HEARD;
    }
    if (of_key >= OF_A_KEY_MAX || strlen(labels) > ALERT_LIST_LABELS_MAX) {
        free(copy);
        return ALERT_PASSED_OVER;
    }
    struct alert *stray = alert_list_add(list, key, copy, NULL, true);
    if (!stray)
        return ALERT_NO_MEMORY;
    stray->owed = bit;
    return ALERT_HEARD;
}

void alert_list_heard(struct alert_list *list, unsigned peer)
{
    struct alert *a;
    TAILQ_FOREACH(a, &list->active, in_order)
    {
        if ((a->heard & 1U << peer) == 0 && a->due[peer] != FLYING)
            a->due[peer] = 0;
    }
}

// Batches.

// The end as the peer's clock has it: one that lies before it would be an alert that goes on.
static void alert_list_write_ended(const struct alert *a, const struct alert_list_times *times,
                                   struct text *body)
{
    const bool later = a->ends_us == 0 || a->ends_us > times->peer_utc_us;
    const int64_t ends = later && !a->is_test ? times->peer_utc_us : a->ends_us;
    alert_write(body, a->labels, a->annotations, a->starts_us < ends ? a->starts_us : ends, ends);
}

// An alarm that would end before it began, as the peer's clock has it, begins now: Alertmanager
// refuses it otherwise.
static void alert_list_write_active(const struct alert *a, const struct alert_list_times *times,
                                    struct text *body)
{
    const int64_t ends = times->peer_utc_us + times->expire_us;
    const int64_t starts = a->starts_us < ends ? a->starts_us : times->peer_utc_us;
    alert_write(body, a->labels, a->annotations, starts, ends);
}

// Adds an alert to a batch of `n`. False: it does not fit.
static bool alert_list_write(const struct alert *a, const struct alert_list_times *times, size_t n,
                             size_t most, struct text *body)
{
    const struct text before = *body;
    if (n == most)
        return false;
    if (n > 0)
        text_add(body, ",");
    if (a->ended)
        alert_list_write_ended(a, times, body);
    else
        alert_list_write_active(a, times, body);
    if (!body->cut && body->len + 2 < body->size)
        return true;
    text_go_back(body, &before);
    return false;
}

size_t alert_list_take(struct alert_list *list, unsigned peer, const struct alert_list_times *times,
                       size_t max, bool was_asked, struct text *body)
{
    const uint8_t bit = (uint8_t)(1U << peer);
    const size_t most = max < ALERT_LIST_BATCH_MAX ? max : ALERT_LIST_BATCH_MAX;
    size_t n = 0;
    bool fits = true; // an alert that began again follows its end
    struct alert *a;
    text_add(body, "[");
    TAILQ_FOREACH(a, &list->ended, in_order)
    {
        if ((a->owed & bit) == 0)
            continue;
        fits = alert_list_write(a, times, n, most, body);
        if (!fits)
            break;
        a->flying |= bit;
        n++;
    }
    TAILQ_FOREACH(a, &list->active, in_order)
    {
        if (!a->labels || a->due[peer] > times->now_us || (a->guessed && !was_asked))
            continue;
        if (!fits || !alert_list_write(a, times, n, most, body))
            break;
        a->due[peer] = FLYING;
        a->told |= bit;
        n++;
    }
    text_add(body, "]");
    return n;
}

void alert_list_taken(struct alert_list *list, unsigned peer, bool taken,
                      const struct alert_list_times *times)
{
    const uint8_t bit = (uint8_t)(1U << peer);
    struct alert *a, *next;
    TAILQ_FOREACH(a, &list->active, in_order)
    {
        const int64_t early = times->expire_us / 16 * (int64_t)(a->by_key.digest & 255) / 256;
        if (a->due[peer] == FLYING)
            a->due[peer] = taken ? times->now_us + times->expire_us / 4 - early : 0;
    }
    for (a = TAILQ_FIRST(&list->ended); a; a = next) {
        next = TAILQ_NEXT(a, in_order);
        if (taken)
            a->owed &= (uint8_t) ~(a->flying & bit);
        a->flying &= (uint8_t)~bit;
        if (a->owed == 0)
            alert_list_drop(list, a);
    }
}

size_t alert_list_beyond(const struct alert_list *list)
{
    return list->beyond;
}
