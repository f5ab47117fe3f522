// SPDX-License-Identifier: BSD-2-Clause
#include "journal/disk.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>

struct disk {
    void *ctx;
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; // guards the members below
    pthread_cond_t changed;
    bool busy, stop;
    disk_work *work;
    int64_t argument;
};

static void *disk_loop(void *arg)
{
    struct disk *d = arg;
    pthread_mutex_lock(&d->lock);
    while (!d->stop) {
        if (!d->busy) {
            pthread_cond_wait(&d->changed, &d->lock);
            continue;
        }
        disk_work *work = d->work;
        int64_t argument = d->argument;
        pthread_mutex_unlock(&d->lock);
        work(d->ctx, argument);
        pthread_mutex_lock(&d->lock);
        d->busy = false;
        pthread_cond_broadcast(&d->changed);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

struct disk *disk_start(void *ctx)
{
    struct disk *d = memory_zeroed(1, sizeof *d);
    d->ctx = ctx;
    pthread_mutex_init(&d->lock, NULL);
    clock_condition_init(&d->changed);
    d->has_thread = thread_start(&d->thread, "journal", disk_loop, d) == 0;
    return d;
}

// Call it with the lock held. False: it is still busy.
static bool disk_wait_idle(struct disk *d, int64_t wait_us)
{
    const struct timespec until = clock_deadline(wait_us);
    int rc = 0;
    while (d->busy && rc == 0)
        rc = pthread_cond_timedwait(&d->changed, &d->lock, &until);
    return !d->busy;
}

bool disk_run(struct disk *disk, disk_work *work, int64_t argument, int64_t earlier_us,
              int64_t wait_us)
{
    if (!disk->has_thread) {
        work(disk->ctx, argument);
        return true;
    }
    pthread_mutex_lock(&disk->lock);
    bool idle = disk_wait_idle(disk, earlier_us);
    if (idle) {
        disk->busy = true;
        disk->work = work;
        disk->argument = argument;
        pthread_cond_broadcast(&disk->changed);
        idle = disk_wait_idle(disk, wait_us);
    }
    pthread_mutex_unlock(&disk->lock);
    return idle;
}

bool disk_stop(struct disk *disk, int64_t wait_us)
{
    if (!disk)
        return true;
    if (disk->has_thread) {
        pthread_mutex_lock(&disk->lock);
        disk->stop = true;
        pthread_cond_broadcast(&disk->changed);
        bool idle = disk_wait_idle(disk, wait_us);
        pthread_mutex_unlock(&disk->lock);
        if (!idle)
            return false;
        pthread_join(disk->thread, NULL);
    }
    pthread_cond_destroy(&disk->changed);
    pthread_mutex_destroy(&disk->lock);
    free(disk);
    return true;
}
