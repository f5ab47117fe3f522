// SPDX-License-Identifier: BSD-2-Clause
#include "journal/node_number_rows.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>

// Each member is a reference.
struct node_number_rows {
    struct node_numbers *none;    // without any number
    struct node_numbers *planned; // that the transaction writes; NULL: nothing. Its thread only
    struct node_numbers *in_file; // that the file has. The same thread only
    pthread_mutex_t adding;       // who changes `given` once it is loaded; comes before `lock`
    pthread_mutex_t lock;         // guards the members below, for moments
    struct node_numbers *given;   // all of them
    struct node_numbers *shown;   // those that were committed
    bool loaded;                  // the file has been read
    bool dirty;                   // `given` is not in the file
};

static void node_number_rows_set(struct node_numbers **member, struct node_numbers *to)
{
    struct node_numbers *old = *member;
    *member = node_numbers_ref(to);
    node_numbers_unref(old);
}

struct node_number_rows *node_number_rows_new(void)
{
    struct node_number_rows *rows = memory_zeroed(1, sizeof *rows);
    struct node_numbers *none = node_numbers_of(NULL, 0);
    rows->none = none;
    rows->in_file = node_numbers_ref(none);
    rows->given = node_numbers_ref(none);
    rows->shown = node_numbers_ref(none);
    pthread_mutex_init(&rows->adding, NULL);
    pthread_mutex_init(&rows->lock, NULL);
    return rows;
}

void node_number_rows_free(struct node_number_rows *rows)
{
    node_numbers_unref(rows->planned);
    node_numbers_unref(rows->in_file);
    node_numbers_unref(rows->given);
    node_numbers_unref(rows->shown);
    node_numbers_unref(rows->none);
    pthread_mutex_destroy(&rows->lock);
    pthread_mutex_destroy(&rows->adding);
    free(rows);
}

// All that were given, a reference; NULL: they have not been loaded.
static struct node_numbers *node_number_rows_given(struct node_number_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    struct node_numbers *given = rows->loaded ? node_numbers_ref(rows->given) : NULL;
    pthread_mutex_unlock(&rows->lock);
    return given;
}

// Numbers the nodes of a large fabric, which takes a good part of a second, without `lock`: the
// thread that takes Reports waits for that.
bool node_number_rows_add(struct node_number_rows *rows, const uint64_t *guids, size_t n)
{
    pthread_mutex_lock(&rows->adding);
    struct node_numbers *given = node_number_rows_given(rows);
    struct node_numbers *next = given ? node_numbers_with(given, guids, n) : NULL;
    if (next && next != given) {
        pthread_mutex_lock(&rows->lock);
        node_number_rows_set(&rows->given, next);
        rows->dirty = true;
        pthread_mutex_unlock(&rows->lock);
    }
    pthread_mutex_unlock(&rows->adding);
    node_numbers_unref(given);
    node_numbers_unref(next);
    return next != NULL;
}

struct node_number_list {
    struct node_number *all;
    size_t count, capacity;
};

// Ignores numbers beyond NODE_NUMBERS_MAX, and the one more that there may be.
static void node_number_rows_note(void *ctx, const struct node_number *number)
{
    struct node_number_list *l = ctx;
    if (l->count > NODE_NUMBERS_MAX)
        return;
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->all = memory_resize(l->all, l->capacity, sizeof *l->all);
    }
    l->all[l->count++] = *number;
}

static bool node_number_rows_is_loaded(struct node_number_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    const bool loaded = rows->loaded;
    pthread_mutex_unlock(&rows->lock);
    return loaded;
}

enum store_result node_number_rows_load(struct node_number_rows *rows, struct store *store,
                                        struct error *err)
{
    if (node_number_rows_is_loaded(rows))
        return STORE_OK;
    struct node_number_list list = {0};
    const enum store_result result =
        store_read_node_numbers(store, node_number_rows_note, &list, err);
    struct node_numbers *read = node_numbers_of(list.all, list.count);
    free(list.all);
    if (result != STORE_FAILED) {
        node_number_rows_set(&rows->in_file, read);
        pthread_mutex_lock(&rows->lock);
        node_number_rows_set(&rows->given, read);
        node_number_rows_set(&rows->shown, read);
        rows->loaded = result == STORE_OK;
        pthread_mutex_unlock(&rows->lock);
    }
    node_numbers_unref(read);
    return result;
}

void node_number_rows_plan(struct node_number_rows *rows)
{
    node_numbers_unref(rows->planned);
    pthread_mutex_lock(&rows->lock);
    rows->planned = rows->dirty ? node_numbers_ref(rows->given) : NULL;
    pthread_mutex_unlock(&rows->lock);
}

static bool node_number_rows_has(const struct node_numbers *numbers, const struct node_number *one)
{
    return node_numbers_find(numbers, one->guid) == one->number;
}

void node_number_rows_write(struct node_number_rows *rows, struct store *store)
{
    for (size_t i = 0; rows->planned && i < node_numbers_count(rows->in_file); i++) {
        const struct node_number *one = node_numbers_at(rows->in_file, i);
        if (!node_number_rows_has(rows->planned, one))
            store_delete_node_number(store, one->number);
    }
    for (size_t i = 0; i < node_numbers_count(rows->planned); i++) {
        const struct node_number *one = node_numbers_at(rows->planned, i);
        if (!node_number_rows_has(rows->in_file, one))
            store_add_node_number(store, one);
    }
}

void node_number_rows_committed(struct node_number_rows *rows)
{
    if (!rows->planned)
        return;
    node_number_rows_set(&rows->in_file, rows->planned);
    pthread_mutex_lock(&rows->lock);
    node_number_rows_set(&rows->shown, rows->planned);
    rows->dirty = rows->given != rows->planned;
    pthread_mutex_unlock(&rows->lock);
}

void node_number_rows_begin_file(struct node_number_rows *rows)
{
    node_number_rows_set(&rows->in_file, rows->none);
    pthread_mutex_lock(&rows->lock);
    rows->dirty = node_numbers_count(rows->given) > 0;
    pthread_mutex_unlock(&rows->lock);
}

bool node_number_rows_have_changed(struct node_number_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    const bool dirty = rows->dirty;
    pthread_mutex_unlock(&rows->lock);
    return dirty;
}

struct node_numbers *node_number_rows_current(struct node_number_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    struct node_numbers *shown = node_numbers_ref(rows->shown);
    pthread_mutex_unlock(&rows->lock);
    return shown;
}
