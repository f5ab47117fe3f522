// SPDX-License-Identifier: BSD-2-Clause
#include "journal/journal_private.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Numbers for each millisecond: 1,024, more than the events that can come in it.
enum { NUMBER_BITS = 10 };

static int64_t number_of_now(const struct journal *j)
{
    int64_t ms = clock_utc(j->options.clock) / CLOCK_US_PER_MS;
    return (ms > 0 ? ms : 0) << NUMBER_BITS;
}

// The number after which new events are numbered: the largest of an event or a cursor in the file.
// If the file cannot be read, or had to be replaced, a number made from the time of day, which is
// far ahead of any in a journal.
static int64_t last_number(struct journal *j)
{
    struct error err;
    struct store_size size;
    if (!j->writer || store_get_size(j->writer, &size, &err) != STORE_OK)
        return number_of_now(j);
    int64_t last = size.last;
    if (j->begun_anew && number_of_now(j) > last)
        last = number_of_now(j);
    for (size_t i = 0; i < j->cursor_count; i++)
        last = j->cursors[i].row.sequence > last ? j->cursors[i].row.sequence : last;
    return last;
}

static const int64_t PATIENCE_US = 5 * CLOCK_US_PER_S; // unless the options say something else

struct journal *journal_open(const struct journal_options *options, struct error *err)
{
    struct journal *j = memory_zeroed(1, sizeof *j);
    j->alarms = alarms_new(options->random);
    j->windows = maintenance_windows_new();
    j->settings = snmp_settings_new(options->directory);
    j->node_numbers = node_number_rows_new();
    journal_init_cursors(j);
    struct mirror *const mirrors[JOURNAL_MIRRORS] = {
        &j->cursor_mirror, alarms_mirror(j->alarms), maintenance_windows_mirror(j->windows),
        snmp_settings_mirror(j->settings), node_number_rows_mirror(j->node_numbers)};
    memcpy(j->mirrors, mirrors, sizeof mirrors);
    j->options = *options;
    if (j->options.patience_us <= 0)
        j->options.patience_us = PATIENCE_US;
    j->lock_fd = -1;
    j->status.durable = true;
    snprintf(j->path, sizeof j->path, "%s/journal.db", options->directory);
    pthread_mutex_init(&j->notify_lock, NULL);
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->reader_lock, NULL);
    shared_events_begin(&j->shared);
    clock_condition_init(&j->grown);
    journal_open_file(j);
    if (j->locked_out) {
        error_set(err, "%s", j->status.problem);
        journal_close(j);
        return NULL;
    }
    j->unread = !j->writer;
    j->stored = j->committed = j->appended = j->begun_after = last_number(j);
    j->file_last = j->unread ? 0 : j->begun_after;
    j->counted_through = j->stored;
    j->packed_through = j->to_pack_through = j->committed;
    j->first_kept = j->appended + 1;
    j->runs = true;
    j->options.watch = (struct journal_watch){0};
    j->disk = disk_start(j);
    return j;
}

bool journal_close(struct journal *journal)
{
    if (!journal)
        return true;
    if (!disk_stop(journal->disk, 4 * journal->options.patience_us))
        return false;
    store_close(journal->reader);
    store_close(journal->orphan);
    store_close(journal->writer); // the last connection to close moves the WAL into the file
    if (journal->lock_fd >= 0)
        close(journal->lock_fd);
    for (size_t i = 0; i < JOURNAL_MEMORY_MAX; i++)
        journal_release(&journal->memory[i]);
    event_unref(journal->found);
    journal_drop_found_links(journal);
    node_number_rows_free(journal->node_numbers);
    snmp_settings_free(journal->settings);
    maintenance_windows_free(journal->windows);
    alarms_free(journal->alarms);
    free(journal->fabric.record);
    pthread_cond_destroy(&journal->grown);
    shared_events_end(&journal->shared);
    pthread_mutex_destroy(&journal->reader_lock);
    pthread_mutex_destroy(&journal->lock);
    pthread_mutex_destroy(&journal->notify_lock);
    free(journal);
    return true;
}

// Status.

void journal_get_status(struct journal *journal, struct journal_status *out)
{
    pthread_mutex_lock(&journal->lock);
    *out = journal->status;
    // Adds the events written since the status was last read from the file.
    if (journal->stored > journal->counted_through) {
        out->rows += journal->stored - journal->counted_through;
        out->last = journal->stored;
    }
    out->pending = journal->appended - journal->stored;
    out->pruning = atomic_load(&journal->asked_age_us) > 0;
    out->alarms = alarms_count(journal->alarms, out->alarms_of);
    pthread_mutex_unlock(&journal->lock);
}

bool journal_was_read_late(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    bool late = journal->read_late;
    journal->read_late = false;
    pthread_mutex_unlock(&journal->lock);
    return late;
}

const struct histogram *journal_commit_times(const struct journal *journal)
{
    return &journal->commit_times;
}

// Alarms.

void journal_each_alarm(struct journal *journal, void (*each)(void *ctx, const struct alarm *alarm),
                        void *ctx)
{
    alarms_each(journal->alarms, each, ctx);
}

void journal_count_alarms(struct journal *journal, struct alarm_counts *out)
{
    alarms_get_counts(journal->alarms, out);
}

void journal_each_open_alarm(struct journal *journal,
                             void (*each)(void *ctx, const struct alarm *alarm), void *ctx)
{
    alarms_each_open(journal->alarms, each, ctx);
}

bool journal_each_alarm_after(struct journal *journal, int64_t after, size_t n,
                              void (*each)(void *ctx, const struct alarm *alarm), void *ctx)
{
    return alarms_each_after(journal->alarms, after, n, each, ctx);
}

bool journal_has_all_alarms(struct journal *journal)
{
    return alarms_are_loaded(journal->alarms);
}

bool journal_alarm_is_active(struct journal *journal, const char *key)
{
    return alarms_is_active(journal->alarms, key);
}

bool journal_acknowledge_alarm(struct journal *journal, const char *key, const char *note)
{
    return alarms_acknowledge(journal->alarms, key, clock_utc(journal->options.clock), note);
}

void journal_forget_ends(struct journal *journal, int64_t before_us)
{
    alarms_forget_ends(journal->alarms, before_us, clock_utc(journal->options.clock));
}

void journal_set_alarm_cause(struct journal *journal, const char *key, const char *cause_id)
{
    alarms_set_cause(journal->alarms, key, cause_id);
}

bool journal_shelve_alarm(struct journal *journal, const char *key, int64_t until_us)
{
    return alarms_shelve(journal->alarms, key, until_us);
}

// Maintenance windows.

bool journal_set_maintenance(struct journal *journal, const struct journal_maintenance *window)
{
    return maintenance_windows_set(journal->windows, window, clock_utc(journal->options.clock));
}

bool journal_remove_maintenance(struct journal *journal, const char *name)
{
    return maintenance_windows_remove(journal->windows, name);
}

void journal_each_maintenance(struct journal *journal,
                              void (*each)(void *ctx, const struct journal_maintenance *window),
                              void *ctx)
{
    maintenance_windows_each(journal->windows, each, ctx);
}

// Settings made by SNMP.

bool journal_change_settings(struct journal *journal, const struct setting *changes, size_t n)
{
    return snmp_settings_change(journal->settings, changes, n);
}

struct settings *journal_settings(struct journal *journal)
{
    return snmp_settings_current(journal->settings);
}

// Node numbers.

bool journal_number_nodes(struct journal *journal, const uint64_t *guids, size_t n)
{
    return node_number_rows_add(journal->node_numbers, guids, n);
}

struct node_numbers *journal_node_numbers(struct journal *journal)
{
    return node_number_rows_current(journal->node_numbers);
}
