// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/loop.h"

#include "base/memory.h"

#include <event2/event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct loop {
    struct event_base *base;
    struct loop_wake *asked;
    atomic_int stopped_by; // 0: nobody asked for a stop
    atomic_bool hung_up;
    void (*hang_up)(void *ctx);
    void *ctx;

    pthread_mutex_t lock; // guards the members below
    pthread_cond_t answered;
    bool runs;
    pthread_t thread; // that runs it

    // A function that another thread wants to be run, and waits for. NULL: there is none, or it has
    // run.
    void (*wanted)(void *ctx);
    void *wanted_ctx;
};

void loop_signal(struct loop *loop, int number)
{
    if (number == SIGHUP)
        atomic_store(&loop->hung_up, true);
    else
        atomic_store(&loop->stopped_by, number);
    loop_wake_up(loop->asked);
}

static void loop_run_wanted(struct loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    if (loop->wanted) {
        loop->wanted(loop->wanted_ctx);
        loop->wanted = NULL;
        pthread_cond_broadcast(&loop->answered);
    }
    pthread_mutex_unlock(&loop->lock);
}

// Loop's thread: another thread gave the loop a signal, or wants a function to be run.
static void loop_on_asked(void *ctx)
{
    struct loop *loop = ctx;
    loop_run_wanted(loop);
    if (atomic_load(&loop->stopped_by) != 0)
        event_base_loopbreak(loop->base);
    else if (atomic_exchange(&loop->hung_up, false) && loop->hang_up)
        loop->hang_up(loop->ctx);
}

void loop_call(struct loop *loop, void (*call)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&loop->lock);
    if (loop->runs && !pthread_equal(loop->thread, pthread_self())) {
        loop->wanted = call;
        loop->wanted_ctx = ctx;
        loop_wake_up(loop->asked);
        while (loop->wanted)
            pthread_cond_wait(&loop->answered, &loop->lock);
    } else {
        call(ctx);
    }
    pthread_mutex_unlock(&loop->lock);
}

struct loop *loop_new(struct error *err)
{
    struct loop *loop = memory_zeroed(1, sizeof *loop);
    pthread_mutex_init(&loop->lock, NULL);
    pthread_cond_init(&loop->answered, NULL);
    signal(SIGPIPE, SIG_IGN);
    loop->base = event_base_new();
    if (!loop->base)
        error_set(err, "cannot start the event loop: out of descriptors");
    else if ((loop->asked = loop_wake_new(loop, loop_on_asked, loop, err)) != NULL)
        return loop;
    loop_free(loop);
    return NULL;
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    loop_wake_free(loop->asked);
    if (loop->base)
        event_base_free(loop->base);
    pthread_cond_destroy(&loop->answered);
    pthread_mutex_destroy(&loop->lock);
    free(loop);
}

struct event_base *loop_base(struct loop *loop)
{
    return loop->base;
}

struct loop_wake {
    int fd;
    struct event *event;
    void (*call)(void *ctx);
    void *ctx;
};

static void loop_on_wake(evutil_socket_t fd, short what, void *ctx)
{
    (void)what;
    const struct loop_wake *wake = ctx;
    eventfd_t count;
    if (eventfd_read(fd, &count) == 0)
        wake->call(wake->ctx);
}

struct loop_wake *loop_wake_new(struct loop *loop, void (*call)(void *ctx), void *ctx,
                                struct error *err)
{
    struct loop_wake *wake = memory_get(sizeof *wake);
    *wake =
        (struct loop_wake){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .call = call, .ctx = ctx};
    wake->event =
        memory_need(event_new(loop->base, wake->fd, EV_READ | EV_PERSIST, loop_on_wake, wake));
    if (wake->fd >= 0 && event_add(wake->event, NULL) == 0)
        return wake;
    error_set(err, "cannot watch for calls of other threads: out of descriptors");
    loop_wake_free(wake);
    return NULL;
}

void loop_wake_free(struct loop_wake *wake)
{
    if (!wake)
        return;
    event_free(wake->event);
    if (wake->fd >= 0)
        close(wake->fd);
    free(wake);
}

void loop_wake_up(struct loop_wake *wake)
{
    eventfd_write(wake->fd, 1); // fails only if the counter is full: then the loop wakes up anyway
}

static void loop_runs(struct loop *loop, bool runs)
{
    pthread_mutex_lock(&loop->lock);
    loop->runs = runs;
    loop->thread = pthread_self();
    pthread_mutex_unlock(&loop->lock);
}

void loop_run(struct loop *loop, void (*hang_up)(void *ctx), void *ctx,
              char reason[LOOP_REASON_SIZE])
{
    loop->hang_up = hang_up;
    loop->ctx = ctx;
    loop_runs(loop, true);
    event_base_dispatch(loop->base);
    loop_runs(loop, false);
    loop_run_wanted(loop); // another thread may have asked at the end of the loop
    const int by = atomic_load(&loop->stopped_by);
    snprintf(reason, LOOP_REASON_SIZE, "signal %s",
             by == SIGTERM  ? "TERM"
             : by == SIGINT ? "INT"
                            : "unknown");
}
