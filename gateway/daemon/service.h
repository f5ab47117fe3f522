// SPDX-License-Identifier: BSD-2-Clause
// Notifies the service manager (systemd, Type=notify): ready, reloading, stopping, a line of
// status, and the watchdog. Main thread.
// Decides: When does systemd hear that the gateway is ready, and when is the watchdog fed?
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "base/notify.h"

#include <sys/types.h>

enum { SERVICE_STATUS_SIZE = 200 };

struct event_base; // of libevent

struct service_options {
    const char *socket;           // from $NOTIFY_SOCKET; NULL: there is no service manager
    int64_t watchdog_us;          // the longest time between two feeds; 0: there is no watchdog
    struct event_base *base;      // the main loop's, outlives the service
    uint64_t (*beats)(void *ctx); // grows while the pipeline makes progress
    void (*describe)(void *ctx, char out[SERVICE_STATUS_SIZE]); // one line for people
    void *ctx;
    const struct clock *clock;
    struct log *log;
};

struct service;

// The watchdog's time in microseconds, from $WATCHDOG_USEC and $WATCHDOG_PID (NULL if not set); 0:
// there is no watchdog for this process.
int64_t service_watchdog_us(const char *usec, const char *pid, pid_t own);

// Copies the options. If the socket cannot be opened, the service logs that and sends nothing.
struct service *service_start(const struct service_options *options);
void service_stop(struct service *service); // NULL is allowed

// Call service_ready once all parts have started, even without an InfiniBand port or a subnet
// manager, and after each reload, also after a refused one.
void service_ready(struct service *service);
void service_reloading(struct service *service);
void service_stopping(struct service *service);

// Feeds the watchdog if the pipeline has made progress since the last call, and sends the status if
// the status has changed. The loop calls it every five seconds, or each quarter of the watchdog's
// time if the quarter is shorter.
void service_check(struct service *service);

// A start that takes long: an upgrade may read all of a large journal to make an index. While the
// journal makes progress, the service manager gives the start more time, and the service manager
// and the log say what is done.

enum {
    SERVICE_OPENING_MORE_S = 300, // a start without a step in this time has failed
    SERVICE_OPENING_TELL_S = 1,   // between two messages to the service manager
    SERVICE_OPENING_QUIET_S = 2,  // a start that takes no longer says nothing
    SERVICE_OPENING_LOG_S = 60,   // between two lines in the log
};

struct service_opening {
    struct notify notify;
    const struct clock *clock;
    struct log *log;
    int64_t begun_us, told_us, logged_us; // 0: not yet
};

// `socket` is $NOTIFY_SOCKET. Clock and log outlive the opening.
void service_opening_begin(struct service_opening *opening, const char *socket,
                           const struct clock *clock, struct log *log);

// A step of a struct journal_watch, whose ctx is the struct service_opening.
void service_opening_step(void *ctx, const char *doing);

void service_opening_end(struct service_opening *opening);
