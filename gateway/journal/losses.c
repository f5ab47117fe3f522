// SPDX-License-Identifier: BSD-2-Clause
// Events that receivers had yet to get and lose: one alarm, from the first of them until no more
// are lost.
#include "journal/journal_private.h"

#include <inttypes.h>
#include <stdio.h>

// No event is lost for so long: then no more are lost.
static const int64_t QUIET_US = 60 * CLOCK_US_PER_S;

void journal_lose_events(struct journal *journal, int64_t count, int64_t through,
                         const char *reason)
{
    struct dropping *d = &journal->dropping;
    if (count == 0)
        return;
    if (count < 0)
        count = 0;
    pthread_mutex_lock(&journal->lock);
    journal->status.dropped += (uint64_t)count;
    pthread_mutex_unlock(&journal->lock);
    d->lost += (uint64_t)count;
    d->through = through > d->through ? through : d->through;
    d->quiet_at = clock_monotonic(journal->options.clock) + QUIET_US;
    if (d->active) {
        log_debug(journal->options.log, "%" PRId64 " further events are lost: %s", count, reason);
        return;
    }
    d->active = true;
    snprintf(d->reason, sizeof d->reason, "%s", reason);
    log_write(journal->options.log, LOG_LEVEL_ERROR, "%" PRId64 " events are lost: %s", count,
              reason);
    journal->options.notify(journal->options.ctx, JOURNAL_DROPPING, reason, (uint64_t)count);
}

void journal_resume_dropping(struct journal *journal, bool raised)
{
    struct dropping *d = &journal->dropping;
    if (d->active) {
        journal->options.notify(journal->options.ctx, JOURNAL_DROPPING, d->reason, d->lost);
    } else if (raised) {
        *d = (struct dropping){.active = true, .through = journal_last(journal)};
        d->quiet_at = clock_monotonic(journal->options.clock) + QUIET_US;
    }
}

void journal_end_dropping(struct journal *j)
{
    struct dropping *d = &j->dropping;
    char behind[STORE_NAME_MAX + 1];
    if (!d->active || clock_monotonic(j->options.clock) < d->quiet_at ||
        journal_least_read(j, behind) < d->through)
        return;
    uint64_t lost = d->lost;
    *d = (struct dropping){.active = false};
    log_write(j->options.log, LOG_LEVEL_INFO, "no more events are lost; %" PRIu64 " were", lost);
    j->options.notify(j->options.ctx, JOURNAL_DROPPING_ENDED,
                      "every receiver has read on beyond them", lost);
}
