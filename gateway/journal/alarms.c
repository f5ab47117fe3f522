// SPDX-License-Identifier: BSD-2-Clause
// The open alarms, one for each key: the active alarms, and the alarms of whose end receivers were
// not told yet. All are in memory; the journal's next commit writes the changed ones to the file.
#include "journal/journal_private.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "journal/compact_alarm.h"
#include "model/catalogue.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

// There may be ALARMS_MAX entries: keep an entry small.
struct alarm_entry {
    // With the event that raised the alarm last, in this run or before.
    struct compact_alarm alarm;
    // `revision` counts the changes of `alarm` and `active`; `written` is the revision at the last
    // write; 0: never written.
    uint32_t revision, written;
    bool active;      // false: cleared; the file may still have it, or receivers were not told
    bool changed;     // since the last commit
    uint8_t standing; // enum alarm_standing
    uint16_t row;     // of the type in the catalogue; CATALOGUE_COUNT: none
    struct hash_node by_key;
    TAILQ_ENTRY(alarm_entry) in_order;
    TAILQ_ENTRY(alarm_entry) in_changed;
};

TAILQ_HEAD(alarm_entries, alarm_entry);

// An event that is the root cause of active alarms.
struct cause {
    struct hash_node by_id;
    uint32_t alarms;
    char id[EVENT_ID_SIZE];
};

struct alarms {
    struct mirror mirror;
    pthread_mutex_t lock;
    const struct clock *clock;
    struct hash by_key, causes;
    struct alarm_entries order, changed; // by number of the event; by time of the change
    struct alarm_entry *page_end;        // the last of the last page; NULL: none
    struct alarm_entry *near;            // of the row of the file taken last; NULL: none
    struct alarm_entry *to_write;        // the next in `changed` to be written; NULL: none
    struct alarm_counts active;
    bool keeps_ends; // there may be alarms to keep (alarms_is_kept)
};

static bool alarms_is_open(const struct alarm_entry *e)
{
    return e->active || e->alarm.over;
}

// Whether the alarm has ended and is kept, because receivers do not know or the alarm is shelved.
static bool alarms_is_kept(const struct alarm_entry *e)
{
    return !e->active && e->alarm.over;
}

static struct alarm_entry *alarms_find(const struct alarms *a, const char *key)
{
    struct hash_node *node = hash_find(&a->by_key, hash_digest_string(&a->by_key, key));
    while (node && strcmp(compact_alarm_key(&HASH_THING(node, struct alarm_entry, by_key)->alarm),
                          key) != 0)
        node = hash_find_next(node);
    return HASH_THING(node, struct alarm_entry, by_key);
}

// The last entry whose number is not greater; NULL: none. Searches from `from`; NULL: from the end.
static struct alarm_entry *alarms_seek(const struct alarms *a, struct alarm_entry *from,
                                       int64_t number)
{
    struct alarm_entry *at = from ? from : TAILQ_LAST(&a->order, alarm_entries), *next;
    while (at && at->alarm.event_sequence > number)
        at = TAILQ_PREV(at, alarm_entries, in_order);
    while ((next = at ? TAILQ_NEXT(at, in_order) : TAILQ_FIRST(&a->order)) != NULL &&
           next->alarm.event_sequence <= number)
        at = next;
    return at;
}

// Inserts the entry by the number of its event. `near`: where to begin to search; NULL: at the end.
static void alarms_put_in_order(struct alarms *a, struct alarm_entry *e, struct alarm_entry *near)
{
    struct alarm_entry *before = alarms_seek(a, near, e->alarm.event_sequence);
    if (before)
        TAILQ_INSERT_AFTER(&a->order, before, e, in_order);
    else
        TAILQ_INSERT_HEAD(&a->order, e, in_order);
}

static void alarms_take_from_order(struct alarms *a, struct alarm_entry *e)
{
    if (a->page_end == e)
        a->page_end = TAILQ_PREV(e, alarm_entries, in_order);
    if (a->near == e)
        a->near = TAILQ_PREV(e, alarm_entries, in_order);
    TAILQ_REMOVE(&a->order, e, in_order);
}

static void alarms_pack(struct alarm_entry *e, const struct alarm *alarm)
{
    compact_alarm_pack(&e->alarm, alarm);
    const struct catalogue_entry *type = e->alarm.type ? catalogue_find(e->alarm.type) : NULL;
    e->row = type ? (uint16_t)catalogue_event_of(type) : CATALOGUE_COUNT;
    e->standing = (uint8_t)alarm_standing(alarm, type);
}

// Returns NULL if there is no room.
static struct alarm_entry *alarms_add(struct alarms *a, const struct alarm *alarm,
                                      struct alarm_entry *near)
{
    if (hash_is_full(&a->by_key))
        return NULL;
    struct alarm_entry *e = memory_zeroed(1, sizeof *e);
    alarms_pack(e, alarm);
    hash_add(&a->by_key, &e->by_key, hash_digest_string(&a->by_key, alarm->key));
    alarms_put_in_order(a, e, near);
    return e;
}

// How many active alarms have the event as their root cause; NULL: none.
static struct cause *alarms_find_cause(const struct alarms *a, const char *id)
{
    struct hash_node *node = hash_find(&a->causes, hash_digest_string(&a->causes, id));
    while (node && strcmp(HASH_THING(node, struct cause, by_id)->id, id) != 0)
        node = hash_find_next(node);
    return HASH_THING(node, struct cause, by_id);
}

static void alarms_count_cause(struct alarms *a, const char *id, int step)
{
    struct cause *cause = alarms_find_cause(a, id);
    if (!cause) {
        cause = memory_zeroed(1, sizeof *cause);
        memcpy(cause->id, id, EVENT_ID_SIZE);
        hash_add(&a->causes, &cause->by_id, hash_digest_string(&a->causes, id));
    }
    cause->alarms += (uint32_t)step;
    if (cause->alarms > 0)
        return;
    hash_remove(&a->causes, &cause->by_id);
    free(cause);
}

// Counts an active alarm: `step` is 1 or -1.
static void alarms_tally(struct alarms *a, const struct alarm_entry *e, int step)
{
    char cause_id[EVENT_ID_SIZE];
    a->active.of[e->row][e->alarm.severity] += (uint32_t)step;
    a->active.by_standing[e->standing] += (uint32_t)step;
    if (e->standing == ALARM_OPEN) {
        a->active.open[e->alarm.severity] += (uint32_t)step;
        a->active.open_of[e->row][e->alarm.severity] += (uint32_t)step;
    }
    compact_alarm_cause(&e->alarm, cause_id);
    if (cause_id[0] != '\0')
        alarms_count_cause(a, cause_id, step);
}

static void alarms_replace(struct alarms *a, struct alarm_entry *e, const struct alarm *alarm,
                           struct alarm_entry *near)
{
    const int64_t number = e->alarm.event_sequence;
    if (e->active)
        alarms_tally(a, e, -1);
    alarms_pack(e, alarm);
    if (e->active)
        alarms_tally(a, e, 1);
    if (alarm->event_sequence != number) {
        near = near == e ? TAILQ_NEXT(e, in_order) : near;
        alarms_take_from_order(a, e);
        alarms_put_in_order(a, e, near);
    }
}

static void alarms_drop(struct alarms *a, struct alarm_entry *e)
{
    if (a->to_write == e)
        a->to_write = TAILQ_NEXT(e, in_changed);
    if (e->changed)
        TAILQ_REMOVE(&a->changed, e, in_changed);
    alarms_take_from_order(a, e);
    hash_remove(&a->by_key, &e->by_key);
    compact_alarm_clear(&e->alarm);
    free(e);
}

static void alarms_note_change(struct alarms *a, struct alarm_entry *e)
{
    mirror_note(&a->mirror);
    e->revision++;
    if (!e->changed)
        TAILQ_INSERT_TAIL(&a->changed, e, in_changed);
    e->changed = true;
}

static void alarms_set_active(struct alarms *a, struct alarm_entry *e, bool active)
{
    if (active == e->active)
        return;
    alarms_tally(a, e, active ? 1 : -1);
    e->active = active;
}

// Raising and clearing.

static bool alarms_raise(struct alarms *a, const struct event *event, int64_t sequence)
{
    struct alarm alarm;
    struct alarm_entry *e = alarms_find(a, event->alarm_key);
    if (e)
        compact_alarm_unpack(&e->alarm, &alarm);
    const bool late = e && e->active && alarm_is_notified_late(&alarm, event);
    if (!e)
        alarm = alarm_of_event(event, sequence);
    else if (!e->active)
        alarm = alarm_begin_again(&alarm, event, sequence);
    alarm.count += !late;
    alarm_note_raise(&alarm, event, sequence);
    if (e)
        alarms_replace(a, e, &alarm, NULL);
    else if (!(e = alarms_add(a, &alarm, NULL)))
        return false;
    alarms_set_active(a, e, true);
    alarms_note_change(a, e);
    return true;
}

static bool alarms_clear(struct alarms *a, const struct event *event, int64_t sequence)
{
    struct alarm_entry *e = alarms_find(a, event->alarm_key);
    struct alarm alarm = alarm_of_event(event, sequence);
    if (!e && a->mirror.loaded)
        return true;
    if (!e && !(e = alarms_add(a, &alarm, NULL))) // the file, not read yet, may have the alarm
        return false;
    compact_alarm_unpack(&e->alarm, &alarm);
    alarm_note_end(&alarm, event);
    alarm.last_sequence = sequence;
    alarms_replace(a, e, &alarm, NULL);
    alarms_set_active(a, e, false);
    a->keeps_ends |= alarms_is_kept(e);
    alarms_note_change(a, e);
    if (a->mirror.loaded && e->written == 0 && !e->alarm.over)
        alarms_drop(a, e);
    return true;
}

// Returns the alarms, locked.
static struct alarms *alarms_lock(const struct journal *journal)
{
    struct alarms *alarms = journal->mirrors[STORE_ALARMS]->self;
    pthread_mutex_lock(&alarms->lock);
    return alarms;
}

bool alarms_apply(struct journal *journal, const struct event *event, int64_t sequence)
{
    bool ok = true;
    if (event->alarm_key[0] == '\0' || event->test)
        return true;
    struct alarms *alarms = alarms_lock(journal);
    if (event->type->alarm == ALARM_RAISES)
        ok = alarms_raise(alarms, event, sequence);
    else if (event->type->alarm == ALARM_CLEARS)
        ok = alarms_clear(alarms, event, sequence);
    pthread_mutex_unlock(&alarms->lock);
    return ok;
}

// The mirrored table.

// The alarm was raised before the file could be read, and the file has the alarm, too: a single
// alarm, raised again.
static void alarms_merge(struct alarms *a, struct alarm_entry *e, const struct alarm *stored)
{
    struct alarm alarm;
    compact_alarm_unpack(&e->alarm, &alarm);
    if (alarm.last_id[0] == '\0')
        memcpy(alarm.last_id, alarm.event_id, sizeof alarm.last_id);
    alarm.event_sequence = stored->event_sequence;
    alarm.raised_us = stored->raised_us;
    alarm.count += stored->count;
    alarm.acknowledged_us = stored->acknowledged_us;
    alarm.shelved_for_us = stored->shelved_for_us;
    alarm.shelved_until_us =
        maintenance_windows_end(a->clock, stored->shelved_until_us, stored->shelved_for_us);
    memcpy(alarm.event_id, stored->event_id, sizeof alarm.event_id);
    if (alarm.told_sequence == 0)
        alarm.told_sequence = stored->told_sequence;
    if (alarm.notified == ALARM_NOT_NOTIFIED) {
        alarm.notified = stored->notified;
        memcpy(alarm.notified_id, stored->notified_id, sizeof alarm.notified_id);
    }
    memcpy(alarm.note, stored->note, sizeof alarm.note);
    memcpy(alarm.acknowledged_by, stored->acknowledged_by, sizeof alarm.acknowledged_by);
    memcpy(alarm.shelved_by, stored->shelved_by, sizeof alarm.shelved_by);
    alarms_replace(a, e, &alarm, a->near);
    alarms_note_change(a, e);
}

static void alarms_take(void *self, const void *row)
{
    struct alarms *a = self;
    const struct alarm *stored = row;
    struct alarm_entry *e = alarms_find(a, stored->key);
    if (!e && (e = alarms_add(a, stored, a->near)) != NULL) {
        alarms_set_active(a, e, !stored->over);
        a->keeps_ends |= alarms_is_kept(e);
        e->revision = 1;
        e->alarm.shelved_until_us =
            maintenance_windows_end(a->clock, stored->shelved_until_us, stored->shelved_for_us);
        if (e->alarm.shelved_until_us != stored->shelved_until_us)
            alarms_note_change(a, e);
        a->near = e; // the file has the order of numbers: alarms come near each other
    } else if (e && e->active && e->written == 0) {
        alarms_merge(a, e, stored);
        a->near = e;
    }
    if (e && e->written == 0)
        e->written = 1;
}

static void alarms_plan(void *self)
{
    struct alarms *a = self;
    a->to_write = TAILQ_FIRST(&a->changed);
}

static enum mirror_step alarms_next(void *self, void *row)
{
    struct alarms *a = self;
    enum mirror_step step = MIRROR_END;
    pthread_mutex_lock(&a->lock);
    struct alarm_entry *e = a->to_write;
    if (e) {
        compact_alarm_unpack(&e->alarm, row);
        step = alarms_is_open(e) ? MIRROR_SET : MIRROR_DELETE;
        e->written = e->revision;
        a->to_write = TAILQ_NEXT(e, in_changed);
    }
    pthread_mutex_unlock(&a->lock);
    return step;
}

static void alarms_committed(void *self)
{
    struct alarms *a = self;
    for (struct alarm_entry *e = TAILQ_FIRST(&a->changed), *next; e; e = next) {
        next = TAILQ_NEXT(e, in_changed);
        if (e->written != e->revision)
            continue; // an operator changed the alarm after the write
        TAILQ_REMOVE(&a->changed, e, in_changed);
        e->changed = false;
        if (!alarms_is_open(e))
            alarms_drop(a, e);
    }
}

static void alarms_begin_file(void *self)
{
    struct alarms *a = self;
    for (struct alarm_entry *e = TAILQ_FIRST(&a->order), *next; e; e = next) {
        next = TAILQ_NEXT(e, in_order);
        if (alarms_is_open(e))
            alarms_note_change(a, e);
        else
            alarms_drop(a, e);
    }
}

static void alarms_free(void *self)
{
    struct alarms *a = self;
    for (struct alarm_entry *e = TAILQ_FIRST(&a->order), *next; e; e = next) {
        next = TAILQ_NEXT(e, in_order);
        alarms_set_active(a, e, false); // frees its root cause
        compact_alarm_clear(&e->alarm);
        free(e);
    }
    hash_clear(&a->by_key);
    hash_clear(&a->causes);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

static const struct mirror_kind ALARMS = {.table = STORE_ALARMS,
                                          .take = alarms_take,
                                          .plan = alarms_plan,
                                          .next = alarms_next,
                                          .committed = alarms_committed,
                                          .begin_file = alarms_begin_file,
                                          .free = alarms_free};

struct mirror *alarms_new(const struct random *random, const struct clock *clock)
{
    struct alarms *a = memory_zeroed(1, sizeof *a);
    a->clock = clock;
    hash_init(&a->by_key, ALARMS_MAX, random);
    hash_init(&a->causes, ALARMS_MAX, random);
    pthread_mutex_init(&a->lock, NULL);
    TAILQ_INIT(&a->order);
    TAILQ_INIT(&a->changed);
    return mirror_init(&a->mirror, &ALARMS, a, &a->lock);
}

// Any thread.

void alarms_note_past(const struct journal *journal, struct event *event)
{
    const enum alarm_role role = event->test ? ALARM_NONE : event_alarm(event);
    if (role != ALARM_RAISES && role != ALARM_CLEARS)
        return;
    struct alarms *alarms = alarms_lock(journal);
    const struct alarm_entry *e = alarms_find(alarms, event->alarm_key);
    const bool open = e && alarms_is_open(e);
    event->cleared_number = open && role == ALARM_CLEARS ? e->alarm.event_sequence : 0;
    const bool anew = open && role == ALARM_RAISES && e->alarm.notified == ALARM_END_ELSEWHERE;
    event->told_number = open && !anew ? e->alarm.told_sequence : 0;
    pthread_mutex_unlock(&alarms->lock);
}

size_t alarms_list_events(const struct journal *journal, int64_t after, int64_t through,
                          int64_t since, struct alarm_events *out, size_t n)
{
    struct alarms *alarms = alarms_lock(journal);
    size_t count = 0;
    struct alarm_entry *e = alarms_seek(alarms, TAILQ_FIRST(&alarms->order), after);
    e = e ? TAILQ_NEXT(e, in_order) : TAILQ_FIRST(&alarms->order);
    for (; e && count < n && e->alarm.event_sequence <= through; e = TAILQ_NEXT(e, in_order)) {
        if (!alarms_is_open(e) || e->alarm.last_sequence < since)
            continue;
        snprintf(out[count].key, sizeof out->key, "%s", compact_alarm_key(&e->alarm));
        out[count].first = e->alarm.event_sequence;
        out[count].last = e->alarm.last_sequence;
        out[count++].told = e->alarm.told_sequence;
    }
    pthread_mutex_unlock(&alarms->lock);
    return count;
}

bool journal_has_all_alarms(struct journal *journal, uint64_t *changes)
{
    struct alarms *alarms = alarms_lock(journal);
    const bool loaded = alarms->mirror.loaded;
    *changes = atomic_load(&alarms->mirror.revision);
    pthread_mutex_unlock(&alarms->lock);
    return loaded;
}

void journal_count_alarms(const struct journal *journal, struct alarm_counts *out)
{
    struct alarms *alarms = alarms_lock(journal);
    *out = alarms->active;
    pthread_mutex_unlock(&alarms->lock);
}

bool journal_alarm_is_active(struct journal *journal, const char *key)
{
    struct alarms *alarms = alarms_lock(journal);
    const struct alarm_entry *e = alarms_find(alarms, key);
    const bool active = e && e->active;
    pthread_mutex_unlock(&alarms->lock);
    return active;
}

static void alarms_complete(const struct alarms *a, const struct alarm_entry *e, struct alarm *out)
{
    compact_alarm_unpack(&e->alarm, out);
    const struct cause *raised = alarms_find_cause(a, out->event_id);
    const struct cause *notified = strcmp(out->notified_id, out->event_id) != 0
                                       ? alarms_find_cause(a, out->notified_id)
                                       : NULL;
    out->consequences = (raised ? raised->alarms : 0) + (notified ? notified->alarms : 0);
}

enum { WORST_COMPARED = 1000 }; // of the worst severity, the newest

bool journal_worst_alarm(const struct journal *journal, enum alarm_standing standing,
                         struct alarm *out)
{
    struct alarms *alarms = alarms_lock(journal);
    const struct alarm_entry *e;
    enum severity most = SEVERITY_EMERGENCY;
    size_t compared = 0;
    bool found = false;
    while (standing == ALARM_OPEN && most < SEVERITY_DEBUG && alarms->active.open[most] == 0)
        most++;
    TAILQ_FOREACH_REVERSE(e, &alarms->order, alarm_entries, in_order)
    {
        struct alarm one;
        if (alarms->active.by_standing[standing] == 0)
            break;
        if (!e->active || e->standing != standing || (found && e->alarm.severity > out->severity))
            continue;
        alarms_complete(alarms, e, &one);
        if (!found || one.severity < out->severity || one.consequences > out->consequences)
            *out = one;
        found = true;
        if (out->severity <= most && ++compared == WORST_COMPARED)
            break;
    }
    pthread_mutex_unlock(&alarms->lock);
    return found;
}

// The first wanted alarm from `e` on, or NULL.
static struct alarm_entry *alarms_wanted(struct alarm_entry *e, enum journal_alarms which)
{
    while (e && !(which == JOURNAL_OPEN_ALARMS ? alarms_is_open(e) : e->active))
        e = TAILQ_NEXT(e, in_order);
    return e;
}

void journal_read_alarms(struct journal *journal, enum journal_alarms which,
                         struct alarm_page *page)
{
    struct alarms *alarms = alarms_lock(journal);
    struct alarm_entry *from = alarms->page_end;
    if (!from || from->alarm.event_sequence > page->after)
        from = TAILQ_FIRST(&alarms->order);
    struct alarm_entry *e = alarms_seek(alarms, from, page->after);
    e = alarms_wanted(e ? TAILQ_NEXT(e, in_order) : TAILQ_FIRST(&alarms->order), which);
    for (page->count = 0; e && page->count < page->room; page->count++) {
        alarms_complete(alarms, e, &page->all[page->count]);
        page->after = e->alarm.event_sequence;
        alarms->page_end = e;
        e = alarms_wanted(TAILQ_NEXT(e, in_order), which);
    }
    page->more = e != NULL;
    pthread_mutex_unlock(&alarms->lock);
}

void journal_each_alarm(struct journal *journal, enum journal_alarms which,
                        void (*each)(void *ctx, const struct alarm *alarm), void *ctx)
{
    struct alarms *alarms = alarms_lock(journal);
    struct alarm_entry *e = alarms_wanted(TAILQ_FIRST(&alarms->order), which);
    for (; e; e = alarms_wanted(TAILQ_NEXT(e, in_order), which)) {
        struct alarm alarm;
        alarms_complete(alarms, e, &alarm);
        each(ctx, &alarm);
    }
    pthread_mutex_unlock(&alarms->lock);
}

// An alarm that an operator or policy changes, under the lock.
struct alarms_change {
    struct alarms *alarms;
    struct alarm_entry *entry; // NULL: there is no such alarm
    struct alarm alarm;
};

// `ended`: also an alarm that has ended and is kept.
static struct alarms_change alarms_begin(const struct journal *journal, const char *key, bool ended)
{
    struct alarms_change change = {.alarms = alarms_lock(journal)};
    struct alarm_entry *e = alarms_find(change.alarms, key);
    change.entry = e && (e->active || (ended && e->alarm.over)) ? e : NULL;
    if (change.entry)
        compact_alarm_unpack(&e->alarm, &change.alarm);
    return change;
}

static bool alarms_end(const struct alarms_change *change)
{
    struct alarms *a = change->alarms;
    struct alarm_entry *e = change->entry;
    if (e) {
        alarms_replace(a, e, &change->alarm, NULL);
        a->keeps_ends |= alarms_is_kept(e);
        alarms_note_change(a, e);
    }
    pthread_mutex_unlock(&a->lock);
    return e != NULL;
}

bool journal_acknowledge_alarm(struct journal *journal, const char *key, const char *who,
                               const char *note)
{
    struct alarms_change change = alarms_begin(journal, key, false);
    struct alarm *alarm = &change.alarm;
    if (change.entry) {
        alarm->acknowledged_us = who ? clock_utc(journal->options.clock) : 0;
        text_clean(who ? who : "", who ? strlen(who) : 0, alarm->acknowledged_by,
                   sizeof alarm->acknowledged_by);
        text_clean(note, strlen(note), alarm->note, sizeof alarm->note);
    }
    return alarms_end(&change);
}

bool journal_shelve_alarm(struct journal *journal, const char *key, int64_t until_us,
                          const char *who)
{
    struct alarms_change change = alarms_begin(journal, key, true);
    struct alarm *alarm = &change.alarm;
    if (change.entry) {
        alarm->shelved_until_us = until_us;
        alarm->shelved_for_us = until_us != 0 ? until_us - clock_utc(journal->options.clock) : 0;
        text_clean(who, until_us != 0 ? strlen(who) : 0, alarm->shelved_by,
                   sizeof alarm->shelved_by);
    }
    return alarms_end(&change);
}

void journal_explain_alarm(struct journal *journal, const char *key, const char *cause_id,
                           const char *suppressed)
{
    struct alarms_change change = alarms_begin(journal, key, false);
    if (change.entry) {
        snprintf(change.alarm.cause_id, sizeof change.alarm.cause_id, "%s", cause_id);
        snprintf(change.alarm.suppressed, sizeof change.alarm.suppressed, "%s", suppressed);
    }
    alarms_end(&change);
}

void alarms_move_ends(const struct journal *journal, int64_t step_us)
{
    struct alarms *alarms = alarms_lock(journal);
    struct alarm_entry *e;
    TAILQ_FOREACH(e, &alarms->order, in_order)
    {
        if (e->alarm.shelved_until_us != 0) {
            e->alarm.shelved_until_us += step_us;
            alarms_note_change(alarms, e);
        }
    }
    pthread_mutex_unlock(&alarms->lock);
}

void journal_forget_ends(struct journal *journal, int64_t before_us)
{
    struct alarms *alarms = alarms_lock(journal);
    const int64_t now_us = clock_utc(journal->options.clock);
    bool left = false;
    struct alarm_entry *e = alarms->keeps_ends ? TAILQ_FIRST(&alarms->order) : NULL;
    for (; e; e = TAILQ_NEXT(e, in_order)) {
        struct compact_alarm *alarm = &e->alarm;
        if (!alarms_is_kept(e))
            continue;
        if (alarm->notified == ALARM_END_ELSEWHERE && alarm->last_us < before_us)
            alarm->notified = ALARM_NOT_NOTIFIED;
        if (alarm->shelved_until_us < now_us)
            alarm->shelved_until_us = 0;
        alarm->over = alarm->notified != ALARM_NOT_NOTIFIED || alarm->shelved_until_us != 0;
        left |= alarms_is_kept(e);
        if (!alarm->over)
            alarms_note_change(alarms, e);
    }
    alarms->keeps_ends = left;
    pthread_mutex_unlock(&alarms->lock);
}
