// SPDX-License-Identifier: BSD-2-Clause
#include "journal/setting_rows.h"

#include "base/memory.h"
#include "journal/communities.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct setting_rows {
    const char *directory;
    struct settings *planned; // that the transaction writes; NULL: none changed. Its thread only
    pthread_mutex_t lock;     // guards the members below
    struct settings *current;
    uint64_t revision, written, saved; // now, in the last transaction, in the last commit
    bool loaded;                       // the settings in the file have been read
    struct setting *early;             // changes made before that
    size_t early_count;
};

struct setting_rows *setting_rows_new(const char *directory)
{
    struct setting_rows *rows = memory_zeroed(1, sizeof *rows);
    rows->directory = directory;
    rows->current = settings_with(NULL, NULL, 0);
    pthread_mutex_init(&rows->lock, NULL);
    return rows;
}

void setting_rows_free(struct setting_rows *rows)
{
    settings_unref(rows->planned);
    settings_unref(rows->current);
    pthread_mutex_destroy(&rows->lock);
    free(rows->early);
    free(rows);
}

// Call it with the lock held. Returns the old ones, for settings_unref.
static struct settings *setting_rows_exchange(struct setting_rows *rows, struct settings *next,
                                              bool changed)
{
    struct settings *old = rows->current;
    rows->current = next;
    rows->revision += changed;
    if (!changed)
        rows->saved = rows->revision;
    return old;
}

static bool note_early(struct setting_rows *rows, const struct setting *changes, size_t n)
{
    if (rows->early_count + n > SETTINGS_MAX)
        return false;
    rows->early = memory_resize(rows->early, rows->early_count + n, sizeof *rows->early);
    memcpy(rows->early + rows->early_count, changes, n * sizeof *changes);
    rows->early_count += n;
    return true;
}

bool setting_rows_change(struct setting_rows *rows, const struct setting *changes, size_t n)
{
    pthread_mutex_lock(&rows->lock);
    struct settings *old = settings_with(rows->current, changes, n);
    bool ok = old && (n == 0 || rows->loaded || note_early(rows, changes, n));
    if (ok)
        old = setting_rows_exchange(rows, old, true);
    pthread_mutex_unlock(&rows->lock);
    settings_unref(old);
    return ok;
}

struct loading {
    struct setting *all;
    size_t count, capacity;
    bool mixed; // the store has communities: an earlier version wrote them
};

// Ignores settings beyond SETTINGS_MAX: ibtrapd never writes so many.
static void setting_rows_load_stored(void *ctx, const struct setting *setting)
{
    struct loading *l = ctx;
    if (l->count == SETTINGS_MAX)
        return;
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 64;
        l->all = memory_resize(l->all, l->capacity, sizeof *l->all);
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
static struct settings *join(const struct loading *l, const struct setting_rows *rows)
{
    struct settings *stored = settings_with(NULL, l->all, l->count);
    struct settings *joined = settings_with(stored, rows->early, rows->early_count);
    if (!joined)
        return stored;
    settings_unref(stored);
    return joined;
}

static void setting_rows_take(struct setting_rows *rows, const struct loading *loading)
{
    pthread_mutex_lock(&rows->lock);
    struct settings *old =
        setting_rows_exchange(rows, join(loading, rows), rows->early_count > 0 || loading->mixed);
    rows->loaded = true;
    free(rows->early);
    rows->early = NULL;
    rows->early_count = 0;
    pthread_mutex_unlock(&rows->lock);
    settings_unref(old);
}

static bool is_loaded(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    bool loaded = rows->loaded;
    pthread_mutex_unlock(&rows->lock);
    return loaded;
}

enum store_result setting_rows_load(struct setting_rows *rows, struct store *store,
                                    struct error *err)
{
    if (is_loaded(rows))
        return STORE_OK;
    struct loading loading = {0};
    enum store_result result = store_read_settings(store, load_from_store, &loading, err);
    if (result == STORE_OK &&
        !communities_load(rows->directory, setting_rows_load_stored, &loading, err))
        result = STORE_FAILED;
    if (result == STORE_OK)
        setting_rows_take(rows, &loading);
    if (loading.all)
        explicit_bzero(loading.all, loading.count * sizeof *loading.all);
    free(loading.all);
    return result;
}

void setting_rows_plan(struct setting_rows *rows)
{
    settings_unref(rows->planned);
    pthread_mutex_lock(&rows->lock);
    rows->planned = rows->revision != rows->saved ? settings_ref(rows->current) : NULL;
    rows->written = rows->revision;
    pthread_mutex_unlock(&rows->lock);
}

bool setting_rows_save_communities(struct setting_rows *rows, struct error *err)
{
    return !rows->planned || communities_save(rows->directory, rows->planned, err);
}

void setting_rows_write(struct setting_rows *rows, struct store *store)
{
    if (!rows->planned)
        return;
    store_delete_settings(store);
    for (size_t i = 0; i < settings_count(rows->planned); i++) {
        if (settings_at(rows->planned, i)->kind != SETTING_COMMUNITY)
            store_add_setting(store, settings_at(rows->planned, i));
    }
}

void setting_rows_committed(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    rows->saved = rows->written;
    pthread_mutex_unlock(&rows->lock);
}

void setting_rows_begin_file(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    bool any = settings_count(rows->current) > 0;
    rows->revision += any;
    rows->saved = any ? 0 : rows->revision;
    pthread_mutex_unlock(&rows->lock);
}

bool setting_rows_have_changed(struct setting_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    bool changed = rows->revision != rows->saved;
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
