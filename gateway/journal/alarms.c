// SPDX-License-Identifier: BSD-2-Clause
#include "journal/alarms.h"

#include "base/hash.h"
#include "base/text.h"
#include "model/catalogue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct entry {
    struct alarm alarm;
    char last_id[EVENT_ID_SIZE]; // of the event that raised it last; empty: before this start
    bool active; // false: cleared; the file may still have it, or receivers were not told
    // `revision` counts the changes of `alarm` and `active`; `written` is its value at the last
    // write; 0: never written.
    uint64_t revision, written;
    bool changed; // since the last commit
    struct hash_node by_key;
    TAILQ_ENTRY(entry) in_order;
    TAILQ_ENTRY(entry) in_changed;
};

TAILQ_HEAD(entries, entry);

struct alarms {
    pthread_mutex_t lock;
    struct hash by_key;
    struct entries order, changed; // by number of the event; by time of the change
    size_t active_count;
    bool loaded; // every alarm in the file has been read
};

struct alarms *alarms_new(const struct random *random)
{
    struct alarms *a = calloc(1, sizeof *a);
    if (!a || !hash_init(&a->by_key, ALARMS_MAX, random)) {
        free(a);
        return NULL;
    }
    pthread_mutex_init(&a->lock, NULL);
    TAILQ_INIT(&a->order);
    TAILQ_INIT(&a->changed);
    return a;
}

void alarms_free(struct alarms *alarms)
{
    if (!alarms)
        return;
    for (struct entry *e; (e = TAILQ_FIRST(&alarms->order)) != NULL;) {
        TAILQ_REMOVE(&alarms->order, e, in_order);
        free(e);
    }
    hash_clear(&alarms->by_key);
    pthread_mutex_destroy(&alarms->lock);
    free(alarms);
}

static bool alarms_is_open(const struct entry *e)
{
    return e->active || e->alarm.over;
}

static struct entry *alarms_find(const struct alarms *a, const char *key)
{
    struct hash_node *node = hash_find(&a->by_key, hash_digest_string(&a->by_key, key));
    while (node && strcmp(HASH_THING(node, struct entry, by_key)->alarm.key, key) != 0)
        node = hash_find_next(node);
    return HASH_THING(node, struct entry, by_key);
}

// Inserts the entry by the number of its event: nearly always at the end.
static void put_in_order(struct alarms *a, struct entry *e)
{
    struct entry *before = TAILQ_LAST(&a->order, entries);
    while (before && before->alarm.event_sequence > e->alarm.event_sequence)
        before = TAILQ_PREV(before, entries, in_order);
    if (before)
        TAILQ_INSERT_AFTER(&a->order, before, e, in_order);
    else
        TAILQ_INSERT_HEAD(&a->order, e, in_order);
}

static struct entry *alarms_add(struct alarms *a, const struct alarm *alarm)
{
    struct entry *e = hash_is_full(&a->by_key) ? NULL : calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->alarm = *alarm;
    hash_add(&a->by_key, &e->by_key, hash_digest_string(&a->by_key, e->alarm.key));
    put_in_order(a, e);
    return e;
}

static void alarms_drop(struct alarms *a, struct entry *e)
{
    if (e->changed)
        TAILQ_REMOVE(&a->changed, e, in_changed);
    TAILQ_REMOVE(&a->order, e, in_order);
    hash_remove(&a->by_key, &e->by_key);
    free(e);
}

static void note_change(struct alarms *a, struct entry *e)
{
    e->revision++;
    if (!e->changed)
        TAILQ_INSERT_TAIL(&a->changed, e, in_changed);
    e->changed = true;
}

static void set_active(struct alarms *a, struct entry *e, bool active)
{
    a->active_count += active && !e->active;
    a->active_count -= !active && e->active;
    e->active = active;
}

// Raising and clearing.

static struct alarm begin_alarm(const char *key, const struct event *event, int64_t sequence)
{
    struct alarm alarm = {.event_sequence = sequence, .raised_us = event->time_us};
    snprintf(alarm.key, sizeof alarm.key, "%s", key);
    snprintf(alarm.event_id, sizeof alarm.event_id, "%s", event->id);
    return alarm;
}

// Notes whether receivers were notified of the event that raised the alarm, and by whom.
static void note_notification(struct alarm *alarm, const struct event *event)
{
    if (event->suppressed[0] == '\0') {
        alarm->notified = ALARM_NOTIFIED;
        memcpy(alarm->notified_id, event->id, sizeof alarm->notified_id);
    } else if (strcmp(event->suppressed, EVENT_STANDBY) == 0) {
        alarm->notified = ALARM_NOTIFIED_ELSEWHERE;
        alarm->notified_id[0] = '\0';
    }
}

// Notes what receivers know after the event that clears the alarm, and whether the alarm has to be
// kept. An end that another gateway is to send stays for a while: that one may fail. A shelved
// alarm stays shelved when it is raised again.
static void note_end(struct alarm *alarm, const struct event *event)
{
    if (strcmp(event->suppressed, EVENT_STANDBY) == 0)
        alarm->notified = ALARM_END_ELSEWHERE;
    else if (event->suppressed[0] == '\0' || strcmp(event->suppressed, EVENT_NEVER_NOTIFIED) == 0)
        alarm->notified = ALARM_NOT_NOTIFIED;
    if (alarm->shelved_until_us <= event->time_us)
        alarm->shelved_until_us = 0;
    alarm->acknowledged_us = 0;
    alarm->note[0] = '\0';
    alarm->over = alarm->notified != ALARM_NOT_NOTIFIED || alarm->shelved_until_us != 0;
}

// Whether policy sends the event as a late notification of an alarm raised before.
static bool is_notified_late(const struct entry *e, const struct event *event)
{
    return e->active && event->related_id[0] != '\0' &&
           (strcmp(event->related_id, e->last_id) == 0 ||
            strcmp(event->related_id, e->alarm.event_id) == 0);
}

// Begins the alarm anew after a clear. If receivers were not told of the clear, it is the same
// alarm for them, and keeps its number.
static void begin_again(struct alarms *a, struct entry *e, const struct event *event,
                        int64_t sequence)
{
    struct alarm alarm = begin_alarm(event->alarm_key, event, sequence);
    alarm.shelved_until_us = e->alarm.over ? e->alarm.shelved_until_us : 0;
    if (e->alarm.over &&
        (e->alarm.notified == ALARM_NOTIFIED || e->alarm.notified == ALARM_NOTIFIED_ELSEWHERE)) {
        alarm.event_sequence = e->alarm.event_sequence;
        alarm.notified = e->alarm.notified;
        memcpy(alarm.notified_id, e->alarm.notified_id, sizeof alarm.notified_id);
    }
    TAILQ_REMOVE(&a->order, e, in_order);
    e->alarm = alarm;
    put_in_order(a, e);
}

static bool raise_alarm(struct alarms *a, const struct event *event, int64_t sequence)
{
    struct entry *e = alarms_find(a, event->alarm_key);
    const bool raised_anew = !e || !is_notified_late(e, event);
    if (e && !e->active) {
        begin_again(a, e, event, sequence);
    } else if (!e) {
        const struct alarm alarm = begin_alarm(event->alarm_key, event, sequence);
        e = alarms_add(a, &alarm);
    }
    if (!e)
        return false;
    set_active(a, e, true);
    snprintf(e->alarm.type, sizeof e->alarm.type, "%s", event->type->name);
    snprintf(e->alarm.text, sizeof e->alarm.text, "%s", event->text);
    e->alarm.severity = event->severity;
    e->alarm.category = event->category;
    e->alarm.node_guid = event->subject.node_guid ? event->subject.node_guid : event->subject.guid;
    e->alarm.last_us = event->time_us;
    e->alarm.count += raised_anew;
    memcpy(e->last_id, event->id, sizeof e->last_id);
    memcpy(e->alarm.cause_id, event->cause_id, sizeof e->alarm.cause_id);
    e->alarm.last_sequence = sequence;
    note_notification(&e->alarm, event);
    note_change(a, e);
    return true;
}

static bool clear_alarm(struct alarms *a, const struct event *event, int64_t sequence)
{
    struct entry *e = alarms_find(a, event->alarm_key);
    if (!e && !a->loaded) { // the file, not read yet, may have the alarm
        const struct alarm alarm = begin_alarm(event->alarm_key, event, sequence);
        e = alarms_add(a, &alarm);
        if (!e)
            return false;
    }
    if (!e)
        return true;
    set_active(a, e, false);
    note_end(&e->alarm, event);
    e->alarm.last_us = event->time_us;
    e->alarm.last_sequence = sequence;
    note_change(a, e);
    if (a->loaded && e->written == 0 && !e->alarm.over)
        alarms_drop(a, e);
    return true;
}

bool alarms_apply(struct alarms *alarms, const struct event *event, int64_t sequence)
{
    bool ok = true;
    if (event->alarm_key[0] == '\0' || event->test)
        return true;
    pthread_mutex_lock(&alarms->lock);
    if (event->type->alarm == ALARM_RAISES)
        ok = raise_alarm(alarms, event, sequence);
    else if (event->type->alarm == ALARM_CLEARS)
        ok = clear_alarm(alarms, event, sequence);
    pthread_mutex_unlock(&alarms->lock);
    return ok;
}

// Reading from the file and writing to it.

// The alarm was raised while the file could not be read, and the file has it too: they are one
// alarm, raised again.
static void alarms_merge(struct alarms *a, struct entry *e, const struct alarm *stored)
{
    struct alarm *alarm = &e->alarm;
    TAILQ_REMOVE(&a->order, e, in_order);
    alarm->event_sequence = stored->event_sequence;
    alarm->raised_us = stored->raised_us;
    alarm->count += stored->count;
    alarm->acknowledged_us = stored->acknowledged_us;
    alarm->shelved_until_us = stored->shelved_until_us;
    memcpy(alarm->event_id, stored->event_id, sizeof alarm->event_id);
    if (alarm->notified == ALARM_NOT_NOTIFIED) {
        alarm->notified = stored->notified;
        memcpy(alarm->notified_id, stored->notified_id, sizeof alarm->notified_id);
    }
    memcpy(alarm->note, stored->note, sizeof alarm->note);
    put_in_order(a, e);
    note_change(a, e);
}

static void alarms_load_stored(void *ctx, const struct alarm *stored)
{
    struct alarms *a = ctx;
    struct entry *e = alarms_find(a, stored->key);
    if (!e && (e = alarms_add(a, stored)) != NULL) {
        set_active(a, e, !stored->over);
        e->revision = 1;
    } else if (e && e->active && e->written == 0) {
        alarms_merge(a, e, stored);
    }
    if (e && e->written == 0)
        e->written = 1;
}

enum store_result alarms_load(struct alarms *alarms, struct store *store, struct error *err)
{
    enum store_result result = STORE_OK;
    pthread_mutex_lock(&alarms->lock);
    if (!alarms->loaded) {
        result = store_read_alarms(store, alarms_load_stored, alarms, err);
        alarms->loaded = result == STORE_OK;
    }
    pthread_mutex_unlock(&alarms->lock);
    return result;
}

void alarms_write(struct alarms *alarms, struct store *store)
{
    struct entry *e;
    pthread_mutex_lock(&alarms->lock);
    TAILQ_FOREACH(e, &alarms->changed, in_changed)
    {
        if (alarms_is_open(e))
            store_set_alarm(store, &e->alarm);
        else
            store_delete_alarm(store, e->alarm.key);
        e->written = e->revision;
    }
    pthread_mutex_unlock(&alarms->lock);
}

void alarms_committed(struct alarms *alarms)
{
    pthread_mutex_lock(&alarms->lock);
    for (struct entry *e = TAILQ_FIRST(&alarms->changed), *next; e; e = next) {
        next = TAILQ_NEXT(e, in_changed);
        if (e->written != e->revision)
            continue; // an operator acknowledged or shelved it after the write
        TAILQ_REMOVE(&alarms->changed, e, in_changed);
        e->changed = false;
        if (!alarms_is_open(e))
            alarms_drop(alarms, e);
    }
    pthread_mutex_unlock(&alarms->lock);
}

void alarms_begin_file(struct alarms *alarms)
{
    pthread_mutex_lock(&alarms->lock);
    for (struct entry *e = TAILQ_FIRST(&alarms->order), *next; e; e = next) {
        next = TAILQ_NEXT(e, in_order);
        if (alarms_is_open(e))
            note_change(alarms, e);
        else
            alarms_drop(alarms, e);
    }
    pthread_mutex_unlock(&alarms->lock);
}

// Any thread.

int64_t alarms_number(struct alarms *alarms, const char *key)
{
    pthread_mutex_lock(&alarms->lock);
    const struct entry *e = alarms_find(alarms, key);
    const int64_t number = e && alarms_is_open(e) ? e->alarm.event_sequence : 0;
    pthread_mutex_unlock(&alarms->lock);
    return number;
}

bool alarms_have_changed(struct alarms *alarms)
{
    pthread_mutex_lock(&alarms->lock);
    bool changed = !TAILQ_EMPTY(&alarms->changed);
    pthread_mutex_unlock(&alarms->lock);
    return changed;
}

size_t alarms_count(struct alarms *alarms)
{
    pthread_mutex_lock(&alarms->lock);
    size_t count = alarms->active_count;
    pthread_mutex_unlock(&alarms->lock);
    return count;
}

void alarms_each(struct alarms *alarms, void (*each)(void *ctx, const struct alarm *alarm),
                 void *ctx)
{
    struct entry *e;
    pthread_mutex_lock(&alarms->lock);
    TAILQ_FOREACH(e, &alarms->order, in_order)
    {
        if (e->active)
            each(ctx, &e->alarm);
    }
    pthread_mutex_unlock(&alarms->lock);
}

void alarms_each_open(struct alarms *alarms, void (*each)(void *ctx, const struct alarm *alarm),
                      void *ctx)
{
    struct entry *e;
    pthread_mutex_lock(&alarms->lock);
    TAILQ_FOREACH(e, &alarms->order, in_order)
    {
        if (alarms_is_open(e))
            each(ctx, &e->alarm);
    }
    pthread_mutex_unlock(&alarms->lock);
}

bool alarms_acknowledge(struct alarms *alarms, const char *key, int64_t now_us, const char *note)
{
    pthread_mutex_lock(&alarms->lock);
    struct entry *e = alarms_find(alarms, key);
    bool found = e && e->active;
    if (found) {
        e->alarm.acknowledged_us = now_us;
        text_clean(note, strlen(note), e->alarm.note, sizeof e->alarm.note);
        note_change(alarms, e);
    }
    pthread_mutex_unlock(&alarms->lock);
    return found;
}

bool alarms_shelve(struct alarms *alarms, const char *key, int64_t until_us)
{
    pthread_mutex_lock(&alarms->lock);
    struct entry *e = alarms_find(alarms, key);
    bool found = e && alarms_is_open(e);
    if (found) {
        e->alarm.shelved_until_us = until_us;
        note_change(alarms, e);
    }
    pthread_mutex_unlock(&alarms->lock);
    return found;
}

void alarms_set_cause(struct alarms *alarms, const char *key, const char *cause_id)
{
    pthread_mutex_lock(&alarms->lock);
    struct entry *e = alarms_find(alarms, key);
    if (e && e->active) {
        snprintf(e->alarm.cause_id, sizeof e->alarm.cause_id, "%s", cause_id);
        note_change(alarms, e);
    }
    pthread_mutex_unlock(&alarms->lock);
}

void alarms_forget_ends(struct alarms *alarms, int64_t before_us, int64_t now_us)
{
    struct entry *e;
    pthread_mutex_lock(&alarms->lock);
    TAILQ_FOREACH(e, &alarms->order, in_order)
    {
        struct alarm *alarm = &e->alarm;
        if (e->active || !alarm->over)
            continue;
        if (alarm->notified == ALARM_END_ELSEWHERE && alarm->last_us < before_us)
            alarm->notified = ALARM_NOT_NOTIFIED;
        if (alarm->shelved_until_us < now_us)
            alarm->shelved_until_us = 0;
        alarm->over = alarm->notified != ALARM_NOT_NOTIFIED || alarm->shelved_until_us != 0;
        if (!alarm->over)
            note_change(alarms, e);
    }
    pthread_mutex_unlock(&alarms->lock);
}
