// SPDX-License-Identifier: BSD-2-Clause
#include "journal/wal.h"

#include "base/memory.h"
#include "base/thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 320 };

struct wal {
    sqlite3 *db; // the thread's
    pthread_t thread;

    // Used by the writer only.
    struct log *log; // NULL: none
    int noted;       // number of pages when thread or writer last moved them
    bool flushed;    // the thread syncs the file, too: the writer moves the pages added since

    pthread_mutex_t lock; // guards the members below
    pthread_cond_t sent;
    bool stop;
    bool busy, flush; // it moves pages, or is about to; it then also syncs the file
    bool failed;
    int left; // pages that the last move had to leave
};

// The size.

// Writes zeros: the first sync of octets that are only allocated takes as long as that of appended
// ones.
static bool write_zeros(int fd, off_t from)
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
    return posix_fallocate(fd, size, WAL_BYTES - size) == 0 && write_zeros(fd, size) &&
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
        (void)rc; // zeros at its end do no harm
    }
    close(fd);
}

// The thread.

// An I/O error is a failure, since a failed sync may lose pages written since the last one. A full
// disk loses nothing.
bool wal_move(struct wal *wal, sqlite3 *db)
{
    int pages = 0, moved = 0;
    int code = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, &pages, &moved);
    if (wal && code == SQLITE_OK) {
        pthread_mutex_lock(&wal->lock);
        wal->left = pages - moved;
        pthread_mutex_unlock(&wal->lock);
    }
    return (code & 0xFF) != SQLITE_IOERR;
}

int wal_left(struct wal *wal)
{
    if (!wal)
        return 0;
    pthread_mutex_lock(&wal->lock);
    int left = wal->left;
    pthread_mutex_unlock(&wal->lock);
    return left;
}

// Syncs the file. SQLite does that only once all of the WAL is in the file; done here, the writer
// does not wait for it.
static bool flush_file(sqlite3 *db)
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
        bool good = wal_move(w, w->db) && (!flush || flush_file(w->db));
        pthread_mutex_lock(&w->lock);
        w->failed |= !good;
        w->busy = false;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

// Opens the connection and reads from it: before its first read, it does not know that there is a
// WAL.
static bool wal_open_file(struct wal *w, const char *path)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    return sqlite3_open_v2(path, &w->db, flags, NULL) == SQLITE_OK &&
           sqlite3_exec(w->db, "PRAGMA synchronous = FULL; PRAGMA user_version", NULL, NULL,
                        NULL) == SQLITE_OK;
}

static void free_wal(struct wal *w)
{
    sqlite3_close(w->db);
    pthread_cond_destroy(&w->sent);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct wal *wal_start(const char *path)
{
    struct wal *w = memory_zeroed(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->sent, NULL);
    if (wal_open_file(w, path) && thread_start(&w->thread, "wal", wal_run, w) == 0)
        return w;
    free_wal(w);
    return NULL;
}

void wal_set_log(struct wal *wal, struct log *log)
{
    if (wal)
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
    pthread_join(wal->thread, NULL);
    bool good = !wal->failed;
    free_wal(wal);
    return good;
}

static bool is_busy(struct wal *w)
{
    pthread_mutex_lock(&w->lock);
    bool busy = w->busy;
    pthread_mutex_unlock(&w->lock);
    return busy;
}

static void send_thread(struct wal *w, bool flush)
{
    pthread_mutex_lock(&w->lock);
    w->busy = true;
    w->flush = flush;
    pthread_cond_signal(&w->sent);
    pthread_mutex_unlock(&w->lock);
}

void wal_retry(struct wal *wal)
{
    if (wal && !is_busy(wal))
        send_thread(wal, false);
}

bool wal_has_failed(struct wal *wal)
{
    if (!wal)
        return false;
    pthread_mutex_lock(&wal->lock);
    bool failed = wal->failed;
    pthread_mutex_unlock(&wal->lock);
    return failed;
}

bool wal_note(struct wal *wal, int pages)
{
    if (!wal)
        return pages >= WAL_STEP_PAGES;
    if (pages < wal->noted) { // the WAL began anew
        wal->noted = 0;
        wal->flushed = false;
    }
    bool own = wal->flushed;
    if ((!own && pages - wal->noted < WAL_STEP_PAGES) || is_busy(wal))
        return false;
    log_debug(wal->log, "the WAL has %d pages, %d of them new: %s", pages, pages - wal->noted,
              own ? "the writer moves the rest now, before the WAL begins anew"
                  : "its thread moves them into the file");
    wal->noted = pages;
    wal->flushed = !own && pages >= WAL_FULL_PAGES;
    if (!own)
        send_thread(wal, wal->flushed);
    return own;
}
