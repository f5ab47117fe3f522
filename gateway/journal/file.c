// SPDX-License-Identifier: BSD-2-Clause
// The journal and its file: opens and closes both, renames or abandons a failing file, and tells
// the state of the journal.
#include "journal/journal_private.h"

#include "base/memory.h"
#include "base/path.h"
#include "journal/wal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RETRIES_MAX = 60 };
static const int64_t RETRY_US = 1 * CLOCK_US_PER_S; // times the failed rescues, up to RETRIES_MAX

// After the directory or the file was removed or replaced: keeps the open file, from which the next
// attempt copies the events that receivers have yet to get, and releases the directory's lock.
static void file_keep_orphan(struct journal *j)
{
    j->orphan = j->writer;
    j->replaced = true;
    j->writer = NULL;
    journal_close_reader(j);
    close(j->lock_fd);
    j->lock_fd = -1;
}

static void file_condemn(struct journal *j, const char *why)
{
    j->condemned = true;
    snprintf(j->why, sizeof j->why, "%s", why);
}

// Syncs the parent, too, after making the directory.
static bool file_make_directory(const struct journal *j, struct error *err)
{
    if (mkdir(j->options.directory, 0750) == 0) {
        char parent[sizeof j->path + 4];
        snprintf(parent, sizeof parent, "%s/..", j->options.directory);
        directory_sync(parent);
        return true;
    }
    if (errno == EEXIST)
        return true;
    return error_set(err, "cannot make the directory %s: %s", j->options.directory,
                     strerror(errno));
}

// Locks the directory: two processes in a directory would overwrite each other's events.
static bool file_lock_directory(struct journal *j, struct error *err)
{
    char path[300];
    if (j->lock_fd >= 0)
        return true;
    snprintf(path, sizeof path, "%s/lock", j->options.directory);
    // Who can open the file can hold its lock. Earlier versions made it with the mode 0640.
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || fchmod(fd, 0600) != 0)
        return error_set(err, "cannot open %s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        j->lock_fd = fd;
        return true;
    }
    j->locked_out = errno == EWOULDBLOCK;
    error_set(err,
              "another ibtrapd uses the directory %s; give this one its own (item 'directory' of "
              "section 'journal')",
              j->options.directory);
    close(fd);
    return false;
}

void journal_set_problem(struct journal *j, const char *problem)
{
    pthread_mutex_lock(&j->notify_lock);
    pthread_mutex_lock(&j->lock);
    bool was_durable = j->status.durable;
    j->status.durable = problem[0] == '\0';
    snprintf(j->status.problem, sizeof j->status.problem, "%s", problem);
    pthread_mutex_unlock(&j->lock);
    if (was_durable && problem[0] != '\0') {
        log_condition(j->options.log, LOG_LEVEL_ERROR,
                      "%s; events are kept in memory until the journal works again", problem);
        j->options.notify(j->options.ctx, JOURNAL_DEGRADED, problem, 0);
    }
    if (!was_durable && problem[0] == '\0') {
        log_condition(j->options.log, LOG_LEVEL_INFO, "the journal %s works", j->path);
        j->options.notify(j->options.ctx, JOURNAL_HEALED, "the journal works again", 0);
    }
    pthread_mutex_unlock(&j->notify_lock);
}

// Checks that no event in the file has a number that this run has given to another event before the
// file could be read. Equal numbers show that the clock was wrong, then or now.
static enum store_result file_check_numbers(struct journal *j, const struct store_size *size,
                                            struct error *err)
{
    if (!j->unread || size->last < j->first_kept)
        return STORE_OK;
    error_set(
        err,
        "the journal %s has the same event numbers as were given to new events while it could "
        "not be read; check the clock",
        j->path);
    return STORE_CORRUPT;
}

static void file_load_last_number(struct journal *j, const struct store_size *size)
{
    if (!j->unread)
        return;
    j->unread = false;
    pthread_mutex_lock(&j->lock);
    j->file_last = size->last;
    j->read_late = true;
    pthread_mutex_unlock(&j->lock);
}

// Notes the file at the path and the file's random number. True: this run had another file before.
// The inode alone is not enough: ext4 gives a new file the inode of a file just removed. Nor is the
// number: a restored copy has the same number.
static bool file_note_identity(struct journal *j, int64_t identity)
{
    struct stat now;
    if (stat(j->path, &now) != 0)
        return false;
    bool other = j->runs && j->inode != 0 &&
                 (now.st_dev != j->device || now.st_ino != j->inode || identity != j->identity);
    j->device = now.st_dev;
    j->inode = now.st_ino;
    j->identity = identity;
    return other;
}

// The file was removed or replaced while the file was closed: writes everything in memory to the
// file, and reports the missing events.
static void file_start_over(struct journal *j, const struct store_size *size)
{
    journal_begin_file(j);
    int64_t first = journal_first_in_memory(j),
            least = journal_least_cursor(j, journal_last(j), NULL);
    journal_lose_events(j, journal_gap(least > size->last ? least : size->last, first), first - 1,
                        "the journal's file was removed or replaced while it could not be used; a "
                        "receiver had yet to get them");
}

// The last process may have ended before it told of deleted events.
static void file_note_missing(struct journal *j, const struct store_size *size)
{
    const int64_t least = journal_least_cursor(j, size->first, NULL);
    if (!j->runs || j->unread)
        j->missing = journal_gap(least, size->first);
}

// Opens the file and reads the mirrored tables.
static enum store_result file_load(struct journal *j, struct error *err)
{
    struct store_size size;
    int64_t identity = 0;
    struct store *opened = NULL;
    enum store_result result = store_open_watched(j->path, &j->options.watch, &opened, err);
    j->writer = opened;
    if (result == STORE_OK)
        result = store_identity(j->writer, &identity, err);
    if (result == STORE_OK)
        result = store_get_size(j->writer, &size, err);
    if (result == STORE_OK)
        result = file_check_numbers(j, &size, err);
    for (size_t i = 0; i < JOURNAL_MIRRORS && result == STORE_OK; i++)
        result = mirror_load(j->mirrors[i], j->writer, err);
    if (result != STORE_OK) {
        store_close(j->writer);
        j->writer = NULL;
    } else {
        if (file_note_identity(j, identity) && !j->unread)
            file_start_over(j, &size);
        file_note_missing(j, &size);
        file_load_last_number(j, &size);
        store_end_watch(j->writer);
    }
    return result;
}

// Loads the readable rows of the damaged file into memory, from where the new file gets the rows.
static void file_load_damaged(struct journal *j, struct store *from)
{
    struct error err;
    bool all = true;
    for (size_t i = 0; i < JOURNAL_MIRRORS; i++)
        all &= mirror_load(j->mirrors[i], from, &err) == STORE_OK;
    j->cursors_lost = !j->cursor_mirror.loaded && !j->runs;
    if (!all)
        log_write(
            j->options.log, LOG_LEVEL_ERROR,
            "not every cursor, alarm, maintenance window, setting and node number in the journal "
            "%s can be read (%s); those that cannot are lost",
            j->path, err.text);
}

// Replaces an unusable file, or a file that was removed or replaced.
static bool file_replace(struct journal *j, struct error *err)
{
    struct store *from = j->orphan;
    enum store_result result = from ? STORE_OK : store_open_damaged(j->path, &from, err);
    if (result == STORE_FAILED && access(j->path, F_OK) == 0)
        return false;
    if (from && !j->orphan)
        file_load_damaged(j, from);
    if (!journal_rescue(j, from, err)) {
        if (!j->orphan)
            store_close(from);
        return false;
    }
    store_close(from);
    j->orphan = NULL;
    j->condemned = j->cursors_lost = false;
    j->inode = 0;
    j->identity = 0;
    return journal_finish_rescue(j, err);
}

static bool file_open_writer(struct journal *j, struct error *err)
{
    if (!file_make_directory(j, err) || !file_lock_directory(j, err) ||
        !journal_finish_rescue(j, err))
        return false;
    if (j->condemned && !file_replace(j, err))
        return false;
    enum store_result result = file_load(j, err);
    if (result == STORE_CORRUPT) {
        file_condemn(j, err->text);
        result = file_replace(j, err) ? file_load(j, err) : STORE_FAILED;
    }
    if (result == STORE_OK)
        directory_sync(j->options.directory);
    return result == STORE_OK;
}

static void file_log_opened(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    int64_t waiting = j->appended - j->stored, cursors = (int64_t)j->cursor_count;
    pthread_mutex_unlock(&j->lock);
    store_set_log(j->writer, j->options.log);
    log_debug(j->options.log, "opened %s: %lld cursors; %lld events in memory are not written yet",
              j->path, (long long)cursors, (long long)waiting);
}

bool journal_open_file(struct journal *journal)
{
    struct error err;
    // A rescue copies much, and fails again while there is no room.
    int64_t pause = journal->rescue_attempts < RETRIES_MAX ? journal->rescue_attempts : RETRIES_MAX;
    journal->retry_at =
        clock_monotonic(journal->options.clock) + RETRY_US * (pause > 1 ? pause : 1);
    // An open reader would keep the WAL's index. The index may claim more pages in the file than
    // the file has.
    journal_close_reader(journal);
    if (file_open_writer(journal, &err)) {
        file_log_opened(journal);
        return true;
    }
    log_debug(journal->options.log, "cannot open the file: %s; next attempt in %lld ms", err.text,
              (long long)(RETRY_US / CLOCK_US_PER_MS));
    journal_set_problem(journal, err.text);
    return false;
}

void journal_lose_file(struct journal *journal, enum store_result result, struct error *err)
{
    error_prefix(err, "cannot write the journal %s", journal->path);
    if (result == STORE_CORRUPT || result == STORE_FILE_MISSING)
        file_condemn(journal, err->text);
    if (result == STORE_FILE_MISSING)
        file_keep_orphan(journal);
    store_close(journal->writer);
    journal->writer = NULL;
    journal_set_problem(journal, err->text);
}

// A program that reads the file in an endless transaction, for instance a forgotten shell of
// SQLite: the WAL cannot begin anew, and grows. Only the end of the transaction bounds the WAL: the
// admin hears of the program.

static void file_set_warning(struct journal *j, const char *warning)
{
    pthread_mutex_lock(&j->lock);
    snprintf(j->status.warning, sizeof j->status.warning, "%s", warning);
    pthread_mutex_unlock(&j->lock);
}

static void file_tell_held(struct journal *j, int64_t held)
{
    char warning[sizeof j->status.warning];
    snprintf(warning, sizeof warning,
             "another program reads the journal's file without end: the WAL, %s-wal, has to keep "
             "%lld MiB for it, and grows until it fills the disk; "
             "'lslocks -o COMMAND,PID,PATH | grep journal.db-shm' as root names that program; end "
             "it",
             j->path, (long long)(held >> 20));
    file_set_warning(j, warning);
    log_write(j->options.log, LOG_LEVEL_WARNING, "%s", warning);
}

void journal_watch_wal(struct journal *journal)
{
    int64_t held = store_wal_held(journal->writer);
    // At the size that the WAL should have, and at each doubling.
    if (held >= WAL_BYTES && held >= 2 * journal->held_told) {
        file_tell_held(journal, held);
        journal->held_told = held;
    } else if (held < WAL_BYTES && journal->held_told > 0) {
        file_set_warning(journal, "");
        log_write(journal->options.log, LOG_LEVEL_INFO,
                  "no other program keeps the WAL of the journal from beginning anew any more");
        journal->held_told = 0;
    }
    if (journal->held_told > 0)
        store_retry_wal(journal->writer);
}

// Opening and closing the journal.

// Numbers for each millisecond: 1,024, more than the events of a millisecond.
enum { NUMBER_BITS = 10 };

static int64_t file_number_of_now(const struct journal *j)
{
    int64_t ms = clock_utc(j->options.clock) / CLOCK_US_PER_MS;
    return (ms > 0 ? ms : 0) << NUMBER_BITS;
}

// The last number before the new events: the greatest number of an event or a cursor in the file.
// If the file cannot be read, or was replaced, a number made from the time of day, far ahead of the
// numbers in any journal.
static int64_t file_last_number(struct journal *j)
{
    struct error err;
    struct store_size size;
    if (!j->writer || store_get_size(j->writer, &size, &err) != STORE_OK)
        return file_number_of_now(j);
    int64_t last = size.last;
    if (j->begun_anew && file_number_of_now(j) > last)
        last = file_number_of_now(j);
    for (size_t i = 0; i < j->cursor_count; i++)
        last = j->cursors[i].row.sequence > last ? j->cursors[i].row.sequence : last;
    return last;
}

static const int64_t PATIENCE_US = 5 * CLOCK_US_PER_S; // unless the options say something else

struct journal *journal_open(const struct journal_options *options, struct error *err)
{
    struct journal *j = memory_zeroed(1, sizeof *j);
    journal_init_cursors(j);
    j->mirrors[STORE_ALARMS] = alarms_new(options->random, options->clock);
    j->mirrors[STORE_WINDOWS] = maintenance_windows_new(options->clock);
    j->mirrors[STORE_SETTINGS] = snmp_settings_new(options->directory);
    j->mirrors[STORE_NODE_NUMBERS] = node_number_rows_new();
    j->mirrors[STORE_DEVICES] = device_rows_new();
    j->options = *options;
    j->clock_offset = clock_utc(options->clock) - clock_monotonic(options->clock);
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
    j->stored = j->committed = j->appended = j->begun_after = file_last_number(j);
    j->file_last = j->unread ? 0 : j->begun_after;
    j->counted_through = j->stored;
    j->dropped_through = j->to_drop_through = j->committed;
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
    for (size_t i = 0; i < JOURNAL_MIRRORS; i++) {
        if (journal->mirrors[i]->kind->free)
            journal->mirrors[i]->kind->free(journal->mirrors[i]->self);
    }
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

size_t alarms_count(const struct journal *journal, size_t of[SEVERITY_DEBUG + 1])
{
    struct alarm_counts active;
    size_t count = 0;
    journal_count_alarms(journal, &active);
    for (int s = 0; s <= SEVERITY_DEBUG; s++) {
        size_t some = 0;
        for (size_t type = 0; type <= CATALOGUE_COUNT; type++)
            some += active.of[type][s];
        count += some;
        if (of)
            of[s] = some;
    }
    return count;
}

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
    out->alarms = alarms_count(journal, out->alarms_of);
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

void journal_follow_clock(struct journal *journal)
{
    const struct clock *clock = journal->options.clock;
    const int64_t offset = clock_utc(clock) - clock_monotonic(clock);
    const int64_t step = offset - journal->clock_offset;
    if (step > -CLOCK_US_PER_S && step < CLOCK_US_PER_S)
        return;
    journal->clock_offset = offset;
    maintenance_windows_move_ends(journal, step);
    alarms_move_ends(journal, step);
}
