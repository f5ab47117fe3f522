// SPDX-License-Identifier: BSD-2-Clause
// The maintenance windows, which survive a restart.
#include "journal/journal_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct maintenance_windows {
    struct mirror mirror;
    pthread_mutex_t lock;
    const struct clock *clock;
    struct maintenance now;
    // The file's thread only.
    struct maintenance writing;
    size_t next; // of `writing`
};

int64_t maintenance_windows_end(const struct clock *clock, int64_t until_us, int64_t length_us)
{
    static const int64_t YEAR_US = 366 * INT64_C(86400) * CLOCK_US_PER_S;
    const int64_t most = length_us > 0 && length_us < YEAR_US ? length_us : YEAR_US;
    const int64_t now_us = clock_utc(clock);
    return until_us > now_us && until_us - now_us > most ? now_us + most : until_us;
}

// The mirrored table.

static void maintenance_windows_take(void *self, const void *row)
{
    struct maintenance_windows *w = self;
    const struct maintenance_window *window = row;
    if (w->now.count == MAINTENANCE_MAX || maintenance_find(&w->now, window->name))
        return;
    struct maintenance_window *taken = &w->now.windows[w->now.count++];
    *taken = *window;
    taken->until_us = maintenance_windows_end(w->clock, window->until_us, window->length_us);
    if (taken->until_us != window->until_us)
        mirror_note(&w->mirror);
}

static void maintenance_windows_plan(void *self)
{
    struct maintenance_windows *w = self;
    w->writing = w->now;
    w->next = 0;
}

static enum mirror_step maintenance_windows_next(void *self, void *row)
{
    struct maintenance_windows *w = self;
    if (w->next == w->writing.count)
        return MIRROR_END;
    memcpy(row, &w->writing.windows[w->next++], sizeof *w->writing.windows);
    return MIRROR_SET;
}

static void maintenance_windows_free(void *self)
{
    struct maintenance_windows *w = self;
    pthread_mutex_destroy(&w->lock);
    free(w);
}

static const struct mirror_kind MAINTENANCE_WINDOWS = {.table = STORE_WINDOWS,
                                                       .whole = true,
                                                       .take = maintenance_windows_take,
                                                       .plan = maintenance_windows_plan,
                                                       .next = maintenance_windows_next,
                                                       .free = maintenance_windows_free};

struct mirror *maintenance_windows_new(const struct clock *clock)
{
    struct maintenance_windows *w = memory_zeroed(1, sizeof *w);
    w->clock = clock;
    pthread_mutex_init(&w->lock, NULL);
    return mirror_init(&w->mirror, &MAINTENANCE_WINDOWS, w, &w->lock);
}

// The public functions (journal.h).

bool journal_set_maintenance(struct journal *journal, const struct maintenance_window *window)
{
    struct maintenance_windows *windows = journal->mirrors[STORE_WINDOWS]->self;
    const int64_t now_us = clock_utc(journal->options.clock);
    struct maintenance_window begun = *window;
    begun.length_us = window->until_us - now_us;
    pthread_mutex_lock(&windows->lock);
    const bool ok = maintenance_start(&windows->now, &begun, now_us);
    if (ok)
        mirror_note(&windows->mirror);
    pthread_mutex_unlock(&windows->lock);
    return ok;
}

bool journal_remove_maintenance(struct journal *journal, const char *name)
{
    struct maintenance_windows *windows = journal->mirrors[STORE_WINDOWS]->self;
    pthread_mutex_lock(&windows->lock);
    const bool known = maintenance_stop(&windows->now, name);
    if (known)
        mirror_note(&windows->mirror);
    pthread_mutex_unlock(&windows->lock);
    return known;
}

void journal_each_maintenance(struct journal *journal,
                              void (*each)(void *ctx, const struct maintenance_window *window),
                              void *ctx)
{
    struct maintenance_windows *windows = journal->mirrors[STORE_WINDOWS]->self;
    pthread_mutex_lock(&windows->lock);
    for (size_t i = 0; i < windows->now.count; i++)
        each(ctx, &windows->now.windows[i]);
    pthread_mutex_unlock(&windows->lock);
}

void maintenance_windows_move_ends(const struct journal *journal, int64_t step_us)
{
    struct maintenance_windows *windows = journal->mirrors[STORE_WINDOWS]->self;
    pthread_mutex_lock(&windows->lock);
    for (size_t i = 0; i < windows->now.count; i++)
        windows->now.windows[i].until_us += step_us;
    mirror_note(&windows->mirror);
    pthread_mutex_unlock(&windows->lock);
}
