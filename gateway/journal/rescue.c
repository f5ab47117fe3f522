// SPDX-License-Identifier: BSD-2-Clause
// Replaces an unusable file by a new file with the events that receivers have yet to get. The old
// file is renamed, never deleted.
//
// The new file is built and synced as <path>.part, and becomes <path>.new in a single step. From
// then on, also after a crash, journal_finish_rescue renames the old file and gives its name to the
// new file.
#include "journal/journal_private.h"

#include "base/path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BATCH_ROWS = 1000, // in one transaction
    EACH_NUMBER = 512, // unreadable numbers to be tried singly, before the steps grow
    ATTEMPTS_MAX = 8,  // in half a minute; then unread events of a failing disk count as lost
    NAME_SIZE = 400,
};

static const char *const PARTS[] = {"", "-wal", "-shm"};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

void journal_begin_file(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    j->stored = j->first_kept - 1;
    j->fabric_saved = false;
    pthread_mutex_unlock(&j->lock);
    for (size_t i = 0; i < JOURNAL_MIRRORS; i++)
        mirror_begin_file(j->mirrors[i]);
}

struct rescue {
    struct journal *journal;
    struct store *from, *to;
    int64_t had;            // no event up to this number is copied
    int64_t after, through; // the numbers after `after`, up to `through`, are still to be copied
    int64_t copied;
    int64_t missed; // numbers in the gaps that damage explains
    bool skipped;   // damage lies before the next row
};

static bool rescue_row(void *ctx, const struct store_row *row)
{
    struct rescue *r = ctx;
    if (row->sequence > r->through)
        return false;
    if (r->skipped)
        r->missed += journal_gap(r->after, row->sequence);
    r->skipped = false;
    store_add_events(r->to, row, 1);
    r->after = row->sequence;
    r->copied++;
    return true;
}

static bool rescue_ignore_row(void *ctx, const struct store_row *row)
{
    (void)ctx, (void)row;
    return true;
}

static bool rescue_can_read(const struct rescue *r, int64_t after)
{
    struct error err;
    return store_read(r->from, STORE_AFTER, after, 1, rescue_ignore_row, NULL, &err) == STORE_OK;
}

// The first known number after which reading works again; `through`: none.
static int64_t rescue_find_readable(const struct rescue *r)
{
    int64_t bad = r->after, step = 1;
    for (int tries = 0; bad < r->through; tries++) {
        int64_t next = r->through - bad > step ? bad + step : r->through;
        if (!rescue_can_read(r, next)) {
            bad = next;
            step *= tries < EACH_NUMBER ? 1 : 2;
            continue;
        }
        while (next - bad > 1) {
            int64_t middle = bad + (next - bad) / 2;
            if (rescue_can_read(r, middle))
                next = middle;
            else
                bad = middle;
        }
        return next;
    }
    return r->through;
}

// Tells the watch of a start how many events are copied.
static void rescue_tell_progress(const struct rescue *r)
{
    char doing[96];
    const struct journal_watch *watch = &r->journal->options.watch;
    if (!watch->step)
        return;
    snprintf(doing, sizeof doing, "copying what can be read of the damaged file, %lld events",
             (long long)r->copied);
    watch->step(watch->ctx, doing);
}

// Copies the readable rows. If the result is not STORE_OK, the rescue has to begin again.
static enum store_result rescue_copy_rows(struct rescue *r, struct error *err)
{
    int64_t read_after = r->after, copied;
    do {
        struct error why;
        copied = r->copied;
        rescue_tell_progress(r);
        store_begin(r->to);
        enum store_result read =
            store_read(r->from, STORE_AFTER, read_after, BATCH_ROWS, rescue_row, r, &why);
        enum store_result written = store_commit(r->to, err);
        if (written == STORE_OK)
            written = store_move_wal(r->to, err);
        if (written != STORE_OK)
            return STORE_FAILED;
        if (r->copied > copied)
            read_after = r->after;
        if (read == STORE_OK)
            continue;
        if (r->journal->rescue_attempts < ATTEMPTS_MAX &&
            (read == STORE_FAILED || store_disk_failed(r->from, read))) {
            *err = why;
            return STORE_FAILED;
        }
        r->skipped = true;
        struct rescue probe = *r;
        probe.after = read_after;
        read_after = rescue_find_readable(&probe);
        copied = -1; // go on
    } while (r->copied != copied && read_after < r->through);
    return STORE_OK;
}

// How many events are lost that receivers had yet to get; -1: nobody knows.
static int64_t rescue_count_missing(struct rescue *r, int64_t after, int64_t last)
{
    struct error err;
    int64_t there;
    if (r->journal->cursors_lost)
        return -1;
    if (!r->from)
        return r->journal->runs ? journal_gap(after, last + 1) : -1;
    if (store_count_indexed(r->from, after, r->through, &there, &err) == STORE_OK)
        return there > r->copied ? there - r->copied : 0;
    if (r->skipped)
        r->missed += journal_gap(r->after, last + 1);
    return r->skipped && r->missed == 0 && !r->journal->runs ? -1 : r->missed;
}

static void rescue_copy_snapshot(void *ctx, const struct store_snapshot *snapshot)
{
    const struct rescue *r = ctx;
    store_add_snapshot(r->to, snapshot, JOURNAL_SNAPSHOTS_MAX,
                       journal_snapshot_bytes_max(r->journal));
}

static bool rescue_keep_row(void *ctx, const struct store_row *row)
{
    const struct rescue *r = ctx;
    store_keep_event(r->to, row, row->id);
    return true;
}

// Keeps the readable events that open alarms need, and that are not copied.
static void rescue_keep_told(struct rescue *r)
{
    struct error why;
    store_read(r->from, STORE_KEPT_AFTER, 0, SIZE_MAX, rescue_keep_row, r, &why);
    journal_keep_told(r->journal, r->from, r->to, 1, r->had);
}

// Writes everything except events: from memory, and the newest snapshot from the old file.
static enum store_result rescue_copy_state(struct rescue *r, struct error *err)
{
    struct journal *j = r->journal;
    struct error why;
    store_begin(r->to);
    if (r->from) {
        store_read_snapshots(r->from, 0, rescue_copy_snapshot, r, &why);
        rescue_keep_told(r);
    }
    journal_begin_file(j);
    pthread_mutex_lock(&j->lock);
    if (j->stored > r->through) // memory had no room for events that came meanwhile
        j->stored = r->through;
    pthread_mutex_unlock(&j->lock);
    for (size_t i = 0; i < JOURNAL_MIRRORS; i++) {
        mirror_plan(j->mirrors[i]);
        mirror_write(j->mirrors[i], r->to);
    }
    enum store_result result = store_commit(r->to, err);
    return result == STORE_OK ? store_finish(r->to, err) : result;
}

static void rescue_remove_parts(const char *base)
{
    char name[NAME_SIZE + 8];
    for (size_t i = 0; i < PART_COUNT; i++) {
        snprintf(name, sizeof name, "%s%s", base, PARTS[i]);
        unlink(name);
    }
}

// Builds the new file. False with a sentence: not now.
static bool rescue_build(struct rescue *r, const char *part, struct error *err)
{
    rescue_remove_parts(part);
    if (store_open(part, false, &r->to, err) != STORE_OK)
        return false;
    bool ok =
        (!r->from || rescue_copy_rows(r, err) == STORE_OK) && rescue_copy_state(r, err) == STORE_OK;
    store_close(r->to);
    if (!ok)
        rescue_remove_parts(part);
    return ok;
}

static bool rescue_rename_part(const char *from, const char *to, struct error *err)
{
    if (rename(from, to) == 0 || errno == ENOENT)
        return true;
    return error_set(err, "cannot rename %s to %s: %s", from, to, strerror(errno));
}

// Renames the file at the path, after its WAL: SQLite deletes a WAL without its file. SQLite can
// make the index of the WAL again.
static bool rescue_set_aside(const struct journal *j, const char *aside, struct error *err)
{
    char wal[NAME_SIZE], index[NAME_SIZE], to[NAME_SIZE + 8];
    struct stat status;
    snprintf(wal, sizeof wal, "%s-wal", j->path);
    snprintf(index, sizeof index, "%s-shm", j->path);
    // The WAL of the file before does not belong to a file moved into place.
    snprintf(to, sizeof to, j->replaced ? "%s.wal" : "%s-wal", aside);
    unlink(index);
    if (stat(wal, &status) == 0 && status.st_size == 0)
        unlink(wal);
    return rescue_rename_part(wal, to, err) && rescue_rename_part(j->path, aside, err);
}

bool journal_finish_rescue(struct journal *journal, struct error *err)
{
    char made[NAME_SIZE], aside[NAME_SIZE];
    struct stat status;
    snprintf(made, sizeof made, "%s.new", journal->path);
    if (stat(made, &status) != 0)
        return true;
    // The old file is named by the modification time of the new file: a second attempt after a
    // crash uses the same name, and file and WAL stay together.
    char when[CLOCK_TEXT_SIZE];
    clock_format_utc(status.st_mtim.tv_sec * CLOCK_US_PER_S + status.st_mtim.tv_nsec / 1000, when);
    snprintf(aside, NAME_SIZE, "%s.corrupt-%s", journal->path, when);
    pthread_mutex_lock(&journal->reader_lock); // no reader keeps the old file
    journal_drop_reader(journal);
    bool was_there = access(journal->path, F_OK) == 0;
    bool ok = rescue_set_aside(journal, aside, err) && rescue_rename_part(made, journal->path, err);
    pthread_mutex_unlock(&journal->reader_lock);
    if (!ok)
        return false;
    journal->begun_anew = true;
    journal->replaced = false;
    directory_sync(journal->options.directory);
    if (was_there)
        log_write(
            journal->options.log, LOG_LEVEL_ERROR,
            "renamed the journal's file to %s, with its history, and began a new one that has "
            "what receivers have yet to get",
            aside);
    return true;
}

// Sets the numbers to copy, and returns the last known number in the file.
static int64_t rescue_set_range(struct rescue *r)
{
    struct journal *j = r->journal;
    int64_t last = 0;
    pthread_mutex_lock(&j->lock);
    r->through = j->runs ? j->first_kept - 1 : STORE_SEQUENCE_MAX;
    for (size_t i = 0; i < j->cursor_count; i++)
        last = j->cursors[i].row.sequence > last ? j->cursors[i].row.sequence : last;
    if (j->runs && !j->unread)
        last = j->stored > last ? j->stored : last;
    pthread_mutex_unlock(&j->lock);
    r->had = r->after = journal_least_cursor(j, r->through, NULL);
    return last < r->through ? last : r->through;
}

static void rescue_tell_missing(struct journal *j, const struct rescue *r, int64_t missing,
                                int64_t last)
{
    char reason[256];
    snprintf(reason, sizeof reason, "%.160s%s", j->why,
             missing < 0 ? "; nobody knows how many events receivers had yet to get"
                         : "; receivers had yet to get them");
    if (missing == 0)
        log_write(j->options.log, LOG_LEVEL_ERROR,
                  "%s; the %" PRId64 " events that receivers have yet to get are copied", j->why,
                  r->copied);
    else
        log_write(j->options.log, LOG_LEVEL_ERROR,
                  "%s; %" PRId64 " events that receivers have yet to get are copied", reason,
                  r->copied);
    journal_lose_events(j, missing, last, reason);
}

bool journal_rescue(struct journal *journal, struct store *from, struct error *err)
{
    struct rescue r = {.journal = journal, .from = from};
    char part[NAME_SIZE], made[NAME_SIZE];
    snprintf(part, sizeof part, "%s.part", journal->path);
    snprintf(made, sizeof made, "%s.new", journal->path);
    journal->rescue_attempts++;
    int64_t last = rescue_set_range(&r), after = r.after;
    if (!rescue_build(&r, part, err))
        return false;
    int64_t missing = rescue_count_missing(&r, after, last);
    if (!rescue_rename_part(part, made, err))
        return false;
    directory_sync(journal->options.directory);
    journal->rescue_attempts = 0;
    rescue_tell_missing(journal, &r, missing, last);
    return true;
}
