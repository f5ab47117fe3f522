// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/service.h"

#include "base/memory.h"

#include <event2/event.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const int64_t CHECK_US = 5 * CLOCK_US_PER_S; // between two checks, without a watchdog

struct service {
    struct service_options options;
    struct notify notify;
    struct event *timer;
    uint64_t beats; // the pipeline's progress when the watchdog was fed last
    char status[SERVICE_STATUS_SIZE];
};

int64_t service_watchdog_us(const char *usec, const char *pid, pid_t own)
{
    if (!usec || (pid && strtoimax(pid, NULL, 10) != own))
        return 0;
    char *end;
    int64_t us = strtoimax(usec, &end, 10);
    return *end == '\0' && us > 0 && us < INT64_MAX ? us : 0;
}

static void service_update(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    service_check(ctx);
}

static void service_start_timer(struct service *s)
{
    int64_t us = CHECK_US;
    if (s->options.watchdog_us > 0 && s->options.watchdog_us / 4 < us)
        us = s->options.watchdog_us / 4;
    const struct timeval every = {.tv_sec = us / CLOCK_US_PER_S, .tv_usec = us % CLOCK_US_PER_S};
    s->timer = memory_need(event_new(s->options.base, -1, EV_PERSIST, service_update, s));
    event_add(s->timer, &every);
}

struct service *service_start(const struct service_options *options)
{
    struct error why;
    struct service *s = memory_zeroed(1, sizeof *s);
    s->options = *options;
    if (!notify_open(&s->notify, options->socket, &why))
        log_write(options->log, LOG_LEVEL_WARNING, "%s", why.text);
    if (s->notify.fd >= 0)
        service_start_timer(s);
    return s;
}

void service_stop(struct service *s)
{
    if (!s)
        return;
    if (s->timer)
        event_free(s->timer);
    notify_close(&s->notify);
    free(s);
}

void service_ready(struct service *s)
{
    notify_send(&s->notify, "READY=1\n");
    service_check(s);
}

void service_reloading(struct service *s)
{
    notify_send(&s->notify, "RELOADING=1\nMONOTONIC_USEC=%" PRId64 "\n",
                clock_monotonic(s->options.clock));
}

void service_stopping(struct service *s)
{
    notify_send(&s->notify, "STOPPING=1\nSTATUS=Stopping\n");
}

void service_check(struct service *s)
{
    char status[SERVICE_STATUS_SIZE] = "";
    uint64_t beats = s->options.beats(s->options.ctx);
    if (beats != s->beats)
        notify_send(&s->notify, "WATCHDOG=1\n");
    s->beats = beats;
    s->options.describe(s->options.ctx, status);
    if (strcmp(status, s->status) != 0)
        notify_send(&s->notify, "STATUS=%s\n", status);
    memcpy(s->status, status, sizeof s->status);
}

// Opening the journal.

void service_opening_begin(struct service_opening *opening, const char *socket,
                           const struct clock *clock, struct log *log)
{
    struct error err;
    *opening = (struct service_opening){
        .clock = clock, .log = log, .begun_us = clock_monotonic(clock), .told_us = INT64_MIN};
    notify_open(&opening->notify, socket, &err); // a failure is logged when the service starts
}

static void service_opening_log(struct service_opening *s, int64_t now, const char *doing)
{
    if (s->logged_us == 0)
        log_write(s->log, LOG_LEVEL_INFO, "opening the journal takes long, do not stop ibtrapd: %s",
                  doing);
    else
        log_write(s->log, LOG_LEVEL_INFO, "opening the journal, %" PRId64 " s so far: %s",
                  (now - s->begun_us) / CLOCK_US_PER_S, doing);
    s->logged_us = now;
}

void service_opening_step(void *ctx, const char *doing)
{
    struct service_opening *s = ctx;
    int64_t now = clock_monotonic(s->clock);
    if (s->told_us != INT64_MIN && now - s->told_us < SERVICE_OPENING_TELL_S * CLOCK_US_PER_S)
        return;
    s->told_us = now;
    notify_send(&s->notify, "EXTEND_TIMEOUT_USEC=%" PRId64 "\n",
                SERVICE_OPENING_MORE_S * CLOCK_US_PER_S);
    if (now - s->begun_us < SERVICE_OPENING_QUIET_S * CLOCK_US_PER_S)
        return;
    notify_send(&s->notify, "STATUS=Opening the journal, %" PRId64 " s so far: %s\n",
                (now - s->begun_us) / CLOCK_US_PER_S, doing);
    if (s->logged_us == 0 || now - s->logged_us >= SERVICE_OPENING_LOG_S * CLOCK_US_PER_S)
        service_opening_log(s, now, doing);
}

void service_opening_end(struct service_opening *opening)
{
    if (opening->logged_us != 0)
        log_write(opening->log, LOG_LEVEL_INFO, "opened the journal after %" PRId64 " s",
                  (clock_monotonic(opening->clock) - opening->begun_us) / CLOCK_US_PER_S);
    notify_close(&opening->notify);
}
