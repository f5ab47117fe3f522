// SPDX-License-Identifier: BSD-2-Clause
// Reading events, from memory or from the file.
#include "journal/journal_private.h"

#include "model/event_record.h"

// For so long the journal tries to read what a receiver has yet to get. A disk that recovers later
// has lost nothing: the old file stays.
static const int64_t UNREADABLE_US = 30 * CLOCK_US_PER_S;
static const int64_t FORGET_US = 10 * CLOCK_US_PER_S; // without an attempt: it begins anew

void journal_drop_reader(struct journal *journal)
{
    store_close(journal->reader);
    journal->reader = NULL;
}

void journal_close_reader(struct journal *journal)
{
    pthread_mutex_lock(&journal->reader_lock);
    journal_drop_reader(journal);
    pthread_mutex_unlock(&journal->reader_lock);
}

enum store_result journal_begin_reading(struct journal *journal, struct error *err)
{
    pthread_mutex_lock(&journal->reader_lock);
    return journal->reader ? STORE_OK : store_open(journal->path, true, &journal->reader, err);
}

// Call it with the reader's lock held, after a read of what some receiver has yet to get.
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

void journal_end_reading(struct journal *journal, enum store_result result, bool needed,
                         int64_t from, const struct error *err)
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
    bool short_of_memory; // the next row did not fit in memory; a later call may read it
};

static bool journal_read_load_row(void *ctx, const struct store_row *row)
{
    struct reading *r = ctx;
    struct error err;
    struct event *event = event_make(NULL);
    r->short_of_memory = !event;
    if (!event)
        return false;
    if (!event_record_fill(event, row->record, row->record_size, &err)) {
        log_write(r->journal->options.log, LOG_LEVEL_ERROR,
                  "cannot read event %s in the journal: %s", row->id, err.text);
        event_unref(event);
        event = NULL;
    }
    if (event)
        event->number = row->sequence;
    r->items[r->count++] = (struct journal_item){row->sequence, event};
    return true;
}

// store_read or store_read_back.
typedef enum store_result read_function(struct store *store, int64_t from, size_t limit,
                                        bool (*each)(void *ctx, const struct store_row *row),
                                        void *ctx, struct error *err);

static enum store_result read_from_disk(struct journal *j, read_function *read, int64_t from,
                                        struct journal_item *items, size_t n, size_t *count)
{
    struct reading reading = {.journal = j, .items = items};
    struct error err;
    enum store_result result = journal_begin_reading(j, &err);
    if (result == STORE_OK)
        result = read(j->reader, from, n, journal_read_load_row, &reading, &err);
    bool needed = read == store_read && from >= journal_least_cursor(j);
    journal_end_reading(j, result, needed, from, &err);
    *count = reading.count;
    return reading.short_of_memory && reading.count == 0 ? STORE_FAILED : result;
}

// Gets an event that is in memory; NULL in place of one that cannot be read, as from the file. Call
// it with the lock held. False: out of memory.
static bool load_entry(struct journal *j, int64_t sequence, struct journal_item *out)
{
    struct error err;
    const struct entry *e = journal_slot(j, sequence);
    *out = (struct journal_item){.sequence = sequence};
    if (e->event) {
        out->event = event_ref(e->event);
        return true;
    }
    enum packed_result result = packed_event(e->packed, &out->event, &err);
    if (result == PACKED_UNREADABLE)
        log_write_limited(j->options.log, &j->reader_limit, LOG_LEVEL_ERROR,
                          "cannot read event %lld in memory: %s", (long long)sequence, err.text);
    if (out->event)
        out->event->number = sequence;
    return result != PACKED_NO_MEMORY;
}

// Call it with the lock held.
static size_t read_from_memory(struct journal *j, int64_t after, struct journal_item *items,
                               size_t n)
{
    int64_t first = after + 1 > j->first_kept ? after + 1 : j->first_kept;
    size_t count = 0;
    while (first + (int64_t)count <= j->committed && count < n &&
           load_entry(j, first + (int64_t)count, &items[count]))
        count++;
    return count;
}

bool journal_wait(struct journal *journal, int64_t after, int64_t timeout_us,
                  const atomic_bool *enough)
{
    struct timespec until = clock_deadline(timeout_us);
    int rc = 0;
    pthread_mutex_lock(&journal->lock);
    while (journal->committed <= after && rc == 0 && !atomic_load(enough))
        rc = pthread_cond_timedwait(&journal->grown, &journal->lock, &until);
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

size_t journal_read(struct journal *journal, int64_t after, struct journal_item *items, size_t n)
{
    size_t count = 0;
    pthread_mutex_lock(&journal->lock);
    bool more = journal->committed > after;
    bool in_memory = more && after + 1 >= journal->first_kept;
    if (in_memory)
        count = read_from_memory(journal, after, items, n);
    pthread_mutex_unlock(&journal->lock);
    if (!more)
        return 0;
    bool ok = in_memory ? count > 0
                        : read_from_disk(journal, store_read, after, items, n, &count) == STORE_OK;
    if (!ok || in_memory || count > 0)
        return count;
    // Neither memory nor file has the next event: it expired. Continue with the first in memory.
    pthread_mutex_lock(&journal->lock);
    count = read_from_memory(journal, after, items, n);
    pthread_mutex_unlock(&journal->lock);
    return count;
}

struct event *journal_find_in_file(struct journal *journal, int64_t sequence)
{
    struct journal_item item = {.event = NULL};
    size_t count = 0;
    read_from_disk(journal, store_read, sequence - 1, &item, 1, &count);
    if (item.sequence == sequence)
        return item.event;
    event_unref(item.event); // another event: the journal dropped the wanted one
    return NULL;
}

size_t journal_find_links_in_file(struct journal *journal, int64_t before,
                                  struct journal_item *items, size_t n)
{
    size_t count = 0;
    read_from_disk(journal, store_read_links_back, before, items, n, &count);
    return count;
}

bool journal_find_in_memory(struct journal *journal, int64_t sequence, struct event **out)
{
    struct journal_item item = {.event = NULL};
    pthread_mutex_lock(&journal->lock);
    const bool in_memory = sequence >= journal->first_kept && sequence <= journal->appended;
    if (in_memory)
        load_entry(journal, sequence, &item);
    pthread_mutex_unlock(&journal->lock);
    *out = item.event;
    return in_memory;
}

size_t journal_read_back(struct journal *journal, int64_t before, struct journal_item *items,
                         size_t n)
{
    size_t count = 0;
    pthread_mutex_lock(&journal->lock);
    int64_t last = before - 1 < journal->committed ? before - 1 : journal->committed;
    bool in_memory = last >= journal->first_kept;
    while (last - (int64_t)count >= journal->first_kept && count < n &&
           load_entry(journal, last - (int64_t)count, &items[count]))
        count++;
    pthread_mutex_unlock(&journal->lock);
    if (!in_memory)
        read_from_disk(journal, store_read_back, before, items, n, &count);
    return count;
}

struct recent {
    void (*each)(void *ctx, const struct journal_report *report, int64_t utc_us);
    void *ctx;
};

static bool load_recent(void *ctx, const struct store_row *row)
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
        store_read_since(journal->writer, since_us, load_recent, &recent, &err);
}
