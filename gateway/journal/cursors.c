// SPDX-License-Identifier: BSD-2-Clause
// Receivers have events, and lose events. A cursor is the number up to which a receiver has every
// event. An alarm tells of lost events that receivers had yet to get, from the first loss until the
// losses end.
#include "journal/journal_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cursor *cursors_find(struct journal *j, const char *name)
{
    for (size_t i = 0; i < j->cursor_count; i++) {
        if (strcmp(j->cursors[i].row.receiver, name) == 0)
            return &j->cursors[i];
    }
    return NULL;
}

// Gives the place to a receiver; no name: frees the place. The next commit deletes the cursor that
// the file has in this place.
static void cursors_reset(struct journal *j, struct cursor *c, const char *name)
{
    *c = (struct cursor){.row.sequence = name[0] != '\0' ? -1 : 0};
    snprintf(c->row.receiver, sizeof c->row.receiver, "%s", name);
    mirror_note(&j->cursor_mirror);
}

// The cursor of the receiver that has been gone for the longest time; NULL: none is gone.
static struct cursor *cursors_find_oldest_gone(struct journal *j)
{
    struct cursor *oldest = NULL;
    for (size_t i = 0; i < j->cursor_count; i++) {
        struct cursor *c = &j->cursors[i];
        if (c->row.gone_us != 0 && (!oldest || c->row.gone_us < oldest->row.gone_us))
            oldest = c;
    }
    return oldest;
}

// Gives a new name a place, if need be the place of a receiver that is gone. NULL: all places are
// in use.
static struct cursor *cursors_add(struct journal *j, const char *name)
{
    struct cursor *c = cursors_find(j, ""); // a free place
    if (!c && j->cursor_count < JOURNAL_RECEIVERS_MAX)
        c = &j->cursors[j->cursor_count++];
    if (!c && (c = cursors_find_oldest_gone(j)) != NULL) {
        log_write(j->options.log, LOG_LEVEL_INFO,
                  "the journal forgets receiver %s, which is gone: there are too many names",
                  c->row.receiver);
    }
    if (c)
        cursors_reset(j, c, name);
    return c;
}

// Notes the filter of a receiver that had the filter `before`; 0: unknown.
static void cursors_change_filter(struct journal *j, struct cursor *c, uint64_t before,
                                  uint64_t filter)
{
    if (before == filter)
        return;
    if (before != 0) {
        c->row.filter_since = j->committed;
        c->row.told_again = 0;
    }
    c->row.filter = filter;
    mirror_note(&j->cursor_mirror);
}

// Loading and saving.

// The cursor that had this name when the receiver began, before the file could be read.
static struct cursor *cursors_find_provisional(struct journal *j, const char *name)
{
    for (size_t i = 0; i < j->cursor_count; i++) {
        struct cursor *c = &j->cursors[i];
        if (c->provisional && strcmp(c->former[0] ? c->former : c->row.receiver, name) == 0)
            return c;
    }
    return NULL;
}

// Memory goes before the file, except for cursors from before the first reading of the file.
static void cursors_take(void *self, const void *row)
{
    struct journal *j = self;
    const struct store_cursor *in_file = row;
    struct cursor *c = cursors_find_provisional(j, in_file->receiver);
    if (c) {
        j->in_file[c - j->cursors] = *in_file;
        if (in_file->gone_us != 0 && c->active && !c->backlog)
            return; // the receiver was gone, and has begun anew
        c->had_through = c->row.sequence;
        c->row.sequence = in_file->sequence;
        c->set_back = true;
        c->provisional = false; // a second reading, as of a damaged file's successor, adds nothing
        c->row.filter_since = in_file->filter_since;
        c->row.began = in_file->began;
        c->row.lost += in_file->lost;
        c->row.told_again = in_file->told_again;
        cursors_change_filter(j, c, in_file->filter,
                              c->row.filter != 0 ? c->row.filter : in_file->filter);
        mirror_note(&j->cursor_mirror);
    } else if (!cursors_find(j, in_file->receiver) &&
               (c = cursors_add(j, in_file->receiver)) != NULL) {
        c->row = j->in_file[c - j->cursors] = *in_file;
    }
}

static enum store_result cursors_taken(void *self, enum store_result result, struct error *err)
{
    struct journal *j = self;
    (void)err;
    pthread_mutex_lock(&j->lock);
    for (size_t i = 0; i < j->cursor_count && result == STORE_OK; i++)
        j->cursors[i].provisional = false;
    j->cursor_mirror.loaded |= result == STORE_OK;
    pthread_mutex_unlock(&j->lock);
    return result;
}

static void cursors_plan(void *self)
{
    struct journal *j = self;
    for (size_t i = 0; i < j->cursor_count; i++)
        j->written[i] = j->cursors[i].row;
    j->written_count = j->cursor_count;
    j->written_next = 0;
}

static bool cursors_differ(const struct store_cursor *a, const struct store_cursor *b)
{
    return strcmp(a->receiver, b->receiver) != 0 || a->sequence != b->sequence ||
           a->gone_us != b->gone_us || a->section != b->section || a->filter != b->filter ||
           a->filter_since != b->filter_since || a->began != b->began || a->lost != b->lost ||
           a->told_again != b->told_again;
}

// First deletes the names that have left, then gives the changed rows: a name may have another
// place now.
static enum mirror_step cursors_next(void *self, void *row)
{
    struct journal *j = self;
    while (j->written_next < 2 * j->written_count) {
        const size_t step = j->written_next++, at = step % j->written_count;
        const struct store_cursor *old = &j->in_file[at], *now = &j->written[at];
        const bool renamed = strcmp(old->receiver, now->receiver) != 0;
        if (step < j->written_count && renamed && old->receiver[0] != '\0') {
            memcpy(row, old, sizeof *old);
            return MIRROR_DELETE;
        }
        if (step >= j->written_count && now->receiver[0] != '\0' && cursors_differ(old, now)) {
            memcpy(row, now, sizeof *now);
            return MIRROR_SET;
        }
    }
    return MIRROR_END;
}

static void cursors_committed(void *self)
{
    struct journal *j = self;
    memcpy(j->in_file, j->written, j->written_count * sizeof *j->written);
}

static void cursors_begin_file(void *self)
{
    struct journal *j = self;
    memset(j->in_file, 0, sizeof j->in_file);
}

static const struct mirror_kind CURSORS = {.table = STORE_CURSORS,
                                           .take = cursors_take,
                                           .taken = cursors_taken,
                                           .plan = cursors_plan,
                                           .next = cursors_next,
                                           .committed = cursors_committed,
                                           .begin_file = cursors_begin_file};

void journal_init_cursors(struct journal *journal)
{
    journal->mirrors[STORE_CURSORS] =
        mirror_init(&journal->cursor_mirror, &CURSORS, journal, &journal->lock);
}

// The events up to this number are not for the receiver any more: the receiver had them, or was
// gone then.
static int64_t cursors_passed(const struct cursor *c)
{
    return c->row.sequence > c->row.began ? c->row.sequence : c->row.began;
}

// Whether the journal keeps events for the cursor. Call this with the lock held.
static bool cursors_counts(const struct journal *j, const struct cursor *c)
{
    return c->active || (!j->receivers_known && c->row.receiver[0] != '\0' && c->row.gone_us == 0);
}

int64_t journal_least_cursor(struct journal *journal, int64_t most, char name[STORE_NAME_MAX + 1])
{
    const struct cursor *found = NULL;
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->cursor_count; i++) {
        const struct cursor *c = &journal->cursors[i];
        if (cursors_counts(journal, c) && cursors_passed(c) < most) {
            most = cursors_passed(c);
            found = c;
        }
    }
    if (name)
        snprintf(name, STORE_NAME_MAX + 1, "%s", found ? found->row.receiver : "");
    pthread_mutex_unlock(&journal->lock);
    return most;
}

// Registering.

// Call it with the lock held.
static void cursors_count_receivers(struct journal *j)
{
    size_t active = 0;
    for (size_t i = 0; i < j->cursor_count; i++)
        active += j->cursors[i].active;
    atomic_store(&j->has_several, active > 1);
}

static int cursors_register(struct journal *j, const char *name, bool backlog)
{
    pthread_mutex_lock(&j->lock);
    struct cursor *c = cursors_find(j, name);
    if (!c)
        c = cursors_add(j, name);
    if (c && (c->row.sequence < 0 || (c->row.gone_us != 0 && !backlog))) {
        if (c->row.sequence < 0)
            c->row.sequence = j->committed;
        c->provisional = !j->cursor_mirror.loaded;
        c->set_back = false;
        c->had_through = 0;
        c->row.filter = 0;
        c->row.filter_since = 0;
        c->row.told_again = 0;
        c->row.began = j->committed;
    }
    if (c) {
        c->active = true;
        c->backlog = backlog;
        c->row.gone_us = 0;
        mirror_note(&j->cursor_mirror);
    }
    cursors_count_receivers(j);
    int handle = c ? (int)(c - j->cursors) : -1;
    pthread_mutex_unlock(&j->lock);
    return handle;
}

int journal_receiver(struct journal *journal, const char *name)
{
    return cursors_register(journal, name, false);
}

int journal_receiver_with_backlog(struct journal *journal, const char *name)
{
    return cursors_register(journal, name, true);
}

void journal_note_filter(struct journal *journal, int receiver, uint64_t digest)
{
    struct cursor *c = &journal->cursors[receiver];
    pthread_mutex_lock(&journal->lock);
    cursors_change_filter(journal, c, c->row.filter, digest);
    pthread_mutex_unlock(&journal->lock);
}

static int64_t cursors_get(struct journal *j, const int64_t *number)
{
    pthread_mutex_lock(&j->lock);
    const int64_t now = *number;
    pthread_mutex_unlock(&j->lock);
    return now;
}

int64_t journal_filter_since(struct journal *journal, int receiver)
{
    return cursors_get(journal, &journal->cursors[receiver].row.filter_since);
}

void journal_note_unknown(struct journal *journal, int receiver, int64_t number)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = &journal->cursors[receiver];
    if (!c->set_back && number > c->row.began) {
        c->row.began = number;
        mirror_note(&journal->cursor_mirror);
    }
    pthread_mutex_unlock(&journal->lock);
}

void journal_note_told_again(struct journal *journal, int receiver, int64_t through)
{
    pthread_mutex_lock(&journal->lock);
    journal->cursors[receiver].row.told_again = through;
    mirror_note(&journal->cursor_mirror);
    pthread_mutex_unlock(&journal->lock);
}

bool journal_receiver_may_lack(struct journal *journal, int receiver, int64_t number)
{
    pthread_mutex_lock(&journal->lock);
    const struct store_cursor *row = &journal->cursors[receiver].row;
    const bool early = number <= row->filter_since || number <= row->began;
    const bool lacks = early && number > row->told_again;
    pthread_mutex_unlock(&journal->lock);
    return lacks;
}

int64_t journal_cursor(struct journal *journal, int receiver)
{
    pthread_mutex_lock(&journal->lock);
    int64_t sequence = cursors_passed(&journal->cursors[receiver]);
    pthread_mutex_unlock(&journal->lock);
    return sequence;
}

int64_t journal_former_cursor(struct journal *journal, int receiver)
{
    return cursors_get(journal, &journal->cursors[receiver].row.sequence);
}

void journal_advance(struct journal *journal, int receiver, int64_t sequence)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = &journal->cursors[receiver];
    if (c->set_back) {
        c->had_through = sequence;
    } else if (c->row.sequence != sequence) {
        c->row.sequence = sequence;
        mirror_note(&journal->cursor_mirror);
    }
    pthread_mutex_unlock(&journal->lock);
}

int64_t journal_had_through(struct journal *journal, int receiver, int64_t *after)
{
    pthread_mutex_lock(&journal->lock);
    int64_t through = journal->cursors[receiver].had_through;
    *after = journal->begun_after;
    pthread_mutex_unlock(&journal->lock);
    return through;
}

void journal_end_receivers(struct journal *journal, bool (*runs)(void *ctx, const char *name),
                           void *ctx)
{
    int64_t now = clock_utc(journal->options.clock);
    pthread_mutex_lock(&journal->lock);
    journal->receivers_known = true;
    for (size_t i = 0; i < journal->cursor_count; i++) {
        struct cursor *c = &journal->cursors[i];
        if (c->row.receiver[0] == '\0' || runs(ctx, c->row.receiver))
            continue;
        c->active = false;
        if (c->row.gone_us == 0) {
            c->row.gone_us = now > 0 ? now : 1;
            mirror_note(&journal->cursor_mirror);
        }
    }
    cursors_count_receivers(journal);
    pthread_mutex_unlock(&journal->lock);
}

void journal_note_section(struct journal *journal, int receiver, int64_t section)
{
    struct cursor *c = &journal->cursors[receiver];
    pthread_mutex_lock(&journal->lock);
    if (section < 0)
        atomic_store(&c->asked, false);
    if (c->row.section != section && !atomic_load(&c->asked)) {
        c->row.section = section;
        mirror_note(&journal->cursor_mirror);
    }
    pthread_mutex_unlock(&journal->lock);
}

bool journal_ask_line(struct journal *journal, const char *name)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = cursors_find(journal, name);
    const bool runs = c && c->active;
    if (runs) {
        c->row.section = -(llabs(c->row.section) | JOURNAL_ALL_ENDS);
        atomic_store(&c->asked, true);
        mirror_note(&journal->cursor_mirror);
    }
    pthread_mutex_unlock(&journal->lock);
    return runs;
}

bool journal_is_asked_line(const struct journal *journal, int receiver)
{
    return atomic_load_explicit(&journal->cursors[receiver].asked, memory_order_relaxed);
}

bool journal_rename_receiver(struct journal *journal, const char *from, const char *to)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = cursors_find(journal, from), *other = cursors_find(journal, to);
    bool ok = c && (!other || !other->active);
    if (ok && other)
        cursors_reset(journal, other, "");
    if (ok) {
        if (c->provisional && c->former[0] == '\0')
            memcpy(c->former, c->row.receiver, sizeof c->former);
        snprintf(c->row.receiver, sizeof c->row.receiver, "%s", to);
        mirror_note(&journal->cursor_mirror);
    }
    pthread_mutex_unlock(&journal->lock);
    return ok;
}

bool journal_forget_receiver(struct journal *journal, const char *name, bool only_gone)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = cursors_find(journal, name);
    const bool forgets = c && (!only_gone || c->row.gone_us != 0);
    if (forgets)
        cursors_reset(journal, c, "");
    pthread_mutex_unlock(&journal->lock);
    return forgets;
}

size_t journal_list_receivers(struct journal *journal,
                              struct journal_receiver_state out[JOURNAL_RECEIVERS_MAX])
{
    size_t n = 0;
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->cursor_count; i++) {
        const struct cursor *c = &journal->cursors[i];
        out[n] = (struct journal_receiver_state){
            .cursor = cursors_passed(c), .gone_us = c->row.gone_us, .section = c->row.section};
        memcpy(out[n].name, c->row.receiver, sizeof out[n].name);
        n += c->row.receiver[0] != '\0';
    }
    pthread_mutex_unlock(&journal->lock);
    return n;
}

bool journal_cursor_was_set_back(struct journal *journal, int receiver)
{
    pthread_mutex_lock(&journal->lock);
    bool set_back = journal->cursors[receiver].set_back;
    journal->cursors[receiver].set_back = false;
    pthread_mutex_unlock(&journal->lock);
    return set_back;
}

// Numbers.

// A gap of at least this size between two numbers is no loss of events, but comes from a start that
// could not read the file.
#define JUMP (INT64_C(1) << 25)

int64_t journal_last(struct journal *journal)
{
    return cursors_get(journal, &journal->committed);
}

int64_t journal_first_in_memory(struct journal *journal)
{
    return cursors_get(journal, &journal->first_kept);
}

int64_t journal_gap(int64_t after, int64_t before)
{
    int64_t n = before - after - 1;
    return n > 0 && n < JUMP ? n : 0;
}

int64_t journal_between(struct journal *journal, int64_t after, int64_t before)
{
    pthread_mutex_lock(&journal->lock);
    int64_t begun = journal->begun_after, in_file = journal->file_last;
    pthread_mutex_unlock(&journal->lock);
    int64_t first = after;
    if (after < begun && begun < before) // as many as without the gap
        first = begun - (in_file > after ? in_file - after : 0);
    return journal_gap(first, before);
}

// Losses.

// After this time without a loss, the loss of events is over.
static const int64_t QUIET_US = 60 * CLOCK_US_PER_S;

enum { CURSORS_REASON_SIZE = 128 };

// Counts a loss. True: the first loss since the end of the last alarm.
static bool cursors_count_loss(struct journal *j, int64_t count, int64_t through,
                               const char *reason)
{
    struct dropping *d = &j->dropping;
    pthread_mutex_lock(&j->lock);
    bool first = !d->active;
    j->status.dropped += (uint64_t)count;
    d->active = true;
    d->lost += (uint64_t)count;
    d->through = through > d->through ? through : d->through;
    d->quiet_at = clock_monotonic(j->options.clock) + QUIET_US;
    if (first)
        snprintf(d->reason, sizeof d->reason, "%s", reason);
    pthread_mutex_unlock(&j->lock);
    return first;
}

// Call this and cursors_end_loss with the lock of `notify` held.
static void cursors_report_loss(struct journal *journal, int64_t known, int64_t through,
                                const char *reason)
{
    if (!cursors_count_loss(journal, known, through, reason)) {
        log_debug(journal->options.log, "%" PRId64 " further events are lost: %s", known, reason);
        return;
    }
    log_condition(journal->options.log, LOG_LEVEL_ERROR, "%" PRId64 " events are lost: %s", known,
                  reason);
    journal->options.notify(journal->options.ctx, JOURNAL_DROPPING, reason, (uint64_t)known);
}

void journal_lose_events(struct journal *journal, int64_t count, int64_t through,
                         const char *reason)
{
    if (count == 0)
        return;
    pthread_mutex_lock(&journal->notify_lock);
    cursors_report_loss(journal, count > 0 ? count : 0, through, reason);
    pthread_mutex_unlock(&journal->notify_lock);
}

void journal_note_lost(struct journal *journal, int receiver, int64_t count)
{
    pthread_mutex_lock(&journal->lock);
    if (journal->dropping.active) {
        journal->cursors[receiver].row.lost += count;
        mirror_note(&journal->cursor_mirror);
    }
    pthread_mutex_unlock(&journal->lock);
}

void journal_resume_dropping(struct journal *journal, bool raised)
{
    int64_t last = journal_last(journal);
    pthread_mutex_lock(&journal->notify_lock);
    pthread_mutex_lock(&journal->lock);
    const struct dropping was = journal->dropping;
    bool first = !journal->listener_heard;
    const int64_t was_missing = journal->missing, missing = was.active || raised ? 0 : was_missing;
    journal->listener_heard = true;
    journal->missing = 0;
    if (!was.active && raised)
        journal->dropping =
            (struct dropping){.active = true,
                              .lost = (uint64_t)was_missing,
                              .through = last,
                              .quiet_at = clock_monotonic(journal->options.clock) + QUIET_US};
    pthread_mutex_unlock(&journal->lock);
    if (was.active && first)
        journal->options.notify(journal->options.ctx, JOURNAL_DROPPING, was.reason, was.lost);
    pthread_mutex_unlock(&journal->notify_lock);
    journal_lose_events(journal, missing, last,
                        "the last process ended before it told that the journal had no room for "
                        "them");
}

// Sets `reason` to who lacks events, and returns how many the receiver lacks that lost most. The
// next alarm begins at 0. Call it with the lock held.
static int64_t cursors_take_losses(struct journal *j, char reason[CURSORS_REASON_SIZE])
{
    int64_t most = 0;
    size_t others = 0;
    const char *name = "";
    for (size_t i = 0; i < j->cursor_count; i++) {
        struct store_cursor *row = &j->cursors[i].row;
        others += row->lost > 0 && most > 0;
        if (row->lost > most) {
            most = row->lost;
            name = row->receiver;
        }
        row->lost = 0;
    }
    mirror_note(&j->cursor_mirror);
    if (most == 0)
        snprintf(reason, CURSORS_REASON_SIZE, "every receiver got them from memory");
    else if (others == 0)
        snprintf(reason, CURSORS_REASON_SIZE, "receiver %s lacks them", name);
    else
        snprintf(reason, CURSORS_REASON_SIZE, "receiver %s lacks as many, and %zu more %s some",
                 name, others, others == 1 ? "lacks" : "lack");
    return most;
}

static void cursors_end_loss(struct journal *j, int64_t had)
{
    char reason[CURSORS_REASON_SIZE];
    int64_t lost = 0;
    pthread_mutex_lock(&j->lock);
    const struct dropping *d = &j->dropping;
    bool over = d->active && clock_monotonic(j->options.clock) >= d->quiet_at && had >= d->through;
    if (over) {
        lost = cursors_take_losses(j, reason);
        j->dropping = (struct dropping){.active = false};
    }
    pthread_mutex_unlock(&j->lock);
    if (!over)
        return;
    log_condition(j->options.log, LOG_LEVEL_INFO, "no more events are lost; %" PRId64 " were: %s",
                  lost, reason);
    j->options.notify(j->options.ctx, JOURNAL_DROPPING_ENDED, reason, (uint64_t)lost);
}

void journal_end_dropping(struct journal *journal)
{
    pthread_mutex_lock(&journal->notify_lock);
    cursors_end_loss(journal, journal_least_cursor(journal, journal_last(journal), NULL));
    pthread_mutex_unlock(&journal->notify_lock);
}
