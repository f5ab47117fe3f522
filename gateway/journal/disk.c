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
    pthread_cond_t asked; // the thread has work, or has to stop
    pthread_cond_t idle;  // nobody works with the file
    bool busy;            // somebody works with the file
    bool stop;
    disk_work *work; // for the thread; NULL: none
    int64_t argument;
};

static void *disk_loop(void *arg)
{
    struct disk *d = arg;
    pthread_mutex_lock(&d->lock);
    while (!d->stop) {
        if (!d->work) {
            pthread_cond_wait(&d->asked, &d->lock);
            continue;
        }
        disk_work *work = d->work;
        int64_t argument = d->argument;
        pthread_mutex_unlock(&d->lock);
        work(d->ctx, argument);
        pthread_mutex_lock(&d->lock);
        d->work = NULL;
        d->busy = false;
        pthread_cond_broadcast(&d->idle);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

struct disk *disk_start(void *ctx)
{
    struct disk *d = memory_zeroed(1, sizeof *d);
    d->ctx = ctx;
    pthread_mutex_init(&d->lock, NULL);
    clock_condition_init(&d->asked);
    clock_condition_init(&d->idle);
    d->has_thread = thread_start(&d->thread, "journal", disk_loop, d) == 0;
    return d;
}

// Call it with the lock held. False: it is still busy.
static bool disk_wait_idle(struct disk *d, int64_t wait_us)
{
    CLOCK_AWAIT(&d->idle, &d->lock, wait_us, !d->busy);
    return !d->busy;
}

// Takes the file once earlier work has ended. Returns with the lock held. False: earlier work goes
// on.
static bool disk_lock_and_take(struct disk *d, int64_t earlier_us)
{
    pthread_mutex_lock(&d->lock);
    const bool idle = disk_wait_idle(d, earlier_us);
    d->busy = true;
    return idle;
}

bool disk_take(struct disk *disk, int64_t wait_us)
{
    const bool taken = disk_lock_and_take(disk, wait_us);
    pthread_mutex_unlock(&disk->lock);
    return taken;
}

void disk_give_back(struct disk *disk)
{
    pthread_mutex_lock(&disk->lock);
    disk->busy = false;
    pthread_cond_broadcast(&disk->idle);
    pthread_mutex_unlock(&disk->lock);
}

static bool disk_run_here(struct disk *d, disk_work *work, int64_t argument, int64_t earlier_us)
{
    const bool taken = disk_take(d, earlier_us);
    if (taken) {
        work(d->ctx, argument);
        disk_give_back(d);
    }
    return taken;
}

bool disk_run(struct disk *disk, disk_work *work, int64_t argument, int64_t earlier_us,
              int64_t wait_us)
{
    if (!disk->has_thread)
        return disk_run_here(disk, work, argument, earlier_us);
    bool done = disk_lock_and_take(disk, earlier_us);
    if (done) {
        disk->work = work;
        disk->argument = argument;
        pthread_cond_signal(&disk->asked);
        done = disk_wait_idle(disk, wait_us);
    }
    pthread_mutex_unlock(&disk->lock);
    return done;
}

bool disk_stop(struct disk *disk, int64_t wait_us)
{
    if (!disk)
        return true;
    pthread_mutex_lock(&disk->lock);
    disk->stop = true;
    pthread_cond_signal(&disk->asked);
    const bool idle = disk_wait_idle(disk, wait_us);
    pthread_mutex_unlock(&disk->lock);
    if (!idle)
        return false;
    if (disk->has_thread)
        pthread_join(disk->thread, NULL);
    pthread_cond_destroy(&disk->idle);
    pthread_cond_destroy(&disk->asked);
    pthread_mutex_destroy(&disk->lock);
    free(disk);
    return true;
}
