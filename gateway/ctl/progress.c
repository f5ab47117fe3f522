// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/progress.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const int64_t FIRST_US = 2 * CLOCK_US_PER_S, NEXT_US = CLOCK_US_PER_S / 2;
enum { PERCENT_MOST = 99 }; // until the task has ended: what it reads twice counts twice

struct progress {
    struct progress_task task;
    int64_t begun_us, done_before; // monotonic; what was done before the task
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_ended; // under the lock
};

static void progress_show(const struct progress *p)
{
    const int64_t done = p->task.done ? p->task.done(p->task.ctx) - p->done_before : 0;
    const int64_t seconds = (clock_now() - p->begun_us) / CLOCK_US_PER_S;
    fprintf(stderr, "\r%s: ", p->task.what);
    if (p->task.total > 0) {
        const int64_t percent = (int64_t)((double)done * 100 / (double)p->task.total);
        fprintf(stderr, "%d %%, ", percent < PERCENT_MOST ? (int)percent : PERCENT_MOST);
    } else if (p->task.unit) {
        fprintf(stderr, "%lld %s, ", (long long)done, p->task.unit);
    }
    fprintf(stderr, "%lld s\033[K", (long long)seconds);
    fflush(stderr);
}

// Waits for the end of the task, `time_us` at most. The lock is held. True: the task has ended.
static bool progress_wait(struct progress *p, int64_t time_us)
{
    CLOCK_AWAIT(&p->ended, &p->lock, time_us, p->has_ended);
    return p->has_ended;
}

static void *progress_run(void *ctx)
{
    struct progress *p = ctx;
    bool shown = false;
    pthread_mutex_lock(&p->lock);
    while (!progress_wait(p, shown ? NEXT_US : FIRST_US)) {
        progress_show(p);
        shown = true;
    }
    pthread_mutex_unlock(&p->lock);
    if (shown)
        fputs("\r\033[K", stderr);
    return NULL;
}

struct progress *progress_begin(const struct progress_task *task)
{
    struct progress *p = isatty(STDERR_FILENO) ? memory_zeroed(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->task = *task;
    p->begun_us = clock_now();
    p->done_before = task->done ? task->done(task->ctx) : 0;
    pthread_mutex_init(&p->lock, NULL);
    clock_condition_init(&p->ended);
    if (thread_start(&p->thread, "progress", progress_run, p) == 0)
        return p;
    free(p);
    return NULL;
}

void progress_end(struct progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->has_ended = true;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->ended);
    free(p);
}

int64_t progress_octets_read(const void *ctx)
{
    (void)ctx;
    long long octets = 0;
    FILE *f = fopen("/proc/self/io", "re");
    if (f && fscanf(f, "rchar: %lld", &octets) != 1)
        octets = 0;
    if (f)
        fclose(f);
    return octets;
}
