// SPDX-License-Identifier: BSD-2-Clause
// Retention: deletes events beyond the limits.
#include "journal/journal_private.h"

#include <inttypes.h>
#include <stdio.h>

enum { PRUNE_ROWS_MAX = 5000 };

// The events that retention may delete.
struct extent {
    int64_t through; // the last sequence number; 0: none
    char limit[64];  // the limit that deletes undelivered events; empty: none
    int64_t asked;   // the request to prune; 0: none
};

// The last sequence number to be deleted because there are too many rows or octets.
static int64_t retention_surplus_through(const struct journal *j, const struct store_size *size,
                                         struct extent *extent)
{
    int64_t through = 0;
    // Octets of snapshots beyond the limit of snapshots do not count: they delete no events.
    int64_t beyond = size->snapshot_bytes - journal_snapshot_bytes_max(j);
    int64_t bytes = size->bytes - (beyond > 0 ? beyond : 0);
    if (size->rows > j->options.rows_max) {
        through = size->first + (size->rows - j->options.rows_max) - 1;
        snprintf(extent->limit, sizeof extent->limit, "%" PRId64 " events", j->options.rows_max);
    }
    if (bytes > j->options.bytes_max) {
        // Delete the same share of the rows as the surplus is of the octets.
        double surplus = (double)(bytes - j->options.bytes_max) / (double)bytes;
        int64_t by_bytes = size->first + (int64_t)((double)size->rows * surplus);
        if (by_bytes > through)
            snprintf(extent->limit, sizeof extent->limit, "%" PRId64 " megabytes",
                     j->options.bytes_max >> 20);
        through = by_bytes > through ? by_bytes : through;
    }
    return through;
}

// The last sequence number of the events older than `age_us` that every receiver has; 0: none.
static int64_t retention_aged_through(struct journal *j, const struct store_size *size,
                                      int64_t age_us)
{
    struct error err;
    int64_t first_young, oldest = clock_utc(j->options.clock) - age_us;
    if (size->oldest_us >= oldest ||
        store_first_since(j->writer, oldest, &first_young, &err) != STORE_OK)
        return 0;
    int64_t delivered = journal_least_cursor(j, journal_last(j), NULL),
            old = first_young ? first_young - 1 : size->last;
    return old < delivered ? old : delivered;
}

static struct extent retention_extent(struct journal *j, const struct store_size *size)
{
    struct extent extent = {.limit = "", .asked = atomic_load(&j->asked_age_us)};
    int64_t by_age = retention_aged_through(j, size, j->options.age_us);
    int64_t by_request = extent.asked > 0 ? retention_aged_through(j, size, extent.asked) : 0;
    // Events in memory stay in the file, too: receivers that keep up have yet to read the events.
    const int64_t in_memory = journal_first_in_memory(j);
    const int64_t newest = size->last - JOURNAL_MEMORY_KEPT + 1;
    const int64_t first_young = newest < in_memory ? newest : in_memory;
    extent.through = retention_surplus_through(j, size, &extent);
    extent.through = by_age > extent.through ? by_age : extent.through;
    if (extent.through >= first_young)
        extent.through = first_young - 1;
    extent.through = by_request > extent.through ? by_request : extent.through;
    return extent;
}

// Deletes rows up to the extent's end, PRUNE_ROWS_MAX at most. True when no such row is left.
static bool retention_delete_some(struct journal *j, const struct store_size *size,
                                  const struct extent *extent)
{
    struct error err;
    char behind[STORE_NAME_MAX + 1], reason[192];
    int64_t most = size->first + PRUNE_ROWS_MAX - 1;
    const bool all = extent->through <= most;
    int64_t end = all ? extent->through : most;
    // Deletions of before were reported then.
    int64_t had = journal_least_cursor(j, journal_last(j), behind);
    struct mirror *cursors = j->mirrors[STORE_CURSORS];
    mirror_plan(cursors);
    store_begin(j->writer);
    int64_t wanted = had < end ? store_count_wanted(j->writer, had, end) : 0;
    if (had < size->last)
        journal_keep_as_of(j->writer, had, size->first, end);
    journal_keep_told(j, j->writer, j->writer, size->first, end);
    int64_t deleted = store_delete_through(j->writer, end, PRUNE_ROWS_MAX);
    if (all)
        store_drop_kept(j->writer, (end < had ? end : had) + 1, size->last);
    mirror_write(cursors, j->writer); // the next start finds no loss where there is none
    enum store_result result = store_commit(j->writer, &err);
    if (result != STORE_OK) {
        journal_lose_file(j, result, &err);
        return true;
    }
    mirror_committed(cursors);
    shared_events_forget(&j->shared, end);
    log_debug(j->options.log, "retention: deleted %lld rows up to number %lld", (long long)deleted,
              (long long)end);
    snprintf(reason, sizeof reason,
             "the journal has room for %s only, and receiver %s is too far behind", extent->limit,
             behind);
    journal_lose_events(j, wanted, end, reason);
    return all;
}

// The request is done; a request that came meanwhile is not.
static void retention_end_request(struct journal *j, int64_t asked)
{
    int_fast64_t done = asked;
    atomic_compare_exchange_strong(&j->asked_age_us, &done, 0);
}

void journal_prune(struct journal *journal)
{
    struct error err;
    struct store_size size;
    journal_end_dropping(journal);
    enum store_result result = store_get_size(journal->writer, &size, &err);
    if (result == STORE_CORRUPT)
        journal_lose_file(journal, result, &err);
    if (result != STORE_OK)
        return;
    if (size.rows == 0) {
        retention_end_request(journal, atomic_load(&journal->asked_age_us));
        return;
    }
    const struct extent extent = retention_extent(journal, &size);
    log_debug(journal->options.log,
              "retention: %lld rows, %lld octets, numbers %lld to %lld; those up to %lld may go; "
              "every receiver has those up to %lld",
              (long long)size.rows, (long long)size.bytes, (long long)size.first,
              (long long)size.last, (long long)extent.through,
              (long long)journal_least_cursor(journal, journal_last(journal), NULL));
    if (extent.through < size.first || retention_delete_some(journal, &size, &extent))
        retention_end_request(journal, extent.asked);
    else
        journal->prune_at = 0; // more rows to delete
}

void journal_request_prune(struct journal *journal, int64_t age_us)
{
    atomic_store(&journal->asked_age_us, age_us > JOURNAL_YOUNG_US ? age_us : JOURNAL_YOUNG_US);
}
