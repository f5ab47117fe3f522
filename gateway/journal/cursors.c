// SPDX-License-Identifier: BSD-2-Clause
// Cursors: up to which number each receiver has every event.
#include "journal/journal_private.h"

#include <stdio.h>
#include <string.h>

static struct cursor *find_cursor(struct journal *j, const char *name)
{
    for (size_t i = 0; i < j->cursor_count; i++) {
        if (strcmp(j->cursors[i].name, name) == 0)
            return &j->cursors[i];
    }
    return NULL;
}

// Frees the place of a cursor. The next commit deletes it from the file, too.
static void cursors_drop(struct journal *j, struct cursor *c)
{
    *c = (struct cursor){.name = ""};
    j->cursors_version++;
}

// The cursor of the receiver that has been gone for the longest time; NULL: none is gone.
static struct cursor *cursors_find_oldest_gone(struct journal *j)
{
    struct cursor *oldest = NULL;
    for (size_t i = 0; i < j->cursor_count; i++) {
        struct cursor *c = &j->cursors[i];
        if (c->gone_us != 0 && (!oldest || c->gone_us < oldest->gone_us))
            oldest = c;
    }
    return oldest;
}

// Gives a name that has no cursor a place, if need be that of a receiver that is gone. NULL: all
// places are in use.
static struct cursor *cursors_add(struct journal *j, const char *name)
{
    struct cursor *c = find_cursor(j, ""); // a free place
    if (!c && j->cursor_count < JOURNAL_RECEIVERS_MAX)
        c = &j->cursors[j->cursor_count++];
    if (!c && (c = cursors_find_oldest_gone(j)) != NULL) {
        log_write(j->options.log, LOG_LEVEL_INFO,
                  "the journal forgets receiver %s, which is gone: there are too many names",
                  c->name);
        cursors_drop(j, c);
    }
    if (!c)
        return NULL;
    *c = (struct cursor){.sequence = -1, .saved = -1, .read = -1};
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

// Notes the filter of a receiver that had the filter `before`; 0: unknown.
static void change_filter(const struct journal *j, struct cursor *c, uint64_t before,
                          uint64_t filter)
{
    if (before == filter)
        return;
    if (before != 0)
        c->filter_since = j->committed;
    c->filter = filter;
    c->saved = -1; // the next commit saves it
}

// Loading and saving.

// The cursor that had this name when the receiver began, before the file could be read.
static struct cursor *cursors_find_provisional(struct journal *j, const char *name)
{
    for (size_t i = 0; i < j->cursor_count; i++) {
        struct cursor *c = &j->cursors[i];
        if (c->provisional && strcmp(c->former[0] ? c->former : c->name, name) == 0)
            return c;
    }
    return NULL;
}

// Memory knows better than the file, except for what was in the file before its first reading. Call
// it with the lock held.
static void cursors_take(struct journal *j, const struct store_cursor *in_file)
{
    const char *receiver = in_file->receiver;
    struct cursor *c = j->cursors_loaded ? NULL : cursors_find_provisional(j, receiver);
    if (c && in_file->gone_us != 0 && c->active && !c->backlog)
        return; // it was gone, and has begun anew
    if (c) {
        c->had_through = c->sequence;
        c->sequence = c->saved = c->read = in_file->sequence;
        c->set_back = true;
        c->provisional = false; // a second reading, as of a damaged file's successor, adds nothing
        c->filter_since = in_file->filter_since;
        change_filter(j, c, in_file->filter, c->filter != 0 ? c->filter : in_file->filter);
    } else if (!j->cursors_loaded && !find_cursor(j, receiver) &&
               (c = cursors_add(j, receiver)) != NULL) {
        c->sequence = c->saved = c->read = in_file->sequence;
        c->gone_us = c->saved_gone_us = in_file->gone_us;
        c->section = c->saved_section = in_file->section;
        c->filter = in_file->filter;
        c->filter_since = in_file->filter_since;
    }
}

// Without the lock while the file is read: the disk may hang.
static void load_cursor(void *ctx, const struct store_cursor *in_file)
{
    struct journal *j = ctx;
    pthread_mutex_lock(&j->lock);
    cursors_take(j, in_file);
    pthread_mutex_unlock(&j->lock);
}

enum store_result journal_load_cursors(struct journal *journal, struct store *store,
                                       struct error *err)
{
    enum store_result result = store_read_cursors(store, load_cursor, journal, err);
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->cursor_count && result == STORE_OK; i++)
        journal->cursors[i].provisional = false;
    journal->cursors_loaded |= result == STORE_OK;
    pthread_mutex_unlock(&journal->lock);
    return result;
}

static bool cursors_is_unsaved(const struct cursor *c)
{
    return c->name[0] != '\0' && (c->sequence != c->saved || c->gone_us != c->saved_gone_us ||
                                  c->section != c->saved_section);
}

bool journal_cursors_have_changed(const struct journal *j)
{
    bool changed = j->cursors_version != j->cursors_saved_version;
    for (size_t i = 0; i < j->cursor_count; i++)
        changed |= cursors_is_unsaved(&j->cursors[i]);
    return changed;
}

static struct store_cursor cursors_row(const struct cursor *cursor)
{
    return (struct store_cursor){.receiver = cursor->name,
                                 .sequence = cursor->sequence,
                                 .gone_us = cursor->gone_us,
                                 .section = cursor->section,
                                 .filter = cursor->filter,
                                 .filter_since = cursor->filter_since};
}

void journal_plan_cursors(const struct journal *j, struct cursor_plan *out)
{
    out->version = j->cursors_version;
    out->all = j->cursors_version != j->cursors_saved_version;
    out->count = 0;
    for (size_t i = 0; i < j->cursor_count; i++) {
        const struct cursor *c = &j->cursors[i];
        if (!cursors_is_unsaved(c) && (!out->all || c->name[0] == '\0'))
            continue;
        struct planned_cursor *planned = &out->cursors[out->count++];
        planned->place = i;
        memcpy(planned->name, c->name, sizeof planned->name);
        planned->row = cursors_row(c);
        planned->row.receiver = planned->name;
    }
}

void journal_write_cursors(struct store *store, const struct cursor_plan *plan)
{
    if (plan->all)
        store_delete_cursors(store);
    for (size_t i = 0; i < plan->count; i++)
        store_set_cursor(store, &plan->cursors[i].row);
}

// A filter that changed meanwhile waits for the next commit.
void journal_cursors_committed(struct journal *j, const struct cursor_plan *plan)
{
    j->cursors_saved_version = plan->version;
    for (size_t i = 0; i < plan->count; i++) {
        const struct store_cursor *row = &plan->cursors[i].row;
        struct cursor *c = &j->cursors[plan->cursors[i].place];
        if (row->filter == c->filter && row->filter_since == c->filter_since)
            c->saved = row->sequence;
        c->saved_gone_us = row->gone_us;
        c->saved_section = row->section;
    }
}

bool journal_cursor_counts(const struct journal *j, const struct cursor *c)
{
    return c->active || (!j->receivers_known && c->name[0] != '\0' && c->gone_us == 0);
}

int64_t journal_least_cursor(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t least = journal->committed;
    for (size_t i = 0; i < journal->cursor_count; i++) {
        const struct cursor *c = &journal->cursors[i];
        if (journal_cursor_counts(journal, c) && c->sequence < least)
            least = c->sequence;
    }
    pthread_mutex_unlock(&journal->lock);
    return least;
}

int64_t journal_least_read(struct journal *journal, char name[STORE_NAME_MAX + 1])
{
    name[0] = '\0';
    pthread_mutex_lock(&journal->lock);
    int64_t least = journal->committed;
    for (size_t i = 0; i < journal->cursor_count; i++) {
        const struct cursor *c = &journal->cursors[i];
        int64_t read = c->read > c->sequence ? c->read : c->sequence;
        if (journal_cursor_counts(journal, c) && read < least) {
            least = read;
            snprintf(name, STORE_NAME_MAX + 1, "%s", c->name);
        }
    }
    pthread_mutex_unlock(&journal->lock);
    return least;
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
    struct cursor *c = find_cursor(j, name);
    if (!c)
        c = cursors_add(j, name);
    if (c && (c->sequence < 0 || (c->gone_us != 0 && !backlog))) {
        c->sequence = j->committed;
        c->provisional = !j->cursors_loaded;
        c->set_back = false;
        c->had_through = 0;
        c->filter = 0;
        c->filter_since = 0;
    }
    if (c) {
        c->active = true;
        c->backlog = backlog;
        c->gone_us = 0;
        c->read = c->sequence;
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
    change_filter(journal, c, c->filter, digest);
    pthread_mutex_unlock(&journal->lock);
}

int64_t journal_filter_since(struct journal *journal, int receiver)
{
    pthread_mutex_lock(&journal->lock);
    int64_t since = journal->cursors[receiver].filter_since;
    pthread_mutex_unlock(&journal->lock);
    return since;
}

int64_t journal_cursor(struct journal *journal, int receiver)
{
    pthread_mutex_lock(&journal->lock);
    int64_t sequence = journal->cursors[receiver].sequence;
    pthread_mutex_unlock(&journal->lock);
    return sequence;
}

void journal_advance(struct journal *journal, int receiver, int64_t sequence)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = &journal->cursors[receiver];
    if (c->set_back)
        c->had_through = sequence;
    else
        c->sequence = sequence;
    pthread_mutex_unlock(&journal->lock);
}

void journal_note_read(struct journal *journal, int receiver, int64_t sequence)
{
    pthread_mutex_lock(&journal->lock);
    journal->cursors[receiver].read = sequence;
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
        if (c->name[0] == '\0' || runs(ctx, c->name))
            continue;
        c->active = false;
        if (c->gone_us == 0)
            c->gone_us = now > 0 ? now : 1;
    }
    cursors_count_receivers(journal);
    pthread_mutex_unlock(&journal->lock);
}

void journal_note_section(struct journal *journal, int receiver, int64_t section)
{
    pthread_mutex_lock(&journal->lock);
    journal->cursors[receiver].section = section;
    pthread_mutex_unlock(&journal->lock);
}

bool journal_rename_receiver(struct journal *journal, const char *from, const char *to)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = find_cursor(journal, from), *other = find_cursor(journal, to);
    bool ok = c && (!other || !other->active);
    if (ok && other)
        cursors_drop(journal, other);
    if (ok) {
        if (c->provisional && c->former[0] == '\0')
            memcpy(c->former, c->name, sizeof c->former);
        snprintf(c->name, sizeof c->name, "%s", to);
        journal->cursors_version++;
    }
    pthread_mutex_unlock(&journal->lock);
    return ok;
}

void journal_forget_receiver(struct journal *journal, const char *name)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = find_cursor(journal, name);
    if (c)
        cursors_drop(journal, c);
    pthread_mutex_unlock(&journal->lock);
}

bool journal_forget_gone_receiver(struct journal *journal, const char *name)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = find_cursor(journal, name);
    bool gone = c && c->gone_us != 0;
    if (gone)
        cursors_drop(journal, c);
    pthread_mutex_unlock(&journal->lock);
    return gone;
}

void journal_each_receiver(struct journal *journal,
                           void (*each)(void *ctx, const struct journal_receiver_state *state),
                           void *ctx)
{
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->cursor_count; i++) {
        const struct cursor *c = &journal->cursors[i];
        const struct journal_receiver_state state = {c->name, c->sequence, c->gone_us, c->section};
        if (c->name[0] != '\0')
            each(ctx, &state);
    }
    pthread_mutex_unlock(&journal->lock);
}

bool journal_cursor_was_set_back(struct journal *journal, int receiver)
{
    pthread_mutex_lock(&journal->lock);
    bool set_back = journal->cursors[receiver].set_back;
    journal->cursors[receiver].set_back = false;
    pthread_mutex_unlock(&journal->lock);
    return set_back;
}
