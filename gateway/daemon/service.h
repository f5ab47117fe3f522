// What the service manager knows of the daemon (Type=notify): that it is up, reloads or stops, a
// line of status, and that it is alive. Alive is what makes progress: the watchdog is fed only when
// the pipeline went on since it was fed last. Of the main thread.
#ifndef IBTRAPD_DAEMON_SERVICE_H
#define IBTRAPD_DAEMON_SERVICE_H

#include "base/clock.h"
#include "base/log.h"

#include <sys/types.h>

enum { SERVICE_STATUS_SIZE = 200 };

struct event_base; // of libevent

struct service_options {
    const char *socket;           // as $NOTIFY_SOCKET has it; NULL: there is no service manager
    int64_t watchdog_us;          // it wants to hear this often; 0: never
    struct event_base *base;      // the main loop's, outlives the service
    uint64_t (*beats)(void *ctx); // grows while the pipeline makes progress
    void (*describe)(void *ctx, char out[SERVICE_STATUS_SIZE]); // one line for people
    void *ctx;
    const struct clock *clock;
    struct log *log;
};

struct service;

// What $WATCHDOG_USEC and $WATCHDOG_PID, NULL if not set, ask of this process: microseconds, 0:
// nothing.
int64_t service_watchdog_us(const char *usec, const char *pid, pid_t own);

// The options are copied. NULL with a sentence when memory is short; a socket that is not there is
// logged, and nobody is told.
struct service *service_start(const struct service_options *options, struct error *err);
void service_stop(struct service *service); // NULL is allowed

void service_ready(struct service *service); // after the start, and after each reload
void service_reloading(struct service *service);
void service_stopping(struct service *service);

// Feeds the watchdog if the pipeline went on, and tells the status if it changed. The loop calls it
// four times in the watchdog's time.
void service_check(struct service *service);

#endif
