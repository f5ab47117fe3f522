// SPDX-License-Identifier: BSD-2-Clause
// What has to be remembered of NVIDIA's devices beyond a restart (struct device_memory): all in
// memory, and each in the file from the next commit on.
#include "journal/journal_private.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum device_rows_state { SAVED, CHANGED, PLANNED };

struct device_row {
    struct device_memory memory;
    enum device_rows_state state;
};

struct device_rows {
    struct mirror mirror;
    pthread_mutex_t lock;   // guards the members up to `capacity`
    struct device_row *all; // ascending by device, port and page
    size_t count, capacity;
    // The file's thread only.
    struct device_memory *planned;
    size_t planned_count, planned_capacity, next;
};

static int device_rows_compare(const struct device_memory *a, const struct device_memory *b)
{
    if (a->guid != b->guid)
        return a->guid < b->guid ? -1 : 1;
    return a->port != b->port ? (int)a->port - b->port : (int)a->page - b->page;
}

// The row of that key; NULL: there is none. `place`: where the row is, or would be.
static struct device_row *device_rows_find(const struct device_rows *rows,
                                           const struct device_memory *key, size_t *place)
{
    size_t at;
    SEARCH_FIRST(at, 0, rows->count, device_rows_compare(&rows->all[at].memory, key) < 0);
    *place = at;
    return at < rows->count && device_rows_compare(&rows->all[at].memory, key) == 0 ? &rows->all[at]
                                                                                    : NULL;
}

// Adds a row at the place that device_rows_find returned. Without room, adds nothing.
static void device_rows_add(struct device_rows *rows, size_t place,
                            const struct device_memory *memory, enum device_rows_state state)
{
    if (rows->count == DEVICE_MEMORIES_MAX)
        return;
    MEMORY_MAKE_ROOM(rows->all, rows->count, rows->capacity);
    struct device_row *row = &rows->all[place];
    memmove(row + 1, row, (rows->count++ - place) * sizeof *row);
    *row = (struct device_row){*memory, state};
}

// The mirrored table. A row that memory has is newer than that of the file.

static void device_rows_take(void *self, const void *row)
{
    struct device_rows *rows = self;
    size_t at;
    if (!device_rows_find(rows, row, &at))
        device_rows_add(rows, at, row, SAVED);
}

static void device_rows_plan(void *self)
{
    struct device_rows *rows = self;
    rows->planned_count = rows->next = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->all[i].state == SAVED)
            continue;
        rows->all[i].state = PLANNED;
        MEMORY_MAKE_ROOM(rows->planned, rows->planned_count, rows->planned_capacity);
        rows->planned[rows->planned_count++] = rows->all[i].memory;
    }
}

static enum mirror_step device_rows_next(void *self, void *row)
{
    struct device_rows *rows = self;
    if (rows->next == rows->planned_count)
        return MIRROR_END;
    memcpy(row, &rows->planned[rows->next++], sizeof *rows->planned);
    return MIRROR_SET;
}

static void device_rows_committed(void *self)
{
    struct device_rows *rows = self;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->all[i].state == PLANNED)
            rows->all[i].state = SAVED;
    }
    free(rows->planned);
    rows->planned = NULL;
    rows->planned_count = rows->planned_capacity = 0;
}

static void device_rows_begin_file(void *self)
{
    struct device_rows *rows = self;
    for (size_t i = 0; i < rows->count; i++)
        rows->all[i].state = CHANGED;
}

static void device_rows_free(void *self)
{
    struct device_rows *rows = self;
    free(rows->planned);
    free(rows->all);
    pthread_mutex_destroy(&rows->lock);
    free(rows);
}

static const struct mirror_kind DEVICES = {.table = STORE_DEVICES,
                                           .take = device_rows_take,
                                           .plan = device_rows_plan,
                                           .next = device_rows_next,
                                           .committed = device_rows_committed,
                                           .begin_file = device_rows_begin_file,
                                           .free = device_rows_free};

struct mirror *device_rows_new(void)
{
    struct device_rows *rows = memory_zeroed(1, sizeof *rows);
    pthread_mutex_init(&rows->lock, NULL);
    return mirror_init(&rows->mirror, &DEVICES, rows, &rows->lock);
}

// The public functions (journal.h).

bool journal_recall_device(struct journal *journal, struct device_memory *memory)
{
    struct device_rows *rows = journal->mirrors[STORE_DEVICES]->self;
    size_t at;
    pthread_mutex_lock(&rows->lock);
    const struct device_row *row = device_rows_find(rows, memory, &at);
    if (row)
        *memory = row->memory;
    pthread_mutex_unlock(&rows->lock);
    return row != NULL;
}

void journal_remember_device(struct journal *journal, const struct device_memory *memory)
{
    struct device_rows *rows = journal->mirrors[STORE_DEVICES]->self;
    size_t at;
    pthread_mutex_lock(&rows->lock);
    struct device_row *row = device_rows_find(rows, memory, &at);
    const bool is_same =
        row && row->memory.good == memory->good && strcmp(row->memory.serial, memory->serial) == 0;
    if (!row)
        device_rows_add(rows, at, memory, CHANGED);
    else if (!is_same)
        *row = (struct device_row){*memory, CHANGED};
    if (!is_same)
        mirror_note(&rows->mirror);
    pthread_mutex_unlock(&rows->lock);
}
