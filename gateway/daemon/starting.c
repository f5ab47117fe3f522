// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/starting.h"

#include <inttypes.h>

void starting_begin(struct starting *starting, const char *socket, const struct clock *clock,
                    struct log *log)
{
    struct error err;
    *starting = (struct starting){
        .clock = clock, .log = log, .begun_us = clock_monotonic(clock), .told_us = INT64_MIN};
    notify_open(&starting->notify, socket, &err); // a failure is logged when the service starts
}

static void starting_log(struct starting *s, int64_t now, const char *doing)
{
    if (s->logged_us == 0)
        log_write(s->log, LOG_LEVEL_INFO, "opening the journal takes long, do not stop ibtrapd: %s",
                  doing);
    else
        log_write(s->log, LOG_LEVEL_INFO, "opening the journal, %" PRId64 " s so far: %s",
                  (now - s->begun_us) / CLOCK_US_PER_S, doing);
    s->logged_us = now;
}

void starting_step(void *ctx, const char *doing)
{
    struct starting *s = ctx;
    int64_t now = clock_monotonic(s->clock);
    if (s->told_us != INT64_MIN && now - s->told_us < STARTING_TELL_S * CLOCK_US_PER_S)
        return;
    s->told_us = now;
    notify_send(&s->notify, "EXTEND_TIMEOUT_USEC=%" PRId64 "\n", STARTING_MORE_S * CLOCK_US_PER_S);
    if (now - s->begun_us < STARTING_QUIET_S * CLOCK_US_PER_S)
        return;
    notify_send(&s->notify, "STATUS=Opening the journal, %" PRId64 " s so far: %s\n",
                (now - s->begun_us) / CLOCK_US_PER_S, doing);
    if (s->logged_us == 0 || now - s->logged_us >= STARTING_LOG_S * CLOCK_US_PER_S)
        starting_log(s, now, doing);
}

void starting_end(struct starting *starting)
{
    if (starting->logged_us != 0)
        log_write(starting->log, LOG_LEVEL_INFO, "opened the journal after %" PRId64 " s",
                  (clock_monotonic(starting->clock) - starting->begun_us) / CLOCK_US_PER_S);
    notify_close(&starting->notify);
}
