// SPDX-License-Identifier: BSD-2-Clause
// Reading events and snapshots of the fabric, from memory or from the file.
#include "journal/journal_private.h"

#include "base/memory.h"
#include "model/event_record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Packed events.

struct packed {
    atomic_uint references;
    const struct catalogue_entry *type;
    char id[EVENT_ID_SIZE];
    enum severity severity;
    int64_t time_us;
    uint64_t node_guid;
    size_t size;
    uint8_t record[];
};

struct packed *packed_new(const struct event *event)
{
    uint8_t record[EVENT_RECORD_MAX];
    size_t size = event_record_write(event, record);
    struct packed *packed = memory_get(sizeof *packed + size);
    atomic_init(&packed->references, 1);
    packed->type = event->type;
    packed->severity = event->severity;
    packed->time_us = event->time_us;
    packed->node_guid = event->subject.guid;
    packed->size = size;
    memcpy(packed->id, event->id, sizeof packed->id);
    memcpy(packed->record, record, size);
    return packed;
}

struct packed *packed_ref(struct packed *packed)
{
    atomic_fetch_add(&packed->references, 1);
    return packed;
}

void packed_unref(struct packed *packed)
{
    if (packed && atomic_fetch_sub(&packed->references, 1) == 1)
        free(packed);
}

void packed_fill_row(const struct packed *packed, struct store_row *row)
{
    row->id = packed->id;
    row->type = packed->type->name;
    row->time_us = packed->time_us;
    row->severity = (int)packed->severity;
    row->node_guid = packed->node_guid;
    row->record = packed->record;
    row->record_size = packed->size;
}

// The file.

// How long the journal tries to read events that a receiver has yet to get. If the disk recovers
// later, nothing is lost: the old file stays.
static const int64_t UNREADABLE_US = 30 * CLOCK_US_PER_S;
static const int64_t FORGET_US =
    10 * CLOCK_US_PER_S; // without an attempt, until UNREADABLE_US begins anew

// The path may have named an earlier copy of the file: nobody shares events read there.
void journal_drop_reader(struct journal *journal)
{
    store_close(journal->reader);
    journal->reader = NULL;
    shared_events_forget(&journal->shared, INT64_MAX);
}

void journal_close_reader(struct journal *journal)
{
    pthread_mutex_lock(&journal->reader_lock);
    journal_drop_reader(journal);
    pthread_mutex_unlock(&journal->reader_lock);
}

// Until the writer notices, the path may name a file of another gateway.
static enum store_result read_open(struct journal *j, struct error *err)
{
    int64_t identity = 0;
    const int64_t known = atomic_load(&j->identity);
    enum store_result result = store_open(j->path, true, &j->reader, err);
    if (result == STORE_OK)
        result = store_identity(j->reader, &identity, err);
    if (result != STORE_OK || known == 0 || identity == known)
        return result;
    error_set(err, "the file was replaced");
    return STORE_FAILED;
}

// Opens `reader` if need be and locks it until read_end.
static enum store_result read_begin(struct journal *journal, struct error *err)
{
    pthread_mutex_lock(&journal->reader_lock);
    return journal->reader ? STORE_OK : read_open(journal, err);
}

// Call this with the reader's lock held, after reading events that some receiver has yet to get.
static void read_note_result(struct journal *j, enum store_result result, int64_t from)
{
    struct unreadable *u = &j->unreadable;
    int64_t now = clock_monotonic(j->options.clock);
    if (result == STORE_OK && from == u->after)
        u->since = 0;
    bool disk = result != STORE_OK && j->reader && store_disk_failed(j->reader, result);
    if (result == STORE_CORRUPT && !disk)
        atomic_store(&j->reader_found_corrupt, true);
    if (!disk)
        return;
    if (u->since == 0 || now > u->last + FORGET_US)
        *u = (struct unreadable){.after = from, .since = now};
    u->last = now;
    if (now - u->since >= UNREADABLE_US) {
        u->since = 0;
        atomic_store(&j->reader_gave_up, true);
    }
}

// `needed`: the read was for events after `from` that some receiver has yet to get. Then the writer
// replaces a damaged file, or a file whose disk failed to read that part for a long time.
static void read_end(struct journal *journal, enum store_result result, bool needed, int64_t from,
                     const struct error *err)
{
    if (needed)
        read_note_result(journal, result, from);
    if (result != STORE_OK)
        journal_drop_reader(journal);
    pthread_mutex_unlock(&journal->reader_lock);
    if (result != STORE_OK && needed)
        log_write_limited(journal->options.log, &journal->reader_limit, LOG_LEVEL_WARNING,
                          "cannot read what receivers have yet to get in the journal %s: %s; "
                          "trying again",
                          journal->path, err->text);
    else if (result == STORE_CORRUPT)
        log_write_limited(journal->options.log, &journal->reader_limit, LOG_LEVEL_ERROR,
                          "cannot read old events in the journal %s: %s; every receiver has these "
                          "events; 'ibtrapctl journal check' examines the file",
                          journal->path, err->text);
}

struct reading {
    struct journal *journal;
    struct journal_item *items;
    size_t count;
};

// Sets the members that a record lacks.
static void read_complete(const struct journal *j, struct event *event, int64_t sequence)
{
    event->number = sequence;
    event->for_several = atomic_load(&j->has_several);
}

static bool read_load_row(void *ctx, const struct store_row *row)
{
    struct reading *r = ctx;
    struct error err;
    struct event *event = event_record_read(row->record, row->record_size, &err);
    if (event)
        read_complete(r->journal, event, row->sequence);
    else
        log_write(r->journal->options.log, LOG_LEVEL_ERROR,
                  "cannot read event %s in the journal: %s", row->id, err.text);
    r->items[r->count++] = (struct journal_item){row->sequence, event};
    return true;
}

static enum store_result read_from_disk(struct journal *j, enum store_order order, int64_t from,
                                        struct journal_item *items, size_t n, size_t *count)
{
    struct error err;
    const bool forward = order == STORE_AFTER;
    enum store_result result = read_begin(j, &err);
    // Another receiver may have read the events while this receiver waited for its turn.
    size_t found = forward ? shared_events_find(&j->shared, from, items, n) : 0;
    struct reading reading = {.journal = j, .items = items + found};
    from += (int64_t)found;
    if (result == STORE_OK && found < n)
        result = store_read(j->reader, order, from, n - found, read_load_row, &reading, &err);
    bool needed = forward && found < n && from >= journal_least_cursor(j, journal_last(j), NULL);
    if (needed)
        shared_events_keep(&j->shared, reading.items, reading.count);
    read_end(j, result, needed, from, &err);
    *count = found + reading.count;
    return result;
}

// The event or, if memory has dropped the event, its packed form: a reference, the caller's. Call
// it with the lock held.
static struct entry read_hold_entry(struct journal *j, int64_t sequence)
{
    const struct entry *e = journal_slot(j, sequence);
    if (e->event)
        return (struct entry){.event = event_ref(e->event)};
    return (struct entry){.packed = packed_ref(e->packed)};
}

// Returns the event of a held entry, and drops the reference of the entry. An unreadable event is
// NULL, as from the file. Call this without the lock: unpacking is slow.
static struct journal_item read_unpack_entry(struct journal *j, int64_t sequence,
                                             const struct entry *e)
{
    struct error err;
    struct journal_item item = {.sequence = sequence, .event = e->event};
    if (e->event)
        return item;
    assert(e->packed);
    item.event = event_record_read(e->packed->record, e->packed->size, &err);
    packed_unref(e->packed);
    if (item.event)
        read_complete(j, item.event, sequence);
    else
        log_write_limited(j->options.log, &j->reader_limit, LOG_LEVEL_ERROR,
                          "cannot read event %lld in memory: %s", (long long)sequence, err.text);
    return item;
}

// Where the events after a number are. Another receiver may just have read packed events or events
// in the file.
enum place { NOWHERE, IN_MEMORY, PACKED, IN_FILE };

enum { HELD_MAX = 64 };

// Entries of memory with consecutive numbers. Has references to the entries.
struct held {
    int64_t first;
    size_t count;
    struct entry entries[HELD_MAX];
};

// Call it with the lock held.
static enum place read_find_place(struct journal *j, int64_t after)
{
    if (j->committed <= after)
        return NOWHERE;
    if (after + 1 < j->first_kept)
        return IN_FILE;
    return journal_slot(j, after + 1)->event ? IN_MEMORY : PACKED;
}

// Holds the entries after `after` in memory, at most `n`. `packed`: also packed entries.
static enum place read_hold(struct journal *j, int64_t after, size_t n, bool packed,
                            struct held *out)
{
    out->count = 0;
    pthread_mutex_lock(&j->lock);
    const enum place place = read_find_place(j, after);
    if (place == IN_MEMORY || (place == PACKED && packed)) {
        out->first = after + 1;
        out->count = (size_t)(j->committed - after);
        if (out->count > HELD_MAX)
            out->count = HELD_MAX;
        if (out->count > n)
            out->count = n;
        for (size_t i = 0; i < out->count; i++)
            out->entries[i] = read_hold_entry(j, out->first + (int64_t)i);
    }
    pthread_mutex_unlock(&j->lock);
    return place;
}

// Gets the events of the entries. Returns how many.
static size_t read_unpack(struct journal *j, const struct held *held, struct journal_item *items)
{
    for (size_t i = 0; i < held->count; i++)
        items[i] = read_unpack_entry(j, held->first + (int64_t)i, &held->entries[i]);
    return held->count;
}

// Reads the events after `after` up to the last event in memory.
static size_t read_from_memory(struct journal *j, int64_t after, struct journal_item *items,
                               size_t n)
{
    struct held held;
    size_t count = 0, got = 1;
    while (count < n && got > 0) {
        const enum place place = read_hold(j, after + (int64_t)count, n - count, true, &held);
        got = read_unpack(j, &held, items + count);
        if (place == PACKED)
            shared_events_keep(&j->shared, items + count, got);
        count += got;
    }
    return count;
}

bool journal_wait(struct journal *journal, int64_t after, int64_t timeout_us,
                  const atomic_bool *enough)
{
    pthread_mutex_lock(&journal->lock);
    CLOCK_AWAIT(&journal->grown, &journal->lock, timeout_us,
                journal->committed > after || atomic_load(enough));
    bool more = journal->committed > after;
    pthread_mutex_unlock(&journal->lock);
    return more;
}

void journal_wake(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    pthread_cond_broadcast(&journal->grown);
    pthread_mutex_unlock(&journal->lock);
}

// Reads the events that are not shared. `gap`: the first may have a number beyond after + 1.
static size_t read_itself(struct journal *j, int64_t after, struct journal_item *items, size_t n,
                          bool gap)
{
    size_t count = read_from_memory(j, after, items, n);
    const int64_t first = journal_first_in_memory(j);
    if (count > 0 || first <= after + 1)
        return count;
    bool ok = read_from_disk(j, STORE_AFTER, after, items, n, &count) == STORE_OK;
    if (!ok || count > 0 || !gap)
        return count;
    // Neither memory nor file has the next event: the event expired. Continue with the first event
    // that was in memory before. If only the file has this event by now, the next call reads the
    // file.
    return read_from_memory(j, first - 1, items, n);
}

size_t journal_read(struct journal *journal, int64_t after, struct journal_item *items, size_t n)
{
    struct held held;
    const enum place place = read_hold(journal, after, n, false, &held);
    size_t count = place == IN_MEMORY ? read_unpack(journal, &held, items) : 0;
    if (place == PACKED || place == IN_FILE)
        count = shared_events_find(&journal->shared, after, items, n);
    if (place == NOWHERE || count == n)
        return count;
    return count +
           read_itself(journal, after + (int64_t)count, items + count, n - count, count == 0);
}

// The event of the item if its number is the wanted one; NULL: the journal dropped that event.
static struct event *read_wanted(const struct journal_item *item, int64_t sequence)
{
    if (item->sequence == sequence)
        return item->event;
    event_unref(item->event);
    return NULL;
}

static struct event *read_number(struct journal *j, enum store_order order, int64_t sequence)
{
    struct journal_item item = {.event = NULL};
    size_t count = 0;
    read_from_disk(j, order, sequence - 1, &item, 1, &count);
    return read_wanted(&item, sequence);
}

struct event *journal_find_in_file(struct journal *journal, int64_t sequence)
{
    struct event *event = read_number(journal, STORE_AFTER, sequence);
    return event ? event : read_number(journal, STORE_KEPT_AFTER, sequence);
}

struct event *journal_read_at(struct journal *journal, int64_t sequence)
{
    struct journal_item item = {.event = NULL};
    journal_read(journal, sequence - 1, &item, 1);
    return read_wanted(&item, sequence);
}

struct event *journal_read_one(struct journal *journal, int64_t sequence)
{
    struct event *event = journal_read_at(journal, sequence);
    return event ? event : read_number(journal, STORE_KEPT_AFTER, sequence);
}

void journal_drop_found_links(struct journal *journal)
{
    for (size_t i = 0; i < journal->found_link_count; i++)
        event_unref(journal->found_links[i].event);
    journal->found_link_count = 0;
}

size_t journal_find_links_in_file(struct journal *journal, int64_t before,
                                  struct journal_item *items, size_t n)
{
    size_t count = 0;
    read_from_disk(journal, STORE_LINKS_BEFORE, before, items, n, &count);
    return count;
}

// Gets an event of memory, also before its commit. Returns false if memory does not have the event.
static bool read_load_entry(struct journal *j, int64_t sequence, struct journal_item *out)
{
    struct entry entry;
    pthread_mutex_lock(&j->lock);
    bool in_memory = sequence >= j->first_kept && sequence <= j->appended;
    if (in_memory)
        entry = read_hold_entry(j, sequence);
    pthread_mutex_unlock(&j->lock);
    if (in_memory)
        *out = read_unpack_entry(j, sequence, &entry);
    return in_memory;
}

bool journal_find_in_memory(struct journal *journal, int64_t sequence, struct event **out)
{
    struct journal_item item = {.event = NULL};
    bool in_memory = read_load_entry(journal, sequence, &item);
    *out = item.event;
    return in_memory;
}

size_t journal_read_back(struct journal *journal, int64_t before, struct journal_item *items,
                         size_t n)
{
    const int64_t committed = journal_last(journal);
    const int64_t last = before - 1 < committed ? before - 1 : committed;
    size_t count = 0;
    while (count < n && read_load_entry(journal, last - (int64_t)count, &items[count]))
        count++;
    if (count == 0)
        read_from_disk(journal, STORE_BEFORE, before, items, n, &count);
    return count;
}

size_t journal_read_kept_back(struct journal *journal, int64_t before, struct journal_item *items,
                              size_t n)
{
    size_t count = 0;
    read_from_disk(journal, STORE_KEPT_BEFORE, before, items, n, &count);
    return count;
}

struct recent {
    void (*each)(void *ctx, const struct journal_report *report, int64_t utc_us);
    void *ctx;
};

static bool read_load_recent(void *ctx, const struct store_row *row)
{
    const struct recent *r = ctx;
    const struct journal_report report = {row->report_lid, row->report_tid, row->report_digest};
    if (row->report_lid != 0)
        r->each(r->ctx, &report, row->time_us);
    return true;
}

void journal_each_recent_report(struct journal *journal, int64_t since_us,
                                void (*each)(void *ctx, const struct journal_report *report,
                                             int64_t utc_us),
                                void *ctx)
{
    struct recent recent = {each, ctx};
    struct error err;
    if (journal->writer)
        store_read(journal->writer, STORE_SINCE, since_us, SIZE_MAX, read_load_recent, &recent,
                   &err);
}

// Snapshots of the fabric.

struct fabric_list {
    struct journal_snapshot *out;
    size_t count;
};

static void read_load_meta(void *ctx, const struct store_snapshot *snapshot)
{
    struct fabric_list *list = ctx;
    if (list->count < JOURNAL_SNAPSHOTS_MAX)
        list->out[list->count++] = snapshot->meta;
}

size_t journal_list_snapshots(struct journal *journal,
                              struct journal_snapshot out[JOURNAL_SNAPSHOTS_MAX + 1])
{
    struct fabric_list list = {out, 0};
    struct error err;
    enum store_result result = read_begin(journal, &err);
    if (result == STORE_OK)
        result =
            store_read_snapshots(journal->reader, STORE_ALL_SNAPSHOTS, read_load_meta, &list, &err);
    read_end(journal, result, false, 0, &err);
    pthread_mutex_lock(&journal->lock);
    if (journal->fabric.record)
        out[list.count++] = journal->fabric.meta;
    pthread_mutex_unlock(&journal->lock);
    return list.count;
}

static struct waiting_fabric read_copy_fabric(const struct journal_snapshot *meta,
                                              const uint8_t *record, size_t size)
{
    return (struct waiting_fabric){*meta, memory_copy_octets(record, size), size};
}

static void read_load_fabric(void *ctx, const struct store_snapshot *snapshot)
{
    *(struct waiting_fabric *)ctx =
        read_copy_fabric(&snapshot->meta, snapshot->record, snapshot->size);
}

uint8_t *journal_read_snapshot(struct journal *journal, int64_t number,
                               struct journal_snapshot *out, size_t *size, struct error *err)
{
    struct waiting_fabric copy = {.record = NULL};
    if (number == 0)
        error_set(err, "there is no snapshot of the fabric yet");
    else
        error_set(err, "there is no snapshot %lld of the fabric", (long long)number);
    pthread_mutex_lock(&journal->lock);
    if (number == 0 && journal->fabric.record)
        copy =
            read_copy_fabric(&journal->fabric.meta, journal->fabric.record, journal->fabric.size);
    pthread_mutex_unlock(&journal->lock);
    if (!copy.record) {
        enum store_result result = read_begin(journal, err);
        if (result == STORE_OK)
            result = store_read_snapshots(journal->reader, number, read_load_fabric, &copy, err);
        read_end(journal, result, false, 0, err);
    }
    *out = copy.meta;
    *size = copy.size;
    return copy.record;
}
