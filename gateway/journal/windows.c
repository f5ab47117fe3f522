#include "journal/windows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct windows {
    pthread_mutex_t lock;
    struct journal_window all[JOURNAL_WINDOWS_MAX];
    size_t count;
    bool loaded;  // memory knows all that the file has
    bool changed; // since the last commit
};

struct windows *windows_new(void)
{
    struct windows *w = calloc(1, sizeof *w);
    if (w)
        pthread_mutex_init(&w->lock, NULL);
    return w;
}

void windows_free(struct windows *windows)
{
    if (!windows)
        return;
    pthread_mutex_destroy(&windows->lock);
    free(windows);
}

static struct journal_window *find(struct windows *w, const char *name)
{
    for (size_t i = 0; i < w->count; i++) {
        if (strcmp(w->all[i].name, name) == 0)
            return &w->all[i];
    }
    return NULL;
}

static void remove_one(struct windows *w, struct journal_window *window)
{
    *window = w->all[--w->count];
    w->changed = true;
}

static void remove_ended(struct windows *w, int64_t now)
{
    for (size_t i = w->count; i-- > 0;) {
        if (w->all[i].until_us <= now)
            remove_one(w, &w->all[i]);
    }
}

bool windows_set(struct windows *windows, const struct journal_window *window, int64_t now_us)
{
    pthread_mutex_lock(&windows->lock);
    remove_ended(windows, now_us);
    struct journal_window *place = find(windows, window->name);
    if (!place && windows->count < JOURNAL_WINDOWS_MAX)
        place = &windows->all[windows->count++];
    if (place) {
        *place = *window;
        windows->changed = true;
    }
    pthread_mutex_unlock(&windows->lock);
    return place != NULL;
}

bool windows_remove(struct windows *windows, const char *name)
{
    pthread_mutex_lock(&windows->lock);
    struct journal_window *window = find(windows, name);
    if (window)
        remove_one(windows, window);
    pthread_mutex_unlock(&windows->lock);
    return window != NULL;
}

static void take_stored(void *ctx, const struct journal_window *window)
{
    struct windows *w = ctx;
    if (w->count < JOURNAL_WINDOWS_MAX && !find(w, window->name))
        w->all[w->count++] = *window;
}

enum store_result windows_load(struct windows *windows, struct store *store, struct error *err)
{
    enum store_result result = STORE_OK;
    pthread_mutex_lock(&windows->lock);
    if (!windows->loaded) {
        result = store_read_windows(store, take_stored, windows, err);
        windows->loaded = result == STORE_OK;
    }
    pthread_mutex_unlock(&windows->lock);
    return result;
}

void windows_write(struct windows *windows, struct store *store)
{
    pthread_mutex_lock(&windows->lock);
    if (windows->changed) {
        store_delete_windows(store);
        for (size_t i = 0; i < windows->count; i++)
            store_add_window(store, &windows->all[i]);
    }
    pthread_mutex_unlock(&windows->lock);
}

void windows_committed(struct windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    windows->changed = false;
    pthread_mutex_unlock(&windows->lock);
}

void windows_begin_file(struct windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    windows->changed = windows->count > 0;
    pthread_mutex_unlock(&windows->lock);
}

bool windows_have_changed(struct windows *windows)
{
    pthread_mutex_lock(&windows->lock);
    bool changed = windows->changed;
    pthread_mutex_unlock(&windows->lock);
    return changed;
}

void windows_each(struct windows *windows,
                  void (*each)(void *ctx, const struct journal_window *window), void *ctx)
{
    pthread_mutex_lock(&windows->lock);
    for (size_t i = 0; i < windows->count; i++)
        each(ctx, &windows->all[i]);
    pthread_mutex_unlock(&windows->lock);
}
