// SPDX-License-Identifier: BSD-2-Clause
#include "journal/maintenance_windows.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct maintenance_windows {
    pthread_mutex_t lock;
    struct journal_maintenance all[JOURNAL_MAINTENANCE_MAX];
    size_t count;
    bool loaded; // every window in the file has been read; used by the file's thread only
    uint64_t revision, written, saved; // now, in the last transaction, in the last commit
    // Those that the transaction writes. Used by its thread only, without the lock: the disk may
    // hang.
    struct journal_maintenance writing[JOURNAL_MAINTENANCE_MAX];
};

struct maintenance_windows *maintenance_windows_new(void)
{
    struct maintenance_windows *w = memory_zeroed(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

void maintenance_windows_free(struct maintenance_windows *windows)
{
    pthread_mutex_destroy(&windows->lock);
    free(windows);
}

static struct journal_maintenance *maintenance_windows_find(struct maintenance_windows *w,
                                                            const char *name)
{
    for (size_t i = 0; i < w->count; i++) {
        if (strcmp(w->all[i].name, name) == 0)
            return &w->all[i];
    }
    return NULL;
}

static void remove_one(struct maintenance_windows *w, struct journal_maintenance *window)
{
    *window = w->all[--w->count];
    w->revision++;
}

static void maintenance_windows_remove_ended(struct maintenance_windows *w, int64_t now)
{
    for (size_t i = w->count; i-- > 0;) {
        if (w->all[i].until_us <= now)
            remove_one(w, &w->all[i]);
    }
}

bool maintenance_windows_set(struct maintenance_windows *windows,
                             const struct journal_maintenance *window, int64_t now_us)
{
    pthread_mutex_lock(&windows->lock);
    maintenance_windows_remove_ended(windows, now_us);
    struct journal_maintenance *place = maintenance_windows_find(windows, window->name);
    if (!place && windows->count < JOURNAL_MAINTENANCE_MAX)
        place = &windows->all[windows->count++];
    if (place) {
        *place = *window;
        windows->revision++;
    }
    pthread_mutex_unlock(&windows->lock);
    return place != NULL;
}

bool maintenance_windows_remove(struct maintenance_windows *windows, const char *name)
{
    pthread_mutex_lock(&windows->lock);
    struct journal_maintenance *window = maintenance_windows_find(windows, name);
    if (window)
        remove_one(windows, window);
    pthread_mutex_unlock(&windows->lock);
    return window != NULL;
}

static void maintenance_windows_load_stored(void *ctx, const struct journal_maintenance *window)
{
    struct maintenance_windows *w = ctx;
    pthread_mutex_lock(&w->lock);
    if (w->count < JOURNAL_MAINTENANCE_MAX && !maintenance_windows_find(w, window->name))
        w->all[w->count++] = *window;
    pthread_mutex_unlock(&w->lock);
}

enum store_result maintenance_windows_load(struct maintenance_windows *windows, struct store *store,
                                           struct error *err)
{
    if (windows->loaded)
        return STORE_OK;
    enum store_result result =
        store_read_windows(store, maintenance_windows_load_stored, windows, err);
    windows->loaded = result == STORE_OK;
    return result;
}

void maintenance_windows_write(struct maintenance_windows *windows, struct store *store)
{
    pthread_mutex_lock(&windows->lock);
    bool changed = windows->revision != windows->saved;
    size_t count = changed ? windows->count : 0;
    memcpy(windows->writing, windows->all, count * sizeof *windows->all);
    windows->written = windows->revision;
    pthread_mutex_unlock(&windows->lock);
    if (changed)
        store_delete_windows(store);
    for (size_t i = 0; i < count; i++)
        store_add_window(store, &windows->writing[i]);
}

void maintenance_windows_committed(struct maintenance_windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    windows->saved = windows->written;
    pthread_mutex_unlock(&windows->lock);
}

void maintenance_windows_begin_file(struct maintenance_windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    windows->revision += windows->count > 0;
    windows->saved = windows->count > 0 ? 0 : windows->revision;
    pthread_mutex_unlock(&windows->lock);
}

bool maintenance_windows_have_changed(struct maintenance_windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    bool changed = windows->revision != windows->saved;
    pthread_mutex_unlock(&windows->lock);
    return changed;
}

void maintenance_windows_each(struct maintenance_windows *windows,
                              void (*each)(void *ctx, const struct journal_maintenance *window),
                              void *ctx)
{
    pthread_mutex_lock(&windows->lock);
    for (size_t i = 0; i < windows->count; i++)
        each(ctx, &windows->all[i]);
    pthread_mutex_unlock(&windows->lock);
}
