// SPDX-License-Identifier: BSD-2-Clause
// Cursors: up to which number each receiver has every event.
#include "journal/journal_private.h"

#include <stdio.h>
#include <string.h>

static const struct cursor NO_CURSOR = {.sequence = -1, .saved = -1};

static struct cursor *find_cursor(struct journal *j, const char *name)
{
    struct cursor *c = NULL; // a free place
    for (size_t i = 0; i < j->cursor_count; i++) {
        if (strcmp(j->cursors[i].name, name) == 0)
            return &j->cursors[i];
        if (j->cursors[i].name[0] == '\0')
            c = &j->cursors[i];
    }
    if (!c && j->cursor_count == JOURNAL_RECEIVERS_MAX)
        return NULL;
    if (!c)
        c = &j->cursors[j->cursor_count++];
    *c = NO_CURSOR;
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

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

static void load_cursor(void *ctx, const char *receiver, const struct store_cursor *saved)
{
    struct journal *j = ctx;
    struct cursor *c = find_cursor(j, receiver);
    if (!c || (c->active && !c->provisional))
        return;
    c->had_through = c->provisional ? c->sequence : 0;
    c->sequence = c->saved = saved->sequence;
    c->set_back = c->provisional;
    c->filter_since = saved->filter_since;
    if (c->filter == 0)
        c->filter = saved->filter;
    else
        change_filter(j, c, saved->filter, c->filter);
}

enum store_result journal_load_cursors(struct journal *journal, struct error *err)
{
    pthread_mutex_lock(&journal->lock);
    enum store_result result = store_read_cursors(journal->writer, load_cursor, journal, err);
    for (size_t i = 0; i < journal->cursor_count && result == STORE_OK; i++)
        journal->cursors[i].provisional = false;
    pthread_mutex_unlock(&journal->lock);
    return result;
}

// Frees the place of a forgotten cursor, unless its receiver has been registered again meanwhile.
void journal_cursor_committed(struct cursor *c, const struct store_cursor *saved, bool forget)
{
    if (saved->filter == c->filter && saved->filter_since == c->filter_since)
        c->saved = saved->sequence;
    if (forget && c->forgotten)
        *c = NO_CURSOR;
}

int64_t journal_least_cursor(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t least = journal->committed;
    for (size_t i = 0; i < journal->cursor_count; i++) {
        if (journal->cursors[i].active && journal->cursors[i].sequence < least)
            least = journal->cursors[i].sequence;
    }
    pthread_mutex_unlock(&journal->lock);
    return least;
}

int journal_receiver(struct journal *journal, const char *name)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = find_cursor(journal, name);
    if (c) {
        c->active = true;
        if (c->forgotten) {
            c->sequence = -1;
            c->filter = 0;
            c->filter_since = 0;
        }
        c->forgotten = false;
        if (c->sequence < 0) {
            c->sequence = journal->committed;
            c->provisional = journal->writer == NULL;
        }
    }
    int handle = c ? (int)(c - journal->cursors) : -1;
    pthread_mutex_unlock(&journal->lock);
    return handle;
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
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->cursor_count; i++)
        journal->cursors[i].active &= runs(ctx, journal->cursors[i].name);
    pthread_mutex_unlock(&journal->lock);
}

void journal_forget_receiver(struct journal *journal, const char *name)
{
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->cursor_count; i++) {
        struct cursor *c = &journal->cursors[i];
        if (strcmp(c->name, name) == 0) {
            c->active = false;
            c->forgotten = true;
        }
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
