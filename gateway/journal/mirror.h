// SPDX-License-Identifier: BSD-2-Clause
// A mirrored table: a table of the journal's file whose rows are all in memory, too. Memory changes
// first. The next commit writes the changes. While the file is away, memory goes on alone; the
// first reading of the file joins the rows of the file with memory.
//
// Decides: How are memory and file joined after the file was away?
#pragma once

#include "journal/store.h"

#include <pthread.h>
#include <stdatomic.h>

enum mirror_step { MIRROR_END, MIRROR_SET, MIRROR_DELETE };

// The differences between tables. A hook that is NULL does nothing. The file's thread calls the
// hooks, with the lock of the mirror held except for `taken` and `next`: the disk may hang.
struct mirror_kind {
    enum store_table table;
    bool whole; // a change writes all rows anew: `next` gives all rows then, and deletes none

    // Joins a row of the file with memory, during the first reading.
    void (*take)(void *self, const void *row);

    // The reading has ended with `result`. Returns the result of all of the reading.
    enum store_result (*taken)(void *self, enum store_result result, struct error *err);

    void (*plan)(void *self); // the transaction begins: later changes wait for the next
    // Gives the next row that the file lacks, or has to delete; the key is enough to delete.
    enum mirror_step (*next)(void *self, void *row);
    void (*committed)(void *self);  // the rows that `next` gave are in the file
    void (*begin_file)(void *self); // the file is new: `next` gives all rows
    void (*free)(void *self);       // the journal is closed: frees `self`. NULL: the caller's
};

struct mirror {
    const struct mirror_kind *kind;
    void *self;
    pthread_mutex_t *lock; // guards the rows in memory
    bool loaded;           // every row of the file has been read; guarded by the lock
    atomic_uint_fast64_t revision, saved; // counts the changes: now, in the last commit

    // The file's thread only.
    uint_fast64_t planned; // `revision` when the transaction began
    bool writes;           // the transaction writes rows
    bool anew;             // the file is new, and may have rows of a transaction that did not end
};

// `self` is the argument of the hooks. Returns the mirror.
struct mirror *mirror_init(struct mirror *mirror, const struct mirror_kind *kind, void *self,
                           pthread_mutex_t *lock);

// Notes a change in memory. Any thread.
static inline void mirror_note(struct mirror *mirror)
{
    atomic_fetch_add(&mirror->revision, 1);
}

// Whether something changed since the last commit. Any thread.
static inline bool mirror_has_changed(const struct mirror *mirror)
{
    return atomic_load(&mirror->revision) != atomic_load(&mirror->saved);
}

// The file's thread.

// Reads the rows of the file, until one reading succeeds.
enum store_result mirror_load(struct mirror *mirror, struct store *store, struct error *err);

// Call mirror_plan before a transaction, mirror_write within, and mirror_committed after its
// commit. mirror_write returns how many rows it wrote.
void mirror_plan(struct mirror *mirror);
size_t mirror_write(struct mirror *mirror, struct store *store);
void mirror_committed(struct mirror *mirror);

// The file is new: the next commit writes all rows.
void mirror_begin_file(struct mirror *mirror);
