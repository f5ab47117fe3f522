#include "daemon/loop.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int SIGNALS[] = {SIGTERM, SIGINT, SIGHUP};
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

struct loop {
    struct event_base *base;
    struct event *signals[SIGNAL_COUNT];
    int stopped_by;
    void (*hang_up)(void *ctx);
    void *ctx;
};

static void take_signal(evutil_socket_t signal_number, short what, void *ctx)
{
    (void)what;
    struct loop *loop = ctx;
    if (signal_number == SIGHUP) {
        if (loop->hang_up)
            loop->hang_up(loop->ctx);
        return;
    }
    loop->stopped_by = (int)signal_number;
    event_base_loopbreak(loop->base);
}

struct loop *loop_new(struct error *err)
{
    struct loop *loop = calloc(1, sizeof *loop);
    if (loop)
        loop->base = event_base_new();
    bool ok = loop && loop->base;
    for (size_t i = 0; ok && i < SIGNAL_COUNT; i++) {
        loop->signals[i] = evsignal_new(loop->base, SIGNALS[i], take_signal, loop);
        ok = loop->signals[i] && event_add(loop->signals[i], NULL) == 0;
    }
    signal(SIGPIPE, SIG_IGN);
    if (ok)
        return loop;
    error_set(err, "cannot start the event loop: out of memory");
    loop_free(loop);
    return NULL;
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        if (loop->signals[i])
            event_free(loop->signals[i]);
    }
    if (loop->base)
        event_base_free(loop->base);
    free(loop);
}

struct event_base *loop_base(struct loop *loop)
{
    return loop->base;
}

void loop_run(struct loop *loop, void (*hang_up)(void *ctx), void *ctx,
              char reason[LOOP_REASON_SIZE])
{
    loop->hang_up = hang_up;
    loop->ctx = ctx;
    event_base_dispatch(loop->base);
    const char *name = loop->stopped_by ? sigabbrev_np(loop->stopped_by) : NULL;
    snprintf(reason, LOOP_REASON_SIZE, "signal %s", name ? name : "unknown");
}
