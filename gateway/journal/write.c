// SPDX-License-Identifier: BSD-2-Clause
// Commits events and all other changes in one transaction, and frees memory.
#include "journal/journal_private.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t PRUNE_US = 10 * CLOCK_US_PER_S;
static const int64_t STATUS_US = 1 * CLOCK_US_PER_S;
static const int64_t DROP_US = CLOCK_US_PER_S / 4;

// Appending.

static void write_apply_alarm(struct journal *j, const struct event *event, int64_t sequence)
{
    if (alarms_apply(j, event, sequence))
        return;
    pthread_mutex_lock(&j->lock);
    j->status.alarms_missed++;
    pthread_mutex_unlock(&j->lock);
    log_write_limited(j->options.log, &j->alarms_limit, LOG_LEVEL_ERROR,
                      "there are too many alarms: the change of '%s' is missing in the list; end "
                      "alarms that nobody needs: 'ibtrapctl alarms'",
                      event->alarm_key);
}

int64_t journal_append(struct journal *journal, struct event *event,
                       const struct journal_report *report)
{
    alarms_note_past(journal, event);
    const struct entry entry = {event_ref(event), packed_new(event), *report};
    pthread_mutex_lock(&journal->lock);
    int64_t sequence = ++journal->appended;
    event->number = sequence;
    event->for_several = atomic_load(&journal->has_several);
    struct entry *e = journal_slot(journal, sequence);
    const struct entry oldest = *e;
    if (oldest.packed)
        journal->first_kept++;
    *e = entry;
    pthread_mutex_unlock(&journal->lock);
    journal_release(&oldest);
    write_apply_alarm(journal, event, sequence);
    log_debug(journal->options.log, "event %s is number %lld", event->id, (long long)sequence);
    return sequence;
}

// Snapshots of the fabric: the newest may wait for the next commit, the others are in the file.

// Call this with the lock held.
static bool write_knows_fabric(const struct journal *j, uint64_t digest)
{
    return j->fabric.record ? j->fabric.meta.digest == digest
                            : j->fabric_saved && j->fabric_digest == digest;
}

void journal_save_snapshot(struct journal *journal, const struct journal_snapshot *fabric,
                           const uint8_t *record, size_t size)
{
    uint8_t *copy = memory_copy_octets(record, size);
    pthread_mutex_lock(&journal->lock);
    uint8_t *old = copy;
    if (!write_knows_fabric(journal, fabric->digest)) {
        old = journal->fabric.record;
        journal->fabric = (struct waiting_fabric){*fabric, copy, size};
        journal->fabric.meta.number = 0;
    }
    if (old == journal->fabric_writing)
        old = NULL; // freed after its commit
    pthread_mutex_unlock(&journal->lock);
    free(old);
}

static void write_note_snapshot(struct journal *journal, const struct waiting_fabric *f, bool saved)
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

// Commits.

// Adds the events of the plan to the transaction.
static void write_add_rows(struct journal *j, struct commit_plan *plan)
{
    struct store_row rows[STORE_ROWS_MAX];
    size_t count = 0;
    for (int64_t s = plan->first; s <= plan->last; s++) {
        const struct entry *e = &j->writing[s - plan->first];
        struct store_row *row = &rows[count++];
        *row = (struct store_row){.sequence = s,
                                  .report_lid = e->report.lid,
                                  .report_tid = e->report.tid,
                                  .report_digest = e->report.digest};
        packed_fill_row(e->packed, row);
        plan->octets += row->record_size;
        if (count == STORE_ROWS_MAX || s == plan->last) {
            store_add_events(j->writer, rows, count);
            count = 0;
        }
    }
}

static void write_make_plan(struct journal *j, int64_t rows_max, struct commit_plan *out)
{
    pthread_mutex_lock(&j->lock);
    out->first = j->stored + 1 > j->first_kept ? j->stored + 1 : j->first_kept;
    out->last = out->first + rows_max - 1 < j->appended ? out->first + rows_max - 1 : j->appended;
    out->octets = out->cursors = 0;
    for (int64_t s = out->first; s <= out->last; s++) {
        const struct entry *e = journal_slot(j, s);
        j->writing[s - out->first] =
            (struct entry){.packed = packed_ref(e->packed), .report = e->report};
    }
    out->fabric = j->fabric;
    j->fabric_writing = j->fabric.record;
    pthread_mutex_unlock(&j->lock);
    for (size_t i = 0; i < JOURNAL_MIRRORS; i++)
        mirror_plan(j->mirrors[i]);
}

// Whether the file has to be replaced because receivers cannot read on.
static bool write_is_condemned(struct journal *j, struct error *err)
{
    char behind[STORE_NAME_MAX + 1];
    if (atomic_exchange(&j->reader_found_corrupt, false)) {
        error_set(err, "the file is damaged");
        return true;
    }
    if (!atomic_exchange(&j->reader_gave_up, false))
        return false;
    int64_t had = journal_least_cursor(j, journal_last(j), behind);
    error_set(err, "the disk does not read the events after %lld, which receiver %s has yet to get",
              (long long)had, behind);
    return true;
}

static enum store_result write_plan(struct journal *j, struct commit_plan *plan, struct error *err)
{
    if (write_is_condemned(j, err))
        return STORE_CORRUPT;
    if (store_has_moved(j->writer)) {
        error_set(err, "the file was removed or replaced");
        return STORE_FILE_MISSING;
    }
    if (!journal_save_communities(j, err))
        return STORE_FAILED;
    store_begin(j->writer);
    write_add_rows(j, plan);
    for (size_t i = 0; i < JOURNAL_MIRRORS; i++) {
        const size_t rows = mirror_write(j->mirrors[i], j->writer);
        plan->cursors += i == 0 ? rows : 0;
    }
    const struct store_snapshot snapshot = {plan->fabric.meta, plan->fabric.record,
                                            plan->fabric.size};
    if (plan->fabric.record)
        store_add_snapshot(j->writer, &snapshot, JOURNAL_SNAPSHOTS_MAX,
                           journal_snapshot_bytes_max(j));
    return store_commit(j->writer, err);
}

static void write_log_commit(const struct journal *j, const struct commit_plan *plan,
                             int64_t took_us)
{
    int64_t rows = plan->last - plan->first + 1;
    if (rows > 0)
        log_debug(
            j->options.log,
            "committed numbers %lld to %lld: %lld rows of %zu octets, %zu cursors, in %lld us",
            (long long)plan->first, (long long)plan->last, (long long)rows, plan->octets,
            plan->cursors, (long long)took_us);
    else if (plan->cursors > 0)
        log_debug(j->options.log, "committed %zu cursors in %lld us", plan->cursors,
                  (long long)took_us);
}

static enum store_result write_timed(struct journal *j, struct commit_plan *plan, struct error *err)
{
    int64_t begin = clock_monotonic(j->options.clock);
    enum store_result result = write_plan(j, plan, err);
    int64_t took_us = clock_monotonic(j->options.clock) - begin;
    if (result != STORE_OK)
        return result;
    histogram_add(&j->commit_times, took_us);
    write_log_commit(j, plan, took_us);
    return result;
}

// Reports the events that memory dropped before their commit.
static void write_count_lost(struct journal *j, const struct commit_plan *plan)
{
    int64_t lost = plan->first - (j->stored + 1);
    if (lost <= 0)
        return;
    char reason[128];
    snprintf(reason, sizeof reason,
             "the disk failed for too long: events %lld to %lld are not in "
             "the journal",
             (long long)j->stored + 1, (long long)plan->first - 1);
    journal_lose_events(j, lost, plan->first - 1, reason);
}

static void write_note_result(struct journal *j, const struct commit_plan *plan,
                              enum store_result result, struct error *err)
{
    if (result == STORE_OK) {
        write_count_lost(j, plan);
        pthread_mutex_lock(&j->lock);
        j->stored = plan->last;
        j->status.commits++;
        pthread_mutex_unlock(&j->lock);
        for (size_t i = 0; i < JOURNAL_MIRRORS; i++)
            mirror_committed(j->mirrors[i]);
        journal_set_problem(j, "");
    } else {
        journal_lose_file(j, result, err);
    }
}

static void write_refresh_status(struct journal *j)
{
    struct error err;
    struct store_size size = {0};
    if (j->writer)
        store_get_size(j->writer, &size, &err);
    pthread_mutex_lock(&j->lock);
    j->status.rows = size.rows;
    j->status.bytes = size.bytes;
    j->status.first = size.first;
    j->status.last = size.last;
    j->counted_through = j->stored;
    pthread_mutex_unlock(&j->lock);
}

// Frees events on disk except the newest JOURNAL_MEMORY_KEPT: receivers that keep up read these
// events from memory.
static void write_free_old(struct journal *j)
{
    enum { AT_ONCE = 64 };
    struct entry entries[AT_ONCE];
    size_t n = AT_ONCE;
    while (n == AT_ONCE) {
        pthread_mutex_lock(&j->lock);
        for (n = 0; n < AT_ONCE && j->first_kept + JOURNAL_MEMORY_KEPT <= j->stored; n++) {
            struct entry *oldest = journal_slot(j, j->first_kept++);
            entries[n] = *oldest;
            *oldest = (struct entry){.event = NULL};
        }
        pthread_mutex_unlock(&j->lock);
        for (size_t i = 0; i < n; i++)
            journal_release(&entries[i]);
    }
}

// Drops the events that were committed at the last call, and keeps the packed ones: receivers that
// keep up have read those events by now.
static void write_drop_events(struct journal *j)
{
    enum { AT_ONCE = 64 };
    struct event *events[AT_ONCE];
    size_t n = AT_ONCE;
    while (n == AT_ONCE) {
        pthread_mutex_lock(&j->lock);
        if (j->dropped_through + 1 < j->first_kept)
            j->dropped_through = j->first_kept - 1;
        for (n = 0; n < AT_ONCE && j->dropped_through < j->to_drop_through; n++) {
            struct entry *e = journal_slot(j, ++j->dropped_through);
            events[n] = e->event;
            e->event = NULL;
        }
        pthread_mutex_unlock(&j->lock);
        for (size_t i = 0; i < n; i++)
            event_unref(events[i]);
    }
    pthread_mutex_lock(&j->lock);
    j->to_drop_through = j->committed;
    pthread_mutex_unlock(&j->lock);
}

static void write_move_wal(struct journal *j)
{
    struct error err;
    enum store_result result = store_move_wal(j->writer, &err);
    if (result != STORE_OK)
        journal_lose_file(j, result, &err);
    else
        journal_watch_wal(j);
}

static void write_file(struct journal *j, int64_t now)
{
    struct error err;
    struct commit_plan *plan = &j->plan;
    enum store_result result = write_timed(j, plan, &err);
    write_note_snapshot(j, &plan->fabric, result == STORE_OK);
    for (int64_t s = plan->first; s <= plan->last; s++)
        journal_release(&j->writing[s - plan->first]);
    write_note_result(j, plan, result, &err);
    if (j->writer && (now >= j->prune_at || atomic_load(&j->asked_age_us) > 0)) {
        j->prune_at = now + PRUNE_US;
        journal_prune(j);
    }
}

// The events up to `through` are readable: on disk, or in memory if the journal is degraded.
static void write_publish(struct journal *j, int64_t through)
{
    pthread_mutex_lock(&j->lock);
    if (through > j->committed)
        j->committed = through;
    pthread_cond_broadcast(&j->grown);
    pthread_mutex_unlock(&j->lock);
}

// Frees what memory need not keep any more.
static void write_tidy_memory(struct journal *j, int64_t now)
{
    write_free_old(j);
    if (now < j->drop_at)
        return;
    pthread_mutex_lock(&j->lock);
    j->drop_at = now + DROP_US;
    pthread_mutex_unlock(&j->lock);
    write_drop_events(j);
    shared_events_try_to_forget(&j->shared, journal_least_cursor(j, journal_last(j), NULL));
}

// The work of a commit besides the plan: the size of the file, the WAL, memory.
static void write_finish_work(struct journal *j, int64_t now)
{
    if (now >= j->status_at) {
        j->status_at = now + STATUS_US;
        write_refresh_status(j);
    }
    if (j->writer)
        write_move_wal(j);
    write_tidy_memory(j, now);
}

// All work of a commit with the file: opens the file if need be, commits, prunes.
static void write_work(void *journal, int64_t rows_max)
{
    struct journal *j = journal;
    int64_t now = clock_monotonic(j->options.clock);
    if (j->writer || (now >= j->retry_at && journal_open_file(j))) {
        write_make_plan(j, rows_max, &j->plan);
        write_file(j, now);
    }
    write_finish_work(j, now);
}

static bool write_is_durable(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    const bool durable = j->status.durable;
    pthread_mutex_unlock(&j->lock);
    return durable;
}

// How long the writer waits for earlier work, and for its own work.
struct waits {
    int64_t earlier_us, own_us;
};

// While degraded, the writer does not wait for an earlier attempt.
static struct waits waits_now(struct journal *j)
{
    const int64_t patience_us = j->options.patience_us;
    return write_is_durable(j) ? (struct waits){patience_us, patience_us}
                               : (struct waits){.own_us = patience_us / 10};
}

// The writer has lost its patience with the disk.
static void write_note_hang(struct journal *j)
{
    char problem[sizeof j->path + 128];
    snprintf(problem, sizeof problem,
             "the disk of the journal %s does not answer: a commit or a read takes longer than %d "
             "seconds",
             j->path, (int)(j->options.patience_us / CLOCK_US_PER_S));
    journal_set_problem(j, problem);
}

// Lets the file's thread work, after the end of earlier work, and waits for the end. False: some
// work goes on still.
static bool write_let_work(struct journal *j, disk_work *work, int64_t argument, struct waits waits)
{
    const bool durable = write_is_durable(j);
    if (disk_run(j->disk, work, argument, waits.earlier_us, waits.own_us))
        return true;
    if (durable)
        write_note_hang(j);
    return false;
}

static bool write_run(struct journal *j, disk_work *work, int64_t argument)
{
    return write_let_work(j, work, argument, waits_now(j));
}

// Reading for the writer: the file's thread does the work, and the writer waits as for a commit.

static void write_find(void *ctx, int64_t sequence)
{
    struct journal *j = ctx;
    event_unref(j->found); // the writer did not wait for this event
    j->found = journal_find_in_file(j, sequence);
}

struct event *journal_find(struct journal *journal, int64_t sequence)
{
    struct event *event = NULL;
    if (!journal_find_in_memory(journal, sequence, &event) &&
        write_run(journal, write_find, sequence)) {
        event = journal->found;
        journal->found = NULL;
    }
    return event;
}

static void write_find_links(void *ctx, int64_t before)
{
    struct journal *j = ctx;
    journal_drop_found_links(j);
    j->found_link_count = journal_find_links_in_file(j, before, j->found_links, JOURNAL_LINKS_PAGE);
}

size_t journal_read_links_back(struct journal *journal, int64_t before,
                               struct journal_item items[JOURNAL_LINKS_PAGE])
{
    if (!write_run(journal, write_find_links, before))
        return 0;
    const size_t count = journal->found_link_count;
    memcpy(items, journal->found_links, count * sizeof *items);
    journal->found_link_count = 0;
    return count;
}

static bool write_commit_some(struct journal *journal, int64_t rows_max, struct waits waits)
{
    pthread_mutex_lock(&journal->lock);
    int64_t appended = journal->appended;
    pthread_mutex_unlock(&journal->lock);
    bool done = write_let_work(journal, write_work, rows_max, waits);
    write_publish(journal, appended);
    return done;
}

enum journal_turn journal_begin_commit(struct journal *journal, bool wait)
{
    if (!write_is_durable(journal))
        return JOURNAL_AWAY;
    if (!disk_take(journal->disk, wait ? journal->options.patience_us : 0)) {
        if (wait)
            write_note_hang(journal);
        return wait ? JOURNAL_AWAY : JOURNAL_BUSY;
    }
    if (journal->writer) {
        write_make_plan(journal, JOURNAL_MEMORY_MAX, &journal->plan);
        return JOURNAL_TAKEN;
    }
    disk_give_back(journal->disk);
    return JOURNAL_AWAY;
}

void journal_end_commit(struct journal *journal)
{
    const int64_t now = clock_monotonic(journal->options.clock), through = journal->plan.last;
    write_file(journal, now);
    write_publish(journal, through);
    write_finish_work(journal, now);
    disk_give_back(journal->disk);
}

void journal_commit(struct journal *journal)
{
    write_commit_some(journal, JOURNAL_MEMORY_MAX, waits_now(journal));
}

// The number of the last event on disk; `*all`: nothing is in memory only.
static int64_t write_stored_through(struct journal *j, bool *all)
{
    pthread_mutex_lock(&j->lock);
    int64_t stored = j->stored;
    *all = j->writer && stored == j->appended;
    pthread_mutex_unlock(&j->lock);
    return stored;
}

static bool write_refuse_to_finish(struct journal *j, struct error *err)
{
    char behind[STORE_NAME_MAX + 1];
    int64_t had = journal_least_cursor(j, journal_last(j), behind);
    pthread_mutex_lock(&j->lock);
    int64_t before = j->stored, last = j->appended;
    int64_t wanted = last - (had > before ? had : before);
    error_set(err,
              "the journal does not work (%.300s): the events %lld to %lld are lost, %lld in all, "
              "%lld of them before every receiver had them",
              j->status.problem, (long long)before + 1, (long long)last, (long long)(last - before),
              (long long)(wanted > 0 ? wanted : 0));
    pthread_mutex_unlock(&j->lock);
    return false;
}

bool journal_finish(struct journal *journal, struct error *err)
{
    const int64_t wait_us = 2 * journal->options.patience_us;
    const struct waits waits = {wait_us, wait_us};
    int64_t until = clock_monotonic(journal->options.clock) + wait_us;
    bool all, done = write_commit_some(journal, JOURNAL_MEMORY_MAX, waits);
    int64_t stored = write_stored_through(journal, &all), rows = JOURNAL_MEMORY_MAX;
    while (done && !all && rows > 0 && clock_monotonic(journal->options.clock) < until) {
        int64_t before = stored;
        journal->retry_at = 0;
        done = write_commit_some(journal, rows, waits);
        stored = write_stored_through(journal, &all);
        if (stored == before)
            rows /= 4;
    }
    return all || write_refuse_to_finish(journal, err);
}

bool journal_has_work(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t now = clock_monotonic(journal->options.clock);
    bool work = journal->stored < journal->appended || now >= journal->prune_at ||
                atomic_load(&journal->asked_age_us) > 0 || journal->fabric.record ||
                !journal->status.durable ||
                (journal->dropped_through < journal->committed && now >= journal->drop_at);
    pthread_mutex_unlock(&journal->lock);
    for (size_t i = 0; i < JOURNAL_MIRRORS; i++)
        work |= mirror_has_changed(journal->mirrors[i]);
    return work;
}
