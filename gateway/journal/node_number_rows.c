// SPDX-License-Identifier: BSD-2-Clause
// The node numbers (model/node_numbers.h): all in memory, and each in the file from the next commit
// on. Nobody sees a number before that commit: after a crash, no number is given to another node.
#include "journal/journal_private.h"

#include "base/memory.h"

#include <stdlib.h>

struct node_number_rows {
    struct mirror mirror;
    // The file's thread only.
    struct node_number *read; // of the file
    size_t read_count, read_capacity;
    struct node_numbers *planned; // of the transaction
    struct node_numbers *in_file; // in the file
    size_t next_old, next_new;    // places in `in_file` and in `planned`

    pthread_mutex_t adding;     // of the thread that changes `given`; comes before `lock`
    pthread_mutex_t lock;       // guards the members below, for moments
    struct node_numbers *given; // all numbers
    struct node_numbers *shown; // the numbers that were committed
};

static void node_number_rows_set(struct node_numbers **member, struct node_numbers *to)
{
    struct node_numbers *old = *member;
    *member = node_numbers_ref(to);
    node_numbers_unref(old);
}

// The mirrored table.

// Ignores numbers beyond NODE_NUMBERS_MAX + 1.
static void node_number_rows_take(void *self, const void *row)
{
    struct node_number_rows *rows = self;
    if (rows->read_count > NODE_NUMBERS_MAX)
        return;
    MEMORY_MAKE_ROOM(rows->read, rows->read_count, rows->read_capacity);
    rows->read[rows->read_count++] = *(const struct node_number *)row;
}

// Takes also the readable numbers of a damaged file, for the new file.
static enum store_result node_number_rows_taken(void *self, enum store_result result,
                                                struct error *err)
{
    struct node_number_rows *rows = self;
    (void)err;
    if (result != STORE_FAILED) {
        struct node_numbers *read = node_numbers_of(rows->read, rows->read_count);
        node_number_rows_set(&rows->in_file, read);
        pthread_mutex_lock(&rows->lock);
        node_number_rows_set(&rows->given, read);
        node_number_rows_set(&rows->shown, read);
        pthread_mutex_unlock(&rows->lock);
        node_numbers_unref(read);
    }
    free(rows->read);
    rows->read = NULL;
    rows->read_count = rows->read_capacity = 0;
    return result;
}

static void node_number_rows_plan(void *self)
{
    struct node_number_rows *rows = self;
    node_number_rows_set(&rows->planned, rows->given);
    rows->next_old = rows->next_new = 0;
}

// Finds the next number of `numbers` that is missing in `others`.
static bool node_number_rows_differ(const struct node_numbers *numbers,
                                    const struct node_numbers *others, size_t *next,
                                    struct node_number *out)
{
    while (*next < node_numbers_count(numbers)) {
        *out = *node_numbers_at(numbers, (*next)++);
        if (node_numbers_find(others, out->guid) != out->number)
            return true;
    }
    return false;
}

static enum mirror_step node_number_rows_next(void *self, void *row)
{
    struct node_number_rows *rows = self;
    if (node_number_rows_differ(rows->in_file, rows->planned, &rows->next_old, row))
        return MIRROR_DELETE;
    return node_number_rows_differ(rows->planned, rows->in_file, &rows->next_new, row) ? MIRROR_SET
                                                                                       : MIRROR_END;
}

static void node_number_rows_committed(void *self)
{
    struct node_number_rows *rows = self;
    node_number_rows_set(&rows->in_file, rows->planned);
    node_number_rows_set(&rows->shown, rows->planned);
}

static void node_number_rows_begin_file(void *self)
{
    struct node_number_rows *rows = self;
    node_numbers_unref(rows->in_file);
    rows->in_file = node_numbers_of(NULL, 0);
}

static void node_number_rows_free(void *self)
{
    struct node_number_rows *rows = self;
    node_numbers_unref(rows->planned);
    node_numbers_unref(rows->in_file);
    node_numbers_unref(rows->given);
    node_numbers_unref(rows->shown);
    pthread_mutex_destroy(&rows->lock);
    pthread_mutex_destroy(&rows->adding);
    free(rows);
}

static const struct mirror_kind NODE_NUMBERS = {.table = STORE_NODE_NUMBERS,
                                                .take = node_number_rows_take,
                                                .taken = node_number_rows_taken,
                                                .plan = node_number_rows_plan,
                                                .next = node_number_rows_next,
                                                .committed = node_number_rows_committed,
                                                .begin_file = node_number_rows_begin_file,
                                                .free = node_number_rows_free};

struct mirror *node_number_rows_new(void)
{
    struct node_number_rows *rows = memory_zeroed(1, sizeof *rows);
    rows->in_file = node_numbers_of(NULL, 0);
    rows->given = node_numbers_ref(rows->in_file);
    rows->shown = node_numbers_ref(rows->in_file);
    pthread_mutex_init(&rows->adding, NULL);
    pthread_mutex_init(&rows->lock, NULL);
    return mirror_init(&rows->mirror, &NODE_NUMBERS, rows, &rows->lock);
}

// The public functions (journal.h).

// A reference to all numbers. Returns NULL while the file has not been read.
static struct node_numbers *node_number_rows_given(struct node_number_rows *rows)
{
    pthread_mutex_lock(&rows->lock);
    struct node_numbers *given = rows->mirror.loaded ? node_numbers_ref(rows->given) : NULL;
    pthread_mutex_unlock(&rows->lock);
    return given;
}

// Numbers nodes without `lock`: a large fabric takes a good part of a second, and the thread that
// takes Reports waits for `lock`.
bool journal_number_nodes(struct journal *journal, const uint64_t *guids, size_t n)
{
    struct node_number_rows *rows = journal->mirrors[STORE_NODE_NUMBERS]->self;
    pthread_mutex_lock(&rows->adding);
    struct node_numbers *given = node_number_rows_given(rows);
    struct node_numbers *next = given ? node_numbers_with(given, guids, n) : NULL;
    if (next != given) {
        pthread_mutex_lock(&rows->lock);
        node_number_rows_set(&rows->given, next);
        mirror_note(&rows->mirror);
        pthread_mutex_unlock(&rows->lock);
    }
    pthread_mutex_unlock(&rows->adding);
    node_numbers_unref(given);
    node_numbers_unref(next);
    return next != NULL;
}

struct node_numbers *journal_node_numbers(struct journal *journal)
{
    struct node_number_rows *rows = journal->mirrors[STORE_NODE_NUMBERS]->self;
    pthread_mutex_lock(&rows->lock);
    struct node_numbers *shown = node_numbers_ref(rows->shown);
    pthread_mutex_unlock(&rows->lock);
    return shown;
}
