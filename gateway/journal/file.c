// SPDX-License-Identifier: BSD-2-Clause
// The journal's file: opens it, and renames or abandons it when it fails.
#include "journal/journal_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t RETRY_US = 1 * CLOCK_US_PER_S;

// Marks everything in memory as unsaved, so that the next commit writes it to a new file.
static void begin_file(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    j->stored = j->first_kept - 1;
    for (size_t i = 0; i < j->cursor_count; i++)
        j->cursors[i].saved = -1;
    pthread_mutex_unlock(&j->lock);
    j->fabric_saved = false;
    alarms_begin_file(j->alarms);
    maintenance_windows_begin_file(j->windows);
    setting_rows_begin_file(j->settings);
}

// After the directory or the file was removed or replaced: releases its lock, and marks everything
// as unsaved.
static void forget_file(struct journal *j)
{
    journal_close_reader(j);
    close(j->lock_fd);
    j->lock_fd = -1;
    begin_file(j);
}

// Renames the file, its WAL and the WAL's index to <path>.corrupt-<time>.
static void journal_file_set_aside(struct journal *j, const char *why)
{
    static const char *const PARTS[] = {"", "-wal", "-shm"};
    char when[CLOCK_TEXT_SIZE], aside[300], from[300], to[340];
    clock_format_utc(clock_utc(j->options.clock), when);
    snprintf(aside, sizeof aside, "%s.corrupt-%s", j->path, when);
    pthread_mutex_lock(&j->reader_lock); // so that no reader keeps the old file
    journal_drop_reader(j);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        snprintf(from, sizeof from, "%s%s", j->path, PARTS[i]);
        snprintf(to, sizeof to, "%s%s", aside, PARTS[i]);
        rename(from, to);
    }
    pthread_mutex_unlock(&j->reader_lock);
    j->begun_anew = true;
    log_write(j->options.log, LOG_LEVEL_ERROR, "%s; renamed it to %s and began a new journal", why,
              aside);
    begin_file(j);
}

static bool journal_file_make_directory(const struct journal *j, struct error *err)
{
    if (mkdir(j->options.directory, 0750) == 0 || errno == EEXIST)
        return true;
    return error_set(err, "cannot make the directory %s: %s", j->options.directory,
                     strerror(errno));
}

// Locks the directory: two processes in it would overwrite each other's events.
static bool lock_directory(struct journal *j, struct error *err)
{
    char path[300];
    if (j->lock_fd >= 0)
        return true;
    snprintf(path, sizeof path, "%s/lock", j->options.directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (fd < 0)
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

static void journal_file_set_problem(struct journal *j, const char *problem)
{
    pthread_mutex_lock(&j->lock);
    bool was_durable = j->status.durable;
    j->status.durable = problem[0] == '\0';
    snprintf(j->status.problem, sizeof j->status.problem, "%s", problem);
    pthread_mutex_unlock(&j->lock);
    if (was_durable && problem[0] != '\0') {
        log_write(j->options.log, LOG_LEVEL_ERROR,
                  "%s; events are kept in memory until the journal works again", problem);
        j->options.notify(j->options.ctx, JOURNAL_DEGRADED, problem, 0);
    }
    if (!was_durable && problem[0] == '\0') {
        log_write(j->options.log, LOG_LEVEL_INFO, "the journal %s works", j->path);
        j->options.notify(j->options.ctx, JOURNAL_HEALED, "the journal works again", 0);
    }
}

// Checks that no event in the file has a number that this run has assigned while it could not read
// the file. Equal numbers show that the clock was wrong, then or now.
static enum store_result check_numbers(struct journal *j, const struct store_size *size,
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

static void load_last_number(struct journal *j, const struct store_size *size)
{
    if (!j->unread)
        return;
    j->unread = false;
    pthread_mutex_lock(&j->lock);
    j->file_last = size->last;
    pthread_mutex_unlock(&j->lock);
}

// Opens the file and reads cursors, alarms, maintenance windows and settings from it.
static enum store_result load_file(struct journal *j, struct error *err)
{
    struct store_size size;
    enum store_result result = store_open(j->path, false, &j->writer, err);
    if (result == STORE_OK)
        result = store_get_size(j->writer, &size, err);
    if (result == STORE_OK)
        result = check_numbers(j, &size, err);
    if (result == STORE_OK)
        result = journal_load_cursors(j, err);
    if (result == STORE_OK)
        result = alarms_load(j->alarms, j->writer, err);
    if (result == STORE_OK)
        result = maintenance_windows_load(j->windows, j->writer, err);
    if (result == STORE_OK)
        result = setting_rows_load(j->settings, j->writer, err);
    if (result != STORE_OK) {
        store_close(j->writer);
        j->writer = NULL;
    } else {
        load_last_number(j, &size);
    }
    return result;
}

static bool open_writer(struct journal *j, struct error *err)
{
    if (!journal_file_make_directory(j, err) || !lock_directory(j, err))
        return false;
    enum store_result result = load_file(j, err);
    if (result == STORE_CORRUPT) {
        journal_file_set_aside(j, err->text);
        result = load_file(j, err);
    }
    return result == STORE_OK;
}

static void log_opened(struct journal *j)
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
    journal->retry_at = clock_monotonic(journal->options.clock) + RETRY_US;
    // An open reader would keep the WAL's index, which may claim that more pages are in the file
    // than are.
    journal_close_reader(journal);
    if (open_writer(journal, &err)) {
        log_opened(journal);
        return true;
    }
    log_debug(journal->options.log, "cannot open the file: %s; next attempt in %lld ms", err.text,
              (long long)(RETRY_US / CLOCK_US_PER_MS));
    journal_file_set_problem(journal, err.text);
    return false;
}

void journal_lose_file(struct journal *journal, enum store_result result, struct error *err)
{
    error_prefix(err, "cannot write the journal %s", journal->path);
    store_close(journal->writer);
    journal->writer = NULL;
    if (result == STORE_CORRUPT)
        journal_file_set_aside(journal, err->text);
    if (result == STORE_FILE_MISSING)
        forget_file(journal);
    journal_file_set_problem(journal, err->text);
}

void journal_file_works(struct journal *journal)
{
    journal_file_set_problem(journal, "");
}
