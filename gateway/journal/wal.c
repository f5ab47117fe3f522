// SPDX-License-Identifier: BSD-2-Clause
#include "journal/wal.h"

#include "base/memory.h"
#include "base/thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 320 };

struct wal {
    sqlite3 *db; // the thread's
    pthread_t thread;
    bool runs; // false: the thread could not start

    // Used by the writer only.
    struct log *log; // NULL: none
    int noted;       // number of pages when thread or writer last moved them
    bool flushed;    // the thread syncs the file, too: the writer moves the later pages

    pthread_mutex_t lock; // guards `stop`, `flush` and changes of `busy`
    pthread_cond_t sent;
    bool stop, flush;   // the thread ends; after the next move, the thread syncs the file
    atomic_bool busy;   // the thread moves pages, or is about to
    atomic_bool failed; // in the thread
    atomic_int left;    // pages that the last move had to leave
};

// The size.

// Writes zeros: the first sync of allocated but unwritten octets takes as long as the sync of
// appended octets.
static bool wal_write_zeros(int fd, off_t from)
{
    static const char ZEROS[1 << 16];
    while (from < WAL_BYTES) {
        size_t left = (size_t)(WAL_BYTES - from);
        ssize_t n = pwrite(fd, ZEROS, left < sizeof ZEROS ? left : sizeof ZEROS, from);
        if (n <= 0)
            return false;
        from += n;
    }
    return true;
}

static bool wal_grow(int fd, off_t size)
{
    return posix_fallocate(fd, size, WAL_BYTES - size) == 0 && wal_write_zeros(fd, size) &&
           fdatasync(fd) == 0;
}

void wal_reserve(const char *path)
{
    char wal[PATH_SIZE];
    struct stat status;
    snprintf(wal, sizeof wal, "%s-wal", path);
    int fd = open(wal, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    bool small = fstat(fd, &status) == 0 && status.st_size < WAL_BYTES;
    if (small && !wal_grow(fd, status.st_size)) {
        int rc = ftruncate(fd, status.st_size);
        (void)rc; // zeros at the end do no harm
    }
    close(fd);
}

// The thread.

// An I/O error is a failure, because a failed sync may lose all pages written after the last good
// sync. A full disk loses nothing.
bool wal_move(struct wal *wal, sqlite3 *db)
{
    int pages = 0, moved = 0;
    int code = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &moved);
    if (code == SQLITE_OK)
        atomic_store(&wal->left, pages - moved);
    return (code & 0xFF) != SQLITE_IOERR;
}

int wal_left(struct wal *wal)
{
    return atomic_load(&wal->left);
}

// Syncs the file. SQLite syncs the file only once all of the WAL is in the file, while the writer
// waits. After this sync the writer does not wait.
static bool wal_flush_file(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

static void *wal_run(void *arg)
{
    struct wal *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        if (!w->busy) {
            pthread_cond_wait(&w->sent, &w->lock);
            continue;
        }
        bool flush = w->flush;
        pthread_mutex_unlock(&w->lock);
        bool good = wal_move(w, w->db) && (!flush || wal_flush_file(w->db));
        pthread_mutex_lock(&w->lock);
        if (!good)
            atomic_store(&w->failed, true);
        atomic_store(&w->busy, false);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

// Opens the connection and reads once: a connection learns of the WAL with its first read.
static bool wal_open_file(struct wal *w, const char *path)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    return sqlite3_open_v2(path, &w->db, flags, NULL) == SQLITE_OK &&
           sqlite3_exec(w->db, "PRAGMA synchronous = FULL; PRAGMA user_version", NULL, NULL,
                        NULL) == SQLITE_OK;
}

struct wal *wal_start(const char *path)
{
    struct wal *w = memory_zeroed(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->sent, NULL);
    w->runs = wal_open_file(w, path) && thread_start(&w->thread, "wal", wal_run, w) == 0;
    return w;
}

void wal_set_log(struct wal *wal, struct log *log)
{
    wal->log = log;
}

bool wal_stop(struct wal *wal)
{
    if (!wal)
        return true;
    pthread_mutex_lock(&wal->lock);
    wal->stop = true;
    pthread_cond_signal(&wal->sent);
    pthread_mutex_unlock(&wal->lock);
    if (wal->runs)
        pthread_join(wal->thread, NULL);
    bool good = !wal->failed;
    sqlite3_close(wal->db);
    pthread_cond_destroy(&wal->sent);
    pthread_mutex_destroy(&wal->lock);
    free(wal);
    return good;
}

static void wal_send(struct wal *w, bool flush)
{
    pthread_mutex_lock(&w->lock);
    atomic_store(&w->busy, true);
    w->flush = flush;
    pthread_cond_signal(&w->sent);
    pthread_mutex_unlock(&w->lock);
}

void wal_retry(struct wal *wal)
{
    if (wal->runs && !atomic_load(&wal->busy))
        wal_send(wal, false);
}

bool wal_has_failed(struct wal *wal)
{
    return atomic_load(&wal->failed);
}

bool wal_note(struct wal *wal, int pages)
{
    if (!wal->runs)
        return pages >= WAL_STEP_PAGES;
    if (pages < wal->noted) { // the WAL began anew
        wal->noted = 0;
        wal->flushed = false;
    }
    bool own = wal->flushed;
    if ((!own && pages - wal->noted < WAL_STEP_PAGES) || atomic_load(&wal->busy))
        return false;
    log_debug(wal->log, "the WAL has %d pages, %d of them new: %s", pages, pages - wal->noted,
              own ? "the writer moves the rest now, before the WAL begins anew"
                  : "its thread moves them into the file");
    wal->noted = pages;
    wal->flushed = !own && pages >= WAL_FULL_PAGES;
    if (!own)
        wal_send(wal, wal->flushed);
    return own;
}
