// SPDX-License-Identifier: BSD-2-Clause
// Notifies the service manager (systemd, Type=notify): ready, reloading, stopping, a line of
// status, and the watchdog. Feeds the watchdog only if the pipeline has made progress since the
// last time. Main thread.
#ifndef IBTRAPD_DAEMON_SERVICE_H
#define IBTRAPD_DAEMON_SERVICE_H

#include "base/clock.h"
#include "base/log.h"

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

void service_ready(struct service *service); // after the start, and after each reload
void service_reloading(struct service *service);
void service_stopping(struct service *service);

// Feeds the watchdog if the pipeline made progress, and sends the status if it changed. The loop
// calls it four times in the watchdog's time.
void service_check(struct service *service);

#endif
