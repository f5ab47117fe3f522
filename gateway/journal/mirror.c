// SPDX-License-Identifier: BSD-2-Clause
#include "journal/mirror.h"

#include "base/memory.h"

#include <stdlib.h>

struct mirror *mirror_init(struct mirror *mirror, const struct mirror_kind *kind, void *self,
                           pthread_mutex_t *lock)
{
    *mirror = (struct mirror){.kind = kind, .self = self, .lock = lock};
    return mirror;
}

static void mirror_take(void *ctx, const void *row)
{
    struct mirror *m = ctx;
    pthread_mutex_lock(m->lock);
    m->kind->take(m->self, row);
    pthread_mutex_unlock(m->lock);
}

enum store_result mirror_load(struct mirror *mirror, struct store *store, struct error *err)
{
    if (mirror->loaded)
        return STORE_OK;
    enum store_result result =
        store_read_rows(store, mirror->kind->table, mirror_take, mirror, err);
    mirror->anew = false; // memory knows now which rows the file has
    if (mirror->kind->taken)
        result = mirror->kind->taken(mirror->self, result, err);
    pthread_mutex_lock(mirror->lock);
    mirror->loaded = result == STORE_OK;
    pthread_mutex_unlock(mirror->lock);
    return result;
}

void mirror_plan(struct mirror *mirror)
{
    pthread_mutex_lock(mirror->lock);
    mirror->writes = mirror_has_changed(mirror);
    mirror->planned = atomic_load(&mirror->revision);
    if (mirror->writes && mirror->kind->plan)
        mirror->kind->plan(mirror->self);
    pthread_mutex_unlock(mirror->lock);
}

size_t mirror_write(struct mirror *mirror, struct store *store)
{
    size_t rows = 0;
    if (!mirror->writes)
        return rows;
    if (mirror->anew || mirror->kind->whole)
        store_delete_rows(store, mirror->kind->table);
    void *row = memory_get(store_row_size(mirror->kind->table));
    for (enum mirror_step step; (step = mirror->kind->next(mirror->self, row)) != MIRROR_END;
         rows++) {
        if (step == MIRROR_SET)
            store_set_row(store, mirror->kind->table, row);
        else
            store_delete_row(store, mirror->kind->table, row);
    }
    free(row);
    return rows;
}

void mirror_committed(struct mirror *mirror)
{
    if (!mirror->writes)
        return;
    mirror->writes = mirror->anew = false;
    pthread_mutex_lock(mirror->lock);
    atomic_store(&mirror->saved, mirror->planned);
    if (mirror->kind->committed)
        mirror->kind->committed(mirror->self);
    pthread_mutex_unlock(mirror->lock);
}

void mirror_begin_file(struct mirror *mirror)
{
    mirror->anew = true;
    pthread_mutex_lock(mirror->lock);
    if (mirror->kind->begin_file)
        mirror->kind->begin_file(mirror->self);
    pthread_mutex_unlock(mirror->lock);
    mirror_note(mirror);
}
