// SPDX-License-Identifier: BSD-2-Clause
#include "control/worker.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

TAILQ_HEAD(worker_jobs, worker_job);

struct worker {
    pthread_t thread;
    bool has_thread;
    int fd; // wakes the loop up
    struct event *woken;

    pthread_mutex_t lock; // guards the members below, and the states of jobs
    pthread_cond_t changed;
    struct worker_jobs waiting, ran;
    bool stop, ended;
};

// The caller holds the lock. The lock is free while the job runs.
static void worker_run(struct worker *w, struct worker_job *job)
{
    TAILQ_REMOVE(&w->waiting, job, in_order);
    job->state = WORKER_RUNS;
    pthread_mutex_unlock(&w->lock);
    job->run(job);
    pthread_mutex_lock(&w->lock);
    job->state = WORKER_RAN;
    TAILQ_INSERT_TAIL(&w->ran, job, in_order);
    eventfd_write(w->fd, 1);
}

static void *worker_loop(void *arg)
{
    struct worker *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        if (TAILQ_EMPTY(&w->waiting))
            pthread_cond_wait(&w->changed, &w->lock);
        else
            worker_run(w, TAILQ_FIRST(&w->waiting));
    }
    w->ended = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

// Takes the first of the jobs that ran. NULL: there is none.
static struct worker_job *worker_take(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    struct worker_job *job = TAILQ_FIRST(&w->ran);
    if (job)
        TAILQ_REMOVE(&w->ran, job, in_order);
    pthread_mutex_unlock(&w->lock);
    return job;
}

static void worker_finish(struct worker *w)
{
    struct worker_job *job;
    while ((job = worker_take(w)) != NULL)
        job->done(job);
}

static void worker_woken(evutil_socket_t fd, short what, void *ctx)
{
    (void)what;
    eventfd_t count;
    if (eventfd_read(fd, &count) == 0)
        worker_finish(ctx);
}

struct worker *worker_start(struct event_base *base, const char *name, struct error *err)
{
    struct worker *w = memory_zeroed(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    clock_condition_init(&w->changed);
    TAILQ_INIT(&w->waiting);
    TAILQ_INIT(&w->ran);
    w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->fd >= 0)
        w->woken = event_new(base, w->fd, EV_READ | EV_PERSIST, worker_woken, w);
    w->has_thread = w->woken && event_add(w->woken, NULL) == 0 &&
                    thread_start(&w->thread, name, worker_loop, w) == 0;
    if (w->has_thread)
        return w;
    error_set(err, "cannot start the thread '%s': out of descriptors or threads", name);
    worker_free(w);
    return NULL;
}

bool worker_put(struct worker *worker, struct worker_job *job)
{
    pthread_mutex_lock(&worker->lock);
    const bool goes_on = !worker->stop;
    if (goes_on) {
        job->state = WORKER_WAITS;
        TAILQ_INSERT_TAIL(&worker->waiting, job, in_order);
        pthread_cond_broadcast(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    return goes_on;
}

enum worker_state worker_take_back(struct worker *worker, struct worker_job *job)
{
    pthread_mutex_lock(&worker->lock);
    const enum worker_state state = job->state;
    if (state != WORKER_RUNS)
        TAILQ_REMOVE(state == WORKER_WAITS ? &worker->waiting : &worker->ran, job, in_order);
    pthread_mutex_unlock(&worker->lock);
    return state;
}

bool worker_stop(struct worker *worker, int64_t wait_us)
{
    if (!worker || !worker->has_thread)
        return true;
    pthread_mutex_lock(&worker->lock);
    worker->stop = true;
    pthread_cond_broadcast(&worker->changed);
    CLOCK_AWAIT(&worker->changed, &worker->lock, wait_us, worker->ended);
    const bool ended = worker->ended;
    pthread_mutex_unlock(&worker->lock);
    if (ended) {
        pthread_join(worker->thread, NULL);
        worker->has_thread = false;
    }
    return ended;
}

void worker_free(struct worker *worker)
{
    if (!worker)
        return;
    worker_finish(worker);
    if (worker->woken)
        event_free(worker->woken);
    if (worker->fd >= 0)
        close(worker->fd);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
