// SPDX-License-Identifier: BSD-2-Clause
#include "journal/setting_rows.h"

#include "journal/communities.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct setting_rows {
    const char *directory;
    pthread_mutex_t lock; // guards the next two
    struct settings *current;
    bool changed; // since the last commit

    // Used by the writer only.
    bool loaded;           // the settings in the file have been read
    struct setting *early; // changes made before that
    size_t early_count;
};

struct setting_rows *setting_rows_new(const char *directory)
{
    struct setting_rows *rows = calloc(1, sizeof *rows);
    struct settings *none = settings_with(NULL, NULL, 0);
    if (!rows || !none) {
        settings_unref(none);
        free(rows);
        return NULL;
    }
    rows->directory = directory;
    rows->current = none;
    pthread_mutex_init(&rows->lock, NULL);
    return rows;
}

void setting_rows_free(struct setting_rows *rows)
{
    if (!rows)
        return;
    settings_unref(rows->current);
    pthread_mutex_destroy(&rows->lock);
    free(rows->early);
    free(rows);
}

static void setting_rows_exchange(struct setting_rows *rows, struct settings *next, bool changed)
{
    pthread_mutex_lock(&rows->lock);
    struct settings *old = rows->current;
    rows->current = next;
    rows->changed = changed;
    pthread_mutex_unlock(&rows->lock);
    settings_unref(old);
}

// Remembers changes made before the file was read. False: no room, or memory is short.
static bool note_early(struct setting_rows *rows, const struct setting *changes, size_t n)
{
    if (rows->early_count + n > SETTINGS_MAX)
        return false;
    struct setting *grown = realloc(rows->early, (rows->early_count + n) * sizeof *grown);
    if (!grown)
        return false;
    memcpy(grown + rows->early_count, changes, n * sizeof *changes);
    rows->early = grown;
    rows->early_count += n;
    return true;
}

bool setting_rows_change(struct setting_rows *rows, const struct setting *changes, size_t n)
{
    struct settings *next = settings_with(rows->current, changes, n);
    if (!next)
        return false;
    if (n > 0 && !rows->loaded && !note_early(rows, changes, n)) {
        settings_unref(next);
        return false;
    }
    setting_rows_exchange(rows, next, true);
    return true;
}

struct loading {
    struct setting *all;
    size_t count, capacity;
    bool failed; // out of memory
    bool mixed;  // the store has communities: an earlier version wrote them
};

// Ignores settings beyond SETTINGS_MAX: ibtrapd never writes so many.
static void setting_rows_load_stored(void *ctx, const struct setting *setting)
{
    struct loading *l = ctx;
    if (l->failed || l->count == SETTINGS_MAX)
        return;
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 64;
        struct setting *grown = realloc(l->all, capacity * sizeof *grown);
        l->failed = !grown;
        if (!grown)
            return;
        l->all = grown;
        l->capacity = capacity;
    }
    l->all[l->count++] = *setting;
}

static void load_from_store(void *ctx, const struct setting *setting)
{
    struct loading *l = ctx;
    l->mixed |= setting->kind == SETTING_COMMUNITY;
    setting_rows_load_stored(l, setting);
}

// Applies the early changes to the settings in the file; without room for both, drops the changes.
// NULL: out of memory.
static struct settings *join(const struct loading *l, const struct setting_rows *rows)
{
    struct settings *stored = l->failed ? NULL : settings_with(NULL, l->all, l->count);
    struct settings *joined = stored ? settings_with(stored, rows->early, rows->early_count) : NULL;
    if (!joined)
        return stored;
    settings_unref(stored);
    return joined;
}

enum store_result setting_rows_load(struct setting_rows *rows, struct store *store,
                                    struct error *err)
{
    if (rows->loaded)
        return STORE_OK;
    struct loading loading = {0};
    enum store_result result = store_read_settings(store, load_from_store, &loading, err);
    if (result == STORE_OK &&
        !communities_load(rows->directory, setting_rows_load_stored, &loading, err))
        result = STORE_FAILED;
    struct settings *joined = result == STORE_OK ? join(&loading, rows) : NULL;
    if (loading.all)
        explicit_bzero(loading.all, loading.count * sizeof *loading.all);
    free(loading.all);
    if (result == STORE_OK && !joined) {
        error_set(err, "out of memory");
        return STORE_FAILED;
    }
    if (result != STORE_OK)
        return result;
    setting_rows_exchange(rows, joined, rows->early_count > 0 || loading.mixed);
    rows->loaded = true;
    free(rows->early);
    rows->early = NULL;
    rows->early_count = 0;
    return STORE_OK;
}

bool setting_rows_save_communities(struct setting_rows *rows, struct error *err)
{
    return !setting_rows_have_changed(rows) ||
           communities_save(rows->directory, rows->current, err);
}

void setting_rows_write(struct setting_rows *rows, struct store *store)
{
    if (!setting_rows_have_changed(rows))
        return;
    store_delete_settings(store);
    for (size_t i = 0; i < settings_count(rows->current); i++) {
        if (settings_at(rows->current, i)->kind != SETTING_COMMUNITY)
            store_add_setting(store, settings_at(rows->current, i));
    }
}

void setting_rows_committed(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    rows->changed = false;
    pthread_mutex_unlock(&rows->lock);
}

void setting_rows_begin_file(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    rows->changed = settings_count(rows->current) > 0;
    pthread_mutex_unlock(&rows->lock);
}

bool setting_rows_have_changed(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    bool changed = rows->changed;
    pthread_mutex_unlock(&rows->lock);
    return changed;
}

struct settings *setting_rows_current(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    struct settings *current = settings_ref(rows->current);
    pthread_mutex_unlock(&rows->lock);
    return current;
}
