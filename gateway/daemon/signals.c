// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/signals.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { LOOK_MS = 200, LAST_WORDS_S = 5 };

struct signals {
    struct signals_options options;
    atomic_int_fast64_t limit_us;
    int taken, end; // descriptors
    bool asked;     // to stop
    int64_t asked_at;
    pthread_t thread;
    bool runs;
};

static sigset_t signals_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return set;
}

void signals_block(void)
{
    const sigset_t set = signals_set();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void signals_take(struct signals *s)
{
    struct signalfd_siginfo info;
    if (read(s->taken, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo != SIGHUP && !s->asked) {
        s->asked = true;
        s->asked_at = clock_now();
    }
    s->options.take(s->options.ctx, (int)info.ssi_signo);
}

// If the log hangs, too, SIGALRM ends the process.
static _Noreturn void signals_leave(const struct signals *s, int64_t limit_us)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    alarm(LAST_WORDS_S);
    log_write(
        s->options.log, LOG_LEVEL_ERROR,
        "the stop takes longer than %lld seconds, probably as a disk does not answer: ends at "
        "once, as kill -9 would; receivers get after the next start what they have yet to "
        "get of the journal",
        (long long)(limit_us / CLOCK_US_PER_S));
    _exit(EXIT_FAILURE);
}

static void *signals_run(void *arg)
{
    struct signals *s = arg;
    struct pollfd fds[] = {{.fd = s->taken, .events = POLLIN}, {.fd = s->end, .events = POLLIN}};
    while (fds[1].revents == 0) {
        if (poll(fds, 2, s->asked ? LOOK_MS : -1) > 0 && fds[0].revents != 0)
            signals_take(s);
        const int64_t limit_us = atomic_load(&s->limit_us);
        if (s->asked && clock_now() - s->asked_at >= limit_us)
            signals_leave(s, limit_us);
    }
    return NULL;
}

struct signals *signals_start(const struct signals_options *options, struct error *err)
{
    const sigset_t set = signals_set();
    struct signals *s = memory_zeroed(1, sizeof *s);
    s->options = *options;
    atomic_init(&s->limit_us, options->limit_us);
    s->taken = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    s->end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->runs =
        s->taken >= 0 && s->end >= 0 && thread_start(&s->thread, "signals", signals_run, s) == 0;
    if (s->runs)
        return s;
    error_set(err, "cannot start the thread of signals: out of descriptors or threads");
    signals_free(s);
    return NULL;
}

void signals_limit(struct signals *signals, int64_t limit_us)
{
    atomic_store(&signals->limit_us, limit_us);
}

void signals_free(struct signals *signals)
{
    if (!signals)
        return;
    if (signals->runs) {
        eventfd_write(signals->end, 1);
        pthread_join(signals->thread, NULL);
    }
    if (signals->taken >= 0)
        close(signals->taken);
    if (signals->end >= 0)
        close(signals->end);
    free(signals);
}
