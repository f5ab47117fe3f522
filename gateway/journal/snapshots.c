// SPDX-License-Identifier: BSD-2-Clause
// Snapshots of the fabric: one waits for the next commit, the others are in the file.
#include "journal/journal_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// Call it with the lock held.
static bool is_known(const struct journal *j, uint64_t digest)
{
    return j->fabric.record ? j->fabric.meta.digest == digest
                            : j->fabric_saved && j->fabric_digest == digest;
}

void journal_save_snapshot(struct journal *journal, const struct journal_snapshot *fabric,
                           const uint8_t *record, size_t size)
{
    uint8_t *copy = memory_get(size);
    memcpy(copy, record, size);
    pthread_mutex_lock(&journal->lock);
    uint8_t *old = copy;
    if (!is_known(journal, fabric->digest)) {
        old = journal->fabric.record;
        journal->fabric = (struct waiting_fabric){*fabric, copy, size};
        journal->fabric.meta.number = 0;
    }
    if (old == journal->fabric_writing)
        old = NULL; // freed once it is written
    pthread_mutex_unlock(&journal->lock);
    free(old);
}

int64_t journal_snapshot_bytes_max(const struct journal *journal)
{
    return journal->options.bytes_max / 4;
}

void journal_add_snapshot(struct journal *journal, const struct waiting_fabric *f)
{
    const struct store_snapshot snapshot = {.time_us = f->meta.time_us,
                                            .digest = f->meta.digest,
                                            .nodes = f->meta.nodes,
                                            .links = f->meta.links,
                                            .record = f->record,
                                            .record_size = f->size};
    if (f->record)
        store_add_snapshot(journal->writer, &snapshot, JOURNAL_SNAPSHOTS_MAX,
                           journal_snapshot_bytes_max(journal));
}

void journal_snapshot_written(struct journal *journal, const struct waiting_fabric *f, bool saved)
{
    uint8_t *done = NULL;
    if (!f->record)
        return;
    pthread_mutex_lock(&journal->lock);
    journal->fabric_writing = NULL;
    bool waits = journal->fabric.record == f->record;
    if (saved) {
        journal->fabric_saved = true;
        journal->fabric_digest = f->meta.digest;
    }
    if (saved || !waits)
        done = f->record;
    if (saved && waits)
        journal->fabric.record = NULL;
    pthread_mutex_unlock(&journal->lock);
    free(done);
}

struct fabric_list {
    struct journal_snapshot *out;
    size_t count;
};

static struct journal_snapshot meta_of(const struct store_snapshot *s)
{
    return (struct journal_snapshot){s->number, s->time_us, s->digest, s->nodes, s->links};
}

static void load_meta(void *ctx, const struct store_snapshot *snapshot)
{
    struct fabric_list *list = ctx;
    if (list->count < JOURNAL_SNAPSHOTS_MAX)
        list->out[list->count++] = meta_of(snapshot);
}

size_t journal_list_snapshots(struct journal *journal,
                              struct journal_snapshot out[JOURNAL_SNAPSHOTS_MAX + 1])
{
    struct fabric_list list = {out, 0};
    struct error err;
    enum store_result result = journal_begin_reading(journal, &err);
    if (result == STORE_OK)
        result = store_list_snapshots(journal->reader, load_meta, &list, &err);
    journal_end_reading(journal, result, false, 0, &err);
    pthread_mutex_lock(&journal->lock);
    if (journal->fabric.record)
        out[list.count++] = journal->fabric.meta;
    pthread_mutex_unlock(&journal->lock);
    return list.count;
}

struct fabric_copy {
    struct journal_snapshot meta;
    uint8_t *record; // NULL: not found
    size_t size;
};

static struct fabric_copy copy_fabric(const struct journal_snapshot *meta, const uint8_t *record,
                                      size_t size)
{
    struct fabric_copy copy = {*meta, memory_get(size), size};
    if (size > 0)
        memcpy(copy.record, record, size);
    return copy;
}

static void snapshots_load_fabric(void *ctx, const struct store_snapshot *snapshot)
{
    const struct journal_snapshot meta = meta_of(snapshot);
    *(struct fabric_copy *)ctx = copy_fabric(&meta, snapshot->record, snapshot->record_size);
}

uint8_t *journal_read_snapshot(struct journal *journal, int64_t number,
                               struct journal_snapshot *out, size_t *size, struct error *err)
{
    struct fabric_copy copy = {.record = NULL};
    if (number == 0)
        error_set(err, "there is no snapshot of the fabric yet");
    else
        error_set(err, "there is no snapshot %lld of the fabric", (long long)number);
    pthread_mutex_lock(&journal->lock);
    if (number == 0 && journal->fabric.record)
        copy = copy_fabric(&journal->fabric.meta, journal->fabric.record, journal->fabric.size);
    pthread_mutex_unlock(&journal->lock);
    if (!copy.record) {
        enum store_result result = journal_begin_reading(journal, err);
        if (result == STORE_OK)
            result =
                store_read_snapshot(journal->reader, number, snapshots_load_fabric, &copy, err);
        journal_end_reading(journal, result, false, 0, err);
    }
    *out = copy.meta;
    *size = copy.size;
    return copy.record;
}
